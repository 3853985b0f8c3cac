"""The first start of a server: the time until its leaderboard, with all games and with one.

Each run starts `ladder serve` on an empty cache of compiled code and an empty data folder, and
waits until every house bot of the first game has a rated match. Runs with all games and runs with
only that game alternate, because other programs on the machine slow both. The ratio counts: all
other games are compiled after the first one, at low priority.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from engines.games import GAMES

FIRST = GAMES[0]
MOST_RATIO = 1.2
RUNS = 3
LONGEST_SECONDS = 900


def seconds_to_leaderboard(only_games: str) -> float:
    """The time from the start of the process to the first complete leaderboard."""
    with tempfile.TemporaryDirectory(prefix="ladder-first-start-") as scratch:
        log = Path(scratch, "log")
        variables = os.environ | {
            "LADDER_CACHE": str(Path(scratch, "cache")),
            "LADDER_DATA": str(Path(scratch, "data")),
            "LADDER_ONLY_GAMES": only_games,
        }
        began = time.monotonic()
        with log.open("wb") as output:
            server = subprocess.Popen(
                [sys.executable, "-m", "ladder.cli", "serve", "--port", "0"],
                env=variables,
                stdout=output,
                stderr=output,
            )
        try:
            while not _is_complete(log):
                if server.poll() is not None or time.monotonic() - began > LONGEST_SECONDS:
                    raise SystemExit(f"there was no leaderboard:\n{log.read_text()}")
                time.sleep(0.1)
            return time.monotonic() - began
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


def _is_complete(log: Path) -> bool:
    """Whether every house bot of the first game has played."""
    found = re.search(r"Evoladder is at (http://\S+)", log.read_text())
    if found is None:
        return False
    try:
        path = f"{found[1]}/api/v1/games/{FIRST.name}/leaderboard"
        with urllib.request.urlopen(path, timeout=10) as answer:
            rows = json.load(answer)["rows"]
    except urllib.error.URLError:
        return False
    return len(rows) >= len(FIRST.house_bots) and all(row["matches"] for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="of each kind")
    runs = parser.parse_args().runs
    seconds: dict[str, list[float]] = {"": [], FIRST.name: []}
    for _ in range(runs):
        for only, times in seconds.items():
            times.append(seconds_to_leaderboard(only))
            print(f"{only or 'all games':12} {times[-1]:6.1f} s", flush=True)
    alone, together = (statistics.median(seconds[only]) for only in (FIRST.name, ""))
    ratio = together / alone
    verdict = "ok" if ratio <= MOST_RATIO else "TOO LATE"
    print(
        f"first leaderboard with {len(GAMES)} games {together:.1f} s, with {FIRST.title} alone "
        f"{alone:.1f} s: ratio {ratio:.2f}, limit {MOST_RATIO} ({verdict})"
    )
    return 0 if ratio <= MOST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
