"""Damaged replay files over HTTP have their own response, which no cache keeps."""

from __future__ import annotations

import pytest
from damages import DAMAGES, damage
from live_site import LiveSite


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_replay_is_reported_and_never_cached(site: LiveSite, kind: str) -> None:
    damage(site.db, site.replays, 1, kind)
    lost = kind in ("missing", "empty")
    for part in ("replay", "frames", "record"):
        for accepts in ("gzip", "identity"):
            path = f"/api/v1/matches/1/{part}"
            answer = site.get(path, headers={"Accept-Encoding": accepts})
            assert answer.status_code == (410 if lost else 503), part
            problem = answer.json()
            assert problem["title"] == ("Gone" if lost else "Damaged replay")
            assert "the result stands" in problem["detail"]
            assert answer.headers["Cache-Control"] == "no-cache"
            assert "ETag" not in answer.headers
    page = site.get("/matches/1")
    assert page.status_code == 200
    assert "lost or damaged" in page.text
    assert "This match has no replay to show" in site.get("/matches/1/embed").text
