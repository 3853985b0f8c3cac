"""The OpenAPI document says exactly what the API does: schemathesis tries to prove otherwise."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import schemathesis
from live_site import LiveSite, Serving, make_site

from ladder import accounts, boards
from ladder.values import Role
from ladder.web import openapi
from ladder.web.api import VERSION
from ladder.web.api_routes import api_routes
from ladder.web.page_routes import PAGES


@pytest.fixture(scope="module")
def busy_site(seeded_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site that takes any number of accounts and uploads, with an admin and a member."""
    folder = Path(shutil.copytree(seeded_folder, tmp_path_factory.mktemp("api") / "data"))
    live = make_site(
        folder, accounts_per_hour=10**6, uploads_per_hour=10**6, challenges_per_day=10**6
    )
    accounts.create(live.db, "root", Role.ADMIN)
    accounts.create(live.db, "ada", Role.MEMBER)
    with Serving(live.app) as live.url:
        yield live
    live.db.close()


GAMES = [game.name for game in boards.games().games]
DOCUMENT = openapi.document(api_routes(GAMES), GAMES, VERSION)

ACCEPTED = ["2xx", "401", "403", "404", "409"]
BEYOND_SCHEMAS = {
    "GET /api/v1/games/{game}/leaderboard": "400",  # `after` is the `next` of an earlier page
    "POST /api/v1/bots": "422",  # the file must be a bot
    "POST /api/v1/leagues": "400",  # cron expressions, names of time zones
    "POST /api/v1/tournaments": "400",  # which options go with a format, and formats with a game
    "POST /api/v1/matches": "400",  # how many seats a game has
    "POST /api/v1/tournaments/{id}/requeue": "400",  # 7.0 is a whole number to a schema only
    "POST /api/v1/tournaments/{id}/withdraw": "400",
}
"""Rules that no schema can state, and the status that tells of their breach."""

schema = schemathesis.openapi.from_dict(
    DOCUMENT,
    config=schemathesis.Config.from_dict(
        {
            "generation": {"mode": "all"},
            "checks": {"positive_data_acceptance": {"expected-statuses": ACCEPTED}},
            "operations": [
                {
                    "include-name": name,
                    "checks": {
                        "positive_data_acceptance": {"expected-statuses": [*ACCEPTED, status]}
                    },
                }
                for name, status in BEYOND_SCHEMAS.items()
            ],
        }
    ),
).exclude(path="/live")  # it answers for as long as one listens
few = hypothesis.settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)


def call(case: schemathesis.Case, live: LiveSite, name: str) -> None:
    """Ask as that account; with a token of its own each time, for one operation replaces them."""
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
    """Whatever the router serves beyond pages and static files, schemathesis tries."""
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
