"""A server as a separate process, and the check of the database that it leaves behind."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from processes import command, descendants, wait_until

from engines.games import GAMES
from ladder.boards import ladders
from ladder.client import Client
from ladder.matches import listing
from ladder.matches.replays import ReplayStore
from ladder.models import Match, Rating, Result, Seat
from ladder.store import Database
from ladder.values import MatchStatus


def serve(*flags: str) -> list[str]:
    return [sys.executable, "-m", "ladder.cli", "serve", *flags]


class Server:
    def __init__(
        self, data: Path, *flags: str, database: str = "", before: Callable[[], None] | None = None
    ) -> None:
        """`before` is called in the process of the server, before the server starts."""
        self.data = data
        self.database_url = database or f"sqlite:///{data}/ladder.db"
        self.log = data.parent / f"{data.name}.log"
        self._said = self.log.stat().st_size if self.log.exists() else 0  # by earlier servers
        usual = ("--port", "0", "--data", str(data), "--lease-seconds", "3", "--workers", "2")
        self.process = subprocess.Popen(
            serve(*usual, "--database", self.database_url, *flags),
            stdout=self.log.open("ab"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=before,
        )
        self.url = ""
        wait_until(self._find_url, 120, "starting the server")

    def _find_url(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        text = self.log.read_bytes()[self._said :].decode()
        found = re.findall(r"Evoladder is at (http://\S+)", text)
        self.url = found[-1] if found else ""
        return bool(found)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)

    def token(self, name: str) -> str:
        """The token of a new account."""
        request = urllib.request.Request(
            self.url + "/api/v1/accounts",
            data=json.dumps({"name": name}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(json.load(answer)["token"])

    def client(self, name: str) -> Client:
        return Client(self.url, self.token(name))

    def database(self) -> Database:
        return Database(self.database_url)

    def rated(self) -> int:
        return _count(self.database(), Result)

    def await_matches(self, count: int) -> None:
        """Wait until this many more matches are rated."""
        enough = self.rated() + count
        wait_until(lambda: self.rated() >= enough, 60, f"rating {count} more matches")

    def workers(self) -> list[int]:
        return [
            pid
            for pid, _ in descendants(self.process.pid)
            if "multiprocessing.spawn" in command(pid)
        ]


def _count(db: Database, table: type) -> int:
    with db.read() as c:
        found = int(c.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
    db.close()
    return found


def check_truth(server: Server) -> None:
    """Every finished match was rated once, nothing is half done, and the log gives the ratings."""
    db, replays = server.database(), ReplayStore(server.data / "replays")
    with db.read() as c:
        finished = sa.select(sa.func.count()).select_from(Match)
        finished = finished.where(Match.status == MatchStatus.FINISHED)
        assert c.scalar(finished.where(Match.rated)) == c.scalar(
            sa.select(sa.func.count()).select_from(Result)
        )
        unscored = finished.join(Seat, Seat.match_id == Match.id).where(Seat.score.is_(None))
        assert c.scalar(unscored) == 0
        for match_id in c.scalars(sa.select(Match.id).where(Match.status == MatchStatus.FINISHED)):
            assert len(listing.replay(db, replays, match_id)) > 100
        query = sa.select(Rating).order_by(Rating.version_id, Rating.division)
        before = c.execute(query).all()
    for game in GAMES:
        ladders.rerate(db, game.name)
    with db.read() as c:
        assert c.execute(query).all() == before
    db.close()
