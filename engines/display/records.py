"""Games as files for other programs: PDN of the draughts family, GGF of Othello.

The formats live here; what a game puts into them is its own business (`Competition.write_record`).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """What the files of a game are called, and how their names end."""

    name: str
    extension: str


@dataclass(frozen=True, slots=True)
class RecordedMove:
    seat: int
    text: str
    seconds: float


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game from its first position on, as it was played."""

    event: str
    place: str
    at: datetime
    players: tuple[str, ...]
    moves: Sequence[RecordedMove]
    scores: tuple[float, ...]
    forfeit: str = ""
    """How a player lost before the rules ended the game: `time` or `fault`; empty if none did."""


PDN = RecordFormat("PDN", "pdn")
GGF = RecordFormat("GGF", "ggf")
COLUMNS = RecordFormat("columns", "txt")
"""The columns of all moves in one word, as solvers of Connect Four read them."""

_PDN_TERMINATIONS = {"": "normal", "time": "time forfeit", "fault": "rules infraction"}
_LINE = 79


def write_pdn(record: GameRecord, first_mover: str, game_type: str = "") -> str:
    """One game in Portable Draughts Notation. `first_mover` is `Black` or `White`."""
    white, black = (1, 0) if first_mover == "Black" else (0, 1)
    result = _pdn_result(record.scores[white], record.scores[black])
    tags = {
        "Event": record.event,
        "Site": record.place,
        "Date": f"{record.at:%Y.%m.%d}",
        "Round": "?",
        "White": record.players[white],
        "Black": record.players[black],
        "Result": result,
        "Termination": _PDN_TERMINATIONS[record.forfeit],
    }
    if game_type:
        tags["GameType"] = game_type
    words = []
    for ply, move in enumerate(record.moves):
        words += [f"{ply // 2 + 1}.", move.text] if ply % 2 == 0 else [move.text]
    head = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items())
    text = textwrap.fill(" ".join([*words, result]), _LINE, break_on_hyphens=False)
    return f"{head}\n{text}\n"


def _pdn_result(white: float, black: float) -> str:
    if white == black:
        return "1/2-1/2" if white else "0-0"  # nobody scores when both are at fault
    return "1-0" if white > black else "0-1"


def _quoted(value: str) -> str:
    """A value of a tag; quotation marks and line ends have no place in it."""
    return re.sub(r"[\x00-\x1f\x7f]", " ", value).replace("\\", "/").replace('"', "'")


def write_ggf(record: GameRecord, game: str, board: str, score: float) -> str:
    """One game in the Generic Game Format of the server GGS.

    `board` is its value of `BO`, `score` the result as the first player sees it.
    """
    flag = {"": "", "time": ":t", "fault": ":r"}[record.forfeit]
    properties = [
        ("GM", game),
        ("PC", record.place),
        ("DT", f"{record.at:%Y.%m.%d_%H:%M:%S.UTC}"),
        ("PB", record.players[0]),
        ("PW", record.players[1]),
        ("TY", board.split(" ", 1)[0]),
        ("RE", f"{score:+.2f}{flag}"),
        ("BO", board),
    ]
    moves = [("BW"[move.seat], f"{move.text}//{move.seconds:.3f}") for move in record.moves]
    told = (f"{name}[{_bare(value)}]" for name, value in [*properties, *moves])
    return f"(;{''.join(told)};)\n"


def _bare(value: str) -> str:
    """A value of a property: the format knows no way to write a bracket in it."""
    return re.sub(r"[\[\]\x00-\x1f\x7f]", " ", value)
