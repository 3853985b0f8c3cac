"""The replay document: the record of a match, enough to show and check it.

A document of a `Game` holds every move as text; the positions follow from the rules. One of a
`Simulation` holds the game's own bytes for its viewer. The encoded form is gzip'ed JSON; equal
documents give equal bytes. CPU times differ from run to run, so documents are compared by
`moves_digest`, which leaves them out.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from engines.competition import Competition
from engines.game import CHANCE, Game
from engines.games import UnknownGame, find_game
from ladder.errors import Refusal
from ladder.values import Ending, Kind, MatchReport

REFEREE_VERSION = 1
"""Increase it when a change of the referee makes the same job play differently."""

FORMAT = "evoladder-replay-1"
MAX_DOCUMENT_BYTES = 32 << 20
"""Unpacked size; the longest match of ten seats stays far below."""


class ReplayEntrant(msgspec.Struct, frozen=True):
    name: str
    sha256: str
    kind: Kind


class ReplayMove(msgspec.Struct, frozen=True):
    seat: int
    """`CHANCE` (-1) for dice."""
    move: str | None
    """None when the seat left the game at this point."""
    cpu_ms: float = 0.0


class ReplayAnswer(msgspec.Struct, frozen=True):
    """The answer of one seat to one instance of a puzzle."""

    answer: str | None
    """The bot's answer as JSON text; None when a fault kept it from answering."""
    solved: bool = False
    moves: int = 0
    """Of the solution; 0 where there is none."""
    ending: Ending | None = None
    """Of the fault, if there was one."""
    cpu_ms: float = 0.0


class ReplayVerdict(msgspec.Struct, frozen=True):
    scores: tuple[float, ...]
    ending: Ending
    at_fault: tuple[int, ...]


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    format: str = FORMAT
    game: str
    seed: int
    options: dict[str, Any]
    referee: int = REFEREE_VERSION
    entrants: tuple[ReplayEntrant, ...]
    opening: int = 0
    """The number of opening moves that were made for the bots."""
    moves: tuple[ReplayMove, ...] = ()
    verdict: ReplayVerdict
    explanation: str
    viewer: str | None = None
    """Simulations: the viewer that understands `data`."""
    data: bytes | None = None
    columns: tuple[dict[str, float], ...] = ()
    """The parts of each seat's score, if there are any."""
    answers: tuple[tuple[ReplayAnswer, ...], ...] = ()
    """Puzzles: per instance, the answer of each seat."""


@dataclass(frozen=True, slots=True)
class Position:
    """The position after `ply` moves."""

    ply: int
    seat: int | None
    """The seat that made the last move; None for the first position."""
    text: str | None
    """That move, as it was recorded."""
    state: Any
    move: Any | None
    """That move, as the game knows it."""


class BadReplay(Refusal):
    """Bytes that are not a replay document, or one that contradicts the rules."""

    status = 422
    title = "Not a replay"


def encode(document: Replay) -> bytes:
    """The document compressed, the same bytes for equal documents."""
    return gzip.compress(msgspec.json.encode(document), mtime=0)


def decode(data: bytes) -> Replay:
    """The inverse of `encode`; raises `BadReplay`."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(MAX_DOCUMENT_BYTES + 1)
        if len(text) > MAX_DOCUMENT_BYTES:
            raise BadReplay("The replay is too large.")
        document = msgspec.json.decode(text, type=Replay)
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadReplay(
            "This is no replay of Evoladder, or it is damaged: a replay is gzip'ed JSON."
        ) from error
    if document.format != FORMAT:
        raise BadReplay(f"The format of the replay is {document.format!r}, not {FORMAT!r}.")
    return document


def positions(document: Replay, game: Game[Any, Any] | None = None) -> Iterator[Position]:
    """Every position of a match of a `Game`, from the first.

    Raises `BadReplay` for moves that the rules do not allow. `game` is needed only for games that
    are not in the catalogue.
    """
    rules = game if game is not None else _turn_game(document)
    state = rules.start(document.seed, len(document.entrants))
    yield Position(0, None, None, state, None)
    for ply, record in enumerate(document.moves, start=1):
        last = None
        if record.move is None:
            state = rules.drop(state, record.seat)
        elif rules.to_move(state) != record.seat:
            raise BadReplay(f"Move {ply} is not the turn of seat {record.seat}.")
        else:
            last = _parse(rules, state, record, ply)
            state = rules.play(state, last)
        yield Position(ply, record.seat, record.move, state, last)


def game_of(document: Replay) -> Competition:
    """The game of a replay; raises `BadReplay` if it is not played here."""
    try:
        return find_game(document.game)
    except UnknownGame as error:
        raise BadReplay(f"The game of the replay is unknown: {error}.") from error


def _turn_game(document: Replay) -> Game[Any, Any]:
    game = game_of(document)
    if not isinstance(game, Game):
        raise BadReplay(f"{document.game} has no moves to show.")
    return game


def _parse(game: Game[Any, Any], state: Any, record: ReplayMove, ply: int) -> Any:
    try:
        if record.seat != CHANCE:
            return game.parse(state, record.move or "")
        rolls = (move for move in game.legal(state) if game.format(state, move) == record.move)
        return next(rolls)
    except (ValueError, StopIteration) as error:
        raise BadReplay(f"Move {ply}, {record.move!r}, is not legal.") from error


def replayed_outcome(document: Replay) -> tuple[float, ...] | None:
    """The scores that the recorded moves lead to; None if they do not end the game."""
    rules = _turn_game(document)
    *_, last = positions(document, rules)
    outcome = rules.outcome(last.state)
    return tuple(outcome.scores) if outcome is not None else None


def moves_digest(document: Replay) -> str:
    """SHA-256 of the reproducible parts of a match: everything but the CPU times."""
    plain = msgspec.structs.replace(
        document,
        moves=tuple(ReplayMove(record.seat, record.move) for record in document.moves),
        answers=_timeless(document),
    )
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()


def _timeless(document: Replay) -> tuple[tuple[ReplayAnswer, ...], ...]:
    return tuple(
        tuple(msgspec.structs.replace(answer, cpu_ms=0.0) for answer in answers)
        for answers in document.answers
    )


def verify(document: Replay, report: MatchReport) -> str | None:
    """Compare a document with the report of playing its match again.

    None when both went the same way, else a sentence about the first difference.
    """
    again = decode(report.replay)
    if moves_digest(document) == moves_digest(again):
        return None
    for ply, (old, new) in enumerate(zip(document.moves, again.moves, strict=False), start=1):
        if (old.seat, old.move) != (new.seat, new.move):
            return f"Move {ply} was {old.move} and is now {new.move}."
    if len(document.moves) != len(again.moves):
        return f"There were {len(document.moves)} moves and are now {len(again.moves)}."
    for number, pair in enumerate(zip(_timeless(document), _timeless(again), strict=False), 1):
        if pair[0] != pair[1]:
            return f"The answers to instance {number} are others now."
    if document.verdict != again.verdict:
        return f"It ended: {document.explanation} Now it ends: {again.explanation}"
    if document.data != again.data:
        return "The simulation took another course."
    return "The matches are not the same: game, seed, options, referee or entrants differ."
