"""A newcomer's first minutes, in a real browser."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from live_site import LiveSite, play_in_sandboxes
from playwright.sync_api import expect
from real_browser import FLAGS, PHONE, real_browser
from test_upload_path import NO_COLON

from engines.games import find_game
from ladder.matches import pairing

__all__ = ["FLAGS"]


@pytest.mark.slow
def test_the_whole_story(fresh: LiveSite, tier: str, tmp_path: Path) -> None:
    """An account, a bot with a mistake, its correction, acceptance, a rating, and a replay."""
    file = tmp_path / "clever.py"
    file.write_text(NO_COLON)
    with real_browser() as browser:
        page = browser.page(fresh.url, viewport=PHONE)
        page.goto(fresh.url)
        page.get_by_role("link", name="Upload", exact=True).click()
        page.get_by_label("Game").select_option("connect-four")
        expect(page.get_by_label("Or write it here")).to_have_value(re.compile("Connect Four"))
        page.get_by_label("File").set_input_files(file)
        expect(page.get_by_label("Or write it here")).to_have_value(NO_COLON)
        expect(page.get_by_label("Name of the bot")).to_have_value("clever")
        page.get_by_label("Name of your new account").fill("Grace")
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", name="Welcome, Grace")).to_be_visible()
        assert page.locator("#token").inner_text().startswith("lad_")
        page.get_by_role("link", name="Watch clever").click()
        expect(page.get_by_text("Queued for validation, next in line.")).to_be_visible()
        # The page brings itself up to date.
        play_in_sandboxes(fresh, tier)
        expect(page.get_by_text("expected ':'").first).to_be_visible(timeout=20_000)
        marked = page.locator(".excerpt mark")
        expect(marked).to_have_text(re.compile(r"3 +def agent\(observation, configuration\)$"))
        page.get_by_role("link", name="Correct it").click()
        code = page.get_by_label("Or write it here")
        expect(code).to_have_value(NO_COLON)
        code.fill(NO_COLON.replace("configuration)", "configuration):"))
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", name="clever v2")).to_be_visible()
        page.evaluate("document.activeElement.blur()")
        play_in_sandboxes(fresh, tier)
        expect(page.get_by_text("accepted", exact=True)).to_be_visible(timeout=20_000)
        chance = random.Random(5)
        while "clever" not in rated(fresh):
            assert pairing.pair(fresh.db, find_game("connect-four"), chance) is not None
            play_in_sandboxes(fresh, tier)
        expect(page.get_by_text("Score", exact=True)).to_be_visible(timeout=20_000)
        page.locator(".list a[href^='/matches/']").first.click()
        expect(page.get_by_role("heading", name="Moves")).to_be_visible()
        page.goto(fresh.url + "/games/connect-four")
        expect(page.get_by_role("link", name="clever")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    assert browser.trouble == []


def rated(site: LiveSite) -> set[str]:
    rows = site.get("/api/v1/games/connect-four/leaderboard").json()["rows"]
    return {row["bot"] for row in rows if row["matches"]}


def test_a_token_is_copied(fresh: LiveSite) -> None:
    """The page gives the variable that the commands read; without scripts it has no buttons."""
    with real_browser() as browser:
        page = browser.page(fresh.url)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(fresh.url + "/signin")
        page.locator("form[action='/register'] input[name=name]").fill("Copier")
        page.locator("form[action='/register'] button").click()
        token = page.locator("#token").inner_text()
        page.get_by_role("button", name="Copy the token").click()
        expect(page.get_by_text("Copied.")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == token
        page.get_by_role("button", name="Copy for a shell").click()
        expect(page.get_by_text("Copied.")).to_have_count(2)
        line = page.evaluate("navigator.clipboard.readText()")
        assert line == f"export LADDER_URL={fresh.url} LADDER_TOKEN={token}"
        # Elsewhere than on this machine or by HTTPS, browsers have no clipboard for pages.
        page.evaluate("Object.defineProperty(window, 'isSecureContext', {value: false})")
        page.evaluate("navigator.clipboard.writeText('')")
        page.get_by_role("button", name="Copy the token").click()
        expect(page.get_by_text("Copied.")).to_have_count(2)
        assert page.evaluate("navigator.clipboard.readText()") == token
        plain = browser.browser.new_context(java_script_enabled=False).new_page()
        plain.goto(fresh.url + "/signin")
        plain.locator("form[action='/register'] input[name=name]").fill("Plain")
        plain.locator("form[action='/register'] button").click()
        expect(plain.locator("#token")).to_have_text(re.compile("^lad_"))
        expect(plain.get_by_text("LADDER_TOKEN=lad_")).to_be_visible()
        expect(plain.get_by_role("button", name="Copy")).to_have_count(0)
    assert browser.trouble == []
