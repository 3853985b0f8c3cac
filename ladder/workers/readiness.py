"""Which games can be played on this machine: those that are compiled.

A server does not wait for all games: a child process (`ladder.workers.compiler`) compiles one after
the other, and each is played as soon as it is ready. Matches of the others wait in the queue.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from engines.competition import Competition
from engines.compiling import warmup
from engines.games import GAMES

log = logging.getLogger(__name__)

COMPILER = (sys.executable, "-m", "ladder.workers.compiler")
"""Called with our process id and the names of games."""

RETRY_SECONDS = 3.0
"""Pause after a compiler that died."""

MOST_DEATHS = 3
"""Deaths of the compiler after which a game is left out until the next start."""

MEANWHILE = "Bots can be uploaded meanwhile; their matches begin afterwards."


class Readiness:
    """The games that are played here, and the state of their compilation."""

    def __init__(self, games: Sequence[Competition], compiler: Sequence[str] = COMPILER) -> None:
        self._games = {game.name: game for game in games}
        self._compiler = tuple(compiler)
        self._waiting = [game.name for game in games if not warmup.is_warm(game)]
        """In order; the first one is being compiled."""
        self._failed: set[str] = set()
        """Games that cannot be played here. Only the log says why: readers must not learn our
        paths.
        """
        self._stopping = asyncio.Event()

    @property
    def ready(self) -> tuple[str, ...]:
        """The games whose matches may begin."""
        return tuple(
            name for name in self._games if name not in self._waiting and name not in self._failed
        )

    @property
    def waiting(self) -> tuple[str, ...]:
        """The games that are not compiled yet, the one that is being compiled first."""
        return tuple(self._waiting)

    def note(self, game: Competition) -> str:
        """A sentence for people about a game that is not ready; empty if it is."""
        if game.name not in self._games:
            return f"No match of {game.title} is played by this server."
        if game.name in self._failed:
            return f"{game.title} cannot be played on this server. The log of the server says why."
        if game.name not in self._waiting:
            return ""
        place = self._waiting.index(game.name)
        if place == 0:
            return f"{game.title} is being compiled on this server now. {MEANWHILE}"
        before = f"{place} other {'games' if place > 1 else 'game'}"
        return f"{game.title} waits to be compiled on this server, after {before}. {MEANWHILE}"

    def notes(self) -> dict[str, str]:
        """These sentences about all games that are not ready, by name."""
        found = {game.name: self.note(game) for game in GAMES}
        return {name: note for name, note in found.items() if note}

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        """Compile the remaining games, until all are compiled or `stop` is called."""
        deaths = 0
        while self._waiting and not self._stopping.is_set():
            first = self._waiting[0]
            log.info("compiling %d games, first %s", len(self._waiting), first)
            code = await self._compile()
            if self._stopping.is_set() or not self._waiting:
                return
            deaths = deaths + 1 if self._waiting[0] == first else 1
            if deaths == MOST_DEATHS:
                self._fail(self._waiting[0], f"compiling it ended {deaths} processes (code {code})")
                deaths = 0
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), RETRY_SECONDS)

    async def _compile(self) -> int | None:
        """Run one child that compiles games; return its exit code."""
        child = await asyncio.create_subprocess_exec(
            *self._compiler,
            str(os.getpid()),
            *self._waiting,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            # A group of its own: Ctrl-C is for the server, which ends it.
            start_new_session=True,
        )
        reading = asyncio.ensure_future(self._read(child))
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            reading.cancel()
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # only time is lost
            await child.wait()
        return child.returncode

    async def _read(self, child: asyncio.subprocess.Process) -> None:
        assert child.stdout is not None
        async for line in child.stdout:
            told = json.loads(line)
            name, trouble = told["game"], told["trouble"]
            if name not in self._waiting:
                continue
            if trouble:
                self._fail(name, trouble)
            else:
                self._waiting.remove(name)
                log.info("%s is compiled: its matches begin", name, extra={"game": name})
        await child.wait()

    def _fail(self, name: str, reason: str) -> None:
        self._waiting.remove(name)
        self._failed.add(name)
        log.error("%s is not played: %s", name, reason, extra={"game": name})
