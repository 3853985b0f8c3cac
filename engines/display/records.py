"""Games as files for other programs: PDN of the draughts family, GGF of Othello, PGN of chess.

This module owns the formats; each game fills them (`Competition.write_record`).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """The name and the file extension of a format."""

    name: str
    extension: str


@dataclass(frozen=True, slots=True)
class RecordedMove:
    seat: int
    text: str
    seconds: float


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A played game from its first position on."""

    event: str
    place: str
    at: datetime
    players: tuple[str, ...]
    moves: Sequence[RecordedMove]
    scores: tuple[float, ...]
    forfeit: str = ""
    """`time` or `fault` if a player lost before the game ended by its rules; otherwise empty."""
    start: str = ""
    """The text of the first position."""


PDN = RecordFormat("PDN", "pdn")
GGF = RecordFormat("GGF", "ggf")
PGN = RecordFormat("PGN", "pgn")
COLUMNS = RecordFormat("columns", "txt")
"""The columns of all moves in one word, the format of Connect Four solvers."""

PGN_TERMINATIONS = {"": "normal", "time": "time forfeit", "fault": "rules infraction"}
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
        "Termination": PGN_TERMINATIONS[record.forfeit],
    }
    if game_type:
        tags["GameType"] = game_type
    words = []
    for ply, move in enumerate(record.moves):
        words += [f"{ply // 2 + 1}.", move.text] if ply % 2 == 0 else [move.text]
    head = "".join(f'[{name} "{clean(value)}"]\n' for name, value in tags.items())
    text = textwrap.fill(" ".join([*words, result]), _LINE, break_on_hyphens=False)
    return f"{head}\n{text}\n"


def _pdn_result(white: float, black: float) -> str:
    if white == black:
        return "1/2-1/2" if white else "0-0"  # no side scores if both are at fault
    return "1-0" if white > black else "0-1"


def clean(value: str) -> str:
    """The value of a tag, without quotation marks and line ends."""
    return re.sub(r"[\x00-\x1f\x7f]", " ", value).replace("\\", "/").replace('"', "'")


def write_ggf(record: GameRecord, game: str, board: str, score: float) -> str:
    """One game in the Generic Game Format of the server GGS.

    `board` is the value of `BO`, `score` the result from the view of the first player.
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
    """The value of a property, without brackets: the format cannot escape them."""
    return re.sub(r"[\[\]\x00-\x1f\x7f]", " ", value)
