"""Commands that breed bots: evolution start, schedule, list, show, stop.

They open the database directly, with or without a server running on it; a server does the breeding.
"""

from __future__ import annotations

import argparse
import sys
import time

from rich.console import Console
from rich.table import Table

from ladder import evolution
from ladder.cli.opening import on_database
from ladder.contests import leagues
from ladder.evolution import BOT_NAME, GUIDES, OWNER, RunOptions, schedules
from ladder.store import Database
from ladder.terminal import say
from ladder.uploads import submissions
from ladder.values import EvolutionStatus, full_name
from ladder.views import EvolutionView, FinalLine

LOOK_SECONDS = 1.0
LIST_ROWS = 20
OPEN = (EvolutionStatus.QUEUED, EvolutionStatus.RUNNING)


def _add_evolution(evolution: argparse.ArgumentParser) -> None:
    actions = evolution.add_subparsers(metavar="ACTION", required=True)

    start = actions.add_parser(
        "start", help="queue a run; the server breeds and enters its champion"
    )
    _add_request(start)
    start.add_argument("--seed", type=int, metavar="N", help="fixes the run (default: random)")
    start.add_argument("--wait", action="store_true", help="follow it until it has ended")
    on_database(start, _start)

    schedule = actions.add_parser("schedule", help="breed again and again, such as every night")
    _add_request(schedule)
    when = schedule.add_mutually_exclusive_group()
    when.add_argument("--cron", metavar="EXPR", help="at these times, such as '0 4 * * *'")
    when.add_argument(
        "--after-league",
        nargs="?",
        const=leagues.NIGHTLY,
        metavar="NAME",
        help="after each tournament of a league (the default: after the nightly one)",
    )
    when.add_argument("--off", action="store_true", help="delete the schedule")
    schedule.add_argument("--timezone", default="UTC", help="of the cron expression (default: UTC)")
    on_database(schedule, _schedule)

    on_database(actions.add_parser("list", help="show schedules and the latest runs"), _list)
    for name, run, text in (
        ("show", _show, "show one run: generations, finals, champion"),
        ("stop", _stop, "cancel a run"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("run_id", type=int, metavar="RUN")
        on_database(action, run)


ARGUMENTS = {"evolution": _add_evolution}


def _add_request(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game")
    parser.add_argument(
        "--guides",
        default=GUIDES,
        metavar="LIST",
        help=f"ladder:N and house:NAME, with commas between (default: {GUIDES})",
    )
    parser.add_argument("--name", default=BOT_NAME, help=f"of the bot (default: {BOT_NAME})")
    parser.add_argument("--owner", help=f"account (default: {OWNER})")
    parser.add_argument("--preset", help="a set of parameters of the domain, such as quick")
    for name in ("generations", "population", "final-games"):
        parser.add_argument(f"--{name}", type=int, metavar="N")
    parser.add_argument("--minutes", type=float, metavar="N", help="most minutes of a run")


def _request(flags: argparse.Namespace) -> evolution.RunRequest:
    numbers = (flags.generations, flags.population, flags.final_games, flags.minutes)
    return evolution.RunRequest(
        flags.game,
        guides=flags.guides,
        options=RunOptions(flags.preset, *numbers),
        bot=flags.name,
        owner=flags.owner or OWNER,
    )


def _start(db: Database, flags: argparse.Namespace) -> int:
    submissions.seed_house_bots(db)
    view = evolution.start(db, _request(flags), seed=flags.seed)
    say(f"run {view.run.id} of {view.run.game} is queued (seed {view.run.seed}), against:")
    for guide in view.guides:
        say(f"  {full_name(guide.owner, guide.name)} v{guide.version} ({guide.kind})")
    if any(guide.kind.sandboxed for guide in view.guides) and flags.minutes is None:
        say("uploaded code plays in the sandbox, which is slow: --minutes limits a run")
    return _wait(db, view) if flags.wait else 0


def _wait(db: Database, view: EvolutionView) -> int:
    """Follow a run that a server breeds; return 1 if it fails."""
    with Console(stderr=True).status("waiting for a server") as status:
        while view.run.status in OPEN:
            if view.generations:
                last = view.generations[-1]
                status.update(f"generation {last.generation}: best {last.best:.3f}")
            time.sleep(LOOK_SECONDS)
            view = evolution.run(db, view.run.id)
    _print(view)
    return 0 if view.run.status is EvolutionStatus.FINISHED else 1


def _schedule(db: Database, flags: argparse.Namespace) -> None:
    if flags.off:
        schedules.unschedule(db, flags.game, flags.name, flags.owner)
        say(f"{flags.name} of {flags.game} is no longer scheduled")
        return
    league = flags.after_league or (None if flags.cron else leagues.NIGHTLY)
    submissions.seed_house_bots(db)
    made = schedules.schedule(
        db,
        _request(flags),
        league=league,
        cron=flags.cron,
        timezone=flags.timezone,
    )
    say(f"{made.game} {made.bot}: {_when(made.league, made.cron, made.timezone)}")


def _when(league: str | None, cron: str | None, timezone: str) -> str:
    return f"{cron} ({timezone})" if cron else f"after the {league} league"


def _list(db: Database, flags: argparse.Namespace) -> None:
    for one in schedules.schedules(db):
        when = _when(one.league, one.cron, one.timezone)
        say(f"{one.game} {one.bot}: {when}, against {one.guides}, for {one.owner}")
    table = Table()
    for name in ("run", "game", "bot", "status", "generation", "best"):
        table.add_column(name, justify="right" if name in ("run", "generation", "best") else "left")
    for run in evolution.page(db, game=None, after=None, limit=LIST_ROWS).rows:
        name = full_name(run.owner, run.bot)
        bot = f"{name} v{run.version}" if run.version else name
        reached = "" if run.generation is None else str(run.generation)
        best = "" if run.best is None else f"{run.best:.3f}"
        table.add_row(str(run.id), run.game, bot, run.status, reached, best)
    if table.row_count:
        Console(width=None if sys.stdout.isatty() else 200).print(table, markup=False)
    else:
        say("no run yet: ladder evolution start GAME")


def _show(db: Database, flags: argparse.Namespace) -> None:
    _print(evolution.run(db, flags.run_id))


def _stop(db: Database, flags: argparse.Namespace) -> None:
    view = evolution.stop(db, flags.run_id)
    say(f"run {view.run.id} is {view.run.status}")


def _print(view: EvolutionView) -> None:
    run = view.run
    say(f"run {run.id} of {run.game}: {run.status}, seed {run.seed}")
    if view.trouble:
        say(f"trouble: {view.trouble}")
    for line in view.generations:
        say(
            f"generation {line.generation}: best {line.best:.3f}, mean {line.mean:.3f} "
            f"± {line.stdev:.3f}, size {line.size_mean:.1f}"
        )
    if view.report is not None:
        _print_finals("guides", view.report.finals.guides)
        _print_finals("hold-out", view.report.finals.holdout)
    if run.version is not None:
        name = full_name(run.owner, run.bot)
        say(f"champion: {name} v{run.version}, /bots/{run.bot_id}, sha256 {view.sha256}")


def _print_finals(title: str, lines: list[FinalLine]) -> None:
    for line in lines:
        interval = f"{line.low:.3f} to {line.high:.3f}"
        say(f"{title} {line.opponent}: {line.share:.3f} ({interval}) of {line.games} games")
