"""Operations of the API about the course of a match: drawn positions, and files for others."""

from __future__ import annotations

import gzip
import hashlib

import msgspec

from ladder.errors import NotFound
from ladder.matches import listing
from ladder.values import MatchStatus
from ladder.views import FrameList
from ladder.web.api.operations import VERSION
from ladder.web.http.encodings import accepts_gzip, names_etag
from ladder.web.http.site import JSON, TEXT, Request, Response
from ladder.web.pictures.replays import read_frames, write_record


def frames(ask: Request, id: int, first: int, count: int, stride: int, instance: int) -> Response:
    """Pictures of a match; browsers keep them as long as neither match nor we change."""
    packed, document = listing.checked_replay(ask.site.db, ask.site.replays, id)
    as_gzip = accepts_gzip(ask.headers.get("Accept-Encoding", ""))
    digest = hashlib.sha256(packed + VERSION.encode()).hexdigest()[:32]
    headers = {
        "ETag": f'"{digest}{"-gzip" if as_gzip else ""}"',
        "Cache-Control": "public, no-cache",
        "Vary": "Accept-Encoding",
    }
    if names_etag(ask.headers.get("If-None-Match", ""), headers["ETag"]):
        return Response(b"", JSON, 304, headers)
    shown = read_frames(document, range(first, first + count * stride, stride), instance)
    body = msgspec.json.encode(FrameList(id, shown.frames, shown.last, len(document.answers)))
    if not as_gzip:
        return Response(body, JSON, 200, headers)
    return Response(
        gzip.compress(body, 5, mtime=0), JSON, 200, {**headers, "Content-Encoding": "gzip"}
    )


def record(ask: Request, id: int) -> Response:
    """PDN of checkers, GGF of Reversi, the columns of Connect Four."""
    match = listing.get(ask.site.db, id)
    if match.status is not MatchStatus.FINISHED:
        raise NotFound(f"match {id} is not finished")
    _, document = listing.checked_replay(ask.site.db, ask.site.replays, id)
    text, form = write_record(match, document, "Evoladder")
    headers = {"Content-Disposition": f'attachment; filename="match-{id}.{form.extension}"'}
    return Response(text.encode(), TEXT, 200, headers)
