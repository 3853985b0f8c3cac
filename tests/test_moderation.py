"""Bans and allowances of accounts, on both databases."""

from __future__ import annotations

import pytest
from ladder_steps import BOT, accept, account, finish, lease, upload

from ladder.admin import moderation, repairs
from ladder.boards import ladders
from ladder.cli import main
from ladder.contests import tournaments
from ladder.contests.tournaments import Selection
from ladder.errors import Conflict, Forbidden, NotFound, Refusal, TooMany
from ladder.matches import challenges, listing
from ladder.matches.replays import ReplayStore
from ladder.people import accounts
from ladder.store import Database, bots
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import Allowance, MatchStatus, Role, TokenUse, VersionStatus
from ladder.web.http.auth import Access, identify


def shown(db: Database) -> set[str]:
    return {row.bot for row in ladders.page(db, "reversi", "open", None, 99).rows}


def test_a_banned_account_and_its_bots_are_out_until_the_ban_ends(
    db: Database, replays: ReplayStore
) -> None:
    made = accounts.create(db, "Mallory")
    mallory = accounts.authenticate(db, made.token, TokenUse.API)
    assert mallory is not None
    session = accounts.open_session(db, made.token)
    old = upload(db, mallory, "evil")
    accept(db, replays, old)
    accept(db, replays, upload(db, mallory, "evil", BOT + b"# 2\n"))
    for code in (BOT, BOT + b"# 2\n"):
        accept(db, replays, upload(db, mallory, "faulty", code))
    with db.write() as c:
        faulty = bots.newest_version(c, submissions.bots_of(db, mallory.id)[1].id)
        assert faulty is not None
        assert submissions.suspend(c, faulty.id, "it was at fault again and again")
    playing = upload(db, mallory, "playing")
    (validation,) = lease(db)
    waiting = upload(db, mallory, "waiting")
    cup = tournaments.create(
        db,
        tournaments.NewTournament("reversi", "round-robin", Selection(top=10), name="cup"),
        actor="x",
    )
    challenge = challenges.challenge(db, mallory, "reversi", [old.id, 1])
    assert "evil" in shown(db)

    with pytest.raises(Refusal, match="the reason must have"):
        moderation.ban(db, "mallory", "  ", "root")
    with pytest.raises(Conflict, match="own account"):
        moderation.ban(db, "mallory", "fun", "Mallory")
    with pytest.raises(NotFound):
        moderation.ban(db, accounts.HOUSE, "fun", "root")
    banned = moderation.ban(db, "mallory", "floods the queue", "root")
    assert banned.ban_reason == "floods the queue"
    with pytest.raises(Conflict, match="already"):
        moderation.ban(db, "mallory", "again", "root")

    with pytest.raises(Forbidden, match="floods the queue"):
        identify(db, made.token, Access.READER)
    with pytest.raises(Forbidden, match="floods the queue"):
        accounts.open_session(db, made.token)
    assert accounts.authenticate(db, session, TokenUse.SESSION) is None, "signed out"
    assert "evil" not in shown(db)
    assert listing.get(db, challenge.id).status is MatchStatus.CANCELLED
    entries = tournaments.tournament(db, cup.id).entries
    assert [one.bot for one in entries if one.withdrawn] == ["evil"]
    assert not any(one.kind == "python" for job in lease(db, 500) for one in job.entrants)
    assert finish(db, replays, validation, (1, 0)), "the running match is recorded"
    for bot in (playing, waiting):
        assert submissions.bot(db, bot.id, mallory).versions[0].status is VersionStatus.REJECTED
    assert "playing" not in shown(db)
    assert [one.name for one in moderation.page(db, banned=True).accounts] == ["Mallory"]

    moderation.unban(db, "mallory", "root")
    with pytest.raises(Conflict):
        moderation.unban(db, "mallory", "root")
    assert identify(db, made.token, Access.MEMBER) == mallory
    assert "evil" in shown(db)
    newest = [
        row for row in ladders.page(db, "reversi", "open", None, 99).rows if row.bot == "evil"
    ]
    assert [row.version for row in newest] == [2]
    assert "faulty" not in shown(db), "a version suspended before the ban stays suspended"
    assert moderation.page(db, banned=True).accounts == []
    done = [(one.actor, one.action, one.detail) for one in repairs.latest_actions(db).actions]
    assert done[:2] == [("root", "unban", "Mallory"), ("root", "ban", "Mallory: floods the queue")]


