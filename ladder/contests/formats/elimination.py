"""Single elimination: the bracket, and who has won a meeting of several games.

A bracket has a power of two of places. Seeds are laid out so that the best two can meet in the
final only, the best four in the semi-finals, and so on; empty places are byes for the best seeds. A
board's winner goes on to board `board // 2` of the next round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.contests.formats.meetings import FormatOptions, Meeting, Stage

BEST_OF = 3

EXTRA_PAIRS = 2
"""Most extra pairs of games, sides swapped, that may break a tie before scores and seeding do."""


def rounds(count: int, options: FormatOptions) -> int:
    return (count - 1).bit_length() if count > 1 else 0


def best_of(options: FormatOptions) -> int:
    return options.best_of or BEST_OF


def layout(size: int) -> list[int]:
    """The seeds of the places of a bracket, from top to bottom; `size` is a power of two.

    size 8:  1 8 4 5 2 7 3 6      1 meets 8, and the winner that of 4 and 5
    """
    order = [1]
    while len(order) < size:
        top = 2 * len(order) + 1
        order = [seed for one in order for seed in (one, top - one)]
    return order


def pair(stage: Stage) -> list[Meeting]:
    """The boards of the next round from top to bottom; the match for third place comes last."""
    gone = {one.seeding for one in stage.field if one.withdrawn}
    if stage.number == 1:
        size = 1 << rounds(stage.count, stage.options)
        places: list[int | None] = [s if s <= stage.count else None for s in layout(size)]
    else:
        places = [board.winner for board in stage.past[-1]]
    still: list[int | None] = [None if one in gone else one for one in places]
    boards = [_board((still[i], still[i + 1]), stage.options) for i in range(0, len(still) - 1, 2)]
    final = len(boards) == 1
    if final and stage.options.third_place and stage.past:
        losers = [board.loser for board in stage.past[-1]]
        third = _board([None if one in gone else one for one in losers], stage.options)
        if third.entrants:
            boards.append(third)
    return boards


def _board(pair: Sequence[int | None], options: FormatOptions) -> Meeting:
    entrants = tuple(one for one in pair if one is not None)
    return Meeting(entrants, first_games(best_of(options)) if len(entrants) == 2 else 0)


def first_games(most: int) -> int:
    """Games that are always played, in pairs with sides swapped."""
    needed = most // 2 + 1
    return min(most, needed + needed % 2)


@dataclass(frozen=True, slots=True)
class Ruling:
    """The result of a meeting: a winner (by place), or more games."""

    winner: int | None = None
    more: int = 0
    by: str = ""
    """The tie-break that decided, if one had to."""


def judge(
    points: Sequence[float], scores: Sequence[float], played: int, most: int, seeds: Sequence[int]
) -> Ruling:
    """Rule on a meeting of two whose games so far are all over.

    `points` and `scores` are sums over the games. More points than the other can still reach win.
    When all games are played and points are equal, a limited number of further pairs is played;
    then the higher sum of scores wins, then the better seed: one of the two always advances.
    """
    lead = points[0] - points[1]
    left = max(0, most - played)
    if abs(lead) > left:
        return Ruling(0 if lead > 0 else 1, by="" if played <= most else "extra games")
    if left:
        return Ruling(more=min(2, left))
    if played < most + 2 * EXTRA_PAIRS:
        return Ruling(more=2)
    if scores[0] != scores[1]:
        return Ruling(0 if scores[0] > scores[1] else 1, by="higher score")
    return Ruling(0 if seeds[0] < seeds[1] else 1, by="better seed")
