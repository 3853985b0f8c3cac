"""A round robin of a thousand bots: the time to plan it, and to serve its page.

    python -m bench.tournaments [bots]

The server is a separate process with its own database, in which all pairs have met. The first
request finds nothing loaded and nothing cached.
"""

from __future__ import annotations

import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

import numpy as np

from bench.web import server
from ladder.contests import tournaments
from ladder.contests.tournaments import Selection
from ladder.settings import Settings
from ladder.store import Database, migrate

GAME = "reversi"
REQUESTS = 5
WANTED_SECONDS = 1.0

_BOTS = """
INSERT INTO accounts (id, name, name_key, role, created_at) VALUES (1, 'o', 'o', 'member', :at);

INSERT INTO bots (id, game, name, name_key, owner_id, created_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :bots)
SELECT i, :game, 'bot number ' || i, 'bot number ' || i, 1, :at FROM n;

INSERT INTO versions (id, bot_id, number, sha256, kind, size_bytes, status, reason, faults_in_row,
  open_only, created_at, decided_at)
SELECT id, id, 1, printf('%064x', id), 'python', 1000, 'accepted', '', 0, '', :at, :at FROM bots;

INSERT INTO ratings (version_id, division, game, mu, sigma, score, matches, wins, draws, losses,
  share_sum, on_board, last_number)
SELECT id, 'open', :game, 25, 8, 1000 - id, 0, 0, 0, 0, 0, 1, 0 FROM versions;
"""
_GAMES = """
INSERT INTO pairings (tournament_id, round, board, entrants, games, tally, decided, note)
WITH RECURSIVE r(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM r WHERE i < :rounds)
SELECT 1, r.i, board, entrants, games, tally, 1, '' FROM pairings, r WHERE round = 1;

INSERT INTO matches (game, seed, purpose, priority, rated, status, tournament_id, round, board,
  leg, attempts, explanation, trouble, created_at, finished_at)
WITH RECURSIVE l(i) AS (SELECT 0 UNION ALL SELECT 1)
SELECT :game, board, 'tournament', 1, 1, 'finished', 1, round, board, l.i, 1, '', '', :at, :at
FROM pairings, l WHERE round > 1;

UPDATE matches SET status = 'finished';
UPDATE pairings SET decided = 1;
UPDATE tournaments SET rounds_made = :rounds, status = 'finished';
"""


def play_all(folder: Path, bots: int) -> float:
    """Create a completely played round robin; returns the time to plan it."""
    db = Database(Settings(data=folder).database_url)
    migrate.upgrade(db)
    values = {"bots": bots, "game": GAME, "at": "2026-01-01 00:00:00.000000", "rounds": bots - 1}
    run(folder, _BOTS, values)
    began = time.perf_counter()
    tournaments.create(
        db, tournaments.NewTournament(GAME, "round-robin", Selection(top=bots)), actor="bench"
    )
    planned = time.perf_counter() - began
    db.close()
    run(folder, _GAMES, values)
    halves = np.random.default_rng(1).integers(0, 5, (bots, bots)).astype(np.uint16)
    halves = np.triu(halves, 1) + np.tril(4 - halves.T, -1)
    met = (2 * (1 - np.eye(bots))).astype("<u2")
    with sqlite3.connect(folder / "ladder.db") as c:
        c.executemany(
            "UPDATE entries SET halves = ?, met = ?, points = ?, wins = ?, losses = ? "
            "WHERE seeding = ?",
            [
                (
                    halves[i].astype("<u2").tobytes(),
                    met[i].tobytes(),
                    float(halves[i].sum()) / 2,
                    int((halves[i] > 2).sum()),
                    int((halves[i] < 2).sum()),
                    i + 1,
                )
                for i in range(bots)
            ],
        )
    c.close()
    return planned


def run(folder: Path, script: str, values: dict[str, object]) -> None:
    with sqlite3.connect(folder / "ladder.db") as c:
        for statement in script.split(";\n"):
            if statement.strip():
                c.execute(statement, values)
    c.close()


def fetch(url: str) -> tuple[float, int]:
    began = time.perf_counter()
    with urlopen(url) as answer:
        size = len(answer.read())
    return time.perf_counter() - began, size


def main(bots: int) -> None:
    with tempfile.TemporaryDirectory(prefix="ladder-bench-") as name:
        folder = Path(name)
        planned = play_all(folder, bots)
        slowest = planned
        print(f"a round robin of {bots}: planned in {planned:.2f} s")
        for path in ("/tournaments/1", "/api/v1/tournaments/1"):
            with server("--data", name) as ours:
                url = f"http://127.0.0.1:{ours.port}{path}"
                before = ours.cpu_seconds()
                first, size = fetch(url)
                first_cpu = ours.cpu_seconds() - before
                later = []
                for _ in range(REQUESTS):
                    time.sleep(1.1)  # answers are kept for a second
                    later.append(fetch(url)[0])
                later_cpu = (ours.cpu_seconds() - before - first_cpu) / REQUESTS
            slowest = max(slowest, first)
            print(
                f"{path}: {size:,} bytes; first in {first:.2f} s ({first_cpu:.2f} s CPU), "
                f"later in {statistics.median(later):.2f} s ({later_cpu:.2f} s CPU)"
            )
    print(f"slowest: {slowest:.2f} s (wanted: below {WANTED_SECONDS:.0f} s)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
