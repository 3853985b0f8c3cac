"""A tournament whose server is killed repeatedly has the same result as an undisturbed one."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from processes import descendants, still_alive, wait_until
from test_server import Server

from ladder.contests import tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.store import Database, migrate
from ladder.uploads import submissions
from ladder.values import TournamentStatus
from ladder.views import TournamentView

pytestmark = pytest.mark.slow

KILLS = 3
BOTS = 6


def _prepare(data: Path) -> int:
    """A fresh database with one tournament, which is the same in every run."""
    db = Database(f"sqlite:///{data}/ladder.db")
    migrate.upgrade(db)
    submissions.seed_house_bots(db)
    run = tournaments.create(
        db,
        tournaments.NewTournament(
            "connect-four",
            "single-elimination",
            Selection(top=BOTS),
            FormatOptions(seed=2026, third_place=True, best_of=5),
        ),
        actor="the test",
    )
    db.close()
    return run.id


def _look(data: Path, tournament_id: int) -> TournamentView:
    db = Database(f"sqlite:///{data}/ladder.db")
    view = tournaments.tournament(db, tournament_id)
    db.close()
    return view


@contextmanager
def _serving(data: Path) -> Iterator[None]:
    """A server that is killed at the end of the block, also after an exception."""
    # Long time limits, so that no house bot times out in only one run on a busy machine.
    server = Server(data, "--move-ms", "60000", "--match-ms", "600000")
    try:
        yield
    finally:
        below = descendants(server.process.pid)
        server.process.kill()
        server.process.wait()
        wait_until(lambda: not still_alive(below), 60, "the end of workers and bots")


def _played_out(data: Path, kills: int, rng: random.Random) -> TournamentView:
    tournament_id = _prepare(data)

    def enough(matches: int) -> bool:
        view = _look(data, tournament_id)
        return view.matches_finished >= matches or view.status is TournamentStatus.FINISHED

    for _ in range(kills):
        wanted = _look(data, tournament_id).matches_finished + rng.randint(1, 4)
        with _serving(data):
            wait_until(partial(enough, wanted), 120, "some matches")
            time.sleep(rng.random() / 2)
    with _serving(data):
        wait_until(partial(enough, 10**6), 180, "the end")
    return _look(data, tournament_id)


def test_a_bracket_survives_the_death_of_its_server(tmp_path: Path) -> None:
    rng = random.Random(5)
    calm = _played_out(tmp_path / "calm", 0, rng)
    rough = _played_out(tmp_path / "rough", KILLS, rng)
    assert rough.winner is not None
    for one in (calm, rough):
        assert all(len(set(p.matches)) == len(p.matches) for r in one.rounds for p in r.pairings)
    brackets = [
        [(p.entrants, p.points, p.winner, p.note, len(p.matches)) for p in r.pairings]
        for one in (calm, rough)
        for r in one.rounds
    ]
    half = len(brackets) // 2
    assert brackets[:half] == brackets[half:]
    assert rough.standings == calm.standings
    assert rough.winner == calm.winner
