"""Lights out on 3x3 lamps, a puzzle: to press a lamp switches it and its neighbours. Put all out.

Lamp a1 is bit 0, b1 bit 1, a2 bit 3, c3 bit 8. A solution is a list of lamps such as
`["a1", "b2"]`. Every pattern can be solved, and pressing a lamp twice never helps.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from engines.competition import BadPosition, HouseBots, IllegalMove
from engines.display.drawing import MARK, disc, grid, group, labels, panel, picture
from engines.puzzle import Puzzle

LAMPS = tuple(f"{file}{rank}" for rank in "123" for file in "abc")
INSTANCES = 10
LONGEST = 100
"""Steps of a solution."""


def switched(lamp: int) -> int:
    """The lamps that pressing `lamp` switches, as bits."""
    near = (abs(lamp % 3 - other % 3) + abs(lamp // 3 - other // 3) <= 1 for other in range(9))
    return sum(1 << other for other, is_near in enumerate(near) if is_near)


class LightsOut(Puzzle[int, tuple[int, ...]]):
    """An instance is the lamps that are on, as bits; a solution is the lamps to press."""

    name = "lights-out"
    title = "Lights Out"
    draw_probability = 0.3

    @cached_property
    def house_bots(self) -> HouseBots:
        return {"patient": lambda seed: Solver(4), "perfect": lambda seed: Solver(9)}

    def instances(self, seed: int) -> Sequence[int]:
        return random.Random(seed).sample(range(1, 512), INSTANCES)

    def text(self, instance: int) -> str:
        """The nine lamps from a1 on: `*` is on, `.` is off."""
        return "".join("*" if instance >> lamp & 1 else "." for lamp in range(9))

    def from_text(self, text: str) -> int:
        if len(text) != 9 or set(text) - set("*."):
            raise BadPosition("an instance is nine lamps of * or .")
        return sum(1 << lamp for lamp in range(9) if text[lamp] == "*")

    def solution(self, instance: int, answer: Any) -> tuple[int, ...]:
        if not isinstance(answer, list) or len(answer) > LONGEST:
            raise IllegalMove(f"a solution is a list of at most {LONGEST} lamps")
        for step, lamp in enumerate(answer, start=1):
            if lamp not in LAMPS:
                raise IllegalMove(f"step {step} names no lamp: those are {', '.join(LAMPS)}")
        presses = tuple(LAMPS.index(lamp) for lamp in answer)
        if left := _after(instance, presses):
            raise IllegalMove(f"after the last step {left.bit_count()} lamps are still on")
        return presses

    def answer(self, instance: int, solution: tuple[int, ...]) -> list[str]:
        return [LAMPS[lamp] for lamp in solution]

    def steps(self, instance: int, solution: tuple[int, ...]) -> Sequence[str]:
        return self.answer(instance, solution)

    def svg(self, instance: int, solution: tuple[int, ...] | None = None, step: int = 0) -> str:
        pressed = (solution or ())[:step]
        lit = _after(instance, pressed)
        lamps = [disc(i % 3, 2 - i // 3, 7) for i in range(9) if lit >> i & 1]
        last = [disc(pressed[-1] % 3, 2 - pressed[-1] // 3, 3)] if pressed else []
        ground = [panel(3, 3, "#33383d"), grid(3, 3, "#555b61")]
        drawn = [group(lamps, fill="#f4d03f"), group(last, fill=MARK), labels("abc", "321")]
        return picture(f"Lights Out: {lit.bit_count()} lamps are on", 3, 3, [*ground, *drawn])


def _after(instance: int, presses: Sequence[int]) -> int:
    for lamp in presses:
        instance ^= switched(lamp)
    return instance


class Solver:
    """Tries all sets of lamps, small ones first, up to a size."""

    def __init__(self, most: int) -> None:
        self._most = most

    def choose(self, state: int, seat: int) -> tuple[int, ...] | None:
        for count in range(self._most + 1):
            for presses in combinations(range(9), count):
                if _after(state, presses) == 0:
                    return presses
        return None


LIGHTS_OUT = LightsOut()
