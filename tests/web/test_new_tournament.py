"""The form of a new tournament: fields by format, bots by name, and a time of the start."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
import requests
from live_site import LiveSite, play_queue
from playwright.sync_api import Page, expect
from real_browser import real_browser
from test_contest_pages import send, signed_in

from ladder.contests import tournaments
from ladder.contests.formats import FORMATS
from ladder.store.database import now
from ladder.values import TournamentStatus
from ladder.views import TournamentView

FORM = "/tournaments/new"
NAMED = {"game": "reversi", "format": "round-robin"}


@pytest.fixture
def root(site: LiveSite, admin: str) -> requests.Session:
    return signed_in(site, admin)


def made(site: LiveSite, sent: requests.Response) -> TournamentView:
    assert sent.status_code == 303, sent.text
    return tournaments.tournament(site.db, int(sent.headers["Location"].rpartition("/")[2]))


def fields(page: str) -> set[str]:
    return set(re.findall(r'<(?:input|select)[^>]* name="(\w+)"', page)) - {"csrf"}


def test_a_form_has_the_fields_of_its_format(site: LiveSite, root: requests.Session) -> None:
    first = root.get(site.url + FORM, timeout=30).text
    assert fields(first) == {"game", "format"}
    assert re.findall(r'type="radio" name="format" value="([\w-]+)"', first) == list(FORMATS)
    always = {"game", "format", "name", "top", "no_house", "one_per_owner", "bots", "starts_at"}
    for name, form in FORMATS.items():
        game = "tanks-melee" if form.many_seats else "reversi"
        page = root.get(f"{site.url}{FORM}?game={game}&format={name}", timeout=30).text
        assert fields(page) - {"division"} == {*always, "unrated", *form.options}
    assert "division" in fields(
        root.get(f"{site.url}{FORM}?game=tanks&format=swiss", timeout=30).text
    )


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("game=reversi&format=melee", 400, "A melee needs a game of more than two seats"),
        ("game=reversi&format=tombola", 400, "There is no format"),
        ("game=go&format=swiss", 404, "There is no game of this name; there are: reversi"),
    ],
)
def test_what_does_not_fit_is_chosen_again(
    site: LiveSite, root: requests.Session, query: str, status: int, told: str
) -> None:
    page = root.get(f"{site.url}{FORM}?{query}", timeout=30)
    assert page.status_code == status
    assert told in page.text
    assert fields(page.text) == {"game", "format"}
    game, form = (part.partition("=")[2] for part in query.split("&"))
    assert send(site, root, FORM, game=game, format=form).status_code == status


def test_bots_are_entered_by_name(site: LiveSite, root: requests.Session, token: str) -> None:
    site.upload(token, name="My Bot")
    play_queue(site.db, site.replays)
    page = root.get(f"{site.url}{FORM}?game=reversi&format=gauntlet", timeout=30).text
    assert '<option value="My Bot">ada</option>' in page
    assert '<option value="greedy">house</option>' in page
    entered = {"format": "gauntlet", "game": "reversi", "champion": "ada/my bot"}
    view = made(site, send(site, root, FORM, **entered, bots="Greedy, house/random,ada/My Bot"))
    assert {one.bot for one in view.entries} == {"greedy", "random", "My Bot"}
    champion = next(one for one in view.entries if one.seeding == view.champion)
    assert champion.bot == "My Bot"
    numbers = [str(one.bot_id) for one in view.entries]
    again = made(site, send(site, root, FORM, **NAMED, bots=" ".join(numbers)))
    assert {one.bot for one in again.entries} == {"greedy", "random", "My Bot"}


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"bots": "greedy, gredy"}, "no bot 'gredy'; did you mean 'greedy'?"),
        ({"bots": "ada/greedy, random"}, "no bot 'ada/greedy'"),
        ({"bots": "greedy, Greedy"}, "a bot can be entered only once"),
        ({"bots": "greedy"}, "enter at least 2"),
        ({"bots": "greedy, random", "top": "4"}, "choose either the best bots or bots by name"),
        ({"bots": "greedy, random", "no_house": "1"}, "choose either the best bots or"),
        ({"starts_at": "soon"}, "soon is no time; write the start as 2026-12-24T18:00"),
        ({"starts_at": "2020-01-01T00:00"}, "The start is over already"),
        ({"format": "gauntlet", "champion": "a, b"}, "has one champion"),
        ({"format": "gauntlet", "champion": "nobody"}, "no bot 'nobody'"),
    ],
)
def test_mistakes_are_told_and_nothing_is_lost(
    site: LiveSite, root: requests.Session, form: dict[str, str], told: str
) -> None:
    answer = send(site, root, FORM, **{**NAMED, "name": "Spring cup", **form})
    assert answer.status_code == (404 if "no bot" in told else 400)
    assert told.casefold() in html.unescape(answer.text).casefold()
    assert 'value="Spring cup"' in answer.text
    for name, value in form.items():
        if name in ("bots", "top", "champion"):
            assert f'value="{value}"' in answer.text
        elif name == "no_house":
            assert 'name="no_house" type="checkbox" value="1" checked' in answer.text
    assert tournaments.page(site.db, None, None, 10).rows == []


def test_house_bots_stay_out_and_owners_send_one_bot(
    site: LiveSite, root: requests.Session, token: str, admin: str
) -> None:
    for name in ("one", "two"):
        site.upload(token, name=name)
        site.upload(site.account(f"b-{name}"), name=f"hers-{name}")
    play_queue(site.db, site.replays)
    plain = made(site, send(site, root, FORM, **NAMED, no_house="1"))
    assert {one.bot for one in plain.entries} == {"one", "two", "hers-one", "hers-two"}
    single = made(site, send(site, root, FORM, **NAMED, no_house="1", one_per_owner="1"))
    assert sorted(one.owner for one in single.entries) == ["ada", "b-one", "b-two"]
    body = {**NAMED, "house_bots": False, "per_owner": 1}
    over_api = site.post("/api/v1/tournaments", admin, json=body).json()["id"]
    entries = tournaments.tournament(site.db, over_api).entries
    assert [one.bot for one in entries] == [one.bot for one in single.entries]


def test_the_api_takes_names_and_numbers(site: LiveSite, admin: str) -> None:
    rows = site.get("/api/v1/games/reversi/leaderboard").json()["rows"]
    other = next(row for row in rows if row["bot"] != "greedy")
    body = {"game": "reversi", "format": "gauntlet", "bots": [other["bot_id"], "greedy"]}
    body["options"] = {"champion": "house/greedy"}
    sent = site.post("/api/v1/tournaments", admin, json=body)
    view = site.get(f"/api/v1/tournaments/{sent.json()['id']}").json()
    assert {one["bot"] for one in view["entries"]} == {other["bot"], "greedy"}
    greedy = next(one for one in view["entries"] if one["bot"] == "greedy")
    assert (view["champion"], view["options"]["champion"]) == (greedy["seeding"], greedy["bot_id"])
    body["bots"] = ["greedy", "nobody"]
    refused = site.post("/api/v1/tournaments", admin, json=body)
    assert refused.status_code == 404
    assert refused.json()["detail"].startswith("reversi has no bot 'nobody'; ")


def test_a_start_in_the_future_is_shown_and_kept(site: LiveSite, root: requests.Session) -> None:
    later = (now() + timedelta(days=3)).replace(second=0, microsecond=0)
    when = later.strftime("%Y-%m-%dT%H:%M")
    view = made(site, send(site, root, FORM, **NAMED, top="4", starts_at=when))
    assert (view.status, view.scheduled_for) == (TournamentStatus.PENDING, later)
    assert "It begins at" in site.get(f"/tournaments/{view.id}").text
    assert tournaments.carry_on(site.db) == []
    assert tournaments.carry_on(site.db, later) == [view.id]
    assert "It begins at" not in site.get(f"/tournaments/{view.id}").text


@pytest.fixture
def page(site: LiveSite, admin: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    with real_browser() as browser:
        page = browser.page(site.url, java_script_enabled=request.param)
        page.goto(site.url + "/signin?next=/tournaments/new")
        page.get_by_label("Token").fill(admin)
        page.get_by_role("button", name="Sign in").click()
        yield page
        assert not browser.trouble


@pytest.mark.slow
@pytest.mark.parametrize("page", [True, False], indirect=True, ids=["script", "no-script"])
def test_the_whole_way_in_a_browser(site: LiveSite, page: Page) -> None:
    expect(page.get_by_role("heading", name="New tournament")).to_be_visible()
    page.get_by_label("Game", exact=True).select_option("reversi")
    page.get_by_label("Gauntlet").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Name", exact=True).fill("Spring cup")
    page.get_by_label("Or these bots, by name").fill("greedy, random")
    page.get_by_label("Champion").fill("random")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="Spring cup")).to_be_visible()
    champion = page.locator("dt", has_text="Champion").locator("xpath=following-sibling::dd")
    expect(champion).to_have_text("random")


@pytest.mark.slow
@pytest.mark.parametrize("page", [True], indirect=True, ids=["script"])
def test_every_name_of_a_list_is_completed(site: LiveSite, page: Page) -> None:
    page.goto(f"{site.url}{FORM}?game=reversi&format=round-robin")
    field = page.get_by_label("Or these bots, by name")
    offered = "field => [...field.list.options].map((one) => one.value)"
    assert "greedy" in field.evaluate(offered)
    field.press_sequentially("greedy, ra")
    assert "greedy, random" in field.evaluate(offered)
    assert "greedy, greedy" not in field.evaluate(offered)
