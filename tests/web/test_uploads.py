"""Uploads over HTTP: hard limits, strict forms, and no leftovers."""

from __future__ import annotations

import io
import os
import socket
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from live_site import BOT, LiveSite, Serving, make_site

from ladder.runner import native_canary

BOUNDARY = "frontier"
TYPE = f"multipart/form-data; boundary={BOUNDARY}"


def part(name: str, value: bytes, extra: str = "") -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{extra}\r\n\r\n'
    return head.encode() + value + b"\r\n"


def form(*parts: bytes) -> bytes:
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


GAME, NAME, FILE = part("game", b"reversi"), part("name", b"mine"), part("file", BOT)


def send(site: LiveSite, token: str, body: bytes, content_type: str = TYPE) -> requests.Response:
    return site.post("/api/v1/bots", token, data=body, headers={"Content-Type": content_type})


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (form(GAME, NAME), 400, "lacks the field 'file'"),
        (form(NAME, FILE), 400, "lacks the field 'game'"),
        (form(), 400, "lacks the field"),
        (form(GAME, NAME, FILE, part("ancestry", b"x")), 400, "unknown form field 'ancestry'"),
        (form(GAME, GAME, NAME, FILE), 400, "twice"),
        (form(GAME, NAME, FILE, FILE), 400, "twice"),
        (form(GAME, part("name", b"x" * 3000), FILE), 413, "'name' is too long"),
        (form(GAME, part("name", b"\xff\xfe"), FILE), 400, "UTF-8"),
        (form(GAME, part("name", b"a\0b"), FILE), 400, "NUL"),
        (form(GAME, part("name", b""), FILE), 400, "1 to 40"),
        (form(part("game", b"go"), NAME, FILE), 404, "no game of this name"),
        (form(GAME, NAME, part("file", b"")), 422, ""),
        (form(GAME, NAME, part("file", b"\x89PNG\r\n\x1a\n" + b"\0" * 90)), 422, ""),
        (form(GAME, NAME, part("file", b"x" * (1 << 20) + b"y")), 413, ""),
        (b"no boundary at all", 400, "multipart"),
        (GAME + NAME, 400, ""),
        (f"--{BOUNDARY}\r\nnonsense\r\n\r\n".encode(), 400, "multipart"),
        (
            form(f"--{BOUNDARY}\r\nContent-Length: -5\r\n\r\n\r\n".encode(), GAME, NAME, FILE),
            400,
            "",
        ),
    ],
)
def test_bad_forms_get_a_clear_answer(
    site: LiveSite, token: str, body: bytes, status: int, says: str
) -> None:
    answer = send(site, token, body)
    assert answer.status_code == status, answer.text
    assert says in answer.json()["detail"]
    assert site.get("/api/v1/bots", token).json()["bots"] == []


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "application/json",
        "text/plain",
        "x; name*=utf-16''%FF",
        "form/multipart; boundary=x",
    ],
)
def test_bad_content_types(site: LiveSite, token: str, content_type: str) -> None:
    expected = 400 if content_type.startswith("multipart") else 415
    assert send(site, token, form(GAME, NAME, FILE), content_type).status_code == expected


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "C:\\x.py", "\u202egpj.py", "a" * 3000, "x\\r\\ny", ""]
)
def test_file_names_do_not_matter(site: LiveSite, token: str, name: str) -> None:
    body = form(GAME, NAME, part("file", BOT, f'; filename="{name}"'))
    assert send(site, token, body).status_code == 202


def test_fields_come_in_any_order(site: LiveSite, token: str) -> None:
    assert send(site, token, form(FILE, NAME, GAME)).status_code == 202


def test_without_a_sandbox_code_is_refused(site: LiveSite, token: str) -> None:
    site.status |= {"sandbox": "none", "kinds": "house program"}
    refused = site.upload(token)
    assert refused.status_code == 503
    assert "ladder doctor" in refused.json()["detail"]


def test_a_zip_file_is_accepted(site: LiveSite, token: str) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bot.py", BOT)
    assert site.upload(token, file=data.getvalue()).status_code == 202


def test_strangers_are_turned_away_before_their_body_is_read(site: LiveSite) -> None:
    body = form(GAME, NAME, FILE)
    assert send(site, "", body).status_code == 401
    assert send(site, "wrong", body).status_code == 401


def chunks(count: int) -> Iterator[bytes]:
    yield GAME + NAME
    yield f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"\r\n\r\n'.encode()
    for _ in range(count):
        yield b"x" * (1 << 20)


