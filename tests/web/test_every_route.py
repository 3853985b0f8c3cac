"""Checks of every route in the route tables, and so of routes that are added later."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
import requests
from live_site import (
    BOT,
    EVERYBODY,
    WORKER,
    Browser,
    LiveSite,
    at_fault,
    play_queue,
    record,
)

from ladder import evolution
from ladder.contests import leagues
from ladder.matches import leasing
from ladder.web.api.routes import api_routes
from ladder.web.http.auth import Access
from ladder.web.pages.routes import PAGES

OPEN_WRITES = {
    ("POST", "/api/v1/accounts"),
    ("POST", "/signin"),
    ("POST", "/register"),
    ("POST", "/upload"),
}
"""Routes for people without a token."""

ENDLESS = {"/live"}
"""Streams that never end; `test_live` tests them."""

SECRETS = ("SECRET-SOURCE", "SECRET-STDERR", "secret-complaint")


@dataclass
class Stage:
    """A site on which ada has a rejected bot with secrets, and eve must not see them."""

    site: LiveSite
    values: dict[str, str]
    ada: str
    eve: str
    admin: str

    def routes(self, *methods: str) -> Iterator[tuple[str, str]]:
        """Every route of the real router, with its parameters filled in."""
        for route in self.site.app.router.routes():
            assert route.resource is not None
            if route.method in methods and route.resource.canonical not in ENDLESS:
                path = route.resource.canonical
                known = set(re.findall(r"\{(\w+)\}", path)) - {"id"}
                assert known <= self.values.keys(), f"give {path} a value here"
                yield route.method, self.fill(path)

    def fill(self, path: str) -> str:
        kind = path.removeprefix("/api/v1").split("/")[1]
        return path.format(id=self.values.get(kind, "1"), **self.values)


@pytest.fixture
def stage(site: LiveSite, admin: str) -> Stage:
    ada, eve = site.account("ada"), site.account("eve")
    sent = site.upload(ada, file=BOT + b"# SECRET-SOURCE\n").json()
    (job,) = leasing.lease(site.db, WORKER, 60, 1, leasing.Playable(EVERYBODY))
    told = at_fault(job, 0, "secret-complaint", "SECRET-STDERR")
    record(site.db, site.replays, job, told)
    run = leagues.run_league(site.db, 1)
    play_queue(site.db, site.replays)
    values = {
        "game": "reversi",
        "sha256": sent["version"]["sha256"],
        "bots": str(sent["id"]),
        "other": "1",
        "version": "1",
        "matches": str(job.match_id),
        "tournaments": str(run.id),
        "leagues": "1",
        "evolution": str(evolution.start(site.db, evolution.RunRequest("tanks")).run.id),
    }
    return Stage(site, values, ada, eve, admin)


def test_no_write_without_credentials(stage: Stage) -> None:
    tried = 0
    for method, path in stage.routes("POST", "PUT", "PATCH", "DELETE"):
        if (method, path) in OPEN_WRITES:
            continue
        tried += 1
        for token in ("", "lad_wrong"):
            answer = stage.site.request(method, path, token, json={})
            if path.startswith("/api/"):
                assert answer.status_code == 401, path
                assert answer.headers["WWW-Authenticate"].startswith("Bearer")
            else:
                assert answer.headers["Location"].partition("?")[0] == "/signin", path
    assert tried >= 6


def test_admin_routes_are_closed_to_members(stage: Stage) -> None:
    admin_routes = [r for r in api_routes(["reversi"]) if r.access is Access.ADMIN]
    assert len(admin_routes) >= 2
    for route in admin_routes:
        path = stage.fill(route.path)
        assert stage.site.request(route.method, path, stage.eve, json={}).status_code == 403
        assert stage.site.request(route.method, path, json={}).status_code == 401
    eve, admin = Browser(stage.site.url), Browser(stage.site.url)
    eve.post("/signin", data={"token": stage.eve, "next": ""})
    admin.post("/signin", data={"token": stage.admin, "next": ""})
    admin_pages = [page for page in PAGES if page.access is Access.ADMIN]
    assert len(admin_pages) >= 6
    for page in admin_pages:
        path = stage.fill(page.path)
        stranger = stage.site.request(page.method, path)
        assert stranger.headers["Location"].partition("?")[0] == "/signin", path
        if page.method == "GET":
            assert eve.get(path).status_code == 403, path
            assert admin.get(path).status_code == 200, path
        else:
            assert eve.post(path, data={"csrf": eve.csrf()}).status_code == 403, path
            assert admin.post(path, data={"csrf": "forged"}).status_code == 403, path


def test_private_texts_are_for_their_owner_alone(stage: Stage) -> None:
    eve, ada = Browser(stage.site.url), Browser(stage.site.url)
    for browser, token in ((eve, stage.eve), (ada, stage.ada)):
        browser.post("/signin", data={"token": token, "next": ""})
    seen: dict[str, set[str]] = {"stranger": set(), "eve": set(), "ada": set(), "admin": set()}
    for _, path in stage.routes("GET"):
        answers: dict[str, list[requests.Response]] = {
            "stranger": [stage.site.get(path)],
            "eve": [stage.site.get(path, stage.eve), eve.get(path)],
            "ada": [stage.site.get(path, stage.ada), ada.get(path)],
            "admin": [stage.site.get(path, stage.admin)],
        }
        for who, given in answers.items():
            for answer in given:
                assert answer.status_code < 500, path
                told = answer.text + answer.text.lower()
                seen[who] |= {f"{secret} in {path}" for secret in SECRETS if secret in told}
    assert seen["stranger"] == seen["eve"] == set()
    assert len(seen["ada"]) >= 8, "the owner sees the secrets, so the walk can find them"
    assert seen["admin"] >= {entry for entry in seen["ada"] if "/api/" in entry}


def test_forms_need_their_token_and_their_own_site(stage: Stage) -> None:
    """Forms of admins need them, too."""
    browser = Browser(stage.site.url)
    browser.post("/signin", data={"token": stage.admin, "next": ""})
    for page in PAGES:
        if page.method == "GET":
            continue
        path = stage.fill(page.path)
        foreign = browser.post(path, headers={"Sec-Fetch-Site": "cross-site"})
        assert foreign.status_code == 403, path
        if (page.method, page.path) in OPEN_WRITES and page.path != "/upload":
            continue
        assert page.access in (Access.MEMBER, Access.ADMIN) or page.path == "/upload"
        for csrf in ("", "0" * 64):
            if isinstance(page.form, tuple):
                answer = browser.post(path, data={**dict.fromkeys(page.form, "1"), "csrf": csrf})
            else:
                fields = {"csrf": csrf, "game": "reversi", "name": "forged"}
                answer = browser.post(path, data=fields, files={"file": BOT})
            assert answer.status_code == 403, path
    assert browser.get("/me").status_code == 200, "the forged requests changed nothing"
    assert "forged" not in browser.get("/me").text


def test_every_answer_carries_security_headers(stage: Stage) -> None:
    browser = Browser(stage.site.url)
    browser.post("/signin", data={"token": stage.ada, "next": ""})
    for _, path in stage.routes("GET"):
        for answer in (stage.site.get(path), stage.site.get(path, stage.ada), browser.get(path)):
            headers = answer.headers
            policy = headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'"), path
            if path.endswith("/embed") and answer.ok:  # pages for frames, without forms
                assert "frame-ancestors *;" in policy
                assert "<form" not in answer.text
                assert ">ada<" not in answer.text, "nothing about the reader"
                policy = policy.replace("frame-ancestors *", "")
            else:
                assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert "*" not in policy
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "same-origin"
            if not headers["Content-Type"].startswith("text/html"):
                assert "sandbox" in policy, path
            else:
                assert not re.search(
                    r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", answer.text
                )


def test_pages_of_members_are_not_cached(stage: Stage) -> None:
    browser = Browser(stage.site.url)
    browser.post("/signin", data={"token": stage.admin, "next": ""})
    for page in PAGES:
        if page.method == "GET":
            path = stage.fill(page.path)
            assert browser.get(path).headers["Cache-Control"] == "private, no-store", path
            assert "Cookie" in stage.site.get(path).headers["Vary"]
    for route in api_routes(["reversi"]):
        if route.method == "GET" and route.access is not Access.ANYONE:
            answer = stage.site.get(stage.fill(route.path), stage.admin)
            assert answer.headers["Cache-Control"] == "private, no-store", route.path
    made = stage.site.post("/api/v1/accounts", json={"name": "zoe"})
    assert made.headers["Cache-Control"] == "private, no-store", "it contains a token"


def test_downloads_are_not_shown_as_pages(stage: Stage) -> None:
    """Files of users are sent as downloads, with types that browsers do not run."""
    text = b"(program tanks (tree ahead 100.0) (tree turn Zero) (tree gun (Fire 3.0)))\n"
    digest = stage.site.upload(stage.eve, "evolved", "tanks", text).json()["version"]["sha256"]
    tanks = replace(stage, values=stage.values | {"sha256": digest})
    for path, kind in (
        ("/api/v1/matches/{matches}/replay", "application/json"),
        ("/api/v1/versions/{sha256}/program", "text/plain; charset=utf-8"),
        ("/api/v1/games/{game}/results.csv", "text/csv; charset=utf-8"),
    ):
        answer = stage.site.get(path.format(**tanks.values))
        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == kind
        assert re.fullmatch(
            r'attachment; filename="[\w.-]+"', answer.headers["Content-Disposition"]
        )
