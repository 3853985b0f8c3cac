"""Plays a match by the rules: asks the seats in turn and applies their answers.

Here the kinds of games differ: in a `Game` one seat moves at a time, in a `Simulation` all seats
give their orders at once. `puzzles` has the third kind.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from engines.competition import Competition, Outcome
from engines.game import CHANCE, Game
from engines.simulation import Simulation
from ladder.errors import RefereeFailure
from ladder.runner.bot_process import BotFault
from ladder.runner.replay import ReplayAnswer, ReplayMove
from ladder.runner.seats import PlayingSeat, View
from ladder.values import Kind, MatchJob


class MatchInPlay:
    """The seats of a match, and their faults."""

    def __init__(self, job: MatchJob, seats: list[PlayingSeat]) -> None:
        self.job = job
        self.seats = seats
        self.faults: dict[int, BotFault] = {}
        """In the order in which they happened."""

    @property
    def decided(self) -> bool:
        """Whether faults have left fewer than two seats, which decides the match."""
        return bool(self.faults) and len(self.seats) - len(self.faults) < 2

    def note(self, seat: int, fault: BotFault) -> None:
        """Remember a fault. The bot is ended: it may still be running."""
        self.faults[seat] = fault
        self.seats[seat].close()

    def ask(self, seat: int, state: Any, view: View) -> Any | BotFault:
        """The answer of a seat; a fault is noted."""
        answer = self.seats[seat].move(state, view)
        if isinstance(answer, BotFault):
            self.note(seat, answer)
        return answer

    def clocks_ms(self) -> list[int]:
        return [seat.clock_ms for seat in self.seats]


@dataclass(slots=True)
class MatchRecord:
    """The record of a played match."""

    moves: list[ReplayMove] = field(default_factory=list)
    opening: int = 0
    plies: int = 0
    outcome: Outcome | None = None
    """None when faults decided the match before the rules did."""
    viewer: str | None = None
    data: bytes | None = None
    columns: list[dict[str, float]] = field(default_factory=list)
    """Parts of the scores per seat; empty for most games."""
    answers: list[tuple[ReplayAnswer, ...]] = field(default_factory=list)
    """Puzzles: per instance, the answer of each seat."""
    complaints: list[str] = field(default_factory=list)
    """Puzzles: a sentence per seat for its author, also where it is not at fault; may be empty."""
    places_faults: bool = False
    """Whether the scores of the outcome take the faults into account."""


def play_match(game: Competition, match: MatchInPlay) -> MatchRecord:
    """Play until the rules or faults end it."""
    kind = type(game)
    if kind not in _players:
        # Evaluated once: it takes longer than several moves of a program.
        _players[kind] = _SimulationInPlay if isinstance(game, Simulation) else _GameInPlay
    record: MatchRecord = _players[kind](game, match).finish()
    return record


_players: dict[type[Competition], Any] = {}
"""The functions that play games, by their types."""


class _GameInPlay:
    def __init__(self, game: Game[Any, Any], match: MatchInPlay) -> None:
        self._game = game
        self._match = match
        self._dice = random.Random(f"dice of match {match.job.seed}")
        self._state = game.start(match.job.seed, len(match.seats))
        self._history: list[str] = []
        self._record = MatchRecord()

    def finish(self) -> MatchRecord:
        game, match, record = self._game, self._match, self._record
        for move in game.opening(match.job.seed, len(match.seats)):
            self._advance(game.to_move(self._state), move)
        record.opening = len(self._history)
        for seat in match.faults:
            self._drop(seat)
        while not match.decided and (outcome := game.outcome(self._state)) is None:
            self._turn(game.to_move(self._state))
        record.outcome = None if match.decided else outcome
        record.plies = len(self._history)
        record.columns = [dict(columns) for columns in game.columns(self._state)]
        return record

    def _turn(self, seat: int) -> None:
        game, state = self._game, self._state
        if seat == CHANCE:
            self._advance(seat, self._dice.choices(game.legal(state), game.chances(state))[0])
            return
        move = self._match.ask(seat, state, lambda: self._view(seat))
        if isinstance(move, BotFault):
            self._drop(seat)
        else:
            self._advance(seat, move, self._match.seats[seat].last_ms)

    def _advance(self, seat: int, move: Any, cpu_ms: float = 0.0) -> None:
        text = self._game.format(self._state, move)
        self._history.append(text)
        self._record.moves.append(ReplayMove(seat, text, round(cpu_ms, 3)))
        self._state = self._game.play(self._state, move)

    def _drop(self, seat: int) -> None:
        if not self._match.decided:
            self._record.moves.append(ReplayMove(seat, None))
            self._state = self._game.drop(self._state, seat)

    def _view(self, seat: int) -> dict[str, Any]:
        return view(self._game, self._state, seat, self._history, self._match.clocks_ms())


def view(
    game: Game[Any, Any], state: Any, seat: int, history: list[str], clocks_ms: list[int]
) -> dict[str, Any]:
    """The observation of a seat that is to move."""
    return game.observation(state, seat) | {
        "game": game.name,
        "seat": seat,
        "turn": len(history),
        "position": game.position(state),
        "legal": [game.format(state, move) for move in game.legal(state)],
        "history": history,
        "clock_ms": clocks_ms,
    }


@dataclass(slots=True)
class _Late:
    """A late order: it counts only after some turns without it."""

    turns: int
    order: Any


class _SimulationInPlay:
    def __init__(self, game: Simulation[Any, Any], match: MatchInPlay) -> None:
        self._game = game
        self._match = match
        job = match.job
        try:
            self._state = game.start(job.seed, len(match.seats), job.options)
        except ValueError as error:
            raise RefereeFailure(f"{game.name} cannot be started: {error}") from error
        self._late: dict[int, _Late] = {}
        self._turn_ms = game.turn_ms

    def finish(self) -> MatchRecord:
        game, match, record = self._game, self._match, MatchRecord(viewer=self._game.viewer)
        while not match.decided and (outcome := game.outcome(self._state)) is None:
            turn = game.turns(self._state)
            orders = [self._order(seat, turn) for seat in range(len(match.seats))]
            # A seat at fault gives no more orders; if both of two are at fault, the match is over.
            if not match.decided:
                self._state = game.step(self._state, orders)
                if game.turns(self._state) > turn + 1:
                    # No seat was asked for a while, so a new phase has begun.
                    self._late.clear()
        record.outcome = None if match.decided else outcome
        record.plies = game.turns(self._state)
        record.data = game.replay(self._state)
        record.columns = [dict(columns) for columns in game.columns(self._state)]
        return record

    def _order(self, seat: int, turn: int) -> Any | None:
        game, match, state = self._game, self._match, self._state
        if seat in match.faults or (seen := game.observe(state, seat)) is None:
            self._late.pop(seat, None)
            return None
        if seat not in self._late:
            frame = {"game": game.name, "seat": seat, "turn": turn, "clock_ms": match.clocks_ms()}
            answer = match.ask(seat, state, lambda: seen | frame)
            if isinstance(answer, BotFault):
                return None
            if (missed := self._turns_missed(seat)) == 0:
                return answer
            self._late[seat] = _Late(missed, answer)
        late = self._late[seat]
        late.turns -= 1
        return None if late.turns >= 0 else self._late.pop(seat).order

    def _turns_missed(self, seat: int) -> int:
        """The turns that passed while the seat worked on its last order, or slept."""
        if self._turn_ms is None or self._match.job.entrants[seat].kind is Kind.HOUSE:
            return 0
        last = self._match.seats[seat]
        return int((last.last_ms + last.last_idle_ms) / self._turn_ms)
