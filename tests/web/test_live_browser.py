"""Pages that update themselves, in a real browser."""

from __future__ import annotations

import shutil

import pytest
from live_site import LiveSite, pair_and_play
from playwright.sync_api import expect, sync_playwright
from test_browser import FLAGS

from ladder.web.http.endpoint import SITE


@pytest.mark.slow
def test_pages_follow_events(site: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    chromium = shutil.which("chromium")
    assert chromium, "Chromium is not installed; `make test` installs it"
    trouble: list[str] = []
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda r: asked.append(r.url))

        # The front page: a countdown that runs, and matches that come in by themselves.
        page.goto(site.url)
        clock = page.locator("[data-countdown]")
        expect(clock).to_contain_text(":")
        shown = clock.inner_text()
        expect(clock).not_to_have_text(shown)
        page.evaluate("window.marked = true")
        pair_and_play(site.db, site.replays, "reversi", 1)
        newest = page.locator("[data-ticker] tbody tr").first
        latest = site.get("/api/v1/matches?limit=1").json()["rows"][0]
        expect(newest).to_contain_text(f"#{latest['id']}")
        expect(newest).to_contain_text(latest["seats"][0]["bot"])
        expect(page.locator("[data-ticker] tbody tr")).to_have_count(10)

        # The leaderboard: swapped in place, not while the reader types, and without polling.
        page.goto(f"{site.url}/games/reversi")
        page.evaluate("window.marked = true")
        page.get_by_label("Name").fill("no")
        before = page.locator("table.board").inner_text()
        pair_and_play(site.db, site.replays, "reversi", 6)
        page.wait_for_timeout(1500)
        assert page.locator("table.board").inner_text() == before
        page.get_by_label("Name").blur()
        changed = "before => document.querySelector('table.board').innerText !== before"
        page.wait_for_function(changed, arg=before)
        assert page.evaluate("window.marked"), "the page was not loaded again"
        for _ in range(10):  # let open requests end
            del asked[:]
            page.wait_for_timeout(1500)
            if not asked:
                break
        assert asked == [], "without events there are no requests"
        assert trouble == []

        # A page that was refused for too many readers asks again, and has missed nothing.
        with monkeypatch.context() as crowd:
            crowd.setattr(site.app[SITE].live, "_most", 0)
            with page.expect_response(lambda answer: "/live?" in answer.url) as refused:
                page.reload()
            assert refused.value.status == 503
            before = page.locator("table.board").inner_text()
            pair_and_play(site.db, site.replays, "reversi", 6)
        page.wait_for_function(changed, arg=before)
        browser.close()
