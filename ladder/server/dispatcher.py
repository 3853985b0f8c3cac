"""Keeps an arena busy: leases matches, hands them to the arena, and records the results.

The dispatcher keeps no state of its own. If it dies, its matches return to the queue when their
leases end.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import random
import time
import uuid
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

from engines.competition import Competition
from ladder.errors import RefereeFailure, Shortage
from ladder.host import disk_space
from ladder.host.failures import log_failure
from ladder.host.meters import Meters
from ladder.matches import leasing, pairing, results
from ladder.matches.leasing import FreeSlots
from ladder.matches.pairing import Spent
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.settings import Settings
from ladder.store import Database
from ladder.values import NEWCOMERS, Fault, MatchJob, MatchReport
from ladder.workers.arena import Arena, Capacity

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.25
"""Seconds between two looks at an empty queue."""

RETRY_SECONDS = 3.0

AHEAD_SECONDS = 0.5
"""Seconds of play for which matches are leased ahead. Longer matches are not leased ahead: an idle
worker takes them. Where hundreds end in a second, workers need not wait for the database after
each.
"""

MOST_AHEAD = 200

COLLECT_SECONDS = 0.01
"""Seconds for which answers of workers are collected, if several arrive in that time."""

GATHER_SECONDS = 0.1
"""Seconds for which results are gathered for one transaction, if several arrive in that time."""

MOST_RECORDED = 50
"""Most matches in one transaction, because others wait for it."""

REST_SECONDS = 2.0
"""Seconds between two looks at a game that has nothing to pair, or only settled bots."""

SPENT_SECONDS = 600.0
"""Seconds after which bots that had met all others often enough are looked at again."""


_Played = tuple[MatchJob, MatchReport]


class Dispatcher:
    """Plays queued matches until it is stopped.

    Matches that end together wake the event loop once, and are recorded together: hundreds end in
    a second, and a task or a wake-up for each would cost as much as playing it.
    """

    def __init__(
        self,
        db: Database,
        replays: ReplayStore,
        arena: Arena,
        settings: Settings,
        pairing: bool = True,
    ) -> None:
        """Without `pairing`, it only plays matches that others have queued."""
        self.db = db
        self.replays = replays
        self.arena = arena
        self.settings = settings
        self.owner = f"{settings.worker}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.meters = Meters()
        self.running: dict[int, MatchJob] = {}
        self._paired = settings.played if pairing else ()
        self._rests: dict[str, float] = {}
        """By game without urgent pairings, the time of the next look at it."""
        self._pauses: dict[str, float] = {}
        """By game, the time from which settled bots are paired again."""
        self._spent: dict[str, Spent] = {}
        """By game, the versions that have met all others often enough."""
        self._spent_until: dict[str, float] = {}
        self._rng = random.Random()
        self._pace = Pace()
        self._unplayed: dict[tuple[int, int], MatchJob] = {}
        """The jobs that the arena plays, by match and attempt."""
        self._next_look = 0.0
        """The next time at which newcomers are leased though all workers are busy."""
        self._ended: deque[tuple[MatchJob, float, Future[MatchReport]]] = deque()
        """The answers of workers, and the time of the first; any thread adds to it."""
        self._collecting = False
        self._played: asyncio.Queue[_Played] = asyncio.Queue()
        """Finished matches to record."""
        self._news = asyncio.Event()
        """Matches have ended."""
        self._returns: set[asyncio.Task[None]] = set()
        """Failures of matches to record."""
        self._leasing: asyncio.Future[list[MatchJob]] | None = None
        self._paused = False
        self._stopping = asyncio.Event()
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def status(self) -> dict[str, str | int]:
        """The figures of this process for the health and metrics pages."""
        capacity = self.arena.capacity()
        return {
            "sandbox": capacity.sandbox,
            "kinds": " ".join(capacity.kinds),
            "workers": capacity.slots,
            "running": min(self._in_workers(), capacity.slots),
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
        """Stop taking matches."""
        self._stopping.set()

    async def drain(self, seconds: float) -> None:
        """Wait for the running matches, at most `seconds`, and hand back the others."""
        beat = asyncio.create_task(self._repeat(self._beat))
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.running:
                    self._wake.clear()
                    await self._wake.wait()
        beat.cancel()
        self._recorder.cancel()
        if self._leasing is not None:  # it may have been interrupted
            await asyncio.gather(self._leasing, return_exceptions=True)
        left = await asyncio.to_thread(leasing.hand_back, self.db, self.owner)
        if left:
            log.info("handed back %d running matches", left)

    async def _repeat(self, chore: Callable[[], Awaitable[None]]) -> None:
        """Repeat a chore; after a failure (the database is away), wait a while."""
        while True:
            try:
                await chore()
            except Exception as error:
                log_failure(log, "a task of the dispatcher failed; it will be tried again", error)
                await asyncio.sleep(RETRY_SECONDS)

    async def _lease(self) -> None:
        self._wake.clear()
        capacity = self.arena.capacity()
        room = self._room(capacity)
        if room is not None and self._has_space():
            work = asyncio.to_thread(
                leasing.fill_slots,
                self.db,
                self.owner,
                self.settings.lease_seconds,
                room,
                leasing.Playable(capacity.kinds, capacity.games, self.settings.limits),
            )
            self._leasing = asyncio.ensure_future(work)
            jobs = await asyncio.shield(self._leasing)
            for job in jobs:
                self._begin(job)
        with suppress(TimeoutError):
            async with asyncio.timeout(PAUSE_SECONDS):
                await self._wake.wait()

    def _in_workers(self) -> int:
        """Matches in workers, without reserved slots."""
        return sum(not job.reserved for job in self._unplayed.values())

    def _room(self, capacity: Capacity) -> FreeSlots | None:
        """The slots to fill now; None: none."""
        in_workers = self._in_workers()
        wanted = self._wanted(capacity.slots)
        # Several at once where many are wanted; the workers still have matches meanwhile.
        others = wanted - in_workers if wanted - in_workers > wanted // 4 else 0
        reserved = capacity.reserved - (len(self._unplayed) - in_workers)
        now = time.monotonic()
        if not others and (reserved <= 0 or now < self._next_look):
            return None
        self._next_look = now + PAUSE_SECONDS
        new = [job for job in self._unplayed.values() if job.purpose in NEWCOMERS]
        return FreeSlots(
            others=others,
            idle=max(0, capacity.slots - in_workers),
            share=max(1, capacity.slots - 1),
            reserved=max(0, reserved),
            held=Counter(job.account_id for job in new if not job.reserved),
            held_reserved=Counter(job.account_id for job in new if job.reserved),
        )

    def _wanted(self, slots: int) -> int:
        """The number of matches to hold at once, including those that wait for a worker."""
        if not slots:
            return 0
        return slots + min(MOST_AHEAD, int(self._pace.per_second() * AHEAD_SECONDS))

    def _has_space(self) -> bool:
        """Whether matches may begin; logs every change."""
        low = disk_space.is_low(self.settings.data)
        if low and not self._paused:
            log.warning("the disk is nearly full: matches start again when there is space")
        elif self._paused and not low:
            log.info("the disk has space again: matches go on")
        self._paused = low
        return not low

    def _begin(self, job: MatchJob) -> None:
        """Hand a match to the arena."""
        self.running[job.match_id] = job
        self._unplayed[job.match_id, job.attempt] = job
        if job.waited_s:
            self.meters.observe("ladder_queue_seconds", job.waited_s, purpose=job.purpose)
        began = time.monotonic()
        try:
            answer = self.arena.play(job)
        except Exception as error:
            answer = Future()
            answer.set_exception(error)
        answer.add_done_callback(partial(self._note_end, job, began))

    def _note_end(self, job: MatchJob, began: float, answer: Future[MatchReport]) -> None:
        """In any thread."""
        self._ended.append((job, began, answer))
        if not self._collecting and not self._loop.is_closed():
            self._collecting = True
            self._loop.call_soon_threadsafe(self._collect_soon)

    def _collect_soon(self) -> None:
        if self._pace.per_second() * COLLECT_SECONDS > 1:
            self._loop.call_later(COLLECT_SECONDS, self._collect)
        else:
            self._collect()

    def _collect(self) -> None:
        """Collect the matches that have ended."""
        self._collecting = False  # first: later additions are collected by the next call
        while self._ended:
            job, began, answer = self._ended.popleft()
            self._unplayed.pop((job.match_id, job.attempt), None)
            try:
                report = answer.result()
            except Exception as error:
                self.meters.count("ladder_match_failures_total", fault=_fault(error))
                log.warning(
                    "match %d could not be played: %s", job.match_id, error, extra=_ids(job)
                )
                giving_up = asyncio.create_task(self._give_up(job, error))
                self._returns.add(giving_up)
                giving_up.add_done_callback(self._returns.discard)
            else:
                self._pace.note()
                self._played.put_nowait((job, report))
                self.meters.observe("ladder_play_seconds", time.monotonic() - began, game=job.game)
        self._news.set()
        self._wake.set()

    def _end(self, job: MatchJob) -> None:
        """Forget a match whose lease ended."""
        if self.running.get(job.match_id) is job:
            del self.running[job.match_id]
        self._wake.set()

    async def _give_up(self, job: MatchJob, error: Exception) -> None:
        """Hand a match back as soon as the database accepts it; until then its lease is renewed."""
        short = isinstance(error, Shortage)
        fault = Fault.REFEREE if isinstance(error, RefereeFailure) else Fault.WORKER
        if short:  # an immediate retry would fail again
            await asyncio.sleep(RETRY_SECONDS)
        while True:
            try:
                await asyncio.to_thread(
                    leasing.give_up, self.db, self.owner, job, str(error), fault, not short
                )
                return self._end(job)
            except Exception as trouble:
                log_failure(log, "a match could not be handed back", trouble, **_ids(job))
                await asyncio.sleep(RETRY_SECONDS)

    async def _record(self) -> None:
        """Record all matches that have ended since the last time, in one transaction."""
        batch = [await self._played.get()]
        if self._pace.per_second() * GATHER_SECONDS > 1:
            with suppress(TimeoutError):
                async with asyncio.timeout(GATHER_SECONDS):
                    while self._unplayed and self._played.qsize() < MOST_RECORDED - 1:
                        self._news.clear()
                        await self._news.wait()
        while not self._played.empty() and len(batch) < MOST_RECORDED:
            batch.append(self._played.get_nowait())
        try:
            await self._finish(batch)
        except Exception as error:
            log_failure(log, "results could not be recorded; they will be tried again", error)
            await asyncio.sleep(RETRY_SECONDS)
            for (
                job,
                report,
            ) in batch:  # one by one, so that a failing one does not hold up the others
                try:
                    await self._finish([(job, report)])
                except Exception as trouble:
                    told = f"match {job.match_id} could not be recorded"
                    log_failure(log, told, trouble, match=job.match_id)
                    self._played.put_nowait((job, report))

    async def _finish(self, batch: Sequence[_Played]) -> None:
        finished = [Finished(report, job.attempt) for job, report in batch]
        quota = self.settings.log_quota
        done = await asyncio.to_thread(
            results.finish, self.db, self.replays, self.owner, finished, quota
        )
        for job, report in batch:
            self._end(job)
            if job.match_id in done:
                told = {"game": job.game, "ending": report.verdict.ending}
                self.meters.count("ladder_matches_finished_total", **told)
            else:
                self.meters.count("ladder_late_reports_total")

    async def _beat(self) -> None:
        """Renew our leases and requeue matches of dead workers."""
        if self.running:
            ids = list(self.running)
            await asyncio.to_thread(
                leasing.renew, self.db, self.owner, ids, self.settings.lease_seconds
            )
        expired = await asyncio.to_thread(leasing.expire, self.db)
        if expired:
            self.meters.count("ladder_lease_expiries_total", len(expired))
            told = {"matches": expired}
            log.warning(
                "requeued %d matches of workers that stopped answering", len(expired), extra=told
            )
        await asyncio.sleep(self.settings.lease_seconds / 3)

    async def _pair(self) -> None:
        """Keep the queues filled, slowly those of ladders on which every rating is settled."""
        if not self._paused:
            enough = self._wanted(self.arena.capacity().slots)
            started = time.monotonic()
            hungry = [game for game in self._paired if self._rests.get(game.name, 0.0) <= started]
            short = await asyncio.to_thread(pairing.short_queues, self.db, hungry, enough)
            for game in hungry:
                if game.name in short:
                    await self._fill(game, short[game.name])
        await asyncio.sleep(PAUSE_SECONDS)

    async def _fill(self, game: Competition, missing: int) -> None:
        """Pair until about `missing` more matches are queued."""
        if self._spent_until.get(game.name, 0.0) <= time.monotonic():
            self._spent[game.name] = set()
            self._spent_until[game.name] = time.monotonic() + SPENT_SECONDS
        while missing > 0:
            settled = self._pauses.get(game.name, 0.0) <= time.monotonic()
            paired = await asyncio.to_thread(
                pairing.pair,
                self.db,
                game,
                self._rng,
                settled=settled,
                spent=self._spent[game.name],
            )
            if paired is None or paired.pause_s:
                now = time.monotonic()
                self._rests[game.name] = now + REST_SECONDS
                if paired is not None:
                    self._pauses[game.name] = now + paired.pause_s
                    self._wake.set()
                return
            missing -= min(game.seats)
            self._wake.set()


class Pace:
    """The number of matches that ended per second lately."""

    def __init__(self) -> None:
        self._count = 0.0
        self._at = time.monotonic()

    def note(self) -> None:
        self._count = self.per_second() + 1
        self._at = time.monotonic()

    def per_second(self) -> float:
        # Older ones count less: at a constant rate r this converges to r.
        return self._count * math.exp(self._at - time.monotonic())


def _fault(error: Exception) -> str:
    """The cause of a match that could not be played."""
    if isinstance(error, Shortage):
        return "shortage"
    return Fault.REFEREE if isinstance(error, RefereeFailure) else Fault.WORKER


def _ids(job: MatchJob) -> dict[str, int | str]:
    """The subjects of a log line about a match."""
    return {"match": job.match_id, "game": job.game}
