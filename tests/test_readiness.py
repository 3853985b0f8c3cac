"""Games become ready one after the other, and the others have a note that says why."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from plugin_folder import ROOT, UNCOMPILED, environment, install, install_samples
from processes import wait_until

from engines.compiling import warmup
from engines.games import find_game
from ladder.values import Kind
from ladder.workers import readiness
from ladder.workers.arena import Capacity, LocalArena
from ladder.workers.cluster import ClusterArena, _keep_offering
from ladder.workers.readiness import Readiness

NAMES = ("reversi", "connect-four", "checkers")
GAMES = [find_game(name) for name in NAMES]

# In place of `ladder.workers.compiler`: the file of a game in its folder is its result.
FAKE = """
import json, os, sys, time
folder = sys.argv[1]
for name in sys.argv[3:]:
    print(name, file=open(os.path.join(folder, "log"), "a"))
    path = os.path.join(folder, name)
    while not os.path.exists(path):
        time.sleep(0.01)
    time.sleep(0.05)
    trouble = open(path).read()
    if trouble == "die":
        os.abort()
    print(json.dumps({"game": name, "trouble": trouble}), flush=True)
"""


class Stage:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.games = Readiness(GAMES, (sys.executable, "-c", FAKE, str(folder)))

    def tell(self, name: str, trouble: str = "") -> None:
        (self.folder / name).write_text(trouble)

    def begun(self) -> list[str]:
        """The games that compilers began, in order."""
        log = self.folder / "log"
        return log.read_text().split() if log.exists() else []

    async def until(self, condition: Callable[[], object]) -> None:
        await asyncio.to_thread(wait_until, condition, 20, "the expected state")


def play(
    folder: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Stage], Awaitable[None]]
) -> Stage:
    monkeypatch.setattr(warmup, "is_warm", lambda game: False)
    monkeypatch.setattr(readiness, "RETRY_SECONDS", 0.01)

    async def go() -> Stage:
        stage = Stage(folder)
        work = asyncio.create_task(stage.games.run())
        try:
            await act(stage)
        finally:  # otherwise the compiler would outlive a test that fails
            stage.games.stop()
            async with asyncio.timeout(5):
                await work
        return stage

    return asyncio.run(go())


def test_each_game_is_played_as_soon_as_it_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(stage: Stage) -> None:
        games = stage.games
        assert games.ready == ()
        now = "Reversi is being compiled on this server now."
        later = "Checkers waits to be compiled on this server, after 2 other games."
        assert games.note(GAMES[0]).startswith(now)
        assert games.note(GAMES[2]).startswith(later)
        assert "Bots can be uploaded meanwhile" in games.note(GAMES[2])
        arena = LocalArena(1, tmp_path, None, lambda: games.ready)
        try:
            assert arena.capacity().games == ()
            stage.tell("reversi")
            await stage.until(lambda: games.ready)
            assert arena.capacity().games == ("reversi",)
        finally:
            arena.close()
        assert games.note(GAMES[0]) == ""
        assert "after 1 other game." in games.note(GAMES[2])
        stage.tell("connect-four")
        stage.tell("checkers")
        await stage.until(lambda: games.ready == NAMES)
        assert not games.waiting

    stage = play(tmp_path, monkeypatch, act)
    assert stage.begun() == list(NAMES), "one process, in order"
    assert stage.games.note(find_game("tanks")) == "No match of Tanks is played by this server."
    assert set(NAMES).isdisjoint(stage.games.notes())


def test_a_game_that_cannot_be_compiled_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def act(stage: Stage) -> None:
        stage.tell("reversi", "TypingError: no such kernel")
        stage.tell("connect-four", "die")
        stage.tell("checkers")
        await stage.until(lambda: stage.games.ready == ("checkers",))

    stage = play(tmp_path, monkeypatch, act)
    assert stage.begun() == ["reversi", *["connect-four"] * 3, "checkers"]
    for game in GAMES[:2]:
        cannot = f"{game.title} cannot be played on this server. The log of the server says why."
        assert stage.games.notes()[game.name] == cannot
    assert "reversi is not played: TypingError: no such kernel" in caplog.text
    assert "connect-four is not played: compiling it ended 3 processes (code -6)" in caplog.text


def test_stopping_ends_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(stage: Stage) -> None:
        await stage.until(stage.begun)

    stage = play(tmp_path, monkeypatch, act)
    assert stage.games.ready == ()
    assert stage.games.waiting == NAMES


def test_compiled_games_are_ready_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_warm", lambda game: game.name != "connect-four")

    async def go() -> Readiness:
        return Readiness(GAMES)

    games = asyncio.run(go())
    assert games.ready == ("reversi", "checkers")
    assert games.waiting == ("connect-four",)


LOUD = """
import os, sys
from own_games.pig import Pig, HoldsAt

