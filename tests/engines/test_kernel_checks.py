"""Kernels that break an assumption of the search are found, one assumption at a time."""

from __future__ import annotations

from typing import Any

import pytest

from engines.alphabeta import kernels
from engines.alphabeta.contests import NO_OPENING, Searcher
from engines.alphabeta.kernel_checks import kernel_faults, leaf_faults
from engines.alphabeta.kernels import OPTIONAL
from engines.alphabeta.players import RandomPlayer
from engines.conformance import Violation, check_game
from tests.engines.toys import DOUBLES, RAID, RING, STONES
from tests.engines.toys.compiled import DoublesState, RaidState, Ring, RingState, StonesState

LAST_ROLL = DoublesState(4, 4, 3, 1, 2, 0)
REPEATING = RingState(0, 0, 2, 4, 0)


def twin(state: Any, **broken: Any) -> Any:
    """The same position as a separate type, with some broken kernels."""
    kind = type("Twin", (type(state),), {})
    for name, kernel in broken.items():
        getattr(kernels, name).register(kind)(kernel)
    return kind(*state)


@pytest.mark.parametrize(
    ("state", "seats"),
    [
        (DOUBLES.start(0), 2),
        (LAST_ROLL, 2),
        (STONES.start(0, 2), 2),
        (STONES.start(0, 6), 6),
        (RING.start(0).board, 2),
        (REPEATING, 2),
        (RAID.start(0), 2),
    ],
)
def test_sound_kernels_have_no_faults(state: Any, seats: int) -> None:
    assert list(kernel_faults(twin(state), seats)) == []


def stack_of(*moves: int) -> Any:
    def write(state: Any, stack: Any, start: int) -> int:
        stack[start : start + len(moves)] = moves
        return start + len(moves)

    return write


RAIDED, STONED = RaidState(0, 0, 0, 0, 0), StonesState(9, 0, -1, 3, 0)


@pytest.mark.parametrize(
    ("state", "seats", "broken", "told"),
    [
        (STONED, 3, {"moves": stack_of(-1, 1)}, "the move -1 is negative"),
        (RAIDED, 2, {"gain": lambda state, move: 64}, "is 64, beyond 63"),
        (RAIDED, 2, {"noisy": lambda state: 3}, "noisy answers 3"),
        (RAIDED, 2, {"captures": stack_of(1, 2)}, "no legal moves: [2]"),
        (REPEATING, 2, {"noisy": lambda state: OPTIONAL}, "`captures` is not registered"),
        (STONED, 2, {}, "seat_count answers 3 in a game of 2"),
        (STONED, 3, {"seen_by": lambda state, seat: state}, "a position in which seat 0 moves"),
        (RAIDED, 3, {"seat_count": lambda state: 3}, "register the kernel `score`"),
        (LAST_ROLL, 2, {"likelihood": lambda state, move: 0.5}, "add up to 1.5"),
        (LAST_ROLL, 2, {"alternates": lambda state: True}, "`alternates` must answer False"),
        (STONED, 3, {"alternates": lambda state: True}, "`alternates` must answer False"),
        (REPEATING, 2, {"reach": lambda state: 1}, "right after 1"),
        (REPEATING, 2, {"reach": lambda state: -1}, "right after -1"),
    ],
)
def test_each_broken_promise_is_named(
    state: Any, seats: int, broken: dict[str, Any], told: str
) -> None:
    faults = list(kernel_faults(twin(state, **broken), seats))
    assert any(told in fault for fault in faults), faults


def test_evaluations_stay_below_a_decided_game() -> None:
    bots = {"one": Searcher(2, range(3))}
    loud = {"evaluate": lambda state, number: 1 << 20 if number == 2 else 0}
    (fault,) = leaf_faults(twin(LAST_ROLL, **loud), bots, None)
    assert fault.startswith("evaluation 2 of one answers 1048576: it must stay below 1048576")
    # Without dice nothing is averaged, and only a win is higher.
    assert list(leaf_faults(twin(RAIDED, **loud), bots, None)) == []


def test_inputs_of_programs_are_finite() -> None:
    def look(state: Any, wanted: int, inputs: Any) -> None:
        inputs[1] = float("inf")

    assert list(leaf_faults(LAST_ROLL, {}, DOUBLES.programs)) == []
    told = leaf_faults(twin(LAST_ROLL, look=look), {}, DOUBLES.programs)
    assert list(told) == ["programs are told a number that is not finite"]


class Deceptive(Ring):
    """Its first position claims that captures are optional; nothing here needs a compiler."""

    opening_rule = NO_OPENING

    def start(self, seed: int, seats: int = 2) -> Any:
        history = super().start(seed)
        board = twin(history.board, noisy=lambda state: OPTIONAL)
        return history._replace(board=board, start=board)

    def opening(self, seed: int, seats: int = 2) -> Any:
        return ()

    @property
    def house_bots(self) -> Any:
        return {"random": lambda seed: RandomPlayer(self.legal, seed)}


def test_the_conformance_test_asks_for_them() -> None:
    with pytest.raises(Violation, match="`captures` is not registered: 1 2 5 0 0 moves"):
        check_game(Deceptive(), 1)
