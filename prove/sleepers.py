"""One account uploads sleeping bots; another one uploads a bot and waits for its first rating.

    python -m prove.sleepers [--sleepers 20] [--uploads 6] [--workers 2]

There are several kinds of sleepers: tanks that sleep before every order and never pass their
validation, bots that sleep as long as a match allows and so reach the board, and bots that waste
CPU time instead. A first rating must exist within 30 s, and no match may fail by a server error.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from ladder.client import Client
from ladder.models import Failure, Match
from ladder.store import Database
from ladder.values import MatchStatus
from prove.harness.processes import LadderProcess
from tests.processes import wait_until

WITHIN_SECONDS = 30.0
GAME = "connect-four"
HONEST = b"def agent(observation, configuration):\n    return observation['legal'][-1]\n# %d\n"

_SLEEPY_TANK = """
import time
def agent(observation, configuration):
    time.sleep(3.8)
    return []
"""
_DOZER = """
import time
left = 11.0
def agent(observation, configuration):
    global left
    if left > 0:
        time.sleep(2)
        left -= 2
    return observation["legal"][0]
"""
_STALLER = """
import time
def agent(observation, configuration):
    if observation["turn"] > 6:
        time.sleep(3.8)
    return observation["legal"][0]
"""
_BURNER = """
import time
def agent(observation, configuration):
    until = time.process_time() + 0.9
    while time.process_time() < until: pass
    return observation["legal"][0]
"""
SLEEPERS = (("tanks", _SLEEPY_TANK), (GAME, _DOZER), (GAME, _STALLER), (GAME, _BURNER))


@dataclass
class Waits:
    """Durations of uploads, in seconds from the request on."""

    accepted: list[float] = field(default_factory=list)
    rated: list[float] = field(default_factory=list)


class SleeperServer:
    """A separate server."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.data = folder / "data"
        self.part = LadderProcess(
            folder,
            "server",
            "serve",
            "--port",
            "0",
            "--workers",
            str(workers),
            "--data",
            str(self.data),
        )
        self.part.await_words("Evoladder is at")
        self.url = re.findall(r"Evoladder is at (http://\S+)", self.part.log.read_text())[-1]

    def client(self, name: str) -> Client:
        request = urllib.request.Request(
            self.url + "/api/v1/accounts",
            data=json.dumps({"name": name}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return Client(self.url, json.load(answer)["token"])

    def failures(self) -> list[str]:
        with self._database() as db, db.read() as c:
            return list(c.scalars(sa.select(Failure.trouble)))

    def endings(self) -> Counter[str]:
        query = sa.select(Match.ending).where(Match.status == MatchStatus.FINISHED)
        with self._database() as db, db.read() as c:
            return Counter(str(ending) for ending in c.scalars(query))

    def _database(self) -> closing[Database]:
        return closing(Database(f"sqlite:///{self.data}/ladder.db"))


def measure(site: SleeperServer, sleepers: int, uploads: int, pause: float) -> Waits:
    """Upload the sleepers; while they play, upload other bots from time to time."""
    sleepy, honest, waits = site.client("sleepy"), site.client("honest"), Waits()
    for number in range(sleepers):
        game, code = SLEEPERS[number % len(SLEEPERS)]
        sleepy.submit(game, f"sleeper {number}", f"{code}# {number}\n".encode())
    for number in range(uploads):
        time.sleep(pause)
        began = time.monotonic()
        bot_id = honest.submit(GAME, f"honest {number}", HONEST % number)["id"]
        wait_until(partial(_has_played, honest, bot_id, 0), 300, "the validation")
        waits.accepted.append(time.monotonic() - began)
        wait_until(partial(_has_played, honest, bot_id, 1), 300, "the first rating")
        waits.rated.append(time.monotonic() - began)
    return waits


def _has_played(client: Client, bot_id: int, matches: int) -> bool:
    """Whether a bot is on the board and has at least this many rated matches."""
    rating = client.bot(bot_id)["rating"]
    return rating is not None and rating["matches"] >= matches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sleepers", type=int, default=20)
    parser.add_argument("--uploads", type=int, default=6)
    parser.add_argument("--pause", type=float, default=15, help="seconds before each upload")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ladder-sleepers-"))
    folder.chmod(0o755)
    site = SleeperServer(folder, options.workers)
    try:
        waits = measure(site, options.sleepers, options.uploads, options.pause)
        failures, endings = site.failures(), site.endings()
    finally:
        site.part.stop()
    shutil.rmtree(folder)
    told = ", ".join(f"{ending} {number}" for ending, number in sorted(endings.items()))
    print(
        f"{options.workers} workers, {options.sleepers} sleepers: accepted after "
        f"{_seconds(waits.accepted)} s, first rating after {_seconds(waits.rated)} s; "
        f"matches so far: {told}; {len(failures)} failures of ours"
    )
    if max(waits.rated) > WITHIN_SECONDS or failures:
        raise SystemExit(f"a first rating took longer than {WITHIN_SECONDS} s, or: {failures}")


def _seconds(values: list[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


if __name__ == "__main__":
    main()
