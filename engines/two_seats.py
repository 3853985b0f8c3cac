"""What all board games for two bots without dice share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class TwoSeats:
    """The parts of `Game` that need no rules: two seats, nothing random, nobody plays on alone."""

    seats = range(2, 3)

    def chances(self, state: Any) -> Sequence[float]:
        return ()

    def drop(self, state: Any, seat: int) -> Any:
        raise ValueError("a game of two is over when one leaves")
