"""A real browser for tests: the Chromium of the system, with a record of its errors."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Locator, Page, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 800}

_NOTE_SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@dataclass
class RealBrowser:
    browser: Browser
    trouble: list[str] = field(default_factory=list)
    """Console errors, exceptions, and requests to other hosts."""

    def page(self, url: str, **options: Any) -> Page:
        """A page of a fresh context that stays on the site at `url`."""
        context = self.browser.new_context(**{"viewport": WIDE, **options})
        context.add_init_script(_NOTE_SHIFTS)
        page = context.new_page()
        note = self.trouble.append
        page.on("console", lambda m: note(f"{page.url}: {m.text}") if m.type == "error" else None)
        page.on("pageerror", lambda error: note(f"{page.url}: {error}"))
        page.on("request", lambda r: None if r.url.startswith(url) else note(r.url))
        return page


def box_of(place: Locator) -> dict[str, float]:
    """The rectangle of an element that is on the page: x, y, width, height."""
    box = place.bounding_box()
    assert box is not None
    return dict(box)


@contextmanager
def real_browser() -> Iterator[RealBrowser]:
    chromium = shutil.which("chromium")
    assert chromium, "Chromium is not installed; `make test` installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield RealBrowser(browser)
        browser.close()
