"""Lone number, a simulation: in each of twenty turns all seats name a number from 1 to 5 at once.
A number that only one seat named is worth itself, all others nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from engines.competition import HouseBots, IllegalMove, Outcome
from engines.display.drawing import CELL, LABEL, MARGIN, group, labels, picture
from engines.simulation import Simulation

HIGHEST = 5
COLOURS = ("#c0392b", "#2471a3", "#d4a017", "#1e8449")


class Numbers(NamedTuple):
    """The numbers of all seats so far, turn by turn; 0 for a seat that named nothing."""

    named: tuple[tuple[int, ...], ...]
    seats: int
    turns: int


class LoneNumber(Simulation[Numbers, int]):
    name = "lone-number"
    title = "Lone Number"
    seats = frozenset({2, 3, 4})
    draw_probability = 0.05
    short_options: Mapping[str, Any] = {"turns": 5}

    @cached_property
    def house_bots(self) -> HouseBots:
        return {"any": lambda seed: AnyNumber(seed, 1), "high": lambda seed: AnyNumber(seed, 3)}

    def start(self, seed: int, seats: int, options: Mapping[str, Any]) -> Numbers:
        if set(options) - {"turns"}:
            raise ValueError("the only option is turns")
        return Numbers((), seats, options.get("turns", 20))

    def observe(self, state: Numbers, seat: int) -> dict[str, Any] | None:
        return {"named": state.named, "points": scores(state.named, state.seats)}

    def order(self, state: Numbers, seat: int, reply: Any) -> int:
        if reply is None:
            return 0
        if type(reply) is not int or not 1 <= reply <= HIGHEST:
            raise IllegalMove(f"an order is a number from 1 to {HIGHEST}")
        return reply

    def step(self, state: Numbers, orders: Sequence[int | None]) -> Numbers:
        return state._replace(named=(*state.named, tuple(order or 0 for order in orders)))

    def turns(self, state: Numbers) -> int:
        return len(state.named)

    def outcome(self, state: Numbers) -> Outcome | None:
        if len(state.named) < state.turns:
            return None
        return Outcome(tuple(scores(state.named, state.seats)), "All turns are played")

    def replay(self, state: Numbers) -> bytes:
        return json.dumps([state.seats, state.named]).encode()

    def frame_count(self, replay: bytes) -> int:
        return len(json.loads(replay)[1]) + 1

    def frame(self, replay: bytes, number: int) -> str:
        """The points of the seats after `number` turns, as bars, and their last numbers."""
        seats, named = json.loads(replay)
        points = scores(named[:number], seats)
        last = named[number - 1] if number else [0] * seats
        bottom = MARGIN + 5 * CELL
        bars, texts = [], []
        for seat in range(seats):
            x, height = MARGIN + seat * CELL + 4, points[seat]
            size = f'width="{CELL - 8}" height="{height:g}"'
            bars.append(f'<rect x="{x}" y="{bottom - height:g}" {size} fill="{COLOURS[seat]}"/>')
            texts.append(f'<text x="{x + 3}" y="{bottom + 10}">{last[seat] or "no"}</text>')
        parts = [*bars, group(texts, font_size="9", fill=LABEL), labels(f"{p:g}" for p in points)]
        return picture(f"After {number} turns", seats, 5, parts)


def scores(named: Sequence[Sequence[int]], seats: int) -> list[float]:
    found = [0.0] * seats
    for turn in named:
        for seat, number in enumerate(turn):
            found[seat] += number if turn.count(number) == 1 else 0
    return found


class AnyNumber:
    def __init__(self, seed: int, lowest: int) -> None:
        self._random = random.Random(seed)
        self._lowest = lowest

    def choose(self, state: Numbers, seat: int) -> int:
        return self._random.randint(self._lowest, HIGHEST)


LONE_NUMBER = LoneNumber()
