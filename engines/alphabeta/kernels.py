"""The generic operations that every searchable game implements for its own state type.

A generic is a `functools.singledispatch` function, so from Python (and with
`NUMBA_DISABLE_JIT=1`) it runs the implementation as plain Python; numba resolves the same call by
the state's NamedTuple type while compiling. So searches are written once for all games, and no
function is passed as an argument, which would keep them out of the disk cache.

A game gives each state type a NamedTuple of its own, with `np.uint64` boards and Python ints
(int64 when compiled), and registers: `@moves.register(ReversiState)`. Moves are ints. An
implementation may call generics, functions of `engines.compiling.bits`, and `jitable` functions.
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
"""The value of a won game, plus its margin; every evaluation, including ranks of floats
(`engines.compiling.bits.rank`), is smaller."""

QUIET, FORCED, OPTIONAL = 0, 1, 2
"""Results of `noisy`."""


def generic(function: Callable[..., Result]) -> functools._SingleDispatchCallable[Result]:
    """Make `function` dispatch on the type of its first argument, compiled or not."""
    dispatched = functools.singledispatch(function)

    @functools.wraps(function)
    def choose(state: Any, *_others: Any) -> Any:
        kind = getattr(state, "instance_class", None)
        return None if kind is None else dispatched.dispatch(kind)

    # Strict mode would compare annotations, in which each game names its own state type.
    overload(dispatched, strict=False, jit_options={"forceinline": True})(choose)
    return dispatched


def needs(*features: Any, otherwise: Callable[..., Any]) -> Callable[[Function], Function]:
    """Compile a function for the games that register one of these generics with a default.

    For all other games `otherwise` is compiled. It must equal the function with the defaults of all
    these features. Compiling the function itself would give the same code, but takes a third
    more time per game.
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
    """Write the legal moves to `stack[start:end]` and return `end`; finished games have none."""
    raise _missing(state)


@generic
def mobility(state: Any) -> int:
    """The number of legal moves, as `moves` writes them."""
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
    """The margin of the mover in a finished game: negative if lost, 0 for a draw."""
    raise _missing(state)


@generic
def evaluate(state: Any, evaluation: int) -> int:
    """The value of an unfinished game for the mover, by the evaluation of that number."""
    raise _missing(state)


@generic
def look(state: Any, wanted: int, inputs: Inputs) -> None:
    """Write the programs' inputs about the whole board: input n if bit n of `wanted` is set.

    All inputs are from the mover's view. Writing more of them is allowed. Games without programs
    need not register.
    """


@generic
def boards(state: Any, boards: Boards) -> int:
    """Write the boards of which programs read single squares; each has `Inputs.words` words.

    Returns 0 if squares count upwards from bit 0 for this mover; otherwise the last bit, from which
    they count downwards.
    """
    return 0


@generic
def key(state: Any) -> Bits:
    """A hash of the position; collisions are practically impossible."""
    raise _missing(state)


# The generics below have defaults. Unregistered ones cost nothing: the compiler removes them, and
# does not even see functions decorated by `needs`.


@generic
def noisy(state: Any) -> int:
    """Whether the search must continue beyond the depth, since captures are pending.

    `FORCED`: the mover has to capture (or to leave check), so all moves are searched. `OPTIONAL`:
    the mover may capture; the search tries `captures` and may stop at any of these positions.
    """
    return QUIET


@generic
def captures(state: Any, stack: Moves, start: int) -> int:
    """Like `moves`, but only the captures, if `noisy` is `OPTIONAL`."""
    return start


@generic
def gain(state: Any, move: int) -> int:
    """A priority, at most `MOST_GAIN`: searches try high ones first, and order 0 by the history.

    In games with captures, for example the number of captured pieces.
    """
    return 0


@generic
def extends(state: Any) -> bool:
    """Whether the search goes one ply deeper from this position, for example in check.

    A position directly after an extended one is not extended again.
    """
    return False


@generic
def may_pass(state: Any) -> bool:
    """Whether a pass would tell how good the position is (the null move), in `alternates` games.

    Not in check, and not where every move may harm the mover. A value that already reaches the
    upper bound is then tested by a shallow search of `pass_turn`.
    """
    return False


@generic
def pass_turn(state: Any) -> Any:
    """The position with the other seat to move, of which no earlier one is a repetition."""
    return state


