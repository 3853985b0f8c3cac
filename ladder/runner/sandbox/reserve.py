"""Cages started ahead, each used once: a bot then starts in a millisecond instead of fifty.

Such a cage runs our own code behind all walls and waits for its first bot. The referee takes cages
here, and refills the reserve after the match.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ladder.errors import RunnerFailure
from ladder.runner.sandbox.cage import Cage
from ladder.runner.sandbox.lodgings import sweep
from ladder.runner.sandbox.sandbox import Sandbox
from ladder.runner.sandbox.walls import BOTKIT, Guest, Tier
from ladder.values import Limits

MOST_WAITING = 4
"""Most waiting cages of a worker: each holds an interpreter, about 10 MiB."""

_Order = tuple[Guest, Limits]


class Reserve:
    """Launches like a `Sandbox`, from one thread, but keeps cages ready for requests like the last
    ones.
    """

    def __init__(self, sandbox: Sandbox, bots: Path) -> None:
        self._sandbox = sandbox
        self._bots = bots
        self._waiting: list[tuple[_Order, Cage]] = []
        self._asked: Counter[_Order] = Counter()
        sweep(bots)

    @property
    def tier(self) -> Tier:
        return self._sandbox.tier

    def __len__(self) -> int:
        return len(self._waiting)

    def launch(self, bots: Path, limits: Limits, guest: Guest = BOTKIT) -> Cage:
        """A cage for one bot; raises `RunnerFailure`."""
        order = guest, limits
        self._asked[order] += 1
        for waiting in [one for one in self._waiting if one[0] == order]:
            self._waiting.remove(waiting)
            cage = waiting[1]
            if cage.alive:
                return cage
            cage.close()  # killed while it waited, which is not a fault of the next bot
        return self._sandbox.launch(bots, limits, guest)

    def fill(self) -> None:
        """Start cages for a match like the last one, and drop those of another kind.

        Does not wait for them. A failure is ignored here: the next `launch` raises it.
        """
        wanted = list(self._asked.elements())[:MOST_WAITING]
        self._asked.clear()
        if not wanted:
            return
        kept: list[tuple[_Order, Cage]] = []
        for order, cage in self._waiting:
            if order in wanted and cage.alive:
                wanted.remove(order)
                kept.append((order, cage))
            else:
                cage.close()
        self._waiting = kept
        try:
            for guest, limits in wanted:
                cage = self._sandbox.launch(self._bots, limits, guest)
                self._waiting.append(((guest, limits), cage))
        except RunnerFailure:
            return

    def close(self) -> None:
        for _, cage in self._waiting:
            cage.close()
        self._waiting.clear()
