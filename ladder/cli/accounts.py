"""Commands about accounts and boards: account, board, rerate.

They open the database directly, with or without a server running on it.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from engines.games import GAMES, find_game
from ladder.admin import moderation
from ladder.boards import ladders
from ladder.cli.opening import actor, on_database
from ladder.errors import Refusal
from ladder.people import accounts, rosters
from ladder.people.rosters import EnrolmentResult
from ladder.settings import load
from ladder.store import Database
from ladder.terminal import say
from ladder.values import OPEN_DIVISION, Role, full_name

USUAL = -1
"""Removes an account's own limit."""


def _add_board(board: argparse.ArgumentParser) -> None:
    board.add_argument("game")
    board.add_argument("--division", default=OPEN_DIVISION, help="which (default: open)")
    board.add_argument("--top", type=int, default=100, metavar="N", help="rows (default: 100)")
    board.add_argument("--csv", choices=("ratings", "results"), help="print all of it as CSV")
    on_database(board, _board)


def _add_rerate(rerate: argparse.ArgumentParser) -> None:
    rerate.add_argument("game", nargs="?", help="only this game")
    on_database(rerate, _rerate)


def _add_account(account: argparse.ArgumentParser) -> None:
    actions = account.add_subparsers(metavar="ACTION", required=True)
    create = actions.add_parser("create", help="create an account; the last line is its token")
    create.add_argument("name")
    create.add_argument("--admin", action="store_true", help="make it an admin")
    on_database(create, _create_account)
    bulk = actions.add_parser("import", help="create accounts from a CSV with a name column")
    bulk.add_argument("file", type=Path)
    on_database(bulk, _import_accounts)
    invite = actions.add_parser("invite", help="make an invite code")
    invite.add_argument("--uses", type=int, default=1, metavar="N", help="accounts it can create")
    on_database(invite, _invite)
    token = actions.add_parser("token", help="issue another token for an account")
    token.add_argument("name")
    token.add_argument("--replace", action="store_true", help="and revoke its earlier ones")
    on_database(token, _new_token)
    revoke = actions.add_parser("revoke", help="revoke all tokens and sessions of an account")
    revoke.add_argument("name")
    on_database(revoke, _revoke)

    ban = actions.add_parser("ban", help="ban an account and its bots")
    ban.add_argument("name")
    ban.add_argument("--why", required=True, help="the reason, which the banned person reads")
    on_database(ban, _ban)
    unban = actions.add_parser("unban", help="let an account and its bots act again")
    unban.add_argument("name")
    on_database(unban, _unban)
    limit = actions.add_parser("limit", help="set limits of an account")
    limit.add_argument("name")
    for name in moderation.LIMITS:
        limit.add_argument(
            "--" + name.replace("_", "-"),
            type=_limit,
            dest=f"limit_{name}",
            metavar="N",
            help="a number, or usual",
        )
    on_database(limit, _set_limits)
    show = actions.add_parser("show", help="show the limits of an account and its use of them")
    show.add_argument("name")
    on_database(show, _show_account)
    listing = actions.add_parser("list", help="list all accounts")
    listing.add_argument("--banned", action="store_true", help="only those that are banned")
    on_database(listing, _list_accounts)


ARGUMENTS = {"account": _add_account, "board": _add_board, "rerate": _add_rerate}


def _create_account(db: Database, flags: argparse.Namespace) -> None:
    role = Role.ADMIN if flags.admin else Role.MEMBER
    made = accounts.create(db, flags.name, role, actor=actor())
    say(f"account {made.name} ({made.role}); its token is shown only now:")
    say(made.token)


def _import_accounts(db: Database, flags: argparse.Namespace) -> int:
    """Print a row for each row of the file; return 1 if one was refused."""
    try:
        data = flags.file.read_bytes()
    except OSError as error:
        raise Refusal(f"cannot read {flags.file}: {error.strerror}") from error
    done = rosters.enrol(db, rosters.read_text(data), actor=actor())
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["name", "token", "result", "reason"])
    writer.writerows((one.name, one.token, one.outcome, one.reason) for one in done)
    counts = Counter(one.outcome for one in done)
    say(", ".join(f"{counts[outcome]} {outcome}" for outcome in EnrolmentResult), file=sys.stderr)
    for one in done:
        if one.outcome is EnrolmentResult.REFUSED:
            say(f"line {one.line}, {one.name[:80]!r}: {one.reason}", file=sys.stderr)
    return 1 if counts[EnrolmentResult.REFUSED] else 0