def test_fifty_megabytes_are_refused_without_being_held(site: LiveSite, token: str) -> None:
    large = form(GAME, NAME, part("file", os.urandom(1024) * (50 << 10)))
    tracemalloc.start()
    try:
        declared = send(site, token, large)
        streamed = site.post("/api/v1/bots", token, data=chunks(50), headers={"Content-Type": TYPE})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert declared.status_code == streamed.status_code == 413
    assert "too long" in streamed.json()["detail"]
    # Client and server together; a native bot of this length could be on its way.
    assert peak < 3 * site.settings.upload_bytes
    assert site.get("/healthz").status_code == 200


def test_a_client_that_asks_first_does_not_send_a_refused_body(site: LiveSite, token: str) -> None:
    """curl sends `Expect: 100-continue` with a large body and waits for the answer."""
    where = urlsplit(site.url)
    with socket.create_connection((where.hostname, where.port), timeout=10) as raw:
        raw.sendall(
            f"POST /api/v1/bots HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: {TYPE}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {50 << 20}\r\n"
            "Expect: 100-continue\r\n\r\n".encode()
        )
        assert raw.recv(12) == b"HTTP/1.1 413"
    body = form(GAME, NAME, FILE)
    with socket.create_connection((where.hostname, where.port), timeout=10) as raw:
        raw.sendall(
            f"POST /api/v1/bots HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: {TYPE}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n"
            "Expect: 100-continue\r\n\r\n".encode()
        )
        assert raw.recv(25).startswith(b"HTTP/1.1 100 Continue")
        raw.sendall(body)
        assert raw.recv(12) == b"HTTP/1.1 202"


def test_a_body_that_breaks_off_harms_nobody(site: LiveSite, token: str) -> None:
    where = urlsplit(site.url)
    with socket.create_connection((where.hostname, where.port), timeout=10) as raw:
        raw.sendall(
            f"POST /api/v1/bots HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: {TYPE}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: 5000\r\n\r\n".encode()
            + GAME
        )
    assert site.get("/api/v1/bots", token).json()["bots"] == []


def test_a_slow_body_is_refused(
    site: LiveSite, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.web.http.bodies.BODY_SECONDS", 0.3)
    where = urlsplit(site.url)
    with socket.create_connection((where.hostname, where.port), timeout=10) as raw:
        raw.sendall(
            f"POST /api/v1/accounts HTTP/1.1\r\nHost: {where.netloc}\r\n"
            "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{".encode()
        )
        assert raw.recv(12) == b"HTTP/1.1 408"


def test_programs_need_no_sandbox_and_are_public(site: LiveSite) -> None:
    site.status |= {"sandbox": "none", "kinds": "house program"}
    token = site.account("ada")
    text = b"(program tanks (tree ahead 100.0) (tree turn Zero) (tree gun (Fire 3.0)))\n"
    sent = site.upload(token, "evolved", "tanks", text)
    assert sent.status_code == 202, sent.text
    shown = site.get(f"/api/v1/versions/{sent.json()['version']['sha256']}/program")
    assert (shown.status_code, shown.content) == (200, text)
    assert shown.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert site.upload(token, "evolved", "reversi", text).status_code == 422
    assert site.get(f"/api/v1/versions/{'0' * 64}/program").status_code == 404


def test_a_native_bot_is_taken(site: LiveSite, token: str) -> None:
    large = native_canary.build() + bytes(3 << 20)
    sent = site.upload(token, "native", "reversi", large)
    assert sent.status_code == 202, sent.text
    shown = site.get(f"/api/v1/bots/{sent.json()['id']}").json()
    assert (shown["kind"], shown["versions"][0]["status"]) == ("native", "validating")
    assert site.get("/games/reversi?kind=native").status_code == 200
    refused = site.upload(token, "native", "reversi", b"\x7fELF" + bytes(99))
    assert refused.status_code == 422
    assert "damaged" in refused.json()["detail"]


def test_a_setting_turns_native_bots_off(folder: Path) -> None:
    live = make_site(folder, native_bots=False)
    with Serving(live.app) as live.url:
        token = live.account("ada")
        refused = live.upload(token, "native", "reversi", native_canary.build())
        assert refused.status_code == 403
        assert "no native bots" in refused.json()["detail"]
        assert 'accept=".py' in live.get("/upload").text
        large = live.upload(token, "native", "reversi", native_canary.build() + bytes(1 << 20))
        assert large.status_code == 413
    live.db.close()


def test_native_bots_need_a_machine_that_runs_them(site: LiveSite, token: str) -> None:
    site.status["kinds"] = "house program python wasm"
    refused = site.upload(token, "native", "reversi", native_canary.build())
    assert refused.status_code == 503
    assert "ladder doctor" in refused.json()["detail"]
