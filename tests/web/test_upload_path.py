"""From nothing to a rated bot: the upload page, validation in real sandboxes, and its page."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_site import WORKER, LiveSite, Serving, make_site
from playwright.sync_api import expect
from real_browser import PHONE, real_browser
from test_pages import check

from engines.games import GAMES, by_name
from ladder import matches, results, submissions
from ladder.excerpts import find_excerpt
from ladder.migrate import upgrade
from ladder.runner import play_job
from ladder.runner.selftest import choose_tier
from ladder.values import Kind, Limits
from ladder.web.upload_pages import starter

NO_COLON = """import random

def agent(observation, configuration)
    return random.choice(observation["legal"])
"""
RAISES = """def agent(observation, configuration):
    return choose(observation["legal"])


def choose(legal):
    return legal[1000]
"""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site with house bots and nothing played yet."""
    live = make_site(tmp_path_factory.mktemp("fresh"), uploads_per_hour=100)
    upgrade(live.db)
    submissions.seed_house_bots(live.db)
    with Serving(live.app) as live.url:
        yield live
    live.db.close()


@pytest.fixture(scope="module")
def tier(fresh: LiveSite) -> str:
    return str(choose_tier(fresh.settings.data))


def play_all(site: LiveSite, tier: str) -> int:
    """Play what is queued, as a worker does; how many matches that were."""
    played = 0
    while jobs := matches.lease(site.db, WORKER, 60, 10, tuple(Kind), Limits()):
        for job in jobs:
            report = play_job(job, site.settings.data, tier)
            results.finish(site.db, site.replays, WORKER, [results.Finished(report, job.attempt)])
            played += 1
    return played


def test_every_starter_is_accepted(fresh: LiveSite, tier: str) -> None:
    stranger = fresh.get("/upload?game=connect-four").text
    assert "A first bot for Connect Four" in stranger
    check(stranger)
    browser = fresh.browser("starter")
    for game in GAMES:
        fields = {"csrf": browser.csrf(), "game": game.name, "name": "first", "code": ""}
        fields["code"] = starter(game.name).replace("\n", "\r\n")  # as browsers send it
        sent = browser.post("/upload", files={k: (None, v) for k, v in fields.items()})
        assert sent.status_code == 303, sent.text
        assert play_all(fresh, tier) == 1
        page = browser.get(sent.headers["Location"])
        assert '<span class="badge accepted">' in page.text, page.text


def test_a_stranger_comes_in_with_the_bot(fresh: LiveSite, tier: str) -> None:
    form = {"game": "reversi", "name": "newcomer", "code": NO_COLON, "account": "linus"}
    sent = fresh.post("/upload", files={k: (None, v) for k, v in form.items()})
    assert sent.status_code == 201
    (token,) = re.findall(r'id="token">(lad_[\w-]+)<', sent.text)
    (path,) = re.findall(r'class="button" href="(/bots/\d+/versions/1)"', sent.text)
    assert "HttpOnly" in sent.headers["Set-Cookie"]
    play_all(fresh, tier)
    one = f"/api/v1{path}"
    told = fresh.get(one, token).json()
    assert (told["loads"], told["plays"]) == ("failed", "waiting")
    assert (told["excerpt"]["file"], told["excerpt"]["line"], told["excerpt"]["column"]) == (
        *("bot.py", 3, 38),
    )
    assert told["excerpt"]["lines"][2]["text"] == "def agent(observation, configuration)"
    stranger = fresh.get(one).json()
    assert (stranger["excerpt"], stranger["stderr"], stranger["version"]["reason"]) == (
        *(None, "", None),
    )
    for wrong, status in (
        ({"account": "linus"}, 409),
        ({"account": ""}, 401),
        ({"token": "lad_wrong"}, 401),
        ({"name": "", "account": "nobody"}, 400),
        ({"code": " ", "account": "nobody"}, 422),
        ({"game": "go", "account": "nobody"}, 404),
    ):
        again = fresh.post("/upload", files={k: (None, v) for k, v in {**form, **wrong}.items()})
        assert again.status_code == status, wrong
        assert "Set-Cookie" not in again.headers
        assert 'role="alert"' in again.text
        if "code" not in wrong:
            assert "import random" in again.text, "what was written is kept"
    # The name of the bot is somebody else's: the account is made, and its token must be seen.
    eve = {**form, "account": "eve"}
    taken = fresh.post("/upload", files={k: (None, v) for k, v in eve.items()})
    assert taken.status_code == 409
    assert "lad_" in taken.text
    assert "Set-Cookie" in taken.headers
    # A token does as well as a new account.
    known = {**form, "token": token, "account": "", "code": RAISES}
    sent = fresh.post("/upload", files={k: (None, v) for k, v in known.items()})
    assert sent.headers["Location"] == path.removesuffix("1") + "2"
    play_all(fresh, tier)
    told = fresh.get(f"/api/v1{sent.headers['Location']}", token).json()
    assert (told["loads"], told["plays"]) == ("passed", "failed")
    assert (told["excerpt"]["line"], told["excerpt"]["column"]) == (6, None)
    assert "IndexError" in told["stderr"]


