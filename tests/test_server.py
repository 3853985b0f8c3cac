"""The server as a process: started, used, interrupted and killed like a real one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
import sqlalchemy as sa
from processes import command, descendants, still_alive, wait_until
from server_process import Server, check_truth, serve

from ladder import evolution
from ladder.client import Client
from ladder.models import Match
from ladder.store import migrate
from ladder.values import MatchStatus
from ladder.workers.arena import RESERVED_SLOTS

pytestmark = pytest.mark.slow

THINKER = b"""
import time

def agent(observation, configuration):
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    return observation["legal"][0]
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def begin(*flags: str) -> Server:
        servers.append(Server(tmp_path / "data", *flags))
        return servers[-1]

    yield begin
    for server in servers:
        left = descendants(server.process.pid)
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
        wait_until(lambda found=left: not still_alive(found), 60, "the end of all processes")


def _enter(server: Server) -> tuple[Client, int]:
    client = server.client("ada")
    sent = client.submit("reversi", "thinker", THINKER)
    wait_until(
        lambda: (client.bot(sent["id"])["rating"] or {"matches": 0})["matches"] >= 1,
        60,
        "the first rating",
    )
    return client, sent["id"]


def test_upload_to_first_rating_then_ctrl_c(start: Callable[..., Server]) -> None:
    server = start()
    server.await_matches(4)
    client, bot_id = _enter(server)
    (version,) = client.bot(bot_id)["versions"]
    assert version["status"] == "accepted"
    below = descendants(server.process.pid)
    assert 2 <= len(server.workers()) <= 2 + RESERVED_SLOTS
    began = time.monotonic()
    os.killpg(server.process.pid, signal.SIGINT)
    assert server.process.wait(timeout=90) == 0, server.log.read_text()
    assert time.monotonic() - began < 20
    wait_until(lambda: not still_alive(below), 60, "the end of all workers and bots")
    with server.database().read() as c:
        leased = sa.select(sa.func.count()).where(Match.status == MatchStatus.LEASED)
        assert c.scalar(leased) == 0
    assert "Traceback" not in server.log.read_text()
    check_truth(server)


def test_a_second_ctrl_c_stops_at_once(start: Callable[..., Server]) -> None:
    server = start("--move-ms", "20000", "--drain-seconds", "600")
    client = server.client("ada")
    client.submit("reversi", "sleeper", b"import time\ndef agent(o, c):\n    time.sleep(600)\n")
    wait_until(lambda: server.get("/healthz")["running"] >= 1, 60, "a running match")
    time.sleep(1)
    below = descendants(server.process.pid)
    os.killpg(server.process.pid, signal.SIGINT)
    time.sleep(0.5)
    os.killpg(server.process.pid, signal.SIGINT)
    server.process.wait(timeout=60)
    wait_until(lambda: not still_alive(below), 60, "the end of all workers and bots")


def test_killing_the_server_loses_and_doubles_nothing(start: Callable[..., Server]) -> None:
    server = start()
    _enter(server)
    for _ in range(3):
        server.await_matches(3)
        below = descendants(server.process.pid)
        server.process.kill()
        server.process.wait()
        wait_until(lambda found=below: not still_alive(found), 60, "the end of workers and bots")
        server = start()
    server.await_matches(3)
    server.process.kill()
    server.process.wait()
    check_truth(server)


def test_killing_workers_loses_and_doubles_nothing(start: Callable[..., Server]) -> None:
    server = start()
    _enter(server)
    for _ in range(5):
        victim = server.workers()[0]
        below = descendants(victim)
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda found=below: not still_alive(found), 60, "the end of its bots")
        time.sleep(0.5)
    server.await_matches(5)
    os.killpg(server.process.pid, signal.SIGINT)
    assert server.process.wait(timeout=90) == 0
    check_truth(server)


def test_two_servers_share_a_database(start: Callable[..., Server]) -> None:
    one, two = start(), start()
    one.await_matches(10)
    for server in (one, two):
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=90) == 0
    check_truth(one)


