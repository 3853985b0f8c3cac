"""A small client of the JSON API, for `ladder submit` and `ladder challenge`."""

from __future__ import annotations

import json
import os
import secrets
import urllib.error
import urllib.request
from typing import Any

from ladder.errors import LadderError, Refusal

TIMEOUT_SECONDS = 30


def from_environment() -> Client:
    token = os.environ.get("LADDER_TOKEN", "")
    if not token:
        raise Refusal("set LADDER_TOKEN to your token; the sign-in page of the server makes one")
    return Client(os.environ.get("LADDER_URL", "http://127.0.0.1:8080"), token)


class Client:
    def __init__(self, url: str, token: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise Refusal(f"LADDER_URL must begin with http:// or https://, not {url!r}")
        self.url = url.rstrip("/")
        self._token = token

    def submit(self, game: str, name: str, data: bytes) -> Any:
        boundary = secrets.token_hex(16)
        parts = [
            _part(boundary, 'name="game"', game.encode()),
            _part(boundary, 'name="name"', name.encode()),
            _part(boundary, 'name="file"; filename="bot"', data),
            f"--{boundary}--\r\n".encode(),
        ]
        kind = f"multipart/form-data; boundary={boundary}"
        return self._call("POST", "/api/v1/bots", b"".join(parts), kind)

    def bot(self, bot_id: int) -> Any:
        return self._call("GET", f"/api/v1/bots/{bot_id}")

    def bot_number(self, game: str, name: str) -> int:
        """The number of a bot on a leaderboard, by its name; a number is one already."""
        if name.isdecimal():
            return int(name)
        page = f"/api/v1/games/{game}/leaderboard?limit=200"
        after = ""
        while True:
            rows = self._call("GET", page + after)
            for row in rows["rows"]:
                if row["bot"].casefold() == name.casefold():
                    return int(row["bot_id"])
            if rows["next"] is None:
                raise Refusal(f"no bot called {name!r} is on the leaderboard of {game}")
            after = f"&after={rows['next']}"

    def challenge(self, game: str, bots: list[int], games: int, seed: int | None) -> Any:
        body: dict[str, Any] = {"game": game, "bots": bots, "games": games}
        if seed is not None:
            body["seed"] = seed
        return self._call("POST", "/api/v1/matches", json.dumps(body).encode(), "application/json")

    def _call(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> Any:
        request = urllib.request.Request(self.url + path, data=body, method=method)
        # Not to be sent on to wherever a redirect leads.
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        if kind:
            request.add_header("Content-Type", kind)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refusal(_detail(error)) from error
        except (OSError, ValueError) as error:
            raise LadderError(f"the server at {self.url} does not answer: {error}") from error


def _part(boundary: str, disposition: str, content: bytes) -> bytes:
    head = f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n"
    return head.encode() + content + b"\r\n"


def _detail(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["detail"])
    except (ValueError, KeyError, TypeError):
        return f"the server answered {error.code} {error.reason}"