@generic
def waits(state: Any, move: int, after: Any) -> bool:
    """Whether a move that is tried late may be searched less deep: it is neither a capture nor
    another forcing move. If it turns out better than the others, it is searched in full."""
    return False


@generic
def alternates(state: Any) -> bool:
    """Whether two seats always move in turn. Games of dice or of more seats return False."""
    return True


@generic
def seat_count(state: Any) -> int:
    """The number of seats. Games of more than two also register `seen_by` and `score`."""
    return 2


@generic
def seen_by(state: Any, seat: int) -> Any:
    """The same position with `seat` as the mover, for `evaluate`, `look` and `result`."""
    return state


@generic
def score(state: Any, seat: int) -> float:
    """The points of a seat in a finished game: by default 1 for the winner, 0.5 for a draw."""
    margin = result(state)
    if margin == 0:
        return 0.5
    return 1.0 if (margin > 0) == (state.seat == seat) else 0.0


@generic
def chance(state: Any) -> bool:
    """Whether dice move next; `moves` then lists the rolls, and `state.seat` rolls."""
    return False


@generic
def likelihood(state: Any, move: int) -> float:
    """The probability of a roll if `chance` holds."""
    return 1.0


@generic
def tree(state: Any) -> int:
    """The number of the tree that values the position, in games whose programs have several."""
    return 0


@generic
def has_moved(state: Any) -> bool:
    """Whether programs value a position for the side that has just moved, not for the mover.

    That suits games of dice: the mover has not rolled yet, and chooses nothing.
    """
    return False


@generic
def reach(state: Any) -> int:
    """Plies back to the earliest possible equal position; 0 after an irreversible move.

    A position that occurs for the third time is then a draw. -1 means that the game ignores
    repetition.
    """
    return -1


MOST_GAIN = 63
"""The limit of `gain`; its negative is the limit below 0."""

MOST_MOVES = 4096
"""The most moves of one position. Four steps in one move, with fifteen pieces, can be made in more
than 1,000 ways."""

STACK_SIZE = 32_768
"""The most moves on the stack of one line of play. A search evaluates a position if fewer than
`MOST_MOVES` places are left."""


def new_stack(size: int = STACK_SIZE) -> Moves:
    """A stack for the moves of one line of play, ply after ply."""
    return np.zeros(size, dtype=np.int64)


@njit
def perft(state: Any, depth: int, finished: int, stack: Moves, start: int) -> int:
    """The number of move sequences of length `depth` > 0.

    A game that ends earlier counts as `finished`: both 0 and 1 are common.
    """
    if depth == 1:
        return _leaves(state, finished)
    end = moves(state, stack, start)
    if end == start:
        return finished
    total = 0
    for index in range(start, end):
        after = play(state, stack[index])
        # Count the last ply here: a recursive call would cost more than counting.
        if depth == 2:
            total += _leaves(after, finished)
        else:
            total += perft(after, depth - 1, finished, stack, end)
    return total


@jitable
def _leaves(state: Any, finished: int) -> int:
    count = mobility(state)
    return count if count > 0 else finished


@jitable
def _uniform(random: Bits, count: int) -> int:
    # Scaling the upper half is as uniform as a remainder here, and much faster.
    return np.int64(((random >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))  # type: ignore[return-value]


@needs(chance, otherwise=lambda state, random, stack, start, end: _uniform(random, end - start))
def _drawn(state: Any, random: Bits, stack: Moves, start: int, end: int) -> int:
    """The place of a random move among those on the stack; rolls have their own chances."""
    if not chance(state):
        return _uniform(random, end - start)
    left = np.int64(random >> np.uint64(12)) / (1 << 52)
    for place in range(end - start - 1):
        left -= likelihood(state, stack[start + place])
        if left < 0:
            return place
    return end - start - 1


@njit
def playout(state: Any, random: Bits, stack: Moves, start: int) -> int:
    """Play random moves from the seed `random` (not 0) to the end; returns their number."""
    plies = 0
    end = moves(state, stack, start)
    while end > start:
        random ^= random << np.uint64(13)
        random ^= random >> np.uint64(7)
        random ^= random << np.uint64(17)
        state = play(state, stack[start + _drawn(state, random, stack, start, end)])
        end = moves(state, stack, start)
        plies += 1
    return plies
