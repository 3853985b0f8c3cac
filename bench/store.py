"""Recording and rating a finished match, against the bare transactions of the same statements.

The statements of `results.finish` are recorded once, then sent again through the bare driver to an
identical copy of the database. Both alternate, so that a busy machine slows both.

    python -m bench.store [matches]
"""

from __future__ import annotations

import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engines.games import find_game
from ladder.matches import leasing, pairing, results
from ladder.matches.replays import Appended, ReplayStore
from ladder.matches.results import Finished
from ladder.store import Database, migrate
from ladder.uploads import submissions
from ladder.values import Interest, Kind
from tests.ladder_steps import OWNER, report
from tests.throwaway import postgres_server

BATCH = 20
Statement = tuple[str, Any, bool]


class NoReplays(ReplayStore):
    """Omits the file, to measure only the database."""

    def append(self, documents: Mapping[int, tuple[Interest, bytes]]) -> Appended:
        return Appended({}, [])


def prepare(db: Database, count: int) -> list[Finished]:
    """A ladder with `count` leased matches, and the reports that will finish them."""
    migrate.upgrade(db)
    submissions.seed_house_bots(db)
    rng = random.Random(1)
    reports: list[Finished] = []
    while len(reports) < count:
        pairing.pair(db, find_game("reversi"), rng)
        jobs = leasing.lease(db, OWNER, 3600, 10, leasing.Playable(tuple(Kind)))
        outcomes = [rng.choice([(1, 0), (0, 1), (0.5, 0.5)]) for _ in jobs]
        reports += [
            Finished(report(job, result), job.attempt)
            for job, result in zip(jobs, outcomes, strict=True)
        ]
    return reports[:count]


def record(db: Database, work: Callable[[], object]) -> list[list[Statement]]:
    """The transactions of `work`, as statements for the bare driver."""
    transactions: list[list[Statement]] = []

    def on_begin(_: Any) -> None:
        transactions.append([])

    def on_execute(_c: Any, _cursor: Any, text: str, params: Any, _ctx: Any, many: bool) -> None:
        if not text.startswith("BEGIN"):
            transactions[-1].append((text, params, many))

    sa.event.listen(db.engine, "begin", on_begin)
    sa.event.listen(db.engine, "before_cursor_execute", on_execute)
    work()
    sa.event.remove(db.engine, "begin", on_begin)
    sa.event.remove(db.engine, "before_cursor_execute", on_execute)
    return transactions


def replay(db: Database, transactions: list[list[Statement]]) -> None:
    """Send recorded transactions through the bare driver."""
    connection: Any = db.engine.raw_connection()
    cursor = connection.cursor()
    for statements in transactions:
        if db.is_sqlite:
            cursor.execute("BEGIN IMMEDIATE")
        for text, params, many in statements:
            (cursor.executemany if many else cursor.execute)(text, params)
            if cursor.description:
                cursor.fetchall()
        if db.is_sqlite:
            cursor.execute("COMMIT")
        else:
            connection.commit()
    connection.close()


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def finishing(
    db: Database, replays: ReplayStore, batch: Sequence[Finished], at_once: int
) -> Callable[[], None]:
    def work() -> None:
        for start in range(0, len(batch), at_once):
            some = batch[start : start + at_once]
            assert len(results.finish(db, replays, OWNER, some)) == len(some)

    return work


def measure(name: str, copies: list[Database], reports: list[Finished], folder: Path) -> None:
    scratch, bare, one, many, files = copies
    no_files, with_files = NoReplays(folder), ReplayStore(folder / name)
    times: dict[str, list[float]] = defaultdict(list)
    for start in range(0, len(reports), BATCH):
        batch = reports[start : start + BATCH]
        sent = record(scratch, finishing(scratch, no_files, batch, 1))
        for variant, work in (
            ("bare driver, one match a transaction", lambda sent=sent: replay(bare, sent)),
            ("ours, one match a transaction", finishing(one, no_files, batch, 1)),
            (f"ours, {BATCH} that ended together", finishing(many, no_files, batch, BATCH)),
            ("the same with replay files", finishing(files, with_files, batch, BATCH)),
        ):
            times[variant].append(seconds(work))
    rates = {key: BATCH / statistics.median(values) for key, values in times.items()}
    limit = next(iter(rates.values()))
    for variant, rate in rates.items():
        print(f"{name}: {variant}: {rate:.0f} matches/s, ratio {rate / limit:.2f}")


def main(count: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="ladder-bench-"))
    try:
        first = Database(f"sqlite:///{folder}/0.db")
        reports = prepare(first, count)
        first.close()
        for number in range(1, 5):
            shutil.copy(folder / "0.db", folder / f"{number}.db")
        copies = [Database(f"sqlite:///{folder}/{number}.db") for number in range(5)]
        measure("sqlite", copies, reports, folder)
        with postgres_server(durable=True) as server:
            control = sa.create_engine(server.format(name="postgres"), isolation_level="AUTOCOMMIT")
            with control.connect() as c:
                c.exec_driver_sql("CREATE DATABASE copy0")
                first = Database(server.format(name="copy0"))
                reports = prepare(first, count)
                first.close()
                for number in range(1, 5):
                    c.exec_driver_sql(f"CREATE DATABASE copy{number} TEMPLATE copy0")
            copies = [Database(server.format(name=f"copy{number}")) for number in range(5)]
            measure("postgresql", copies, reports, folder)
            for copy in copies:
                copy.close()
            control.dispose()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
