"""Places in a tournament, their tie-breaks, and the crosstable.

Everything follows from the records of the entries (`ladder.scoring.tallies`), so a table of a
thousand entries costs no more than reading a thousand rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

import numpy as np
import numpy.typing as npt

from ladder.contests.formats import Past
from ladder.scoring.tallies import EntryRecord

Table = npt.NDArray[np.float64]

LOST, DRAWN, WON, SELF, UNMET = "-=+#."
"""The signs of the compact crosstable: the result of the row against the column."""


ALL = slice(None)


class Order(Enum):
    """The criteria for places, in this order; entries equal in all of them share a place."""

    POINTS = "points, direct encounter, Sonneborn-Berger, wins"
    SWISS = "points, Buchholz, Sonneborn-Berger, direct encounter, wins"
    SHARE = "share of the points of the games played, points"


@dataclass(frozen=True, slots=True)
class StandingLine:
    """One entry in the standings."""

    record: EntryRecord
    place: int
    direct: float
    """Points in the games between entries with equal points."""
    sonneborn_berger: float
    """Sum of the points of each opponent times the share of points taken from it."""
    buchholz: float
    """Sum of the points of all opponents met."""


class Standings:
    """Lines in their order, best first, with the tie-breaks of the format."""

    def __init__(self, records: Sequence[EntryRecord], order: Order = Order.POINTS) -> None:
        """`records` in the order of seeding."""
        self.records = list(records)
        count = len(self.records)
        shape = (count, count)
        self.halves = np.array([r.halves for r in records], dtype=np.uint16).reshape(shape)
        self.met = np.array([r.met for r in records], dtype=np.uint16).reshape(shape)
        self._points = np.array([r.points for r in records], dtype=np.float64)
        share = self._shares()
        self._berger = share @ self._points if count else self._points
        self._buchholz = (self.met > 0) @ self._points if count else self._points
        self._direct = self._direct_points()
        self._order = order
        self.lines = self._place()

    def _shares(self) -> Table:
        """Share of the points that each took from each, from 0 to 1."""
        most = np.maximum(2 * self.met.astype(np.float64), 1.0)
        return np.asarray(self.halves / most, dtype=np.float64)

    def _direct_points(self) -> Table:
        direct = np.zeros(len(self.records))
        order = np.argsort(-self._points, kind="stable")
        for _, group in groupby(order, key=lambda i: self._points[i]):
            tied = np.fromiter(group, dtype=np.intp)
            if len(tied) > 1:
                direct[tied] = self.halves[np.ix_(tied, tied)].sum(axis=1) / 2
        return direct

    def _key(
        self, record: EntryRecord, direct: float, berger: float, buchholz: float
    ) -> tuple[float, ...]:
        # Rounded: sums of the same numbers in another order must not decide a tournament.
        berger, buchholz, points = round(berger, 6), round(buchholz, 6), round(record.points, 6)
        if self._order is Order.SWISS:
            return -points, -buchholz, -berger, -direct, -record.wins
        if self._order is Order.SHARE:
            return -round(record.points / max(1, record.played), 6), -points
        return -points, -direct, -berger, -record.wins

    def _place(self) -> list[StandingLine]:
        sums = zip(*(a.tolist() for a in (self._direct, self._berger, self._buchholz)), strict=True)
        keys = [self._key(record, *each) for record, each in zip(self.records, sums, strict=True)]
        order = sorted(range(len(keys)), key=lambda i: (keys[i], i))
        lines: list[StandingLine] = []
        for position, i in enumerate(order, start=1):
            tied = lines and keys[lines[-1].record.seeding - 1] == keys[i]
            lines.append(self._line(i, lines[-1].place if tied else position))
        return lines

    def _line(self, i: int, place: int) -> StandingLine:
        return StandingLine(
            record=self.records[i],
            place=place,
            direct=float(self._direct[i]),
            sonneborn_berger=float(self._berger[i]),
            buchholz=float(self._buchholz[i]),
        )

    def put_in_order(self, places: Sequence[tuple[int, int]]) -> None:
        """Replace the places by points: pairs of a seeding and its place."""
        self.lines = [self._line(seeding - 1, place) for seeding, place in places]

    @property
    def winner(self) -> int | None:
        """The seeding of the sole winner."""
        first = [line.record.seeding for line in self.lines if line.place == 1]
        return first[0] if len(first) == 1 else None

    def grid(self, shown: slice = ALL) -> list[str]:
        """The crosstable, one character a cell, rows and columns in the order of the lines."""
        if not self.lines:
            return []
        order = np.array([line.record.seeding - 1 for line in self.lines])
        rows = order[shown]
        halves, met = self.halves[np.ix_(rows, order)], self.met[np.ix_(rows, order)]
        signs = np.full(halves.shape, ord(DRAWN), dtype=np.uint8)
        signs[halves < met] = ord(LOST)
        signs[halves > met] = ord(WON)
        signs[met == 0] = ord(UNMET)
        signs[rows[:, None] == order] = ord(SELF)
        return [row.tobytes().decode() for row in signs]


def bracket_places(count: int, rounds: Sequence[Sequence[Past]]) -> list[tuple[int, int]]:
    """Seedings and places in an elimination: later rounds are better, equals share a place.

    The winner of the final is first; third and fourth differ if they have met. Entries that are
    still in are ahead of all others. `rounds` holds an empty `Past` for an open meeting.
    """
    reached = dict.fromkeys(range(1, count + 1), (len(rounds) + 1, 0))
    last_seen: dict[int, int] = {}
    for number, boards in enumerate(rounds):
        third = number > 0 and len(boards) == 2 and len(rounds[number - 1]) == 2
        for board, past in enumerate(boards):
            for entry in past.entrants:
                last_seen[entry] = number
                if third and board == 1:  # behind the final, ahead of all who lost earlier
                    reached[entry] = (number, 0 if entry == past.winner else -1)
                elif entry != past.winner:
                    reached[entry] = (number, 1)
    for entry, number in last_seen.items():
        settled = number + 1 < len(rounds) and all(past.entrants for past in rounds[number + 1])
        if settled and reached[entry][0] > len(rounds):  # won, but left before the next round
            reached[entry] = (number + 1, 1)
    ranked = sorted(reached, key=lambda entry: (-reached[entry][0], -reached[entry][1], entry))
    places: list[tuple[int, int]] = []
    for position, entry in enumerate(ranked, start=1):
        tied = places and reached[places[-1][0]] == reached[entry]
        places.append((entry, places[-1][1] if tied else position))
    return places
