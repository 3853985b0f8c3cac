"""Matches on many machines, through a Dask cluster.

A *hub* (Dask's scheduler) forwards matches, workers (Dask's workers, `ladder worker --executor`)
play them, and servers (`ladder serve --executor`) lease matches from the database and send them.
The cluster stores nothing: a match of a dead worker is requeued from the database, and of two
results the database takes one.

Every member of the cluster can run code on all its machines. So all addresses but loopback need
mutual TLS: the same authority signs all certificates.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import dask
from distributed import Client, Scheduler, Security, Status, Worker

from ladder.errors import RunnerFailure, Shortage
from ladder.host import temporary_folders
from ladder.hub_address import HubAddress
from ladder.settings import BadSetting, Settings
from ladder.values import Kind, MatchJob, MatchReport
from ladder.workers.arena import Arena, Capacity, all_games

log = logging.getLogger(__name__)

# Labels of a worker: the games and kinds that it can play, each with its number of slots.
_GAME, _KIND, _TIER = "game:", "kind:", "tier:"

# Labels of its slots, with their number.
_SLOT, _RESERVED = "slot", "slot for newcomers"

_CONNECT_SECONDS = 5.0
_OFFER_SECONDS = 1.0
"""Seconds until the hub learns about a game that has become ready."""
_SCRATCH = "ladder-cluster-"

_CONFIGURATION = {
    # The database requeues matches and counts attempts; Dask must not retry by itself.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.worker-ttl": "15s",
    "distributed.comm.timeouts.connect": f"{_CONNECT_SECONDS:.0f}s",
    "distributed.comm.retry.count": 0,
    # The work runs in sandboxed processes: a busy Dask worker is not full.
    "distributed.worker.memory.terminate": False,
    "distributed.admin.tick.limit": "30s",
}


def _security(settings: Settings) -> Security | None:
    """The TLS settings of connections to `settings.executor`; raises `BadSetting`."""
    address = HubAddress(
        executor=settings.executor,
        tls_ca=settings.tls_ca,
        tls_cert=settings.tls_cert,
        tls_key=settings.tls_key,
    )
    try:
        return address.security()
    except ValueError as error:
        raise BadSetting(str(error)) from error


@asynccontextmanager
async def hub(settings: Settings) -> AsyncIterator[str]:
    """Run a hub at `settings.executor`, and tell its address."""
    security = _security(settings)
    address = urlsplit(settings.executor)
    with (
        temporary_folders.scratch(_SCRATCH) as folder,
        dask.config.set(_CONFIGURATION | {"temporary-directory": str(folder)}),
    ):
        scheduler = Scheduler(
            host=address.hostname,
            port=address.port or 0,
            protocol=f"{address.scheme}://",
            security=security,
            dashboard=False,
        )
        async with scheduler:
            yield scheduler.address


_arena: Arena | None = None
"""The arena of this process: Dask calls functions, not objects."""


def _play_here(job: MatchJob) -> MatchReport:
    if _arena is None:
        raise RunnerFailure("this process has left the cluster")
    return _arena.play(job).result()


@asynccontextmanager
async def cluster_worker(settings: Settings, arena: Arena) -> AsyncIterator[asyncio.Task[None]]:
    """Play matches of a cluster until the context ends; then finish the running ones.

    Yields a task that ends when the hub is lost. Raises `OSError` if it is away from the start.
    """
    global _arena
    offer = arena.capacity()
    _arena = arena
    try:
        with temporary_folders.scratch(_SCRATCH) as folder, dask.config.set(_CONFIGURATION):
            worker = Worker(
                settings.executor,
                name=f"{socket.gethostname()}-{threading.get_native_id()}",
                nthreads=offer.slots + offer.reserved,
                resources=_labels(offer),
                memory_limit=0,
                local_directory=str(folder),
                security=_security(settings),
                dashboard=False,
            )
            async with worker:
                offering = asyncio.create_task(_keep_offering(worker, arena, offer))
                try:
                    yield asyncio.create_task(worker.finished())
                finally:
                    offering.cancel()
                    await _drain(worker, settings.drain_seconds)
    finally:
        _arena = None


def _labels(offer: Capacity) -> dict[str, float]:
    """The labels of a worker for the hub."""
    names = [
        f"{_TIER}{offer.sandbox}",
        *(f"{_GAME}{game}" for game in offer.games),
        *(f"{_KIND}{kind}" for kind in offer.kinds),
    ]
    threads = float(offer.slots + offer.reserved)
    return dict.fromkeys(names, threads) | {_SLOT: offer.slots, _RESERVED: offer.reserved}


async def _keep_offering(worker: Worker, arena: Arena, told: Capacity) -> None:
    """Tell the hub of games that become ready; a hub that is away is told later."""
    while True:
        await asyncio.sleep(_OFFER_SECONDS)
        offer = arena.capacity()
        if offer != told:
            with suppress(OSError):
                await worker.set_resources(**_labels(offer))
                told = offer


async def _drain(worker: Worker, seconds: float) -> None:
    """Take no more matches, and wait for the running ones and for their results to be fetched."""
    if worker.status is not Status.running:
        return
    worker.status = Status.paused
    waited = 0.0
    while (worker.state.executing_count or worker.data) and waited < seconds:
        await asyncio.sleep(0.1)
        waited += 0.1


class ClusterArena:
    """The current workers of a cluster."""

    def __init__(self, settings: Settings) -> None:
        """Connects, and goes on trying if the hub is away; raises `BadSetting`."""
        self._address = settings.executor
        self._security = _security(settings)
        self._client: Client | None = None
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._waiting: dict[Future[MatchReport], tuple[Any, set[str]]] = {}
        """The matches in the cluster: their futures there, and their labels."""
        self._connected = threading.Event()
        self._connector = threading.Thread(target=self._keep_connected, name="cluster", daemon=True)
        self._connector.start()
        self._connected.wait(_CONNECT_SECONDS)

    def _keep_connected(self) -> None:
        while not self._closing.is_set():
            client = self._client
            if client is None or client.status == "closed":
                try:
                    with dask.config.set(_CONFIGURATION):
                        self._client = Client(
                            self._address,
                            security=self._security,
                            timeout=_CONNECT_SECONDS,
                            set_as_default=False,
                            name="ladder",
                        )
                except (OSError, ValueError) as error:
                    log.warning("the hub at %s cannot be reached: %s", self._address, error)
                else:
                    self._connected.set()
            self._call_back()
            self._closing.wait(2.0)

    def _call_back(self) -> None:
        """Take back matches that no worker can play any more: Dask would keep them for later
        workers.
        """
        offers = [set(worker["resources"]) for worker in self._workers()]
        with self._lock:
            waiting = list(self._waiting.items())
        for answer, (sent, labels) in waiting:
            if sent.status == "pending" and not any(labels <= offer for offer in offers):
                _settle(
                    answer, Shortage("the cluster has lost the workers that could play this match")
                )
                sent.cancel()

    def capacity(self) -> Capacity:
        workers = self._workers()
        labels = sorted(set().union(*(worker["resources"] for worker in workers)))

        def named(what: str) -> list[str]:
            return [label.removeprefix(what) for label in labels if label.startswith(what)]

        slots = sum(worker["resources"].get(_SLOT, worker["nthreads"]) for worker in workers)
        reserved = sum(worker["resources"].get(_RESERVED, 0) for worker in workers)
        known = all_games()  # workers may have plug-ins that this server lacks
        return Capacity(
            int(slots),
            tuple(Kind(kind) for kind in named(_KIND)),
            tuple(game for game in named(_GAME) if game in known),
            ", ".join(named(_TIER)) or "none",
            int(reserved) if _have_slots(workers) else 0,
        )

    def _workers(self) -> list[dict[str, Any]]:
        client = self._client
        if client is None or client.status != "running":
            return []
        known = client.scheduler_info(n_workers=-1).get("workers", {})
        return [worker for worker in known.values() if worker["status"] == "running"]

    def play(self, job: MatchJob) -> Future[MatchReport]:
        answer: Future[MatchReport] = Future()
        client = self._client
        if client is None or client.status != "running":
            answer.set_exception(RunnerFailure("the hub of the cluster is away"))
            return answer
        labels = {f"{_GAME}{job.game}", *(f"{_KIND}{one.kind}" for one in job.entrants)}
        if _have_slots(self._workers()):
            labels.add(_RESERVED if job.reserved else _SLOT)
        sent = client.submit(
            _play_here,
            job,
            key=f"match-{job.match_id}-{job.attempt}-{id(answer):x}",
            pure=False,
            retries=0,
            resources=dict.fromkeys(labels, 1),
        )
        with self._lock:
            self._waiting[answer] = sent, labels
        answer.add_done_callback(self._forget)
        sent.add_done_callback(lambda done: _pass_on(done, answer))
        return answer

    def _forget(self, answer: Future[MatchReport]) -> None:
        with self._lock:
            self._waiting.pop(answer, None)

    def close(self) -> None:
        self._closing.set()
        self._connector.join()
        if self._client is not None:
            self._client.close(timeout=_CONNECT_SECONDS)


def _pass_on(done: Any, answer: Future[MatchReport]) -> None:
    """Fetch a result at once: it lies in the memory of a machine that may leave."""
    try:
        _settle(answer, done.result(timeout=_CONNECT_SECONDS))
    except RunnerFailure as error:
        _settle(answer, error)
    except (Exception, CancelledError) as error:
        _settle(answer, RunnerFailure(f"the cluster lost the match: {error!r}"))
    finally:
        done.release()


def _have_slots(workers: Sequence[dict[str, Any]]) -> bool:
    """Whether all workers have labels for slots: those of the previous release do not."""
    return all(_SLOT in worker["resources"] for worker in workers)


def _settle(answer: Future[MatchReport], outcome: MatchReport | RunnerFailure) -> None:
    """Settle a future once: a match may be taken back at the moment in which it ends."""
    with suppress(InvalidStateError):
        if isinstance(outcome, RunnerFailure):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)
