"""The page of the reader's own account."""

from __future__ import annotations

from ladder.uploads import submissions
from ladder.web.http.site import Request, Response
from ladder.web.pages.rendering import show


def me(request: Request) -> Response:
    return show(request, "me.html", bots=submissions.bots_of(request.site.db, request.member.id))
