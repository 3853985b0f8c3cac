"""A replay as pages show it: its facts, and the one picture that the address asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engines.competition import Competition
from engines.display.records import GameRecord, RecordedMove, RecordFormat
from engines.game import Game
from engines.games import UnknownGame, find_game
from engines.puzzle import Puzzle
from engines.simulation import Simulation
from ladder.errors import NotFound, Refusal
from ladder.runner.pictures import MOST_FRAMES, Pictures
from ladder.runner.replay import Replay, ReplayAnswer, ReplayMove, positions
from ladder.values import Ending
from ladder.views import FrameView, MatchView

MOST_PICTURES = 10**6
"""The greatest number of a picture that an address may ask for."""

LEAVES = "leaves"
"""The text of a seat that left, in place of its move."""

_TIMEOUTS = (Ending.MOVE_TIMEOUT, Ending.MATCH_TIMEOUT)


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment of a match that an address names; None for the parts that it leaves out."""

    ply: int | None = None
    """Games: number of moves."""
    frame: int | None = None
    """Simulations: number of the picture."""
    instance: int | None = None
    """Puzzles: number of the instance, from 0."""
    step: int | None = None
    """Puzzles: number of steps of the solutions."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of a seat for its own moves, without those of the opening."""

    moves: int
    mean_ms: float
    slowest_ms: float


@dataclass(frozen=True, slots=True)
class SeatPicture:
    """One picture of a moment. A puzzle has one for each seat."""

    seat: int | None
    """Puzzles: the seat of the solution."""
    svg: str
    last: int
    """Number of the last picture of this seat."""
    steps: tuple[str, ...] = ()
    """Puzzles: the solution in notation."""
    answer: ReplayAnswer | None = None


@dataclass(frozen=True, slots=True)
class ShownReplay:
    """The replay on the page of a match: the pictures of one moment, and the way to others."""

    moves: tuple[ReplayMove, ...]
    texts: tuple[str, ...]
    """The moves in the notation for people; `leaves` for a seat that left."""
    graph: str
    """Name of a number that belongs to each position; empty if there is none."""
    values: tuple[float, ...]
    """That number before each move and at the end, above 0 if seat 0 is ahead."""
    opening: int
    """Number of moves of the opening, which the referee chose."""
    at: int
    """Number of the shown picture, from 0 to `last`."""
    last: int
    pictures: tuple[SeatPicture, ...]
    """One picture, or for a puzzle one for each seat; empty when it cannot be drawn here."""
    noun: str
    """Word for one picture: position, frame or step."""
    query: str
    """Query of the address of a picture, without its number at the end."""
    viewer: str | None
    """Simulations: name of the viewer that plays the replay in the browser."""
    columns: tuple[dict[str, float], ...]
    """By seat: the parts of its score."""
    clocks: tuple[Clock | None, ...]
    """By seat; None when no times were measured."""
    sides: tuple[str, ...]
    """Names of the seats in this game; empty when they have none."""
    record: RecordFormat | None
    """Format of the record for other programs."""
    answers: tuple[tuple[ReplayAnswer, ...], ...] = ()
    """Puzzles: by instance, the answer of each seat."""
    instance: int = 0
    """Puzzles: number of the shown instance."""
    text: str = ""
    """Puzzles: text of the shown instance."""
    frames: str = ""
    """Address of all pictures; empty: the API has them."""
    to_instance: str = "?instance="
    """Query of the address of an instance, without its number at the end."""

    @property
    def times(self) -> list[tuple[int, float]]:
        """Seat and milliseconds of each move."""
        return [(move.seat, move.cpu_ms) for move in self.moves if move.seat >= 0]


def show_replay(document: Replay, place: Moment) -> ShownReplay:
    """The replay as its page shows it at that moment."""
    game = _game(document)
    noun, query, at = "position", "?ply=", place.ply
    instance = min(place.instance or 0, max(0, len(document.answers) - 1))
    if isinstance(game, Simulation):
        noun, query, at = "frame", "?frame=", place.frame or 0
    elif isinstance(game, Puzzle):
        noun, query, at = "step", f"?instance={instance}&step=", place.step
    shown = _draw(document, instance, at)
    texts, values = _course(document, game) if shown.pictures else (_plain(document), ())
    return ShownReplay(
        moves=document.moves,
        texts=texts,
        graph=game.graph if isinstance(game, Game) and values else "",
        values=values,
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


def _plain(document: Replay) -> tuple[str, ...]:
    return tuple(move.move or LEAVES for move in document.moves)


def _course(
    document: Replay, game: Competition | None
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The moves for people, and the number of each position if the game has one."""
    if not isinstance(game, Game):
        return _plain(document), ()
    translated = type(game).readable is not Game.readable
    if not translated and not game.graph:
        return _plain(document), ()
    places = list(positions(document, game))
    values = tuple(game.graphed(one.state) for one in places) if game.graph else ()
    texts = tuple(
        LEAVES if after.text is None else game.readable(before.state, after.move)
        for before, after in pairwise(places)
    )
    return texts, values


@dataclass(frozen=True, slots=True)
class _Shown:
    at: int
    last: int
    pictures: tuple[SeatPicture, ...]
    text: str = ""


def _draw(document: Replay, instance: int, at: int | None) -> _Shown:
    """The pictures number `at`, or the last ones; a shorter solution shows its own last picture."""
    try:
        pictures = Pictures(document, instance)
        at = pictures.last if at is None else min(at, pictures.last)
        if not pictures.solved:
            (frame,) = pictures.draw(range(at, at + 1))
            return _Shown(at, pictures.last, (SeatPicture(None, frame.svg, pictures.last),))
        found = []
        for seat, one in enumerate(pictures.solved):
            end = len(one.steps)
            number = min(at, end)
            (frame,) = pictures.draw(range(number, number + 1), seat)
            answer = document.answers[instance][seat]
            found.append(SeatPicture(seat, frame.svg, end, one.steps, answer))
    except Refusal:  # the replay is damaged or was made under other rules
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
    """The pictures with these numbers, at most `MOST_FRAMES`. Raises `BadReplay`, `NotFound`."""
    pictures = Pictures(document, instance)
    most = MOST_FRAMES // max(1, len(pictures.solved))
    shown = [
        FrameView(frame.number, frame.seat, frame.move, frame.position, frame.svg)
        for frame in pictures.draw(numbers[:most])
    ]
    return Frames(shown, pictures.last)


def write_record(match: MatchView, document: Replay, place: str) -> tuple[str, RecordFormat]:
    """The match as a file for other programs of its game, with the format of the file."""
    game = _game(document)
    if game is None or game.record_format is None:
        raise NotFound(f"{document.game} has no record format; download the replay instead")

    forfeit = "" if match.ending is Ending.COMPLETED else "fault"
    record = GameRecord(
        event=f"Match {match.id}, {match.purpose}",
        place=place,
        at=match.finished_at or match.created_at,
        players=tuple(entrant.name for entrant in document.entrants),
        moves=_recorded(document.moves),
        scores=document.verdict.scores,
        forfeit="time" if match.ending in _TIMEOUTS else forfeit,
        start=_start(game, document),
    )
    return game.write_record(record), game.record_format


def _start(game: Competition, document: Replay) -> str:
    if not isinstance(game, Game):
        return ""
    return game.position(game.start(document.seed, len(document.entrants)))


def _recorded(moves: Sequence[ReplayMove]) -> list[RecordedMove]:
    return [
        RecordedMove(move.seat, move.move, move.cpu_ms / 1000)
        for move in moves
        if move.move is not None
    ]
