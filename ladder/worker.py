"""Keeps an arena busy: leases matches, has them played, and records the results.

The dispatcher holds no truth. Whatever happens to it, matches it had leased go back to the queue
when their lease runs out.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import random
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from engines.game import AnyGame
from engines.games import GAMES
from ladder import matches, results, space
from ladder.arena import Arena
from ladder.complaints import complain
from ladder.errors import RefereeFailure, Shortage
from ladder.meters import Meters
from ladder.replays import ReplayStore
from ladder.results import Finished
from ladder.settings import Settings
from ladder.store import Database
from ladder.values import Fault, MatchJob

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.25
"""How long the queue may stand empty before it is looked at again."""

RETRY_SECONDS = 3.0

AHEAD_SECONDS = 0.5
"""For how long matches are leased ahead. Where they last longer, none is: whoever is idle takes
it. Where hundreds end in a second, workers need not wait for the database after each."""

MOST_AHEAD = 200

GATHER_SECONDS = 0.1
"""How long results are gathered for a transaction where more than one ends in that time."""

MOST_RECORDED = 50
"""Matches in one transaction, which others wait for."""

SETTLED_PAUSE_SECONDS = 2.0
"""Between pairings of a ladder on which every rating is settled: enough to see it move."""


class Dispatcher:
    """Plays queued matches until it is stopped."""

    def __init__(
        self,
        db: Database,
        replays: ReplayStore,
        arena: Arena,
        settings: Settings,
        pairing: bool = True,
    ) -> None:
        """Without `pairing`, only what others have queued is played."""
        self.db = db
        self.replays = replays
        self.arena = arena
        self.settings = settings
        self.owner = f"{settings.worker}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.meters = Meters()
        self.running: dict[int, MatchJob] = {}
        self._paired = GAMES if pairing else ()
        self._rests: dict[str, float] = {}
        """Until when nothing is paired in games whose ratings are settled."""
        self._rng = random.Random()
        self._pace = Pace()
        self._unplayed = 0
        self._plays: set[asyncio.Task[None]] = set()
        self._finished: asyncio.Queue[tuple[Finished, asyncio.Future[bool]]] = asyncio.Queue()
        self._leasing: asyncio.Future[list[MatchJob]] | None = None
        self._paused = False
        self._stopping = asyncio.Event()
        self._wake = asyncio.Event()

    def status(self) -> dict[str, str | int]:
        """What the health and metrics pages tell of this process."""
        capacity = self.arena.capacity()
        return {
            "sandbox": capacity.sandbox,
            "workers": capacity.slots,
            "running": min(self._unplayed, capacity.slots),
        }

    async def run(self) -> None:
        """Work until `stop` is called."""
        self._recorder = asyncio.create_task(self._repeat(self._record))
        chores = [
            asyncio.create_task(self._repeat(self._lease)),
            asyncio.create_task(self._repeat(self._beat)),
        ]
        if self._paired:
            chores.append(asyncio.create_task(self._repeat(self._pair)))
        await self._stopping.wait()
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)

    def stop(self) -> None:
        """Take no more matches."""
        self._stopping.set()

    async def drain(self, seconds: float) -> None:
        """Wait for the running matches, at most so long, and hand back the others."""
        beat = asyncio.create_task(self._repeat(self._beat))
        if self._plays:
            await asyncio.wait(self._plays, timeout=seconds)
        beat.cancel()
        self._recorder.cancel()
        if self._leasing is not None:  # it may have been cut short in the middle
            await asyncio.gather(self._leasing, return_exceptions=True)
        left = await asyncio.to_thread(matches.hand_back, self.db, self.owner)
        if left:
            log.info("handed back %d running matches", left)

    async def _repeat(self, chore: Callable[[], Awaitable[None]]) -> None:
        """Do a chore again and again; when it fails (the database is away), after a while."""
        while True:
            try:
                await chore()
            except Exception as error:
                complain(log, "a chore of the dispatcher failed; it will be tried again", error)
                await asyncio.sleep(RETRY_SECONDS)

    async def _lease(self) -> None:
        self._wake.clear()
        capacity = self.arena.capacity()
        wanted = self._wanted(capacity.slots)
        free = wanted - self._unplayed
        # Several at once where many are wanted; there is still something to play meanwhile.
        if free > wanted // 4 and self._has_space():
            leasing = asyncio.to_thread(
                matches.lease,
                self.db,
                self.owner,
                self.settings.lease_seconds,
                free,
                capacity.kinds,
                self.settings.limits,
                capacity.games,
            )
            self._leasing = asyncio.ensure_future(leasing)
            jobs = await asyncio.shield(self._leasing)
            for job in jobs:
                self.running[job.match_id] = job
                self._unplayed += 1
                play = asyncio.create_task(self._play(job))
                self._plays.add(play)
                play.add_done_callback(self._plays.discard)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), PAUSE_SECONDS)

    def _wanted(self, slots: int) -> int:
        """How many matches to have at once, those that wait for a worker included."""
        if not slots:
            return 0
        return slots + min(MOST_AHEAD, int(self._pace.per_second() * AHEAD_SECONDS))

    def _has_space(self) -> bool:
        """Whether matches may begin; said once when that changes."""
        low = space.is_low(self.settings.data)
        if low and not self._paused:
            log.warning("the disk is nearly full: no match begins until there is space again")
        elif self._paused and not low:
            log.info("the disk has space again: matches go on")
        self._paused = low
        return not low

    async def _play(self, job: MatchJob) -> None:
        began = time.monotonic()
        if job.waited_s:
            self.meters.observe("ladder_queue_seconds", job.waited_s, purpose=job.purpose)
        try:
            try:
                report = await asyncio.wrap_future(self.arena.play(job))
            finally:
                self._unplayed -= 1
            self._pace.note()
            self._wake.set()
        except Exception as error:
            self.meters.count("ladder_match_failures_total", fault=_fault(error))
            log.warning("match %d could not be played: %s", job.match_id, error, extra=_ids(job))
            await self._give_up(job, error)
        else:
            recorded = asyncio.get_running_loop().create_future()
            self._finished.put_nowait((Finished(report, job.attempt), recorded))
            self.meters.observe("ladder_play_seconds", time.monotonic() - began, game=job.game)
            if await recorded:
                told = {"game": job.game, "ending": report.verdict.ending}
                self.meters.count("ladder_matches_finished_total", **told)
            else:
                self.meters.count("ladder_late_reports_total")
        finally:
            self.running.pop(job.match_id, None)
            self._wake.set()

    async def _give_up(self, job: MatchJob, error: Exception) -> None:
        """Hand a match back, as soon as the database takes it; until then we keep its lease."""
        short = isinstance(error, Shortage)
        fault = Fault.REFEREE if isinstance(error, RefereeFailure) else Fault.WORKER
        if short:  # trying again at once would help nobody
            await asyncio.sleep(RETRY_SECONDS)
        while True:
            try:
                return await asyncio.to_thread(
                    matches.give_up, self.db, self.owner, job, str(error), fault, not short
                )
            except Exception as trouble:
                complain(log, "a match could not be handed back", trouble, **_ids(job))
                await asyncio.sleep(RETRY_SECONDS)

    async def _record(self) -> None:
        """Record what has ended since the last time, all of it in one transaction."""
        batch = [await self._finished.get()]
        pace, room = self._pace.per_second(), MOST_RECORDED - 1 - self._finished.qsize()
        if pace * GATHER_SECONDS > 1 and room > 0:
            await asyncio.sleep(min(GATHER_SECONDS, room / pace))
        while not self._finished.empty() and len(batch) < MOST_RECORDED:
            batch.append(self._finished.get_nowait())
        try:
            await self._finish(batch)
        except Exception as error:
            complain(log, "results could not be recorded; they will be tried again", error)
            await asyncio.sleep(RETRY_SECONDS)
            for one in batch:  # alone, so that one that fails does not hold up the others
                try:
                    await self._finish([one])
                except Exception as trouble:
                    match_id = one[0].report.match_id
                    complain(
                        log, f"match {match_id} could not be recorded", trouble, match=match_id
                    )
                    self._finished.put_nowait(one)

    async def _finish(self, batch: Sequence[tuple[Finished, asyncio.Future[bool]]]) -> None:
        done = await asyncio.to_thread(
            results.finish, self.db, self.replays, self.owner, [one for one, _ in batch]
        )
        for one, recorded in batch:
            recorded.set_result(one.report.match_id in done)

    async def _beat(self) -> None:
        """Renew our leases and take back those of the dead."""
        if self.running:
            ids = list(self.running)
            await asyncio.to_thread(
                matches.renew, self.db, self.owner, ids, self.settings.lease_seconds
            )
        expired = await asyncio.to_thread(matches.expire, self.db)
        if expired:
            self.meters.count("ladder_lease_expiries_total", len(expired))
            told = {"matches": expired}
            log.warning("requeued %d matches of silent workers", len(expired), extra=told)
        await asyncio.sleep(self.settings.lease_seconds / 3)

    async def _pair(self) -> None:
        """Keep the queues filled, slowly those of ladders on which every rating is settled."""
        if not self._paused:
            enough = self._wanted(self.arena.capacity().slots)
            started = time.monotonic()
            hungry = [game for game in self._paired if self._rests.get(game.name, 0.0) <= started]
            short = await asyncio.to_thread(matches.short_queues, self.db, hungry, enough)
            for game in hungry:
                if game.name in short:
                    await self._fill(game, short[game.name])
        await asyncio.sleep(PAUSE_SECONDS)

    async def _fill(self, game: AnyGame, missing: int) -> None:
        """Pair until about so many more matches are queued."""
        while missing > 0:
            urgent = await asyncio.to_thread(matches.pair, self.db, game, self._rng)
            if not urgent:
                self._rests[game.name] = time.monotonic() + SETTLED_PAUSE_SECONDS
                return
            missing -= game.seats.start
            self._wake.set()


class Pace:
    """How many matches end in a second, as far as the last seconds tell."""

    def __init__(self) -> None:
        self._count = 0.0
        self._at = time.monotonic()

    def note(self) -> None:
        self._count = self.per_second() + 1
        self._at = time.monotonic()

    def per_second(self) -> float:
        # Each counts less the longer ago it was: with a rate r this settles at r.
        return self._count * math.exp(self._at - time.monotonic())


def _fault(error: Exception) -> str:
    """Whose it was that a match could not be played."""
    if isinstance(error, Shortage):
        return "shortage"
    return Fault.REFEREE if isinstance(error, RefereeFailure) else Fault.WORKER


def _ids(job: MatchJob) -> dict[str, int | str]:
    """What a line of the log says about a match besides its text."""
    return {"match": job.match_id, "game": job.game}
