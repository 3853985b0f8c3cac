"""What all board games for two bots without dice share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from engines.contests import Opening, Searcher, draw_opening
from engines.game import HouseBots
from engines.players import SearchPlayer


class TwoSeats:
    """The parts of `Game` that need no rules: two seats, no dice, nobody plays on alone; house bots
    that are searchers, and random openings."""

    seats = range(2, 3)
    opening_rule: Opening
    searchers: Mapping[str, Searcher]
    """How each house bot plays, weakest first."""

    @cached_property
    def house_bots(self) -> HouseBots:
        return {name: partial(SearchPlayer, searcher) for name, searcher in self.searchers.items()}

    def start(self, seed: int, seats: int = 2) -> Any:
        raise NotImplementedError

    def opening(self, seed: int, seats: int = 2) -> Sequence[int]:
        return draw_opening(self, seed)

    def chances(self, state: Any) -> Sequence[float]:
        return ()

    def drop(self, state: Any, seat: int) -> Any:
        raise ValueError("a game of two is over when one leaves")
