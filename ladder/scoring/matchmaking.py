"""Chooses the next pairings, as pure functions of short lists that the store reads from its
indexes.

New versions come first; then mostly unsettled ratings, but also the longest waiting bots and the
leaders. Opponents are close in skill, seldom met, and not certain to win or lose. Two versions meet
a bounded number of times, and the pause between pairings grows once every rating is settled: a
ladder on which nothing changes comes to rest.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.scoring.skill import BETA, SETTLED_SIGMA

PLACEMENT_MATCHES = 10
"""Matches that a new version plays first."""

LIST_LENGTH = 20
"""Most candidates of each kind: the cost is the same for any number of bots."""

SETTLED_MATCHES = 200
"""After so many matches a rating counts as settled, also where sigma stays large. It stays large
for a bot whose results are certain, because they contain no information.
"""

MOST_MEETINGS, MOST_CERTAIN_MEETINGS = 40, 10
"""Two versions meet no more often in a game of two seats; the second number, if all their matches
have ended in the same way.
"""

OWN_WEIGHT = 0.25
"""Weight of an opponent of the same owner, compared to the same opponent of another owner."""

SHORTEST_PAUSE_SECONDS = 2.0
LONGEST_PAUSE_SECONDS = 3600.0
PAUSED_MATCHES, PAUSE_DOUBLES = 100, 50
"""Matches of a settled bot after which the pause begins to grow, and after which it has doubled."""


@dataclass(frozen=True, slots=True)
class Contender:
    version_id: int
    bot_id: int
    mu: float
    sigma: float
    matches: int
    owner_id: int = 0
    house: bool = False

    @property
    def settled(self) -> bool:
        return self.sigma <= SETTLED_SIGMA or self.matches >= SETTLED_MATCHES


@dataclass(frozen=True, slots=True)
class Meetings:
    """The matches of two versions against each other."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    waiting: int = 0
    """Those that have not ended."""

    @property
    def count(self) -> int:
        return self.wins + self.draws + self.losses + self.waiting

    @property
    def openness(self) -> float:
        """How uncertain the next result is: 1 before the first, near 0 if all were the same."""
        ended = self.count - self.waiting
        return 1 - max(self.wins, self.draws, self.losses) / (ended + 2)

    @property
    def most(self) -> int:
        """The most matches of the two that are worth playing."""
        ended = self.count - self.waiting
        certain = max(self.wins, self.draws, self.losses) == ended > 0
        return MOST_CERTAIN_MEETINGS if certain else MOST_MEETINGS


_NEVER = Meetings()


def pause_s(focus: Contender) -> float:
    """Seconds until the next pairing of a ladder on which every rating is settled."""
    doubled = max(0, focus.matches - PAUSED_MATCHES) / PAUSE_DOUBLES
    return min(LONGEST_PAUSE_SECONDS, SHORTEST_PAUSE_SECONDS * math.pow(2, min(doubled, 60)))


def division_order(bots: Mapping[str, int], rng: random.Random) -> list[str]:
    """The order in which divisions are offered the next pairing. `bots` counts the bots of each
    that want one; a division with many of them is more often the first.
    """
    left = {division: count for division, count in bots.items() if count}
    order = []
    while left:
        (chosen,) = rng.choices(list(left), list(left.values()))
        order.append(chosen)
        del left[chosen]
    return order


def choose_focus(
    unsettled: Sequence[Contender],
    idle: Sequence[Contender],
    leaders: Sequence[Contender],
    busy: Mapping[int, int],
    rng: random.Random,
) -> Contender | None:
    """The bot that a match is made for. `busy` counts the open matches of versions.

    While there are unsettled bots, no match is made for a settled house bot.
    """
    newcomers = [
        one for one in unsettled if one.matches + busy.get(one.version_id, 0) < PLACEMENT_MATCHES
    ]
    if newcomers:
        return min(newcomers, key=lambda one: (_planned(one, busy), rng.random()))
    draw = rng.random()
    rested = [
        one
        for one in idle
        if not busy.get(one.version_id) and not (unsettled and one.house and one.settled)
    ]
    if rested and draw < (0.5 if unsettled else 0.9):
        return rested[0]
    if unsettled and draw < 0.9:
        weights = [one.sigma**2 / (1 + busy.get(one.version_id, 0)) for one in unsettled]
        return rng.choices(unsettled, weights)[0]
    first = [one for one in leaders[:3] if not (unsettled and one.house and one.settled)]
    choices = first or unsettled or leaders[:3]
    return rng.choice(choices) if choices else None


def _planned(one: Contender, busy: Mapping[int, int]) -> int:
    return one.matches + busy.get(one.version_id, 0)


def choose_opponents(
    focus: Contender,
    candidates: Sequence[Contender],
    met: Mapping[int, Meetings],
    count: int,
    rng: random.Random,
) -> list[Contender]:
    """`count` opponents, or fewer if there are not enough bots that it may still meet.

    In a match of many seats a bot meets many others at once, so it may meet each more often.
    """
    pool = {}
    for one in candidates:
        meetings = met.get(one.version_id, _NEVER)
        if one.bot_id != focus.bot_id and meetings.count < meetings.most * count:
            pool[one.bot_id] = one
    chosen: list[Contender] = []
    while pool and len(chosen) < count:
        others = list(pool.values())
        # First all house bots: so all bots are measured against the same field.
        others = [one for one in others if one.house and one.version_id not in met] or others
        weights = [_weight(focus, one, met.get(one.version_id, _NEVER)) for one in others]
        chosen.append(pool.pop(rng.choices(others, weights)[0].bot_id))
    return chosen


def _weight(focus: Contender, other: Contender, meetings: Meetings) -> float:
    own = OWN_WEIGHT if focus.owner_id == other.owner_id else 1.0
    weight = own * max(quality(focus, other), 1e-9) * meetings.openness
    return weight / (1 + meetings.count) ** 2


def quality(one: Contender, other: Contender) -> float:
    """TrueSkill's match quality: how open, and so how informative, a match of two is."""
    spread = 2 * BETA**2 + one.sigma**2 + other.sigma**2
    return math.sqrt(2 * BETA**2 / spread) * math.exp(-((one.mu - other.mu) ** 2) / (2 * spread))
