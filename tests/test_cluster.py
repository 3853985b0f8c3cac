"""Matches on several machines: certificates, labels, and killed processes."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from processes import descendants, still_alive, wait_until

from engines.games import GAMES
from evolve import cli as evolve
from evolve.errors import BadParameter, ClusterUnreachable
from evolve.runs.cluster import connected
from ladder.boards import ladders
from ladder.errors import Shortage
from ladder.hub_address import HubAddress
from ladder.models import Match, Rating
from ladder.settings import BadSetting, Settings
from ladder.store import Database
from ladder.values import Entrant, Kind, MatchJob, MatchStatus
from ladder.workers.arena import RESERVED_SLOTS
from ladder.workers.cluster import ClusterArena

KEYS = Path(__file__).parent.parent / "setup/cluster-keys.sh"


@pytest.mark.parametrize(
    ("executor", "complaint"),
    [
        ("hub.example:8786", "must look like tls://"),
        ("tls://hub.example", "must look like tls://"),
        ("http://hub.example:80", "must look like tls://"),
        ("tls://hub.example:99999999", "must look like tls://"),
        ("tcp://192.0.2.1:8786", "needs tls:// and certificates"),
        ("tcp://hub.example:8786", "needs tls:// and certificates"),
        ("tls://hub.example:8786", "tls_ca, the path of a PEM file"),
    ],
)
def test_bad_addresses_are_refused(executor: str, complaint: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(complaint)):
        ClusterArena(Settings(executor=executor))
    with (
        pytest.raises(BadParameter, match=re.escape(complaint)),
        connected(HubAddress(executor), "reversi"),
    ):
        pass


def test_a_missing_certificate_is_named(tmp_path: Path) -> None:
    settings = Settings(executor="tls://hub.example:1", tls_ca=str(tmp_path / "ca.pem"))
    with pytest.raises(BadSetting, match="tls_ca cannot be read"):
        ClusterArena(settings)


@dataclass
class Part:
    """A process of the cluster, and its output."""

    process: subprocess.Popen[bytes]
    log: Path

    def says(self, words: str) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        return words in self.log.read_text()


Start = Callable[..., Part]


@dataclass
class Cluster:
    address: str
    keys: Path
    start: Start
    hub: Part | None = None

    def tls(self, name: str, keys: Path | None = None) -> dict[str, str]:
        folder = keys or self.keys
        return {
            "LADDER_EXECUTOR": self.address,
            "LADDER_TLS_CA": str(folder / "ca.pem"),
            "LADDER_TLS_CERT": str(folder / f"{name}.pem"),
            "LADDER_TLS_KEY": str(folder / f"{name}.key"),
        }

    def settings(self, name: str, keys: Path | None = None) -> Settings:
        values = self.tls(name, keys)
        return Settings(**{key.removeprefix("LADDER_").lower(): v for key, v in values.items()})


@contextmanager
def _part(folder: Path, name: str, command: str, variables: Mapping[str, str]) -> Iterator[Part]:
    log = folder / f"{name}.log"
    process = subprocess.Popen(
        [sys.executable, "-m", "ladder.cli", command],
        env={**os.environ, **variables, "LADDER_DATA": str(folder / name)},
        stdout=log.open("ab"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield Part(process, log)
    finally:
        family = descendants(process.pid)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail(f"{name} did not end: {log.read_text()}")
        wait_until(lambda: not still_alive(family), 10, f"the end of the children of {name}")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A hub with mutual TLS, and a way to start other parts."""
    keys = tmp_path / "keys"
    names = ("hub", "server", "left", "right")
    subprocess.run([KEYS, keys, *names], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with ExitStack() as parts:

        def start(name: str, command: str, **more: str) -> Part:
            return parts.enter_context(_part(tmp_path, name, command, {**made.tls(name), **more}))

        made = Cluster(f"tls://127.0.0.1:{port}", keys, start)
        start_hub(made)
        yield made


def start_hub(cluster: Cluster) -> None:
    hub = cluster.hub = cluster.start("hub", "hub")
    hub.log.write_text("")
    wait_until(lambda: hub.says("the hub of the cluster is at tls://"), 60, "starting the hub")


@pytest.mark.slow
def test_strangers_are_kept_out(cluster: Cluster, tmp_path: Path) -> None:
    friend = ClusterArena(cluster.settings("server"))
    assert friend._client is not None
    friend.close()
    foreign = tmp_path / "foreign"
    subprocess.run([KEYS, foreign, "server"], check=True)
    stranger = ClusterArena(cluster.settings("server", foreign))
    assert stranger._client is None
    assert stranger.capacity().slots == 0
    stranger.close()
    port = cluster.address.rpartition(":")[2]
    plain = ClusterArena(Settings(executor=f"tcp://127.0.0.1:{port}"))
    assert plain._client is None
    plain.close()


def _finished(db: Database) -> int:
    with db.read() as c:
        done = sa.select(sa.func.count()).where(Match.status == MatchStatus.FINISHED)
        return c.scalar(done) or 0


@pytest.mark.slow
def test_matches_go_on_while_machines_come_and_go(cluster: Cluster, tmp_path: Path) -> None:
    """One machine is killed, then the hub, which comes back; the other machine is drained."""
    one = {"LADDER_WORKERS": "1"}
    left = cluster.start("left", "worker", **one)
    server = cluster.start("server", "serve", LADDER_PORT="0", LADDER_LEASE_SECONDS="3")
    wait_until(lambda: server.says("Evoladder is at"), 120, "starting the server")
    wait_until(lambda: left.says("playing for tls://"), 120, "joining the cluster")
    db = Database(f"sqlite:///{tmp_path}/server/ladder.db")
    wait_until(lambda: _finished(db) >= 5, 60, "playing on the first machine")

    right = cluster.start("right", "worker", **one)
    wait_until(lambda: right.says("playing for tls://"), 120, "joining the cluster")
    os.killpg(left.process.pid, signal.SIGKILL)
    left.process.wait()
    before = _finished(db)
    wait_until(lambda: _finished(db) >= before + 5, 60, "playing on the second machine")

    assert cluster.hub is not None
    cluster.hub.process.kill()
    cluster.hub.process.wait()
    start_hub(cluster)
    before = _finished(db)
    wait_until(lambda: _finished(db) >= before + 5, 60, "playing through the new hub")

    with db.read() as c:
        parked = c.scalars(sa.select(Match.id).where(Match.status == MatchStatus.PARKED)).all()
    assert not parked
    assert not descendants(server.process.pid), "a server with a cluster plays nothing itself"
    right.process.send_signal(signal.SIGTERM)
    right.process.wait(30)
    assert right.process.returncode == 0
    wait_until(lambda: _leased(db) == 0, 60, "nothing being played")
    kept = _ratings(db)
    for game in GAMES:
        ladders.rerate(db, game.name)
    assert _ratings(db) == kept


def _leased(db: Database) -> int:
    with db.read() as c:
        held = sa.select(sa.func.count()).where(Match.status == MatchStatus.LEASED)
        return c.scalar(held) or 0


def _ratings(db: Database) -> list[tuple[object, ...]]:
    with db.read() as c:
        columns = (Rating.version_id, Rating.division, Rating.mu, Rating.sigma)
        return [tuple(row) for row in c.execute(sa.select(*columns).order_by(*columns[:2]))]


@pytest.mark.slow
def test_labels(cluster: Cluster) -> None:
    arena = ClusterArena(cluster.settings("server"))
    try:
        assert arena.capacity().slots == 0
        left = cluster.start("left", "worker", LADDER_WORKERS="3")
        wait_until(lambda: left.says("playing for tls://"), 120, "joining the cluster")
        wait_until(lambda: arena.capacity().slots == 3, 60, "seeing the machine")
        offer = arena.capacity()
        assert "tanks" in offer.games
        assert set(offer.kinds) == set(Kind)
        assert offer.sandbox in ("A", "B")
        assert offer.reserved == RESERVED_SLOTS
        house = Entrant("random", Kind.HOUSE, "0" * 64)
        nobodys = MatchJob(1, 1, "nobodys-game", 1, (house, house))
        with pytest.raises(Shortage, match="lost the workers that could play"):
            arena.play(nobodys).result(timeout=30)
        for reserved in (False, True):
            job = replace(nobodys, game="reversi", reserved=reserved)
            assert arena.play(job).result(timeout=60).plies > 0
    finally:
        arena.close()


@pytest.mark.slow
def test_islands_of_evolution(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run has the same bytes as on one machine; another machine repeats tasks of a killed one."""
    names = ("left", "right")
    parts = [cluster.start(name, "worker", LADDER_WORKERS="1") for name in names]
    for part in parts:
        wait_until(lambda part=part: part.says("playing for tls://"), 120, "joining the cluster")
    settings = {"population": 4, "generations": 2, "coplay": 1, "depth": 1, "islands": 2}
    small = [f"--set={name}={value}" for name, value in {**settings, "finalists": 2}.items()]
    run = ["run", "lose-checkers", "--workers", "1", "--final-games", "2", *small, "--out"]
    assert evolve.main([*run, str(tmp_path / "home")]) == 0
    for name, value in cluster.tls("server").items():
        monkeypatch.setenv(name, value)
    assert evolve.main([*run, str(tmp_path / "away")]) == 0
    for file in ("log.jsonl", "champion.lisp"):
        assert (tmp_path / "away" / file).read_bytes() == (tmp_path / "home" / file).read_bytes()

    started = tmp_path / "started"

    def last_until_started_twice() -> int:
        # It is sent as a whole, so it can use nothing of this module.
        import os
        import time

        with started.open("a") as file:
            file.write(f"{os.getpid()}\n")
        while len(started.read_text().split()) < 2:
            time.sleep(0.1)
        return os.getpid()

    tls = cluster.settings("server")
    address = HubAddress(tls.executor, tls.tls_ca, tls.tls_cert, tls.tls_key)
    with connected(address, "lose-checkers") as executor:
        answer = executor.submit(last_until_started_twice)
        wait_until(lambda: started.exists() and started.read_text(), 60, "the start")
        first = int(started.read_text())
        dying = next(part for part in parts if part.process.pid == first)
        os.killpg(dying.process.pid, signal.SIGKILL)
        dying.process.wait()
        assert answer.result(timeout=60) != first
    with pytest.raises(ClusterUnreachable, match="no worker of the cluster knows go"):
        connected(address, "go").__enter__()
    with pytest.raises(ClusterUnreachable, match="cannot be reached"):
        connected(replace(address, executor="tls://127.0.0.1:1"), "reversi").__enter__()
