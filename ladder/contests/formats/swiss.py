"""The Swiss system: equals meet, and rematches are avoided where possible.

Everybody is sorted by points. From the top, each is paired with an entry of the same points half a
score group below (so that the best meet late), else as near as possible. If some are left without a
new opponent, a maximum matching finds the pairing with the fewest rematches. With an odd number,
the last of those with the fewest byes has a bye.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial

from ladder.contests.formats import matching
from ladder.contests.formats.meetings import Contestant, FormatOptions, Meeting, Stage
from ladder.contests.formats.round_robin import legs

MOST_LEAN = 2
"""Most games by which the first seat may outnumber the others, or the reverse, where possible."""

WIDTH = 64
"""Places in the ranking that are searched for opponents at first; nearly always enough."""


def rounds(count: int, options: FormatOptions) -> int:
    """The rounds that single out an entry that wins all of them, and one more, unless set."""
    if count < 2:
        return 0
    return options.rounds or min(count - 1 + count % 2, math.ceil(math.log2(count)) + 1)


def games(count: int, options: FormatOptions) -> int:
    return rounds(count, options) * (count // 2) * legs(options)


def pair(stage: Stage) -> list[Meeting]:
    """Meetings in the order of the standings, then the bye, if there is one."""
    present = [one for one in stage.field if not one.withdrawn]
    ranking = sorted(present, key=lambda one: (-one.points, one.seeding))
    mates = _mates(ranking)
    meetings: list[Meeting] = []
    byes: list[Meeting] = []
    for place, one in enumerate(ranking):
        other = mates[place]
        if other == len(ranking):
            byes.append(Meeting((one.seeding,)))
        elif place < other:
            seats = _sides(one, ranking[other], stage.number)
            meetings.append(Meeting(seats, legs(stage.options)))
    return meetings + byes


def _sides(one: Contestant, two: Contestant, number: int) -> tuple[int, int]:
    """The entry with fewer games in the first seat has it now; equal ones alternate by rounds."""
    first = one.lean < two.lean or (one.lean == two.lean and (one.seeding + number) % 2 == 1)
    return (one.seeding, two.seeding) if first else (two.seeding, one.seeding)


def _mates(ranking: Sequence[Contestant]) -> list[int]:
    """For each place in the ranking, the place of the opponent; `len(ranking)` is the bye."""
    count = len(ranking)
    bye = count if count % 2 else 0
    leaning = any(abs(one.lean) >= MOST_LEAN for one in ranking)
    mates: list[int] = []
    for width, sided in ((WIDTH, leaning), (count, leaning), (count, False)):
        wishes = _wishes(ranking, width)
        if sided:
            wishes = [[b for b in row if not _clash(ranking, a, b)] for a, row in enumerate(wishes)]
        mates = matching.match(wishes, bye)  # the bye first, so that nobody gets two
        if matching.NOBODY not in mates:
            return mates
    left = [place for place, mate in enumerate(mates) if mate == matching.NOBODY]
    for one, two in zip(left[::2], left[1::2], strict=True):  # unavoidable rematches
        mates[one], mates[two] = two, one
    return mates


def _clash(ranking: Sequence[Contestant], a: int, b: int) -> bool:
    """Whether one of the two would have the same seat too often."""
    if max(a, b) >= len(ranking):
        return False
    one, two = ranking[a].lean, ranking[b].lean
    return abs(one) >= MOST_LEAN and abs(two) >= MOST_LEAN and (one > 0) == (two > 0)


def _wishes(ranking: Sequence[Contestant], width: int) -> list[list[int]]:
    """The opponents of each without a rematch, best first, at most `width` places away.

    The bye is a place at the bottom, for those with the fewest byes.
    """
    count = len(ranking)
    groups = Counter(one.points for one in ranking)
    fewest = min((one.byes for one in ranking), default=0)
    bye = [count] if count % 2 else []
    wishes: list[list[int]] = []
    for place, one in enumerate(ranking):
        aim = place + groups[one.points] // 2
        near = range(max(0, place - width), min(count, place + width + 1))
        rivals = [p for p in near if p != place and not one.met.get(ranking[p].seeding)]
        rivals.sort(key=partial(_distance, ranking, one, aim))
        wishes.append(rivals + (bye if one.byes == fewest else []))
    if bye:
        wishes.append([p for p in range(count - 1, -1, -1) if ranking[p].byes == fewest])
    return wishes


def _distance(
    ranking: Sequence[Contestant], one: Contestant, aim: int, other: int
) -> tuple[float, bool, int, int]:
    rival = ranking[other]
    both_want_the_same_seat = one.lean * rival.lean > 0
    return abs(rival.points - one.points), both_want_the_same_seat, abs(other - aim), other
