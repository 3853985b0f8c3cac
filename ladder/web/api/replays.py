"""Operations of the API: pictures of a replay, and records for other programs."""

from __future__ import annotations

import hashlib

import msgspec

from ladder.errors import NotFound
from ladder.matches import listing
from ladder.values import MatchStatus
from ladder.views import FrameList
from ladder.web.api.operations import VERSION
from ladder.web.http.encodings import compress, conditional
from ladder.web.http.site import JSON, TEXT, Request, Response
from ladder.web.pictures.replays import read_frames, write_record


def frames(
    request: Request, id: int, first: int, count: int, stride: int, instance: int
) -> Response:
    """Pictures of a match. They change only when this server gets a new version."""
    packed, document = listing.checked_replay(request.site.db, request.site.replays, id)
    version = hashlib.sha256(packed + VERSION.encode()).hexdigest()[:32]
    numbers = range(first, first + count * stride, stride)

    def draw(as_gzip: bool) -> bytes:
        shown = read_frames(document, numbers, instance)
        body = msgspec.json.encode(FrameList(id, shown.frames, shown.last, len(document.answers)))
        return compress(body) if as_gzip else body

    headers = {"Cache-Control": "public, no-cache"}
    return conditional(request.headers, version, draw, JSON, headers)


def record(request: Request, id: int) -> Response:
    """The match in the record format of its game."""
    match = listing.get(request.site.db, id)
    if match.status is not MatchStatus.FINISHED:
        raise NotFound(f"match {id} is not finished")
    _, document = listing.checked_replay(request.site.db, request.site.replays, id)
    text, form = write_record(match, document, "Evoladder")
    headers = {"Content-Disposition": f'attachment; filename="match-{id}.{form.extension}"'}
    return Response(text.encode(), TEXT, 200, headers)
