"""Games without kernels: dice for two to four seats, orders at once, and sums as a puzzle."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from engines.alphabeta.players import RandomPlayer
from engines.competition import BadPosition, HouseBots, IllegalMove, Outcome
from engines.display.drawing import labels, picture
from engines.game import CHANCE, Game
from engines.puzzle import Puzzle
from engines.simulation import Simulation


class RaceState(NamedTuple):
    points: tuple[int, ...]
    """A seat that has left has -1."""
    seat: int
    pot: int
    rolling: bool
    turns: int


class DiceRace(Game[RaceState, Any]):
    """Roll as long as you dare: a 1 loses the pot, `hold` banks it; the first with 20 wins.

    After 60 turns the leader wins. Positions read `points… seat pot rolling turns`.
    """

    name = "dice-race"
    title = "Dice Race"
    seats = frozenset({2, 3, 4})
    draw_probability = 0.01
    target = 20
    longest = 60

    @cached_property
    def house_bots(self) -> HouseBots:
        return {
            "random": lambda seed: RandomPlayer(self.legal, seed),
            "holds-at-8": lambda seed: BanksAt(8),
        }

    def start(self, seed: int, seats: int = 3) -> RaceState:
        return RaceState((0,) * seats, 0, 0, False, 0)

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
class BanksAt:
    pot: int

    def choose(self, state: RaceState, seat: int) -> str:
        return "hold" if state.pot >= self.pot else "roll"


@dataclass(frozen=True)
class TugState:
    distances: tuple[int, ...]
    strengths: tuple[int, ...]
    last_step: int
    course: tuple[tuple[int, ...], ...] = ()
    """The pull of each seat, step by step."""


class TugOfWar(Simulation[TugState, int]):
    """All pull at once, 0 to 3, as long as their strength lasts; not pulling restores 1.

    After `steps` steps the longest distance wins. A seat without strength gives no order. The
    seed sets the strengths.
    """

    name = "tug-of-war"
    title = "Tug of War"
    seats = frozenset({2, 3, 4})
    draw_probability = 0.1

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
        if reply is None:
            return 0
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

    def turns(self, state: TugState) -> int:
        return len(state.course)

    def outcome(self, state: TugState) -> Outcome | None:
        if len(state.course) < state.last_step:
            return None
        return Outcome(tuple(map(float, state.distances)), "The whistle blows")

    def replay(self, state: TugState) -> bytes:
        return json.dumps(state.course).encode()

    def frame_count(self, replay: bytes) -> int:
        return len(json.loads(replay)) + 1

    def frame(self, replay: bytes, number: int) -> str:
        course = json.loads(replay)
        pulled = [sum(step) for step in zip(*course[:number], strict=True)]
        return picture(f"Tug of War after {number} steps", 4, 1, [labels(map(str, pulled))])


@dataclass(frozen=True)
class Pulls:
    strength: int

    def choose(self, state: TugState, seat: int) -> int:
        return min(self.strength, state.strengths[seat])


class SumsInstance(NamedTuple):
    target: int
    numbers: tuple[int, ...]


class Sums(Puzzle[SumsInstance, tuple[int, ...]]):
    """Choose numbers, by their places, that add up to the target; fewer are better.

    An instance reads `target: number number …`.
    """

    name = "sums"
    title = "Sums"
    seats = frozenset({2, 3, 4})
    draw_probability = 0.2

    @cached_property
    def house_bots(self) -> HouseBots:
        return {
            "gives-up": lambda seed: SumSolver(0),
            "singles": lambda seed: SumSolver(1),
            "pairs": lambda seed: SumSolver(2),
        }

    def instances(self, seed: int) -> Sequence[SumsInstance]:
        draw = random.Random(seed)
        series = []
        for count in (1, 2, 2):
            numbers = tuple(draw.sample(range(1, 50), 6))
            series.append(SumsInstance(sum(numbers[:count]), numbers))
        return series

    def text(self, instance: SumsInstance) -> str:
        return f"{instance.target}: {' '.join(map(str, instance.numbers))}"

    def from_text(self, text: str) -> SumsInstance:
        try:
            if len(text) > 100:
                raise ValueError
            target, _, numbers = text.partition(": ")
            return SumsInstance(int(target), tuple(map(int, numbers.split(" "))))
        except ValueError:
            raise BadPosition("an instance reads `target: number number …`") from None

    def observation(self, instance: SumsInstance) -> dict[str, Any]:
        return {"target": instance.target, "numbers": list(instance.numbers)}

    def solution(self, instance: SumsInstance, answer: Any) -> tuple[int, ...]:
        places = range(len(instance.numbers))
        if not isinstance(answer, list) or not all(type(n) is int and n in places for n in answer):
            raise IllegalMove(f"a solution is a list of places from 0 to {places[-1]}")
        if len(set(answer)) < len(answer):
            raise IllegalMove("a place may be named once")
        total = sum(instance.numbers[place] for place in answer)
        if total != instance.target:
            raise IllegalMove(f"the numbers add up to {total}, not to {instance.target}")
        return tuple(answer)

    def answer(self, instance: SumsInstance, solution: tuple[int, ...]) -> list[int]:
        return list(solution)

    def steps(self, instance: SumsInstance, solution: tuple[int, ...]) -> Sequence[str]:
        return [f"+{instance.numbers[place]}" for place in solution]

    def svg(
        self, instance: SumsInstance, solution: tuple[int, ...] | None = None, step: int = 0
    ) -> str:
        taken = (solution or ())[:step]
        numbers = [instance.numbers[place] for place in taken]
        return picture(f"Sums, {instance.target}", 6, 1, [labels(map(str, numbers))])


@dataclass(frozen=True)
class SumSolver:
    most: int

    def choose(self, state: SumsInstance, seat: int) -> tuple[int, ...] | None:
        for count in range(1, self.most + 1):
            for places in combinations(range(len(state.numbers)), count):
                if sum(state.numbers[place] for place in places) == state.target:
                    return places
        return None


DICE_RACE = DiceRace()
TUG_OF_WAR = TugOfWar()
SUMS = Sums()
