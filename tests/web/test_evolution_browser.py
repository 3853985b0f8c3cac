"""A run of evolution watched in a real browser, from its queue to its champion."""

from __future__ import annotations

import shutil
from itertools import pairwise

import pytest
from live_site import LiveSite
from playwright.sync_api import Page, expect, sync_playwright
from test_browser import FLAGS
from test_evolution_pages import CHAMPION, LINES, report

from ladder import evolution
from ladder.evolution import breeding


@pytest.mark.slow
def test_a_run_is_watched_to_its_end(site: LiveSite) -> None:
    chromium = shutil.which("chromium")
    assert chromium, "Chromium is not installed; `make test` installs it"
    trouble: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
        page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(site.url) else trouble.append(r.url))
        page.goto(site.url)
        page.get_by_role("link", name="Evolution", exact=True).click()
        expect(page.get_by_text("ladder evolution start")).to_be_visible()
        run_id = evolution.start(site.db, evolution.RunRequest("tanks"), seed=7).run.id
        page.reload()
        page.get_by_role("link", name=f"#{run_id}", exact=True).click()
        expect(page.get_by_text("It waits for a server")).to_be_visible()
        page.evaluate("document.activeElement.blur()")
        # The page brings itself up to date while the run goes on.
        job = breeding.lease(site.db, "the tests", 60, 1)
        assert job is not None
        breeding.record(site.db, job, 60, LINES)
        curve = page.get_by_role("img", name="Fitness over the generations")
        expect(curve).to_be_visible(timeout=15_000)
        breeding.finish(site.db, job, CHAMPION, report(), "(program tanks)")
        tree = page.get_by_role("img", name="The tree ahead")
        expect(tree).to_be_visible(timeout=15_000)
        expect(tree.get_by_text("EnemyDistance")).to_be_visible()
        page.get_by_text("Simplified").click()
        expect(page.get_by_text("(program tanks)", exact=True)).to_be_visible()
        _check_layout(page)
        page.get_by_role("link", name="evolved").first.click()
        page.get_by_role("link", name=f"Bred here, run #{run_id}").click()
        assert page.url.endswith(f"/evolution/{run_id}")
        page.goto(f"{site.url}/evolution")
        _check_layout(page)
        browser.close()
    assert trouble == []


def _check_layout(page: Page) -> None:
    """Nothing is wider than a phone, and screen readers get a name of every picture or skip it."""
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    unnamed = "[...document.querySelectorAll('main svg')].filter(s => !s.getAttribute('aria-label')"
    assert page.evaluate(f"{unnamed} && s.getAttribute('aria-hidden') !== 'true').length") == 0
    headings = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))"
    )
    assert headings[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(headings)), headings
