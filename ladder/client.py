"""The HTTP client of the JSON API, for `ladder submit`, `ladder challenge` and `evolve`.

It needs the standard library and `ladder.errors` alone, so that `evolve` can use it.
"""

from __future__ import annotations

import json
import os
import secrets
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from ladder.errors import LadderError, Refusal

DEFAULT_URL = "http://127.0.0.1:8080"
TIMEOUT_SECONDS = 30
MOST_BYTES = 8 << 20
"""Longest response that is read. A longer one is cut, and then is not JSON."""


def from_environment() -> Client:
    """The client of a member, from `LADDER_URL` and `LADDER_TOKEN`."""
    token = os.environ.get("LADDER_TOKEN", "")
    if not token:
        raise Refusal("set LADDER_TOKEN to your token; the sign-in page of the server creates one")
    return Client(os.environ.get("LADDER_URL", DEFAULT_URL), token)


class Client:
    """A client of one server. Raises `Refusal` if the server refuses, else `LadderError`."""

    def __init__(self, url: str, token: str = "") -> None:
        if not url.startswith(("http://", "https://")):
            raise Refusal(f"LADDER_URL must begin with http:// or https://, not {url!r}")
        self.url = url.rstrip("/")
        self._token = token

    def submit(self, game: str, name: str, data: bytes, lineage: Mapping[str, Any] = {}) -> Any:
        """Upload a bot, or a new version of one; return the server's answer."""
        fields = {"game": game, "name": name}
        if lineage:
            fields["lineage"] = json.dumps(lineage)
        boundary = secrets.token_hex(16)
        parts = [_part(boundary, f'name="{key}"', value.encode()) for key, value in fields.items()]
        parts.append(_part(boundary, 'name="file"; filename="bot"', data))
        parts.append(f"--{boundary}--\r\n".encode())
        kind = f"multipart/form-data; boundary={boundary}"
        return self._json("POST", "/api/v1/bots", b"".join(parts), kind)

    def bot(self, bot_id: int) -> Any:
        return self._json("GET", f"/api/v1/bots/{bot_id}")

    def own_bots(self) -> Any:
        return self._json("GET", "/api/v1/bots")

    def games(self) -> list[str]:
        return [game["name"] for game in self._json("GET", "/api/v1/games")["games"]]

    def leaderboard(self, game: str, limit: int, after: str = "") -> Any:
        query = urllib.parse.urlencode({"limit": limit} | ({"after": after} if after else {}))
        return self._json("GET", f"/api/v1/games/{urllib.parse.quote(game)}/leaderboard?{query}")

    def program(self, sha256: str) -> bytes:
        """The text of an uploaded program."""
        path = f"/api/v1/versions/{urllib.parse.quote(sha256, safe='')}/program"
        return self._send("GET", path)

    def challenge(self, game: str, bots: Sequence[str], games: int, seed: int | None) -> Any:
        """`bots`: names, such as `ada/mybot` or `greedy`, or numbers."""
        wanted = [int(bot) if bot.isascii() and bot.isdecimal() else bot for bot in bots]
        body: dict[str, Any] = {"game": game, "bots": wanted, "games": games}
        if seed is not None:
            body["seed"] = seed
        return self._json("POST", "/api/v1/matches", json.dumps(body).encode(), "application/json")

    def _json(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> Any:
        try:
            return json.loads(self._send(method, path, body, kind))
        except ValueError as error:
            raise LadderError(f"{self.url} is not a ladder server; check LADDER_URL") from error

    def _send(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> bytes:
        request = urllib.request.Request(self.url + path, data=body, method=method)
        if self._token:
            # A redirect may lead to another server, which must not learn the token.
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        if kind:
            request.add_header("Content-Type", kind)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                content: bytes = response.read(MOST_BYTES)
                return content
        except urllib.error.HTTPError as error:
            raise Refusal(f"the ladder at {self.url} refused: {_detail(error)}") from error
        except OSError as error:
            raise LadderError(f"the ladder at {self.url} does not answer: {error}") from error


def _part(boundary: str, disposition: str, content: bytes) -> bytes:
    head = f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n"
    return head.encode() + content + b"\r\n"


def _detail(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["detail"])
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason}"
