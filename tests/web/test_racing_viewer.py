"""The viewer of races in a real browser."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from live_site import LiveSite, Serving, fight, make_site
from playwright.sync_api import expect
from test_viewer import visiting

from engines.games.racing import recording
from engines.games.racing.drivers import DRIVERS
from ladder.store.migrate import upgrade
from ladder.uploads import submissions

pytestmark = pytest.mark.slow


@dataclass
class Circuit:
    """A site with a race and a time trial."""

    site: LiveSite
    race: int
    trial: int


@pytest.fixture(scope="module")
def circuit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Circuit]:
    site = make_site(tmp_path_factory.mktemp("circuit"))
    upgrade(site.db)
    submissions.seed_house_bots(site.db)
    race = fight(site, "racing", list(DRIVERS), track="clkwis", laps=2)
    trial = fight(site, "time-trial", ["Courier", "Planner"], track="oval2", laps=3)
    with Serving(site.app) as site.url:
        yield Circuit(site, race, trial)
    site.db.close()


def test_a_race_is_played(circuit: Circuit) -> None:
    with visiting(circuit.site) as visit:
        visit.open(f"{circuit.site.url}/matches/{circuit.race}")
        visit.pause()
        visit.page.goto(f"{circuit.site.url}/matches/{circuit.race}#r1t100")
        expect(visit.page.locator(".clock")).to_contain_text("100 /")
        before = visit.picture()
        rows = visit.page.locator(".figures tbody tr")
        assert rows.count() == len(DRIVERS)
        document = circuit.site.get(f"/api/v1/matches/{circuit.race}/replay").json()
        header, cars = recording.unpack(base64.b64decode(document["data"]))
        first = cars[99, :, recording.COLUMNS.index("place")].tolist().index(0)
        expect(rows.first).to_contain_text(header["names"][first])
        visit.page.keyboard.press("Shift+ArrowRight")
        expect(visit.page.locator(".clock")).to_contain_text("130 /")
        assert visit.picture() != before
        visit.page.locator(".laps a.best").click()
        expect(visit.page.locator(".laps a.best")).to_have_count(1)
        assert visit.turn > 1
        assert visit.trouble == []


def test_the_script_reads_what_the_recording_wrote(circuit: Circuit) -> None:
    document = circuit.site.get(f"/api/v1/matches/{circuit.trial}/replay").json()
    header, cars = recording.unpack(base64.b64decode(document["data"]))
    with visiting(circuit.site) as visit:
        visit.open(f"{circuit.site.url}/matches/{circuit.trial}")
        read = visit.page.evaluate(
            """async (data) => {
              const { readReplay } = await import("/static/racing-replay.js");
              const race = await readReplay(Uint8Array.from(atob(data), (c) => c.charCodeAt(0)));
              return [race.tracks.map((t) => Object.values(t).map((c) => [...c])), race.best,
                      race.crossings.map((times) => times.length)];
            }""",
            document["data"],
        )
    tracks, best, begun = read
    assert tracks == cars.transpose(1, 2, 0).tolist()
    assert best["time"] == min(lap for laps in header["lap_times"] for lap in laps)
    assert begun == [len(laps) + 1 for laps in header["lap_times"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(circuit: Circuit, theme: str) -> None:
    size = {"width": 390, "height": 844}
    with visiting(circuit.site, viewport=size, color_scheme=theme) as visit:
        for match in (circuit.race, circuit.trial):
            visit.open(f"{circuit.site.url}/matches/{match}#r1t60")
            wide = visit.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= size["width"]
        assert visit.trouble == []


def test_the_ghost_of_the_best_lap(circuit: Circuit) -> None:
    """In a time trial the outline of the best lap drives along; it is nobody's car."""
    with visiting(circuit.site) as visit:
        visit.open(f"{circuit.site.url}/matches/{circuit.trial}#r1t200")
        colour = visit.page.evaluate(
            """() => {
              const ghost = getComputedStyle(document.querySelector(".viewer"))
                .getPropertyValue("--ghost").trim();
              const canvas = document.querySelector(".field");
              const { data } = canvas.getContext("2d")
                .getImageData(0, 0, canvas.width, canvas.height);
              const wanted = [1, 3, 5].map((at) => parseInt(ghost.slice(at, at + 2), 16));
              let found = 0;
              for (let at = 0; at < data.length; at += 4) {
                if (wanted.every((value, i) => Math.abs(data[at + i] - value) < 12)) found++;
              }
              return found;
            }"""
        )
        assert colour > 5
        assert visit.trouble == []
