"""Pig, a dice game: roll as often as you dare. A 1 loses the points of the turn, `hold` keeps
them; the first seat with 50 points wins."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from engines.competition import BadPosition, HouseBots, Outcome
from engines.display.drawing import labels, picture
from engines.game import CHANCE, Game

GOAL = 50
LONGEST = 200
"""Turns after which the leader wins, so that no match is endless."""


class Turn(NamedTuple):
    points: tuple[int, ...]
    """The points of each seat; -1 for a seat that has left."""
    seat: int
    pot: int
    """The points of this turn."""
    rolling: bool
    """Whether the die moves next."""
    turns: int


class Pig(Game[Turn, str]):
    name = "pig"
    title = "Pig"
    seats = frozenset({2, 3, 4})
    ladder_seats = 2
    draw_probability = 0.01

    @cached_property
    def house_bots(self) -> HouseBots:
        return {
            "gambler": lambda seed: Gambler(seed),
            "holds-at-10": lambda seed: HoldsAt(10),
            "holds-at-20": lambda seed: HoldsAt(20),
        }

    def start(self, seed: int, seats: int) -> Turn:
        return Turn((0,) * seats, 0, 0, False, 0)

    def to_move(self, state: Turn) -> int:
        return CHANCE if state.rolling else state.seat

    def legal(self, state: Turn) -> Sequence[str]:
        if self.outcome(state) is not None:
            return ()
        if state.rolling:
            return ("1", "2", "3", "4", "5", "6")
        return ("roll", "hold") if state.pot else ("roll",)

    def chances(self, state: Turn) -> Sequence[float]:
        return (1 / 6,) * 6

    def play(self, state: Turn, move: str) -> Turn:
        if move == "roll":
            return state._replace(rolling=True)
        if move == "hold":
            points = list(state.points)
            points[state.seat] += state.pot
            return _next_turn(state._replace(points=tuple(points)))
        if move == "1":
            return _next_turn(state)
        return state._replace(pot=state.pot + int(move), rolling=False)

    def drop(self, state: Turn, seat: int) -> Turn:
        left = state._replace(points=(*state.points[:seat], -1, *state.points[seat + 1 :]))
        return _next_turn(left) if state.seat == seat else left

    def outcome(self, state: Turn) -> Outcome | None:
        scores = tuple(float(points) for points in state.points)
        if max(scores) >= GOAL:
            return Outcome(scores, f"Seat {scores.index(max(scores))} has {max(scores):g} points")
        if sum(points >= 0 for points in scores) == 1:
            return Outcome(scores, "All others have left")
        return Outcome(scores, "Time is up") if state.turns >= LONGEST else None

    def format(self, state: Turn, move: str) -> str:
        return move

    def position(self, state: Turn) -> str:
        """Points of the seats, then seat, pot, whether the die rolls, and turns: `12 0 1 6 0 3`."""
        return " ".join(str(int(number)) for number in (*state.points, *state[1:]))

    def from_position(self, text: str) -> Turn:
        try:
            *points, seat, pot, rolling, turns = map(int, text[:100].split(" "))
        except ValueError:
            raise BadPosition("a position is six to eight whole numbers") from None
        if len(points) not in self.seats or seat not in range(len(points)):
            raise BadPosition("a position has the points of two to four seats, and a seat to move")
        return Turn(tuple(points), seat, pot, bool(rolling), turns)

    def svg(self, state: Turn, last: str | None = None) -> str:
        told = [*map(str, state.points), f"+{state.pot}"]
        return picture(f"Pig, seat {state.seat} moves", len(told), 1, [labels(told)])


def _next_turn(state: Turn) -> Turn:
    seats = len(state.points)
    others = [(state.seat + step) % seats for step in range(1, seats + 1)]
    seat = next((seat for seat in others if state.points[seat] >= 0), state.seat)
    return Turn(state.points, seat, 0, False, state.turns + 1)


class HoldsAt:
    def __init__(self, pot: int) -> None:
        self._pot = pot

    def choose(self, state: Turn, seat: int) -> str:
        enough = state.pot >= self._pot or state.points[seat] + state.pot >= GOAL
        return "hold" if enough else "roll"


class Gambler:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, state: Turn, seat: int) -> str:
        return self._random.choice(("roll", "hold")) if state.pot else "roll"


PIG = Pig()
