"""The pages, as a browser without JavaScript reads them."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import requests
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
    record,
    report,
)
from replay_files import own_file

from engines.games import find_game
from ladder.contests import leagues
from ladder.matches import leasing, pairing
from ladder.store.migrate import upgrade
from ladder.values import CodeSize, Ending, MatchJob, MatchReport, Verdict

VOID = {"meta", "link", "input", "img", "br"}


class Outline(HTMLParser):
    """Checks that tags nest, and collects forbidden parts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.labels: list[str] = []
        self.fields: list[str] = []
        self.inline: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.inline += [name for name in given if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag == "style" or (tag == "script" and "src" not in given) else []
        self.links += [given[name] or "" for name in ("href", "src", "action") if name in given]
        self.ids += [given["id"] or ""] if "id" in given else []
        self.labels += [given["for"] or ""] if tag == "label" else []
        if tag in ("input", "select") and given.get("type") != "hidden":
            self.fields.append(given.get("id") or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(page: str) -> Outline:
    outline = Outline(page)
    assert outline.inline == []
    assert all(link.startswith(("/", "?", "#")) for link in outline.links)
    assert len(set(outline.ids)) == len(outline.ids)
    assert set(outline.fields) <= set(outline.labels)
    return outline


def test_every_link_leads_somewhere(site: LiveSite) -> None:
    """A walk over the whole site, signed in, that finds no broken page or link."""
    browser = site.browser("ada")
    site.post("/api/v1/accounts", json={"name": "bob"})
    run = leagues.run_league(site.db, 1)
    play_queue(site.db, site.replays)
    todo, seen = ["/", "/me", "/upload", "/signin", f"/tournaments/{run.id}"], set()
    while todo and len(seen) < 120:
        path = todo.pop(0)
        if path in seen or path in ("/signout", "/register", "/token"):
            continue
        seen.add(path)
        answer = browser.get(path)
        assert answer.status_code == 200, path
        if answer.headers["Content-Type"].startswith("text/html"):
            for link in check(answer.text).links:
                absolute = re.sub(
                    r"#.*", "", path.partition("?")[0] + link if link[0] == "?" else link
                )
                todo += [absolute] if absolute else []
    kinds = {path.split("/")[1].partition("?")[0] for path in seen}
    assert {"games", "bots", "matches", "leagues", "tournaments", "static", "api"} <= kinds


def test_home_shows_leaders_and_latest_matches(shared_site: LiveSite) -> None:
    page = shared_site.get("/").text
    board = shared_site.get("/api/v1/games/reversi/leaderboard").json()["rows"]
    for row in board[:3]:
        assert f'href="/bots/{row["bot_id"]}"' in page
    assert f"curl {shared_site.url}/api/v1/bots" in page
    assert "No bot is on this board yet" not in page


def test_an_empty_site_tells_what_to_do(tmp_path: object) -> None:
    live = make_site(tmp_path)  # type: ignore[arg-type]
    upgrade(live.db)
    with Serving(live.app) as live.url:
        for path, says in (
            ("/", "No bot is on this board yet"),
            ("/games/reversi", "Upload a bot"),
            ("/matches", "No finished match here yet"),
            ("/leagues", "No league exists yet"),
        ):
            answer = live.get(path)
            assert answer.status_code == 200
            assert says in answer.text
            check(answer.text)
    live.db.close()


def test_the_leaderboard_page_is_paged(site: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.web.pages.boards.BOARD_ROWS", 3)
    first = site.get("/games/reversi").text
    (after,) = re.findall(r'href="(/games/reversi\?after=[^"]+)"', first)
    second = site.get(after).text
    ranks = re.findall(r'<td class="num rank">(\d+)</td>', first + second)
    assert ranks == ["1", "2", "3", "4", "5", "6"]
    assert "« Top" in second


def test_a_bot_page_shows_its_rating_history(site: LiveSite) -> None:
    pair_and_play(site.db, site.replays, "reversi", 4)
    bot = site.get("/api/v1/games/reversi/leaderboard").json()["rows"][0]["bot_id"]
    page = site.get(f"/bots/{bot}").text
    assert '<svg class="chart"' in page
    assert "<polyline" in page
    assert "accepted" in page


def test_a_match_page_shows_each_position(shared_site: LiveSite) -> None:
    moves = shared_site.get("/api/v1/matches/1/replay").json()["moves"]
    last = shared_site.get("/matches/1").text
    assert f"{len(moves)} / {len(moves)}" in last
    check(last)
    pictures = set()
    for ply in (0, 1, 5, len(moves)):
        page = shared_site.get(f"/matches/1?ply={ply}").text
        assert f"{ply} / {len(moves)}" in page
        pictures.add(page[page.index("<svg") : page.index("</svg>")])
    assert len(pictures) == 4
    beyond = shared_site.get("/matches/1?ply=9999").text
    assert f"{len(moves)} / {len(moves)}" in beyond
    assert moves[7]["move"] in last
    assert shared_site.get("/matches/1?ply=x").status_code == 400


def test_a_match_without_its_replay_is_still_shown(site: LiveSite) -> None:
    own_file(site.db, site.replays, 1).unlink()
    assert site.get("/matches/1").status_code == 200
    own_file(site.db, site.replays, 2).write_bytes(b"not gzip")
    assert site.get("/matches/2").status_code == 200


def test_logs_are_for_the_owner_and_escaped(site: LiveSite) -> None:
    browser = site.browser("ada")
    fields = {"csrf": browser.csrf(), "game": "reversi", "name": "mine"}
    answer = browser.post("/upload", data=fields, files={"file": BOT})
    assert answer.status_code == 303
    version = answer.headers["Location"]
    bot = version.partition("/versions/")[0]
    assert "Queued for validation" in browser.get(version).text
    assert "being validated" in browser.get(bot).text
    (job,) = leasing.lease(site.db, WORKER, 60, 1, leasing.Playable(EVERYBODY))
    report = at_fault(job, 0, "it said <i>z9</i>", "<script>alert('stderr')</script>")
    record(site.db, site.replays, job, report)
    match = f"/matches/{job.match_id}"
    mine, theirs = browser.get(match).text, site.get(match).text
    assert "&lt;script&gt;alert(&#39;stderr&#39;)" in mine
    assert "<script>alert" not in mine
    assert "stderr" not in theirs
    assert "fault of ada/mine" in theirs
    for page in (bot, version):
        assert "it said &lt;i&gt;z9&lt;/i&gt;" in browser.get(page).text.lower()
        assert "z9" not in site.get(page).text
        check(browser.get(page).text)
    check(mine)


def test_names_are_escaped(site: LiveSite) -> None:
    hostile = "/matches?game=%3Cscript%3E"
    assert "<script>" not in site.get(hostile).text
    answer = site.get("/games/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    assert answer.status_code == 404
    assert "<script>alert" not in answer.text
    page = site.get("/signin?next=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").text
    assert "<script>alert" not in page
    browser = site.browser("ada")
    page = browser.get("/upload?name=%22%3E%3Cscript%3E").text
    assert "<script>" not in page


def test_odd_hosts_are_not_shown(shared_site: LiveSite) -> None:
    for host in (b"\xff<script>", b"a b"):
        page = shared_site.get("/", headers={"Host": host})
        assert page.status_code == 200
        assert "curl http://127.0.0.1:8080/" in page.text


def test_errors_outside_the_api_are_pages(shared_site: LiveSite) -> None:
    for path, status in (("/nope", 404), ("/bots/77777", 404), ("/matches?after=x", 400)):
        answer = shared_site.get(path)
        assert answer.status_code == status
        assert answer.headers["Content-Type"].startswith("text/html")
        check(answer.text)
    assert shared_site.post("/").status_code == 405


def test_signing_in_and_out(site: LiveSite, token: str) -> None:
    browser = site.browser("bob")
    browser.session.cookies.clear()
    assert browser.get("/me").headers["Location"] == "/signin?next=/me"
    refused = browser.post("/signin", data={"token": "lad_wrong", "next": "/upload"})
    assert refused.status_code == 401
    assert "unknown or revoked" in refused.text
    answer = browser.post("/signin", data={"token": f" {token} ", "next": "/upload"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/upload")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie
    assert token not in cookie
    mine = browser.get("/me")
    assert "ada" in mine.text
    assert mine.headers["Cache-Control"] == "private, no-store"
    assert browser.post("/signout", data={"csrf": "wrong"}).status_code == 403
    kept = dict(browser.session.cookies)
    assert browser.post("/signout", data={"csrf": browser.csrf()}).status_code == 303
    assert browser.get("/me").status_code == 303
    browser.session.cookies.update(kept)  # a stolen cookie is worthless after the sign-out
    assert browser.get("/me").status_code == 303


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil", "/me\n"])
def test_signing_in_leads_nowhere_else(site: LiveSite, token: str, target: str) -> None:
    answer = site.post("/signin", data={"token": token, "next": target})
    assert answer.headers["Location"] == "/me"


def test_an_account_is_made_on_the_page(site: LiveSite) -> None:
    answer = site.post("/register", data={"name": "ada", "invite": ""})
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "private, no-store"
    (token,) = re.findall(r'id="token"[^>]*>(lad_[\w-]+)<', answer.text)
    assert site.get("/api/v1/account", token).json()["name"] == "ada"
    taken = site.post("/register", data={"name": "ADA", "invite": ""})
    assert taken.status_code == 409
    assert "is taken" in taken.text


def test_cookies_are_bound_to_https_behind_a_proxy(folder: object) -> None:
    live = make_site(folder, secure_cookies=True)  # type: ignore[arg-type]
    with Serving(live.app) as live.url:
        answer = live.post("/register", data={"name": "ada", "invite": ""})
        assert answer.headers["Set-Cookie"].startswith("__Host-session=")
        assert "Secure" in answer.headers["Set-Cookie"]
    live.db.close()


def test_forms_need_their_token(site: LiveSite) -> None:
    ada, bob = site.browser("ada"), site.browser("bob")
    for csrf in ("", "x", "é", bob.csrf()):
        fields = {"csrf": csrf, "game": "reversi", "name": "mine"}
        answer = ada.post("/upload", data=fields, files={"file": BOT})
        assert answer.status_code == 403
    assert site.get("/matches").status_code == 200
    assert "mine" not in ada.get("/me").text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 303),
    ],
)
def test_another_site_cannot_sign_anybody_in(
    site: LiveSite, token: str, headers: dict[str, str], status: int
) -> None:
    answer = site.post("/signin", data={"token": token, "next": ""}, headers=headers)
    assert answer.status_code == status
    own = {"Origin": site.url}
    assert site.post("/signin", data={"token": token, "next": ""}, headers=own).status_code == 303


def test_a_refused_upload_shows_the_form_again(site: LiveSite) -> None:
    browser = site.browser("ada")
    fields = {"csrf": browser.csrf(), "game": "reversi", "name": "<mine>"}
    answer = browser.post("/upload", data=fields, files={"file": BOT})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert 'value="&lt;mine&gt;"' in answer.text
    check(answer.text)
    fields["name"] = "mine"
    large = browser.post("/upload", data=fields, files={"file": b"x" * (2 << 20)})
    assert large.status_code == 413
    signed_out = site.post("/upload", data=fields, files={"file": BOT})
    assert signed_out.status_code == 401
    assert "choose a name for your new account" in signed_out.text.lower()


def test_times_are_machine_readable(shared_site: LiveSite) -> None:
    page = shared_site.get("/matches").text
    assert re.search(r'<time datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^"]*\+00:00" title=', page)


def test_only_pages_for_all_are_compressed(site: LiveSite) -> None:
    def encoding(answer: requests.Response) -> str:
        assert answer.status_code == 200
        return answer.headers.get("Content-Encoding", "")

    signed_in = site.browser("ada")
    for path in ("/", "/games/reversi", "/bots/1", "/upload"):
        shared = site.get(path)
        assert encoding(shared) == "gzip"
        assert shared.headers["Vary"] == "Cookie, Accept-Encoding"
        plain = site.get(path, headers={"Accept-Encoding": "identity"})
        assert encoding(plain) == ""
        assert len(plain.content) == int(plain.headers["Content-Length"])
        assert encoding(signed_in.get(path)) == "", "it contains a form token"
    assert encoding(site.get("/signin?next=/me")) == "gzip"
    (style,) = re.findall(r'<link rel="stylesheet" href="([^"]+)"', site.get("/matches/1").text)
    packed, plain = site.get(style), site.get(style, headers={"Accept-Encoding": ""})
    assert (encoding(packed), encoding(plain)) == ("gzip", "")
    assert packed.text == plain.text
    assert ".viewer" in plain.text, "one sheet has the styles of all pages"
    assert packed.headers["ETag"] != plain.headers["ETag"]
    bare = style.partition("?")[0]
    again = site.get(bare, headers={"If-None-Match": packed.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_static_files_are_cached(shared_site: LiveSite) -> None:
    page = shared_site.get("/").text
    for path in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
        answer = shared_site.get(path)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]
    assert shared_site.get("/static/../app.py").status_code == 404
    assert shared_site.get("/static/%2e%2e/app.py").status_code == 404


def test_shared_pages_never_show_an_account(site: LiveSite) -> None:
    """Pages for strangers come from a cache, which must never contain pages for members."""
    browser = site.browser("secret-ada")
    for _ in range(2):
        assert "secret-ada" in browser.get("/").text
        assert "secret-ada" not in site.get("/").text


def test_divisions_have_tabs_and_columns(site: LiveSite) -> None:
    """A small bot is on the boards of its divisions, with the columns of its game."""
    bot = site.upload(site.account("ada"), "tiny", "tanks").json()["id"]
    (job,) = leasing.lease(site.db, WORKER, 60, 1, leasing.Playable(EVERYBODY))
    size = CodeSize({"statements": 3, "bytecode_bytes": 900})
    record(site.db, site.replays, job, scored(job, size=size))
    rng = random.Random(3)
    for _ in range(4):
        pairing.pair(site.db, find_game("tanks"), rng)
        for job in leasing.lease(site.db, WORKER, 60, 9, leasing.Playable(EVERYBODY)):
            record(site.db, site.replays, job, scored(job))
    page = site.get("/games/tanks?division=haiku").text
    check(page)
    assert '<strong aria-current="page">haiku</strong>' in page
    assert 'href="/games/tanks?division=nano"' in page
    assert "at most 4 statements" in page
    assert f'href="/bots/{bot}"' in page
    assert "No bot is on this board yet" in site.get("/games/tanks?division=micro").text
    assert site.get("/games/tanks?division=huge").status_code == 404
    assert "Divisions" not in site.get("/games/reversi").text
    everybody = site.get("/games/tanks").text
    check(everybody)
    assert "APS" in everybody
    assert "Bullet damage" in everybody
    assert "50.0 %" in everybody, "both sides of a pairing were won by the first seat"
    own = site.get(f"/bots/{bot}?division=haiku").text
    check(own)
    assert "open, mini, sonnet, haiku" in own
    assert 'href="/games/tanks?division=mini"' in own
    shown = site.get(f"/api/v1/bots/{bot}").json()
    assert list(shown["divisions"]) == ["open", "mini", "sonnet", "haiku"]
    assert shown["versions"][0]["size"] == {"statements": 3, "bytecode_bytes": 900}
    board = site.get("/api/v1/games/tanks/leaderboard?division=haiku").json()
    assert (board["division"], [row["bot"] for row in board["rows"]]) == ("haiku", ["tiny"])
    lines = site.get("/api/v1/games/tanks/ratings.csv?division=haiku").text.splitlines()
    assert len(lines) == 2
    assert site.get(f"/api/v1/bots/{bot}/history?division=haiku").json()["rows"] == []
    assert site.get(f"/api/v1/bots/{bot}/history?division=huge").status_code == 404


def scored(job: MatchJob, size: CodeSize | None = None) -> MatchReport:
    """A match that the first seat wins by three to one."""
    told = report(job, Verdict((0.75, 0.25), Ending.COMPLETED), "score share", ())
    columns = {"total": 90.0, "bullet_damage": 60.5}
    seats = [replace(seat, columns=columns) for seat in told.seats]
    seats[0] = replace(seats[0], size=size)
    return replace(told, seats=tuple(seats))
