"""Assembles the server (database, sandbox, workers, scheduler and web) and stops it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress

from rich.progress import Progress

from engines.games import GAMES, LEFT_OUT
from ladder import evolution
from ladder.contests import leagues, tournaments
from ladder.errors import NoSandbox
from ladder.evolution.breeder import Breeder
from ladder.matches.replays import ReplayStore
from ladder.runner.sandbox import Tier
from ladder.runner.selftest import choose_tier, native_fault
from ladder.server.dispatcher import Dispatcher
from ladder.server.replay_cleanup import ReplayCleaner
from ladder.server.scheduler import Scheduler
from ladder.settings import Settings
from ladder.store import Database, migrate
from ladder.uploads import submissions
from ladder.values import TournamentStatus
from ladder.views import TournamentView
from ladder.web.app import make_app
from ladder.web.http.listen import listening
from ladder.workers.arena import Arena, LocalArena, all_games
from ladder.workers.readiness import Readiness

log = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.5

REJOIN_SECONDS = 2.0
"""Seconds to wait for a lost hub."""

Ready = Callable[[], tuple[str, ...]]
"""Returns the games that can be played now."""


def tell_left_out(settings: Settings) -> None:
    """Log each game that should be played and cannot be."""
    for one in LEFT_OUT:
        log.warning("the plug-in %s is left out: %s", one.plugin, one.reason)
    for name in settings.missing_games:
        log.warning("the setting only_games names %s, which is not installed", name)


@contextmanager
def opened(settings: Settings) -> Iterator[Database]:
    """The database of the settings, brought to the newest schema."""
    db = Database(settings.database_url, pool_size=settings.worker_count + 8)
    try:
        if migrate.upgrade(db):
            log.info("the database has been brought to the newest schema")
        yield db
    finally:
        db.close()


def find_tier(settings: Settings) -> str | None:
    """The sandbox tier of this machine; where there is none, only house bots play."""
    try:
        return choose_tier(settings.data, None if settings.sandbox == "auto" else settings.sandbox)
    except NoSandbox as error:
        log.warning("uploaded bots will not be run: %s", error)
        return None


async def serve(settings: Settings, *, web: bool = True) -> None:
    """Run until a signal ends it. Without `web`, only play the matches in the database."""
    stop = _stop_on_signals()
    tell_left_out(settings)
    async with AsyncExitStack() as stack:
        # A server of a cluster plays nothing itself, so it needs no compiled games.
        games = Readiness(() if settings.executor else settings.played)
        await stack.enter_async_context(_compiling(games))
        db = stack.enter_context(opened(settings))
        replays = ReplayStore(settings.replays)
        submissions.seed_house_bots(db)
        leagues.ensure_leagues(db, settings)
        evolution.ensure_account(db)
        tier = await asyncio.to_thread(find_tier, settings)
        if web:
            breedable = all_games if settings.executor else lambda: games.ready
            breeder = await stack.enter_async_context(_breeding(settings, db, tier, breedable))
        dispatcher = await stack.enter_async_context(
            _dispatching(settings, db, replays, tier, ready=lambda: games.ready)
        )
        if web:
            scheduler = Scheduler(db)
            cleaner = ReplayCleaner(db, replays, settings.retention, dispatcher.meters)
            await stack.enter_async_context(cleaner.at_work())

            def status() -> dict[str, str | int]:
                return {
                    **dispatcher.status(),
                    "leads": int(scheduler.leadership.held_lately),
                    "games_to_compile": len(games.waiting),
                }

            def notes() -> dict[str, str]:
                return _cluster_notes(dispatcher.arena) if settings.executor else games.notes()

            app = make_app(settings, db, replays, status, dispatcher.meters, notes)
            address = await stack.enter_async_context(
                listening(app, settings.host, settings.port, settings.proxy_networks)
            )
            scheduler.start()
            stack.callback(scheduler.stop)
            print(f"Evoladder is at {address}  (Ctrl-C stops it)", flush=True)
        else:
            print(f"playing the matches of {db.url}  (Ctrl-C stops it)", flush=True)
        await stop.wait()
        print("finishing the running matches …", flush=True)
        games.stop()
        if web:
            breeder.stop()  # its child ends a generation while the matches end


async def play_out(settings: Settings, db: Database, tournament_id: int) -> TournamentView:
    """Play the queue until a tournament is over, or a signal comes."""
    stop = _stop_on_signals()
    replays = ReplayStore(settings.replays)
    tier = await asyncio.to_thread(find_tier, settings)
    with Progress(transient=True) as progress:
        task = progress.add_task("playing")
        async with _dispatching(settings, db, replays, tier, pairing=False):
            while not stop.is_set():
                view = await asyncio.to_thread(tournaments.tournament, db, tournament_id)
                progress.update(task, total=view.matches, completed=view.matches_finished)
                if view.status is not TournamentStatus.RUNNING:
                    break
                stuck = await asyncio.to_thread(tournaments.is_stuck, db, tournament_id)
                if stuck:
                    log.warning("matches are parked; see `ladder match parked`")
                    break
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), PROGRESS_SECONDS)
    return tournaments.tournament(db, tournament_id)


def _cluster_notes(arena: Arena) -> dict[str, str]:
    """A sentence about each game that no worker of the cluster plays."""
    offered = arena.capacity().games
    return {
        game.name: f"No worker of the cluster plays {game.title} now. Matches wait for one."
        for game in GAMES
        if game.name not in offered
    }


def _local_arena(settings: Settings, tier: str | None, ready: Ready) -> Arena:
    native = settings.native_bots
    if native and tier is not None and (fault := native_fault(settings.data, Tier(tier))):
        log.warning("native bots will not be run: %s", fault)
        native = False
    return LocalArena(settings.worker_count, settings.data, tier, ready, native)


def _arena(settings: Settings, tier: str | None, ready: Ready) -> Arena:
    if not settings.executor:
        return _local_arena(settings, tier, ready)
    from ladder.workers.cluster import ClusterArena  # a heavy library, needed only with a cluster

    return ClusterArena(settings)


async def help_cluster(settings: Settings) -> None:
    """Play matches of a cluster, without a database, until a signal ends it."""
    stop = _stop_on_signals()
    tell_left_out(settings)
    games = Readiness(settings.played)
    async with _compiling(games):
        tier = await asyncio.to_thread(find_tier, settings)
        arena = _local_arena(settings, tier, lambda: games.ready)
        try:
            await _help(settings, arena, stop)
        finally:
            arena.close()


async def _help(settings: Settings, arena: Arena, stop: asyncio.Event) -> None:
    from ladder.workers.cluster import cluster_worker

    stopped = asyncio.create_task(stop.wait())
    while not stop.is_set():
        try:
            async with cluster_worker(settings, arena) as lost:
                print(f"playing for {settings.executor}  (Ctrl-C stops it)", flush=True)
                await asyncio.wait([stopped, lost], return_when=asyncio.FIRST_COMPLETED)
                if stop.is_set():
                    print("finishing the running matches …", flush=True)
        except OSError as error:
            log.warning("the hub at %s cannot be reached: %s", settings.executor, error)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), REJOIN_SECONDS)


async def serve_hub(settings: Settings) -> None:
    """Run the hub of a cluster until a signal ends it."""
    from ladder.workers.cluster import hub

    stop = _stop_on_signals()
    async with hub(settings) as address:
        print(f"the hub of the cluster is at {address}  (Ctrl-C stops it)", flush=True)
        await stop.wait()


@asynccontextmanager
async def _compiling(games: Readiness) -> AsyncIterator[None]:
    work = asyncio.create_task(games.run())
    await asyncio.sleep(0)  # its process starts before the database keeps this thread busy
    try:
        yield
    finally:
        games.stop()
        await work


@asynccontextmanager
async def _breeding(
    settings: Settings, db: Database, tier: str | None, ready: Ready
) -> AsyncIterator[Breeder]:
    breeder = Breeder(db, settings, tier, ready=ready)
    work = asyncio.create_task(breeder.run())
    try:
        yield breeder
    finally:
        breeder.stop()
        await work


@asynccontextmanager
async def _dispatching(
    settings: Settings,
    db: Database,
    replays: ReplayStore,
    tier: str | None,
    pairing: bool = True,
    ready: Ready = all_games,
) -> AsyncIterator[Dispatcher]:
    arena = await asyncio.to_thread(_arena, settings, tier, ready)
    dispatcher = Dispatcher(db, replays, arena, settings, pairing)
    work = asyncio.create_task(dispatcher.run())
    try:
        yield dispatcher
    finally:
        dispatcher.stop()
        await work
        await dispatcher.drain(settings.drain_seconds)
        arena.close()


def _stop_on_signals() -> asyncio.Event:
    stop = asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            # The second signal: workers and sandboxes die with this process, leases end.
            os._exit(130)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    return stop
