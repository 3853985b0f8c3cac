"""Runs evolution beside the server: one child process per run, at low priority.

The breeder keeps no state of its own: the progress of a run lies in its folder and in the database.
If the server dies, the run returns to the queue when its lease ends, and the next server resumes
from the last checkpoint.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress

from ladder.errors import Refusal
from ladder.evolution import breeding, simplify
from ladder.evolution.breeding import RunJob
from ladder.evolution.run_folder import RunFolder
from ladder.host.failures import log_failure
from ladder.settings import Settings
from ladder.store import Database
from ladder.workers.arena import all_games

log = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0
"""Seconds until a waiting run is noticed."""

LOOK_SECONDS = 1.0
"""Seconds between two looks at a running child."""

STOP_SECONDS = 8.0
"""Seconds for a child to end its generation when we stop; then it is killed, and the
generation is bred again."""

CHILD = (sys.executable, "-m", "ladder.evolution.child")
"""The command of the child, which gets the folder of the run."""


class Breeder:
    """Runs queued runs until it is stopped."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        tier: str | None,
        program: Sequence[str] = CHILD,
        ready: Callable[[], tuple[str, ...]] = all_games,
    ) -> None:
        """`tier`: the sandbox of guides that are uploaded code; None: these do not play.

        `ready` tells the games that are compiled. Runs of others wait: their processes would all
        compile the game, and the server compiles it as well.
        """
        self.db = db
        self.settings = settings
        self.tier = tier
        self.program = tuple(program)
        self.ready = ready
        self.owner = f"{socket.gethostname()}:{os.getpid()}"
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        """Work until `stop` is called; returns once no child is left."""
        await asyncio.gather(*(self._work() for _ in range(self.settings.evolution_runs)))

    async def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                await asyncio.to_thread(breeding.expire, self.db)
                job = await self._lease()
                if job is not None:
                    await self._breed(job)
                    continue
            except Exception as error:
                log_failure(log, "evolution failed; it will be tried again", error)
            await self._wait(PAUSE_SECONDS)

    async def _lease(self) -> RunJob | None:
        lease = f"{self.owner}:{uuid.uuid4().hex}"
        most = self.settings.evolution_runs
        return await asyncio.to_thread(
            breeding.lease, self.db, lease, self.settings.lease_seconds, most, self.ready()
        )

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _breed(self, job: RunJob) -> None:
        """Start or resume a run, follow it, and record its end."""
        folder = RunFolder(self.settings.evolution / str(job.run_id))
        log.info("evolution run %d begins or goes on", job.run_id)
        try:
            workers, data = self.settings.evolution_workers, self.settings.data
            await asyncio.to_thread(folder.prepare, job, workers, self.tier, data)
            child = await self._start(folder)
        except OSError as error:
            await asyncio.to_thread(breeding.give_up, self.db, job, f"cannot be started: {error}")
            await self._wait(PAUSE_SECONDS)
            return
        try:
            held = await self._follow(job, folder, child)
        finally:
            # Also when following failed: no other server may run it while this child does.
            await self._end(child)
        if held:
            await self._settle(job, folder, child.returncode)

    async def _start(self, folder: RunFolder) -> asyncio.subprocess.Process:
        background = (sys.executable, "-m", "ladder.host.background", str(os.getpid()))
        with folder.output.open("ab") as output:
            child = await asyncio.create_subprocess_exec(
                *background,
                *self.program,
                ".",
                cwd=folder.path,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # A group of its own: Ctrl-C is for the server, and we can end all of it.
                start_new_session=True,
            )
        folder.note_process(child.pid)
        return child

    async def _follow(
        self, job: RunJob, folder: RunFolder, child: asyncio.subprocess.Process
    ) -> bool:
        """Record generations until the child ends or we stop; False when the lease is gone."""
        ended = asyncio.ensure_future(child.wait())
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            while True:
                done, _ = await asyncio.wait(
                    {ended, stopping}, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                if not await self._record(job, folder):
                    log.info("the lease of evolution run %d is lost", job.run_id)
                    return False
                if done:
                    return True
        finally:
            stopping.cancel()
            ended.cancel()

    async def _record(self, job: RunJob, folder: RunFolder) -> bool:
        """Renew the lease and record new generations; False when the lease is gone."""
        lines = await asyncio.to_thread(folder.new_generations)
        seconds = self.settings.lease_seconds
        try:
            held = await asyncio.to_thread(breeding.record, self.db, job, seconds, lines)
        except Exception as error:
            log_failure(
                log, f"evolution run {job.run_id} could not be recorded; tried again soon", error
            )
            return True  # the database is away: a longer absence ends the lease
        folder.taken()
        return held

    async def _end(self, child: asyncio.subprocess.Process) -> None:
        """Ask a child to end, or kill it with all its processes."""
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.terminate()
            with suppress(TimeoutError):
                await asyncio.wait_for(child.wait(), STOP_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()

    async def _settle(self, job: RunJob, folder: RunFolder, code: int | None) -> None:
        await self._record(job, folder)  # the last generations
        if code == 0 and folder.complete:
            await asyncio.to_thread(self._finish, job, folder)
        elif self._stopping.is_set():
            await asyncio.to_thread(breeding.hand_back, self.db, job)
            log.info("evolution run %d waits for the next start", job.run_id)
        else:
            trouble = await asyncio.to_thread(folder.trouble, code)
            log.warning("evolution run %d failed: %s", job.run_id, trouble)
            await asyncio.to_thread(breeding.give_up, self.db, job, trouble)

    def _finish(self, job: RunJob, folder: RunFolder) -> None:
        champion, report = folder.champion.read_bytes(), folder.report.read_bytes()
        try:
            if breeding.finish(self.db, job, champion, report, simplify(job.domain, champion)):
                log.info("evolution run %d is finished and its champion entered", job.run_id)
        except Refusal as error:
            breeding.give_up(self.db, job, str(error), for_good=True)
            log.warning("the champion of evolution run %d was refused: %s", job.run_id, error)
