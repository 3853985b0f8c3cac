"""Time trials: a driver whose speed and steering are evolved expressions.

After chapter 9 of Sipper, "Evolved to Win" (Shichel and Sipper, "GP-RARS: Evolving Controllers for
the Robot Auto Racing Simulator").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.games import find_game
from engines.games.racing import tracks
from engines.games.racing.drivers import DRIVERS
from engines.games.racing.program import FEET, INPUTS, SPEED, architecture
from engines.games.racing.trial import TrialResult, time_trial
from engines.programs.code import Code, flatten
from engines.programs.trees import Architecture, Program
from evolve.domain import Control, Designation, Domain
from evolve.errors import BadParameter
from evolve.fitness.measures import Fitness
from evolve.fitness.meetings import TableResult
from evolve.fitness.population import Population
from evolve.operators.breeding import SingleOperatorBreeding
from evolve.operators.growth import TreeLimits
from evolve.operators.islands import Islands

SECONDS = 250.0
"""Of the race, for each measurement of fitness."""
_MOST_LAPS = 100

# 1. Program architecture: two trees, for the wheel speed and for the steering angle.


@dataclass(frozen=True)
class TrialArena:
    """Time trials of one lap. The score of a lap is its mean speed in feet per second.

    Who does not finish it gets the part of the lap that it drove, which is below all speeds.
    """

    tracks: tuple[str, ...] = ("sepang",)
    game: str = "time-trial"
    seats: int = 2

    @property
    def architecture(self) -> Architecture:
        return architecture(self.game)

    @property
    def house(self) -> Sequence[str]:
        return tuple(DRIVERS)

    @property
    def revision(self) -> int:
        return int(find_game(self.game).house_revision)

    def player(self, program: Program) -> Code:
        return flatten(program)

    def house_player(self, name: str) -> str:
        return {driver: driver for driver in DRIVERS}[name]

    def meet(self, players: Sequence[Code | str], seed: int, games: int) -> TableResult:
        """A game is a lap of each track in turn."""
        scores: list[list[float]] = [[] for _ in players]
        executed = [0] * len(players)
        for game in range(games):
            track = self.tracks[game % len(self.tracks)]
            results = time_trial(players, track, seed + game, seconds=2 * SECONDS)
            for place, result in enumerate(results):
                scores[place].append(_worth(result, track))
                executed[place] += result.instructions
        return TableResult(tuple(map(tuple, scores)), tuple(executed))

    def situations(self, random: np.random.Generator, count: int) -> Any:
        """Random places on a road with random curves."""
        inputs = np.zeros((count, INPUTS))
        for row in inputs:
            width = random.uniform(60, 120)
            left = random.uniform(0, width)
            radii = random.choice([-1, 0, 1], 2) * random.uniform(50, 1000, 2)
            row[:] = (
                *radii / FEET,
                *random.uniform(0, 1200, 2) / FEET,
                random.uniform(20, 180) / SPEED,
                random.uniform(-20, 20) / SPEED,
                left / FEET,
                (width - left) / FEET,
                width / FEET,
                random.uniform(0, 1000) / FEET,
                random.uniform(-1, 1),
            )
        return inputs


def _length(track: str) -> float:
    return float(tracks.load(track)[0]["length"])


def _worth(result: TrialResult, track: str) -> float:
    if result.lap_times:
        return _length(track) / result.lap_times[0]
    return min(max(result.way / _length(track), 0.0), 1.0)


# 2. Terminals, and 3. Functions: Table 9.1, in `engines.games.racing.program.PRIMITIVES`.

# 4. Fitness: Race Distance or Modified Race Time, alone on the track.


@dataclass(frozen=True)
class RaceDistance(Fitness):
    """The feet driven in 250 seconds, as a mean over the tracks.

    All individuals of a generation meet the same random friction.
    """

    tracks: tuple[str, ...]

    def measure(self, population: Population, so_far: Any) -> Any:
        seed = int(population.random().integers(1 << 28))

        def worth(program: Program) -> float:
            code = flatten(program)
            return float(np.mean([self._worth(code, track, seed) for track in self.tracks]))

        return np.array(population.each(worth, population.programs))

    def _worth(self, code: Code, track: str, seed: int) -> float:
        (result,) = time_trial([code], track, seed, _MOST_LAPS, SECONDS)
        return result.way


@dataclass(frozen=True)
class ModifiedRaceTime(RaceDistance):
    """Who finishes the lap beats who does not; then the time counts, or else the distance.

    Only the order of these numbers matters, because selection compares them.
    """

    def _worth(self, code: Code, track: str, seed: int) -> float:
        (result,) = time_trial([code], track, seed, 1, SECONDS)
        return _worth(result, track)


FITNESS: Mapping[str, type[RaceDistance]] = {"distance": RaceDistance, "time": ModifiedRaceTime}


@dataclass(frozen=True, kw_only=True)
class TimeTrial:
    """5. Control parameters: by default those of section 9.3.3."""

    population: int = 250
    generations: int = 255
    plateau: int | None = None
    minutes: float | None = None
    depth: int = 8
    """Depth of the trees."""
    nodes: int = 500
    crossover: float = 0.5
    mutation: float = 0.05
    constants: float = 0.05
    factors: float = 0.0
    tournament: int = 3
    elites: int = 0
    islands: int = 1
    fitness: str = "time"
    """`time` (Modified Race Time) or `distance` (Race Distance)."""
    tracks: str = "sepang"
    """Names of tracks, with commas between them."""
    finalists: int = 250
    choosing_games: int = 10
    final_games: int = 100

    @property
    def roads(self) -> tuple[str, ...]:
        names = tuple(self.tracks.split(","))
        for name in names:
            if name not in tracks.plans():
                known = ", ".join(tracks.plans())
                raise BadParameter(f"there is no track {name!r}; there are: {known}")
        return names

    @property
    def control(self) -> Control:
        return Control(
            self.population,
            SingleOperatorBreeding(
                crossover=self.crossover,
                mutation=self.mutation,
                constants=self.constants,
                factors=self.factors,
                tournament=self.tournament,
                elites=self.elites,
            ),
            TreeLimits(self.depth, self.nodes),
            islands=Islands(self.islands),
            generations=self.generations,
            minutes=self.minutes,
            plateau=self.plateau,
        )

    @property
    def designation(self) -> Designation:
        """6. Result designation and termination: ten races of each of the last generation."""
        return Designation(
            judges=("house:Rally",),
            holdout=("house:Planner",),
            finalists=self.finalists,
            games=self.final_games,
            choosing_games=self.choosing_games,
        )

    def domain(self) -> Domain:
        if self.fitness not in FITNESS:
            raise BadParameter(f"fitness must be {' or '.join(FITNESS)}, not {self.fitness!r}")
        arena = TrialArena(self.roads)
        return Domain(
            name="time-trial",
            architecture=arena.architecture,
            fitness=FITNESS[self.fitness](self.roads),
            arena=arena,
            control=self.control,
            designation=self.designation,
        )


PARAMETERS = TimeTrial

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "quick": {
        "generations": 400,
        "minutes": 4.0,
        "mutation": 0.15,
        "constants": 0.2,
        "elites": 2,
        "finalists": 50,
    },
    "distance": {"fitness": "distance"},
}
"""`quick` gives a champion in five minutes; `distance` is the other fitness of the book."""
