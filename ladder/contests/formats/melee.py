"""Melees: rounds of tables with many seats; opponents change from round to round."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise, product

from ladder.contests.formats.meetings import Contestant, FormatOptions, Meeting, Stage

ROUNDS = 5

PASSES = 3
MOST_MIXED = 200
"""Larger fields are mixed enough without it."""


def rounds(count: int, options: FormatOptions) -> int:
    return (options.rounds or ROUNDS) if count > 1 else 0


def games(count: int, options: FormatOptions) -> int | None:
    return None  # it depends on the seats of the game, and on withdrawals


def pair(stage: Stage) -> list[Meeting]:
    """Spread the contestants over tables of nearly equal size.

    From the leader down, each sits at the table with a free seat whose players it has met least.
    Where the allowed sizes do not add up, as few as possible sit out, different ones in each round.
    """
    present = [one for one in stage.field if not one.withdrawn]
    sizes = frozenset(n for n in stage.seats if n <= (stage.options.seats or n))
    room: list[int] = []
    playing = len(present)
    while playing > 0 and not (room := table_sizes(playing, sizes)):
        playing -= 1
    if not room:
        return []
    for _ in range(len(present) - playing):
        # Rotated by the round, so that nobody sits out twice before all others have.
        present.pop((stage.number - 1) % len(present))
    number = len(room)
    tables: list[list[Contestant]] = [[] for _ in range(number)]
    for one in sorted(present, key=lambda c: (-c.points, c.seeding)):
        free = [t for t in range(number) if len(tables[t]) < room[t]]
        # The first pass spreads the best; later ones bring together those who have not met.
        fuller = 1 if stage.number == 1 else -1
        best = min(free, key=lambda t: (_met(one, tables[t]), fuller * len(tables[t]), t))
        tables[best].append(one)
    if len(present) <= MOST_MIXED:
        _mix(tables)
    turn = stage.number - 1
    return [
        Meeting(_turned([one.seeding for one in table], turn), stage.options.legs or 1)
        for table in tables
    ]


def table_sizes(count: int, sizes: frozenset[int]) -> list[int]:
    """The fewest tables of allowed sizes for `count` players, nearly equal; empty if impossible.

    All tables have one size, or two that follow each other among those allowed.
    """
    if not sizes:
        return []
    ordered = sorted(sizes)
    steps = [*pairwise(ordered), (ordered[-1], ordered[-1] + 1)]
    for number in range(-(-count // ordered[-1]), count // ordered[0] + 1):
        for small, large in steps:
            larger, rest = divmod(count - small * number, large - small)
            if rest == 0 and (0 <= larger < number if large in sizes else larger == 0):
                return [large] * larger + [small] * (number - larger)
    return []


def _met(one: Contestant, table: Sequence[Contestant]) -> int:
    """The sum of its squared numbers of games with the players of a table: repeats weigh more."""
    return sum(one.met.get(other.seeding, 0) ** 2 for other in table if other is not one)


def _mix(tables: list[list[Contestant]]) -> None:
    """Swap two players wherever that lowers the number of repeated meetings at both tables."""
    for _ in range(PASSES):
        changed = False
        for left, right in combinations(tables, 2):
            for i, j in product(range(len(left)), range(len(right))):
                one, two = left[i], right[j]
                stay = _met(one, left) + _met(two, right)
                if not stay:
                    continue
                others = [c for c in right if c is not two], [c for c in left if c is not one]
                if _met(one, others[0]) + _met(two, others[1]) < stay:
                    left[i], right[j] = two, one
                    changed = True
        if not changed:
            return


def _turned(seats: list[int], turn: int) -> tuple[int, ...]:
    """The first seat goes to a different player in every round."""
    turn %= len(seats)
    return (*seats[turn:], *seats[:turn])
