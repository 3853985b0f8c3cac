"""Compressed responses, and responses that a browser asks for again with an ETag.

Only responses that are the same for everybody are compressed. A page for a signed-in reader holds a
form token and private text beside words that a link may have put there. If they were compressed
together, the length would tell a listener how much they have in common (the BREACH attack).
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import replace

from ladder.web.http.site import Response

WORTHWHILE_BYTES = 1_000
"""Shorter responses fit into one packet as they are."""

_LEVEL = 5
"""Three times as fast as the best level; the result is two percent longer."""


def compress(body: bytes) -> bytes:
    return gzip.compress(body, _LEVEL, mtime=0)


def pack(response: Response) -> Response:
    """The response with its packed form beside it, where packing saves something."""
    if len(response.body) < WORTHWHILE_BYTES or "Content-Encoding" in response.headers:
        return response
    return replace(response, packed=compress(response.body))


def conditional(
    asked: Mapping[str, str],
    version: str,
    make_body: Callable[[bool], bytes],
    media: str,
    headers: Mapping[str, str],
) -> Response:
    """A response that readers keep: 304 when the reader has this version, else the body.

    `asked` are the headers of the request. `make_body` gets True for gzip, and is called only when
    the body is sent.
    """
    as_gzip = accepts_gzip(asked.get("Accept-Encoding", ""))
    # Two encodings are two representations: each needs a strong tag of its own.
    etag = f'"{version}{"-gzip" if as_gzip else ""}"'
    headers = {**headers, "ETag": etag, "Vary": "Accept-Encoding"}
    if names_etag(asked.get("If-None-Match", ""), etag):
        return Response(b"", media, 304, headers)
    if as_gzip:
        headers["Content-Encoding"] = "gzip"
    return Response(make_body(as_gzip), media, 200, headers)


def accepts_gzip(header: str) -> bool:
    """Whether `Accept-Encoding` names gzip (or anything) without the weight zero."""
    weights: dict[str, bool] = {}
    for entry in header.lower().split(","):
        coding, _, weight = entry.partition(";")
        name, _, number = weight.partition("=")
        refused = name.strip() == "q" and number.strip().strip("0.") == ""
        weights[coding.strip()] = not refused
    return weights.get("gzip", weights.get("*", False))


def names_etag(header: str, etag: str) -> bool:
    """Whether `If-None-Match` names the tag; weak tags compare equal here (RFC 9110, 13.1.2)."""
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in tags or "*" in tags
