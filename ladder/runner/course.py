"""The course of a match by the rules: whose turn it is, what is asked, what the answer leads to.

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


class Table:
    """The seats of a match, and who of them has been at fault."""

    def __init__(self, job: MatchJob, seats: list[PlayingSeat]) -> None:
        self.job = job
        self.seats = seats
        self.faults: dict[int, BotFault] = {}
        """In the order in which they happened."""

    @property
    def decided(self) -> bool:
        """Whether faults have left fewer than two seats, so that there is no more to play for."""
        return bool(self.faults) and len(self.seats) - len(self.faults) < 2

    def note(self, seat: int, fault: BotFault) -> None:
        """Remember a fault. The bot is ended: it may still be running."""
        self.faults[seat] = fault
        self.seats[seat].close()

    def ask(self, seat: int, state: Any, view: View) -> Any | BotFault:
        """What the seat answers; a fault is noted."""
        answer = self.seats[seat].move(state, view)
        if isinstance(answer, BotFault):
            self.note(seat, answer)
        return answer

    def clocks_ms(self) -> list[int]:
        return [seat.clock_ms for seat in self.seats]


@dataclass(slots=True)
class Course:
    """What happened on the board."""

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


def play_course(game: Competition, table: Table) -> Course:
    """Play until the rules or faults end it."""
    kind = type(game)
    if kind not in _courses:
        # Asked once: it takes longer than asking a program for several moves.
        _courses[kind] = _SimulationInPlay if isinstance(game, Simulation) else _GameInPlay
    course: Course = _courses[kind](game, table).finish()
    return course


_courses: dict[type[Competition], Any] = {}
"""How games are played, by their types."""


class _GameInPlay:
    def __init__(self, game: Game[Any, Any], table: Table) -> None:
        self._game = game
        self._table = table
        self._dice = random.Random(f"dice of match {table.job.seed}")
        self._state = game.start(table.job.seed, len(table.seats))
        self._history: list[str] = []
        self._course = Course()

    def finish(self) -> Course:
        game, table, course = self._game, self._table, self._course
        for move in game.opening(table.job.seed, len(table.seats)):
            self._advance(game.to_move(self._state), move)
        course.opening = len(self._history)
        for seat in table.faults:
            self._drop(seat)
        while not table.decided and (outcome := game.outcome(self._state)) is None:
            self._turn(game.to_move(self._state))
        course.outcome = None if table.decided else outcome
        course.plies = len(self._history)
        return course

    def _turn(self, seat: int) -> None:
        game, state = self._game, self._state
        if seat == CHANCE:
            self._advance(seat, self._dice.choices(game.legal(state), game.chances(state))[0])
            return
        move = self._table.ask(seat, state, lambda: self._view(seat))
        if isinstance(move, BotFault):
            self._drop(seat)
        else:
            self._advance(seat, move, self._table.seats[seat].last_ms)

    def _advance(self, seat: int, move: Any, cpu_ms: float = 0.0) -> None:
        text = self._game.format(self._state, move)
        self._history.append(text)
        self._course.moves.append(ReplayMove(seat, text, round(cpu_ms, 3)))
        self._state = self._game.play(self._state, move)

    def _drop(self, seat: int) -> None:
        if not self._table.decided:
            self._course.moves.append(ReplayMove(seat, None))
            self._state = self._game.drop(self._state, seat)

    def _view(self, seat: int) -> dict[str, Any]:
        game, state = self._game, self._state
        return game.observation(state, seat) | {
            "game": game.name,
            "seat": seat,
            "turn": len(self._history),
            "position": game.position(state),
            "legal": [game.format(state, move) for move in game.legal(state)],
            "history": self._history,
            "clock_ms": self._table.clocks_ms(),
        }


@dataclass(slots=True)
class _Late:
    """An order that took too long: it counts only after some turns have passed without it."""

    turns: int
    order: Any


class _SimulationInPlay:
    def __init__(self, game: Simulation[Any, Any], table: Table) -> None:
        self._game = game
        self._table = table
        job = table.job
        try:
            self._state = game.start(job.seed, len(table.seats), job.options)
        except ValueError as error:
            raise RefereeFailure(f"{game.name} cannot be started: {error}") from error
        self._late: dict[int, _Late] = {}
        self._turn_ms = game.turn_ms

    def finish(self) -> Course:
        game, table, course = self._game, self._table, Course(viewer=self._game.viewer)
        while not table.decided and (outcome := game.outcome(self._state)) is None:
            turn = game.turns(self._state)
            orders = [self._order(seat, turn) for seat in range(len(table.seats))]
            # A seat at fault gives no order any more; two of two at once leave nothing to step to.
            if not table.decided:
                self._state = game.step(self._state, orders)
                if game.turns(self._state) > turn + 1:
                    # Nobody was asked for a while, so that something new has begun.
                    self._late.clear()
        course.outcome = None if table.decided else outcome
        course.plies = game.turns(self._state)
        course.data = game.replay(self._state)
        course.columns = [dict(columns) for columns in game.columns(self._state)]
        return course

    def _order(self, seat: int, turn: int) -> Any | None:
        game, table, state = self._game, self._table, self._state
        if seat in table.faults or (seen := game.observe(state, seat)) is None:
            self._late.pop(seat, None)
            return None
        if seat not in self._late:
            frame = {"game": game.name, "seat": seat, "turn": turn, "clock_ms": table.clocks_ms()}
            answer = table.ask(seat, state, lambda: seen | frame)
            if isinstance(answer, BotFault):
                return None
            if (missed := self._turns_missed(seat)) == 0:
                return answer
            self._late[seat] = _Late(missed, answer)
        late = self._late[seat]
        late.turns -= 1
        return None if late.turns >= 0 else self._late.pop(seat).order

    def _turns_missed(self, seat: int) -> int:
        """How many turns went by while the seat thought about its last order, or slept."""
        if self._turn_ms is None or self._table.job.entrants[seat].kind is Kind.HOUSE:
            return 0
        last = self._table.seats[seat]
        return int((last.last_ms + last.last_idle_ms) / self._turn_ms)
