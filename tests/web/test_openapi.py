"""The OpenAPI document describes the API exactly: schemathesis looks for differences."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import jsonschema_rs
import msgspec
import pytest
import schemathesis
from live_site import LiveSite, Serving, fight, make_site, play_queue
from replay_files import own_file

from ladder import evolution
from ladder.boards import ladders
from ladder.contests import leagues
from ladder.cursors import write_place
from ladder.events import news
from ladder.people import accounts
from ladder.store import events, retention
from ladder.values import Role
from ladder.web.api import openapi
from ladder.web.api.operations import VERSION
from ladder.web.api.routes import api_routes
from ladder.web.http.endpoint import SITE
from ladder.web.pages.routes import PAGES


@pytest.fixture(scope="module")
def busy_site(seeded_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site that takes any number of accounts and uploads, with an admin and a member."""
    folder = Path(shutil.copytree(seeded_folder, tmp_path_factory.mktemp("api") / "data"))
    live = make_site(
        folder,
        accounts_per_hour=10**6,
        uploads_per_hour=10**6,
        uploads_per_day=10**6,
        refused_uploads_per_hour=10**6,
        challenges_per_day=10**6,
        requests_per_minute=10**9,
    )
    live.app[SITE].failures._allowed = 10**6
    accounts.create(live.db, "root", Role.ADMIN)
    accounts.create(live.db, "ada", Role.MEMBER)
    with Serving(live.app) as live.url:
        yield live
    live.db.close()


GAMES = [game.name for game in ladders.games().games]
DOCUMENT = openapi.document(api_routes(GAMES), GAMES, VERSION)

ACCEPTED = ["2xx", "401", "403", "404", "409"]
BEYOND_SCHEMAS = {
    "POST /api/v1/bots": "422",  # the file must be a bot
    "POST /api/v1/leagues": "400",  # cron expressions, names of time zones
    "POST /api/v1/tournaments": "400",  # which options go with a format, and formats with a game
    "POST /api/v1/matches": "400",  # how many seats a game has
}
"""The statuses of requests that break rules that no schema can state."""

schema = schemathesis.openapi.from_dict(
    DOCUMENT,
    config=schemathesis.Config.from_dict(
        {
            "generation": {"mode": "all"},
            "checks": {"positive_data_acceptance": {"expected-statuses": ACCEPTED}},
            "operations": [
                # This stream never ends.
                {"include-path": "/live", "request-timeout": 0.3, "max-stream-events": 3},
                *(
                    {
                        "include-name": name,
                        "checks": {
                            "positive_data_acceptance": {"expected-statuses": [*ACCEPTED, status]}
                        },
                    }
                    for name, status in BEYOND_SCHEMAS.items()
                ),
            ],
        }
    ),
)
few = hypothesis.settings(
    max_examples=int(os.environ.get("API_EXAMPLES", "15")),
    deadline=None,
    derandomize="API_EXAMPLES" not in os.environ,
    suppress_health_check=list(hypothesis.HealthCheck),
)


