"""Use cases of recurring evolution: each scheduled time has one run, on any number of servers.

A schedule follows a cron expression, or a league: then it runs once a tournament is over.
"""

from __future__ import annotations

from datetime import datetime

from ladder.boards.ladders import installed
from ladder.contests.schedules import Schedule, read_schedule
from ladder.errors import NotFound, Refusal
from ladder.evolution import (
    BOT_NAME,
    NewRun,
    RunRequest,
    check_bot,
    check_domain,
    find_account,
    queue,
    read_guides,
)
from ladder.people.names import check_name
from ladder.store import Connection, Database, evolution, leagues
from ladder.store.database import Row, now
from ladder.values import full_name
from ladder.views import EvolutionScheduleView


def schedule(
    db: Database,
    wanted: RunRequest,
    *,
    league: str | None = None,
    cron: str | None = None,
    timezone: str = "UTC",
) -> EvolutionScheduleView:
    """Run at every time of `cron`, or after every tournament of `league`.

    A bot has one schedule: another one for it takes the place of the first.
    """
    game = wanted.game
    check_domain(game, wanted.options)
    read_guides(game, wanted.guides)
    if (league is None) == (cron is None):
        raise Refusal(
            "a schedule needs either a cron expression or a league that it follows, not both"
        )
    if cron is not None:
        read_schedule(cron, timezone)
    with db.write() as c:
        owner_id = find_account(c, wanted.owner)
        shown, key = check_bot(c, game, wanted.bot, owner_id)
        values = {
            "game": game,
            "bot_name": shown,
            "owner_id": owner_id,
            "league_id": None if league is None else _league(c, game, league),
            "cron": cron,
            "timezone": timezone,
            "guides": wanted.guides,
            "settings": wanted.options.given,
            "created_at": now(),
        }
        named = evolution.schedules_named(c, game, key)
        own = [row.id for row in named if row.owner_id == owner_id]
        schedule_id = own[0] if own else evolution.insert_schedule(c, {**values, "bot_key": key})
        if own:
            evolution.update_schedule(c, schedule_id, values)
    return next(one for one in schedules(db) if one.id == schedule_id)


def _league(c: Connection, game: str, name: str) -> int:
    row = leagues.league_named(c, game, check_name(name, "a league name")[1])
    if row is None:
        raise NotFound(f"{game} has no league called {name!r}; start the server once")
    return int(row.id)


def unschedule(db: Database, game: str, bot: str = BOT_NAME, owner: str | None = None) -> None:
    """Delete the schedule of a bot; without `owner`, of the only bot of that name."""
    with db.write() as c:
        found = evolution.schedules_named(c, game, check_name(bot, "a bot name")[1])
        if owner is not None:
            owner_id = find_account(c, owner)
            found = [row for row in found if row.owner_id == owner_id]
        if not found:
            raise NotFound(f"no evolution of {bot!r} is scheduled in {game}")
        if len(found) > 1:
            names = ", ".join(full_name(row.owner, row.bot_name) for row in found)
            raise Refusal(f"several bots {bot!r} have a schedule: {names}; name the owner as well")
        evolution.delete_schedule(c, found[0].id)


def schedules(db: Database) -> list[EvolutionScheduleView]:
    with db.read() as c:
        return [_schedule_view(row) for row in evolution.schedules(c)]


def _schedule_view(row: Row) -> EvolutionScheduleView:
    return EvolutionScheduleView(
        id=row.id,
        game=row.game,
        bot=row.bot_name,
        owner=row.owner,
        league=row.league,
        cron=row.cron,
        timezone=row.timezone,
        guides=row.guides,
        settings=row.settings,
        next_run=Schedule(row.cron, row.timezone).next(now()) if row.cron else None,
    )


def run_due(db: Database, schedule_id: int, at: datetime | None = None) -> int | None:
    """Queue the run of a schedule's latest time, once; several missed times become one run."""
    with db.write() as c:
        row = evolution.schedule(c, schedule_id)
        if row is None or installed(row.game) is None:
            return None
        since = max(row.created_at, evolution.latest_slot(c, schedule_id) or row.created_at)
        if row.cron is not None:
            slot = Schedule(row.cron, row.timezone).latest(since, at or now())
        else:
            slot = evolution.latest_league_slot(c, row.league_id, since)
        if slot is None:
            return None
        new = NewRun(
            row.game,
            row.bot_name,
            row.owner_id,
            row.guides,
            row.settings,
            schedule_id=schedule_id,
            scheduled_for=slot,
        )
        return queue(c, new)
