"""Commands about competitions: league, tournament, match, audit.

They open the database directly, with or without a server running on it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from engines.games import GAMES
from ladder.admin import audits, repairs
from ladder.admin.audits import Finding
from ladder.cli.opening import actor, on_database
from ladder.cli.server import WORKER_SETTINGS, warm_up
from ladder.contests import leagues, tournaments
from ladder.contests.formats import FORMATS, FormatOptions, read_options
from ladder.contests.schedule_words import schedule_words
from ladder.contests.tournaments import Selection
from ladder.errors import Refusal
from ladder.host import temporary_folders
from ladder.matches.replays import ReplayStore
from ladder.people.bot_names import find_bots
from ladder.settings import load
from ladder.store import Database
from ladder.terminal import say
from ladder.uploads import submissions
from ladder.values import OPEN_DIVISION, TournamentStatus, full_name
from ladder.views import TournamentRef, TournamentView


def _add_match(match: argparse.ArgumentParser) -> None:
    actions = match.add_subparsers(metavar="ACTION", required=True)
    parked = actions.add_parser("parked", help="show matches and workers that wait for an admin")
    on_database(parked, _parked)
    requeue = actions.add_parser("requeue", help="play a match again")
    requeue.add_argument("match", type=int)
    on_database(requeue, _requeue_match)
    drop = actions.add_parser("drop", help="give a parked match up")
    drop.add_argument("match", type=int)
    on_database(drop, _drop_match)


def _add_audit(audit: argparse.ArgumentParser) -> None:
    audit.add_argument("--sample", type=_share, default=0.01, metavar="SHARE", help="default: 1%%")
    audit.add_argument("--game", help="only this game")
    audit.add_argument("--seed", type=int, default=None, metavar="N", help="of the sample")
    audit.add_argument(
        "--replays", action="store_true", help="make missing and damaged replays again instead"
    )
    audit.add_argument("--lift", metavar="WORKER", help="give this worker matches again instead")
    on_database(audit, _audit, WORKER_SETTINGS)


def _add_league(league: argparse.ArgumentParser) -> None:
    actions = league.add_subparsers(metavar="ACTION", required=True)
    run = actions.add_parser("run", help="run a league now and show how it ended")
    run.add_argument("game")
    run.add_argument("--name", default=leagues.NIGHTLY, help="which (default: nightly)")
    run.add_argument(
        "--queue-only", action="store_true", help="leave its matches to a server or worker"
    )
    on_database(run, _run_league, WORKER_SETTINGS)
    create = actions.add_parser("create", help="create a league")
    create.add_argument("game")
    create.add_argument("name")
    create.add_argument("--division", default=OPEN_DIVISION, help="which (default: open)")
    create.add_argument("--cron", help="when it runs (default: every night)")
    create.add_argument("--timezone", help="of the cron expression (default: UTC)")
    create.add_argument("--size", type=int, metavar="N", help="entries (default: 50)")
    create.add_argument("--per-owner", type=int, metavar="N", help="entries of one owner at most")
    _add_format(create, required=False)
    on_database(create, _create_league)
    shown = actions.add_parser("list", help="show the leagues and their next run")
    on_database(shown, _list_leagues)
    history = actions.add_parser("show", help="show the runs and champions of a league")
    history.add_argument("game")
    history.add_argument("--name", default=leagues.NIGHTLY, help="which (default: nightly)")
    on_database(history, _show_league)


def _add_tournament(tournament: argparse.ArgumentParser) -> None:
    actions = tournament.add_subparsers(metavar="ACTION", required=True)
    create = actions.add_parser("create", help="enter bots and queue the first matches")
    create.add_argument("game")
    create.add_argument(
        "--bots", nargs="+", metavar="BOT", help="these: names, owner/name or numbers"
    )
    create.add_argument("--top", type=int, metavar="N", help="the best N")
    create.add_argument("--division", default=OPEN_DIVISION, help="of the bots (default: open)")
    create.add_argument("--per-owner", type=int, metavar="N", help="of one owner at most")
    create.add_argument("--without-house", action="store_true", help="no house bots")
    create.add_argument(
        "--starts-at",
        type=_time,
        metavar="TIME",
        help="such as 2026-12-24T18:00, in UTC unless it has an offset (default: now)",
    )
    create.add_argument("--name", default="", help="its displayed name")
    _add_format(create, required=True)
    create.add_argument("--play", action="store_true", help="play it out, and show the table")
    on_database(create, _create_tournament, WORKER_SETTINGS)
    listed = actions.add_parser("list", help="show the latest")
    listed.add_argument("--game", help="only of this game")
    on_database(listed, _list_tournaments)
    shown = actions.add_parser("show", help="show standings, rounds and actions of admins")
    shown.add_argument("tournament", type=int)
    on_database(shown, _show_tournament)
    for name, text in (
        ("pause", "start none of its matches"),
        ("resume", "go on"),
        ("cancel", "end it without a winner"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("tournament", type=int)
        action.set_defaults(action=name)
        on_database(action, _act)
    requeue = actions.add_parser("requeue", help="play a round or a match again")
    requeue.add_argument("tournament", type=int)
    what = requeue.add_mutually_exclusive_group(required=True)
    what.add_argument("--round", type=int, metavar="N")
    what.add_argument("--match", type=int, metavar="ID")
    on_database(requeue, _requeue)
    withdraw = actions.add_parser("withdraw", help="let a bot leave")
    withdraw.add_argument("tournament", type=int)
    withdraw.add_argument("bot", help="its name, owner/name or number")
    on_database(withdraw, _withdraw)


ARGUMENTS = {
    "league": _add_league,
    "tournament": _add_tournament,
    "match": _add_match,
    "audit": _add_audit,
}


def _add_format(parser: argparse.ArgumentParser, required: bool) -> None:
    names = ", ".join(FORMATS)
    parser.add_argument("--format", required=required, help=names)
    parser.add_argument("--unrated", action="store_true", help="its matches rate nobody")
    for option, text in (
        ("legs", "games of a meeting (default: 2, sides swapped)"),
        ("rounds", "of a swiss tournament or a melee"),
        ("best_of", "games of a meeting in an elimination (default: 3)"),
        ("seats", "of a table in a melee"),
        ("format_seed", "seed from which those of all games follow"),
    ):
        flag = "--" + option.replace("_", "-")
        parser.add_argument(flag, type=int, metavar="N", help=text)
    parser.add_argument("--champion", metavar="BOT", help="the bot that runs a gauntlet")
    parser.add_argument("--third-place", action="store_true", help="the semi-finals' losers meet")


def _options(flags: argparse.Namespace) -> FormatOptions:
    given = {
        "legs": flags.legs,
        "rounds": flags.rounds,
        "best_of": flags.best_of,
        "champion": flags.champion,
        "seats": flags.seats,
        "seed": flags.format_seed,
        "third_place": flags.third_place or None,
    }
    return read_options({k: v for k, v in given.items() if v is not None})


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write 2026-12-24T18:00") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _share(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share, such as 1% or 0.01")
    return share


def _run_league(db: Database, flags: argparse.Namespace) -> None:
    settings = load(vars(flags))
    submissions.seed_house_bots(db)
    leagues.ensure_leagues(db, settings)
    league = leagues.league_named(db, flags.game, flags.name)
    run = leagues.run_league(db, league.id, actor=actor())
    _queued(db, run.id)
    if not flags.queue_only:
        _play_out(db, flags, run.id)


def _queued(db: Database, tournament_id: int) -> None:
    view = tournaments.tournament(db, tournament_id)
    matches = "1 match" if view.matches == 1 else f"{view.matches} matches"
    say(f"tournament {view.id}: {len(view.entries)} bots, {matches} queued")


def _play_out(db: Database, flags: argparse.Namespace, tournament_id: int) -> None:
    from ladder.server.serving import (
        play_out,  # no other command here needs the web framework
    )

    game = tournaments.tournament(db, tournament_id).game
    warm_up([one for one in GAMES if one.name == game])
    _print_standings(asyncio.run(play_out(load(vars(flags)), db, tournament_id)))


def _print_standings(view: TournamentView) -> None:
    kind = f"{view.name} league" if view.league else view.name
    table = Table(title=f"{kind} of {view.game}, {view.status}")
    for name in ("place", "bot", "owner", "points", "W/D/L", "Buchholz", "S-B"):
        table.add_column(name, justify="left" if name in ("bot", "owner") else "right")
    for line in view.standings:
        outcome = f"{line.wins}/{line.draws}/{line.losses}"
        name = full_name(line.owner, line.bot)
        bot = f"{name} (left)" if line.withdrawn else name
        table.add_row(
            str(line.place),
            bot,
            line.owner,
            f"{line.points:g}",
            outcome,
            f"{line.buchholz:g}",
            f"{line.sonneborn_berger:.2f}",
        )
    wide = None if sys.stdout.isatty() else 120
    Console(width=wide).print(table, markup=False)


def _create_league(db: Database, flags: argparse.Namespace) -> None:
    settings = load(vars(flags))
    made = leagues.create_league(
        db,
        leagues.NewLeague(
            flags.game,
            flags.name,
            flags.division,
            flags.cron or settings.league_cron,
            flags.timezone or settings.league_timezone,
            flags.size or settings.league_size,
            format=flags.format,
            options=_options(flags),
            per_owner=flags.per_owner,
            rated=not flags.unrated,
        ),
        actor=actor(),
    )
    say(f"league {made.id} runs next {made.next_run.isoformat() if made.next_run else 'never'}")


def _list_leagues(db: Database, flags: argparse.Namespace) -> None:
    for league in leagues.all_leagues(db).leagues:
        when = league.next_run.isoformat() if league.next_run else "never"
        division = "" if league.division == OPEN_DIVISION else f" ({league.division})"
        name = f"{league.game} {league.name}{division}"
        told = schedule_words(league.cron, league.timezone)
        say(f"{name}: {told} ({league.cron}), {league.format}, next {when}")


def _show_league(db: Database, flags: argparse.Namespace) -> None:
    league = leagues.league_named(db, flags.game, flags.name)
    for champion in league.champions:
        say(f"champion {full_name(champion.owner, champion.bot)}: {champion.titles} titles")
    for run in league.runs:
        winner = _won_by(run)
        say(f"{run.scheduled_for.isoformat()} tournament {run.id}: {run.status}{winner}")


def _create_tournament(db: Database, flags: argparse.Namespace) -> None:
    if flags.play and flags.starts_at:
        raise Refusal("--play plays at once; leave out --starts-at, or let a server play it")
    submissions.seed_house_bots(db)
    run = tournaments.create(
        db,
        tournaments.NewTournament(
            flags.game,
            flags.format,
            Selection(
                flags.bots, flags.top, flags.division, flags.per_owner, not flags.without_house
            ),
            _options(flags),
            name=flags.name,
            rated=not flags.unrated,
            starts_at=flags.starts_at,
        ),
        actor=actor(),
    )
    if run.status is TournamentStatus.PENDING:
        say(f"tournament {run.id} begins at {run.scheduled_for.isoformat()}")
    else:
        _queued(db, run.id)
    if flags.play:
        _play_out(db, flags, run.id)


def _won_by(run: TournamentRef) -> str:
    return f", won by {full_name(run.winner_owner or '', run.winner)}" if run.winner else ""


def _list_tournaments(db: Database, flags: argparse.Namespace) -> None:
    for run in tournaments.page(db, flags.game, None, 50).rows:
        winner = _won_by(run)
        say(f"{run.id} {run.name}: {run.game}, {run.format}, {run.status}{winner}")


def _show_tournament(db: Database, flags: argparse.Namespace) -> None:
    view = tournaments.tournament(db, flags.tournament)
    _print_standings(view)
    say(f"{view.matches_finished} of {view.matches} matches, round {view.current_round}")
    names = {entry.seeding: full_name(entry.owner, entry.bot) for entry in view.entries}
    if view.champion is not None:
        say(f"{names[view.champion]} runs the gauntlet")
    for one in view.rounds[-1:]:
        for pairing in one.pairings:
            who = " v ".join(names[entry] for entry in pairing.entrants) or "nobody"
            points = "-".join(f"{p:g}" for p in pairing.points)
            say(f"round {one.number}, {who}: {points} {pairing.note}".rstrip())
    for match_id in view.parked:
        say(f"match {match_id} is parked; see `ladder match parked`")
    for action in tournaments.audit_log(db, view.id).actions:
        say(f"{action.at.isoformat()} {action.actor}: {action.action} {action.detail}".rstrip())


def _act(db: Database, flags: argparse.Namespace) -> None:
    act = {
        "pause": tournaments.pause,
        "resume": tournaments.resume,
        "cancel": tournaments.cancel,
    }[flags.action]
    say(f"tournament {flags.tournament} is {act(db, flags.tournament, actor()).status}")


def _requeue(db: Database, flags: argparse.Namespace) -> None:
    if flags.round is not None:
        tournaments.requeue_round(db, flags.tournament, flags.round, actor())
        say(f"round {flags.round} of tournament {flags.tournament} is played again")
    else:
        repairs.requeue(db, flags.match, actor())
        say(f"match {flags.match} is played again")


def _withdraw(db: Database, flags: argparse.Namespace) -> None:
    game = tournaments.tournament(db, flags.tournament).game
    (bot,) = find_bots(db, game, [flags.bot])
    tournaments.withdraw(db, flags.tournament, bot, actor())
    say(f"bot {flags.bot} has left tournament {flags.tournament}")


def _parked(db: Database, flags: argparse.Namespace) -> None:
    found = repairs.troubles(db)
    for match in found.parked:
        where = f", tournament {match.tournament_id}" if match.tournament_id else ""
        say(f"match {match.id}: {match.game}, {' v '.join(match.bots)}{where}, seed {match.seed}")
        for failure in match.failures:
            say(
                f"  attempt {failure.attempt} at {failure.at.isoformat()} by {failure.worker}: "
                f"{failure.fault}: {failure.trouble}"
            )
    for worker in found.quarantines:
        say(f"worker {worker.worker} is in quarantine: match {worker.match_id}: {worker.reason}")
    if not found.parked and not found.quarantines:
        say("nothing waits for an admin")


def _requeue_match(db: Database, flags: argparse.Namespace) -> None:
    repairs.requeue(db, flags.match, actor())
    say(f"match {flags.match} is played again")


def _drop_match(db: Database, flags: argparse.Namespace) -> None:
    repairs.drop(db, flags.match, actor())
    say(f"match {flags.match} is given up")


_TOLD = (Finding.DIFFERENT, Finding.UNSTABLE, Finding.REMADE, Finding.LOST)
"""Findings with a line each."""


def _audit(db: Database, flags: argparse.Namespace) -> int:
    if flags.lift:
        repairs.lift(db, flags.lift, actor())
        say(f"worker {flags.lift} gets matches again")
        return 0
    settings = load(vars(flags))
    replays = ReplayStore(settings.replays)
    found: Counter[Finding] = Counter()
    with temporary_folders.scratch("ladder-audit-") as scratch:
        warm_up([one for one in GAMES if flags.game in (None, one.name)])
        play = audits.player(scratch, settings.sandbox)
        if flags.replays:
            drawn = audits.find_damaged(db, replays, flags.game)
        else:
            drawn = audits.sample(db, flags.sample, random.Random(flags.seed), flags.game)
        for match_id in drawn:
            one = audits.audit(db, replays, match_id, settings.limits, play)
            found[one.finding] += 1
            if one.finding in _TOLD:
                after = "; it gets no more matches" if one.quarantined else ""
                say(f"match {match_id} by {one.worker or '?'}: {one.finding}: {one.detail}{after}")
    counted = ", ".join(f"{found[one]} {one}" for one in Finding if found[one])
    nothing = "no replay is missing or damaged" if flags.replays else "no match was drawn"
    say(f"{found.total()} matches: {counted}" if found else nothing)
    return 1 if found[Finding.DIFFERENT] or found[Finding.UNSTABLE] else 0