def _invite(db: Database, flags: argparse.Namespace) -> None:
    say(accounts.create_invite(db, flags.uses, actor=actor()))


def _new_token(db: Database, flags: argparse.Namespace) -> None:
    say(accounts.new_token(db, flags.name, replace=flags.replace, actor=actor()))


def _revoke(db: Database, flags: argparse.Namespace) -> None:
    count = accounts.revoke(db, flags.name, actor=actor())
    say(f"revoked {count} tokens and sessions of {flags.name}")


def _ban(db: Database, flags: argparse.Namespace) -> None:
    account = moderation.ban(db, flags.name, flags.why, actor())
    say(f"{account.name} is banned; its bots no longer play")


def _unban(db: Database, flags: argparse.Namespace) -> None:
    account = moderation.unban(db, flags.name, actor())
    say(f"{account.name} may act again; its bots are back on the boards")


def _limit(text: str) -> int:
    return USUAL if text == "usual" else int(text)


def _set_limits(db: Database, flags: argparse.Namespace) -> None:
    given = {name: getattr(flags, f"limit_{name}") for name in moderation.LIMITS}
    changes = {
        name: None if value == USUAL else value
        for name, value in given.items()
        if value is not None
    }
    if not changes:
        raise Refusal("name a limit, such as --uploads-per-hour 200")
    moderation.set_limits(db, flags.name, changes, actor())
    _show_account(db, flags)


def _show_account(db: Database, flags: argparse.Namespace) -> None:
    told = moderation.account(db, flags.name, load(vars(flags)).allowance)
    account, allowed = told.account, told.allowance
    say(f"{account.name} ({account.role}), since {account.created_at:%Y-%m-%d}")
    if account.banned_at is not None:
        say(f"banned since {account.banned_at:%Y-%m-%d %H:%M}: {account.ban_reason}")
    stored = f"{told.stored_bytes / 2**20:.1f}"
    used = (
        told.uploads_this_hour,
        told.uploads_today,
        told.bots,
        stored,
        told.challenges_today,
        told.uploads_waiting,
    )
    for name, value in zip(moderation.LIMITS, used, strict=True):
        own = " (for this account)" if name in account.own_limits else ""
        say(f"  {name}: {value} of {getattr(allowed, name)}{own}")


def _list_accounts(db: Database, flags: argparse.Namespace) -> None:
    after: str | None = ""
    while after is not None:
        page = moderation.page(db, after=after, banned=flags.banned)
        for account in page.accounts:
            state = f"banned: {account.ban_reason}" if account.banned_at else ""
            say(f"{account.name}\t{account.role}\t{account.created_at:%Y-%m-%d}\t{state}")
        after = page.next


def _board(db: Database, flags: argparse.Namespace) -> None:
    if flags.csv:
        if flags.csv == "ratings":
            sys.stdout.writelines(ladders.ratings_csv(db, flags.game, flags.division))
        else:
            sys.stdout.writelines(ladders.results_csv(db, flags.game))
        return
    page = ladders.page(db, flags.game, flags.division, None, max(1, min(flags.top, 10_000)))
    table = Table(title=f"{find_game(flags.game).title}, {page.division} division")
    result = "APS" if ladders.game(flags.game).headline == "aps" else "W/D/L"
    for name in ("rank", "bot", "owner", "kind", "score", "mu", "sigma", "games", result):
        table.add_column(name, justify="left" if name in ("bot", "owner", "kind") else "right")
    for row in page.rows:
        percent = f"{100 * row.aps:.1f} %" if row.aps is not None else "-"
        wdl = f"{row.wins}/{row.draws}/{row.losses}"
        table.add_row(
            str(row.rank),
            full_name(row.owner, row.bot),
            row.owner,
            row.kind,
            f"{row.score:.2f}",
            f"{row.mu:.2f}",
            f"{row.sigma:.2f}",
            str(row.matches),
            percent if result == "APS" else wdl,
        )
    wide = None if sys.stdout.isatty() else 200  # a pipe has no width
    Console(width=wide).print(table, markup=False)


def _rerate(db: Database, flags: argparse.Namespace) -> None:
    names = [flags.game] if flags.game else [game.name for game in GAMES]
    for name in names:
        say(f"{name}: {ladders.rerate(db, name)} matches")
