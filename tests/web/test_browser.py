"""A newcomer's first minutes, in a real browser."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from live_site import BOT, LiveSite, play_queue
from playwright.sync_api import Page, expect, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.mark.slow
def test_a_newcomer_enters_a_bot(site: LiveSite, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    assert chromium, "Chromium is not installed; `make test` installs it"
    file = tmp_path / "bot.py"
    file.write_bytes(BOT)
    trouble: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(site.url) else trouble.append(r.url))
        sign_up(page, site.url)
        page.get_by_role("link", name="Upload a bot").click()
        page.get_by_label("Game").select_option("reversi")
        page.get_by_label("Name").fill("first try")
        page.get_by_label("File").set_input_files(file)
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", name="first try")).to_be_visible()
        expect(page.get_by_text("A version is being validated")).to_be_visible()
        # The page brings itself up to date once the validation match has been played.
        play_queue(site.db, site.replays)
        expect(page.get_by_text("accepted", exact=True)).to_be_visible(timeout=15_000)
        page.get_by_role("link", name="#", exact=False).first.click()
        expect(page.get_by_role("heading", name="Moves")).to_be_visible()
        page.get_by_label("First position").click()
        assert page.url.endswith("?ply=0")
        for path in ("/", "/games/reversi", "/matches", "/leagues", "/me", "/upload"):
            page.goto(site.url + path)
            assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), path
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in")).to_be_visible()
        browser.close()
    assert trouble == []


def sign_up(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("link", name="Upload", exact=True).click()
    page.get_by_label("Name").fill("Grace")
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("heading", name="Welcome, Grace")).to_be_visible()
    assert page.locator("#token").inner_text().startswith("lad_")
