"""Hostile requests: tricks with paths, heads and bodies, and slow clients."""

from __future__ import annotations

import gzip
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from live_site import BOT, LiveSite, Serving, make_site

from engines.competition import Competition
from ladder.people import accounts
from ladder.runner import uploads
from ladder.uploads import submissions
from ladder.values import Kind
from ladder.web.http import connections, listen
from ladder.web.http.live import MOST_READERS_PER_ADDRESS


@contextmanager
def connected(site: LiveSite, seconds: float = 20) -> Iterator[socket.socket]:
    where = urlsplit(site.url)
    with socket.create_connection((where.hostname, where.port), timeout=seconds) as raw:
        yield raw


def read_all(raw: socket.socket) -> bytes:
    data = b""
    try:
        while chunk := raw.recv(65536):
            data += chunk
    except (ConnectionResetError, TimeoutError):
        pass
    return data


def is_cut_off(raw: socket.socket, data: bytes, times: int, pause: float = 0) -> bool:
    """Whether the server ends the connection while we send these bytes repeatedly."""
    try:
        for _ in range(times):
            raw.sendall(data)
            time.sleep(pause)
    except (ConnectionResetError, BrokenPipeError):
        return True
    return False


def exchange(site: LiveSite, sent: bytes) -> bytes:
    """The response to these bytes until the connection ends or is silent for some seconds."""
    with connected(site, 3) as raw:
        raw.sendall(sent)
        return read_all(raw)


def statuses(data: bytes) -> list[int]:
    return [int(code) for code in re.findall(rb"HTTP/\d\.\d (\d{3}) ", data)]


DOCS = Path(__file__).parents[2] / "docs"
HOST = b"Host: 127.0.0.1\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        b"Content-Length: 4\r\nContent-Length: 5\r\n",
        b"Content-Length: +4\r\n",
        b"Content-Length: 4,4\r\n",
        b"Content-Length: 0x4\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length : 4\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: identity\r\nContent-Length: 4\r\n",
        b"Transfer-Encoding:\x0bchunked\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"X: y\r\n Transfer-Encoding: chunked\r\n",
        b"X: a\x00b\r\n",
        b"X: a\rb\r\n",
        b" Leading: space\r\n",
        b"No colon\r\n",
        b"B\xe4d: name\r\n",
    ],
)
def test_smuggled_requests_are_refused(shared_site: LiveSite, head: bytes) -> None:
    """A request that two servers in a row could read differently is refused."""
    hidden = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
    body = b"0\r\n\r\n" + hidden
    sent = b"POST /api/v1/accounts HTTP/1.1\r\n" + HOST + head + b"\r\n" + body
    answer = exchange(shared_site, sent)
    assert statuses(answer) == [400], answer


@pytest.mark.parametrize(
    "line",
    [
        b"GET /healthz HTTP/9.9",
        b"GET /healthz",
        b"GET  /healthz HTTP/1.1",
        b"G\x00T /healthz HTTP/1.1",
        b"GET /\xff\xfe HTTP/1.1",
        b"GET healthz HTTP/1.1",
        b"GET //evil.example/%2e%2e HTTP/1.1",
        b"GET http://evil.example/healthz HTTP/1.1",
        b"GET http://[::1 HTTP/1.1",
        b"GET /static/..%2f..%2fapp.py HTTP/1.1",
        b"GET /static/../../../etc/passwd HTTP/1.1",
        b"GET /api/v1/matches/1%2freplay HTTP/1.1",
        b"GET /api/v1/matches/1;x=y/replay HTTP/1.1",
        b"GET /api/v1/bots/1%00 HTTP/1.1",
        b"GET /games/reversi%0d%0aSet-Cookie:%20session=x HTTP/1.1",
        b"GET /signin?next=%0d%0aLocation:%20//evil HTTP/1.1",
        b"GET /" + b"a" * 5000 + b" HTTP/1.1",
        b"OPTIONS * HTTP/1.1",
        b"CONNECT evil.example:443 HTTP/1.1",
        b"TRACE /healthz HTTP/1.1",
        b"PRI * HTTP/2.0",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_odd_request_lines(site: LiveSite, line: bytes) -> None:
    answer = exchange(site, line + b"\r\n" + HOST + b"Cookie: s\r\nConnection: close\r\n\r\n")
    assert statuses(answer), answer
    assert all(code < 500 for code in statuses(answer)), answer
    assert b"root:" not in answer
    head = answer.partition(b"\r\n\r\n")[0]
    assert b"Set-Cookie" not in head
    assert b"aiohttp" not in answer
    assert b"X-Content-Type-Options: nosniff" in head
    assert b"from __future__" not in answer
    assert not re.search(rb"\r\nLocation: *(//|http)", head)
    assert site.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        b"X: " + b"a" * 9000 + b"\r\n",
        b"".join(b"X-%d: a\r\n" % number for number in range(200)),
        b"Cookie: " + b"a=b; " * 1500 + b"\r\n",
    ],
)
def test_large_heads_are_refused(shared_site: LiveSite, headers: bytes) -> None:
    answer = exchange(shared_site, b"GET /healthz HTTP/1.1\r\n" + HOST + headers + b"\r\n")
    assert statuses(answer) == [400]


