"""Every operation of the JSON API, through the real application."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from live_site import (
    BOT,
    EVERYBODY,
    WORKER,
    Browser,
    LiveSite,
    Serving,
    at_fault,
    make_site,
    play_queue,
    record,
)
from replay_files import own_file

from ladder.admin import moderation, retention
from ladder.contests import leagues
from ladder.matches import leasing, listing
from ladder.people import accounts
from ladder.uploads import submissions
from ladder.values import Retention, Role

PROBLEM = "application/problem+json"


def test_an_account_is_created_and_its_token_works(site: LiveSite) -> None:
    made = site.post("/api/v1/accounts", json={"name": "Ada"})
    assert made.status_code == 201
    assert made.json()["name"] == "Ada"
    me = site.get("/api/v1/account", made.json()["token"]).json()
    assert (me["id"], me["name"], me["role"]) == (made.json()["id"], "Ada", "member")
    assert "token" not in me


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ("{", 400, "not JSON"),
        ("[]", 400, "it must be an object, not a list of 0"),
        ('{"name": 7}', 400, "name must be text, not 7"),
        ("{}", 400, "the field name is missing; it must be text"),
        (
            '{"name": "x", "role": "admin"}',
            400,
            "there is no field 'role'; the fields are name",
        ),
        ('{"name": "<b>"}', 400, "letter"),
        ('{"name": "a\\u0000b"}', 400, "NUL"),
        ('{"name": "\\ud800"}', 400, "half of a surrogate pair"),
        (b'{"name": "\xff"}', 400, "not UTF-8"),
        ("[" * 10_000 + "]" * 10_000, 400, "nested"),
        ("[" * 700 + "]" * 700, 400, "nested more than 128 deep"),
        ('{"name": "Eve", "name": "Mallory"}', 400, "the key 'name' twice"),
        ('{"name": ' + "9" * 5_000 + "}", 400, "more than 256 characters"),
        ('{"name": 1e999}', 400, "too large"),
        ('{"name": NaN}', 400, "NaN"),
        ('{"name": "HOUSE"}', 409, "taken"),
        ('{"name": "' + "x" * 70_000 + '"}', 413, "too long"),
    ],
)
def test_bad_accounts_are_refused(shared_site: LiveSite, body: str, status: int, says: str) -> None:
    answer = shared_site.post(
        "/api/v1/accounts", data=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == PROBLEM
    problem = answer.json()
    assert problem["status"] == status
    assert {"type", "title", "detail"} <= problem.keys()
    assert says in problem["detail"]


def test_a_body_of_another_type_is_refused(shared_site: LiveSite) -> None:
    answer = shared_site.post("/api/v1/accounts", data={"name": "ada"})
    assert answer.status_code == 415


def test_registration_may_be_closed(folder: object) -> None:
    live = make_site(folder, registration="invite")  # type: ignore[arg-type]
    with Serving(live.app) as live.url:
        assert live.post("/api/v1/accounts", json={"name": "ada"}).status_code == 403
        code = accounts.create_invite(live.db, 1)
        invited = {"name": "ada", "invite": code}
        assert live.post("/api/v1/accounts", json=invited).status_code == 201
        again = live.post("/api/v1/accounts", json={**invited, "name": "bob"})
        assert again.status_code == 403
    live.db.close()


def test_accounts_are_limited_per_address(folder: object) -> None:
    live = make_site(folder, accounts_per_hour=2)  # type: ignore[arg-type]
    with Serving(live.app) as live.url:
        for name in ("a", "a", "b"):  # the second `a` is refused and does not count
            live.post("/api/v1/accounts", json={"name": name})
        answer = live.post("/api/v1/accounts", json={"name": "c"})
        assert answer.status_code == 429
        assert 3500 < int(answer.headers["Retry-After"]) <= 3600
    live.db.close()


@pytest.mark.parametrize(
    "header", ["Bearer wrong", "Bearer", "Basic YTpi", "Bearer \u00e9", "x" * 4000]
)
@pytest.mark.parametrize("path", ["/api/v1/account", "/api/v1/bots/1"])
def test_a_bad_token_is_refused(shared_site: LiveSite, header: str, path: str) -> None:
    answer = shared_site.get(path, headers={"Authorization": header.encode()})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.headers["Content-Type"] == PROBLEM


def test_members_only(shared_site: LiveSite) -> None:
    for path in ("/api/v1/account", "/api/v1/bots", "/api/v1/matches/1/logs"):
        answer = shared_site.get(path)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="evoladder"'


def test_the_api_does_not_look_at_cookies(site: LiveSite) -> None:
    browser = site.browser("ada")
    assert browser.get("/me").status_code == 200
    assert browser.get("/api/v1/account").status_code == 401


def test_an_upload_becomes_a_version(site: LiveSite, token: str) -> None:
    answer = site.upload(token)
    assert answer.status_code == 202
    made = answer.json()
    assert made["version"]["number"] == 1
    assert made["version"]["status"] == "validating"
    assert answer.headers["Location"] == f"/api/v1/bots/{made['id']}"
    shown = site.get(answer.headers["Location"]).json()
    assert shown["name"] == "mine"
    assert shown["owner"] == "ada"
    assert shown["rating"] is None
    play_queue(site.db, site.replays)
    shown = site.get(answer.headers["Location"]).json()
    assert shown["current_version"] == 1
    assert {"mu", "sigma", "score", "rank", "matches", "wins", "draws", "losses"} <= set(
        shown["rating"]
    )
    assert site.upload(token, file=BOT + b"# 2").json()["version"]["number"] == 2
    assert [bot["name"] for bot in site.get("/api/v1/bots", token).json()["bots"]] == ["mine"]
    used = site.get(f"/api/v1/versions/{made['version']['sha256']}").json()["versions"]
    assert [(use["bot"], use["version"]["number"]) for use in used] == [("mine", 1)]


def test_names_are_unique_per_owner(site: LiveSite, token: str, admin: str) -> None:
    """Matches and tournaments take `owner/name`, and plain names where they are clear."""
    bob = site.account("bob")
    made = [site.upload(one, name=name).json() for one, name in ((token, "mine"), (bob, "MINE"))]
    assert made[0]["id"] != made[1]["id"]
    assert site.upload(bob, name="greedy").status_code == 409, "the name of a house bot"
    play_queue(site.db, site.replays)  # both are accepted
    body = {"game": "reversi", "bots": ["ada/mine", "greedy"]}
    asked = site.post("/api/v1/matches", token, json=body)
    assert asked.status_code == 202, asked.text
    seats = site.get(f"/api/v1/matches/{asked.json()['id']}").json()["seats"]
    assert seats[0]["bot_id"] == made[0]["id"]
    vague = site.post("/api/v1/matches", token, json=body | {"bots": ["mine", "greedy"]})
    assert vague.status_code == 400
    assert "several bots 'mine': 'ada/mine', 'bob/MINE'" in vague.json()["detail"]
    nobody = site.post("/api/v1/matches", token, json=body | {"bots": ["eve/mine", "greedy"]})
    assert nobody.status_code == 404
    cup = {"game": "reversi", "format": "round-robin", "bots": ["bob/mine", "ada/mine"]}
    run = site.post("/api/v1/tournaments", admin, json=cup)
    assert run.status_code == 201, run.text
    path = f"/api/v1/tournaments/{run.json()['id']}"
    entries = site.get(path).json()["entries"]
    assert {(one["owner"], one["bot"]) for one in entries} == {("ada", "mine"), ("bob", "MINE")}
    left = site.post(f"{path}/withdraw", admin, json={"bot": "bob/mine"})
    assert left.status_code == 200, left.text
    board = site.get("/games/reversi").text
    assert ">ada/mine<" in board
    assert ">bob/MINE<" in board
    assert ">greedy<" in board
    assert "bob/MINE" in site.get(f"/tournaments/{run.json()['id']}").text
    assert "ada/mine" in site.get(f"/matches/{asked.json()['id']}").text
    assert "ada/mine" in site.get("/games/reversi/matrix").text


def test_the_same_file_again_is_unchanged(site: LiveSite, token: str) -> None:
    first, again = site.upload(token), site.upload(token)
    assert (first.status_code, again.status_code) == (202, 202), "as clients know it"
    assert first.json()["unchanged"] is False
    assert again.json() == first.json() | {"unchanged": True}
    other = site.upload(token, file=BOT + b"# 2")
    assert other.json()["version"]["number"] == 2
    browser = Browser(site.url)
    browser.post("/signin", data={"token": token, "next": ""})
    fields = {"csrf": browser.csrf(), "game": "reversi", "name": "mine"}
    sent = browser.post("/upload", data=fields, files={"file": BOT + b"# 2"})
    assert sent.status_code == 303
    assert "Unchanged, this is version 2" in browser.get(sent.headers["Location"]).text


def test_only_the_owner_sees_why_a_bot_was_rejected(site: LiveSite, token: str, admin: str) -> None:
    bot = site.upload(token).json()["id"]
    (job,) = leasing.lease(site.db, WORKER, 60, 1, leasing.Playable(EVERYBODY))
    report = at_fault(job, 0, "it answered 'z9'", "Traceback: secret")
    record(site.db, site.replays, job, report)

    def reason(reader: str) -> str | None:
        versions = site.get(f"/api/v1/bots/{bot}", reader).json()["versions"]
        assert versions[0]["status"] == "rejected"
        return versions[0]["reason"]

    stranger = site.account("eve")
    assert reason("") is None
    assert reason(stranger) is None
    assert reason(token) == reason(admin) == "it answered 'z9'"
    logs = f"/api/v1/matches/{job.match_id}/logs"
    assert site.get(logs, stranger).status_code == 403
    assert site.get(logs, token).json()["logs"][0]["stderr"] == "Traceback: secret"


def test_the_leaderboard_is_paged_by_key(shared_site: LiveSite) -> None:
    board = "/api/v1/games/reversi/leaderboard"
    whole = shared_site.get(board).json()
    assert whole["game"] == "reversi"
    assert whole["next"] is None
    assert [row["rank"] for row in whole["rows"]] == list(range(1, len(whole["rows"]) + 1))
    rows, after = [], None
    while True:
        page = shared_site.get(board, params={"limit": "2", "after": after}).json()
        rows += page["rows"]
        after = page["next"]
        if after is None:
            break
    assert rows == whole["rows"]


def test_histories_and_matches_are_paged(shared_site: LiveSite) -> None:
    bot = shared_site.get("/api/v1/games/reversi/leaderboard").json()["rows"][0]["bot_id"]
    for path, key in ((f"/api/v1/bots/{bot}/history", "number"), ("/api/v1/matches", "id")):
        whole = shared_site.get(path, params={"limit": "200"}).json()["rows"]
        first = shared_site.get(path, params={"limit": "3"}).json()
        second = shared_site.get(path, params={"limit": "3", "after": first["next"]}).json()
        assert first["rows"] + second["rows"] == whole[:6]
        numbers = [row[key] for row in whole]
        assert numbers == sorted(numbers, reverse=True)


def test_matches_can_be_chosen(shared_site: LiveSite) -> None:
    bot = shared_site.get("/api/v1/games/reversi/leaderboard").json()["rows"][0]["bot_id"]
    rows = shared_site.get("/api/v1/matches", params={"bot": bot, "game": "reversi"}).json()["rows"]
    assert rows
    assert all(any(seat["bot_id"] == bot for seat in row["seats"]) for row in rows)
    assert shared_site.get("/api/v1/matches", params={"game": "connect-four"}).json()["rows"] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/bots/0", 404),
        ("/api/v1/bots/x", 404),
        ("/api/v1/bots/99999999", 404),
        ("/api/v1/bots/9223372036854775807", 404),
        ("/api/v1/bots/9223372036854775808", 404),
        ("/api/v1/bots/-1", 404),
        ("/api/v1/bots/%00", 404),
        ("/api/v1/bots/%D9%A1", 404),
        ("/api/v1/bots/1/history?after=x", 400),
        ("/api/v1/bots/1/history?limit=0", 400),
        ("/api/v1/versions/abc", 404),
        ("/api/v1/versions/" + "0" * 64, 404),
        ("/api/v1/matches/99999999", 404),
        ("/api/v1/matches/99999999/replay", 404),
        ("/api/v1/matches/9223372036854775807/replay", 404),
        ("/api/v1/matches?game=go", 400),
        ("/api/v1/matches?bot=1&bot=2", 400),
        ("/api/v1/matches?%00=%00", 400),
        ("/api/v1/matches?after=%F0%9F%98%80", 400),
        ("/api/v1/matches?after=%FF%FE", 400),
        ("/api/v1/games/go/leaderboard", 404),
        ("/api/v1/games/go/ratings.csv", 404),
        ("/api/v1/games/reversi/leaderboard?limit=201", 400),
        ("/api/v1/games/reversi/leaderboard?limit=1_0", 400),
        ("/api/v1/games/reversi/leaderboard?division=huge", 404),
        ("/api/v1/games/reversi/leaderboard?after=" + "_" * 31, 400),
        ("/api/v1/games/reversi/leaderboard?offset=7", 400),
        ("/api/v1/leagues/77", 404),
        ("/api/v1/tournaments/77", 404),
        ("/api/v1/nothing", 404),
        ("/api/v1/", 404),
    ],
)
def test_unknown_things_are_not_found(shared_site: LiveSite, path: str, status: int) -> None:
    answer = shared_site.get(path)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == PROBLEM
    assert answer.json()["status"] == status


def test_wrong_methods_name_the_right_ones(shared_site: LiveSite) -> None:
    answer = shared_site.request("DELETE", "/api/v1/games")
    assert answer.status_code == 405
    assert answer.headers["Content-Type"] == PROBLEM
    assert set(answer.headers["Allow"].split(",")) == {"GET", "HEAD"}


def test_exports_are_csv(shared_site: LiveSite) -> None:
    board = shared_site.get("/api/v1/games/reversi/leaderboard").json()["rows"]
    answer = shared_site.get("/api/v1/games/reversi/ratings.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="reversi-ratings.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["bot"] for row in rows] == [row["bot"] for row in board]
    results = list(
        csv.DictReader(io.StringIO(shared_site.get("/api/v1/games/reversi/results.csv").text))
    )
    rated = listing.counts(shared_site.db)["rated"]
    assert rated == len({row["match"] for row in results})


def test_replays_are_cached_forever(shared_site: LiveSite) -> None:
    match = shared_site.get("/api/v1/matches").json()["rows"][0]["id"]
    path = f"/api/v1/matches/{match}/replay"
    packed = shared_site.get(path, headers={"Accept-Encoding": "gzip"}, stream=True)
    raw = packed.raw.read()
    assert packed.headers["Content-Encoding"] == "gzip"
    assert raw == listing.replay(shared_site.db, shared_site.replays, match)
    plain = shared_site.get(path, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.content == gzip.decompress(raw)
    assert json.loads(plain.content)["game"] == "reversi"
    assert "immutable" in plain.headers["Cache-Control"]
    tags = {answer.headers["ETag"] for answer in (packed, plain)}
    assert len(tags) == 2
    assert all(tag.startswith('"') for tag in tags)
    for known in (plain.headers["ETag"], f'"x", W/{plain.headers["ETag"]}', "*"):
        headers = {"Accept-Encoding": "identity", "If-None-Match": known}
        same = shared_site.get(path, headers=headers)
        assert same.status_code == 304
        assert same.content == b""
        assert same.headers["ETag"] == plain.headers["ETag"]
    assert shared_site.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize(
    ("accepts", "packed"),
    [("gzip", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("*", True), ("br", False)],
)
def test_gzip_is_negotiated(shared_site: LiveSite, accepts: str, packed: bool) -> None:
    answer = shared_site.get("/api/v1/matches/1/replay", headers={"Accept-Encoding": accepts})
    assert (answer.headers.get("Content-Encoding") == "gzip") is packed
    assert answer.headers["Vary"] == "Accept-Encoding"


def test_there_is_no_replay_before_the_end(site: LiveSite, token: str) -> None:
    bot = site.upload(token).json()["id"]
    match = site.get(f"/api/v1/bots/{bot}").json()["versions"][0]["validation_match"]
    assert site.get(f"/api/v1/matches/{match}").json()["status"] == "queued"
    assert site.get(f"/api/v1/matches/{match}/replay").status_code == 404


def test_leagues(site: LiveSite, token: str, admin: str) -> None:
    league = site.get("/api/v1/leagues").json()["leagues"][0]
    assert site.get(f"/api/v1/leagues/{league['id']}").json() == league
    run = f"/api/v1/leagues/{league['id']}/run"
    assert site.post(run).status_code == 401
    assert site.post(run, token).status_code == 403
    answer = site.post(run, admin)
    assert answer.status_code == 202
    play_queue(site.db, site.replays)
    table = site.get(f"/api/v1/tournaments/{answer.json()['id']}").json()
    assert table["status"] == "finished"
    assert len(table["standings"]) == len(table["crosstable"])
    wanted = {"game": "reversi", "name": "weekly", "cron": "0 4 * * sun", "size": 8}
    assert site.post("/api/v1/leagues", token, json=wanted).status_code == 403
    made = site.post("/api/v1/leagues", admin, json=wanted)
    assert made.status_code == 201
    assert made.json()["cron"] == "0 4 * * sun"
    assert site.post("/api/v1/leagues", admin, json=wanted).status_code == 409
    bad = {**wanted, "name": "other", "cron": "at noon"}
    assert site.post("/api/v1/leagues", admin, json=bad).status_code == 400
    assert leagues.all_leagues(site.db).leagues


def test_uploads_are_limited_by_the_hour(folder: object) -> None:
    live = make_site(folder, uploads_per_hour=1)  # type: ignore[arg-type]
    with Serving(live.app) as live.url:
        token = live.account("ada")
        assert live.upload(token).status_code == 202
        answer = live.upload(token, file=BOT + b"#")
        assert answer.status_code == 429
        assert "Retry-After" in answer.headers
    live.db.close()


def test_health_and_metrics(site: LiveSite, token: str) -> None:
    site.upload(token)
    health = site.get("/healthz").json()
    assert health["status"] == "ok"
    assert health["queue"] == 1
    assert health["sandbox"] == "A"
    site.get("/nowhere")
    metrics = site.get("/metrics")
    assert metrics.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = metrics.text.splitlines()
    assert 'ladder_queue{game="reversi",purpose="validation"} 1' in lines
    assert 'ladder_matches{status="queued"} 1' in lines
    assert "ladder_uploads_total 1" in lines
    assert "ladder_running 0" in lines
    assert 'ladder_info{sandbox="A",kinds="house python program wasm native"} 1' in lines
    assert 'ladder_http_requests_total{method="GET",route="/healthz",status="200"} 1' in lines
    assert 'ladder_http_requests_total{method="GET",route="other",status="404"} 1' in lines
    documented = (Path(__file__).parents[2] / "docs/operations.md").read_text()
    for name in (line.split()[2] for line in lines if line.startswith("# TYPE")):
        assert f"`{name}`" in documented, name


def test_a_removed_replay_is_gone(site: LiveSite, token: str) -> None:
    site.upload(token)
    play_queue(site.db, site.replays)
    match_id = site.get("/api/v1/matches").json()["rows"][0]["id"]
    assert site.get(f"/api/v1/matches/{match_id}/replay").status_code == 200
    with site.db.write() as c:
        long_ago = "'2020-01-01 00:00:00.000000'"
        c.exec_driver_sql(f"UPDATE matches SET finished_at = {long_ago} WHERE id = {match_id}")
    own_file(site.db, site.replays, match_id)
    retained = retention.Retained(site.db, site.replays, Retention(days=30))
    assert retained.remove_some().matches == 1
    answer = site.get(f"/api/v1/matches/{match_id}/replay")
    assert (answer.status_code, answer.headers["Content-Type"]) == (410, PROBLEM)
    assert "has been removed" in answer.json()["detail"]
    assert site.get(f"/api/v1/matches/{match_id}").json()["replay_removed"] is True
    page = site.get(f"/matches/{match_id}")
    assert page.status_code == 200
    assert "has removed the replay of this old match" in page.text
    admin = accounts.create(site.db, "warden", Role.ADMIN).token
    assert site.get(f"/api/v1/matches/{match_id}/logs", admin).status_code == 410
    moderation.ban(site.db, "warden", "sleeps on duty", "root")
    refused = site.get(f"/api/v1/matches/{match_id}/logs", admin)
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "the account warden is banned: sleeps on duty",
    )


def test_an_internal_error_leaks_nothing(
    site: LiveSite, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(submissions, "bot", fail)
    for path in ("/api/v1/bots/1", "/bots/1"):
        answer = site.get(path)
        assert answer.status_code == 500
        assert "hunter2" not in answer.text
    assert site.get("/api/v1/bots/1").headers["Content-Type"] == PROBLEM
    assert "hunter2" in caplog.text


def test_head_is_get_without_the_body(shared_site: LiveSite) -> None:
    answer = shared_site.request("HEAD", "/api/v1/games/reversi/leaderboard")
    assert answer.status_code == 200
    assert answer.content == b""


def test_answers_carry_security_headers(shared_site: LiveSite) -> None:
    for path in (
        "/api/v1/games",
        "/",
        "/nope",
        "/api/v1/nope",
        "/api/v1/games/reversi/results.csv",
    ):
        headers = shared_site.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "aiohttp" not in headers["Server"]
