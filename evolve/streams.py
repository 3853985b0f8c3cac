"""Random streams by key: the numbers depend only on the key, never on threads or order.

A key is a prefix of (seed, purpose, island, generation, individual, game). So a run gives the same
bytes with any number of workers, and after it was killed and resumed.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class StreamPurpose(IntEnum):
    """The purpose of a stream: streams of different purposes are independent."""

    FOUNDING = 1
    BREEDING = 2
    FITNESS = 3
    MIGRATION = 4
    DESIGNATION = 5
    FINALS = 6
    ANALYSIS = 7
    QUALIFYING = 8


def _sequence(seed: int, key: tuple[int, ...]) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=key)


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random generator of the key."""
    return np.random.Generator(np.random.PCG64(_sequence(seed, key)))


def number(seed: int, *key: int) -> int:
    """The seed of a game: 63 bits, so that it fits a signed integer."""
    return int(_sequence(seed, key).generate_state(1, np.uint64)[0] >> 1)