def test_nothing_is_entered_for_a_banned_account(db: Database, replays: ReplayStore) -> None:
    """Neither an upload that has already begun nor a champion of evolution is entered."""
    mallory = account(db, "mallory")
    moderation.ban(db, "mallory", "because", "root")
    with pytest.raises(Forbidden, match="banned: because"):
        upload(db, mallory, "late")
    moderation.unban(db, "mallory", "root")
    accept(db, replays, upload(db, mallory, "late"))
    assert "late" in shown(db)


def test_accounts_have_limits_and_admins_change_them(db: Database) -> None:
    ada, usual = account(db), Allowance(3, 5, 2, 1, 7)

    def send(name: str, code: bytes = BOT) -> None:
        submissions.submit(db, ada, Upload("reversi", name, code), usual)

    send("one")
    send("two")
    with pytest.raises(Forbidden, match="may have 2 bots"):
        send("three")
    send("two", BOT + b"# 2")
    with pytest.raises(TooMany, match="3 times an hour"):
        send("two")
    moderation.set_limits(db, "ada", {"uploads_per_hour": 100, "bots": 3}, "root")
    send("three")
    big = BOT + b"#" * 600_000
    send("three", big)
    with pytest.raises(TooMany, match="5 times a day") as refused:
        send("three")
    assert 86_000 < refused.value.retry_after <= 86_400
    moderation.set_limits(db, "ada", {"uploads_per_day": 100}, "root")
    with pytest.raises(Forbidden, match="1 MB"):
        send("three", big)
    told = moderation.account(db, "ada", usual)
    assert told.account.own_limits == {"uploads_per_hour": 100, "bots": 3, "uploads_per_day": 100}
    assert told.allowance == Allowance(100, 100, 3, 1, 7)
    assert (told.uploads_this_hour, told.uploads_today, told.bots) == (5, 5, 3)
    assert told.stored_bytes == 4 * len(BOT) + len(b"# 2") + len(big)
    moderation.set_limits(db, "ada", {"uploads_per_hour": None}, "root")
    with pytest.raises(TooMany, match="3 times an hour"):
        send("one")
    for wrong in ({"wishes": 3}, {"bots": -2}):
        with pytest.raises(Refusal):
            moderation.set_limits(db, "ada", wrong, "root")
    detail = repairs.latest_actions(db).actions[0].detail
    assert detail == "ada: uploads_per_hour as usual"


def test_the_commands(sqlite_db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    account(sqlite_db)
    accounts.create(sqlite_db, "root", Role.ADMIN)
    database = ["--database", str(sqlite_db.url)]

    def run(*words: str, code: int = 0) -> str:
        assert main(["account", *words, *database]) == code
        told = capsys.readouterr()
        return told.out + told.err

    assert "uploads_per_hour: 0 of 7 (for this account)" in run(
        "limit", "ada", "--uploads-per-hour", "7"
    )
    assert "uploads_per_hour: 0 of 60\n" in run("limit", "ada", "--uploads-per-hour", "usual")
    assert "name a limit" in run("limit", "ada", code=1)
    run("ban", "ada", "--why", "copies the bots of others")
    assert "copies the bots" in run("show", "ada")
    assert run("list", "--banned").splitlines()[0].startswith("ada\tmember\t")
    assert "root" in run("list")
    run("unban", "ada")
    assert run("list", "--banned") == ""
