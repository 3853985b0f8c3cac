"""Checks of every page in a real browser: no errors, no requests to other hosts,
no shifting layout, nothing wider than a phone, and WCAG 2 AA in both themes.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

import pytest
from full_site import FullSite, make_full_site
from live_site import Serving
from playwright.sync_api import Page
from real_browser import PHONE, WIDE, real_browser

from ladder.web.http.auth import Access
from ladder.web.pages.routes import PAGES

pytestmark = pytest.mark.slow

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
MOST_SHIFT = 0.05
"""The allowed shift of the layout while a page loads; browsers call 0.1 good."""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FullSite]:
    made = make_full_site(tmp_path_factory.mktemp("full"))
    with Serving(made.site.app) as made.site.url:
        yield made
    made.site.db.close()


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core, which checks the rules."""
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text()


def test_every_page_is_sound(full: FullSite, axe: str) -> None:
    url = full.site.url
    found: list[str] = []
    with real_browser() as browser:
        reader = browser.page(url, color_scheme="light")
        admin = browser.page(url, color_scheme="light")
        admin.goto(url + "/signin")
        admin.get_by_label("Token").fill(full.admin)
        admin.get_by_role("button", name="Sign in").click()
        for path, members in looked_at(full):
            found += look(admin if members else reader, url + path, axe)
    found += browser.trouble
    assert not found, "\n".join(found)


def looked_at(full: FullSite) -> Iterator[tuple[str, bool]]:
    """Every page in the route table, so also new ones, and whether the admin looks at it."""
    for page in PAGES:
        if page.method == "GET":
            paths = full.paths.get(page.path, [page.path])
            assert "{" not in "".join(paths), f"name some pages of {page.path} in full_site.py"
            private = page.access in (Access.MEMBER, Access.ADMIN)
            for path in paths:
                yield path, private or path.startswith(("/bots/", "/tournaments/"))
    yield "/upload", True


def look(page: Page, address: str, axe: str) -> list[str]:
    """The faults of a page, one line each."""
    found = []
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    page.goto(address)
    shift = page.evaluate("window.shifts")
    page.evaluate(axe)
    found += violations(page, {"runOnly": WCAG})
    page.emulate_media(color_scheme="dark")
    found += violations(page, {"runOnly": {"type": "rule", "values": ["color-contrast"]}})
    page.set_viewport_size(PHONE)
    page.goto(address)
    shift = max(shift, page.evaluate("window.shifts"))
    if shift > MOST_SHIFT:
        found.append(f"its layout shifts by {shift:.3f}")
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("it is wider than a phone")
    return [f"{address}: {one}" for one in found]


def violations(page: Page, options: dict[str, object]) -> list[str]:
    told = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{rule['id']} ({rule['help']}): {node['target']} {node['html'][:120]}"
        for rule in told["violations"]
        for node in rule["nodes"][:3]
    ]
