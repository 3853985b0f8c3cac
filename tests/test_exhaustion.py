"""A real server when something runs out: it refuses politely, recovers, and loses nothing."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import sqlalchemy as sa
from processes import descendants, still_alive, wait_until
from server_process import Server, check_truth
from throwaway import postgres_cluster

from ladder import store
from ladder.matches import pairing
from ladder.models import Match
from ladder.store import Database, migrate
from ladder.uploads import submissions
from ladder.values import MatchStatus, Purpose, VersionStatus

pytestmark = pytest.mark.slow

BOT = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"
PROBLEM = "application/problem+json"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def begin(*flags: str, data: Path | None = None, **options: Any) -> Server:
        servers.append(Server(data or tmp_path / "data", *flags, **options))
        return servers[-1]

    yield begin
    for server in servers:
        left = descendants(server.process.pid)
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
        wait_until(lambda found=left: not still_alive(found), 60, "the end of all processes")


def upload(server: Server, token: str, name: str, code: bytes = BOT) -> requests.Response:
    return requests.post(
        server.url + "/api/v1/bots",
        headers={"Authorization": f"Bearer {token}"},
        data={"game": "connect-four", "name": name},
        files={"file": code},
        timeout=60,
    )


def names_of(server: Server, token: str) -> set[str]:
    answer = requests.get(
        server.url + "/api/v1/bots", headers={"Authorization": f"Bearer {token}"}, timeout=30
    )
    return {bot["name"] for bot in answer.json()["bots"]}


def is_polite(answer: requests.Response) -> bool:
    """Whether a refusal has a `Retry-After` and the form of all errors."""
    return (
        answer.status_code in (429, 503, 507)
        and answer.headers["Content-Type"] == PROBLEM
        and int(answer.headers["Retry-After"]) > 0
    )


def stop(server: Server) -> None:
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=90) == 0, server.log.read_text()
    assert "Traceback" not in server.log.read_text()


def peak_mb(server: Server) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def test_two_hundred_uploads_at_once(start: Callable[..., Server]) -> None:
    server = start("--uploads-per-hour", "1000")
    tokens = [server.token(f"author-{n}") for n in range(8)]
    before = peak_mb(server)
    filler = b"#" + b"x" * 100 + b"\n"
    large = BOT + filler * (900_000 // len(filler))

    def send(number: int) -> tuple[int, requests.Response]:
        code = large + f"# {number}\n".encode()
        return number, upload(server, tokens[number % 8], f"bot-{number}", code)

    with ThreadPoolExecutor(200) as crowd:
        answers = list(crowd.map(send, range(200)))
    taken = {number for number, answer in answers if answer.status_code == 202}
    assert all(is_polite(answer) for number, answer in answers if number not in taken)
    assert len(taken) >= 50
    stored = set().union(*(names_of(server, token) for token in tokens))
    assert stored == {f"bot-{number}" for number in taken}, "every acknowledged one"
    grown = peak_mb(server) - before
    print(f"{len(taken)} of 200 taken; memory grew by {grown:.0f} MB")
    assert grown < 150, "the server must not hold the 180 MB that were sent"
    stop(server)
    check_truth(server)


def test_five_thousand_queued_matches(start: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    db = Database(f"sqlite:///{tmp_path}/data/ladder.db")
    migrate.upgrade(db)
    submissions.seed_house_bots(db)
    with db.write() as c:
        weak = [
            store.bots.newest_version(c, bot.id)
            for name in ("random", "greedy")
            for bot in store.bots.bots_called(c, "connect-four", name)
        ]
        seats = [(version.id, version.bot_id) for version in weak if version]
        for _ in range(2_500):
            pairing.queue_pairing(c, "connect-four", seats, Purpose.LADDER)
    db.close()
    server = start()
    assert server.get("/healthz")["queue"] > 4_000
    token = server.token("ada")
    sent = upload(server, token, "newcomer").json()
    wait_until(
        lambda: server.get(f"/api/v1/bots/{sent['id']}")["current_version"] == 1,
        20,
        "validation before all queued matches",
    )
    server.await_matches(10)
    assert server.get("/healthz")["status"] == "ok"
    stop(server)
    with server.database().read() as c:
        counts = dict(
            c.execute(sa.select(Match.status, sa.func.count()).group_by(Match.status)).all()
        )
    assert counts.keys() <= {MatchStatus.QUEUED, MatchStatus.FINISHED}
    check_truth(server)


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Use up all space on the disk; returns the file to delete."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        size = 1 << 20
        while size:
            try:
                file.write(b"\0" * size)
            except OSError:
                size //= 2
    return filler


def test_a_full_disk(start: Callable[..., Server], tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 40) as disk:
        server = start(data=disk / "data")
        token = server.token("ada")
        assert upload(server, token, "early").status_code == 202
        server.await_matches(5)
        for round in range(2):
            filler = fill(disk)
            refused = upload(server, token, f"refused-{round}")
            assert refused.status_code == 507, refused.text
            assert is_polite(refused)
            assert "full" in refused.json()["detail"]
            time.sleep(4)  # matches that were running cannot be recorded now
            for path in ("/", "/games/reversi", "/api/v1/matches", "/healthz"):
                assert requests.get(server.url + path, timeout=10).status_code == 200
            fresh = requests.post(
                server.url + "/api/v1/accounts", json={"name": f"zoe{round}"}, timeout=30
            )
            assert fresh.status_code == 201 or is_polite(fresh)
            filler.unlink()
            assert upload(server, token, f"later-{round}").status_code == 202
            server.await_matches(5)
        assert names_of(server, token) == {"early", "later-0", "later-1"}
        stop(server)
        with server.database().read() as c:
            parked = sa.select(sa.func.count()).where(Match.status == MatchStatus.PARKED)
            assert c.scalar(parked) == 0
        check_truth(server)


def test_a_database_that_goes_away_and_comes_back(start: Callable[..., Server]) -> None:
    with postgres_cluster(durable=True) as postgres:
        server = start(database=postgres.url.format(name="postgres"))
        token = server.token("ada")
        taken = []
        server.await_matches(5)
        for round in range(2):
            assert upload(server, token, f"before-{round}").status_code == 202
            taken.append(f"before-{round}")
            postgres.stop()
            began = time.monotonic()
            seen = set()
            while time.monotonic() < began + 5:  # longer than a lease
                answer = upload(server, token, f"during-{round}")
                assert is_polite(answer), answer.text
                health = requests.get(server.url + "/healthz", timeout=30)
                assert is_polite(health)
                seen.add(requests.get(server.url + "/bots/1", timeout=30).status_code)
                time.sleep(0.05)  # an address that asks without a pause is refused with 429
            assert seen == {503}
            assert server.process.poll() is None
            postgres.start()
            wait_until(
                lambda: requests.get(server.url + "/healthz", timeout=30).status_code == 200,
                20,
                "the server to find the database again",
            )
            server.await_matches(5)
        assert names_of(server, token) == set(taken)
        stop(server)
        assert token not in server.log.read_text()
        check_truth(server)


def test_more_connections_than_descriptors(start: Callable[..., Server]) -> None:
    def few_descriptors() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    server = start(before=few_descriptors)
    token = server.token("ada")
    where = urlsplit(server.url)
    before = peak_mb(server)
    crowd = []
    try:
        for _ in range(400):
            crowd.append(socket.create_connection((where.hostname, where.port or 0), timeout=10))
            crowd[-1].sendall(b"GET / HTTP/1.1\r\nX: y")
        refused = requests.get(server.url + "/healthz", timeout=30)
        assert is_polite(refused)
        server.await_matches(5)  # connections cannot take the descriptors of matches
    finally:
        for raw in crowd:
            raw.close()
    wait_until(
        lambda: requests.get(server.url + "/healthz", timeout=30).status_code == 200,
        20,
        "room for others",
    )
    sent = upload(server, token, "mine").json()
    wait_until(
        lambda: (
            server.get(f"/api/v1/bots/{sent['id']}")["versions"][0]["status"]
            == VersionStatus.ACCEPTED
        ),
        30,
        "validation",
    )
    assert "Too many open files" not in server.log.read_text()
    print(f"memory grew by {peak_mb(server) - before:.0f} MB")
    stop(server)
    check_truth(server)