print("a plug-in that prints")

class Tells(HoldsAt):
    def choose(self, state, seat):
        print("priority", os.nice(0))
        if "bad" in sys.argv:
            raise RuntimeError("two\\nlines")
        return super().choose(state, seat)

class Loud(Pig):
    house_bots = {"tells": lambda seed: Tells(20)}

ONE, TWO = Loud(), Loud()
ONE.name, TWO.name = "one", "two"
"""


def test_the_compiler_lowers_its_priority_and_keeps_its_lines_apart(tmp_path: Path) -> None:
    install_samples(tmp_path)
    install(tmp_path, "loud", {"one": "loud:ONE", "two": "loud:TWO"})
    (tmp_path / "loud.py").write_text(LOUD)

    def compile_games(*names: str) -> tuple[list[dict[str, str]], str]:
        done = subprocess.run(
            [sys.executable, "-m", "ladder.workers.compiler", str(os.getpid()), *names],
            cwd=ROOT,
            env=environment(tmp_path, **UNCOMPILED),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    lines, told = compile_games("one", "two")
    assert lines == [{"game": "one", "trouble": ""}, {"game": "two", "trouble": ""}]
    own = os.nice(0)
    assert [line for line in told.splitlines() if line.startswith("priority")] == [
        f"priority {own}",
        f"priority {min(19, own + 10)}",
    ]
    assert "a plug-in that prints" in told

    lines, told = compile_games("one", "bad")
    assert lines[0]["trouble"] == "RuntimeError: two lines"
    assert lines[1]["trouble"].startswith("UnknownGame: there is no game of this name")
    assert "Traceback" in told


# In a cluster.


class FakeArena:
    def __init__(self) -> None:
        self.games: tuple[str, ...] = ()

    def capacity(self) -> Capacity:
        return Capacity(2, (Kind.HOUSE,), self.games, "none")


class FakeWorker:
    def __init__(self) -> None:
        self.offers: list[dict[str, float]] = []

    async def set_resources(self, **resources: float) -> None:
        if not self.offers:
            self.offers.append({})
            raise OSError("the hub is away")
        self.offers.append(resources)


def test_workers_tell_the_hub_of_games_that_become_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.workers.cluster._OFFER_SECONDS", 0.01)
    arena, worker = FakeArena(), FakeWorker()

    async def go() -> None:
        keeping: Any = _keep_offering(worker, arena, arena.capacity())  # type: ignore[arg-type]
        task = asyncio.create_task(keeping)
        await asyncio.sleep(0.05)
        assert worker.offers == [], "nothing is new"
        arena.games = ("reversi",)
        await asyncio.to_thread(wait_until, lambda: len(worker.offers) == 2, 10, "a second offer")
        task.cancel()

    asyncio.run(go())
    assert worker.offers[1]["game:reversi"] == 2.0


def test_a_server_takes_no_match_of_a_game_that_it_does_not_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def workers(_: object) -> Sequence[dict[str, Any]]:
        labels = ("game:pig", "game:reversi", "kind:house", "tier:A")
        return [{"nthreads": 2, "resources": dict.fromkeys(labels, 2)}]

    monkeypatch.setattr(ClusterArena, "_workers", workers)
    arena = ClusterArena.__new__(ClusterArena)
    assert arena.capacity().games == ("reversi",)
