"""Rows of a game without its plug-in: schedules wait for it, and nothing fails or is lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from engines.games import UnknownGame
from ladder import evolution
from ladder.boards import ladders
from ladder.contests import leagues, tournaments
from ladder.contests.tournaments import Selection
from ladder.evolution import breeding, schedules
from ladder.matches import leasing
from ladder.models import Bot, EvolutionRun, EvolutionSchedule, League, Match, Rating, Tournament
from ladder.settings import Settings
from ladder.store import Database
from ladder.store.database import now
from ladder.uploads import submissions
from ladder.values import Kind, Limits, TournamentStatus

TABLES = (Bot, EvolutionRun, EvolutionSchedule, League, Match, Rating, Tournament)
GAME = "tanks"


def rename(db: Database, old: str, new: str) -> None:
    """Rename a game in all rows."""
    with db.write() as c:
        for table in TABLES:
            c.execute(sa.update(table).where(table.game == old).values(game=new))


@pytest.fixture
def gone(sqlite_db: Database) -> Database:
    """A ladder with a league, a tournament and a schedule of a game that is not installed."""
    db = sqlite_db
    leagues.ensure_leagues(db, Settings())
    soon = now() + timedelta(minutes=1)
    tournaments.create(
        db, tournaments.NewTournament(GAME, "swiss", Selection(top=4), starts_at=soon), actor="ada"
    )
    tournaments.create(db, tournaments.NewTournament(GAME, "swiss", Selection(top=4)), actor="ada")
    schedules.schedule(db, evolution.RunRequest(GAME, guides="house:Walls"), cron="0 3 * * *")
    evolution.start(db, evolution.RunRequest(GAME, guides="house:Walls"))
    rename(db, GAME, "gone")
    return db


def _league_id(db: Database) -> int:
    with db.read() as c:
        return int(c.scalars(sa.select(League.id).where(League.game.in_((GAME, "gone")))).one())


def test_leagues_wait_and_catch_up(gone: Database) -> None:
    later = now() + timedelta(days=2)
    league_id = _league_id(gone)
    assert leagues.run_due(gone, league_id, later) is None
    assert leagues.league(gone, league_id).next_run is None
    next_leagues = leagues.next_runs(gone)
    assert next_leagues is not None
    assert league_id not in [one for one, _, _ in next_leagues.leagues]
    with pytest.raises(UnknownGame):
        leagues.run_league(gone, league_id, actor="ada")
    rename(gone, "gone", GAME)
    assert leagues.run_due(gone, league_id, later) is not None


def test_tournaments_wait(gone: Database) -> None:
    later = now() + timedelta(hours=1)
    tournaments.carry_on(gone, later)
    rows = tournaments.page(gone, game=None, after=None, limit=10).rows
    assert [row.status for row in rows if row.game == "gone"] == [
        TournamentStatus.RUNNING,
        TournamentStatus.PENDING,
    ]
    assert len(tournaments.tournament(gone, rows[0].id).entries) == 4
    rename(gone, "gone", GAME)
    tournaments.carry_on(gone, later)
    rows = tournaments.page(gone, game=GAME, after=None, limit=10).rows
    assert [row.status for row in rows] == [TournamentStatus.RUNNING] * 2


def test_evolution_waits(gone: Database) -> None:
    (schedule,) = schedules.schedules(gone)
    later = now() + timedelta(days=2)
    assert schedules.run_due(gone, schedule.id, later) is None
    known = [game.name for game in ladders.games().games]
    assert breeding.lease(gone, "one", 60, 1, known) is None
    rename(gone, "gone", GAME)
    assert schedules.run_due(gone, schedule.id, later) is not None
    assert breeding.lease(gone, "two", 60, 1, known) is not None


def test_bots_are_shown_and_matches_stay_queued(gone: Database) -> None:
    with gone.read() as c:
        bot_id = c.scalars(sa.select(Bot.id).where(Bot.game == "gone")).first()
        match_id = c.scalars(sa.select(Match.id).where(Match.game == "gone")).first()
    assert bot_id is not None
    assert match_id is not None
    assert submissions.bot(gone, bot_id, None).rating is not None
    assert submissions.history(gone, bot_id, None, 10).rows == []
    assert leasing.job_again(gone, match_id, Limits()).game == "gone"
    known = [game.name for game in ladders.games().games]
    leased = leasing.lease(gone, "worker", 60, 100, leasing.Playable(tuple(Kind), known))
    assert match_id not in [job.match_id for job in leased]
    assert ladders.kept_game("gone").title == "gone"
    assert "gone is not installed on this server now" in ladders.missing_note("gone")
    assert ladders.missing_note(GAME) == ""
