"""Formats with fixed meetings: the round robin and the gauntlet."""

from __future__ import annotations

from ladder.contests.formats.meetings import FormatOptions, Meeting, Stage

LEGS = 2
"""Games of a meeting by default: one from each side."""


def legs(options: FormatOptions) -> int:
    return options.legs or LEGS


def rounds(count: int, options: FormatOptions) -> int:
    return 0 if count < 2 else count - 1 + count % 2


def games(count: int, options: FormatOptions) -> int:
    return count * (count - 1) // 2 * legs(options)


def pair(stage: Stage) -> list[Meeting]:
    """A round of Berger's tables: over all rounds everybody meets everybody once.

    In round r two entries meet if their numbers add up to r + 1 modulo n - 1; the entry that would
    meet itself meets the last. With an odd number the last place is empty: a bye.
    """
    count = stage.count
    last = count + count % 2
    cycle = last - 1
    total = stage.number + 1
    meetings = []
    for one in range(1, last):
        two = (total - one) % cycle or cycle
        if two == one:
            two = last
        if one < two <= count:
            meetings.append(Meeting(_sides(one, two, last), legs(stage.options)))
    return meetings


def _sides(one: int, two: int, last: int) -> tuple[int, int]:
    """The two in the order of their seats: everybody has the first seat every other time (`one` <
    `two`).
    """
    ahead = one <= last // 2 if two == last else (one + two) % 2 == 1
    return (one, two) if ahead else (two, one)


def gauntlet_rounds(count: int, options: FormatOptions) -> int:
    return min(1, count - 1) if count else 0


def gauntlet_games(count: int, options: FormatOptions) -> int:
    return max(0, count - 1) * legs(options)


def pair_gauntlet(stage: Stage) -> list[Meeting]:
    """The champion meets everybody else, all in one round."""
    others = (one.seeding for one in stage.field if one.seeding != stage.champion)
    return [
        # The first seat alternates, because a meeting may have an odd number of games.
        Meeting(
            (stage.champion, other) if place % 2 == 0 else (other, stage.champion),
            legs(stage.options),
        )
        for place, other in enumerate(others)
    ]
