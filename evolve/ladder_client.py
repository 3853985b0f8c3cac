"""The ladder over HTTP: leaders for guides, and the submission of champions."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from evolve.errors import LadderUnreachable
from ladder.client import DEFAULT_URL, Client
from ladder.errors import LadderError


@dataclass(frozen=True)
class Leader:
    """A bot at the top of a leaderboard, pinned to its version."""

    rank: int
    bot: str
    """Its name; `owner/name` where bots of several owners have it."""
    owner: str
    kind: str
    version: int
    sha256: str
    text: str | None
    """The text, if the bot is a program."""


class LadderClient:
    """The requests of runs to one ladder. All raise `LadderUnreachable` if they fail."""

    def __init__(self, url: str, token: str = "") -> None:
        with _ladder_errors():
            self._client = Client(url, token)
        self.url = self._client.url
        self._token = token

    @classmethod
    def from_environment(cls) -> LadderClient:
        url = os.environ.get("LADDER_URL", DEFAULT_URL)
        return cls(url, os.environ.get("LADDER_TOKEN", ""))

    def leaders(self, game: str, count: int) -> list[Leader]:
        """The best `count` bots, best first, with the texts of programs."""
        with _ladder_errors():
            rows = self._client.leaderboard(game, count)["rows"][:count]
            named = Counter(str(row["bot"]) for row in rows)
            return [self._leader(row, alone=named[row["bot"]] == 1) for row in rows]

    def _leader(self, row: Any, *, alone: bool) -> Leader:
        """`alone`: no other leader has the same name."""
        versions = self._client.bot(int(row["bot_id"]))["versions"]
        found = [str(one["sha256"]) for one in versions if one["number"] == row["version"]]
        if not found:
            raise LadderUnreachable(f"{self.url} does not name the leading version of {row['bot']}")
        return Leader(
            rank=int(row["rank"]),
            bot=str(row["bot"]) if alone else f"{row['owner']}/{row['bot']}",
            owner=str(row["owner"]),
            kind=str(row["kind"]),
            version=int(row["version"]),
            sha256=found[0],
            text=self._program(found[0]) if row["kind"] == "program" else None,
        )

    def _program(self, sha256: str) -> str:
        """The text of a program. Runs name its file by this hash, so the hash is checked."""
        data = self._client.program(sha256)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise LadderUnreachable(
                f"{self.url} sent a program that does not match {sha256[:80]!r}"
            )
        return data.decode()

    def check_submission(self, game: str) -> None:
        """Raise `LadderUnreachable` unless a bot of this game can be submitted now."""
        if not self._token:
            raise LadderUnreachable(
                "set LADDER_TOKEN to your token: without it the champion cannot be submitted"
            )
        with _ladder_errors():
            if game not in self._client.games():
                raise LadderUnreachable(f"the ladder at {self.url} has no game {game}")
            self._client.own_bots()

    def submit(self, game: str, name: str, program: str, lineage: dict[str, Any]) -> Any:
        """Submit a program; returns the server's description of the new version."""
        with _ladder_errors():
            return self._client.submit(game, name, program.encode(), lineage)


@contextmanager
def _ladder_errors() -> Iterator[None]:
    try:
        yield
    except LadderError as error:
        raise LadderUnreachable(str(error)) from error
