"""Runs of evolution in the API and on pages."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import fake_evolve
import msgspec
import pytest
from live_site import LiveSite

from engines.games import find_game
from engines.programs.text import parse
from ladder import evolution
from ladder.contests import leagues
from ladder.evolution import RunOptions, breeding, schedules
from ladder.views import GenerationView
from ladder.web.pictures import curves, trees

CHAMPION = fake_evolve.CHAMPION.encode()
LINES = [msgspec.convert(fake_evolve.line(n), GenerationView) for n in range(12)]


def report(**changes: object) -> bytes:
    told = fake_evolve.report("tanks", 7, len(LINES))
    return msgspec.json.encode({**told, **changes})


def bred(site: LiveSite, champion: bytes = CHAMPION, simplified: str = "") -> int:
    """A finished run whose champion waits for its validation match."""
    run_id = evolution.start(
        site.db, evolution.RunRequest("tanks", options=RunOptions(population=64)), seed=7
    ).run.id
    job = breeding.lease(site.db, "the tests", 60, 1)
    assert job is not None
    assert breeding.record(site.db, job, 60, LINES)
    assert breeding.finish(site.db, job, champion, report(), simplified)
    return run_id


def test_the_api_shows_runs(site: LiveSite) -> None:
    assert site.get("/api/v1/evolution").json() == {"rows": [], "next": None}
    first, second = bred(site), evolution.start(site.db, evolution.RunRequest("tanks")).run.id
    page = site.get("/api/v1/evolution?limit=1&game=tanks").json()
    assert [row["id"] for row in page["rows"]] == [second]
    page = site.get(f"/api/v1/evolution?after={page['next']}").json()
    assert [(row["id"], row["status"], row["generation"]) for row in page["rows"]] == [
        (first, "finished", 11)
    ]
    view = site.get(f"/api/v1/evolution/{first}").json()
    assert view["run"]["seed"] == 7
    assert len(view["generations"]) == 12
    assert view["report"]["finals"]["holdout"][0]["share"] == 0.35
    assert site.get(f"/api/v1/versions/{view['sha256']}/program").content == CHAMPION
    assert site.get("/api/v1/evolution/99").status_code == 404
    assert site.get("/api/v1/evolution?after=x").status_code == 400
    assert site.get("/api/v1/evolution?game=go").status_code == 400


def test_empty_pages_say_what_to_do(site: LiveSite) -> None:
    page = site.get("/evolution").text
    first = evolution.evolvable()[0]
    assert f"ladder evolution start {first}" in page
    assert f"ladder evolution schedule {first}" in page
    assert 'href="/evolution"' in site.get("/").text
    run_id = evolution.start(site.db, evolution.RunRequest("tanks")).run.id
    waiting = site.get(f"/evolution/{run_id}").text
    assert "waits for a server" in waiting
    assert "after two generations" in waiting
    assert "data-live" in waiting
    assert site.get("/evolution/99").status_code == 404


def test_the_page_of_a_finished_run(site: LiveSite) -> None:
    run_id = bred(site, simplified="(program tanks …)")
    view = evolution.run(site.db, run_id)
    page = site.get(f"/evolution/{run_id}").text
    assert "data-live" not in page
    for shown in ("Fitness", "Size in nodes", "Diversity", "EnemyBearing", "(tree ahead", "65.0 %"):
        assert shown in page, shown
    assert "Simplified" in page
    assert "26.0–45.0" in page  # noqa: RUF001 - a range
    assert f'href="/bots/{view.run.bot_id}"' in page
    for guide in view.guides:
        assert f'<a href="/bots/{guide.bot_id}">{guide.name}</a>' in page
    assert re.search(r"style=|<script(?! src)|onclick", page) is None, "the policy forbids them"
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(picture)
    bot = site.get(f"/bots/{view.run.bot_id}").text
    assert f'href="/evolution/{run_id}"' in bot
    assert "seed 7, generation 11 of 12, population 64" in bot
    assert "finished" in site.get("/evolution").text
    assert "Line of" not in page
    other = bred(site, simplified=CHAMPION.decode().replace("100.0", "0.5"))
    page = site.get(f"/evolution/{other}").text
    assert "Line of evolve/evolved" in page
    assert f'<a href="/evolution/{run_id}">#{run_id}</a>' in page
    assert 'aria-label="The simplified tree ahead; its text is below"' in page


def test_a_claimed_run_is_not_linked(site: LiveSite, token: str) -> None:
    run_id = bred(site)
    lineage = msgspec.json.encode(
        {
            "run": run_id,
            "domain": "tanks",
            "seed": 7,
            "guides": [],
            "generation": 1,
            "generations": 2,
            "population": 3,
        }
    )
    sent = site.post(
        "/api/v1/bots",
        token,
        data={"game": "tanks", "name": "copy", "lineage": lineage},
        files={"file": CHAMPION},
    )
    page = site.get(f"/bots/{sent.json()['id']}").text
    assert "generation 1 of 2" in page
    assert f"/evolution/{run_id}" not in page


def test_trouble_and_schedules_are_shown(site: LiveSite) -> None:
    run_id = evolution.start(site.db, evolution.RunRequest("tanks")).run.id
    for attempt in range(breeding.MAX_ATTEMPTS):
        job = breeding.lease(site.db, f"{attempt}", 60, 1)
        assert job is not None
        breeding.give_up(site.db, job, "<b>no luck</b>")
    page = site.get(f"/evolution/{run_id}").text
    assert "&lt;b&gt;no luck" in page
    assert "ended before its second generation" in page
    leagues.ensure_leagues(site.db, site.settings)
    schedules.schedule(site.db, evolution.RunRequest("tanks"), league="nightly")
    schedules.schedule(site.db, evolution.RunRequest("tanks", bot="other"), cron="0 4 * * *")
    page = site.get("/evolution?game=tanks").text
    assert "after the nightly league" in page
    assert "every night at 04:00 UTC" in page


# The geometry.


def _numbers(points: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in points.split())]


def test_curves_lie_inside_their_picture() -> None:
    chart = curves.fitness_chart(LINES)
    assert chart is not None
    best, mean = (_numbers(curve.points) for curve in chart.curves)
    assert len(best) == len(mean) == len(LINES)
    assert all(above[1] < below[1] for above, below in zip(best, mean, strict=True))
    assert [y for _, y in best] == sorted((y for _, y in best), reverse=True), "it only rises"
    for x, y in [*best, *mean, *_numbers(chart.band)]:
        assert curves.LEFT <= x <= curves.WIDTH - curves.RIGHT
        assert curves.TOP <= y <= curves.HEIGHT - curves.BOTTOM
    assert chart.generations[0].label == "0"


@pytest.mark.parametrize("value", [0.0, 1.0, -5.0, 1e-9, 1e12])
def test_flat_curves_can_be_drawn(value: float) -> None:
    flat = [
        replace(line, best=value, mean=value, worst=value, stdev=0.0, size_best=0, size_mean=0)
        for line in LINES
    ]
    assert curves.fitness_chart(flat) is not None
    assert curves.size_chart(flat) is not None


def test_values_that_cannot_be_drawn_are_left_out() -> None:
    assert curves.fitness_chart([]) is None
    assert curves.fitness_chart(LINES[:1]) is None
    assert curves.diversity_chart([replace(line, diversity=None) for line in LINES]) is None


def test_long_runs_are_thinned_to_their_end() -> None:
    long = [replace(LINES[0], generation=n, diversity=0.5) for n in range(5000)]
    chart = curves.diversity_chart(long)
    assert chart is not None
    points = _numbers(chart.curves[0].points)
    assert len(points) <= curves.MOST_POINTS
    assert points[-1][0] == curves.WIDTH - curves.RIGHT


def test_every_node_of_a_tree_is_drawn_in_its_own_place() -> None:
    drawn = trees.draw_program("tanks", CHAMPION)
    assert [tree.name for tree in drawn] == ["ahead", "turn", "gun"]
    for tree in drawn:
        assert len(tree.spots) == tree.size
        assert len(tree.edges) == tree.size - 1
        assert len({(spot.x, spot.y) for spot in tree.spots}) == tree.size
        for spot in tree.spots:
            assert 0 <= spot.x <= tree.width
            assert 0 <= spot.y <= tree.height
    assert {spot.label for spot in drawn[0].spots} == {"Sub", "EnemyDistance", "100"}


def test_huge_trees_are_cut() -> None:
    leaf = "EnemyDistance"
    for _ in range(9):
        leaf = f"(Add {leaf} {leaf})"
    text = f"(program tanks (tree ahead (times 0.5 {leaf})) (tree turn 1.0) (tree gun 1.0))"
    programs = find_game("tanks").programs  # type: ignore[union-attr]
    parse(text, programs.architecture)
    big = trees.draw_program("tanks", text.encode())[0]
    assert big.size == 1023
    assert len(big.spots) <= trees.MOST_NODES
    assert any(spot.look == "cut" for spot in big.spots)
    assert "Add ×0.5" in [spot.label for spot in big.spots]  # noqa: RUF001
    assert trees.draw_program("tanks", b"nonsense") == []
    assert trees.draw_program("connect-four", CHAMPION) == []
