"""Pages of games whose matches do not begin now, and of plug-ins that are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from live_site import Browser, LiveSite, Serving, make_site, play_queue
from test_pages import check

from engines.plugins import LeftOut
from ladder.people import accounts
from ladder.values import Role
from ladder.web.api import operations
from ladder.web.http.endpoint import SITE
from ladder.web.pages import admin

NOTE = "Reversi is being compiled on this server now."


@pytest.fixture
def notes() -> dict[str, str]:
    return {"reversi": NOTE}


@pytest.fixture
def cold_site(folder: Path, notes: dict[str, str]) -> Iterator[LiveSite]:
    live = make_site(folder)
    live.app[SITE] = replace(live.app[SITE], notes=lambda: notes)
    with Serving(live.app) as live.url:
        yield live
    live.db.close()


def test_pages_say_that_a_game_is_being_compiled(
    cold_site: LiveSite, notes: dict[str, str]
) -> None:
    made = accounts.create(cold_site.db, "ada")
    answer = cold_site.upload(made.token)
    assert answer.status_code == 202, "uploads are accepted at any time"
    version = f"/bots/{answer.json()['id']}/versions/1"
    paths = ("/", "/games/reversi", version)
    for path in paths:
        page = cold_site.get(path).text
        check(page)
        assert page.count(NOTE) == 1, path
    assert NOTE not in cold_site.get("/games/tanks").text
    assert cold_site.get("/healthz").json()["not_played"] == notes
    notes.clear()
    play_queue(cold_site.db, cold_site.replays)
    for path in paths:
        assert NOTE not in cold_site.get(path).text, path
    assert cold_site.get("/healthz").json()["not_played"] == {}


def test_only_admins_read_why_a_plugin_is_left_out(
    cold_site: LiveSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out = (LeftOut("nim = my_games:NIM", "the name <nim> is taken"),)
    monkeypatch.setattr(admin, "LEFT_OUT", left_out)
    monkeypatch.setattr(operations, "LEFT_OUT", left_out)
    root = Browser(cold_site.url)
    token = accounts.create(cold_site.db, "root", Role.ADMIN).token
    root.post("/signin", data={"token": token, "next": ""})
    page = root.get("/admin").text
    check(page)
    assert "<code>nim = my_games:NIM</code> is left out: the name &lt;nim&gt; is taken" in page
    assert NOTE in page
    health = cold_site.get("/healthz")
    assert health.json()["left_out"] == ["nim = my_games:NIM"]
    assert "taken" not in health.text
