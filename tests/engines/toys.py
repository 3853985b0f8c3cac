"""Two tiny games for whatever plays games: dice for two to four seats, and orders at once."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from engines.drawing import labels, picture
from engines.game import CHANCE, BadPosition, HouseBots, IllegalMove, Outcome
from engines.notation import quoted
from engines.players import Random


class RaceState(NamedTuple):
    points: tuple[int, ...]
    """-1 for a seat that has left."""
    seat: int
    pot: int
    rolling: bool
    turns: int


class DiceRace:
    """Roll as long as you dare: a 1 loses the pot, `hold` banks it; the first with 20 wins.

    After 60 turns whoever leads wins. Positions read `points… seat pot rolling turns`.
    """

    name = "dice-race"
    title = "Dice Race"
    seats = range(2, 5)
    draw_probability = 0.01
    house_revision = 1
    target = 20
    longest = 60

    @cached_property
    def house_bots(self) -> HouseBots:
        return {
            "random": lambda seed: Random(self.legal, seed),
            "holds-at-8": lambda seed: HoldsAt(8),
        }

    def start(self, seed: int, seats: int = 3) -> RaceState:
        return RaceState((0,) * seats, 0, 0, False, 0)

    def opening(self, seed: int, seats: int = 3) -> Sequence[Any]:
        return ()

    def to_move(self, state: RaceState) -> int:
        return CHANCE if state.rolling else state.seat

    def legal(self, state: RaceState) -> Sequence[Any]:
        if self.outcome(state) is not None:
            return ()
        if state.rolling:
            return (1, 2, 3, 4, 5, 6)
        return ("roll", "hold") if state.pot else ("roll",)

    def chances(self, state: RaceState) -> Sequence[float]:
        return (1 / 6,) * 6 if state.rolling else ()

    def play(self, state: RaceState, move: Any) -> RaceState:
        if move == "roll":
            return state._replace(rolling=True)
        if move == "hold":
            points = list(state.points)
            points[state.seat] += state.pot
            return _next_turn(state._replace(points=tuple(points)))
        if move == 1:
            return _next_turn(state)
        return state._replace(pot=state.pot + move, rolling=False)

    def drop(self, state: RaceState, seat: int) -> RaceState:
        points = tuple(-1 if s == seat else p for s, p in enumerate(state.points))
        state = state._replace(points=points)
        return _next_turn(state) if state.seat == seat and max(points) >= 0 else state

    def outcome(self, state: RaceState) -> Outcome | None:
        scores = tuple(float(points) for points in state.points)
        racing = [seat for seat, points in enumerate(state.points) if points >= 0]
        if len(racing) == 1:
            return Outcome(scores, f"Only seat {racing[0]} is left")
        if max(scores) >= self.target:
            return Outcome(scores, f"Seat {scores.index(max(scores))} has {max(scores):g} points")
        return Outcome(scores, "Time is up") if state.turns >= self.longest else None

    def format(self, state: RaceState, move: Any) -> str:
        return str(move)

    def parse(self, state: RaceState, text: str) -> Any:
        for move in self.legal(state):
            if text == str(move):
                return move
        raise IllegalMove(f"{quoted(text)} cannot be played now")

    def position(self, state: RaceState) -> str:
        return " ".join(map(str, (*state.points, *map(int, state[1:]))))

    def from_position(self, text: str) -> RaceState:
        try:
            if len(text) > 100:
                raise ValueError
            *points, seat, pot, rolling, turns = map(int, text.split(" "))
        except ValueError:
            raise BadPosition("a position is a few whole numbers") from None
        if len(points) not in self.seats or not 0 <= seat < len(points):
            raise BadPosition("a position has points for each of two to four seats")
        return RaceState(tuple(points), seat, pot, bool(rolling), turns)

    def observation(self, state: RaceState, seat: int) -> dict[str, Any]:
        return {"points": list(state.points), "pot": state.pot}

    def svg(self, state: RaceState, last: Any | None = None) -> str:
        return picture("Dice Race", 3, 1, [labels(map(str, state.points))])


def _next_turn(state: RaceState) -> RaceState:
    seats = len(state.points)
    ahead = ((state.seat + step) % seats for step in range(1, seats + 1))
    seat = next(seat for seat in ahead if state.points[seat] >= 0)
    return RaceState(state.points, seat, 0, False, state.turns + 1)


@dataclass(frozen=True)
class HoldsAt:
    pot: int

    def choose(self, state: RaceState, seat: int) -> str:
        return "hold" if state.pot >= self.pot else "roll"


@dataclass(frozen=True)
class TugState:
    distances: tuple[int, ...]
    strengths: tuple[int, ...]
    last_step: int
    course: tuple[tuple[int, ...], ...] = ()
    """What each seat pulled, step by step."""


class TugOfWar:
    """All pull at once, 0 to 3, as long as their strength lasts; not pulling restores 1.

    After `steps` steps the longest distance wins. A seat without strength gives no order. The
    seed sets the strengths.
    """

    name = "tug-of-war"
    title = "Tug of War"
    seats = range(2, 5)
    draw_probability = 0.1
    house_revision = 1
    viewer = "tug-of-war"

    @cached_property
    def house_bots(self) -> HouseBots:
        return {"steady": lambda seed: Pulls(1), "hasty": lambda seed: Pulls(3)}

    def start(self, seed: int, seats: int, options: Mapping[str, Any]) -> TugState:
        unknown = set(options) - {"steps"}
        if unknown:
            raise ValueError(f"there is no option {sorted(unknown)[0]!r}")
        if seats not in self.seats:
            raise ValueError(f"{seats} cannot play")
        strength = random.Random(seed).randint(5, 9)
        return TugState((0,) * seats, (strength,) * seats, options.get("steps", 12))

    def observe(self, state: TugState, seat: int) -> dict[str, Any] | None:
        if state.strengths[seat] == 0:
            return None
        return {
            "step": len(state.course),
            "strength": state.strengths[seat],
            "distances": list(state.distances),
        }

    def order(self, state: TugState, seat: int, reply: Any) -> int:
        pull = reply.get("pull") if isinstance(reply, dict) else None
        if type(pull) is not int or not 0 <= pull <= min(3, state.strengths[seat]):
            raise IllegalMove("an order is {'pull': N}, N from 0 to 3 and within one's strength")
        return pull

    def step(self, state: TugState, orders: Sequence[Any | None]) -> TugState:
        pulls = tuple(order or 0 for order in orders)
        return replace(
            state,
            distances=tuple(map(sum, zip(state.distances, pulls, strict=True))),
            strengths=tuple(
                strength - pull if pull else strength + 1
                for strength, pull in zip(state.strengths, pulls, strict=True)
            ),
            course=(*state.course, pulls),
        )

    def outcome(self, state: TugState) -> Outcome | None:
        if len(state.course) < state.last_step:
            return None
        return Outcome(tuple(map(float, state.distances)), "The whistle blows")

    def columns(self, state: TugState) -> Sequence[Mapping[str, int]]:
        return ()

    def replay(self, state: TugState) -> bytes:
        return json.dumps(state.course).encode()


@dataclass(frozen=True)
class Pulls:
    strength: int

    def choose(self, state: TugState, seat: int) -> int:
        return min(self.strength, state.strengths[seat])


DICE_RACE = DiceRace()
TUG_OF_WAR = TugOfWar()
