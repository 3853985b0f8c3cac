"""The operations on boards mean the same in Python and in compiled code."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engines.compiling.bits import Bits, flipped, highest, less, lowest, mix, popcount
from engines.compiling.jit import njit

boards = st.integers(0, 2**64 - 1).map(np.uint64)


@njit
def compiled(bits: Bits, other: Bits) -> tuple[int, int, int, Bits, Bits, Bits]:
    return popcount(bits), lowest(bits), highest(bits), mix(bits), flipped(bits), less(bits, other)


@given(boards.filter(bool), boards)
def test_compiled_code_agrees(bits: Bits, other: Bits) -> None:
    plain = (
        popcount(bits),
        lowest(bits),
        highest(bits),
        mix(bits),
        flipped(bits),
        less(bits, other),
    )
    assert compiled(bits, other) == plain


@given(boards, boards)
def test_flipping_and_subtracting(bits: Bits, other: Bits) -> None:
    assert flipped(flipped(bits)) == bits
    assert flipped(bits) & np.uint64(0xFF) == bits >> np.uint64(56)
    assert int(less(bits, other)) == (int(bits) - int(other)) % 2**64


@given(boards)
def test_python_counts_and_finds_bits(bits: Bits) -> None:
    digits = f"{int(bits):b}"
    assert popcount(bits) == digits.count("1")
    if bits:
        assert lowest(bits) == len(digits) - 1 - digits.rindex("1")
        assert highest(bits) == len(digits) - 1


@given(boards, boards)
def test_mixing_is_one_to_one(one: Bits, two: Bits) -> None:
    assert (mix(one) == mix(two)) == (one == two)
