"""Pages of bots, of two bots head to head, of the matrix of the best, and of board games."""

from __future__ import annotations

import gzip
import re
import shutil
from collections.abc import Iterator
from functools import partial

import pytest
from draughts.PDN import PDNReader
from live_site import (
    BOT,
    EVERYBODY,
    WORKER,
    LiveSite,
    Serving,
    at_fault,
    make_site,
    pair_and_play,
    play_queue,
    queue_fight,
    record,
)
from playwright.sync_api import Page, Route, expect, sync_playwright
from replay_files import own_file
from test_browser import FLAGS
from test_pages import check

from ladder.matches import leasing
from ladder.matches.listing import replay
from ladder.runner.replay import decode
from ladder.store.migrate import upgrade
from ladder.uploads import submissions


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """Random games of checkers and Connect Four; a bot of ada lost one of them by a fault."""
    site = make_site(tmp_path_factory.mktemp("rivals"))
    upgrade(site.db)
    submissions.seed_house_bots(site.db)
    with Serving(site.app) as site.url:
        ada = site.account("ada")
        site.upload(ada, name="mine", game="checkers", file=BOT + b"# my source\n")
        play_queue(site.db, site.replays)
        pair_and_play(site.db, site.replays, "checkers", 14)
        queue_fight(site, "checkers", ["mine", "greedy"])
        (job,) = leasing.lease(site.db, WORKER, 60, 1, leasing.Playable(EVERYBODY))
        fault = at_fault(job, 0, "it broke <b>here</b>", "line <7>")
        record(site.db, site.replays, job, fault)
        pair_and_play(site.db, site.replays, "connect-four", 1)
        yield site
    site.db.close()


def mine(site: LiveSite) -> int:
    rows = site.get("/api/v1/games/checkers/leaderboard?limit=100").json()["rows"]
    return next(int(row["bot_id"]) for row in rows if row["bot"] == "mine")


def test_a_bot_page_shows_its_career(arena: LiveSite) -> None:
    bot = mine(arena)
    page = arena.get(f"/bots/{bot}").text
    check(page)
    career = arena.get(f"/api/v1/bots/{bot}/career").json()
    history = arena.get(f"/api/v1/bots/{bot}/history?limit=200").json()["rows"]
    assert career["matches"] == len(history)
    assert sum(sum(row["tally"].values()) for row in career["opponents"]) == len(history)
    assert career["faults"] == {"illegal-move": 1}
    assert sum(bar["matches"] for bar in career["move_times"]) == len(history)
    for row in career["opponents"]:
        tally = row["tally"]
        games = sum(tally.values())
        assert row["share"] == pytest.approx((tally["wins"] + tally["draws"] / 2) / games)
        assert 0 < row["expected"] < 1
        assert f'href="/bots/{bot}/against/{row["bot_id"]}"' in page
    # Expected scores are those just before each match.
    opponent = career["opponents"][0]["bot_id"]
    met = arena.get(f"/api/v1/bots/{bot}/against/{opponent}").json()
    assert met["total"] == career["opponents"][0]["tally"]
    wins = [row["expected"] for row in career["best_wins"]]
    losses = [row["expected"] for row in career["worst_losses"]]
    assert wins == sorted(wins)
    assert losses == sorted(losses, reverse=True)
    assert "illegal move</td>" in page
    assert "my source" not in page
    assert "Validation report" not in page
    assert "it broke" not in page
    assert arena.get("/api/v1/bots/99999/career").status_code == 404
    assert arena.get(f"/bots/{bot}?division=nano").status_code == 404


def test_two_bots_head_to_head(arena: LiveSite) -> None:
    bot = mine(arena)
    rival = arena.get(f"/api/v1/bots/{bot}/career").json()["opponents"][0]["bot_id"]
    page = arena.get(f"/bots/{bot}/against/{rival}").text
    check(page)
    told = arena.get(f"/api/v1/bots/{bot}/against/{rival}?limit=1").json()
    games = sum(told["total"].values())
    assert f'<td class="num">{games}</td>' in page
    assert "Expected now" in page
    assert "In the first seat" in page
    for row in told["rows"]:
        assert f'href="/matches/{row["id"]}"' in page
    older = arena.get(f"/bots/{bot}/against/{rival}?after={told['next']}").text
    assert f'href="/matches/{told["rows"][0]["id"]}"' not in older
    rows = arena.get("/api/v1/games/checkers/leaderboard?limit=100").json()["rows"]
    strangers = [
        row["bot_id"]
        for row in rows
        if row["bot_id"] != bot
        and not arena.get(f"/api/v1/bots/{bot}/against/{row['bot_id']}").json()["rows"]
    ]
    assert strangers
    assert "have not met" in arena.get(f"/bots/{bot}/against/{strangers[0]}").text
    assert arena.get(f"/bots/{bot}/against/{bot}").status_code == 404
    assert arena.get(f"/bots/{bot}/against/1").status_code == 404, "of another game"


