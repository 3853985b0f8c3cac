"""The operations on boards mean the same in Python and in compiled code."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engines.compiling.bits import Bits, lowest, mix, popcount
from engines.compiling.jit import njit

boards = st.integers(0, 2**64 - 1).map(np.uint64)


@njit
def compiled(bits: Bits) -> tuple[int, int, Bits]:
    return popcount(bits), lowest(bits), mix(bits)


@given(boards.filter(bool))
def test_compiled_code_agrees(bits: Bits) -> None:
    assert compiled(bits) == (popcount(bits), lowest(bits), mix(bits))


@given(boards)
def test_python_counts_and_finds_bits(bits: Bits) -> None:
    digits = f"{int(bits):b}"
    assert popcount(bits) == digits.count("1")
    if bits:
        assert lowest(bits) == len(digits) - 1 - digits.rindex("1")


@given(boards, boards)
def test_mixing_is_one_to_one(one: Bits, two: Bits) -> None:
    assert (mix(one) == mix(two)) == (one == two)
