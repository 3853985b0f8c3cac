"""The champion: chosen by a contest of finalists, then measured again, also against the hold-out.

The winner of a contest was partly lucky in it. So the reported figures come from games that had no
part in the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeAlias

from engines.programs.trees import Program
from evolve.domain import Designation, Domain
from evolve.errors import GuideFailed
from evolve.fitness.meetings import Opponent, TableResult, seat_opponents
from evolve.fitness.population import Fixture, Population
from evolve.runs.checkpoint import one_line
from evolve.runs.evolution import EvolutionState, Individual
from evolve.streams import StreamPurpose

BLOCK = 10
"""Games per meeting: long contests are split, so that all workers share them."""


Table: TypeAlias = tuple[Opponent, ...]
"""The opponents that a program meets in one game."""


def _ignore(text: str) -> None:
    pass


@dataclass(frozen=True)
class FinalsSetting:
    """The setting of the finals of one run."""

    domain: Domain
    seed: int
    pool: Executor | None = None
    watch: Callable[[str], None] = _ignore
    """Gets the description of each contest before it begins."""


@dataclass(frozen=True)
class FinalResult:
    """The champion's games at one table."""

    table: Table
    meeting: TableResult

    def row(self) -> dict[str, str | int | float]:
        low, high = self.meeting.interval()
        return {
            "opponent": _named(self.table),
            "games": self.meeting.games,
            "wins": self.meeting.wins,
            "draws": self.meeting.draws,
            "losses": self.meeting.losses,
            "share": round(self.meeting.share(), 6),
            "low": round(low, 6),
            "high": round(high, 6),
        }


def candidates(rules: Designation, state: EvolutionState, earlier: int) -> list[Individual]:
    """The fittest of the last generation and the latest of the hall of fame, without duplicates."""
    unique: dict[str, Individual] = {}
    for one in [*state.ranked()[: rules.finalists], *state.hall[::-1][:earlier]]:
        entered = rules.enter(one.program)
        unique.setdefault(one_line(entered), replace(one, program=entered))
    return list(unique.values())


def choose(
    finals: FinalsSetting, state: EvolutionState, opponents: Sequence[Opponent]
) -> Individual:
    """The finalist with the best mean share against the opponents; the fittest without any."""
    domain = finals.domain
    rules = domain.designation
    if not opponents or domain.arena is None:
        found = state.hall[-1] if domain.arena is not None else _fittest(state)
        return replace(found, program=rules.enter(found.program))

    tables = seat_opponents(opponents, domain.finals_seats)

    def ranked(many: Sequence[Individual], purpose: StreamPurpose, games: int) -> list[Individual]:
        shares = [0.0] * len(many)
        programs = [one.program for one in many]
        for number, table in enumerate(tables):
            finals.watch(f"{len(many)} programs against {_named(table)}")
            met, _ = play_without_failed(finals, (purpose, number), programs, table, games)
            for place, meeting in enumerate(met):
                shares[place] += meeting.share()
        return [many[place] for place in sorted(range(len(many)), key=lambda at: (-shares[at], at))]

    if rules.qualifying_games:
        entrants = candidates(rules, state, len(state.hall))
        best = ranked(entrants, StreamPurpose.QUALIFYING, rules.qualifying_games)
        finalists = best[: rules.finalists]
    else:
        finalists = candidates(rules, state, rules.finalists)
    return ranked(finalists, StreamPurpose.DESIGNATION, rules.choosing_games)[0]


def _fittest(state: EvolutionState) -> Individual:
    """The fittest of all generations: fitness without games can be compared between them."""
    return max([*state.hall, state.best], key=lambda one: (one.fitness, -one.generation))


def measure_champion(
    finals: FinalsSetting, champion: Individual, opponents: Sequence[Opponent], part: int
) -> list[FinalResult]:
    """The champion's games for the report, from seeds that only this part uses."""
    entries = []
    games = finals.domain.designation.games
    for number, table in enumerate(seat_opponents(opponents, finals.domain.finals_seats)):
        finals.watch(f"champion against {_named(table)}")
        key = (StreamPurpose.FINALS, part, number)
        met, left = play_without_failed(finals, key, [champion.program], table, games)
        entries += [FinalResult(left, meeting) for meeting in met]
    return entries


def _named(table: Table) -> str:
    return ", ".join(dict.fromkeys(one.name for one in table))


def play_without_failed(
    finals: FinalsSetting,
    key: tuple[int, ...],
    programs: Sequence[Program],
    table: Table,
    games: int,
) -> tuple[list[TableResult], Table]:
    """Like `play_all`, but failing opponents leave the table, and the others take their seats.

    Returns no meetings if no opponent is left.
    """
    while True:
        try:
            return play_all(finals, key, programs, table, games), table
        except GuideFailed as failure:
            left = [one for one in table if one.name != failure.name]
            if not left or len(left) == len(table):
                return [], table
            table = seat_opponents(left, finals.domain.finals_seats)[0]


def play_all(
    finals: FinalsSetting,
    key: tuple[int, ...],
    programs: Sequence[Program],
    table: Table,
    games: int,
) -> list[TableResult]:
    """Play `games` games of each program against the opponents of a table."""
    arena = finals.domain.finals_arena
    population = Population(arena, programs, table, finals.seed, key, finals.pool)
    blocks = [min(BLOCK, games - start) for start in range(0, games, BLOCK)]
    fixtures = [
        Fixture(place, table, size, (place, number))
        for place in range(population.size)
        for number, size in enumerate(blocks)
    ]
    met = population.meet(fixtures)
    parts = [met[at : at + len(blocks)] for at in range(0, len(met), len(blocks))]
    return [reduce(TableResult.joined, part) for part in parts]
