"""The pages people read. Each gathers views from the use cases and hands them to a template."""

from __future__ import annotations

from ladder.uploads import submissions
from ladder.web.http.site import Request, Response
from ladder.web.pages.rendering import show

LATEST_MATCHES = 8
"""Shown of a bot, a run and the like; there is a list of all."""


def me(request: Request) -> Response:
    mine = submissions.bots_of(request.site.db, request.member.id)
    return show(request, "me.html", bots=mine)
