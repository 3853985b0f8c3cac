"""The course of a match as pages show it: a replay read, with the position that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from engines.game import AnyGame, sides_of
from engines.games import by_name
from engines.records import Record, RecordedMove, RecordFormat, WritesRecords
from ladder.errors import NotFound, Refusal
from ladder.replays import ReplayStore
from ladder.runner.replay import BadReplay, Replay, ReplayMove, decode, frames
from ladder.values import Ending
from ladder.views import FrameView, MatchView

MOST_FRAMES = 1500
"""Longer games are shown one position a page; none that bots have played comes near."""

_TIMEOUTS = (Ending.MOVE_TIMEOUT, Ending.MATCH_TIMEOUT)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that a seat took for the moves it chose itself."""

    moves: int
    mean_ms: float
    slowest_ms: float


@dataclass(frozen=True, slots=True)
class Course:
    """What the match page shows of a replay: its moves, and the position after `at` of them."""

    moves: tuple[ReplayMove, ...]
    opening: int
    """How many of the moves were made for the bots."""
    at: int
    picture: str
    """An SVG element of the game's own making; empty when it cannot be drawn here."""
    viewer: str | None
    """Simulations: what plays the replay in the browser."""
    columns: tuple[dict[str, float], ...]
    """Simulations: what the score of each seat is made of."""
    clocks: tuple[Clock | None, ...]
    """By seat; none where no times were taken."""
    sides: tuple[str, ...]
    """What the seats are called in this game; empty where they have no names."""
    record: RecordFormat | None
    """How other programs read it."""

    @property
    def times(self) -> list[tuple[int, float]]:
        """Seat and milliseconds of each move."""
        return [(move.seat, move.cpu_ms) for move in self.moves if move.seat >= 0]


def read_course(replays: ReplayStore, match_id: int, ply: int | None) -> Course | None:
    """None when the replay is lost or damaged: the rest of the page is still worth showing."""
    try:
        document = decode(replays.read(match_id))
    except Refusal:
        return None
    last = len(document.moves)
    at = last if ply is None else min(ply, last)
    try:
        picture = next(islice(frames(document), at, None)).svg
    except BadReplay:  # a simulation, or made under other rules
        picture = ""
    game = _game(document)
    return Course(
        moves=document.moves,
        opening=document.opening,
        at=at,
        picture=picture,
        viewer=document.viewer,
        columns=document.columns,
        clocks=tuple(_clock(document, seat) for seat in range(len(document.entrants))),
        sides=sides_of(game) if game is not None else (),
        record=game.record_format if isinstance(game, WritesRecords) and picture else None,
    )


def _game(document: Replay) -> AnyGame | None:
    try:
        return by_name(document.game)
    except LookupError:
        return None


def _clock(document: Replay, seat: int) -> Clock | None:
    chosen = document.moves[document.opening :]
    times = [move.cpu_ms for move in chosen if move.seat == seat and move.move is not None]
    if not any(times):
        return None
    return Clock(len(times), sum(times) / len(times), max(times))


def read_frames(document: Replay) -> list[FrameView]:
    """Every position of a board game, drawn; raises `BadReplay`."""
    if len(document.moves) > MOST_FRAMES:
        raise BadReplay(f"The match has more than {MOST_FRAMES} moves; ask for one position.")
    return [
        FrameView(frame.seat, frame.move, frame.position, frame.svg) for frame in frames(document)
    ]


def write_record(match: MatchView, document: Replay, place: str) -> tuple[str, RecordFormat]:
    """The match as a file for other programs of its game, and the kind of the file."""
    game = _game(document)
    if not isinstance(game, WritesRecords):
        raise NotFound(f"no other program reads records of {document.game}; take the replay")
    forfeit = "" if match.ending is Ending.COMPLETED else "fault"
    record = Record(
        event=f"Match {match.id}, {match.purpose}",
        place=place,
        at=match.finished_at or match.created_at,
        players=tuple(entrant.name for entrant in document.entrants),
        moves=_recorded(document.moves),
        scores=document.verdict.scores,
        forfeit="time" if match.ending in _TIMEOUTS else forfeit,
    )
    return game.write_record(record), game.record_format


def _recorded(moves: Sequence[ReplayMove]) -> list[RecordedMove]:
    return [
        RecordedMove(move.seat, move.move, move.cpu_ms / 1000)
        for move in moves
        if move.move is not None
    ]
