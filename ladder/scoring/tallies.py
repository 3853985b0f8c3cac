"""Sums of games: the tally of a meeting, and the record of an entry over all its meetings.

Pure arithmetic. A tally is recomputed from the games of its meeting whenever one of them ends,
and the records of its entrants move by the difference: counting something twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.uint16]
_STORED = np.dtype("<u2")


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game, by the places of its meeting."""

    ranks: tuple[int, ...]
    first: int | None = None
    """The place that had the first seat; none in a walkover, which is not played."""
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class MeetingTally:
    """Sums over games, by the places of the meeting."""

    games: int = 0
    halves: tuple[tuple[int, ...], ...] = ()
    """Half points of the row against the column: two for a better rank, one for an equal one."""
    wins: tuple[int, ...] = ()
    draws: tuple[int, ...] = ()
    losses: tuple[int, ...] = ()
    lean: tuple[int, ...] = ()
    bye: float = 0.0
    """Points for nothing."""

    @property
    def points(self) -> list[float]:
        """A point per game, shared by the number of opponents that one is ahead of."""
        if len(self.halves) < 2:
            return [self.bye for _ in self.halves]
        return [sum(row) / 2 / (len(row) - 1) for row in self.halves]

    def stored(self) -> dict[str, Any]:
        if len(self.halves) < 2:
            return {"bye": self.bye} if self.halves else {}
        return {
            "games": self.games,
            "halves": self.halves,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "lean": self.lean,
        }


def nothing(count: int) -> MeetingTally:
    """The tally of a meeting of `count` before its first game."""
    zeros = (0,) * count
    return MeetingTally(0, (zeros,) * count, zeros, zeros, zeros, zeros)


def read_tally(stored: dict[str, Any], count: int) -> MeetingTally:
    if count < 2:
        return MeetingTally(halves=((0,),) * count, bye=stored.get("bye", 0.0))
    if not stored:
        return nothing(count)
    return MeetingTally(
        stored["games"],
        tuple(map(tuple, stored["halves"])),
        tuple(stored["wins"]),
        tuple(stored["draws"]),
        tuple(stored["losses"]),
        tuple(stored["lean"]),
    )


def add_up(games: Iterable[GameResult], count: int) -> MeetingTally:
    """The tally of a meeting of `count`. A win is an unshared first rank."""
    places = range(count)
    halves = [[0] * count for _ in places]
    sums = {name: [0] * count for name in ("wins", "draws", "losses", "lean")}
    number = 0
    for game in games:
        number += 1
        sole = game.ranks.count(1) == 1
        for one in places:
            rank = game.ranks[one]
            sums["losses" if rank > 1 else "wins" if sole else "draws"][one] += 1
            if game.first is not None:
                sums["lean"][one] += 1 if game.first == one else -1
            if game.first is None and rank > 1:
                continue  # entries that have left get nothing, also from each other
            for other in places:
                if other != one:
                    halves[one][other] += (
                        1 + (game.ranks[other] > rank) - (game.ranks[other] < rank)
                    )
    wins, draws, losses, lean = (tuple(sums[name]) for name in sums)
    return MeetingTally(number, tuple(map(tuple, halves)), wins, draws, losses, lean)


def walkover(gone: Sequence[bool]) -> GameResult:
    """A game that is not played because some of its entrants have left: they lose it."""
    return GameResult(tuple(2 if left else 1 for left in gone))


@dataclass(slots=True)
class EntryRecord:
    """All that an entry has scored, which `move` changes."""

    seeding: int
    points: float
    wins: int
    draws: int
    losses: int
    byes: int
    lean: int
    halves: Counts = field(repr=False)
    met: Counts = field(repr=False)

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses

    def move(
        self, entrants: Sequence[int], place: int, old: MeetingTally, new: MeetingTally
    ) -> None:
        """Replace the counted tally `old` of a meeting by `new`."""
        self.points += new.points[place] - old.points[place]
        if len(entrants) < 2:
            return
        self.wins += new.wins[place] - old.wins[place]
        self.draws += new.draws[place] - old.draws[place]
        self.losses += new.losses[place] - old.losses[place]
        self.lean += new.lean[place] - old.lean[place]
        for other, seeding in enumerate(entrants):
            if other != place:
                change = new.halves[place][other] - old.halves[place][other]
                # As Python integers: unsigned ones do not take a negative summand.
                self.halves[seeding - 1] = int(self.halves[seeding - 1]) + change
                self.met[seeding - 1] = int(self.met[seeding - 1]) + new.games - old.games


def read_counts(data: bytes, count: int) -> Counts:
    """One number per entry; missing ones are 0."""
    if not data:
        return np.zeros(count, dtype=np.uint16)
    return np.frombuffer(data, dtype=_STORED).astype(np.uint16)


def write_counts(counts: Counts) -> bytes:
    return counts.astype(_STORED).tobytes() if counts.any() else b""
