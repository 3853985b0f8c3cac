"""The generic operations that every searchable game implements for its own state type.

A generic is a `functools.singledispatch` function, so from Python (and with
`NUMBA_DISABLE_JIT=1`) it runs the implementation as plain Python; numba resolves the same call by
the state's NamedTuple type while compiling. So searches are written once for all games, and no
function is passed around, which would keep them out of the disk cache.

A game gives each state type a NamedTuple of its own, with `np.uint64` boards and Python ints
(int64 when compiled), and registers: `@moves.register(ReversiState)`. Moves are ints. What an
implementation calls must be a generic, a function of `engines.compiling.bits`, or `jitable`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from engines.compiling.bits import Bits
from engines.compiling.jit import jitable, njit

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")
Moves: TypeAlias = npt.NDArray[np.int64]
Inputs: TypeAlias = npt.NDArray[np.float64]
Boards: TypeAlias = npt.NDArray[np.uint64]

WIN = 1 << 60
"""A won game is worth this much plus its margin; every evaluation stays below, ranks of floats
(`engines.compiling.bits.rank`) included."""

QUIET, FORCED, OPTIONAL = 0, 1, 2
"""Answers of `noisy`."""


def generic(function: Callable[..., Result]) -> functools._SingleDispatchCallable[Result]:
    """Make `function` dispatch on the type of its first argument, compiled or not."""
    dispatched = functools.singledispatch(function)

    @functools.wraps(function)
    def choose(state: Any, *_others: Any) -> Any:
        kind = getattr(state, "instance_class", None)
        return None if kind is None else dispatched.dispatch(kind)

    # Strict would compare annotations too, and each game names its own state type in them.
    overload(dispatched, strict=False, jit_options={"forceinline": True})(choose)
    return dispatched


def needs(*features: Any, otherwise: Callable[..., Any]) -> Callable[[Function], Function]:
    """Compile a function for the games that register one of these generics with a default.

    For all others `otherwise` is compiled, which must do what the function does where all of the
    features have their defaults. To compile the function itself would do as well, and LLVM would
    leave as little of it; but it took a third more time to compile a game.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def choose(state: Any, *_others: Any) -> Any:
            kind = getattr(state, "instance_class", None)
            if kind is None:
                return None
            used = any(one.dispatch(kind) is not one.dispatch(object) for one in features)
            return function if used else otherwise

        overload(function, strict=False, jit_options={"forceinline": True})(choose)
        return function

    return decorate


def _missing(state: Any) -> TypeError:
    return TypeError(f"no kernel is registered for {type(state).__name__}")


@generic
def moves(state: Any, stack: Moves, start: int) -> int:
    """Write the legal moves to `stack[start:end]` and return `end`; none when the game is over."""
    raise _missing(state)


@generic
def mobility(state: Any) -> int:
    """The number of legal moves: what `moves` would write."""
    raise _missing(state)


@generic
def play(state: Any, move: int) -> Any:
    """The state after a legal move."""
    raise _missing(state)


@generic
def over(state: Any) -> bool:
    """Whether the rules have ended the game."""
    raise _missing(state)


@generic
def result(state: Any) -> int:
    """By how much the mover has won a game that is over; negative when lost, 0 for a draw."""
    raise _missing(state)


@generic
def evaluate(state: Any, evaluation: int) -> int:
    """How good a game that goes on looks for the mover, by the evaluation of that number."""
    raise _missing(state)


@generic
def look(state: Any, wanted: int, inputs: Inputs) -> None:
    """Write what programs are told about the whole board: number n if bit n of `wanted` is set.

    All is seen from the mover's side. Others of these inputs may be written as well. Games that
    programs do not play need not register.
    """


@generic
def boards(state: Any, boards: Boards) -> int:
    """Write the boards on which programs look at single squares, each in as many words of 64 bits
    as `Inputs.words` says.

    Returns 0 if the squares count from bit 0 for this mover, and otherwise the last bit, from
    which they count backwards.
    """
    return 0


@generic
def key(state: Any) -> Bits:
    """A well mixed number that two different positions practically never share."""
    raise _missing(state)


