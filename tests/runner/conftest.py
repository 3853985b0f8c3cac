"""Sandboxes for tests, and the check that no process or descriptor outlives its match."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.runner import close_reserves
from ladder.runner.sandbox import Sandbox, Tier, user_ids
from ladder.runner.selftest import BOTS_FOLDER, sandbox_of, self_test


@pytest.fixture(scope="session")
def data() -> Iterator[Path]:
    """A data folder. The user ids of bots cannot enter the folders of pytest."""
    with tempfile.TemporaryDirectory(prefix="ladder-runner-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def bots(data: Path) -> Path:
    return data / BOTS_FOLDER


@pytest.fixture(scope="session")
def holding(data: Path) -> dict[Tier, str]:
    """The reason why a tier cannot be used here, by tier; empty if it can."""
    return {test.tier: test.advice for test in self_test(data).tests}


@pytest.fixture(params=(Tier.A, Tier.B))
def sandbox(request: pytest.FixtureRequest, holding: dict[Tier, str]) -> Sandbox:
    """The tiers for all kinds of bots, one after the other, if they hold on this machine."""
    tier: Tier = request.param
    if holding[tier]:
        pytest.skip(f"tier {tier}: {holding[tier]}")
    return sandbox_of(tier)


def has_threads(sandbox: Sandbox) -> bool:
    """Whether bots may start threads: see `Sandbox._identity`."""
    return sandbox.tier is Tier.A or os.getuid() == 0


def processes() -> dict[int, tuple[int, int]]:
    """Parent and user of every living process. Zombies do not count; others reap them later."""
    found: dict[int, tuple[int, int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                uid = entry.stat().st_uid
            except OSError:
                continue
            if state != "Z":
                found[int(entry.name)] = int(parent), uid
    return found


def descendants(pid: int) -> set[int]:
    """All living processes below `pid`."""
    everybody = processes()
    found: set[int] = set()
    frontier = {pid}
    while frontier:
        frontier = {child for child, (parent, _) in everybody.items() if parent in frontier}
        found |= frontier
    return found


def own_uids() -> range:
    """User ids for the bots of this test process, so that tests know them in advance."""
    first = user_ids.FIRST_BOT_UID + os.getpid() * 64
    return range(first, first + 64)


@pytest.fixture(autouse=True, scope="session")
def known_uids() -> Iterator[None]:
    """Bots get the first free id instead of a random one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_ids, "candidates", lambda: iter(own_uids()))
        yield


def bots_running() -> set[int]:
    """Processes with the user ids that this process gives to its bots."""
    return {pid for pid, (_, uid) in processes().items() if uid in own_uids()}


@pytest.fixture(autouse=True)
def _leaves_nothing() -> Iterator[None]:
    before = descendants(os.getpid()), len(os.listdir("/proc/self/fd"))
    yield
    close_reserves()
    after = descendants(os.getpid()), len(os.listdir("/proc/self/fd"))
    assert after[0] <= before[0], "a process outlived its match"
    assert after[1] <= before[1], "a descriptor was left open"
    assert not bots_running()
