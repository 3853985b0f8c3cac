"""Use cases of leagues: tournaments that recur on a schedule, their history and their champions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from engines.games import GAMES, find_game
from ladder.boards.ladders import check_division, installed
from ladder.contests import tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.formats.meetings import MOST_ENTRIES
from ladder.contests.rounds import options_of
from ladder.contests.schedules import Schedule, read_schedule
from ladder.contests.tournaments import NewTournament, Selection, check_format
from ladder.errors import Conflict, NotFound, Refusal
from ladder.people.names import check_name
from ladder.settings import Settings
from ladder.store import Connection, Database, actions, leagues
from ladder.store.database import Row, now
from ladder.values import OPEN_DIVISION
from ladder.views import Champion, LeagueList, LeagueView, TournamentRef

RUNS_SHOWN = 30
CHAMPIONS_SHOWN = 20
NIGHTLY = "nightly"
"""The league that every game has; its schedule follows the settings until an admin changes it."""

TARGET, CHANGE, RESUME = "league", "change", "resume"
"""Words of the audit log."""


def usual_format(game: str) -> str:
    """A round robin for games of two, melees for games of more seats."""
    return "round-robin" if max(find_game(game).seats) == 2 else "melee"


def ensure_leagues(db: Database, settings: Settings) -> None:
    """Give every game its nightly league, on the schedule of the settings."""
    cron, timezone, size = settings.league_cron, settings.league_timezone, settings.league_size
    with db.write() as c:
        for game in GAMES:
            found = leagues.league_named(c, game.name, NIGHTLY)
            if found is None:
                nightly = NewLeague(
                    game.name, NIGHTLY, OPEN_DIVISION, cron=cron, timezone=timezone, size=size
                )
                _insert(c, nightly)
            elif actions.last_time(c, CHANGE, TARGET, found.id) is None:
                leagues.update_league(c, found.id, cron, timezone, size)


@dataclass(frozen=True, slots=True)
class NewLeague:
    game: str
    name: str
    division: str
    cron: str
    timezone: str
    size: int
    format: str | None = None
    """None: the usual format of the game."""
    options: FormatOptions | None = None
    per_owner: int | None = None
    rated: bool = True


def create_league(db: Database, new: NewLeague, *, actor: str = "") -> LeagueView:
    check_division(new.game, new.division)
    check_format(new.game, new.format or usual_format(new.game), new.options or FormatOptions())
    _check_schedule(new.cron, new.timezone, new.size)
    if new.per_owner is not None and new.per_owner < 1:
        raise Refusal("per_owner must be at least 1")
    with db.write() as c:
        league_id = _insert(c, new)
        if league_id is None:
            raise Conflict(f"{new.game} already has a league {new.name!r}; choose another name")
        detail = f"{new.name} of {new.game}"
        actions.insert_action(c, actor, "create", TARGET, league_id, detail)
    return league(db, league_id)


def _check_schedule(cron: str, timezone: str, size: int) -> None:
    read_schedule(cron, timezone)
    if not 2 <= size <= MOST_ENTRIES:
        raise Refusal("a league must have a size of 2 to 1,000 bots")


def change_league(
    db: Database, league_id: int, cron: str, timezone: str, size: int, actor: str
) -> LeagueView:
    """Change the times or the size of a league."""
    _check_schedule(cron, timezone, size)
    with db.write() as c:
        if leagues.league(c, league_id) is None:
            raise NotFound(f"there is no league {league_id}")
        leagues.update_league(c, league_id, cron, timezone, size)
        detail = f"{cron} in {timezone}, {size} bots"
        actions.insert_action(c, actor, CHANGE, TARGET, league_id, detail)
    return league(db, league_id)


def set_paused(db: Database, league_id: int, paused: bool, actor: str) -> LeagueView:
    """Pause or resume a league; runs missed meanwhile are not made up."""
    with db.write() as c:
        if leagues.league(c, league_id) is None:
            raise NotFound(f"there is no league {league_id}")
        if not leagues.set_paused(c, league_id, paused):
            raise Conflict(f"league {league_id} is {'paused' if paused else 'running'} already")
        actions.insert_action(c, actor, "pause" if paused else RESUME, TARGET, league_id)
    return league(db, league_id)


def _insert(c: Connection, new: NewLeague) -> int | None:
    shown, key = check_name(new.name, "a league name")
    return leagues.insert_league(
        c,
        {
            "game": new.game,
            "name": shown,
            "name_key": key,
            "division": new.division,
            "cron": new.cron,
            "timezone": new.timezone,
            "size": new.size,
            "format": new.format or usual_format(new.game),
            "options": msgspec.to_builtins(
                tournaments.with_champion(c, new.game, new.options or FormatOptions())
            ),
            "per_owner": new.per_owner,
            "rated": new.rated,
            "created_at": now(),
        },
    )


def all_leagues(db: Database) -> LeagueList:
    with db.read() as c:
        rows = leagues.leagues(c)
        return LeagueList([_view(row, leagues.runs(c, row.id, 1), ()) for row in rows])


def league(db: Database, league_id: int) -> LeagueView:
    with db.read() as c:
        row = leagues.league(c, league_id)
        if row is None:
            raise NotFound(f"there is no league {league_id}")
        return _whole(c, row)


def league_named(db: Database, game: str, name: str) -> LeagueView:
    check_division(game, OPEN_DIVISION)
    with db.read() as c:
        row = leagues.league_named(c, game, check_name(name, "a league name")[1])
        if row is None:
            raise NotFound(f"{game} has no league called {name!r}; start the server once")
        return _whole(c, row)


def _whole(c: Connection, row: Row) -> LeagueView:
    return _view(
        row, leagues.runs(c, row.id, RUNS_SHOWN), leagues.champions(c, row.id, CHAMPIONS_SHOWN)
    )


def _view(row: Row, runs: Sequence[Row], champions: Sequence[Row]) -> LeagueView:
    return LeagueView(
        id=row.id,
        game=row.game,
        name=row.name,
        division=row.division,
        cron=row.cron,
        timezone=row.timezone,
        size=row.size,
        format=row.format,
        options=row.options,
        per_owner=row.per_owner,
        rated=row.rated,
        next_run=Schedule(row.cron, row.timezone).next(now()) if _runs(row) else None,
        paused=row.paused,
        runs=[
            TournamentRef(
                id=run.id,
                status=run.status,
                scheduled_for=run.scheduled_for,
                finished_at=run.finished_at,
                name=row.name,
                game=run.game,
                format=run.format,
                league_id=row.id,
                winner=run.won_by,
                winner_owner=run.won_by_owner,
            )
            for run in runs
        ],
        champions=[
            Champion(one.bot, one.bot_id, one.owner, one.titles, one.latest) for one in champions
        ],
    )


def _runs(row: Row) -> bool:
    """Whether the schedule of a league is active."""
    return not row.paused and installed(row.game) is not None


@dataclass(frozen=True, slots=True)
class NextRuns:
    """Leagues that run next, all at the same time."""

    at: datetime
    leagues: list[tuple[int, str, str]]
    """Number, game and name of each."""


def next_runs(db: Database) -> NextRuns | None:
    with db.read() as c:
        rows = leagues.leagues(c)
    at = now()
    found: dict[datetime, list[tuple[int, str, str]]] = {}
    times: dict[tuple[str, str], datetime | None] = {}  # most leagues share a schedule
    for row in rows:
        when = (row.cron, row.timezone)
        if when not in times:
            times[when] = Schedule(*when).next(at)
        time = times[when]
        if time is not None and _runs(row):
            found.setdefault(time, []).append((row.id, row.game, row.name))
    if not found:
        return None
    first = min(found)
    return NextRuns(first, found[first])


@dataclass(frozen=True, slots=True)
class Title:
    """A run of a league that has a winner."""

    tournament_id: int
    league_id: int
    league: str
    game: str
    bot: str
    bot_id: int
    owner: str
    won_at: datetime


def latest_champions(db: Database, limit: int) -> list[Title]:
    """The winners of the leagues that ended last, newest first."""
    with db.read() as c:
        return [Title(*row) for row in leagues.latest_champions(c, limit)]


def run_league(
    db: Database,
    league_id: int,
    scheduled_for: datetime | None = None,
    actor: str | None = None,
) -> TournamentRef:
    """Enter the best bots and queue their first matches; `Conflict` if that time already has its
    run.

    `actor`: the admin who started it; None for the schedule.
    """
    with db.write() as c:
        row = leagues.league(c, league_id)
        if row is None:
            raise NotFound(f"there is no league {league_id}")
        wanted = NewTournament(
            row.game,
            row.format,
            Selection(top=row.size, division=row.division, per_owner=row.per_owner),
            options_of(row),
            rated=row.rated,
            starts_at=scheduled_for,
        )
        made = tournaments.insert(c, wanted, league_id=row.id)
        if made is None:
            raise Conflict("the league already has a run for that time")
        if actor is not None:
            actions.insert_action(c, actor, "run", TARGET, row.id, f"tournament {made.id}")
        return tournaments.ref(c, made.id)


def run_due(db: Database, league_id: int, at: datetime | None = None) -> TournamentRef | None:
    """Run a league for its latest scheduled time, once; several missed times become one run."""
    with db.read() as c:
        row = leagues.league(c, league_id)
        if row is None or not _runs(row):
            return None
        last = leagues.last_scheduled(c, league_id)
        resumed = actions.last_time(c, RESUME, TARGET, league_id)
    since = max(time for time in (row.created_at, last, resumed) if time is not None)
    slot = Schedule(row.cron, row.timezone).latest(since, at or now())
    if slot is None:
        return None
    try:
        return run_league(db, league_id, slot)
    except Conflict:  # another server was quicker
        return None
