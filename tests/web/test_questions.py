"""Actions that cannot be undone ask first, also without JavaScript; pages say why a bot is gone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from live_site import LiveSite, play_queue
from playwright.sync_api import Page, expect
from real_browser import real_browser
from test_contest_pages import create, signed_in

from ladder.admin import moderation
from ladder.contests import tournaments
from ladder.values import TournamentStatus


@pytest.fixture
def plain(site: LiveSite, admin: str) -> Iterator[Page]:
    """A browser without JavaScript, in which an admin is signed in."""
    with real_browser() as browser:
        page = browser.page(site.url, java_script_enabled=False)
        page.goto(site.url + "/signin")
        page.get_by_label("Token").fill(admin)
        page.get_by_role("button", name="Sign in").click()
        yield page
        assert not browser.trouble


@pytest.mark.slow
def test_cancelling_a_tournament_asks_first(site: LiveSite, plain: Page) -> None:
    run = create(site, "round-robin")
    plain.goto(f"{site.url}/tournaments/{run}")
    sure = plain.get_by_role("button", name="Yes, cancel the tournament")
    expect(sure).to_be_hidden()
    expect(plain.get_by_role("button", name="Cancel")).to_have_count(0)
    plain.get_by_text("Cancel…").click()
    assert tournaments.tournament(site.db, run).status is TournamentStatus.RUNNING
    expect(plain.get_by_text("End this tournament without a winner?")).to_be_visible()
    sure.click()
    expect(plain.get_by_text("cancelled").first).to_be_visible()
    assert tournaments.tournament(site.db, run).status is TournamentStatus.CANCELLED


@pytest.mark.slow
def test_a_bot_is_withdrawn_by_its_name_after_a_question(site: LiveSite, plain: Page) -> None:
    run = create(site, "round-robin")
    name = tournaments.tournament(site.db, run).entries[2].bot
    plain.goto(f"{site.url}/tournaments/{run}")
    plain.get_by_text("Withdraw a bot…").click()
    plain.get_by_label("Bot", exact=True).select_option(label=name)
    plain.get_by_role("button", name="Withdraw it").click()
    gone = [one.bot for one in tournaments.tournament(site.db, run).entries if one.withdrawn]
    assert gone == [name]


@pytest.mark.slow
def test_a_ban_asks_first(site: LiveSite, plain: Page, token: str) -> None:
    site.upload(token, name="hers")
    plain.goto(f"{site.url}/admin/accounts?name=ada")
    sure = plain.get_by_role("button", name="Yes, ban ada")
    expect(sure).to_be_hidden()
    plain.get_by_text("Ban ada…").click()
    expect(plain.get_by_text("Its bot leaves the boards")).to_be_visible()
    plain.get_by_label("Why").fill("floods the queue")
    sure.click()
    expect(plain.get_by_text("Floods the queue.")).to_be_visible()


def test_the_page_of_a_bot_says_that_its_owner_is_banned(
    site: LiveSite, token: str, admin: str
) -> None:
    bot = site.upload(token, name="hers").json()["id"]
    play_queue(site.db, site.replays)
    pages = (f"/bots/{bot}", f"/bots/{bot}/versions/1")
    told = "ada is banned from this server, so the bot has left the boards"
    assert all(told not in site.get(path).text for path in pages)
    assert site.get(f"/api/v1/bots/{bot}").json()["owner_banned"] is False
    moderation.ban(site.db, "ada", "a secret reason", "root")
    root = signed_in(site, admin)
    for path in pages:
        page = site.get(path).text
        assert told in page
        assert "a secret reason" not in page, "the reason is for the banned person and admins"
        assert 'href="/admin/accounts?name=ada"' in root.get(site.url + path, timeout=30).text
    assert site.get(f"/api/v1/bots/{bot}").json()["owner_banned"] is True
    moderation.unban(site.db, "ada", "root")
    assert told not in site.get(pages[0]).text


def test_only_the_author_is_asked_for_a_new_version(site: LiveSite, token: str, admin: str) -> None:
    bot = site.upload(token, name="hers").json()["id"]
    play_queue(site.db, site.replays)
    ada, root = signed_in(site, token), signed_in(site, admin)
    for path in (f"/bots/{bot}", f"/bots/{bot}/versions/1"):
        assert "Upload a new version" in ada.get(site.url + path, timeout=30).text
        seen = root.get(site.url + path, timeout=30).text
        assert "Upload a new version" not in seen
        assert "visible to you alone" not in seen


def test_a_gauntlet_shows_its_champion(site: LiveSite) -> None:
    rows = site.get("/api/v1/games/reversi/leaderboard").json()["rows"]
    third = rows[2]
    named = create(site, "gauntlet", top=4, champion=third["bot_id"])
    usual = create(site, "gauntlet", top=4)
    for run, row, seeding in ((named, third, 3), (usual, rows[0], 1)):
        view = site.get(f"/api/v1/tournaments/{run}").json()
        assert view["champion"] == seeding
        assert view["entries"][seeding - 1]["bot_id"] == row["bot_id"]
        page = site.get(f"/tournaments/{run}").text
        link = f'<a href="/bots/{row["bot_id"]}">{row["bot"]}</a>'
        assert f"<dt>Champion</dt><dd>{link}</dd>" in page
        assert f'{link} <span class="faint">v1</span> <span class="badge finished">champion' in page
        assert page.count(">champion<") == 1
    other = create(site, "round-robin")
    assert site.get(f"/api/v1/tournaments/{other}").json()["champion"] is None
    assert "hampion" not in site.get(f"/tournaments/{other}").text
