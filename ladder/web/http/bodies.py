"""Request bodies, read as a stream with hard limits on bytes and time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import BodyPartReader, ClientPayloadError, MultipartReader, StreamReader, web
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_exceptions import HttpProcessingError

from ladder.errors import Refusal, TooLarge
from ladder.uploads.submissions import MAX_UPLOAD_BYTES
from ladder.web.http.inputs import check_text

BODY_SECONDS = 30
"""The server refuses a body that takes longer to arrive."""

FIELD_BYTES = 2 * 1024
"""Longest text field of an upload form."""

LINEAGE_BYTES = 32 * 1024
"""Longest lineage of an upload; a hundred guides fill half of it."""

AROUND_BYTES = 64 * 1024
"""The other fields of a form with an upload, and the boundaries between them."""

_MOST_BYTES = {"code": MAX_UPLOAD_BYTES, "lineage": LINEAGE_BYTES}


class WrongMedia(Refusal):
    status = 415
    title = "Unsupported media type"


class TooSlow(Refusal):
    status = 408
    title = "Request timeout"


@dataclass(frozen=True, slots=True)
class UploadForm:
    """The fields of an upload. The first three belong to API and page, `lineage` to the API alone,
    and the others to the page alone."""

    game: str
    name: str
    file: bytes = b""
    lineage: str = ""
    """JSON about the origin of an evolved bot."""
    csrf: str = ""
    code: str = ""
    """The source from the text field of the page; used when no file is chosen."""
    token: str = ""
    """Token of a reader who is not signed in yet."""
    account: str = ""
    """Name of the account to create for a reader who has none."""
    invite: str = ""


@asynccontextmanager
async def _arriving() -> AsyncIterator[None]:
    """Turn errors of an arriving body into our own."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            yield
    except TimeoutError as error:
        raise TooSlow(f"the body did not arrive within {BODY_SECONDS} s; send it again") from error
    except (ClientPayloadError, web.RequestPayloadError, ConnectionResetError) as error:
        raise Refusal("the body broke off before its end; send it again") from error


async def read_limited(request: web.Request, media: str, limit: int) -> bytes:
    """The body, if it is of that media type and not longer than `limit` bytes."""
    _check_media(request, media)
    _check_length(request, limit)
    data = bytearray()
    async with _arriving():
        async for chunk in request.content.iter_any():
            data += chunk
            if len(data) > limit:
                raise TooLarge(f"the body is too long: at most {limit} bytes are allowed")
    return bytes(data)


async def read_upload(
    request: web.Request, most: int, wanted: Sequence[str], optional: Sequence[str] = ()
) -> UploadForm:
    """A multipart form with all fields of `wanted` and any of `optional`, in any order.

    The file has at most `most` bytes.

    It ignores file names and part types: the content alone decides the kind of a file.
    """
    # Read all of it before its parts, so that one limit covers the whole.
    data = await read_limited(request, "multipart/form-data", most + AROUND_BYTES)
    known = [*wanted, *optional]
    parts: dict[str, bytes] = {}
    try:
        async for part in MultipartReader(request.headers, _stream(data)):
            name = part.name if isinstance(part, BodyPartReader) else None
            if name is None or not isinstance(part, BodyPartReader):
                raise Refusal(f"a part of the form has no name; name it {' or '.join(known)}")
            if name not in known:
                raise Refusal(f"unknown form field {name[:40]!r}; send {', '.join(known)}")
            if name in parts:
                raise Refusal(f"the form has the field {name!r} twice; send it once")
            limit = most if name == "file" else _MOST_BYTES.get(name, FIELD_BYTES)
            parts[name] = await _read_part(part, name, limit)
    except (ValueError, AssertionError, RuntimeError, HttpProcessingError) as error:
        # aiohttp raises these for malformed boundaries, lines, headers and character sets.
        raise Refusal(
            "the body is not well-formed multipart/form-data; send it as `curl --form` does"
        ) from error
    missing = [name for name in wanted if name not in parts]
    if missing:
        raise Refusal(f"the form lacks the field {missing[0]!r}; add it")
    try:
        fields = {name: data.decode() for name, data in parts.items() if name != "file"}
    except UnicodeDecodeError as error:
        raise Refusal("the text fields of the form must be UTF-8") from error
    for name, text in fields.items():
        if name != "lineage":  # it is JSON, which cannot hold a NUL
            check_text(name, text)
    return UploadForm(file=parts.get("file", b""), **fields)


def _stream(data: bytes) -> StreamReader:
    loop = asyncio.get_running_loop()
    stream = StreamReader(BaseProtocol(loop), len(data) + 1, loop=loop)
    stream.feed_data(data)
    stream.feed_eof()
    return stream


async def _read_part(part: BodyPartReader, name: str, limit: int) -> bytes:
    data = bytearray()
    while chunk := await part.read_chunk(64 * 1024):
        data += chunk
        if len(data) > limit:
            raise TooLarge(f"the field {name!r} is too long: at most {limit} bytes are allowed")
    return bytes(data)


def _check_media(request: web.Request, media: str) -> None:
    try:
        given = request.content_type
    except ValueError:  # a parameter is not in the encoding that it names
        given = "something unreadable"
    if given != media:
        raise WrongMedia(f"send the body as {media}, not as {given[:80]}")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise WrongMedia("send the body as it is, without a Content-Encoding")


def _check_length(request: web.Request, limit: int) -> None:
    if request.content_length is not None and request.content_length > limit:
        raise TooLarge(f"the body is too long: at most {limit} bytes are allowed")


def expected_length(request: web.Request, most: int) -> int:
    """The most bytes that the body of an upload of at most `most` bytes can have."""
    declared, limit = request.content_length, most + AROUND_BYTES
    return limit if declared is None else min(declared, limit)


async def answer_expectation(request: web.Request) -> None:
    """Answer `Expect: 100-continue`, unless the body is too long; then no client need send it."""
    asked = request.headers.get("Expect", "").lower() == "100-continue"
    fits = request.content_length is None or request.content_length <= request.client_max_size
    if asked and fits and request.transport is not None:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
