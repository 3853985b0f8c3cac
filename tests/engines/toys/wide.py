"""A board of 121 holes, for inputs of programs: the only move is to wait."""

from __future__ import annotations

from typing import Any, NamedTuple

from engines.alphabeta import kernels
from engines.alphabeta.evaluators import Inputs
from engines.compiling.bits import Bits, mix

WIDE_INPUTS = Inputs(0, tuple(range(121)), 1)


class WideState(NamedTuple):
    low: Bits
    high: Bits
    seat: int


@kernels.moves.register(WideState)
def _(state: WideState, stack: Any, start: int) -> int:
    stack[start] = 0
    return start + 1


@kernels.mobility.register(WideState)
def _(state: WideState) -> int:
    return 1


@kernels.play.register(WideState)
def _(state: WideState, move: int) -> WideState:
    return WideState(state.low, state.high, 1 - state.seat)


@kernels.over.register(WideState)
def _(state: WideState) -> bool:
    return False


@kernels.result.register(WideState)
def _(state: WideState) -> int:
    return 0


@kernels.evaluate.register(WideState)
def _(state: WideState, evaluation: int) -> int:
    return 0


@kernels.key.register(WideState)
def _(state: WideState) -> Bits:
    return mix(state.low ^ mix(state.high))


@kernels.boards.register(WideState)
def _(state: WideState, boards: Any) -> int:
    boards[0], boards[1] = state.low, state.high
    return 0