def test_the_best_against_each_other(arena: LiveSite) -> None:
    table = arena.get("/api/v1/games/checkers/matrix").json()
    page = arena.get("/games/checkers/matrix").text
    check(page)
    names = [row["bot"] for row in table["rows"]]
    board = arena.get("/api/v1/games/checkers/leaderboard?limit=20").json()["rows"]
    assert names == [row["bot"] for row in board]
    cells = re.findall(
        r'class="num (heat-\d+)"><a href="/bots/\d+/against/\d+" title="(\S+)">', page
    )
    told = [
        "{wins}/{draws}/{losses}".format(**cell)
        for row in table["rows"]
        for cell in row["cells"]
        if sum(cell.values())
    ]
    assert [title for _, title in cells] == told
    assert all((heat == "heat-10") == (title.split("/")[1:] == ["0", "0"]) for heat, title in cells)
    assert page.count('class="self"') == len(names)
    assert "The mixture that nobody beats" in page
    small = arena.get("/api/v1/games/checkers/matrix?top=2").json()
    assert len(small["rows"]) == len(small["rows"][0]["cells"]) == 2
    assert arena.get("/api/v1/games/checkers/matrix?top=51").status_code == 400
    assert arena.get("/games/checkers/matrix?top=1").status_code == 400
    assert arena.get("/games/nothing/matrix").status_code == 404


def test_the_owner_sees_more_and_may_retire_it(arena: LiveSite) -> None:
    bob = arena.browser("bob")
    csrf = bob.csrf()
    fields = {"csrf": csrf, "game": "checkers", "name": "brief"}
    sent = bob.post("/upload", data=fields, files={"file": BOT + b"# of bob\n"})
    where = sent.headers["Location"].removesuffix("/versions/1")
    bot = int(where.rpartition("/")[2])
    busy = bob.post(f"{where}/retire", data={"csrf": csrf})
    assert busy.status_code == 409
    assert "is being validated" in busy.text.lower()
    (job,) = [
        job
        for job in leasing.lease(arena.db, WORKER, 60, 500, leasing.Playable(EVERYBODY))
        if job.entrants[0].name == "brief"
    ]
    fault = at_fault(job, 1, "")
    record(arena.db, arena.replays, job, fault)
    leasing.hand_back(arena.db, WORKER)
    page = bob.get(where).text
    check(page)
    assert "Validation report" in page
    assert f'href="{where}/versions/1/source" download' in page
    source = bob.get(f"{where}/versions/1/source")
    assert source.content == BOT + b"# of bob\n"
    assert source.headers["Content-Type"] == "application/octet-stream"
    assert source.headers["Content-Disposition"] == f'attachment; filename="bot-{bot}-v1.py"'
    assert bob.get(f"{where}/versions/2/source").status_code == 404
    assert bob.get(f"/bots/{mine(arena)}/versions/1/source").status_code == 403
    eve = arena.account("eve")
    assert arena.get(f"/api/v1/bots/{bot}/versions/1/source", eve).status_code == 403
    assert arena.post(f"/api/v1/bots/{bot}/retire", eve).status_code == 403
    assert bob.post(f"/bots/{mine(arena)}/retire", data={"csrf": csrf}).status_code == 403
    assert f"/bots/{bot}" in arena.get("/games/checkers").text
    assert bob.post(f"{where}/retire", data={"csrf": csrf}).status_code == 303
    after = bob.get(where).text
    assert "Retired by its owner" in after
    assert "Retire brief" not in after
    for page in (where, f"{where}/versions/1"):  # retired, but not for a fault
        shown = arena.get(page).text
        assert '<span class="badge retired">retired</span>' in shown
        assert ">suspended<" not in shown
    assert "brief" not in [
        row["bot"]
        for row in arena.get("/api/v1/games/checkers/leaderboard?limit=99").json()["rows"]
    ]
    assert arena.get(f"/api/v1/bots/{bot}").json()["current_version"] is None


def finished(site: LiveSite, game: str) -> int:
    """The finished match of a game with the most plies."""
    rows = site.get(f"/api/v1/matches?game={game}&limit=200").json()["rows"]
    return int(max(rows, key=lambda row: row["plies"])["id"])


