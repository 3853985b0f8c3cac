"""Tokens that are revoked and accounts that are banned during a request."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
from live_site import BOT, LiveSite, play_queue

from engines.games import find_game
from ladder import evolution
from ladder.admin import moderation
from ladder.errors import Forbidden, Unauthorized
from ladder.evolution import breeding
from ladder.people import accounts
from ladder.runner.uploads import check_upload
from ladder.store import Database
from ladder.uploads.submissions import Upload, enter
from ladder.values import TokenUse
from ladder.views import AccountView
from ladder.web.http import bodies

Act = Callable[[], requests.Response]


def contents(site: LiveSite) -> dict[str, list[Any]]:
    """All rows of all tables except tokens."""
    with sqlite3.connect(site.settings.data / "ladder.db") as c:
        names = [name for (name,) in c.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        found = {
            name: c.execute(f"SELECT * FROM {name}").fetchall()
            for name in names
            if name != "tokens"
        }
    c.close()
    return found


class Meanwhile:
    """Acts between the check of a token and the work of the request."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.happens: Callable[[str], object] | None = None
        known = accounts.authenticate

        def authenticate(db: Database, token: str, use: TokenUse) -> AccountView | None:
            found = known(db, token, use)
            if found is not None and self.happens is not None:
                happens, self.happens = self.happens, None
                happens(found.name)
            return found

        monkeypatch.setattr(accounts, "authenticate", authenticate)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    return Meanwhile(monkeypatch)


def accepted_bot(site: LiveSite, token: str, name: str) -> int:
    sent = site.upload(token, name).json()
    play_queue(site.db, site.replays)
    return int(sent["id"])


def writes_of_members(site: LiveSite) -> Iterator[tuple[str, dict[str, Any]]]:
    """Requests of ada that change something, of the API and of pages."""
    token = accounts.new_token(site.db, "ada")
    mine, other = (accepted_bot(site, token, name) for name in ("mine", "other"))
    upload = {"data": {"game": "reversi", "name": "late"}}
    yield "/api/v1/bots", {**upload, "files": {"file": BOT}}
    yield "/upload", {**upload, "files": {"file": BOT + b"# another version"}}
    yield "/api/v1/matches", {"json": {"game": "reversi", "bots": [mine, 1]}}
    yield "/challenge", {"data": {"game": "reversi", "bot": mine, "opponent": 1}}
    yield f"/api/v1/bots/{other}/retire", {}
    play_queue(site.db, site.replays)
    yield f"/bots/{mine}/retire", {"data": {}}


def writes_of_admins(site: LiveSite) -> Iterator[tuple[str, dict[str, Any]]]:
    contest = {"game": "reversi", "format": "round-robin", "top": 3}
    for name in ("eve", "mallory"):
        site.account(name)
    yield "/api/v1/leagues", {"json": {"game": "reversi", "name": "weekly"}}
    yield "/api/v1/leagues/1/run", {}
    yield "/api/v1/tournaments", {"json": contest}
    yield "/api/v1/tournaments/1/pause", {}
    yield "/tournaments/1/act", {"data": {"action": "resume"}}
    yield "/tournaments/new", {"data": contest}
    yield "/leagues/2/run", {"data": {}}
    yield "/admin/accounts", {"data": {"action": "ban", "name": "eve", "reason": "no"}}


def sender(site: LiveSite, name: str, path: str, options: dict[str, Any]) -> Act:
    """The request, with a new token or a new session."""
    token = accounts.new_token(site.db, name)
    if path.startswith("/api/"):
        return lambda: site.post(path, token, **options)
    session = accounts.open_session(site.db, token)
    page = site.get("/upload", headers={"Cookie": f"session={session}"}).text
    csrf = page.split('name="csrf" value="')[1].split('"')[0]
    data = {**options["data"], "csrf": csrf}
    cookie = {"Cookie": f"session={session}"}
    return lambda: site.post(path, headers=cookie, **{**options, "data": data})


