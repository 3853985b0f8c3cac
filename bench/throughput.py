"""Matches per second through the whole ladder, against bare transactions of the same database.

    python -m bench.throughput [--matches 500] [--rounds 5] [--recorded 1000000]

A match of two programs is leased, played in a worker process, recorded and rated, and its replay is
stored. The limit is the number of matches that the bare driver records with the same statements,
one match per transaction. Both alternate, so that a busy machine slows both. Then matches are
leased and recorded on a ladder with a thousand and on one with a million recorded matches.

A replay is a file. For some minutes after thousands were deleted nearby, creating one can take
twenty times as long as usual, probably because of ext4. So the time for a file is printed, too;
TMPDIR names another place.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from bench.store import NoReplays, finishing, prepare, record, replay, seconds
from bench.web import fill
from engines.games import find_game
from ladder.matches import leasing, pairing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.server.dispatcher import Dispatcher
from ladder.settings import Settings
from ladder.store import Database
from ladder.values import Kind
from ladder.workers.arena import LocalArena
from prove.harness.bots import enter_bots, queue_matches
from tests.ladder_steps import OWNER, report
from tests.throwaway import postgres_server

WANTED = 0.4
BOTS = 24
FEW, LEAST_ROUNDS = 1_000, 20
BATCH = 20


async def play_rounds(
    db: Database,
    data: Path,
    count: int,
    rounds: int,
    bare: list[float],
    bare_rounds: list[partial[None]],
) -> list[float]:
    """Seconds of each round of `count` matches; a bare round follows each."""
    settings = Settings(data=data)
    arena = LocalArena(len(os.sched_getaffinity(0)), data, None)
    dispatcher = Dispatcher(db, ReplayStore(settings.replays), arena, settings, pairing=False)
    work = asyncio.create_task(dispatcher.run())
    rng, taken = random.Random(1), []
    try:
        for number in range(rounds + 1):
            before = recorded(dispatcher)
            await asyncio.to_thread(queue_matches, db, count, rng, (Kind.PROGRAM,))
            began, used = time.perf_counter(), cpu_seconds(arena)
            while recorded(dispatcher) < before + count:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            spent, used = time.perf_counter() - began, cpu_seconds(arena) - used
            limit = await asyncio.to_thread(seconds, bare_rounds.pop())
            if number:  # workers start in the first round
                print(f"  {1000 * used / count:.1f} ms CPU a match, in all processes", flush=True)
                taken.append(spent)
                bare.append(limit)
    finally:
        dispatcher.stop()
        await work
        await dispatcher.drain(1)
        arena.close()
    return taken


def cpu_seconds(arena: LocalArena) -> float:
    """CPU time of this process and its workers so far."""
    stats = [Path(f"/proc/{pid}/stat").read_text() for pid in arena.process_ids]
    ticks = sum(sum(map(int, stat.rpartition(")")[2].split()[11:13])) for stat in stats)
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def file_seconds(folder: Path) -> float:
    """CPU time of the system to create a file in a folder."""
    count, began = 100, time.thread_time()
    for number in range(count):
        (folder / f"probe-{number}").touch()
    return (time.thread_time() - began) / count


def recorded(dispatcher: Dispatcher) -> int:
    """The number of matches recorded so far."""
    families = {name: samples for name, _, samples in dispatcher.meters.families()}
    return sum(int(count) for _, _, count in families["ladder_matches_finished_total"])


def measure(name: str, urls: list[str], folder: Path, count: int, rounds: int) -> float:
    """The ratio of the ladder's rate to that of the bare driver."""
    ladder, scratch, bare = (Database(url) for url in urls)
    data = folder / name
    data.mkdir()
    enter_bots(ladder, data, BOTS, 0, None)
    print(f"{name}: {1000 * file_seconds(data):.2f} ms CPU to make a file")
    reports = prepare(scratch, count * (rounds + 1))
    copy(scratch, bare)
    sent = [
        record(scratch, finishing(scratch, NoReplays(folder), reports[start : start + count], 1))
        for start in range(0, len(reports), count)
    ]
    gc.collect()
    gc.freeze()  # keep the garbage collector from scanning prepared objects during the measurement
    limits: list[float] = []
    bare_rounds = [partial(replay, bare, some) for some in reversed(sent)]
    taken = asyncio.run(play_rounds(ladder, data, count, rounds, limits, bare_rounds))
    ratio = statistics.median(limit / ours for limit, ours in zip(limits, taken, strict=True))
    for title, times in (("bare transactions", limits), ("the whole path", taken)):
        print(f"{name}: {title}: {count / statistics.median(times):.0f} matches/s")
    print(f"{name}: ratio {ratio:.2f} (wanted: at least {WANTED})", flush=True)
    for one in (ladder, scratch, bare):
        one.close()
    return ratio


