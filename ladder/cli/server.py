"""Commands that run a server: serve, worker, hub, migrate, warmup, doctor."""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from engines.competition import Competition
from engines.compiling import warmup
from engines.games import GAMES, LEFT_OUT, PLUGINS
from ladder.cli.opening import bring_up, existing_database, place
from ladder.host import logs, temporary_folders
from ladder.host.bus_errors import explain_bus_errors
from ladder.host.parent_death import die_with_parent
from ladder.runner.sandbox import Tier
from ladder.runner.selftest import native_fault, self_test
from ladder.settings import Settings, add_flags, load
from ladder.store import Database, migrate
from ladder.terminal import say

ALL_SETTINGS = [spec.name for spec in fields(Settings)]
CLUSTER_SETTINGS = ["executor", "tls_ca", "tls_cert", "tls_key"]
WORKER_SETTINGS = [
    *("data", "database", "workers", "only_games", "sandbox", "native_bots", "lease_seconds"),
    "worker_name",
    *("move_ms", "match_ms", "memory_mb", "drain_seconds", "log_format", *CLUSTER_SETTINGS),
]


def _add_serve(serve: argparse.ArgumentParser) -> None:
    add_flags(serve, ALL_SETTINGS)
    serve.set_defaults(run=_serve, tells_left_out=True)


def _add_worker(worker: argparse.ArgumentParser) -> None:
    add_flags(worker, WORKER_SETTINGS)
    worker.set_defaults(run=_worker, tells_left_out=True)


def _add_hub(hub: argparse.ArgumentParser) -> None:
    add_flags(hub, ["log_format", *CLUSTER_SETTINGS])
    hub.set_defaults(run=_hub)


def _add_migrate(migrate: argparse.ArgumentParser) -> None:
    add_flags(migrate, ["data", "database"])
    migrate.set_defaults(run=_migrate)


def _add_warmup(warmup: argparse.ArgumentParser) -> None:
    warmup.set_defaults(run=lambda _: warm_up())


def _add_doctor(doctor: argparse.ArgumentParser) -> None:
    add_flags(doctor, ["data", "sandbox", "native_bots"])
    doctor.set_defaults(run=_doctor, tells_left_out=True)


ARGUMENTS = {
    "serve": _add_serve,
    "worker": _add_worker,
    "hub": _add_hub,
    "migrate": _add_migrate,
    "warmup": _add_warmup,
    "doctor": _add_doctor,
}


def _settings(flags: argparse.Namespace) -> Settings:
    return load(vars(flags))


def _serve(flags: argparse.Namespace) -> None:
    from ladder.server.serving import serve  # only few commands need the web framework

    settings = _settings(flags)
    logs.configure(settings.log_format)
    explain_bus_errors()
    asyncio.run(serve(settings))


def _worker(flags: argparse.Namespace) -> None:
    from ladder.server.serving import help_cluster, serve

    settings = _settings(flags)
    logs.configure(settings.log_format)
    explain_bus_errors()
    if settings.executor:
        asyncio.run(help_cluster(settings))
    else:
        existing_database(settings).close()
        asyncio.run(serve(settings, web=False))


def _hub(flags: argparse.Namespace) -> None:
    from ladder.server.serving import serve_hub

    settings = _settings(flags)
    logs.configure(settings.log_format)
    asyncio.run(serve_hub(settings))


def _migrate(flags: argparse.Namespace) -> None:
    settings = _settings(flags)
    db = Database(settings.database_url)
    new = migrate.current(db) is None
    if not bring_up(db):
        say("nothing to do")
    elif new:
        say(f"made a new ladder in {place(settings)}")
    else:
        say("brought to the newest schema")


def warm_up(games: Sequence[Competition] = GAMES) -> None:
    """Compile games on all cores with a progress bar; quick if they are compiled."""
    cold = [game for game in games if not warmup.is_warm(game)]
    if not cold:
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns) as progress, _processes() as pool:
        task = progress.add_task("compiling the games", total=len(warmup.families(cold)))
        for title in warmup.warm_all(pool, cold):
            progress.update(task, advance=1, description=f"compiled {title}")
        progress.update(task, description="the games are compiled")


def _processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_process,
        initargs=(os.getpid(),),
    )


def _start_process(parent: int) -> None:
    # Ctrl-C reaches every process of a terminal; these must not print tracebacks.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not die_with_parent(parent):
        os._exit(1)


def _doctor(flags: argparse.Namespace) -> int:
    """Test each tier with a bot that tries to break out."""
    settings = _settings(flags)
    own = len(GAMES) - len(PLUGINS.games)
    say(f"games: {own} of Evoladder and {len(PLUGINS.games)} of plug-ins")
    for one in LEFT_OUT:
        say(f"  BAD the plug-in {one.plugin} is left out: {one.reason}")
    wanted = tuple(Tier) if settings.sandbox == "auto" else (Tier(settings.sandbox),)
    # In the data folder, since mounts differ in what they allow; none is made here.
    parent = settings.data if settings.data.is_dir() else None
    with temporary_folders.scratch("ladder-doctor-", parent) as scratch:
        result = self_test(scratch, wanted)
        native = _native(settings, result.tier, scratch)
    for test in result.tests:
        say(f"tier {test.tier}: {'holds' if test.holds else 'does not hold'}")
        for check in test.checks:
            say(f"  {'ok ' if check.passed else 'BAD'} {check.name}: {check.detail}")
        if test.advice:
            say(f"  what to do: {test.advice}")
    if result.tier is None:
        say("uploaded bots cannot be run safely here, so they will not be run")
        return 1
    only = " (WebAssembly only: no tier for Python holds)" if result.tier is Tier.C else ""
    say(f"uploaded bots run in tier {result.tier}{only}")
    say(f"native bots: {native}")
    return 0


def _native(settings: Settings, tier: Tier | None, folder: Path) -> str:
    """Whether native bots run in a folder, and why not."""
    if not settings.native_bots:
        return "off, by the setting native_bots"
    if tier is None:
        return "cannot be run: no tier holds"
    fault = native_fault(folder, tier)
    return f"cannot be run: {fault}" if fault else f"run in tier {tier}"
