"""How pages look in a real browser: what is cut off, what looks like a field, what comes first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from live_site import LiveSite
from real_browser import PHONE, WIDE, RealBrowser, box_of, real_browser

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