def test_excerpts_believe_nobody() -> None:
    source = b"a = 1\nb = 2\n"
    for complaint in ("no place", "bot.py line 3: x", "bot.py line 0: x", "other.py line 1: x"):
        assert find_excerpt(complaint, source) is None
    found = find_excerpt("bot.py line 2 column 999: x", source)
    assert found is not None
    assert (found.line, found.column) == (2, None)
    assert find_excerpt("bot.py line 1: x", b"PK\x03\x04 broken") is None
    assert find_excerpt("bot.py line 1: x", b"\0asm\x01\0\0\0") is None


@pytest.mark.slow
def test_the_whole_story(fresh: LiveSite, tier: str, tmp_path: Path) -> None:
    """An account, a bot with a mistake, its correction, acceptance, a rating, and a replay."""
    file = tmp_path / "clever.py"
    file.write_text(NO_COLON)
    with real_browser() as browser:
        page = browser.page(fresh.url, viewport=PHONE)
        page.goto(fresh.url)
        page.get_by_role("link", name="Upload", exact=True).click()
        page.get_by_label("Game").select_option("connect-four")
        expect(page.get_by_label("Or write it here")).to_have_value(re.compile("Connect Four"))
        page.get_by_label("File").set_input_files(file)
        expect(page.get_by_label("Or write it here")).to_have_value(NO_COLON)
        expect(page.get_by_label("Name of the bot")).to_have_value("clever")
        page.get_by_label("Name of your new account").fill("Grace")
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", name="Welcome, Grace")).to_be_visible()
        assert page.locator("#token").inner_text().startswith("lad_")
        page.get_by_role("link", name="Watch clever").click()
        expect(page.get_by_text("Queued for validation, next in line.")).to_be_visible()
        # The page brings itself up to date.
        play_all(fresh, tier)
        expect(page.get_by_text("expected ':'").first).to_be_visible(timeout=20_000)
        marked = page.locator(".excerpt mark")
        expect(marked).to_have_text(re.compile(r"3 +def agent\(observation, configuration\)$"))
        page.get_by_role("link", name="Correct it").click()
        code = page.get_by_label("Or write it here")
        expect(code).to_have_value(NO_COLON)
        code.fill(NO_COLON.replace("configuration)", "configuration):"))
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", name="clever v2")).to_be_visible()
        page.evaluate("document.activeElement.blur()")
        play_all(fresh, tier)
        expect(page.get_by_text("accepted", exact=True)).to_be_visible(timeout=20_000)
        chance = random.Random(5)
        while "clever" not in rated(fresh):
            assert matches.pair(fresh.db, by_name("connect-four"), chance) is not None
            play_all(fresh, tier)
        expect(page.get_by_text("Score", exact=True)).to_be_visible(timeout=20_000)
        page.locator(".list a[href^='/matches/']").first.click()
        expect(page.get_by_role("heading", name="Moves")).to_be_visible()
        page.goto(fresh.url + "/games/connect-four")
        expect(page.get_by_role("link", name="clever")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    assert browser.trouble == []


def rated(site: LiveSite) -> set[str]:
    rows = site.get("/api/v1/games/connect-four/leaderboard").json()["rows"]
    return {row["bot"] for row in rows if row["matches"]}
