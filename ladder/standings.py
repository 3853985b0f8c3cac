"""Points, places and the crosstable of a round robin, as far as it has been played."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ladder.store.database import Row
from ladder.views import CrossCell, CrossRow, Standing

_POINTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}


class Crosstable:
    """Who scored what against whom. Entries are known by their seeding, from 1."""

    def __init__(self, entries: Sequence[Row], results: Sequence[Row]) -> None:
        """`results` holds two rows (id, version_id, rank) for each match that was played."""
        self.played = 0
        self._entries = entries
        self._points: defaultdict[tuple[int, int], float] = defaultdict(float)
        self._meetings: Counter[tuple[int, int]] = Counter()
        self._outcomes: defaultdict[int, Counter[str]] = defaultdict(Counter)
        seeding = {entry.version_id: entry.seeding for entry in entries}
        for _, (first, second) in groupby(results, key=lambda row: row.id):
            self.played += 1
            for own, other in ((first, second), (second, first)):
                self._add(seeding[own.version_id], seeding[other.version_id], own.rank, other.rank)

    def _add(self, own: int, other: int, own_rank: int, other_rank: int) -> None:
        outcome = "draw" if own_rank == other_rank else "win" if own_rank < other_rank else "loss"
        self._outcomes[own][outcome] += 1
        self._points[own, other] += _POINTS[outcome]
        self._meetings[own, other] += 1

    def standings(self) -> list[Standing]:
        """By points, then wins; who is equal in both shares a place, the better seed above."""
        lines = sorted(map(self._line, self._entries), key=lambda n: (-n.points, -n.wins))
        placed: list[Standing] = []
        for position, line in enumerate(lines, start=1):
            last = placed[-1] if placed else None
            if last and (last.points, last.wins) == (line.points, line.wins):
                position = last.place
            placed.append(replace(line, place=position))
        return placed

    def _line(self, entry: Row) -> Standing:
        outcomes = self._outcomes[entry.seeding]
        return Standing(
            place=0,
            seeding=entry.seeding,
            bot=entry.bot,
            bot_id=entry.bot_id,
            version=entry.version,
            owner=entry.owner,
            points=sum(_POINTS[outcome] * n for outcome, n in outcomes.items()),
            played=outcomes.total(),
            wins=outcomes["win"],
            draws=outcomes["draw"],
            losses=outcomes["loss"],
        )

    def rows(self, order: Sequence[int]) -> list[CrossRow]:
        """The crosstable with its rows and columns in this order of seedings."""
        return [
            CrossRow(
                own,
                [
                    CrossCell(other, self._points[own, other], self._meetings[own, other])
                    for other in order
                    if other != own
                ],
            )
            for own in order
        ]
