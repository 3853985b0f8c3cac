"""An arena plays matches: in worker processes of this machine, or on the machines of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engines.games import GAMES
from ladder.runner import play_job
from ladder.runner.bounds import longest_s
from ladder.runner.sandbox.lodgings import sweep
from ladder.runner.selftest import BOTS_FOLDER
from ladder.values import Kind, MatchJob, MatchReport
from ladder.workers.pool import WorkerPool

RESERVED_SLOTS = 2
"""Slots for newcomers only, besides one per core. An account gets one of them at a time, so the
other is free for the uploads of others, also if its bots are slow and all cores are busy. Their
processes are started when they are needed, and share the cores: clocks count CPU time."""

RESERVED_IDLE_SECONDS = 120.0
"""A process takes as much memory as a worker, and seconds to start."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """The matches that an arena can take now."""

    slots: int
    """Matches at once."""
    kinds: tuple[Kind, ...]
    """Kinds of bots: uploaded code needs a sandbox."""
    games: tuple[str, ...]
    """The games that can be played."""
    sandbox: str
    """The tiers of its sandboxes, or "none"."""
    reserved: int = 0
    """Matches of newcomers that it plays in addition, at once."""


class Arena(Protocol):
    """Plays matches for a dispatcher, without a state of its own."""

    def capacity(self) -> Capacity:
        """Quick, and never raises: a cluster that is away has no slots."""
        ...

    def play(self, job: MatchJob) -> Future[MatchReport]:
        """Raises an `Exception` when the match cannot be played through our own fault."""
        ...

    def close(self) -> None:
        """Stop at once; matches that are being played fail."""
        ...


def all_games() -> tuple[str, ...]:
    """The games that this installation knows."""
    return tuple(game.name for game in GAMES)


class LocalArena:
    """Worker processes of this machine, one per core, and further ones for newcomers."""

    def __init__(
        self,
        workers: int,
        data: Path,
        tier: str | None,
        games: Callable[[], tuple[str, ...]] = all_games,
        native: bool = True,
    ) -> None:
        """`tier`: the sandbox of uploaded code; None leaves such matches to others.

        `games` tells which games may be played right now. Without `native`, matches of native bots
        are left to others as well.
        """
        self._data = data
        self._tier = tier
        self._games = games
        self._workers = workers
        self._kinds = tuple(
            kind for kind in Kind if kind.runs_in(tier) and (native or kind is not Kind.NATIVE)
        )
        self._pool = WorkerPool(workers)
        self._reserved = WorkerPool(RESERVED_SLOTS, idle_seconds=RESERVED_IDLE_SECONDS)

    def capacity(self) -> Capacity:
        return Capacity(
            slots=self._workers,
            kinds=self._kinds,
            games=self._games(),
            sandbox=self._tier or "none",
            reserved=RESERVED_SLOTS,
        )

    @property
    def process_ids(self) -> list[int]:
        """Of the workers that have been started."""
        return self._pool.process_ids + self._reserved.process_ids

    def play(self, job: MatchJob) -> Future[MatchReport]:
        # Servers of the previous release send jobs without this field.
        pool = self._reserved if getattr(job, "reserved", False) else self._pool
        return pool.submit_within(longest_s(job), play_job, job, self._data, self._tier)

    def close(self) -> None:
        for pool in (self._pool, self._reserved):
            pool.shutdown(wait=False, cancel_futures=True)
        for pool in (self._pool, self._reserved):
            pool.shutdown(cancel_futures=True)
        sweep(self._data / BOTS_FOLDER)  # the sandboxes that the workers started in advance