def copy(source: Database, target: Database) -> None:
    """An identical copy of an unused database."""
    source.close()
    if source.is_sqlite:
        shutil.copy(str(source.url.database), str(target.url.database))
        return
    control = sa.create_engine(source.url.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with control.connect() as c:
        c.exec_driver_sql(f"CREATE DATABASE {target.url.database} TEMPLATE {source.url.database}")
    control.dispose()


@contextmanager
def databases(folder: Path) -> Iterator[dict[str, list[str]]]:
    """Three databases of each kind; the third does not exist yet."""
    with postgres_server(durable=True) as server:
        control = sa.create_engine(server.format(name="postgres"), isolation_level="AUTOCOMMIT")
        with control.connect() as c:
            for name in ("ladder", "scratch"):
                c.exec_driver_sql(f"CREATE DATABASE {name}")
        control.dispose()
        names = ("ladder", "scratch", "bare")
        yield {
            "sqlite": [f"sqlite:///{folder}/{name}.db" for name in names],
            "postgresql": [server.format(name=name) for name in names],
        }


def overhead(folders: dict[int, Path], rounds: int) -> dict[int, float]:
    """Milliseconds to pair, lease, record and rate a match, by the number of recorded ones."""
    ladders = {
        count: (Database(Settings(data=folder).database_url), ReplayStore(folder / "replays"))
        for count, folder in folders.items()
    }
    rng, times = random.Random(1), {count: list[float]() for count in folders}
    for _ in range(rounds):
        for count, (db, replays) in ladders.items():
            began, done = time.perf_counter(), 0
            while done < BATCH:
                pairing.pair(db, find_game("reversi"), rng)
                jobs = leasing.lease(db, OWNER, 600, BATCH, leasing.Playable(tuple(Kind)))
                told = [Finished(report(job, (1, 0)), job.attempt) for job in jobs]
                done += len(results.finish(db, replays, OWNER, told))
            times[count].append(1000 * (time.perf_counter() - began) / done)
    for db, _ in ladders.values():
        db.close()
    return {count: statistics.median(taken) for count, taken in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    # Fewer would measure the start and end of a round: at full speed these take half a second.
    parser.add_argument("--matches", type=int, default=500, help="in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--recorded", type=int, default=1_000_000, help="0: leave that part out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ladder-bench-") as name:
        folder = Path(name)
        with databases(folder) as kinds:
            ratios = [
                measure(kind, urls, folder, options.matches, options.rounds)
                for kind, urls in kinds.items()
            ]
        if options.recorded:
            folders = {}
            for count in (FEW, options.recorded):
                folders[count] = folder / str(count)
                folders[count].mkdir()
                fill(folders[count], count)
            cost = overhead(folders, max(LEAST_ROUNDS, options.rounds))
            for count, each in cost.items():
                print(f"{count:,} matches recorded: {each:.2f} ms to pair and record another one")
            growth = cost[options.recorded] / cost[FEW]
            print(f"the overhead grows {growth:.2f} times (wanted: at most 1.3)")
    print(f"lowest ratio: {min(ratios):.2f} (wanted: at least {WANTED})")


if __name__ == "__main__":
    main()
