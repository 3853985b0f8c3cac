"""Games with kernels: dice, two to six seats, repetition, and optional captures."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import NO_OPENING, RANDOM_MOVER, Opening, Searcher
from engines.alphabeta.evaluators import Inputs
from engines.alphabeta.history import History, advance, begin, is_drawn
from engines.alphabeta.kernels import OPTIONAL, QUIET
from engines.alphabeta.programs import BoardPrograms
from engines.competition import BadPosition, Outcome
from engines.compiling.bits import Bits, mix
from engines.compiling.jit import jitable
from engines.display.drawing import labels, picture
from engines.programs.board import BASICS, FUNCTIONS
from engines.programs.primitives import PrimitiveSet, terminal

SEARCHERS = MappingProxyType(
    {"random": RANDOM_MOVER, **{f"depth-{depth}": Searcher(depth) for depth in (1, 2, 4)}}
)


@jitable
def _hashed(numbers: tuple[int, ...]) -> Bits:
    key = np.uint64(1)
    for number in numbers:
        key = mix(key ^ mix(np.uint64(number + 1000)))
    return key


def _programs(name: str, *inputs: str) -> BoardPrograms:
    """Programs that see some numbers of the state."""
    seen = [terminal(each, number, about=each) for number, each in enumerate(inputs)]
    return BoardPrograms(name, PrimitiveSet(name, (*seen, *BASICS, *FUNCTIONS)), Inputs(len(seen)))


class _Toy(BoardGame[Any]):
    """Positions are the numbers of the state; moves are numbers."""

    draw_probability = 0.1
    opening_rule = NO_OPENING
    searchers = SEARCHERS
    state_type: type

    def format(self, state: Any, move: int) -> str:
        return str(move)

    def position(self, state: Any) -> str:
        return " ".join(str(int(number)) for number in state)

    def from_position(self, text: str) -> Any:
        return self.read(text)

    def read(self, text: str) -> Any:
        try:
            if len(text) > 200:
                raise ValueError
            return self.state_type(*map(int, text.split(" ")))
        except (ValueError, TypeError):
            raise BadPosition("a position is a few whole numbers") from None

    def outcome(self, state: Any) -> Outcome | None:
        board = self.board(state)
        if not kernels.over(board):
            return None
        seats = kernels.seat_count(board)
        return Outcome(tuple(float(kernels.score(board, s)) for s in range(seats)), "It is over")

    def svg(self, state: Any, last: int | None = None) -> str:
        return picture(self.title, 4, 1, [labels(self.position(state).split(" ")[:4])])


# Dice: roll and add as long as you dare.


class DoublesState(NamedTuple):
    """A seat rolls a die of three faces; a 1 loses the pot. `stop` banks it and passes the turn."""

    mine: int
    theirs: int
    pot: int
    rolling: int
    turns: int
    seat: int


ROLL, STOP, TARGET, MOST_TURNS = 0, 4, 6, 40


@kernels.moves.register(DoublesState)
def _(state: DoublesState, stack: Any, start: int) -> int:
    if kernels.over(state):
        return start
    if state.rolling == 1:
        for face in range(1, 4):
            stack[start + face - 1] = face
        return start + 3
    stack[start] = ROLL
    if state.pot == 0:
        return start + 1
    stack[start + 1] = STOP
    return start + 2


@kernels.mobility.register(DoublesState)
def _(state: DoublesState) -> int:
    if kernels.over(state):
        return 0
    return 3 if state.rolling == 1 else 1 if state.pot == 0 else 2


@kernels.play.register(DoublesState)
def _(state: DoublesState, move: int) -> DoublesState:
    mine, theirs, pot, rolling, turns, seat = state
    if rolling == 0 and move == ROLL:
        return DoublesState(mine, theirs, pot, 1, turns, seat)
    if rolling == 0:
        return DoublesState(theirs, mine + pot, 0, 0, turns + 1, 1 - seat)
    if move == 1:
        return DoublesState(theirs, mine, 0, 0, turns + 1, 1 - seat)
    return DoublesState(mine, theirs, pot + move, 0, turns, seat)


@kernels.over.register(DoublesState)
def _(state: DoublesState) -> bool:
    return state.theirs >= TARGET or (state.turns >= MOST_TURNS and state.pot + state.rolling == 0)


@kernels.result.register(DoublesState)
def _(state: DoublesState) -> int:
    return state.mine - state.theirs


@kernels.evaluate.register(DoublesState)
def _(state: DoublesState, evaluation: int) -> int:
    return 100 * (state.mine + state.pot - state.theirs)


@kernels.key.register(DoublesState)
def _(state: DoublesState) -> Bits:
    return _hashed(state)


@kernels.alternates.register(DoublesState)
def _(state: DoublesState) -> bool:
    return False


@kernels.chance.register(DoublesState)
def _(state: DoublesState) -> bool:
    return state.rolling == 1


@kernels.likelihood.register(DoublesState)
def _(state: DoublesState, move: int) -> float:
    return 0.5 if move == 2 else 0.25


@kernels.look.register(DoublesState)
def _(state: DoublesState, wanted: int, inputs: Any) -> None:
    inputs[0], inputs[1], inputs[2] = state.mine, state.theirs, state.pot


class Doubles(_Toy):
    name, title, state_type = "doubles", "Doubles", DoublesState
    programs = _programs(name, "Mine", "Theirs", "Pot")

    def start(self, seed: int, seats: int = 2) -> DoublesState:
        return DoublesState(0, 0, 0, 0, 0, 0)


# Two, three, four or six seats: the last stone wins.


class StonesState(NamedTuple):
    """Each seat in turn takes one to three stones; the seat that takes the last one wins."""

    heap: int
    seat: int
    last: int
    """The seat that moved last; -1 before the first move."""
    seats: int
    left: int
    """The seats that have left, as bits."""


@kernels.moves.register(StonesState)
def _(state: StonesState, stack: Any, start: int) -> int:
    count = kernels.mobility(state)
    for index in range(count):
        stack[start + index] = index + 1
    return start + count


@kernels.mobility.register(StonesState)
def _(state: StonesState) -> int:
    return min(3, state.heap) if not kernels.over(state) else 0


@jitable
def _next(seat: int, seats: int, left: int) -> int:
    for _ in range(seats):
        seat = (seat + 1) % seats
        if (left >> seat) & 1 == 0:
            break
    return seat


@kernels.play.register(StonesState)
def _(state: StonesState, move: int) -> StonesState:
    heap, seat, _, seats, left = state
    return StonesState(heap - move, _next(seat, seats, left), seat, seats, left)


@kernels.over.register(StonesState)
def _(state: StonesState) -> bool:
    return state.heap == 0


@kernels.result.register(StonesState)
def _(state: StonesState) -> int:
    return 1 if state.last == state.seat else -1


@kernels.score.register(StonesState)
def _(state: StonesState, seat: int) -> float:
    return 1.0 if state.last == seat else 0.0


@kernels.evaluate.register(StonesState)
def _(state: StonesState, evaluation: int) -> int:
    return 0


@kernels.key.register(StonesState)
def _(state: StonesState) -> Bits:
    return _hashed((state.heap, state.seat, state.left))


@kernels.alternates.register(StonesState)
def _(state: StonesState) -> bool:
    return False


@kernels.seat_count.register(StonesState)
def _(state: StonesState) -> int:
    return state.seats


@kernels.seen_by.register(StonesState)
def _(state: StonesState, seat: int) -> StonesState:
    return StonesState(state.heap, seat, state.last, state.seats, state.left)


@kernels.look.register(StonesState)
def _(state: StonesState, wanted: int, inputs: Any) -> None:
    inputs[0], inputs[1] = state.heap, state.last == state.seat


class Stones(_Toy):
    name, title, state_type = "stones", "Stones", StonesState
    programs = _programs(name, "Heap", "MovedLast")
    seats = frozenset({2, 3, 4, 6})

    def start(self, seed: int, seats: int = 2) -> StonesState:
        return StonesState(12 + seed % 5, 0, -1, seats, 0)

    def drop(self, state: StonesState, seat: int) -> StonesState:
        left = state.left | 1 << seat
        stays = state.seat if state.seat != seat else _next(seat, state.seats, left)
        return state._replace(seat=stays, left=left)


# Repetition: step back and forth, or push.


class RingState(NamedTuple):
    """Each side has a token on a ring of three. It steps, or makes one of a few pushes.

    The side that makes the last push wins. A position that comes up for the third time is a draw.
    """

    mine: int
    theirs: int
    pushes: int
    quiet: int
    seat: int


STEP_ON, STEP_BACK, PUSH = 1, 2, 3


@kernels.moves.register(RingState)
def _(state: RingState, stack: Any, start: int) -> int:
    if state.pushes == 0:
        return start
    stack[start], stack[start + 1] = STEP_ON, STEP_BACK
    if state.mine != 0:
        return start + 2
    stack[start + 2] = PUSH
    return start + 3


@kernels.mobility.register(RingState)
def _(state: RingState) -> int:
    return 0 if state.pushes == 0 else 3 if state.mine == 0 else 2


@kernels.play.register(RingState)
def _(state: RingState, move: int) -> RingState:
    mine, theirs, pushes, quiet, seat = state
    if move == PUSH:
        return RingState(theirs, mine, pushes - 1, 0, 1 - seat)
    return RingState(theirs, (mine + move) % 3, pushes, quiet + 1, 1 - seat)


@kernels.over.register(RingState)
def _(state: RingState) -> bool:
    return state.pushes == 0


@kernels.result.register(RingState)
def _(state: RingState) -> int:
    return -1


@kernels.evaluate.register(RingState)
def _(state: RingState, evaluation: int) -> int:
    return 1 if state.mine == 0 else 0


@kernels.key.register(RingState)
def _(state: RingState) -> Bits:
    return _hashed((state.mine, state.theirs, state.pushes, state.seat))


@kernels.reach.register(RingState)
def _(state: RingState) -> int:
    return state.quiet


class Ring(_Toy):
    """A position is written as that after the last push, and the moves since: `… moves 1 2`."""

    name, title, state_type = "ring", "Ring", RingState
    opening_rule = Opening((5, 6))

    def start(self, seed: int, seats: int = 2) -> History:
        return begin(RingState(1, 2, 5, 0, 0))

    def legal(self, state: History) -> Any:
        return () if is_drawn(state) else super().legal(state)

    def outcome(self, state: History) -> Outcome | None:
        if is_drawn(state):
            return Outcome((0.5, 0.5), "The position came up for the third time")
        return super().outcome(state)

    def position(self, state: History) -> str:
        return " ".join([super().position(state.start), "moves", *map(str, state.moves)])

    def from_position(self, text: str) -> History:
        board, word, moves = text.partition(" moves")
        if not word:
            raise BadPosition("a position names the moves since the last push")
        history = begin(self.read(board))
        for move in moves.split():
            history = advance(history, int(move))
        return history


# Optional captures: some prizes are poisoned.


class RaidState(NamedTuple):
    """A side takes the next prize of the row, or waits. After ten plies the richer side wins."""

    mine: int
    theirs: int
    taken: int
    plies: int
    seat: int


PRIZES = (3, 5, -4, 2, -6, 9)
WAIT, TAKE = 0, 1


@jitable
def _prize(taken: int) -> int:
    for index in range(len(PRIZES)):
        if index == taken:
            return PRIZES[index]
    return 0


@kernels.moves.register(RaidState)
def _(state: RaidState, stack: Any, start: int) -> int:
    if kernels.over(state):
        return start
    stack[start] = WAIT
    if state.taken == len(PRIZES):
        return start + 1
    stack[start + 1] = TAKE
    return start + 2


@kernels.mobility.register(RaidState)
def _(state: RaidState) -> int:
    if kernels.over(state):
        return 0
    return 1 if state.taken == len(PRIZES) else 2


@kernels.captures.register(RaidState)
def _(state: RaidState, stack: Any, start: int) -> int:
    if state.taken == len(PRIZES):
        return start
    stack[start] = TAKE
    return start + 1


@kernels.noisy.register(RaidState)
def _(state: RaidState) -> int:
    return QUIET if state.taken == len(PRIZES) else OPTIONAL


@kernels.play.register(RaidState)
def _(state: RaidState, move: int) -> RaidState:
    mine, theirs, taken, plies, seat = state
    if move == TAKE:
        return RaidState(theirs, mine + _prize(taken), taken + 1, plies + 1, 1 - seat)
    return RaidState(theirs, mine, taken, plies + 1, 1 - seat)


@kernels.over.register(RaidState)
def _(state: RaidState) -> bool:
    return state.plies >= 10


@kernels.result.register(RaidState)
def _(state: RaidState) -> int:
    return state.mine - state.theirs


@kernels.evaluate.register(RaidState)
def _(state: RaidState, evaluation: int) -> int:
    return state.mine - state.theirs


@kernels.key.register(RaidState)
def _(state: RaidState) -> Bits:
    return _hashed(state)


@kernels.gain.register(RaidState)
def _(state: RaidState, move: int) -> int:
    return _prize(state.taken) if move == TAKE else 0


class Raid(_Toy):
    name, title, state_type = "raid", "Raid", RaidState
    opening_rule = Opening((5, 6))

    def start(self, seed: int, seats: int = 2) -> RaidState:
        return RaidState(0, 0, 0, 0, 0)


DOUBLES, STONES, RING, RAID = Doubles(), Stones(), Ring(), Raid()
