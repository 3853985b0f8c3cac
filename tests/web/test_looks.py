"""How pages look in a real browser: what is cut off, what looks like a field, what comes first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from live_site import LiveSite, Serving, make_site
from playwright.sync_api import expect
from real_browser import PHONE, WIDE, RealBrowser, box_of, real_browser

from engines.games import find_game
from ladder.models import Bot, Rating
from ladder.store.migrate import upgrade
from ladder.uploads import submissions

pytestmark = pytest.mark.slow

CONTRAST = """
(selector) => {
  const light = (text) => {
    const [r, g, b] = text.match(/[0-9.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const field = document.querySelector(selector);
  let around = field.parentElement;
  const clear = "rgba(0, 0, 0, 0)";
  while (getComputedStyle(around).backgroundColor === clear) around = around.parentElement;
  const behind = getComputedStyle(around).backgroundColor;
  const [edge, page] = [getComputedStyle(field).borderTopColor, behind].map(light);
  return {
    edge: (Math.max(edge, page) + 0.05) / (Math.min(edge, page) + 0.05),
    inside: light(getComputedStyle(field).backgroundColor),
    page,
  };
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[RealBrowser]:
    with real_browser() as one:
        yield one
        assert not one.trouble


@pytest.mark.parametrize("width", [320, 360, 390])
def test_no_link_of_the_site_is_cut_off_on_a_phone(
    shared_site: LiveSite, browser: RealBrowser, width: int
) -> None:
    page = browser.page(shared_site.url, viewport={"width": width, "height": 700})
    for path in ("/", "/upload"):
        page.goto(shared_site.url + path)
        boxes = [box_of(link) for link in page.locator(".top nav a").all()]
        assert len(boxes) == 7
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
        row = page.locator(".top .links")
        assert row.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_the_button_stands_below_the_editor_on_a_phone(
    shared_site: LiveSite, browser: RealBrowser
) -> None:
    page = browser.page(shared_site.url, viewport=PHONE)
    page.goto(shared_site.url + "/upload")
    code, button = page.locator("#code"), page.get_by_role("button", name="Upload")
    assert box_of(code)["y"] + box_of(code)["height"] < box_of(button)["y"]
    page.set_viewport_size(WIDE)
    game = box_of(page.locator("#game"))
    assert game["x"] + game["width"] < box_of(code)["x"], "side by side on a wide screen"
    assert abs(game["y"] - box_of(code)["y"]) < 100


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fields_do_not_look_disabled(
    shared_site: LiveSite, browser: RealBrowser, scheme: str
) -> None:
    page = browser.page(shared_site.url, color_scheme=scheme)
    for path, fields in (
        ("/upload", ("#game", "#name", "#code")),
        ("/games/reversi", ("#search", "#kind", "#on")),
        ("/signin", ("#token", "#name")),
    ):
        page.goto(shared_site.url + path)
        for selector in fields:
            look = page.evaluate(CONTRAST, selector)
            assert look["edge"] >= 3, (path, selector, look)
            if scheme == "light":
                assert look["inside"] == 1, "a field that can be filled in is white"
            else:
                assert look["inside"] <= look["page"]


@pytest.fixture(scope="module")
def tanks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site whose board of tanks has long names and large numbers."""
    site = make_site(tmp_path_factory.mktemp("tanks"))
    upgrade(site.db)
    submissions.seed_house_bots(site.db)
    large = dict.fromkeys(find_game("tanks").column_titles, 2345 * 1234.5)
    many = {"matches": 2345, "wins": 1208, "draws": 13, "losses": 1124}
    with site.db.write() as c:
        c.execute(sa.update(Rating).where(Rating.game == "tanks").values(columns=large, **many))
        long = "a-name-of-forty-" + "x" * 24
        c.execute(sa.update(Bot).where(Bot.name == "Crazy").values(name=long))
    with Serving(site.app) as site.url:
        yield site
    site.db.close()


def test_all_columns_of_tanks_are_in_sight_on_a_laptop(
    tanks: LiveSite, browser: RealBrowser
) -> None:
    # 15 pixels less than a laptop has: the bar for scrolling.
    page = browser.page(tanks.url, viewport={"width": 1265, "height": 800})
    page.goto(tanks.url + "/games/tanks")
    titles = [one.inner_text().replace("\n", " ") for one in page.locator(".board th").all()]
    wanted = {"Last survivor bonus", "Bullet damage", "Ram bonus", "Total score", "APS", "Firsts"}
    assert wanted <= set(titles)
    assert not [one for one in titles if "survivorb" in one.lower()]
    assert page.locator(".wide").evaluate("box => box.scrollWidth <= box.clientWidth")
    for cell in page.locator(".board th, .board tbody tr:first-child td").all():
        assert box_of(cell)["x"] + box_of(cell)["width"] <= 1265
    for heading in page.locator(".board th").all():
        assert heading.evaluate("box => box.scrollWidth <= box.clientWidth + 1")


def test_a_phone_shows_the_main_columns_and_the_others_on_demand(
    tanks: LiveSite, browser: RealBrowser
) -> None:
    page = browser.page(tanks.url, viewport=PHONE, java_script_enabled=False)
    page.goto(tanks.url + "/games/tanks")
    seen = [one.inner_text() for one in page.locator(".board th").all() if one.is_visible()]
    assert seen == ["#", "Bot", "Score", "APS"]
    assert page.locator(".wide").evaluate("box => box.scrollWidth <= box.clientWidth")
    page.get_by_text("All columns").click()
    expect(page.locator(".board th", has_text="Last survivor bonus")).to_be_visible()
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
