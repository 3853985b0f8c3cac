"""The breeder with children that write the files of a run without breeding."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import fake_evolve
import pytest
from processes import still_alive, wait_until

from ladder import evolution
from ladder.evolution import breeding
from ladder.evolution.breeder import Breeder
from ladder.evolution.run_folder import RunFolder, _started
from ladder.settings import Settings
from ladder.store import Database
from ladder.uploads import submissions
from ladder.values import EvolutionStatus

FAKE = (sys.executable, str(Path(__file__).parent / "fake_evolve.py"))
PATIENCE = 60.0


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, lease_seconds=10)


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    return lambda **what: monkeypatch.setenv("FAKE_EVOLVE", json.dumps(what))


@asynccontextmanager
async def breeding_on(db: Database, settings: Settings) -> AsyncIterator[Breeder]:
    breeder = Breeder(db, settings, "A", FAKE)
    work = asyncio.create_task(breeder.run())
    try:
        yield breeder
    finally:
        breeder.stop()
        await work


async def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


def status(db: Database, run_id: int) -> EvolutionStatus:
    return evolution.run(db, run_id).run.status


def calls(settings: Settings, run_id: int) -> list[list[str]]:
    """Process, niceness and task of every child of a run."""
    file = settings.evolution / str(run_id) / "out" / "calls"
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def test_a_queued_run_ends_with_its_champion_entered(
    db: Database, settings: Settings, plan: Callable[..., None]
) -> None:
    plan(generations=3, pause=0.1)
    view = evolution.start(
        db, evolution.RunRequest("tanks", options=evolution.RunOptions("quick", 3)), seed=5
    )

    async def breed() -> None:
        async with breeding_on(db, settings):
            await until(lambda: status(db, view.run.id) is EvolutionStatus.FINISHED)

    asyncio.run(breed())
    done = evolution.run(db, view.run.id)
    assert [line.generation for line in done.generations] == [0, 1, 2]
    assert done.run.bot_id is not None
    assert submissions.bot(db, done.run.bot_id, None).versions[0].evolution_run == view.run.id
    ((_, niceness, task),) = calls(settings, view.run.id)
    assert (int(niceness), task) == (os.getpriority(os.PRIO_PROCESS, 0) + 10, "run")
    orders = RunFolder(settings.evolution / str(view.run.id)).orders()
    assert orders.settings == {"preset": "quick", "generations": 3}
    assert (orders.domain, orders.seed, orders.workers, orders.tier) == ("tanks", 5, 1, "A")
    assert [guide.name for guide in orders.guides] == [guide.name for guide in view.guides]


def test_a_run_that_crashes_goes_on(
    sqlite_db: Database, settings: Settings, plan: Callable[..., None]
) -> None:
    plan(generations=4, crash_at=2)
    run_id = evolution.start(sqlite_db, evolution.RunRequest("tanks")).run.id

    async def breed() -> None:
        async with breeding_on(sqlite_db, settings):
            await until(lambda: status(sqlite_db, run_id) is EvolutionStatus.FINISHED)

    asyncio.run(breed())
    assert [call[2] for call in calls(settings, run_id)] == ["run", "resume"]
    assert len(evolution.run(sqlite_db, run_id).generations) == 4


def test_a_run_that_cannot_work_fails_with_the_reason(
    sqlite_db: Database, settings: Settings, plan: Callable[..., None]
) -> None:
    plan(always_crash=True)
    run_id = evolution.start(sqlite_db, evolution.RunRequest("tanks")).run.id

    async def breed() -> None:
        async with breeding_on(sqlite_db, settings):
            await until(lambda: status(sqlite_db, run_id) is EvolutionStatus.FAILED)

    asyncio.run(breed())
    assert "exit code 2): no such domain" in evolution.run(sqlite_db, run_id).trouble


def test_a_champion_that_is_no_program_ends_the_run(
    sqlite_db: Database, settings: Settings, plan: Callable[..., None]
) -> None:
    plan(champion="import os")
    run_id = evolution.start(sqlite_db, evolution.RunRequest("tanks")).run.id

    async def breed() -> None:
        async with breeding_on(sqlite_db, settings):
            await until(lambda: status(sqlite_db, run_id) is EvolutionStatus.FAILED)

    asyncio.run(breed())
    assert "not a program" in evolution.run(sqlite_db, run_id).trouble


def test_stopping_the_server_stops_the_child_and_the_next_start_goes_on(
    sqlite_db: Database, settings: Settings, plan: Callable[..., None]
) -> None:
    plan(generations=6, pause=0.5)
    run_id = evolution.start(sqlite_db, evolution.RunRequest("tanks")).run.id

    async def breed_until(condition: Callable[[], Any]) -> None:
        async with breeding_on(sqlite_db, settings):
            await until(condition)

    asyncio.run(breed_until(lambda: evolution.run(sqlite_db, run_id).generations))
    assert status(sqlite_db, run_id) is EvolutionStatus.QUEUED
    ((pid, *_),) = calls(settings, run_id)
    assert _started(int(pid)) == ""
    asyncio.run(breed_until(lambda: status(sqlite_db, run_id) is EvolutionStatus.FINISHED))
    assert [call[2] for call in calls(settings, run_id)] == ["run", "resume"]
    assert [g.generation for g in evolution.run(sqlite_db, run_id).generations] == [*range(6)]


def test_a_cancelled_run_loses_its_child(
    sqlite_db: Database, settings: Settings, plan: Callable[..., None]
) -> None:
    plan(generations=1000, pause=0.2)
    run_id = evolution.start(sqlite_db, evolution.RunRequest("tanks")).run.id

    async def breed() -> None:
        async with breeding_on(sqlite_db, settings):
            await until(lambda: calls(settings, run_id))
            evolution.stop(sqlite_db, run_id)
            await until(lambda: _started(int(calls(settings, run_id)[0][0])) == "")

    asyncio.run(breed())
    assert status(sqlite_db, run_id) is EvolutionStatus.CANCELLED


def test_a_child_dies_with_its_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, subprocess, sys, time\n"
            "bond = [sys.executable, '-m', 'ladder.host.background', str(os.getpid())]\n"
            "child = subprocess.Popen([*bond, 'sleep', '600'], start_new_session=True)\n"
            "print(child.pid, flush=True)\n"
            "time.sleep(600)",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    child = (pid, int(_started(pid)))
    wait_until(lambda: "sleep" in Path(f"/proc/{pid}/comm").read_text(), 60, "the command")
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not still_alive({child}), 60, "the end of the child")


def test_an_orphan_is_stopped_before_its_run_goes_on(sqlite_db: Database, tmp_path: Path) -> None:
    evolution.start(sqlite_db, evolution.RunRequest("tanks"))
    job = breeding.lease(sqlite_db, "one", 60, 1)
    assert job is not None
    orphan = subprocess.Popen(["sleep", "600"], start_new_session=True)
    bystander = subprocess.Popen(["sleep", "600"], start_new_session=True)
    folder = RunFolder(tmp_path / "1")
    folder.prepare(job, 1, None, tmp_path)
    folder.note_process(orphan.pid)
    folder.prepare(job, 1, None, tmp_path)
    assert orphan.wait(10) == -9
    folder.note_process(bystander.pid)
    noted = folder.path / "process"
    noted.write_text(noted.read_text() + "1")  # another process had that number
    folder.prepare(job, 1, None, tmp_path)
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_half_a_line_of_the_log_waits_for_its_other_half(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.out.mkdir()
    log = folder.out / "log.jsonl"
    assert folder.new_generations() == []
    first, second = (json.dumps(fake_evolve.line(n)) + "\n" for n in range(2))
    log.write_text(first + second[:20])
    assert [line.generation for line in folder.new_generations()] == [0]
    assert [line.generation for line in folder.new_generations()] == [0], "not recorded yet"
    folder.taken()
    log.write_text(first + second + "not json\n")
    assert [line.generation for line in folder.new_generations()] == [1]