# The generics below have defaults. A game pays for none that it does not register: the compiler
# removes them, and does not even see what is decorated by `needs`.


@generic
def noisy(state: Any) -> int:
    """Whether a position must be searched on beyond the depth, since captures are pending.

    `FORCED`: the mover has to capture (or to leave check), so all moves are searched. `OPTIONAL`:
    the mover may capture; the search tries `captures` and may stop at any of these positions.
    """
    return QUIET


@generic
def captures(state: Any, stack: Moves, start: int) -> int:
    """As `moves`, but only the captures, where `noisy` is `OPTIONAL`."""
    return start


@generic
def gain(state: Any, move: int) -> int:
    """How promising a move looks, within `MOST_GAIN`: high ones come first, 0 by experience.

    In games with captures, for example the number of captured pieces.
    """
    return 0


@generic
def extends(state: Any) -> bool:
    """Whether the search goes one ply deeper from this position on, for example in check.

    A position right after another such one is not extended again.
    """
    return False


@generic
def alternates(state: Any) -> bool:
    """Whether two seats move in turn, always. Games of dice or of more seats answer False."""
    return True


@generic
def seat_count(state: Any) -> int:
    """How many seats play. Games of more than two register `seen_by` and `score` as well."""
    return 2


@generic
def seen_by(state: Any, seat: int) -> Any:
    """The same position with `seat` as the mover, for `evaluate`, `look` and `result`."""
    return state


@generic
def score(state: Any, seat: int) -> float:
    """The points of a seat in a game that is over: by default 1 for the winner, 0.5 for a draw."""
    margin = result(state)
    if margin == 0:
        return 0.5
    return 1.0 if (margin > 0) == (state.seat == seat) else 0.0


@generic
def chance(state: Any) -> bool:
    """Whether dice move next: then `moves` lists the rolls. `state.seat` is the seat that rolls."""
    return False


@generic
def likelihood(state: Any, move: int) -> float:
    """The probability of a roll where `chance` holds."""
    return 1.0


@generic
def reach(state: Any) -> int:
    """How many plies back the position can have come up before; 0 after an irreversible move.

    A position that comes up for the third time is then a draw. -1 means that repetition has no
    meaning in the game.
    """
    return -1


MOST_GAIN = 63
"""The limit of `gain`, and below 0 of its negative."""

MOST_MOVES = 4096
"""Of one position. Four steps in one move, with fifteen pieces, can be made in more than 1,000
ways."""

STACK_SIZE = 32_768
"""Moves of one line of play. A search evaluates a position where fewer than `MOST_MOVES` places
are left."""


def new_stack(size: int = STACK_SIZE) -> Moves:
    """Room for the moves of one line of play, written one ply after the other."""
    return np.zeros(size, dtype=np.int64)


@njit
def perft(state: Any, depth: int, finished: int, stack: Moves, start: int) -> int:
    """The number of move sequences of length `depth` > 0.

    A game that ends earlier counts `finished`: people count such games as 0 or as 1.
    """
    if depth == 1:
        return _leaves(state, finished)
    end = moves(state, stack, start)
    if end == start:
        return finished
    total = 0
    for index in range(start, end):
        after = play(state, stack[index])
        # The last ply is counted from here: entering it would cost more than counting it.
        if depth == 2:
            total += _leaves(after, finished)
        else:
            total += perft(after, depth - 1, finished, stack, end)
    return total


@jitable
def _leaves(state: Any, finished: int) -> int:
    count = mobility(state)
    return count if count > 0 else finished


@njit
def playout(state: Any, random: Bits, stack: Moves, start: int) -> int:
    """Play moves drawn from `random` (not 0) to the end of the game; return how many."""
    plies = 0
    end = moves(state, stack, start)
    while end > start:
        random ^= random << np.uint64(13)
        random ^= random >> np.uint64(7)
        random ^= random << np.uint64(17)
        # Scaling the upper half is as fair as a remainder here, and much faster.
        chosen = np.int64(((random >> np.uint64(32)) * np.uint64(end - start)) >> np.uint64(32))
        state = play(state, stack[start + chosen])
        end = moves(state, stack, start)
        plies += 1
    return plies
