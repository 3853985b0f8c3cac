"""The readable page of the API holds all of the OpenAPI document."""

from __future__ import annotations

import re

from live_site import LiveSite

from ladder.web.pages.reference import read


def test_the_footer_leads_to_a_page_with_every_operation(shared_site: LiveSite) -> None:
    assert '<a href="/api">API</a>' in shared_site.get("/").text
    spec = shared_site.get("/api/v1/openapi.json").json()
    page = shared_site.get("/api")
    assert page.headers["Content-Type"].startswith("text/html")
    assert '<a href="/api/v1/openapi.json">' in page.text
    shown = re.findall(
        r'<summary><span class="method">(\w+)</span> <code>([^<]+)</code> '
        r'<span class="about">([^<]+)</span>',
        page.text,
    )
    declared = {
        (method.upper(), path, operation["summary"])
        for path, methods in spec["paths"].items()
        for method, operation in methods.items()
    }
    assert len(shown) == len(declared)
    assert set(shown) == declared
    for name, schema in spec["components"]["schemas"].items():
        for field in schema.get("properties", {}):
            assert f"<code>{field}</code>" in page.text, f"{name}.{field}"
    anchors = re.findall(r'id="([^"]+)"', page.text)
    assert len(set(anchors)) == len(anchors)
    assert set(re.findall(r'href="#([^"]+)"', page.text)) <= set(anchors)


def test_an_operation_says_who_may_use_it_what_it_takes_and_what_it_returns(
    shared_site: LiveSite,
) -> None:
    api = read(shared_site.get("/api/v1/openapi.json").content)
    found = {one.name: one for part in api.parts for one in part.operations}
    create = found["create_tournament"]
    assert (create.who, create.status) == ("Only for admins.", "201")
    assert [piece.shape for piece in create.answer] == ["TournamentRef"]
    body = {one.name: one for one in create.body}
    assert (body["game"].required, body["top"].required) == (True, False)
    assert "".join(p.text for p in body["top"].type) == "whole number from 1 to 1,000 or null"
    assert '"game": "reversi"' in create.body_example
    assert {"401", "403"} <= set(create.refusals)
    board = found["leaderboard"]
    assert board.who == "For everybody."
    assert [(one.name, one.place) for one in board.params][:2] == [
        ("game", "path"),
        ("division", "query"),
    ]
    assert found["show_bot"].who == "For everybody; a token shows more of what is yours."
    assert found["submit_bot"].body_media == "multipart/form-data"
