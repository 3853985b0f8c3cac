"""Where matches are played: in worker processes of this machine, or of a cluster's machines."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engines.games import GAMES
from ladder.pool import WorkerPool
from ladder.runner import play_job
from ladder.runner.sandbox.lodgings import sweep
from ladder.runner.selftest import BOTS_FOLDER
from ladder.values import Kind, Limits, MatchJob, MatchReport


@dataclass(frozen=True, slots=True)
class Capacity:
    """What an arena can take right now."""

    slots: int
    """Matches at once."""
    kinds: tuple[Kind, ...]
    """Of bots: without a sandbox nobody runs uploaded code."""
    games: tuple[str, ...]
    sandbox: str
    """The tiers of its sandboxes, or "none"."""


class Arena(Protocol):
    """Plays matches for a dispatcher, and holds no truth about them."""

    def capacity(self) -> Capacity:
        """Quick, and never raises: a cluster that is away has no slots."""
        ...

    def play(self, job: MatchJob) -> Future[MatchReport]:
        """Fails with an `Exception` when the match could not be played through our own fault."""
        ...

    def close(self) -> None:
        """Stop at once; matches that are being played fail."""
        ...


class LocalArena:
    """Worker processes here, each on a core of its own."""

    def __init__(self, workers: int, limits: Limits, data: Path, tier: str | None) -> None:
        """`tier`: where uploaded code runs; None leaves its matches to others."""
        self._data = data
        self._tier = tier
        self._capacity = Capacity(
            workers,
            tuple(kind for kind in Kind if kind.runs_in(tier)),
            tuple(game.name for game in GAMES),
            tier or "none",
        )
        self._pool = WorkerPool(workers, _longest_match_seconds(limits))

    def capacity(self) -> Capacity:
        return self._capacity

    @property
    def process_ids(self) -> list[int]:
        """Of the workers that have been started."""
        return self._pool.process_ids

    def play(self, job: MatchJob) -> Future[MatchReport]:
        return self._pool.submit(play_job, job, self._data, self._tier)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        sweep(self._data / BOTS_FOLDER)  # the sandboxes that workers had started ahead


def _longest_match_seconds(limits: Limits) -> float:
    """A worker that takes longer than all clocks of ten seats together hangs through our fault."""
    return 10 * (limits.match_ms + limits.start_ms) / 1000 * limits.wall_factor + 60
