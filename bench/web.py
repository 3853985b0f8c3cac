"""Leaderboard requests per second beside a bare aiohttp handler, and latency as matches pile up.

The servers run in separate processes, the client in this one; compared figures are measured
alternately, so that a busy machine slows both sides alike.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from aiohttp import web

from ladder.boards import ladders
from ladder.matches.replays import ReplayStore
from ladder.settings import Settings
from ladder.store import Database
from ladder.store.migrate import upgrade
from ladder.web.app import make_app
from ladder.web.http.listen import listening

BOTS = 10_000
FEW, MANY = 1_000, 1_000_000
GAME = ladders.games().games[0].name
BOARD = f"/api/v1/games/{GAME}/leaderboard"
CONNECTIONS = 16
ROUNDS = 5

# Multiplication with primes mixes numbers: fast, evenly, and equally in every run.
_FILL = """
INSERT INTO accounts (id, name, name_key, role, created_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
SELECT i, 'owner' || i, 'owner' || i, 'member', :at FROM n;

INSERT INTO bots (id, game, name, name_key, owner_id, created_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :bots)
SELECT i, :game, 'bot number ' || i, 'bot number ' || i, i % 100 + 1, :at FROM n;

INSERT INTO versions (id, bot_id, number, sha256, kind, size_bytes, status, reason, open_only,
  faults_in_row, created_at, decided_at)
SELECT id, id, 1, printf('%064x', id), 'python', 1000, 'accepted', '', '', 0, :at, :at FROM bots;

INSERT INTO ratings (version_id, division, game, mu, sigma, score, matches, wins, draws, losses,
  share_sum, latest, course, on_board, last_number)
SELECT id, 'open', :game, mu, sigma, mu - 3 * sigma, 200, 95, 10, 95, 100, 'wdlwwxlwdl',
  CAST(printf('%064d', id * 7919 % 1000003 * 104729) AS BLOB), 1, id FROM (
  SELECT id, 15 + (id * 7919 % 20011) / 1000.0 AS mu, 1 + (id * 104729 % 997) / 1000.0 AS sigma
  FROM versions);

INSERT INTO matches (id, game, seed, purpose, priority, rated, status, attempts, referee, ending,
  explanation, plies, trouble, created_at, finished_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :matches)
SELECT i, :game, i, 'ladder', 3, 1, 'finished', 1, 1, 'completed', 'Black has more discs', 60, '',
  :at, :at FROM n;

INSERT INTO seats (match_id, seat, version_id, bot_id, score, rank, at_fault, cpu_ms,
  slowest_move_ms)
SELECT id, seat, bot, bot, seat, 2 - seat, 0, 30.0, 2.0 FROM (
  SELECT id, 0 AS seat, id * 7919 % :bots + 1 AS bot FROM matches UNION ALL
  SELECT id, 1, (id * 7919 + 1 + id % 50) % :bots + 1 FROM matches);

INSERT INTO results (number, match_id) SELECT id, id FROM matches;

INSERT OR IGNORE INTO rating_changes (bot_id, division, number, version_id, mu_before,
  sigma_before, mu, sigma)
SELECT bot_id, 'open', match_id, version_id, 25, 2, 25.1, 1.99 FROM seats;

INSERT INTO encounters (bot_id, opponent_id, version_id, opponent_version_id, wins_before,
  draws_before, losses_before, wins_after, draws_after, losses_after, plies)
SELECT min(a.bot_id, b.bot_id), max(a.bot_id, b.bot_id), min(a.bot_id, b.bot_id),
  max(a.bot_id, b.bot_id), count(*), 0, 0, 0, 0, 0, 60 * count(*)
FROM seats a JOIN seats b ON b.match_id = a.match_id AND a.seat = 0 AND b.seat = 1
  AND a.bot_id <> b.bot_id
GROUP BY 1, 2;
"""


def fill(folder: Path, matches: int) -> None:
    """A database with `BOTS` rated bots and `matches` finished matches."""
    settings = Settings(data=folder)
    db = Database(settings.database_url)
    upgrade(db)
    db.close()
    values = {"bots": BOTS, "matches": matches, "game": GAME, "at": "2026-01-01 00:00:00.000000"}
    with sqlite3.connect(folder / "ladder.db") as c:
        c.execute("PRAGMA synchronous = OFF")
        c.execute(
            "PRAGMA cache_size = -500000"
        )  # kibibytes: the indexes are filled in random order
        for statement in _FILL.split(";\n"):
            if statement.strip():
                c.execute(statement, values)
    c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    c.close()


async def serve(folder: Path | None, body: bytes) -> None:
    """The ladder over a data folder, or a bare handler that sends `body`; until stdin ends."""
    if folder is None:
        app = web.Application()

        async def bare(request: web.Request) -> web.Response:
            return web.Response(body=body, content_type="application/json")

        app.router.add_get(BOARD, bare)
    else:
        settings = Settings(data=folder, requests_per_minute=10**9)
        db = Database(settings.database_url)
        app = make_app(settings, db, ReplayStore(settings.replays), dict)
    async with listening(app, "127.0.0.1", 0) as address:
        print(address, flush=True)
        await asyncio.to_thread(sys.stdin.buffer.read)


@dataclass(frozen=True)
class BenchServer:
    pid: int
    port: int

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def server(*arguments: str) -> Iterator[BenchServer]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.web", "--serve", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        address = process.stdout.readline().decode().strip()
        yield BenchServer(process.pid, int(address.rpartition(":")[2]))
    finally:
        process.stdin.close()
        process.wait(20)


class Caller(asyncio.Protocol):
    """One persistent connection that requests one path after another.

    A full HTTP client would be slower than the measured servers.
    """

    def __init__(self, paths: Iterator[str], latencies: list[float]) -> None:
        self.paths = paths
        self.latencies = latencies
        self.done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.received = bytearray()
        self.expected = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.ask()

    def ask(self) -> None:
        path = next(self.paths, None)
        if path is None:
            self.transport.close()
            self.done.set_result(0)
            return
        self.asked = time.perf_counter()
        self.transport.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        self.received += data
        if not self.expected:
            end = self.received.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.received[:end]).lower()
            if not head.startswith(b"http/1.1 200"):
                self.done.set_exception(RuntimeError(head.decode()))
                return
            length = head.split(b"content-length:")[1].split(b"\r\n")[0]
            self.expected = end + 4 + int(length)
        if len(self.received) >= self.expected:
            self.latencies.append(time.perf_counter() - self.asked)
            self.received.clear()
            self.expected = 0
            self.ask()


@dataclass(frozen=True)
class Load:
    per_second: float
    cpu_ms: float
    """The server's cost of one request."""
    median_ms: float


def load(target: BenchServer, paths: Iterable[str], connections: int = CONNECTIONS) -> Load:
    asked = list(paths)
    latencies: list[float] = []

    async def run() -> None:
        shared = iter(asked)
        loop = asyncio.get_running_loop()
        callers = [
            (
                await loop.create_connection(
                    lambda: Caller(shared, latencies), "127.0.0.1", target.port
                )
            )[1]
            for _ in range(connections)
        ]
        await asyncio.gather(*(caller.done for caller in callers))

    cpu, start = target.cpu_seconds(), time.perf_counter()
    asyncio.run(run())
    seconds, used = time.perf_counter() - start, target.cpu_seconds() - cpu
    return Load(len(asked) / seconds, 1000 * used / len(asked), 1000 * statistics.median(latencies))


def cursors(folder: Path) -> list[str]:
    """The cursors of the board's pages."""
    db = Database(Settings(data=folder).database_url)
    found, after = [""], ladders.page(db, GAME, "open", None, 100).next
    while after is not None and len(found) < 95:
        found.append(f"&after={after}")
        after = ladders.page(db, GAME, "open", after, 100).next
    db.close()
    return found


def middle(loads: list[Load]) -> Load:
    return Load(
        statistics.median(one.per_second for one in loads),
        statistics.median(one.cpu_ms for one in loads),
        statistics.median(one.median_ms for one in loads),
    )


def compare(
    targets: dict[str, tuple[BenchServer, Iterator[str], int]], connections: int
) -> dict[str, Load]:
    """Request all targets in turn, in several rounds; returns the median round of each."""
    rounds: dict[str, list[Load]] = {name: [] for name in targets}
    for target, paths, count in targets.values():
        load(target, itertools.islice(paths, count // 2), connections)  # warm-up
    for _ in range(ROUNDS):
        for name, (target, paths, count) in targets.items():
            rounds[name].append(load(target, itertools.islice(paths, count), connections))
    found = {name: middle(loads) for name, loads in rounds.items()}
    for name, one in found.items():
        print(
            f"  {name:34} {one.per_second:8.0f} requests/s  {one.cpu_ms:6.3f} ms CPU each  "
            f"{one.median_ms:7.3f} ms median"
        )
    return found


def main() -> None:
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ladder-bench-")))
        folders = {}
        for matches in (FEW, MANY):
            folders[matches] = root / str(matches)
            folders[matches].mkdir()
            start = time.perf_counter()
            fill(folders[matches], matches)
            print(f"{BOTS} bots, {matches} matches: filled in {time.perf_counter() - start:.0f} s")
        small, large = (
            stack.enter_context(server("--data", str(folders[size]))) for size in (FEW, MANY)
        )
        body = len(_body(large))
        bare = stack.enter_context(server("--bytes", str(body)))
        hello = stack.enter_context(server("--bytes", "13"))
        same = itertools.repeat(BOARD)
        # More pages than the cache holds, and more than are requested while an answer is fresh.
        pages = [
            f"{BOARD}?limit={limit}{after}"
            for limit in range(90, 111)
            for after in cursors(folders[MANY])
        ]

        print(f"100 rows ({body} bytes), {CONNECTIONS} connections:")
        speed = compare(
            {
                "bare handler, 13 bytes": (hello, same, 4000),
                "bare handler, the same bytes": (bare, same, 4000),
                "leaderboard, 1,000,000 matches": (large, same, 4000),
                "leaderboard, never cached": (large, itertools.cycle(pages), 400),
            },
            CONNECTIONS,
        )
        board = speed["leaderboard, 1,000,000 matches"]
        for name in ("bare handler, 13 bytes", "bare handler, the same bytes"):
            ratio = board.per_second / speed[name].per_second
            print(f"leaderboard / {name}: {ratio:.2f} of its requests/s (wanted: at least 0.33)")

        print("one connection:")
        late = compare(
            {
                "cached, 1,000 matches": (small, same, 1000),
                "cached, 1,000,000 matches": (large, same, 1000),
                "never cached, 1,000 matches": (small, itertools.cycle(pages), 300),
                "never cached, 1,000,000 matches": (large, itertools.cycle(pages), 300),
            },
            1,
        )
        for name in ("cached", "never cached"):
            many, few = late[f"{name}, 1,000,000 matches"], late[f"{name}, 1,000 matches"]
            ratio = many.median_ms / few.median_ms
            print(f"{name}: latency grows {ratio:.2f} times (wanted: at most 1.3)")


def _body(target: BenchServer) -> bytes:
    with urlopen(f"http://127.0.0.1:{target.port}{BOARD}") as answer:
        return bytes(answer.read())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--bytes", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        asyncio.run(serve(chosen.data, b"x" * chosen.bytes))
    else:
        main()
