"""The commands for tournaments, leagues and repairs, on the database itself."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from ladder_steps import finish, lease

from ladder.cli import main
from ladder.contests import tournaments
from ladder.matches import leasing
from ladder.matches.replays import ReplayStore
from ladder.store import Database
from ladder.values import Fault


class Shell:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        assert main([*words, "--data", str(self.folder)]) == code
        said = self._capsys.readouterr()
        return said.out + said.err

    @property
    def db(self) -> Database:
        return Database(f"sqlite:///{self.folder}/ladder.db")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    made = Shell(tmp_path, capsys)
    made("migrate")
    return made


def test_a_tournament_from_the_shell(shell: Shell) -> None:
    made = shell(
        *shlex.split(
            "tournament create reversi --format single-elimination --top 4 --best-of 1"
            " --third-place --format-seed 1 --name 'Shell cup'"
        )
    )
    assert "tournament 1: 4 bots" in made
    assert "1 Shell cup: reversi, single-elimination, running" in shell("tournament", "list")
    for action, status in (("pause", "paused"), ("resume", "running")):
        assert f"tournament 1 is {status}" in shell("tournament", action, "1")
    assert "cannot resume" in shell("tournament", "resume", "1", code=1)
    replays = ReplayStore(shell.folder / "replays")
    for job in lease(shell.db, 2):
        finish(shell.db, replays, job, (1, 0))
    assert "round 1" in shell("tournament", "requeue", "1", "--round", "1")
    while jobs := lease(shell.db, 9):
        for job in jobs:
            finish(shell.db, replays, job, (1, 0))
    assert "left tournament" not in shell("tournament", "withdraw", "1", "1", code=1)
    shown = shell("tournament", "show", "1")
    assert "Shell cup of reversi, finished" in shown
    assert "(command line): requeue round 1" in shown
    assert "won by" in shell("tournament", "list", "--game", "reversi")
    view = tournaments.tournament(shell.db, 1)
    match_id = view.rounds[-1].pairings[0].matches[0]
    assert "played again" in shell("tournament", "requeue", "1", "--match", str(match_id))
    assert "is cancelled" in shell("tournament", "cancel", "1")


def test_bad_options_are_explained(shell: Shell) -> None:
    create = ("tournament", "create", "reversi", "--format", "swiss")
    assert "has no option best_of" in shell(*create, "--best-of", "3", code=1)
    assert "legs" in shell(*create, "--legs", "99", code=1)
    assert "no format" in shell("tournament", "create", "reversi", "--format", "x", code=1)


def test_bots_by_name_and_a_start_from_the_shell(shell: Shell) -> None:
    create = ("tournament", "create", "reversi", "--format", "gauntlet")
    said = shell(*create, "--bots", "Greedy", "house/random", "--champion", "random")
    assert "tournament 1: 2 bots" in said
    assert "random runs the gauntlet" in shell("tournament", "show", "1")
    assert "did you mean 'greedy'?" in shell(*create, "--bots", "gredy", "random", code=1)
    none = shell("tournament", "create", "reversi", "--format", "swiss", "--without-house")
    assert "tournament 2: 0 bots" in none
    said = shell(*create, "--top", "3", "--starts-at", "2999-12-24T18:00")
    assert "tournament 3 begins at 2999-12-24T18:00:00+00:00" in said
    assert "3 gauntlet: reversi, gauntlet, pending" in shell("tournament", "list")
    late = ("--starts-at", "2999-12-24T18:00+02:00", "--play")
    assert "--play plays at once" in shell(*create, *late, code=1)


def test_parked_matches_from_the_shell(shell: Shell) -> None:
    assert "nothing waits" in shell("match", "parked")
    shell("tournament", "create", "reversi", "--format", "round-robin", "--top", "2")
    for _ in range(leasing.MOST_FAILURES[Fault.WORKER]):
        (job,) = lease(shell.db)
        leasing.give_up(shell.db, "test-worker", job, "no power", Fault.WORKER)
    said = shell("match", "parked")
    assert f"match {job.match_id}: reversi" in said
    assert "by test-worker: worker: no power" in said
    assert "match" in shell("tournament", "show", "1")
    assert "played again" in shell("match", "requeue", str(job.match_id))
    assert "not parked" in shell("match", "drop", str(job.match_id), code=1)
    assert "nothing waits" in shell("match", "parked")


def test_leagues_from_the_shell(shell: Shell) -> None:
    made = shell(
        *shlex.split(
            "league create reversi cup --format swiss --rounds 2 --size 4"
            " --cron '0 18 * * sun' --timezone Europe/Berlin"
        )
    )
    assert "league 1 runs next" in made
    assert "reversi cup: every Sunday at 18:00 Europe/Berlin time (0 18 * * sun), swiss" in shell(
        "league", "list"
    )
    shell("league", "run", "reversi", "--name", "cup", "--queue-only")
    replays = ReplayStore(shell.folder / "replays")
    while jobs := lease(shell.db, 9):
        for job in jobs:
            finish(shell.db, replays, job, sorted((1.0, 0.0)))
    assert "tournament 1: finished" in shell("league", "show", "reversi", "--name", "cup")


def test_an_audit_needs_a_share(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    for share in ("0", "150%", "much"):
        with pytest.raises(SystemExit):
            shell("audit", "--sample", share)
        assert "is not a share" in capsys.readouterr().err
    assert "is in quarantine" in shell("audit", "--lift", "nobody", code=1)
    assert "no replay is missing or damaged" in shell("audit", "--replays")
