"""The leaderboard beyond its list: movement, close places, and past days."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from live_site import LiveSite, pair_and_play
from test_pages import check

from ladder.boards import ladders, leaderboards
from ladder.errors import NotFound
from ladder.scoring.skill import (
    COURSE_POINTS,
    LadderSkills,
    Placing,
    Skill,
    chance_of_being_better,
    rate,
    read_course,
)
from ladder.store import standing
from ladder.store.database import now
from ladder.values import BoardFilter, Kind
from ladder.web.pictures import charts


def test_a_rating_has_its_history_and_last_results() -> None:
    ladder = LadderSkills(predecessors={1: None, 2: None})
    scores = []
    for i in range(300):
        placings = [Placing(1, 1 + (i % 3 == 0)), Placing(2, 1 + (i % 3 > 0), at_fault=i % 3 == 1)]
        for version, (_, new) in rate(ladder, placings, 0.05).items():
            ladder.skills[version] = new
        scores.append(ladder.skills[1].score)
        course = read_course(ladder.skills[1].course)
        assert len(course) <= COURSE_POINTS
        assert len(course) >= min(i + 1, COURSE_POINTS // 2)
    assert ladder.skills[1].latest == "wlwwlwwlww"
    assert ladder.skills[2].latest == "lwxlwxlwxl"
    kept = read_course(ladder.skills[1].course)
    assert kept == pytest.approx([scores[n - 1] for n in range(16, 301, 16)], abs=0.006)


def test_rebuilding_gives_the_same(site: LiveSite) -> None:
    def read() -> list[tuple[int, str, bytes]]:
        with site.db.read() as c:
            rows = standing.board(c, "reversi", "open", None, 100)
        return [(row.version_id, row.latest, row.course) for row in rows]

    pair_and_play(site.db, site.replays, "reversi", 4)
    before = read()
    assert all(latest and course for _, latest, course in before)
    ladders.rerate(site.db, "reversi")
    assert read() == before


def test_chances() -> None:
    one, other = Skill(25, 2), Skill(25, 4)
    assert chance_of_being_better(one, other) == pytest.approx(0.5)
    assert chance_of_being_better(Skill(29, 3), Skill(25, 4)) == pytest.approx(0.788, abs=0.001)


def test_movement_since_the_day_began(site: LiveSite) -> None:
    today = now()
    yesterday = today - timedelta(days=1)
    assert leaderboards.keep_day(site.db, yesterday) >= len(ladders.games().games)
    assert leaderboards.keep_day(site.db, yesterday) == 0, "a day is kept once"
    before = {
        line.row.bot: line.row
        for line in leaderboards.page(site.db, "reversi", "open", None, 100).lines
    }
    pair_and_play(site.db, site.replays, "reversi", 8)
    after = leaderboards.page(site.db, "reversi", "open", None, 100).lines
    assert [line.row.rank for line in after] == list(range(1, len(after) + 1))
    for line in after:
        assert line.moved == before[line.row.bot].rank - line.row.rank
        assert not line.is_new
    assert any(line.moved for line in after)
    for above, below in pairwise(after):
        better = chance_of_being_better(
            Skill(below.row.mu, below.row.sigma), Skill(above.row.mu, above.row.sigma)
        )
        assert above.overtaken == pytest.approx(better)
    assert after[-1].overtaken is None

    day = yesterday.date()
    old = leaderboards.on_day(site.db, "reversi", "open", day, 1, 2)
    assert old.taken_at == yesterday
    assert [line.row.bot for line in old.lines] == list(before)[:2]
    assert old.lines[0].row.score == pytest.approx(before[old.lines[0].row.bot].score, abs=1e-4)
    assert old.next == "3"
    rest = leaderboards.on_day(site.db, "reversi", "open", day, 3, 100)
    assert [line.row.bot for line in rest.lines] == list(before)[2:]
    with pytest.raises(NotFound):
        leaderboards.on_day(site.db, "reversi", "open", day - timedelta(days=1), 1, 100)

    page = site.get(f"/games/reversi?on={day}").text
    check(page)
    assert "This is the board of" in page
    assert "data-live" not in page
    for bad, status in (("2026-02-31", 400), ("x", 400), ("1999-01-01", 404)):
        assert site.get(f"/games/reversi?on={bad}").status_code == status


def test_filters_and_search_keep_the_places_of_the_whole_board(site: LiveSite, token: str) -> None:
    whole = leaderboards.page(site.db, "reversi", "open", None, 100).lines
    house = leaderboards.page(site.db, "reversi", "open", None, 2, BoardFilter(Kind.HOUSE))
    assert [line.row for line in house.lines] == [line.row for line in whole[:2]]
    assert house.next
    more = leaderboards.page(site.db, "reversi", "open", house.next, 100, BoardFilter(Kind.HOUSE))
    assert [line.row for line in more.lines] == [line.row for line in whole[2:]]
    assert (
        leaderboards.page(site.db, "reversi", "open", None, 9, BoardFilter(Kind.WASM)).lines == []
    )
    name = whole[-1].row.bot
    found = leaderboards.page(
        site.db, "reversi", "open", None, 9, BoardFilter(name=name[1:].upper())
    )
    assert whole[-1].row in [line.row for line in found.lines]
    assert leaderboards.page(site.db, "reversi", "open", None, 9, BoardFilter(name="%")).lines == []

    page = site.get("/games/reversi").text
    check(page)
    assert page.count('class="marks"') == page.count('class="spark"') == len(whole)
    assert re.search(r'aria-label="newest first: (won|lost|drawn)', page)
    assert f'href="/bots/{whole[-1].row.bot_id}"' in page
    one = site.get(f"/games/reversi?search={name}&kind=house").text
    check(one)
    assert f'href="/bots/{whole[-1].row.bot_id}"' in one
    assert f'<td class="num rank">{whole[-1].row.rank}</td>' in one
    assert "No bot of this board matches" in site.get("/games/reversi?search=zzz").text
    assert site.get("/games/reversi?kind=nonsense").status_code == 400


def test_small_drawings() -> None:
    assert charts.spark([]) == charts.spark([1.0]) == ""
    assert charts.spark([0.0, 10.0]) == "0,17 62,1"
    assert charts.marks("wlw") == {"w": "M0 0h4v5h-4zM12 0h4v5h-4z", "l": "M6 9h4v5h-4z"}
    assert charts.tell_marks("wx") == "lost by a fault, won"


def test_the_front_page(site: LiveSite) -> None:
    page = site.get("/").text
    check(page)
    assert re.search(r"<time datetime=\"[^\"]+\" data-countdown>in \d+", page)
    assert "No league has been won yet" in page
    at = datetime.fromisoformat(re.findall(r'datetime="([^"]+)" data-countdown', page)[0])
    assert at > datetime.now(UTC)
