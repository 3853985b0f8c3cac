"""The lineage of evolved bots: checked strictly, kept, and shown as text."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests
from ladder_steps import BOT, account
from live_site import LiveSite

from ladder.store import Database
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.views import Lineage, LineageGuide

LINEAGE: dict[str, Any] = {
    "run": "tanks-7",
    "domain": "tanks",
    "seed": 7,
    "guides": [{"name": "Walls", "bot": "Walls", "sha256": "ab" * 32}, {"name": "house:Crazy"}],
    "generation": 11,
    "generations": 20,
    "population": 64,
    "founders": [{"name": "tanks-6", "bot": None, "sha256": "cd" * 32}],
}


def _send(site: LiveSite, token: str, lineage: str) -> requests.Response:
    return site.post(
        "/api/v1/bots",
        token,
        data={"game": "reversi", "name": "mine", "lineage": lineage},
        files={"file": BOT},
    )


def test_a_lineage_is_kept_and_shown(site: LiveSite, token: str) -> None:
    sent = _send(site, token, json.dumps(LINEAGE))
    assert sent.status_code == 202, sent.text
    (version,) = site.get(f"/api/v1/bots/{sent.json()['id']}").json()["versions"]
    told = version["lineage"]
    assert {**told, "guides": LINEAGE["guides"]} == LINEAGE
    assert told["guides"][1] == {"name": "house:Crazy", "bot": None, "sha256": None}
    assert version["evolution_run"] is None
    page = site.get(f"/bots/{sent.json()['id']}").text
    assert "seed 7, generation 11 of 20, population 64, run tanks-7; against Walls" in page
    assert "descended from tanks-6" in page
    by_file = site.get(f"/api/v1/versions/{version['sha256']}").json()["versions"][0]
    assert by_file["version"]["lineage"] == told


def test_a_lineage_is_text_and_nothing_else(site: LiveSite, token: str) -> None:
    evil = {**LINEAGE, "run": "<script>alert(1)</script>", "domain": "\u202e\"'><img src=x>"}
    sent = _send(site, token, json.dumps(evil))
    assert sent.status_code == 202, sent.text
    page = site.get(f"/bots/{sent.json()['id']}").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize(
    ("lineage", "told"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        (json.dumps({**LINEAGE, "seed": "seven"}), "seed must be"),
        (json.dumps({**LINEAGE, "seed": 2**63}), "seed must be"),
        (json.dumps({**LINEAGE, "more": 1}), "more"),
        (json.dumps({**LINEAGE, "domain": "x" * 301}), "domain must be"),
        (
            json.dumps({**LINEAGE, "guides": [{"name": "x", "sha256": "no"}]}),
            "guides[0].sha256 must",
        ),
        (
            json.dumps({**LINEAGE, "guides": [{"name": "x"}] * 101}),
            "guides must be a list",
        ),
        (
            json.dumps({**LINEAGE, "founders": [{"name": "x"}] * 101}),
            "founders must be a list",
        ),
        (json.dumps({k: v for k, v in LINEAGE.items() if k != "run"}), "run"),
        (json.dumps({**LINEAGE, "run": "\ud800"}), "half of a surrogate pair"),
        (json.dumps({**LINEAGE, "run": "nul \0"}), "a NUL character"),
        (json.dumps(LINEAGE)[:-1] + ', "seed": 1}', "the key 'seed' twice"),
    ],
)
def test_a_bad_lineage_is_refused_with_the_reason(
    site: LiveSite, token: str, lineage: str, told: str
) -> None:
    answer = _send(site, token, lineage)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]
    assert site.get("/api/v1/bots", token).json()["bots"] == [], "nothing was stored"


def test_the_size_of_a_lineage_is_limited(site: LiveSite, token: str) -> None:
    answer = _send(site, token, json.dumps(LINEAGE) + " " * 40_000)
    assert answer.status_code == 413
    assert "'lineage' is too long" in answer.json()["detail"]


def test_the_upload_page_takes_no_lineage(site: LiveSite) -> None:
    browser = site.browser("grace")
    form = {"csrf": browser.csrf(), "game": "reversi", "name": "x", "lineage": "{}"}
    assert browser.post("/upload", data=form, files={"file": BOT}).status_code == 400


def test_every_database_keeps_it(db: Database) -> None:
    odd = json.dumps({**LINEAGE, "run": "Zoë", "seed": 2**53 - 1})
    sent = submissions.submit(db, account(db), Upload("reversi", "mybot", BOT, odd))
    (version,) = submissions.bot(db, sent.id, None).versions
    assert version.lineage == Lineage(
        run="Zoë",
        domain="tanks",
        seed=2**53 - 1,
        guides=[LineageGuide("Walls", "Walls", "ab" * 32), LineageGuide("house:Crazy")],
        generation=11,
        generations=20,
        population=64,
        founders=[LineageGuide("tanks-6", None, "cd" * 32)],
    )
