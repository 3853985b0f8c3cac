"""Pages of admins: their content, their actions, and the log of actions."""

from __future__ import annotations

import re

import pytest
from live_site import EVERYBODY, WORKER, Browser, LiveSite
from test_pages import check

from ladder.contests import leagues
from ladder.errors import Refusal
from ladder.matches import leasing
from ladder.people import accounts
from ladder.settings import Settings
from ladder.store.database import now
from ladder.values import Role


@pytest.fixture
def root(site: LiveSite) -> Browser:
    token = accounts.create(site.db, "root", Role.ADMIN).token
    browser = Browser(site.url)
    browser.post("/signin", data={"token": token, "next": ""})
    return browser


def test_the_admin_page_shows_matches_and_workers(
    site: LiveSite, root: Browser, token: str
) -> None:
    site.upload(token, name="one")
    site.upload(token, name="two")
    (job,) = leasing.lease(site.db, f"{WORKER}:7:abc", 30, 1, leasing.Playable(EVERYBODY))
    page = root.get("/admin").text
    check(page)
    assert f'<a href="/matches/{job.match_id}">#{job.match_id}</a>' in page
    assert f"<code>{WORKER}:7:abc</code>" in page
    assert re.search(r"<td>validation</td><td>Reversi</td><td class=\"num\">1</td>", page)
    assert f"<code>{WORKER}</code>" in page
    assert "completed" in page
    for path in ("/admin/accounts", "/admin/leagues", "/admin/actions", "/troubles"):
        check(root.get(path).text)
        assert f'href="{path}"' in page
    assert 'href="/admin"' in root.get("/me").text


def test_accounts_are_banned_and_limited(site: LiveSite, root: Browser, token: str) -> None:
    csrf = root.csrf()

    def act(**form: str) -> int:
        return root.post("/admin/accounts", data={"csrf": csrf, "name": "ada", **form}).status_code

    assert 'href="/admin/accounts?name=ada"' in root.get("/admin/accounts").text
    assert act(action="limit", uploads_per_hour="0") == 303
    assert site.upload(token).status_code == 403
    assert act(action="limit", uploads_per_hour="many") == 400
    assert act(action="limit") == 303, "an empty field removes the limit"
    assert site.upload(token).status_code == 202
    assert act(action="ban") == 400, "a ban needs a reason"
    assert act(action="ban", reason="floods the queue") == 303
    assert site.get("/api/v1/account", token).status_code in (401, 403)
    page = root.get("/admin/accounts?name=ada").text
    check(page)
    assert "Floods the queue." in page
    assert "ada" in root.get("/admin/accounts?banned=1").text
    assert act(action="unban") == 303
    assert site.get("/api/v1/account", token).status_code == 200
    assert act(action="nonsense") == 400
    assert root.get("/admin/accounts?name=nobody").status_code == 404
    log = root.get("/admin/actions").text
    check(log)
    rows = re.findall(r"<td>root</td><td>(\w+)</td>", log)
    assert rows == ["unban", "ban", "limit", "limit"]


def test_leagues_are_edited(site: LiveSite, root: Browser) -> None:
    csrf = root.csrf()

    def act(**form: str) -> int:
        return root.post("/admin/leagues", data={"csrf": csrf, **form}).status_code

    new = {"game": "reversi", "name": "weekly", "cron": "0 5 * * 1", "timezone": "Europe/Vienna"}
    assert act(action="create", **new, size="8") == 303
    assert act(action="create", **new, size="8") == 409
    assert act(action="create", **new | {"name": "x", "cron": "61 * * * *"}, size="8") == 400
    made = leagues.league_named(site.db, "reversi", "weekly")
    assert (made.cron, made.timezone, made.size) == ("0 5 * * 1", "Europe/Vienna", 8)
    one = {"league": str(made.id)}
    assert act(action="change", **one, cron="*/5 * * * *", timezone="UTC", size="4") == 303
    assert act(action="change", **one, cron="0 5 * * 1", timezone="Nowhere", size="4") == 400
    assert act(action="pause", **one) == 303
    assert act(action="pause", **one) == 409
    paused = leagues.league(site.db, made.id)
    assert (paused.cron, paused.size, paused.paused, paused.next_run) == (
        "*/5 * * * *",
        4,
        True,
        None,
    )
    later = now().replace(year=now().year + 1)
    assert leagues.run_due(site.db, made.id, later) is None, "a paused league skips its times"
    page = root.get("/admin/leagues").text
    check(page)
    assert "paused" in page
    assert act(action="resume", **one) == 303
    assert leagues.run_due(site.db, made.id, now()) is None, "skipped times are not caught up on"
    assert leagues.run_due(site.db, made.id, later) is not None
    with pytest.raises(Refusal):
        leagues.set_paused(site.db, 999, True, "root")
    rows = re.findall(r"<td>root</td><td>(\w+)</td>", root.get("/admin/actions").text)
    assert rows == ["resume", "pause", "change", "create"]


def test_a_nightly_league_follows_the_settings_until_it_is_changed(site: LiveSite) -> None:
    settings = Settings(data=site.settings.data, league_cron="30 2 * * *")
    leagues.ensure_leagues(site.db, settings)
    first, second = leagues.all_leagues(site.db).leagues[:2]
    assert first.cron == second.cron == "30 2 * * *"
    leagues.change_league(site.db, first.id, "0 4 * * *", "UTC", 10, "root")
    leagues.ensure_leagues(site.db, site.settings)
    first, second = leagues.all_leagues(site.db).leagues[:2]
    assert (first.cron, second.cron) == ("0 4 * * *", site.settings.league_cron)
