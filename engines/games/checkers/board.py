"""Boards of the checkers family: the layout of bits, and the numbers of squares.

Only dark squares count. They have the numbers of PDN, from 1 in the home row of the first mover;
the text of a board has one character per square in this order. An unused bit follows each pair of
rows, so that the four neighbours of a square lie at constant distances (4 and 5 on 8x8, 5 and 6 on
10x10), and a step off the board ends on an unused bit:

       0    1    2    3        squares  1 to  4, home row of the first mover
    4    5    6    7           squares  5 to  8
    (8)
       9   10   11   12        squares  9 to 12
    ...
   31   32   33   34           squares 29 to 32, home row of the second mover
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.compiling.bits import Bits

HOME_ROWS = 3
"""The number of rows of men of each side at the start."""


@dataclass(frozen=True)
class Board:
    """A board of `size` x `size` cells; half of them are playable squares."""

    size: int

    @property
    def squares(self) -> int:
        return self.size * self.size // 2

    @property
    def pieces(self) -> int:
        """Men of each side at the start, and the most pieces of a side."""
        return HOME_ROWS * self.size // 2

    @property
    def near(self) -> Bits:
        """Distance in bits to the nearer neighbour in the next row."""
        return np.uint64(self.size // 2)

    @property
    def far(self) -> Bits:
        return np.uint64(self.size // 2 + 1)

    @cached_property
    def all(self) -> Bits:
        return self.bits(range(self.squares))

    def row(self, number: int) -> Bits:
        """The squares of one row; row 0 is the home row of the first mover."""
        half = self.size // 2
        return self.bits(range(number * half, (number + 1) * half))

    def rows(self, numbers: Iterable[int]) -> Bits:
        return np.uint64(sum(int(self.row(number)) for number in numbers))

    def columns(self, numbers: Iterable[int]) -> Bits:
        wanted = set(numbers)
        return self.bits(s for s in range(self.squares) if self.cell(s)[0] in wanted)

    def bit(self, square: int) -> int:
        """The bit of a square; squares count from 0 here and from 1 in notations."""
        return square + square // self.size

    def square(self, bit: int) -> int:
        return bit - bit // (self.size + 1)

    def bits(self, squares: Iterable[int]) -> Bits:
        return np.uint64(sum(1 << self.bit(square) for square in squares))

    def cell(self, square: int) -> tuple[int, int]:
        """Column and row of a square in pictures: row 0 is on top."""
        row, place = divmod(square, self.size // 2)
        return 2 * place + 1 - row % 2, row


EIGHT = Board(8)
TEN = Board(10)
