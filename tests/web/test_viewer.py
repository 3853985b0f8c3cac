"""Matches of simulations: their pages, and the viewer of tanks in a real browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from live_site import LiveSite, Serving, fight, make_site, play_fight, queue_fight
from playwright.sync_api import Page, Route, expect, sync_playwright
from real_browser import box_of
from replay_files import own_file
from test_browser import FLAGS
from test_pages import check

from engines.games.tanks import recording
from engines.games.tanks.roster import BOTS
from ladder.matches import listing
from ladder.runner import replay
from ladder.store.migrate import upgrade
from ladder.uploads import submissions

ROUNDS = 3


@dataclass
class Arena:
    """A site with one duel and one melee of ten."""

    site: LiveSite
    duel: int
    melee: int

    def document(self, match_id: int) -> replay.Replay:
        return replay.decode(listing.replay(self.site.db, self.site.replays, match_id))

    def overwrite(self, match_id: int, document: replay.Replay) -> None:
        own_file(self.site.db, self.site.replays, match_id).write_bytes(replay.encode(document))


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    site = make_site(tmp_path_factory.mktemp("arena"))
    upgrade(site.db)
    submissions.seed_house_bots(site.db)
    duel = fight(site, "tanks", ["Crazy", "SpinBot"], rounds=ROUNDS)
    melee = fight(site, "tanks-melee", list(BOTS)[:10], rounds=1)
    with Serving(site.app) as site.url:
        yield Arena(site, duel, melee)
    site.db.close()


@pytest.fixture
def edited(arena: Arena) -> Iterator[Callable[..., str]]:
    """Changes the replay of the duel for one test; the function returns the path of its page."""
    kept = arena.document(arena.duel)

    def edit(**changes: Any) -> str:
        arena.overwrite(arena.duel, msgspec.structs.replace(kept, **changes))
        return f"/matches/{arena.duel}"

    yield edit
    arena.overwrite(arena.duel, kept)


def test_a_duel_is_shown_by_its_viewer(arena: Arena) -> None:
    page = arena.site.get(f"/matches/{arena.duel}").text
    check(page)
    assert f'data-replay="/api/v1/matches/{arena.duel}/replay"' in page
    assert re.search(r'<script type="module" src="/static/viewer-tanks\.js\?v=\w+">', page)
    assert "needs JavaScript" in page
    assert re.search(
        r"<strong>SpinBot</strong> wins: .* points after 3 rounds", " ".join(page.split())
    )
    assert "<h2>Moves</h2>" not in page
    assert "?ply=" not in page


def test_the_score_is_shown_in_columns(arena: Arena, edited: Callable[..., str]) -> None:
    columns = arena.document(arena.duel).columns
    assert list(columns[0])[:2] == ["score", "survival"]
    page = arena.site.get(f"/matches/{arena.duel}").text
    assert '<th scope="col" class="num">Last survivor bonus</th>' in page
    assert all(f'<td class="num">{value:g}</td>' in page for value in columns[0].values())
    assert "<h2>Score</h2>" not in arena.site.get(edited(columns=())).text


def test_board_games_load_no_viewer(shared_site: LiveSite) -> None:
    page = shared_site.get("/matches/1").text
    assert "viewer" not in page
    assert "<h2>Moves</h2>" in page


def test_a_melee_names_all_its_seats(arena: Arena) -> None:
    page = arena.site.get(f"/matches/{arena.melee}").text
    check(page)
    assert "Tanks melee of 10" in page
    assert all(f"seat-{seat}" in page for seat in range(10))
    view = arena.site.get(f"/api/v1/matches/{arena.melee}").json()
    ranked = [seat["bot"] for seat in sorted(view["seats"], key=lambda seat: seat["rank"])]
    listed = arena.site.get("/matches?game=tanks-melee").text
    check(listed)
    assert re.findall(r'<span class="seat[^"]*"><a href="/bots/\d+">([^<]+)<', listed) == ranked
    assert "10 seats" in listed
    second = next(seat for seat in view["seats"] if seat["rank"] == 2)
    own = arena.site.get(f"/bots/{second['bot_id']}").text
    check(own)
    assert "2 of 10</span>" in own


@pytest.mark.parametrize("name", ["chess3d", "../live", 'x"><script>'])
def test_only_viewers_that_exist_are_named(
    arena: Arena, edited: Callable[..., str], name: str
) -> None:
    page = arena.site.get(edited(viewer=name)).text
    check(page)
    assert "/static/viewer-" not in page
    assert f'data-frames="/api/v1/matches/{arena.duel}/frames"' in page  # pictures replace it
    assert f'href="/api/v1/matches/{arena.duel}/replay"' in page


def test_a_lost_replay_is_reported(arena: Arena) -> None:
    path = own_file(arena.site.db, arena.site.replays, arena.duel)
    kept = path.read_bytes()
    path.unlink()
    try:
        page = arena.site.get(f"/matches/{arena.duel}").text
    finally:
        path.write_bytes(kept)
    check(page)
    assert "lost or damaged" in page
    assert "data-replay" not in page


def test_scripts_by_bare_name_are_checked_each_time(arena: Arena) -> None:
    """Modules import each other by these names, so caches must not keep an old one for a year."""
    page = arena.site.get(f"/matches/{arena.duel}").text
    (address,) = re.findall(r'src="(/static/viewer-tanks\.js\?v=\w+)"', page)
    assert "immutable" in arena.site.get(address).headers["Cache-Control"]
    for bare in ("/static/playback.js", "/static/playback.js?v=old"):
        first = arena.site.get(bare)
        assert (first.status_code, first.headers["Cache-Control"]) == (200, "no-cache")
        again = arena.site.get(bare, headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("names", [("Crazy", "SpinBot"), ("Walls", "VelociRobot")])
def test_a_duel_of_ten_rounds_is_small(tmp_path: Path, names: tuple[str, str]) -> None:
    site = make_site(tmp_path)
    upgrade(site.db)
    submissions.seed_house_bots(site.db)
    stored = listing.replay(site.db, site.replays, fight(site, "tanks", names))
    site.db.close()
    assert len(stored) < 150_000  # well below a megabyte
    data = replay.decode(stored).data
    assert data is not None
    assert recording.unpack(data)[0]["rounds"] == 10


# In the browser.


@dataclass
class Visit:
    page: Page
    trouble: list[str] = field(default_factory=list)

    def open(self, address: str) -> None:
        self.page.goto(address)
        expect(self.page.locator(".theatre")).to_be_visible()

    @property
    def turn(self) -> int:
        text = self.page.locator(".clock").inner_text()
        return int(text.removeprefix("Turn ").partition(" /")[0])

    def picture(self) -> str:
        return str(self.page.evaluate("document.querySelector('.field').toDataURL()"))

    def pause(self) -> None:
        if self.page.locator(".viewer.playing").count():
            self.page.get_by_role("button", name="Pause").click()


@contextmanager
def visiting(site: LiveSite, **options: Any) -> Iterator[Visit]:
    """A page of a real browser; errors and requests to other hosts fail the test."""
    chromium = shutil.which("chromium")
    assert chromium, "Chromium is not installed; `make test` installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_context(**options).new_page()
        visit = Visit(page)
        trouble = visit.trouble
        page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(site.url) else trouble.append(r.url))
        yield visit
        browser.close()
    assert trouble == []


@pytest.mark.slow
def test_a_battle_plays(arena: Arena) -> None:
    with visiting(arena.site) as visit:
        page = visit.page
        visit.open(f"{arena.site.url}/matches/{arena.duel}")
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        early, seen = visit.turn, visit.picture()
        page.wait_for_timeout(600)
        assert visit.turn > early
        assert visit.picture() != seen
        visit.pause()
        paused, still = visit.turn, visit.picture()
        page.wait_for_timeout(200)
        assert (visit.turn, visit.picture()) == (paused, still)
        colours = page.evaluate(
            "new Set(new Uint32Array(document.querySelector('.field').getContext('2d')"
            ".getImageData(0, 0, 300, 300).data.buffer)).size"
        )
        assert colours > 1
        # At the highest speed the rounds follow each other, and the battle stops after the last.
        page.get_by_label("Speed").select_option("16")
        page.get_by_role("button", name="Play").click()
        expect(page.get_by_label("Round", exact=True)).to_have_value(
            str(ROUNDS - 1), timeout=60_000
        )
        expect(page.get_by_role("button", name="Play")).to_be_visible(timeout=60_000)
        assert page.locator(".clock").inner_text().split()[1::2] == [str(visit.turn)] * 2


@pytest.mark.slow
def test_the_controls(arena: Arena) -> None:
    with visiting(arena.site, reduced_motion="reduce") as visit:
        page = visit.page
        visit.open(f"{arena.site.url}/matches/{arena.duel}")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        assert visit.turn == 1  # it does not play by itself
        first = visit.picture()
        page.get_by_label("Turn", exact=True).fill("250")
        assert visit.turn == 250
        assert visit.picture() != first
        page.wait_for_url(re.compile("#r1t250$"))
        page.get_by_label("Round", exact=True).select_option("1")
        assert visit.turn == 1
        page.wait_for_url(re.compile("#r2t1$"))
        page.get_by_role("button", name="One turn on").click()
        assert visit.turn == 2
        page.keyboard.press("ArrowRight")  # with the focus still on the button
        assert visit.turn == 3
        page.get_by_role("link", name="3 SpinBot").click()
        expect(page.get_by_label("Round", exact=True)).to_have_value("2")
        page.locator(".timeline").scroll_into_view_if_needed()
        box = page.locator(".timeline").bounding_box()
        assert box
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 10)
        turns = int(page.get_by_label("Turn", exact=True).get_attribute("max") or 0)
        assert abs(visit.turn - turns / 2) < 10


@pytest.mark.slow
def test_the_keyboard(arena: Arena) -> None:
    with visiting(arena.site, reduced_motion="reduce") as visit:
        page = visit.page
        visit.open(f"{arena.site.url}/matches/{arena.duel}")
        for key, turn in (
            ("ArrowRight", 2),
            ("ArrowRight", 3),
            ("ArrowLeft", 2),
            ("Shift+ArrowRight", 32),
            ("Shift+ArrowLeft", 2),
            ("Shift+ArrowLeft", 1),
        ):
            page.keyboard.press(key)
            assert visit.turn == turn, key
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        assert page.evaluate("scrollY") == 0
        page.locator(".field").focus()
        page.keyboard.press("PageDown")
        expect(page.get_by_label("Round", exact=True)).to_have_value("1")
        page.keyboard.press("ArrowUp")
        expect(page.get_by_label("Speed")).to_have_value("2")
        page.keyboard.press("End")
        assert f"Turn {visit.turn} / {visit.turn}" == page.locator(".clock").inner_text()
        expect(page.locator(".verdict-of-round")).to_contain_text("survives round 2")
        page.get_by_label("Speed").focus()
        page.keyboard.press("ArrowUp")  # in a list, this key chooses an entry
        expect(page.get_by_label("Speed")).to_have_value("1")


@pytest.mark.slow
def test_a_link_leads_to_its_moment(arena: Arena) -> None:
    with visiting(arena.site) as visit:
        page = visit.page
        address = f"{arena.site.url}/matches/{arena.duel}"
        visit.open(f"{address}#r2t120")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        assert visit.turn == 120
        expect(page.get_by_label("Round", exact=True)).to_have_value("1")
        link = page.get_by_role("link", name="Link to this moment")
        assert link.get_attribute("href") == "#r2t120"
        page.evaluate("location.hash = '#r3t5'")
        expect(page.locator(".clock")).to_contain_text("Turn 5 ")
        for odd in ("#r0t0", "#r999t999999"):
            page.goto("about:blank")
            visit.trouble.clear()  # the blank page is on another host
            visit.open(address + odd)
            assert visit.turn >= 1


@pytest.mark.slow
def test_the_browser_reads_the_recording(arena: Arena) -> None:
    with visiting(arena.site, reduced_motion="reduce") as visit:
        for match in (arena.duel, arena.melee):
            visit.open(f"{arena.site.url}/matches/{match}")
            data = arena.document(match).data
            assert data is not None
            header, rounds = recording.unpack(data)
            read = visit.page.evaluate(
                """async (bytes) => {
                  const { readReplay } = await import("/static/tanks-replay.js");
                  const battle = await readReplay(Uint8Array.from(bytes));
                  const columns = ["x", "y", "body", "gun", "radar", "energy", "state", "score"];
                  return battle.rounds.map(({ tracks, shots }) => [
                    tracks.map((track) => columns.map((name) => [...track[name]])),
                    shots.map((s) => [s.owner, s.start + 1, s.end + 1, s.endX, s.how]),
                  ]);
                }""",
                list(data),
            )
            assert len(read) == header["rounds"]
            for (tanks, shots), (tracks, seen) in zip(rounds, read, strict=True):
                assert tracks == tanks.transpose(1, 2, 0).tolist()
                assert seen == [[s[0], s[2], s[5], s[6] / 10, s[8]] for s in shots.tolist()]


@pytest.mark.slow
def test_the_totals_equal_the_verdict(arena: Arena) -> None:
    with visiting(arena.site, reduced_motion="reduce") as visit:
        visit.open(f"{arena.site.url}/matches/{arena.duel}#r{ROUNDS}t999999")
        totals = [float(t) for t in visit.page.locator(".figures td:last-child").all_inner_texts()]
        shares = arena.document(arena.duel).verdict.scores
        assert [total / sum(totals) for total in totals] == pytest.approx(shares, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_the_names_of_survivors_are_not_cut(
    arena: Arena, edited: Callable[..., str], width: int
) -> None:
    long = [f"a-rather-long-name-of-a-tank-number-{n:04}" for n in range(2)]
    entrants = arena.document(arena.duel).entrants
    named = [msgspec.structs.replace(e, name=n) for e, n in zip(entrants, long, strict=True)]
    path = edited(entrants=tuple(named))
    with visiting(arena.site, viewport={"width": width, "height": 900}) as visit:
        visit.open(arena.site.url + path)
        chips = visit.page.locator(".chips a")
        assert chips.count() == ROUNDS
        for chip in chips.all():
            assert any(name in chip.inner_text() for name in long)
            for part in (chip, chip.locator(".survivor")):
                assert part.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
            assert chip.locator(".survivor").evaluate(
                "box => getComputedStyle(box).textOverflow !== 'ellipsis'"
            )
        chips_box = box_of(visit.page.locator(".chips"))
        head = box_of(visit.page.locator(".figures h2"))
        assert chips_box["y"] >= head["y"] + head["height"], "below its heading"
        table = box_of(visit.page.locator(".figures table"))
        assert chips_box["width"] > 0.9 * table["width"], "as wide as the table"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_battle_fits_a_phone(arena: Arena, scheme: str) -> None:
    phone = {"width": 360, "height": 740}
    with visiting(arena.site, viewport=phone, color_scheme=scheme, device_scale_factor=3) as visit:
        for match in (arena.duel, arena.melee):
            visit.open(f"{arena.site.url}/matches/{match}")
            assert not visit.page.evaluate("document.documentElement.scrollWidth > innerWidth")
            field = visit.page.locator(".field")
            assert field.evaluate("f => f.width === Math.round(f.clientWidth * 3)")
            visit.page.set_viewport_size({"width": 700, "height": 360})
            expect(field).to_have_js_property("width", field.evaluate("f => f.clientWidth * 3"))
            assert not visit.page.evaluate("document.documentElement.scrollWidth > innerWidth")
            visit.page.set_viewport_size(phone)  # type: ignore[arg-type]


@pytest.mark.slow
def test_failures_say_what_to_do(arena: Arena) -> None:
    with visiting(arena.site) as visit:
        page, note = visit.page, visit.page.locator(".note")
        address = f"{arena.site.url}/matches/{arena.duel}"
        again = page.get_by_role("button", name="Try again")
        failures: tuple[tuple[Callable[[Route], None], str], ...] = (
            (lambda route: route.abort(), "Check your connection"),
            (lambda route: route.fulfill(status=404), "has lost the replay"),
            (lambda route: route.fulfill(status=503), "Try again in a while"),
            (lambda route: route.fulfill(body="{}"), "cannot be shown"),
            (lambda route: route.fulfill(body='{"data": "AAAA"}'), "cannot be shown"),
        )
        for fail, says in failures:
            page.route("**/replay", fail)
            page.goto(address)
            expect(note).to_contain_text(says)
            expect(again).to_be_visible()
            expect(page.locator(".theatre")).to_be_hidden()
            page.unroute("**/replay")
        visit.trouble.clear()  # the console reports the failed requests
        again.click()
        expect(page.locator(".theatre")).to_be_visible()


@pytest.mark.slow
def test_a_battle_without_turns(arena: Arena, edited: Callable[..., str]) -> None:
    with visiting(arena.site) as visit:
        path = edited(data=recording.pack(["a", "b"], 800, 600, b""))
        visit.page.goto(arena.site.url + path)
        expect(visit.page.locator(".note")).to_contain_text("No turn was played")
        expect(visit.page.locator(".theatre")).to_be_hidden()


@pytest.mark.slow
def test_a_page_shows_a_queued_match_after_its_end(arena: Arena) -> None:
    match = queue_fight(arena.site, "tanks", ["Target", "Fire"])
    with visiting(arena.site) as visit:
        visit.page.goto(f"{arena.site.url}/matches/{match}")
        expect(visit.page.get_by_text("Waiting for a free worker")).to_be_visible()
        play_fight(arena.site, match, rounds=1)
        expect(visit.page.locator(".viewer.playing")).to_be_visible(timeout=20_000)


@pytest.mark.slow
def test_without_scripts_the_page_links_to_the_file(arena: Arena) -> None:
    with visiting(arena.site, java_script_enabled=False) as visit:
        visit.page.goto(f"{arena.site.url}/matches/{arena.duel}")
        expect(visit.page.get_by_text("needs JavaScript")).to_be_visible()
        expect(visit.page.get_by_role("link", name="download the replay")).to_be_visible()
        expect(visit.page.locator(".theatre")).to_be_hidden()


@pytest.mark.slow
def test_names_are_text_and_not_markup(arena: Arena, edited: Callable[..., str]) -> None:
    hostile = '<img src=x onerror="document.title=1">'
    known = arena.document(arena.duel).entrants
    entrants = tuple(msgspec.structs.replace(entrant, name=hostile) for entrant in known)
    with visiting(arena.site, reduced_motion="reduce") as visit:
        visit.open(arena.site.url + edited(entrants=entrants))
        assert visit.page.locator(".called").first.inner_text() == hostile
        assert visit.page.locator(".viewer img").count() == 0
