"""The ladder over HTTP: its leaders as guides, and champions entered on it."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from evolve.errors import LadderAway

TIMEOUT_SECONDS = 30
MOST_BYTES = 8 << 20
"""Of an answer that is read."""


@dataclass(frozen=True)
class Leader:
    """A bot at the top of a leaderboard, pinned to its version."""

    rank: int
    bot: str
    owner: str
    kind: str
    version: int
    sha256: str
    text: str | None
    """Of a program."""


class Ladder:
    """A client of one server."""

    def __init__(self, url: str, token: str = "") -> None:
        if not url.startswith(("http://", "https://")):
            raise LadderAway(f"LADDER_URL must begin with http:// or https://, not {url!r}")
        self.url = url.rstrip("/")
        self._token = token

    @classmethod
    def from_environment(cls) -> Ladder:
        url = os.environ.get("LADDER_URL", "http://127.0.0.1:8080")
        return cls(url, os.environ.get("LADDER_TOKEN", ""))

    def leaders(self, game: str, count: int) -> list[Leader]:
        """The best `count` bots, best first, with the texts of programs."""
        path = f"/api/v1/games/{urllib.parse.quote(game)}/leaderboard?limit={count}"
        rows = self._get(path)["rows"][:count]
        leaders = []
        for row in rows:
            bot = self._get(f"/api/v1/bots/{int(row['bot_id'])}")
            sha256 = next(
                (one["sha256"] for one in bot["versions"] if one["number"] == row["version"]), None
            )
            if sha256 is None:
                raise LadderAway(f"{self.url} does not say which version of {row['bot']} leads")
            text = None
            if row["kind"] == "program":
                text = self._program(str(sha256))
            leaders.append(
                Leader(
                    *(int(row["rank"]), str(row["bot"]), str(row["owner"]), str(row["kind"])),
                    *(int(row["version"]), str(sha256), text),
                )
            )
        return leaders

    def _program(self, sha256: str) -> str:
        """The text of a program. Runs keep it in a file of this name, so the name must be true."""
        path = f"/api/v1/versions/{urllib.parse.quote(sha256, safe='')}/program"
        data = self._call("GET", path)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise LadderAway(f"{self.url} sent another program than {sha256[:80]!r}")
        return data.decode()

    def check_submission(self, game: str) -> None:
        """Raise `LadderAway` unless a bot of this game could be entered now."""
        if not self._token:
            raise LadderAway(
                "set LADDER_TOKEN to your token: without it the champion cannot be submitted"
            )
        games = [one["name"] for one in self._get("/api/v1/games")["games"]]
        if game not in games:
            raise LadderAway(f"the ladder at {self.url} has no game {game}")
        self._get("/api/v1/bots")

    def submit(self, game: str, name: str, program: str, lineage: dict[str, Any]) -> Any:
        """Enter a program; returns what the server says of the new version."""
        boundary = secrets.token_hex(16)
        fields = [
            ('name="game"', game),
            ('name="name"', name),
            ('name="lineage"', json.dumps(lineage)),
            ('name="file"; filename="champion.lisp"', program),
        ]
        parts = [
            f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n{value}\r\n"
            for disposition, value in fields
        ]
        body = "".join([*parts, f"--{boundary}--\r\n"]).encode()
        kind = f"multipart/form-data; boundary={boundary}"
        return json.loads(self._call("POST", "/api/v1/bots", body, kind))

    def _get(self, path: str) -> Any:
        try:
            return json.loads(self._call("GET", path))
        except ValueError as error:
            raise LadderAway(f"{self.url}{path} does not answer as a ladder does") from error

    def _call(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> bytes:
        request = urllib.request.Request(self.url + path, data=body, method=method)
        if self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        if kind:
            request.add_header("Content-Type", kind)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                content: bytes = answer.read(MOST_BYTES)
                return content
        except urllib.error.HTTPError as error:
            raise LadderAway(f"the ladder at {self.url} refused: {_detail(error)}") from error
        except OSError as error:
            raise LadderAway(f"the ladder at {self.url} does not answer: {error}") from error


def _detail(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["detail"])
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason}"