def test_a_taken_port_is_explained(start: Callable[..., Server], tmp_path: Path) -> None:
    port = start().url.rpartition(":")[2]
    second = subprocess.run(
        serve("--port", port, "--data", str(tmp_path / "other")),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert second.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in second.stderr
    assert "Traceback" not in second.stderr


def test_it_runs_without_any_flags(tmp_path: Path) -> None:
    """Without flags the data folder is `var` in the current folder, and bots can run."""
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            serve("--port", "0"), cwd=tmp_path, stdout=log, stderr=log, start_new_session=True
        )
    try:
        wait_until(lambda: "Evoladder is at" in (tmp_path / "log").read_text(), 120, "the start")
        address = (tmp_path / "log").read_text().rpartition("Evoladder is at ")[2].split()[0]
        with urllib.request.urlopen(address + "/healthz", timeout=10) as answer:
            assert json.load(answer)["sandbox"] == "A"
        assert (tmp_path / "var" / "ladder.db").exists()
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_the_schema_is_the_newest(start: Callable[..., Server]) -> None:
    assert not migrate.upgrade(start().database())


def _evolve(server: Server, *flags: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ladder.cli", "evolution", *flags, "--data", str(server.data)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout


def _reached(server: Server) -> int:
    """The last recorded generation of the first run, or -1."""
    db = server.database()
    generations = evolution.run(db, 1).generations
    db.close()
    return len(generations) - 1


def _breeders(server: Server) -> list[int]:
    below = [pid for pid, _ in descendants(server.process.pid)]
    return [pid for pid in below if "ladder.evolution.child" in command(pid)]


def test_a_champion_is_bred_entered_and_rated(start: Callable[..., Server]) -> None:
    server = start()
    tiny = ("--generations", "2", "--population", "6", "--final-games", "2", "--seed", "7")
    told = _evolve(server, "start", "tanks", "--guides", "ladder:1,house:Fire", *tiny, "--wait")
    assert "finished, seed 7" in told
    view = server.get("/api/v1/evolution/1")
    assert len(view["generations"]) == 2
    bot_id = view["run"]["bot_id"]
    wait_until(
        lambda: (server.get(f"/api/v1/bots/{bot_id}")["rating"] or {"matches": 0})["matches"] >= 1,
        120,
        "the champion's first rating",
    )
    board = server.get("/api/v1/games/tanks/leaderboard")["rows"]
    (row,) = [row for row in board if row["bot"] == "evolved"]
    assert (row["kind"], row["owner"]) == ("program", "evolve")
    (version,) = server.get(f"/api/v1/bots/{bot_id}")["versions"]
    assert (version["evolution_run"], version["lineage"]["seed"]) == (1, 7)
    os.killpg(server.process.pid, signal.SIGINT)
    assert server.process.wait(timeout=90) == 0, server.log.read_text()
    check_truth(server)


def test_evolution_outlives_its_server(start: Callable[..., Server]) -> None:
    """A server that is stopped or killed leaves no child, and the next server continues the run."""
    server = start()
    _evolve(server, "start", "tanks", "--guides", "house:Fire", "--generations", "100000")
    reached = -1
    for ending in (signal.SIGINT, signal.SIGKILL):
        wait_until(lambda now=server, least=reached: _reached(now) > least, 240, "a generation")
        below = descendants(server.process.pid)
        assert len(_breeders(server)) == 1
        os.killpg(server.process.pid, ending)
        server.process.wait(timeout=90)
        wait_until(lambda found=below: not still_alive(found), 60, "the end of the child")
        reached = _reached(server)
        server = start()
    wait_until(lambda: _breeders(server), 120, "the run to go on")
    assert "cancelled" in _evolve(server, "stop", "1")
    wait_until(lambda: not _breeders(server), 60, "the end of the cancelled run")
    numbers = [line["generation"] for line in server.get("/api/v1/evolution/1")["generations"]]
    assert numbers == [*range(len(numbers))]


def test_no_secret_reaches_the_log(start: Callable[..., Server]) -> None:
    server = start("--log-format", "json")
    token = server.token("ada")
    requests.get(server.url + "/api/v1/account", params={"token": token}, timeout=10)
    requests.get(server.url + f"/{token}", timeout=10)
    signed_in = requests.Session()
    signed_in.post(server.url + "/signin", data={"token": token, "next": token}, timeout=10)
    session = signed_in.cookies["session"]
    signed_in.post(server.url + "/signout", data={"csrf": "wrong"}, timeout=10)
    headers = {"Authorization": f"Bearer {token}"}
    for body in (b"{", b"\xff", b"x" * 200_000):
        requests.post(server.url + "/api/v1/bots", data=body, headers=headers, timeout=10)
    replaced = requests.post(server.url + "/api/v1/account/token", headers=headers, timeout=10)
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=90) == 0
    log = server.log.read_text()
    assert "Evoladder is at" in log
    objects = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert "the database has been brought to the newest schema" in [o["event"] for o in objects]
    for secret in (token, session, replaced.json()["token"]):
        assert secret not in log