def call(case: schemathesis.Case, live: LiveSite, name: str) -> None:
    """Send it as this account, with a new token each time, since one operation replaces tokens."""
    token = accounts.new_token(live.db, name)
    answer = case.call_and_validate(base_url=live.url, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code < 500


@schema.parametrize()
@few
def test_as_a_stranger(case: schemathesis.Case, busy_site: LiveSite) -> None:
    case.call_and_validate(base_url=busy_site.url)


@pytest.mark.slow
@schema.parametrize()
@few
def test_as_a_member(case: schemathesis.Case, busy_site: LiveSite) -> None:
    call(case, busy_site, "ada")


@schema.parametrize()
@few
def test_as_an_admin(case: schemathesis.Case, busy_site: LiveSite) -> None:
    call(case, busy_site, "root")


def test_every_route_is_in_the_document(busy_site: LiveSite) -> None:
    """Schemathesis tests every documented route; only pages and static files are not documented."""
    pages = {(page.method, page.path) for page in PAGES}
    for route in busy_site.app.router.routes():
        assert route.resource is not None
        path = route.resource.canonical
        if route.method == "HEAD" or path.startswith("/static/") or (route.method, path) in pages:
            continue
        assert route.method.lower() in DOCUMENT["paths"][path], path


def test_the_document_is_served(site: LiveSite) -> None:
    answer = site.get("/api/v1/openapi.json")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == DOCUMENT


def follow(site: LiveSite, topics: str) -> None:
    """Read events from the beginning, and compare each with the document."""
    asked = schema["/live"]["GET"].Case(query={"topics": topics, "since": 0})
    asked.call_and_validate(base_url=site.url, timeout=2)


def test_live_events_agree_with_the_document(site: LiveSite, token: str) -> None:
    site.upload(token)
    play_queue(site.db, site.replays)
    leagues.run_league(site.db, 1)
    run = evolution.start(site.db, evolution.RunRequest("tanks")).run
    topics = ["matches", "tournaments", "evolution", "game:reversi", "owner:2", "bot:1"]
    with site.db.read() as c:
        told = {msgspec.json.decode(data)["kind"] for _, _, data in events.since(c, 0, 10_000)}
    assert told == {"match", "version", "tournament", "evolution"}
    for topic in topics:
        follow(site, topic)
    with site.db.write() as c:
        news._note(c, [f"evolution:{run.id}"], {"kind": "unheard-of", "id": run.id})
    with pytest.raises(schemathesis.core.failures.FailureGroup):
        follow(site, f"evolution:{run.id}")


def test_whole_numbers_may_have_a_point(site: LiveSite, admin: str) -> None:
    """In JSON, and so in schemas, 3.0 is a whole number; 3.5, "3" and true are not."""
    contest = {"game": "reversi", "format": "round-robin"}

    def create(top: str) -> int:
        body = msgspec.json.encode({**contest, "top": msgspec.Raw(top.encode())})
        headers = {"Content-Type": "application/json"}
        return site.post("/api/v1/tournaments", admin, data=body, headers=headers).status_code

    assert {top: create(top) for top in ("3", "3.0", "0.3e1", "3.00")} == dict.fromkeys(
        ("3", "3.0", "0.3e1", "3.00"), 201
    )
    for top in ("3.5", '"3"', "true", "[3.0]", "1e300", "-3.0"):
        assert create(top) == 400, top


@pytest.mark.parametrize(
    "place", [(25.0, 1, 1), (math.nan, 1, 1), (math.inf, -1, -1), (-math.inf, 2**63 - 1, 2**62)]
)
def test_every_cursor_of_the_documented_form_is_accepted(
    shared_site: LiveSite, place: tuple[float, int, int]
) -> None:
    after = write_place(*place)
    for path in ("/api/v1/games/reversi/leaderboard", "/games/reversi"):
        assert shared_site.get(path, params={"after": after}).status_code == 200


def test_frames_are_of_every_kind_of_game(site: LiveSite) -> None:
    battle = fight(site, "tanks", ["Walls", "Crazy"], rounds=1)
    (row,) = site.get("/api/v1/matches?game=reversi&limit=1").json()["rows"]
    for match_id in (battle, row["id"]):
        asked = schema["/api/v1/matches/{id}/frames"]["GET"].Case(path_parameters={"id": match_id})
        assert asked.call_and_validate(base_url=site.url).status_code == 200
    own_file(site.db, site.replays, row["id"])
    with site.db.write() as c:
        retention.mark_removed(c, [row["id"]])
    site.replays.remove(row["id"])
    for what in ("frames", "record", "replay"):
        gone = site.get(f"/api/v1/matches/{row['id']}/{what}")
        assert gone.status_code == 410, what
        assert "410" in DOCUMENT["paths"][f"/api/v1/matches/{{id}}/{what}"]["get"]["responses"]


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_every_operation_has_examples() -> None:
    """Parameters, bodies and responses have examples, which match their schemas."""
    resolved = {"components": DOCUMENT["components"]}
    opaque = ("/metrics", "/source")
    for name, operation in operations():
        for param in operation["parameters"]:
            jsonschema_rs.validate(param["schema"], param["example"])
        contents = [answer.get("content", {}) for answer in operation["responses"].values()]
        contents.append(operation.get("requestBody", {}).get("content", {}))
        for content in contents:
            for media in content.values():
                if name.endswith(opaque) and "example" not in media:
                    continue
                if "schema" in media:
                    jsonschema_rs.validate({**media["schema"], **resolved}, media["example"])
                assert media["example"], name


def test_examples_of_bodies_are_accepted(site: LiveSite, admin: str) -> None:
    for name, operation in operations():
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            continue
        method, path = name.split(" ")
        sent = dict(content["application/json"]["example"])
        if path.endswith("/matches"):  # of bots that are there
            sent["bots"] = [1, 2]
        if path.endswith("/accounts"):
            sent["invite"] = accounts.create_invite(site.db, 1)
        answer = site.request(method, path.format(id=1), admin, json=sent)
        assert answer.ok or answer.status_code == 404, (name, answer.text)
