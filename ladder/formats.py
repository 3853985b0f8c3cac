"""Formats of tournaments, as pure functions from entries to pairings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def round_robin(entries: Sequence[T]) -> list[list[tuple[T, T]]]:
    """Rounds in which everybody meets everybody once and nobody plays twice (Berger's tables).

    The last entry stays while the others turn around it; with an odd number, whoever would meet
    the empty place has a bye.
    """
    places: list[T | None] = list(entries)
    if len(places) % 2:
        places.append(None)
    rounds = []
    for turn in range(len(places) - 1):
        circle = places[:-1]
        circle = [*circle[turn:], *circle[:turn], places[-1]]
        half = len(circle) // 2
        meetings = zip(circle[:half], reversed(circle[half:]), strict=True)
        rounds.append([(one, two) for one, two in meetings if one is not None and two is not None])
    return rounds
