"""The course of a match as pages show it: a replay read, with the picture that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.competition import Competition
from engines.display.records import GameRecord, RecordedMove, RecordFormat
from engines.games import UnknownGame, find_game
from engines.puzzle import Puzzle
from engines.simulation import Simulation
from ladder.errors import NotFound, Refusal
from ladder.runner.pictures import MOST_FRAMES, Pictures
from ladder.runner.replay import Replay, ReplayAnswer, ReplayMove
from ladder.values import Ending
from ladder.views import FrameView, MatchView

MOST_PICTURES = 10**6
"""The greatest number of a picture that may be asked for."""

_TIMEOUTS = (Ending.MOVE_TIMEOUT, Ending.MATCH_TIMEOUT)


@dataclass(frozen=True, slots=True)
class Moment:
    """What of a match a page shall show; None for what the address does not say."""

    ply: int | None = None
    """Games: after so many moves."""
    frame: int | None = None
    """Simulations: this picture."""
    instance: int | None = None
    """Puzzles: this instance, from 0."""
    step: int | None = None
    """Puzzles: after so many steps of the solutions."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that a seat took for the moves it chose itself."""

    moves: int
    mean_ms: float
    slowest_ms: float


@dataclass(frozen=True, slots=True)
class SeatPicture:
    """One picture of a page, of all those that show the same moment."""

    seat: int | None
    """Puzzles: whose solution it shows."""
    svg: str
    last: int
    """The number of its last picture."""
    steps: tuple[str, ...] = ()
    """Puzzles: the solution in notation."""
    answer: ReplayAnswer | None = None


@dataclass(frozen=True, slots=True)
class ShownReplay:
    """What the match page shows of a replay: one moment of it, drawn, and how to get to others."""

    moves: tuple[ReplayMove, ...]
    opening: int
    """How many of the moves were made for the bots."""
    at: int
    """The number of the picture, of `last`."""
    last: int
    pictures: tuple[SeatPicture, ...]
    """One, or of a puzzle one per seat; none when it cannot be drawn here."""
    noun: str
    """What a picture shows: a position, a frame or a step."""
    query: str
    """What leads to a picture, together with its number."""
    viewer: str | None
    """Simulations: what plays the replay in the browser."""
    columns: tuple[dict[str, float], ...]
    """What the score of each seat is made of."""
    clocks: tuple[Clock | None, ...]
    """By seat; none where no times were taken."""
    sides: tuple[str, ...]
    """What the seats are called in this game; empty where they have no names."""
    record: RecordFormat | None
    """How other programs read it."""
    answers: tuple[tuple[ReplayAnswer, ...], ...] = ()
    """Puzzles: per instance, the answer of each seat."""
    instance: int = 0
    """Puzzles: the one that is shown."""
    text: str = ""
    """Puzzles: that instance."""

    @property
    def times(self) -> list[tuple[int, float]]:
        """Seat and milliseconds of each move."""
        return [(move.seat, move.cpu_ms) for move in self.moves if move.seat >= 0]


def show_replay(document: Replay, place: Moment) -> ShownReplay:
    """The course that a replay tells of."""
    game = _game(document)
    noun, query, at = "position", "?ply=", place.ply
    instance = min(place.instance or 0, max(0, len(document.answers) - 1))
    if isinstance(game, Simulation):
        noun, query, at = "frame", "?frame=", place.frame or 0
    elif isinstance(game, Puzzle):
        noun, query, at = "step", f"?instance={instance}&step=", place.step
    shown = _draw(document, instance, at)
    return ShownReplay(
        moves=document.moves,
        opening=document.opening,
        at=shown.at,
        last=shown.last,
        pictures=shown.pictures,
        noun=noun,
        query=query,
        viewer=document.viewer,
        columns=document.columns,
        clocks=tuple(_clock(document, seat) for seat in range(len(document.entrants))),
        sides=game.sides if game is not None else (),
        record=game.record_format if game is not None and shown.pictures else None,
        answers=document.answers,
        instance=instance,
        text=shown.text,
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    at: int
    last: int
    pictures: tuple[SeatPicture, ...]
    text: str = ""


def _draw(document: Replay, instance: int, at: int | None) -> _Shown:
    """The pictures with one number, the last one unless it is named; a seat may end earlier."""
    try:
        pictures = Pictures(document, instance)
        at = pictures.last if at is None else min(at, pictures.last)
        if not pictures.solved:
            (frame,) = pictures.draw(range(at, at + 1))
            return _Shown(at, pictures.last, (SeatPicture(None, frame.svg, pictures.last),))
        found = []
        for seat, one in enumerate(pictures.solved):
            end = len(one.steps)
            frames = pictures.draw(range(min(at, end), min(at, end) + 1))
            svg = next(frame.svg for frame in frames if frame.seat == seat)
            answer = document.answers[instance][seat]
            found.append(SeatPicture(seat, svg, end, one.steps, answer))
    except Refusal:  # made under other rules, or damaged
        last = len(document.moves)
        return _Shown(last if at is None else min(at, last), last, ())
    return _Shown(at, pictures.last, tuple(found), pictures.text)


def _game(document: Replay) -> Competition | None:
    try:
        return find_game(document.game)
    except UnknownGame:
        return None


def _clock(document: Replay, seat: int) -> Clock | None:
    chosen = document.moves[document.opening :]
    times = [move.cpu_ms for move in chosen if move.seat == seat and move.move is not None]
    if not any(times):
        return None
    return Clock(len(times), sum(times) / len(times), max(times))


@dataclass(frozen=True, slots=True)
class Frames:
    frames: list[FrameView]
    last: int


def read_frames(document: Replay, numbers: range, instance: int = 0) -> Frames:
    """The pictures with these numbers, at most `MOST_FRAMES`; raises `BadReplay`, `NotFound`."""
    pictures = Pictures(document, instance)
    most = MOST_FRAMES // max(1, len(pictures.solved))
    shown = [
        FrameView(frame.number, frame.seat, frame.move, frame.position, frame.svg)
        for frame in pictures.draw(numbers[:most])
    ]
    return Frames(shown, pictures.last)


def write_record(match: MatchView, document: Replay, place: str) -> tuple[str, RecordFormat]:
    """The match as a file for other programs of its game, and the kind of the file."""
    game = _game(document)
    if game is None or game.record_format is None:
        raise NotFound(f"no other program reads records of {document.game}; take the replay")
    forfeit = "" if match.ending is Ending.COMPLETED else "fault"
    record = GameRecord(
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