def test_frames_and_records(arena: LiveSite) -> None:
    match = finished(arena, "checkers")
    document = decode(replay(arena.db, arena.replays, match))
    answer = arena.get(f"/api/v1/matches/{match}/frames")
    frames = answer.json()["frames"]
    assert [frame["move"] for frame in frames[1:]] == [move.move for move in document.moves]
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(gzip.compress(answer.content)) < 100_000
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert arena.get(f"/api/v1/matches/{match}/frames", headers=tag).status_code == 304
    page = arena.get(f"/matches/{match}?ply=9").text
    check(page)
    assert frames[9]["svg"] in page
    assert page.count("<polygon") == 1, "the last move has an arrow"
    assert f'href="/api/v1/matches/{match}/record"' in page
    text = arena.get(f"/api/v1/matches/{match}/record")
    assert text.headers["Content-Disposition"] == f'attachment; filename="match-{match}.pdn"'
    (game,) = PDNReader(pdn_text=text.text).games
    assert game.moves == [move.move for move in document.moves]
    assert game.tags["Black"] == document.entrants[0].name
    columns = finished(arena, "connect-four")
    moves = decode(replay(arena.db, arena.replays, columns)).moves
    word = arena.get(f"/api/v1/matches/{columns}/record").text
    assert word == "".join(move.move or "" for move in moves) + "\n"
    path = own_file(arena.db, arena.replays, columns)
    path.rename(path.with_suffix(".away"))
    assert arena.get(f"/api/v1/matches/{columns}/record").status_code == 410
    assert arena.get(f"/matches/{columns}/embed").status_code == 200
    path.with_suffix(".away").rename(path)


@pytest.mark.slow
def test_a_replay_in_the_browser(arena: LiveSite) -> None:
    """Keys, moves and buttons lead to positions; the address follows; other sites may frame it."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    match = finished(arena, "checkers")
    last = len(decode(replay(arena.db, arena.replays, match)).moves)
    trouble: list[str] = []
    # The browser must not know that the invented other site is on this machine.
    flags = [*FLAGS, "--disable-features=LocalNetworkAccessChecks"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(f"{arena.url}/matches/{match}?ply=9")
        count = page.locator(".plies .count")
        expect(count).to_have_text(f"9 / {last}")
        check_keys(page, last)
        page.locator(".moves a").nth(11).click()
        expect(count).to_have_text(f"12 / {last}")
        expect(page.locator(".moves [aria-current]")).to_have_count(1)
        page.wait_for_url(f"**/matches/{match}?ply=12")
        shown = page.locator(".frame svg").inner_html()
        page.reload()
        expect(count).to_have_text(f"12 / {last}")
        assert page.locator(".frame svg").inner_html() == shown, "the link leads here"
        page.locator("#pace").select_option("8")
        page.locator(".player .play").click()
        expect(page.locator(".player .play")).to_have_text("Pause")
        expect(count).not_to_have_text(f"12 / {last}")
        page.keyboard.press("Home")
        expect(count).to_have_text(f"0 / {last}")
        expect(page.locator(".player .play")).to_have_text("Play")
        # Only /embed may be in a frame of another site.
        other = arena.url.replace("127.0.0.1", "localhost")
        for path, name in (("/embed?ply=3", "shown"), ("", "refused")):
            html = f'<iframe src="{arena.url}/matches/{match}{path}" height="620"></iframe>'
            page.route(f"{other}/{name}", partial(answer, html=html))
        page.goto(f"{other}/shown")
        inside = page.frame_locator("iframe")
        expect(inside.locator(".plies .count")).to_have_text(f"3 / {last}")
        inside.get_by_role("link", name="Next position").click()
        expect(inside.locator(".plies .count")).to_have_text(f"4 / {last}")
        assert trouble == []
        page.goto(f"{other}/refused")
        page.wait_for_timeout(300)
        assert any("frame-ancestors" in text for text in trouble), "no other page may be framed"
        # Without scripts every step is a link.
        plain = browser.new_page(java_script_enabled=False)
        plain.goto(f"{arena.url}/matches/{match}?ply=9")
        plain.get_by_role("link", name="Next position").click()
        expect(plain.locator(".plies .count")).to_have_text(f"10 / {last}")
        expect(plain.locator(".player")).to_be_hidden()
        browser.close()


def answer(route: Route, html: str) -> None:
    route.fulfill(body=html, content_type="text/html")


def check_keys(page: Page, last: int) -> None:
    count = page.locator(".plies .count")
    for key, ply in (
        ("ArrowRight", 10),
        ("ArrowLeft", 9),
        ("ArrowLeft", 8),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("End", last),
        ("ArrowRight", last),
    ):
        page.keyboard.press(key)
        expect(count).to_have_text(f"{ply} / {last}")
    page.keyboard.press(" ")  # from the end it starts over
    expect(page.locator(".player .play")).to_have_text("Pause")
    page.keyboard.press(" ")
    expect(page.locator(".player .play")).to_have_text("Play")