def test_a_head_without_end_fills_no_memory(shared_site: LiveSite) -> None:
    with connected(shared_site) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\n")
        line = b"X: " + b"a" * 4000 + b"\r\n"
        assert is_cut_off(raw, line, 10_000)


def test_packed_bodies_are_not_unpacked(site: LiveSite) -> None:
    """A small body that unpacks to a large one is refused without unpacking."""
    bomb = gzip.compress(b" " * (100 << 20))
    answer = site.post(
        "/api/v1/accounts",
        data=bomb,
        headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
    )
    assert answer.status_code in (413, 415)
    small = site.post(
        "/api/v1/accounts",
        data=gzip.compress(b'{"name": "ada"}'),
        headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
    )
    assert small.status_code == 415


def test_odd_forms_are_refused(site: LiveSite, token: str) -> None:
    """The multipart reader treats some names in a special way."""
    for name, value in (("_charset_", b"x" * 40), ("_charset_", b"utf-7"), ("_charset_", b"\xff")):
        body = (
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode()
            + value
            + b"\r\n--b--\r\n"
        )
        headers = {"Content-Type": "multipart/form-data; boundary=b"}
        answer = site.post("/api/v1/bots", token, data=body, headers=headers)
        assert answer.status_code == 400


def test_a_form_without_end_is_refused(site: LiveSite, token: str) -> None:
    """A form may be endless neither before its first part nor in the head of a part."""
    headers = {"Content-Type": "multipart/form-data; boundary=b"}

    def preamble() -> Iterator[bytes]:
        sent = 0
        while sent <= 2 * site.settings.native_mb << 20:
            yield (lines := b"nothing\r\n" * 8000)
            sent += len(lines)

    def part_head() -> Iterator[bytes]:
        yield b"--b\r\n"
        for _ in range(64):
            yield b"X: " + b"y" * 4000 + b"\r\n"

    endless = site.post("/api/v1/bots", token, data=preamble(), headers=headers)
    assert endless.status_code == 413
    assert site.post("/api/v1/bots", token, data=part_head(), headers=headers).status_code == 400


