"""Use cases of leagues: recurring double round robins of the best bots of a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from engines.games import GAMES
from ladder.boards import check_division, game_named
from ladder.errors import Conflict, NotFound, Refusal
from ladder.formats import round_robin
from ladder.matches import queue_pairing
from ladder.names import check_name
from ladder.settings import BadSetting, Settings, check_schedule
from ladder.standings import Crosstable
from ladder.store import Connection, Database, ratings, tournaments
from ladder.store.database import Row, now
from ladder.values import OPEN_DIVISION, Purpose, TournamentStatus
from ladder.views import (
    LeagueList,
    LeagueView,
    TournamentRef,
    TournamentView,
)

RUNS_SHOWN = 30
NIGHTLY = "nightly"
"""The league that every game has; its schedule follows the settings."""

FORMAT = "double-round-robin"


def can_hold_league(game: str) -> bool:
    """A round robin is made of matches between two, which melees are not meant for."""
    return game_named(game).seats == range(2, 3)


def ensure_leagues(db: Database, settings: Settings) -> None:
    """Give every game its nightly league, on the schedule that the settings name."""
    games = [game.name for game in GAMES if can_hold_league(game.name)]
    cron, timezone, size = settings.league_cron, settings.league_timezone, settings.league_size
    with db.write() as c:
        for game in games:
            found = tournaments.league_named(c, game, NIGHTLY)
            if found is None:
                _insert(c, game, NIGHTLY, OPEN_DIVISION, cron, timezone, size)
            elif (found.cron, found.timezone, found.size) != (cron, timezone, size):
                tournaments.update_league(c, found.id, cron, timezone, size)


def create_league(
    db: Database, game: str, name: str, division: str, cron: str, timezone: str, size: int
) -> LeagueView:
    check_division(game, division)
    if not can_hold_league(game):
        raise Refusal(f"a league needs a game for two, which {game} is not")
    try:
        if check_schedule(cron, timezone).get_next_fire_time(None, now()) is None:
            raise Refusal(f"the day of {cron[:80]!r} never comes")
    except BadSetting as error:
        raise Refusal(str(error)) from error
    if not 2 <= size <= 1_000:
        raise Refusal("a league enters 2 to 1,000 bots")
    with db.write() as c:
        league_id = _insert(c, game, name, division, cron, timezone, size)
    if league_id is None:
        raise Conflict(f"{game} has a league called {name!r} already")
    return league(db, league_id)


def _insert(
    c: Connection, game: str, name: str, division: str, cron: str, timezone: str, size: int
) -> int | None:
    shown, key = check_name(name, "a league name")
    return tournaments.insert_league(
        c,
        {
            "game": game,
            "name": shown,
            "name_key": key,
            "division": division,
            "cron": cron,
            "timezone": timezone,
            "size": size,
            "created_at": now(),
        },
    )


def leagues(db: Database) -> LeagueList:
    with db.read() as c:
        return LeagueList(
            [_league_view(row, tournaments.latest(c, row.id, 1)) for row in tournaments.leagues(c)]
        )


def league(db: Database, league_id: int) -> LeagueView:
    with db.read() as c:
        row = tournaments.league(c, league_id)
        if row is None:
            raise NotFound(f"there is no league {league_id}")
        return _league_view(row, tournaments.latest(c, league_id, RUNS_SHOWN))


def league_named(db: Database, game: str, name: str) -> LeagueView:
    check_division(game, OPEN_DIVISION)
    with db.read() as c:
        row = tournaments.league_named(c, game, check_name(name, "a league name")[1])
        if row is None:
            raise NotFound(f"{game} has no league called {name!r}; start the server once")
        return _league_view(row, tournaments.latest(c, row.id, RUNS_SHOWN))


def _league_view(row: Row, runs: Sequence[Row]) -> LeagueView:
    trigger = check_schedule(row.cron, row.timezone)
    return LeagueView(
        id=row.id,
        game=row.game,
        name=row.name,
        division=row.division,
        cron=row.cron,
        timezone=row.timezone,
        size=row.size,
        next_run=trigger.get_next_fire_time(None, now()),
        runs=[TournamentRef(r.id, r.status, r.scheduled_for, r.finished_at) for r in runs],
    )


def run_league(
    db: Database, league_id: int, scheduled_for: datetime | None = None
) -> TournamentRef:
    """Enter the best bots and queue all their matches; `Conflict` if that time had its run."""
    with db.write() as c:
        row = tournaments.league(c, league_id)
        if row is None:
            raise NotFound(f"there is no league {league_id}")
        slot = scheduled_for or now()
        tournament_id = tournaments.insert_tournament(c, row, slot, now())
        if tournament_id is None:
            raise Conflict("this league has had its run for that time")
        best = ratings.leaders(c, row.game, row.division, row.size)
        tournaments.insert_entries(c, tournament_id, [one.version_id for one in best])
        for meetings in round_robin(best):
            for meeting in meetings:
                seats = [(one.version_id, one.bot_id) for one in meeting]
                queue_pairing(c, row.game, seats, Purpose.LEAGUE, tournament_id)
        tournaments.finish_if_played(c, tournament_id, now())
        run = tournaments.tournament(c, tournament_id)
        assert run is not None
        return TournamentRef(run.id, run.status, run.scheduled_for, run.finished_at)


def run_due(db: Database, league_id: int, at: datetime | None = None) -> TournamentRef | None:
    """Run a league for its latest scheduled time, unless somebody has: missed nights count once."""
    with db.read() as c:
        row = tournaments.league(c, league_id)
        if row is None:
            return None
        runs = tournaments.latest(c, league_id, 1)
    since = max([row.created_at, *(run.scheduled_for for run in runs)])
    slot = latest_slot(row.cron, row.timezone, since, at or now())
    if slot is None:
        return None
    try:
        return run_league(db, league_id, slot)
    except Conflict:  # another server was quicker
        return None


def latest_slot(cron: str, timezone: str, since: datetime, until: datetime) -> datetime | None:
    """The last time in (since, until] at which a schedule fires."""
    trigger = check_schedule(cron, timezone)
    for days in (0.05, 1, 8, 32, 400, 1500):  # nearest first: a schedule may fire every minute
        start = max(since + timedelta(microseconds=1), until - timedelta(days=days))
        slot, found = trigger.get_next_fire_time(None, start), None
        while slot is not None and slot <= until:
            found = slot
            slot = trigger.get_next_fire_time(slot, slot + timedelta(microseconds=1))
        if found is not None or start > until - timedelta(days=days):
            return found
    return None


def tournament(db: Database, tournament_id: int) -> TournamentView:
    with db.read() as c:
        row = tournaments.tournament(c, tournament_id)
        if row is None:
            raise NotFound(f"there is no tournament {tournament_id}")
        entries = tournaments.entries(c, tournament_id)
        results = tournaments.results(c, tournament_id)
        count = tournaments.count_matches(c, tournament_id)
    table = Crosstable(entries, results)
    standings = table.standings()
    finished = row.status is TournamentStatus.FINISHED
    leaders = [line for line in standings if line.place == 1]
    return TournamentView(
        id=row.id,
        league_id=row.league_id,
        league=row.league,
        game=row.game,
        division=row.division,
        format=FORMAT,
        status=row.status,
        scheduled_for=row.scheduled_for,
        finished_at=row.finished_at,
        matches=count,
        matches_finished=table.played,
        standings=standings,
        crosstable=table.rows([line.seeding for line in standings]),
        winner=leaders[0].bot if finished and len(leaders) == 1 else None,
    )
