"""The HTTP client, against servers with answers that a ladder never gives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from evolve.errors import LadderUnreachable
from evolve.ladder_client import LadderClient
from ladder.client import Client
from ladder.errors import LadderError, Refusal


class Stranger(ThreadingHTTPServer):
    """Redirects `/api/v1/bots` to another path, and notes the tokens of requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tokens: list[tuple[str, str | None]] = []


class Handler(BaseHTTPRequestHandler):
    server: Stranger

    def do_GET(self) -> None:
        self.server.tokens.append((self.path, self.headers["Authorization"]))
        if self.path == "/api/v1/bots":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
            self.end_headers()
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"games": [{"name": "tanks"}]}' if "games" in self.path else b"{")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    with Stranger() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_redirect_does_not_take_the_token_along(stranger: Stranger) -> None:
    url = f"http://127.0.0.1:{stranger.server_port}"
    with pytest.raises(LadderError, match="is not a ladder server; check LADDER_URL"):
        Client(url, "secret").own_bots()
    with pytest.raises(LadderUnreachable, match="is not a ladder server; check LADDER_URL"):
        LadderClient(url, "secret").check_submission("tanks")
    sent = [(path, token) for path, token in stranger.tokens if "games" not in path]
    assert sent == 2 * [("/api/v1/bots", "Bearer secret"), ("/elsewhere", None)]


def test_other_addresses_are_refused() -> None:
    with pytest.raises(Refusal, match="must begin with http"):
        Client("file:///etc/passwd")