def test_a_client_that_never_ends_a_head_is_cut_off(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slow loris: single bytes of a header would keep a connection open forever."""
    monkeypatch.setattr(listen, "IDLE_SECONDS", 1.0)
    live = make_site(folder)
    with Serving(live.app) as live.url:
        with connected(live) as slow, connected(live) as silent, connected(live) as idle:
            idle.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
            assert idle.recv(12) == b"HTTP/1.1 200"
            slow.sendall(b"GET / HTTP/1.1\r\n")
            assert is_cut_off(slow, b"X", 100, pause=0.1)
            assert silent.recv(1) == b""
            read_all(idle)  # ends
        assert live.get("/healthz").status_code == 200
    live.db.close()


def test_a_client_that_does_not_read_is_cut_off(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.1)
    monkeypatch.setattr(connections, "STALLED_SECONDS", 0.5)
    live = make_site(folder)
    with Serving(live.app) as live.url, connected(live) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # Request many large answers without reading any.
        request = b"GET /api/v1/openapi.json HTTP/1.1\r\n" + HOST + b"\r\n"
        assert is_cut_off(raw, request * 20, 3_000, pause=0.01)
        assert live.get("/healthz").status_code == 200
    live.db.close()


def test_too_many_connections_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "most_connections", lambda: 20)
    monkeypatch.setattr(listen, "IDLE_SECONDS", 2.0)
    live = make_site(folder)
    with Serving(live.app) as live.url:
        waiting = [
            socket.create_connection(
                ("127.0.0.1", urlsplit(live.url).port or 0), 10, (f"127.0.0.{2 + number // 5}", 0)
            )
            for number in range(20)
        ]
        answer = live.get("/healthz")
        assert answer.status_code == 503
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert int(answer.headers["Retry-After"]) > 0
        assert answer.json()["status"] == 503
        for raw in waiting:  # they sent nothing, so the server closes them
            assert raw.recv(1) == b""
            raw.close()
        assert live.get("/healthz").status_code == 200
    live.db.close()


def test_this_machine_cannot_take_all_connections(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy on loopback that is not in the settings is limited like any other address."""
    monkeypatch.setattr(listen, "most_connections", lambda: 20)
    live = make_site(folder)
    with Serving(live.app) as live.url, ExitStack() as open_ones:
        for _ in range(5):
            open_ones.enter_context(connected(live))
        assert live.get("/healthz").status_code == 503
        where = ("127.0.0.1", urlsplit(live.url).port or 0)
        with socket.create_connection(where, 10, ("127.0.0.2", 0)) as other:
            other.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
            assert other.recv(12) == b"HTTP/1.1 200"
    live.db.close()


def test_the_documentation_tells_the_limits_of_connections() -> None:
    text = (DOCS / "security.md").read_text()
    assert f"| connections | {connections.MOST_CONNECTIONS:,}, fewer where" in text
    assert connections.SHARE_PER_ADDRESS == 4, "a quarter, as the documentation says"
    assert f"({MOST_READERS_PER_ADDRESS} from one address)" in (DOCS / "operations.md").read_text()


def test_one_address_cannot_take_all_connections() -> None:
    shut = connections.ConnectionLimits(
        connections.asyncio.Protocol, 40, lambda address: address == "10.0.0.9"
    )
    for number in range(10):
        door = connections.ClientConnection(shut)
        door.address = f"2001:db8::{number}"
        assert shut.admit(door.address)
        shut.enter(door)
    assert not shut.admit("2001:db8::ffff"), "addresses of one /64 network count as one"
    assert shut.admit("2001:db8:0:1::1")
    assert shut.admit("10.0.0.9")
    for door in list(shut.open):
        shut.leave(door)
    assert shut.admit("2001:db8::1")


def test_pipelined_requests_are_answered_in_order(shared_site: LiveSite) -> None:
    request = b"GET /api/v1/bots/%d HTTP/1.1\r\n" + HOST + b"\r\n"
    last = b"GET /healthz HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n"
    answer = exchange(shared_site, b"".join(request % n for n in (1, 99999)) + last)
    assert statuses(answer) == [200, 404, 200]


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; DROP TABLE accounts; --",
    "' OR '1'='1",
    "{{ 7 * 7 }}",
    "${7*7}",
    "%s%s%n",
    "a\x00b",
    "a\r\nSet-Cookie: x=y",
    "\u202egnp.exe",
    "=HYPERLINK(1)",
    "../../etc/passwd",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_are_texts_everywhere(site: LiveSite, token: str, admin: str, text: str) -> None:
    """Every field refuses such a text, or pages show it unchanged, as text."""
    answers = [
        site.post("/api/v1/accounts", json={"name": text}),
        site.post("/api/v1/accounts", json={"name": "ok", "invite": text}),
        site.post("/api/v1/leagues", admin, json={"game": "reversi", "name": text}),
        site.post("/api/v1/leagues", admin, json={"game": text, "name": "x"}),
        site.post("/api/v1/leagues", admin, json={"game": "reversi", "name": "x", "cron": text}),
        site.post(
            "/api/v1/leagues", admin, json={"game": "reversi", "name": "x", "timezone": text}
        ),
        site.post("/api/v1/leagues", admin, json={"game": "tanks", "name": "x", "division": text}),
        site.upload(token, name=text),
        site.upload(token, game=text),
        site.get("/api/v1/matches", params={"after": text}),
        site.get("/api/v1/matches", params={"game": text}),
        site.get("/api/v1/games/reversi/leaderboard", params={"division": text, "after": text}),
    ]
    for answer in answers:
        assert 400 <= answer.status_code < 500, answer.text
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert "Set-Cookie" not in answer.headers
    browser = site.browser("bob")
    fields = {"csrf": browser.csrf(), "game": text, "name": text}
    pages = [
        browser.post("/upload", data=fields, files={"file": BOT}),
        browser.get("/upload", params={"name": text[:40]}),
        site.get("/signin", params={"next": text}),
        site.post("/signin", data={"token": text, "next": text}),
        site.post("/register", data={"name": text, "invite": text}),
        site.get("/games/reversi", params={"division": text}),
        site.get("/games/reversi", params={"search": text[:40]}),
        site.get("/matches", params={"game": text}),
    ]
    for page in pages:
        assert page.status_code < 500
        assert page.status_code >= 400 or "\0" not in text, "PostgreSQL stores no NUL"
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert "49" not in re.findall(r'value="([^"]*)"', page.text)
    assert site.get("/api/v1/account", token).json()["name"] == "ada", "no table was dropped"


def test_tokens_are_replaced_and_revoked(site: LiveSite, token: str) -> None:
    browser = site.browser("bob")
    thief = site.post("/signin", data={"token": token, "next": ""})
    session = thief.headers["Set-Cookie"].split(";")[0]
    assert site.get("/me", headers={"Cookie": session}).status_code == 200
    answer = site.post("/api/v1/account/token", token)
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "private, no-store"
    fresh = answer.json()["token"]
    assert site.get("/api/v1/account", token).status_code == 401
    assert site.get("/me", headers={"Cookie": session}).status_code == 303
    assert site.get("/api/v1/account", fresh).json()["name"] == "ada"
    assert browser.get("/me").status_code == 200, "other accounts stay signed in"

    other = site.post("/signin", data={"token": fresh, "next": ""}).headers["Set-Cookie"]
    assert other.split(";")[0] != session
    page = browser.post("/token", data={"csrf": browser.csrf()})
    assert page.status_code == 200
    assert page.headers["Cache-Control"] == "private, no-store"
    (shown,) = re.findall(r'id="token"[^>]*>(lad_[\w-]+)<', page.text)
    assert site.get("/api/v1/account", shown).json()["name"] == "bob"
    assert browser.get("/me").status_code == 200, "this browser stays signed in"

    assert accounts.revoke(site.db, "BOB") == 2
    assert site.get("/api/v1/account", shown).status_code == 401
    assert browser.get("/me").status_code == 303


def test_a_session_ends_when_another_begins(site: LiveSite, token: str) -> None:
    """After the sign-in, a session that an attacker planted in the browser is useless."""
    browser = site.browser("bob")
    planted = browser.session.cookies["session"]
    browser.post("/signin", data={"token": token, "next": ""})
    assert browser.session.cookies["session"] != planted
    assert "ada" in browser.get("/me").text
    assert site.get("/me", headers={"Cookie": f"session={planted}"}).status_code == 303
    made_up = "A" * 43
    answer = site.get("/signin", headers={"Cookie": f"session={made_up}"})
    assert "Set-Cookie" not in answer.headers
    assert made_up not in answer.text


def test_a_token_is_no_session_and_a_session_no_token(site: LiveSite, token: str) -> None:
    session = site.post("/signin", data={"token": token, "next": ""})
    value = session.headers["Set-Cookie"].split(";")[0].removeprefix("session=")
    assert site.get("/api/v1/account", value).status_code == 401
    assert site.get("/me", headers={"Cookie": f"session={token}"}).status_code == 303
    assert site.get("/api/v1/account", params={"token": token}).status_code == 400


def test_guesses_at_the_sign_in_are_slowed_down(site: LiveSite, token: str) -> None:
    with ThreadPoolExecutor(8) as guesses:
        codes = list(
            guesses.map(
                lambda n: site.post("/signin", data={"token": f"lad_{n}", "next": ""}).status_code,
                range(140),
            )
        )
    assert set(codes) == {401, 429}
    assert site.post("/signin", data={"token": token, "next": ""}).status_code == 303


def test_parts_of_answers_are_not_served(shared_site: LiveSite) -> None:
    """Ranges are ignored, as the standard allows, so many overlapping ranges cost nothing."""
    ranges = ",".join(f"{n}-" for n in range(300))
    for path in ("/api/v1/matches/1/replay", "/static/style.css"):
        answer = shared_site.get(path, headers={"Range": f"bytes={ranges}"})
        assert answer.status_code == 200


def test_complaints_are_short(site: LiveSite, token: str) -> None:
    text = b"(program tanks (tree ahead " + b"a" * 400_000 + b"))"
    answer = site.upload(token, "long", "tanks", text)
    assert answer.status_code == 422
    assert len(answer.content) < 5_000


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The uploads that were checked."""
    seen: list[bytes] = []

    def check_upload(game: Competition, data: bytes) -> Kind:
        seen.append(data)
        return uploads.check_upload(game, data)

    monkeypatch.setattr(submissions, "check_upload", check_upload)
    return seen


def test_checks_of_bad_uploads_are_limited(folder: Path, looks: list[bytes]) -> None:
    live = make_site(folder, refused_uploads_per_hour=3)
    with Serving(live.app) as live.url:
        ada, eve = live.account("ada"), live.account("eve")
        assert live.upload(ada, "hers").status_code == 202
        bad = b"PK\x03\x04 no zip file"
        codes = [live.upload(eve, file=bad).status_code for _ in range(2)]
        codes.append(live.upload(eve, "greedy").status_code)  # the name of a house bot
        assert codes == [422, 422, 409]
        looks.clear()
        refused = live.upload(eve)
        assert refused.status_code == 429
        assert "your uploads were refused" in refused.json()["detail"]
        assert 0 < int(refused.headers["Retry-After"]) <= 3600
        assert not looks
        codes = [live.upload(ada, file=BOT + b"#%d" % n).status_code for n in range(5)]
        assert codes == [202] * 5, "accepted ones do not count"
        form = {"game": "reversi", "name": "new", "account": "zoe"}
        pages = [live.post("/upload", data=form, files={"file": bad}) for _ in range(4)]
        assert [page.status_code for page in pages] == [422, 422, 422, 429]
        assert int(pages[-1].headers["Retry-After"]) > 0
    live.db.close()


def test_the_upload_of_a_stranger_is_checked_once(folder: Path, looks: list[bytes]) -> None:
    live = make_site(folder)
    with Serving(live.app) as live.url:
        form = {"game": "reversi", "name": "new", "account": "zoe"}
        assert live.post("/upload", data=form, files={"file": BOT}).status_code == 201
        assert looks == [BOT]
    live.db.close()


def test_uploads_beyond_the_quota_are_not_checked(folder: Path, looks: list[bytes]) -> None:
    live = make_site(folder, uploads_per_hour=2)
    with Serving(live.app) as live.url:
        ada = live.account("ada")
        assert [live.upload(ada).status_code for _ in range(3)] == [202] * 3
        assert len(looks) == 1, "the same file is neither checked nor counted again"
        codes = [live.upload(ada, file=BOT + b"#%d" % n).status_code for n in range(3)]
        assert codes == [202, 429, 429]
        assert len(looks) == 2
    live.db.close()


def test_a_head_request_reads_no_table(site: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = 0

    def endless(*_: object) -> Iterator[str]:
        nonlocal lines
        while True:
            lines += 1
            yield "x\r\n"

    monkeypatch.setattr("ladder.boards.ladders.results_csv", endless)
    answer = site.request("HEAD", "/api/v1/games/reversi/results.csv")
    assert answer.status_code == 200
    assert lines < 1_000


def test_a_league_that_never_fires_is_refused(site: LiveSite, admin: str) -> None:
    """The search for its next run would take almost a second at every request."""
    wanted = {"game": "reversi", "name": "never", "cron": "0 0 31 2 *"}
    answer = site.post("/api/v1/leagues", admin, json=wanted)
    assert answer.status_code == 400
    assert "never fires" in answer.json()["detail"]
