"""Replays as pictures: simulations without a viewer of their own, and puzzles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from live_site import LiveSite, Serving, fight, make_site
from playwright.sync_api import Page, expect
from real_browser import PHONE, RealBrowser, real_browser
from replay_files import own_file
from test_craft import axe, look
from test_pages import check
from toy_games import entered

from engines.competition import Competition
from engines.games import find_game
from ladder.matches import listing
from ladder.runner import replay
from ladder.store.migrate import upgrade
from ladder.uploads import submissions
from tests.engines.toys import ON_THE_LADDER, Sums, TugOfWar

__all__ = ["axe"]

LONG = 450
"""Frames of the long simulation, which need several requests."""


class LongTug(TugOfWar):
    name, title = "long-tug", "Long Tug"


@dataclass
class Gallery:
    """A site with matches of toys."""

    site: LiveSite
    tug: int
    long: int
    sums: int

    def frames(self, match: int, query: str = "") -> dict[str, Any]:
        answer = self.site.get(f"/api/v1/matches/{match}/frames{query}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    games: list[Competition] = [*ON_THE_LADDER, LongTug()]
    with entered(*games):
        site = make_site(tmp_path_factory.mktemp("gallery"))
        upgrade(site.db)
        submissions.seed_house_bots(site.db)
        tug = fight(site, "tug-of-war", ["steady", "hasty"])
        long = fight(site, "long-tug", ["steady", "hasty"], steps=LONG)
        sums = fight(site, "sums", ["singles", "pairs", "gives-up"])
        with Serving(site.app) as site.url:
            yield Gallery(site, tug, long, sums)
        site.db.close()


def count_drawings(monkeypatch: pytest.MonkeyPatch, kind: type, name: str) -> list[object]:
    drawn: list[object] = []
    draw = getattr(kind, name)

    def counting(self: object, *args: object) -> str:
        drawn.append(args)
        return str(draw(self, *args))

    monkeypatch.setattr(kind, name, counting)
    return drawn


def test_a_page_draws_only_shown_pictures(
    gallery: Gallery, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = count_drawings(monkeypatch, TugOfWar, "frame")
    gallery.site.get(f"/matches/{gallery.tug}?frame=7")
    assert len(frames) == 1
    steps = count_drawings(monkeypatch, Sums, "svg")
    gallery.site.get(f"/matches/{gallery.sums}?instance=1&step=1")
    assert len(steps) == 3, "one picture per seat"
    reversi = type(find_game("reversi"))
    boards = count_drawings(monkeypatch, reversi, "svg")
    match = fight(gallery.site, "reversi", ["random", "random"])
    gallery.site.get(f"/matches/{match}")
    assert len(boards) == 1
    gallery.site.get(f"/matches/{match}/embed?ply=20")
    assert len(boards) == 2
    gallery.site.get(f"/api/v1/matches/{match}/frames?first=3&count=2")
    assert len(boards) == 4


def test_a_simulation_without_a_viewer_is_shown_by_its_frames(gallery: Gallery) -> None:
    page = gallery.site.get(f"/matches/{gallery.tug}").text
    check(page)
    assert "Tug of War after 0 steps" in page
    assert re.search(r'src="/static/board\.js\?v=\w+"', page)
    assert "needs JavaScript" not in page
    assert "<h2>Moves</h2>" not in page
    seventh = gallery.site.get(f"/matches/{gallery.tug}?frame=7").text
    check(seventh)
    assert "Tug of War after 7 steps" in seventh
    assert 'href="?frame=8"' in seventh
    assert 'href="?frame=6"' in seventh
    assert "7 / 12" in seventh
    assert "12 / 12" in gallery.site.get(f"/matches/{gallery.tug}?frame=9999").text
    assert "Tug of War" in gallery.site.get(f"/matches/{gallery.tug}/embed?frame=3").text
    for bad in ("-1", "x", "1.5", "99999999999"):
        assert gallery.site.get(f"/matches/{gallery.tug}?frame={bad}").status_code in (200, 400)


def test_frames_of_a_simulation(gallery: Gallery) -> None:
    whole = gallery.frames(gallery.tug)
    assert [frame["number"] for frame in whole["frames"]] == list(range(13))
    assert (whole["last"], whole["instances"]) == (12, 0)
    assert {(f["seat"], f["move"], f["position"]) for f in whole["frames"]} == {(None, None, "")}
    some = gallery.frames(gallery.tug, "?first=2&count=3&stride=4")
    assert some["frames"] == whole["frames"][2::4][:3]
    assert gallery.frames(gallery.tug, "?first=100")["frames"] == []
    for bad in ("count=0", "count=1501", "stride=0", "first=-1", "instance=x", "last=1"):
        answer = gallery.site.get(f"/api/v1/matches/{gallery.tug}/frames?{bad}")
        assert answer.status_code == 400, bad


def test_frames_of_a_puzzle(gallery: Gallery) -> None:
    first, second = (gallery.frames(gallery.sums, f"?instance={n}") for n in (0, 1))
    assert (first["last"], second["last"], second["instances"]) == (1, 2, 3)
    assert [(f["number"], f["seat"]) for f in second["frames"]] == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 1),
        (2, 1),
    ]
    assert second["frames"][-1]["move"].startswith("+")
    answer = gallery.site.get(f"/api/v1/matches/{gallery.sums}/frames?instance=3")
    assert answer.status_code == 404
    assert "there are 3 instances" in answer.json()["detail"]


def test_a_damaged_document_is_reported(gallery: Gallery) -> None:
    path = own_file(gallery.site.db, gallery.site.replays, gallery.sums)
    kept = path.read_bytes()
    document = replay.decode(kept)
    (one, *others), *rest = document.answers
    forged = ((msgspec.structs.replace(one, answer="[3]"), *others), *rest)
    path.write_bytes(replay.encode(msgspec.structs.replace(document, answers=forged)))
    try:
        answer = gallery.site.get(f"/api/v1/matches/{gallery.sums}/frames")
        page = gallery.site.get(f"/matches/{gallery.sums}")
    finally:
        path.write_bytes(kept)
    assert (answer.status_code, page.status_code) == (422, 200)
    assert "cannot show this replay" in answer.json()["detail"]
    check(page.text)
    assert "<h2>Instances</h2>" in page.text


def test_a_puzzle_shows_the_solutions_of_an_instance(gallery: Gallery) -> None:
    page = gallery.site.get(f"/matches/{gallery.sums}").text
    check(page)
    assert "Instance 1 of 3" in page
    assert page.count('<div class="frame"') == 3
    assert "1 / 1" in page
    second = gallery.site.get(f"/matches/{gallery.sums}?instance=1&step=1").text
    check(second)
    assert "Instance 2 of 3" in second
    assert "1 / 2" in second
    assert 'href="?instance=1&amp;step=2"' in second
    document = replay.decode(listing.replay(gallery.site.db, gallery.site.replays, gallery.sums))
    instance = find_game("sums").instances(document.seed)[1]  # type: ignore[attr-defined]
    assert find_game("sums").text(instance) in second  # type: ignore[attr-defined]
    assert "solved in 2" in second
    assert "gave up" in second
    assert "Solved" in second  # the column of the scores
    embedded = gallery.site.get(f"/matches/{gallery.sums}/embed?instance=1").text
    check(embedded)
    assert "Instance 2 of 3" in embedded
    assert "Instance 3 of 3" in gallery.site.get(f"/matches/{gallery.sums}?instance=77").text


def test_every_toy_has_its_pages(gallery: Gallery) -> None:
    site = gallery.site
    for game in ON_THE_LADDER:
        for path in (
            f"/games/{game.name}",
            f"/upload?game={game.name}",
            f"/games/{game.name}/matrix",
        ):
            answer = site.get(path)
            assert answer.status_code == 200, path
            check(answer.text)
        assert f"A first bot for {game.title}" in site.get(f"/upload?game={game.name}").text
    assert site.get("/games/nothing").status_code == 404
    answer = site.get("/api/v1/games/nothing/leaderboard")
    assert answer.status_code == 404
    token = site.account("ada")
    refused = site.upload(token, "x", "nothing")
    assert refused.status_code in (404, 422)
    assert "sums" in refused.json()["detail"], "it names the installed games"
    browser = site.browser("eve")
    fields = {"csrf": browser.csrf(), "game": "nothing", "name": "mine", "code": "agent = 1"}
    sent = browser.post("/upload", files={k: (None, v) for k, v in fields.items()})
    assert sent.status_code == 404
    assert "agent = 1" in sent.text, "the form keeps the code"


# In the browser.


@pytest.fixture(scope="module")
def chromium() -> Iterator[RealBrowser]:
    with real_browser() as browser:
        yield browser


@pytest.mark.slow
def test_a_simulation_in_the_browser(gallery: Gallery, chromium: RealBrowser) -> None:
    page = chromium.page(gallery.site.url)
    asked: list[str] = []
    page.on(
        "request", lambda request: asked.append(request.url) if "/frames" in request.url else None
    )
    page.goto(f"{gallery.site.url}/matches/{gallery.long}")
    count = page.locator(".plies .count")
    picture = page.locator(".frame svg title")
    page.keyboard.press("ArrowRight")
    expect(picture).to_have_text("Tug of War after 1 steps")
    page.keyboard.press("End")
    expect(count).to_have_text(f"{LONG} / {LONG}")
    expect(picture).to_have_text(f"Tug of War after {LONG} steps")
    page.locator(".scrub").fill("255")
    expect(picture).to_have_text("Tug of War after 255 steps")
    page.wait_for_url(f"**/matches/{gallery.long}?frame=255")
    assert 3 <= len(asked) <= 5, asked  # not all of them
    page.get_by_role("link", name="Previous frame").click()
    expect(picture).to_have_text("Tug of War after 254 steps")
    page.locator("#pace").select_option("8")
    page.get_by_role("button", name="Play").click()
    expect(count).not_to_have_text(f"254 / {LONG}")
    page.get_by_role("button", name="Pause").click()
    page.reload()
    assert chromium.trouble == []


@pytest.mark.slow
def test_a_puzzle_in_the_browser(gallery: Gallery, chromium: RealBrowser) -> None:
    page = chromium.page(gallery.site.url, viewport=PHONE)
    page.goto(f"{gallery.site.url}/matches/{gallery.sums}?instance=1&step=0")
    count = page.locator(".plies .count")
    expect(count).to_have_text("0 / 2")
    own = pictures(page)
    page.keyboard.press("ArrowRight")
    expect(count).to_have_text("1 / 2")
    expect(page.locator(".solutions [aria-current]")).to_have_count(1)
    after = pictures(page)
    assert [a == b for a, b in zip(own, after, strict=True)] == [True, False, True]
    page.locator(".solutions .moves a").nth(1).click()
    expect(count).to_have_text("2 / 2")
    page.wait_for_url("**?instance=1&step=2")
    expect(page.locator(".told")).to_contain_text("Step 2: +")
    page.locator(".scrub").fill("0")
    expect(count).to_have_text("0 / 2")
    assert pictures(page) == own
    page.get_by_role("link", name="Instance 3").click()
    expect(page.get_by_role("heading", name="Instance 3 of 3")).to_be_visible()
    assert chromium.trouble == []


def pictures(page: Page) -> list[str]:
    return [one.inner_html() for one in page.locator(".solutions .frame svg").all()]


@pytest.mark.slow
def test_without_scripts_every_step_is_a_link(gallery: Gallery, chromium: RealBrowser) -> None:
    page = chromium.page(gallery.site.url, java_script_enabled=False)
    page.goto(f"{gallery.site.url}/matches/{gallery.tug}")
    page.get_by_role("link", name="Next frame").click()
    expect(page.locator(".plies .count")).to_have_text("1 / 12")
    expect(page.locator(".player")).to_be_hidden()
    page.goto(f"{gallery.site.url}/matches/{gallery.sums}?instance=2&step=0")
    page.get_by_role("link", name="Next step").click()
    expect(page.locator(".plies .count")).to_have_text("1 / 2")
    page.get_by_role("link", name="Instance 2").click()
    expect(page.get_by_role("heading", name="Instance 2 of 3")).to_be_visible()


@pytest.mark.slow
def test_the_viewers_are_sound(gallery: Gallery, chromium: RealBrowser, axe: str) -> None:
    """Checked by `look` in both themes and on a phone."""
    page = chromium.page(gallery.site.url)
    found = []
    for path in (
        f"/matches/{gallery.tug}",
        f"/matches/{gallery.tug}/embed",
        f"/matches/{gallery.sums}?instance=1",
        f"/matches/{gallery.sums}/embed",
    ):
        found += look(page, gallery.site.url + path, axe)
    assert found == []
