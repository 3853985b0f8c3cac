"""Live readers: the memory of a thousand of them, and the delay of events after their commit.

The server, the readers and the player of matches are three processes. The delay lasts from the
commit of a match's transaction, by another process than the server, until its event is received;
every event goes to all readers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.games import find_game
from ladder.matches import leasing, pairing, results
from ladder.matches.replays import ReplayStore
from ladder.settings import Settings
from ladder.store import Database
from ladder.store.migrate import upgrade
from ladder.uploads import submissions
from ladder.values import (
    Ending,
    Kind,
    MatchJob,
    MatchReport,
    SeatReport,
    Verdict,
)
from ladder.web.app import make_app
from ladder.web.http.listen import listening
from ladder.web.http.live import MOST_READERS_PER_ADDRESS

READERS = 1_000
EVENTS = 200
PER_SECOND = 5
GAME = "reversi"
MOST_MB, MOST_MEDIAN_MS, MOST_P99_MS = 100, 50, 150


async def serve(url: str, folder: Path) -> None:
    settings = Settings(data=folder, database=url)
    db = Database(settings.database_url)
    app = make_app(settings, db, ReplayStore(settings.replays), dict)
    async with listening(app, "127.0.0.1", 0) as address:
        print(address.rpartition(":")[2], flush=True)
        await asyncio.to_thread(sys.stdin.buffer.read)


class Reader(asyncio.Protocol):
    """One stream; records when events come. An HTTP client would cost more than the server."""

    def __init__(self, arrivals: list[tuple[int, float]], ready: asyncio.Semaphore) -> None:
        self.arrivals = arrivals
        self.ready = ready
        self.started = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(f"GET /live?topics=game:{GAME} HTTP/1.1\r\nHost: b\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        at = time.monotonic()
        if not self.started:
            assert data.startswith(b"HTTP/1.1 200"), data
            self.started = True
            self.ready.release()
        for part in data.split(b'"id":')[1:]:
            self.arrivals.append((int(part.split(b",")[0]), at))


async def read(port: int) -> None:
    """Follow with all readers; at the end of stdin, print events and times."""
    arrivals: list[tuple[int, float]] = []
    ready = asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()
    for number in range(READERS):
        # Use many addresses of this machine: the number of streams per address is limited.
        await loop.create_connection(
            lambda: Reader(arrivals, ready),
            "127.0.0.1",
            port,
            local_addr=(f"127.0.1.{1 + number // MOST_READERS_PER_ADDRESS}", 0),
        )
    for _ in range(READERS):
        await ready.acquire()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)
    for number, at in arrivals:
        print(number, at)


@contextmanager
def child(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.live", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


def megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def report_of(job: MatchJob) -> MatchReport:
    verdict = Verdict((1.0, 0.0), Ending.COMPLETED)
    seats = (SeatReport(12.5, 2.5, 30, "", ""), SeatReport(12.5, 2.5, 30, "", ""))
    return MatchReport(job.match_id, verdict, "Black has more discs", seats, 60, b"{}")


def play(db: Database, replays: ReplayStore) -> dict[int, float]:
    """Finish matches at a steady pace; returns the time of each commit."""
    rng = random.Random(1)
    committed: dict[int, float] = {}
    start = time.monotonic()
    jobs: list[MatchJob] = []
    while len(committed) < EVENTS:
        if not jobs:
            pairing.pair(db, find_game(GAME), rng)
            jobs = leasing.lease(db, "bench", 600, 2, leasing.Playable((Kind.HOUSE,)))
        job = jobs.pop()
        time.sleep(max(0.0, start + len(committed) / PER_SECOND - time.monotonic()))
        results.finish(db, replays, "bench", [results.Finished(report_of(job), job.attempt)])
        committed[job.match_id] = time.monotonic()
    return committed


def measure(url: str, folder: Path) -> bool:
    db = Database(url)
    upgrade(db)
    submissions.seed_house_bots(db)
    replays = ReplayStore(folder / "replays")
    with child("--serve", url, "--data", str(folder)) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        time.sleep(1)
        empty = megabytes(server.pid)
        with child("--read", port) as readers:
            assert readers.stdin is not None
            assert readers.stdout is not None
            assert readers.stdout.readline() == "ready\n"
            held = megabytes(server.pid)
            committed = play(db, replays)
            time.sleep(1)
            grown = megabytes(server.pid)
            out, _ = readers.communicate()
    db.close()
    found = [line.split() for line in out.splitlines()]
    delays = sorted(1000 * (float(at) - committed[int(number)]) for number, at in found)
    assert len(delays) == EVENTS * READERS, f"{len(delays)} of {EVENTS * READERS} events came"
    median, p99 = statistics.median(delays), delays[int(len(delays) * 0.99)]
    print(f"  {READERS} readers: {held - empty:.1f} MB more, ", end="")
    print(f"{grown - empty:.1f} MB after {EVENTS} events")
    print(
        f"  delay from commit to receipt at {PER_SECOND} events/s: median {median:.1f} ms, ", end=""
    )
    print(f"p99 {p99:.1f} ms, longest {delays[-1]:.1f} ms")
    print(f"  wanted: below {MOST_MB} MB, {MOST_MEDIAN_MS} ms and {MOST_P99_MS} ms")
    return grown - empty < MOST_MB and median < MOST_MEDIAN_MS and p99 < MOST_P99_MS


def main(database: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="ladder-bench-") as folder:
        print("SQLite:")
        fine = measure(f"sqlite:///{folder}/ladder.db", Path(folder))
        if database:
            print("PostgreSQL:")
            fine = measure(database, Path(folder)) and fine
    print("all as wanted" if fine else "NOT as wanted")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--read", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--database", help="measure this database (PostgreSQL, empty), too")
    chosen = parser.parse_args()
    if chosen.serve:
        asyncio.run(serve(chosen.serve, chosen.data))
    elif chosen.read:
        asyncio.run(read(chosen.read))
    else:
        main(chosen.database)
