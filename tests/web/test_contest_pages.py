"""Tournaments, leagues, challenges and repairs over HTTP: the API, the pages and their forms."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
import requests
from ladder_steps import finish, lease
from live_site import LiveSite, play_queue
from tournament_steps import add_bots

from ladder import evolution
from ladder.contests import tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.evolution import schedules
from ladder.matches import leasing, listing
from ladder.values import Fault, MatchStatus

ADMIN = "root"
API = "/api/v1"


def create(
    site: LiveSite, form: str, game: str = "reversi", top: int = 4, **options: object
) -> int:
    return tournaments.create(
        site.db,
        tournaments.NewTournament(game, form, Selection(top=top), FormatOptions(seed=3, **options)),
        actor=ADMIN,
    ).id


def signed_in(site: LiveSite, token: str) -> requests.Session:
    session = requests.Session()
    answer = session.post(
        site.url + "/signin", data={"token": token, "next": ""}, allow_redirects=False, timeout=30
    )
    assert answer.status_code == 303
    return session


def send(site: LiveSite, session: requests.Session, path: str, **form: str) -> requests.Response:
    page = session.get(site.url + "/upload", timeout=30).text
    csrf = page.split('name="csrf" value="')[1].split('"')[0]
    return session.post(
        site.url + path, data={"csrf": csrf, **form}, allow_redirects=False, timeout=30
    )


def test_a_tournament_over_the_api(site: LiveSite, token: str, admin: str) -> None:
    wanted = {"game": "reversi", "format": "single-elimination", "top": 4, "options": {"seed": 1}}
    assert site.post(f"{API}/tournaments", token, json=wanted).status_code == 403
    made = site.post(f"{API}/tournaments", admin, json=wanted)
    assert made.status_code == 201
    assert made.json()["status"] == "running"
    one = f"{API}/tournaments/{made.json()['id']}"
    view = site.get(one).json()
    assert (view["status"], view["format"], len(view["entries"])) == (
        "running",
        "single-elimination",
        4,
    )
    assert [len(p["entrants"]) for p in view["rounds"][0]["pairings"]] == [2, 2]
    assert view["winner"] is None
    for action, status in (("pause", "paused"), ("resume", "running")):
        assert site.post(f"{one}/{action}", token).status_code == 403
        assert site.post(f"{one}/{action}", admin).json()["status"] == status
        assert site.post(f"{one}/{action}", admin).status_code == 409
    play_queue(site.db, site.replays)
    view = site.get(one).json()
    assert view["status"] == "finished"
    assert view["winner"] == view["standings"][0]["bot"]
    again = site.post(f"{one}/requeue", admin, json={"round": 1})
    assert again.json()["status"] == "running"
    bot = view["entries"][0]["bot_id"]
    assert site.post(f"{one}/withdraw", admin, json={"bot": bot}).status_code == 200
    assert site.post(f"{one}/cancel", admin).json()["status"] == "cancelled"
    assert site.get(f"{one}/actions", token).status_code == 403
    log = site.get(f"{one}/actions", admin).json()["actions"]
    assert [entry["action"] for entry in log] == [
        "cancel",
        "withdraw",
        "requeue",
        "resume",
        "pause",
        "create",
    ]
    assert {entry["actor"] for entry in log} == {"root"}
    assert site.get(f"{API}/tournaments").json()["rows"][0]["id"] == made.json()["id"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"format": "tombola"}, 400),
        ({"game": "go"}, 404),
        ({"division": "nano"}, 404),
        ({"options": {"legs": 0}}, 400),
        ({"options": {"colour": "red"}}, 400),
        ({"bots": [1, 10**6]}, 400),
        ({"top": 10**9}, 400),
        ({"starts_at": "2026-01-01T00:00:00"}, 400),
    ],
)
def test_bad_tournaments_are_refused(
    site: LiveSite, admin: str, change: dict[str, object], status: int
) -> None:
    wanted = {"game": "reversi", "format": "swiss", **change}
    assert site.post(f"{API}/tournaments", admin, json=wanted).status_code == status


def test_a_challenge_over_the_api(site: LiveSite, admin: str, token: str) -> None:
    rows = site.get(f"{API}/games/reversi/leaderboard").json()["rows"]
    wanted = {"game": "reversi", "bots": [rows[0]["bot_id"], rows[1]["bot_id"]], "seed": 5}
    assert site.post(f"{API}/matches", json=wanted).status_code == 401
    assert site.post(f"{API}/matches", token, json=wanted).status_code == 403
    made = site.post(f"{API}/matches", admin, json=wanted)
    assert made.status_code == 202
    view = site.get(f"{API}/matches/{made.json()['id']}").json()
    assert (view["status"], view["rated"], view["purpose"], view["seed"]) == (
        "queued",
        False,
        "challenge",
        5,
    )


def test_the_pages_of_every_format(site: LiveSite) -> None:
    runs = {
        "single-elimination": create(site, "single-elimination", top=6, third_place=True),
        "round-robin": create(site, "round-robin"),
        "swiss": create(site, "swiss", top=5, rounds=3),
        "gauntlet": create(site, "gauntlet"),
    }
    for state in ("open", "finished"):
        for form, number in runs.items():
            page = site.get(f"/tournaments/{number}")
            assert page.status_code == 200, (form, state)
            assert ("<svg class=" in page.text) == (form == "single-elimination")
            assert ("Crosstable" in page.text) == (form in ("round-robin", "swiss"))
            assert ("Buchh." in page.text) == (form == "swiss")
            assert "style=" not in page.text, "the content policy forbids it"
            assert "Pause" not in page.text
        play_queue(site.db, site.replays)
    page = site.get(f"/tournaments/{runs['single-elimination']}").text
    assert "Semi-finals" in page
    assert 'class="won"' in page
    assert "<h2>Round 3</h2>" in page, "the latest"
    first = site.get(f"/tournaments/{runs['swiss']}?round=1").text
    assert "<h2>Round 1</h2>" in first
    assert '?round=3#rounds">3</a>' in first
    assert "<h2>Round" not in site.get(f"/tournaments/{runs['swiss']}?round=77").text
    shown = site.get("/tournaments").text
    assert all(f"/tournaments/{number}" in shown for number in runs.values())


def test_boxes_of_a_bracket_do_not_overlap(site: LiveSite) -> None:
    add_bots(site.db, 40)
    page = site.get(f"/tournaments/{create(site, 'single-elimination', top=37)}").text
    boxes = re.findall(r'<rect class="box" x="([\d.]+)" y="([\d.]+)"', page)
    assert len(boxes) == 63
    columns: dict[str, list[float]] = {}
    for x, y in boxes:
        columns.setdefault(x, []).append(float(y))
    assert [len(column) for column in columns.values()] == [32, 16, 8, 4, 2, 1]
    assert all(b - a >= 44 for column in columns.values() for a, b in pairwise(sorted(column)))


def test_a_crosstable_of_many_is_compact(site: LiveSite) -> None:
    add_bots(site.db, 60)
    page = site.get(f"/tournaments/{create(site, 'round-robin', top=60)}").text
    assert '<pre class="grid"' in page
    assert f" 1 #{'.' * 59} " in page
    assert "?row=" not in page


def test_a_table_of_very_many_is_shown_in_parts(site: LiveSite) -> None:
    add_bots(site.db, 103)
    run = create(site, "round-robin", top=103)
    table = site.get(f"/api/v1/tournaments/{run}").json()
    bots = [line["bot"] for line in table["standings"]]
    first = site.get(f"/tournaments/{run}").text
    second = site.get(f"/tournaments/{run}?row=101").text
    for page, shown in ((first, range(100)), (second, range(100, 103))):
        grid = re.findall(r"^ *(\d+) ([#.]+) (.+)$", page.replace('tabindex="0">', "\n"), re.M)
        assert grid == [(str(n + 1), table["grid"][n], bots[n]) for n in shown]
        places = re.findall(r'<td class="num rank">(\d+)</td>', page)
        assert places == [str(table["standings"][n]["place"]) for n in shown]
    assert f'<a href="/tournaments/{run}?row=101#crosstable">101' in first
    assert f'<a href="/tournaments/{run}?row=1#standings">1' in second
    assert site.get(f"/tournaments/{run}?row=150").text == second
    assert site.get(f"/tournaments/{run}?row=9999").status_code == 200
    assert site.get(f"/tournaments/{run}?row=0").status_code == 400


def test_an_admin_runs_a_tournament_on_the_pages(site: LiveSite, admin: str, token: str) -> None:
    root, ada = signed_in(site, admin), signed_in(site, token)
    assert ada.get(site.url + "/tournaments/new", timeout=30).status_code == 403
    form = {"game": "reversi", "format": "swiss", "top": "4", "rounds": "2", "name": "Spring cup"}
    assert send(site, ada, "/tournaments/new", **form).status_code == 403
    wrong = send(site, root, "/tournaments/new", **{**form, "best_of": "3"})
    assert wrong.status_code == 400
    assert "has no option best_of" in wrong.text
    assert 'value="Spring cup"' in wrong.text
    made = send(site, root, "/tournaments/new", **form)
    assert made.status_code == 303
    path = made.headers["Location"]
    assert "Spring cup" in site.get(path).text
    for action, status in (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
        assert send(site, ada, f"{path}/act", action=action).status_code == 403
        assert send(site, root, f"{path}/act", action=action).status_code == 303
        assert f'class="badge {status}"' in site.get(path).text
    forged = root.post(site.url + f"{path}/act", data={"action": "resume"}, timeout=30)
    assert forged.status_code == 403, "an action needs a form token"
    assert "By hand" in root.get(site.url + path, timeout=30).text


def test_an_admin_runs_a_league_on_its_page(site: LiveSite, admin: str) -> None:
    made = send(site, signed_in(site, admin), "/leagues/1/run")
    assert made.status_code == 303
    play_queue(site.db, site.replays)
    league = site.get(f"{API}/leagues/1").json()
    assert league["runs"][0]["status"] == "finished"
    assert league["format"] == "round-robin"
    page = site.get("/leagues/1").text
    assert "Champions" in page
    assert f"/tournaments/{league['runs'][0]['id']}" in page


def test_troubles_are_solved_on_their_page(site: LiveSite, admin: str, token: str) -> None:
    number = create(site, "round-robin", top=2)
    for _ in range(leasing.MOST_FAILURES[Fault.WORKER]):
        (job,) = lease(site.db)
        leasing.give_up(site.db, "test-worker", job, "the power failed", Fault.WORKER)
    root, ada = signed_in(site, admin), signed_in(site, token)
    assert ada.get(site.url + "/troubles", timeout=30).status_code == 403
    assert site.get(f"{API}/troubles", token).status_code == 403
    (parked,) = site.get(f"{API}/troubles", admin).json()["parked"]
    assert parked["failures"][0]["trouble"] == "the power failed"
    assert "the power failed" in root.get(site.url + "/troubles", timeout=30).text
    assert "wait for an admin" in site.get(f"/tournaments/{number}").text
    form = {"action": "requeue", "match": str(job.match_id)}
    assert send(site, ada, "/troubles", **form).status_code == 403
    assert send(site, root, "/troubles", **form).status_code == 303
    assert listing.get(site.db, job.match_id).status is MatchStatus.QUEUED
    assert site.post(f"{API}/matches/{job.match_id}/requeue", admin).status_code == 409
    assert site.get(f"{API}/actions", admin).json()["actions"][0]["action"] == "requeue"


def test_the_button_of_a_challenge(site: LiveSite, token: str) -> None:
    sent = site.post(
        f"{API}/bots",
        token,
        data={"game": "reversi", "name": "mine"},
        files={"file": ("bot.py", b"def agent(o, c):\n    return o['legal'][0]\n")},
    ).json()
    (job,) = lease(site.db)
    assert finish(site.db, site.replays, job, (0, 1))
    rival = site.get(f"{API}/games/reversi/leaderboard").json()["rows"][0]["bot_id"]
    ada = signed_in(site, token)
    assert "Challenge it with" in ada.get(site.url + f"/bots/{rival}", timeout=30).text
    assert "Challenge it with" not in site.get(f"/bots/{rival}").text
    form = {"game": "reversi", "bot": str(sent["id"]), "opponent": str(rival)}
    made = send(site, ada, "/challenge", **form)
    assert made.status_code == 303
    assert re.fullmatch(r"/matches/\d+", made.headers["Location"])
    assert "challenge, unrated" in site.get(made.headers["Location"]).text
    assert len(lease(site.db, 9)) == 2


def test_schedules_are_told_in_words(site: LiveSite, admin: str) -> None:
    schedules.schedule(site.db, evolution.RunRequest("tanks"), cron="30 4 * * sun")
    root = signed_in(site, admin)
    for path in ("/leagues", "/leagues/1", "/admin/leagues"):
        assert "every night at 03:00 UTC" in root.get(site.url + path, timeout=30).text
    assert "<code>" not in site.get("/leagues").text
    assert "every Sunday at 04:30 UTC" in site.get("/evolution").text