@pytest.mark.parametrize("ends", ["revoked", "banned"])
@pytest.mark.parametrize("name", ["ada", "root"])
def test_a_write_needs_a_token_that_is_valid_at_that_moment(
    site: LiveSite, token: str, admin: str, meanwhile: Meanwhile, name: str, ends: str
) -> None:
    """Every kind of write is refused if the token becomes invalid before it, and else done."""

    def go(who: str) -> None:
        if ends == "revoked":
            accounts.revoke(site.db, who)
        else:  # directly, because the use case also takes bots off the board
            with sqlite3.connect(site.settings.data / "ladder.db") as c:
                set_ban = "UPDATE accounts SET banned_at = created_at, ban_reason = 'floods'"
                c.execute(f"{set_ban} WHERE name = ?", [who])
            c.close()

    def come_back(who: str) -> None:
        with sqlite3.connect(site.settings.data / "ladder.db") as c:
            c.execute("UPDATE accounts SET banned_at = NULL, ban_reason = NULL")
        c.close()

    writes = writes_of_members if name == "ada" else writes_of_admins
    tried = 0
    for path, options in writes(site):
        act = sender(site, name, path, options)
        before = contents(site)
        meanwhile.happens = go
        answer = act()
        assert meanwhile.happens is None, path
        come_back(name)
        if answer.status_code == 303:
            assert answer.headers["Location"].startswith("/signin"), path
        else:
            assert answer.status_code == (401 if ends == "revoked" else 403), (path, answer.text)
            assert ends == "revoked" or "banned: floods" in answer.text
        assert contents(site) == before, path
        done = sender(site, name, path, options)()
        assert done.status_code in (200, 201, 202, 303), (path, done.text)
        assert contents(site) != before, f"{path} changes something"
        tried += 1
    assert tried >= 6


def test_a_ban_while_the_body_arrives(
    site: LiveSite, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = bodies.read_upload

    async def read_upload(*given: Any) -> bodies.UploadForm:
        form = await known(*given)
        moderation.ban(site.db, "ada", "floods the queue", "root")
        return form

    monkeypatch.setattr(bodies, "read_upload", read_upload)
    answer = site.upload(token)
    assert answer.status_code == 403
    assert "floods the queue" in answer.json()["detail"]
    with site.db.read() as c:
        assert not c.exec_driver_sql("SELECT * FROM versions WHERE kind <> 'house'").all()


def test_replacing_tokens_needs_a_valid_token(
    site: LiveSite, token: str, meanwhile: Meanwhile
) -> None:
    """After the owner has replaced the token, a thief cannot take over the account."""
    meanwhile.happens = lambda name: accounts.new_token(site.db, name, replace=True)
    assert site.post("/api/v1/account/token", token).status_code == 401


def test_a_check_holds_on_both_databases(db: Database) -> None:
    made = accounts.create(db, "ada")
    checked = db.checked(accounts.holds_token(made.token, TokenUse.API))
    with checked.write():
        pass
    moderation.ban(db, "ada", "floods", "root")
    with pytest.raises(Forbidden, match="floods"), checked.write():
        pass
    moderation.unban(db, "ada", "root")
    accounts.revoke(db, "ada")
    with pytest.raises(Unauthorized, match="no longer valid"), checked.write():
        pass
    with db.write():
        pass


def test_champions_of_banned_accounts_are_not_entered(db: Database) -> None:
    """A run lasts for hours, in which its owner may be banned."""
    account = accounts.create(db, "ada")
    run = evolution.start(db, evolution.RunRequest("tanks", owner="ada")).run
    moderation.ban(db, "ada", "floods", "root")
    text = b"(program tanks (tree ahead 100.0) (tree turn Zero) (tree gun (Fire 3.0)))\n"
    kind = check_upload(find_game("tanks"), text)
    with pytest.raises(Forbidden, match="floods"), db.write() as c:
        enter(c, account.id, Upload("tanks", run.bot, text), kind, None)
    with pytest.raises(Forbidden, match="floods"):
        evolution.start(db, evolution.RunRequest("tanks", owner="ada"))
    assert breeding.enter is enter, "champions are entered by the same function"
