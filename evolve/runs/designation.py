"""The champion: chosen by a contest of finalists, then measured anew, also among strangers.

Whoever wins a contest was lucky in it, too. So the figures that are reported come from games that
had no part in the choice.
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
from evolve.fitness.field import Field, Fixture
from evolve.fitness.meetings import Opponent, TableResult, seat_opponents
from evolve.runs.checkpoint import one_line
from evolve.runs.evolution import Individual, State
from evolve.streams import StreamPurpose

BLOCK = 10
"""Games per meeting: long contests are cut up, so that all workers have some of it."""


Table: TypeAlias = tuple[Opponent, ...]
"""Those whom a program meets at once."""


@dataclass(frozen=True)
class FinalResult:
    """What the champion came to at one table."""

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


def candidates(rules: Designation, state: State, earlier: int) -> list[Individual]:
    """The fittest of the last generation and the latest of the hall, different ones."""
    unique: dict[str, Individual] = {}
    for one in [*state.ranked()[: rules.finalists], *state.hall[::-1][:earlier]]:
        entered = rules.enter(one.program)
        unique.setdefault(one_line(entered), replace(one, program=entered))
    return list(unique.values())


def choose(
    domain: Domain,
    seed: int,
    state: State,
    opponents: Sequence[Opponent],
    pool: Executor | None = None,
    watch: Callable[[str], None] = lambda what: None,
) -> Individual:
    """The finalist with the best mean share against the opponents; the fittest without any."""
    rules = domain.designation
    if not opponents or domain.arena is None:
        found = state.hall[-1] if domain.arena is not None else _fittest(state)
        return replace(found, program=rules.enter(found.program))

    tables = seat_opponents(opponents, domain.finals_seats)

    def ranked(many: Sequence[Individual], purpose: StreamPurpose, games: int) -> list[Individual]:
        shares = [0.0] * len(many)
        programs = [one.program for one in many]
        for number, table in enumerate(tables):
            watch(f"{len(many)} programs against {_named(table)}")
            key = (purpose, number)
            met, _ = play_with_those_left(domain, seed, key, programs, table, games, pool)
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


def _fittest(state: State) -> Individual:
    """Of all generations: where fitness is no matter of games, it can be compared."""
    return max([*state.hall, state.best], key=lambda one: (one.fitness, -one.generation))


def present(
    domain: Domain,
    seed: int,
    champion: Individual,
    opponents: Sequence[Opponent],
    part: int,
    pool: Executor | None = None,
    watch: Callable[[str], None] = lambda what: None,
) -> list[FinalResult]:
    """The champion's games for the report, from seeds that only this part has."""
    entries = []
    for number, table in enumerate(seat_opponents(opponents, domain.finals_seats)):
        watch(f"champion against {_named(table)}")
        key, games = (StreamPurpose.FINALS, part, number), domain.designation.games
        met, left = play_with_those_left(domain, seed, key, [champion.program], table, games, pool)
        entries += [FinalResult(left, meeting) for meeting in met]
    return entries


def _named(table: Table) -> str:
    return ", ".join(dict.fromkeys(one.name for one in table))


def play_with_those_left(
    domain: Domain,
    seed: int,
    key: tuple[int, ...],
    programs: Sequence[Program],
    table: Table,
    games: int,
    pool: Executor | None,
) -> tuple[list[TableResult], Table]:
    """As `play_all`, but opponents that fail leave the table, and the others take their seats.

    Returns no meetings if nobody is left.
    """
    while True:
        try:
            return play_all(domain, seed, key, programs, table, games, pool), table
        except GuideFailed as failure:
            left = [one for one in table if one.name != failure.name]
            if not left or len(left) == len(table):
                return [], table
            table = seat_opponents(left, domain.finals_seats)[0]


def play_all(
    domain: Domain,
    seed: int,
    key: tuple[int, ...],
    programs: Sequence[Program],
    table: Table,
    games: int,
    pool: Executor | None,
) -> list[TableResult]:
    """So many games of each program against the opponents of a table."""
    field = Field(domain.finals_arena, programs, table, seed, key, pool)
    blocks = [min(BLOCK, games - start) for start in range(0, games, BLOCK)]
    fixtures = [
        Fixture(place, table, size, (place, number))
        for place in range(field.size)
        for number, size in enumerate(blocks)
    ]
    met = field.meet(fixtures)
    parts = [met[at : at + len(blocks)] for at in range(0, len(met), len(blocks))]
    return [reduce(TableResult.joined, part) for part in parts]
