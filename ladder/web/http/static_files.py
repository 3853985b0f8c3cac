"""The style sheets, scripts and icons of the site."""

from __future__ import annotations

import hashlib
from importlib import resources

from ladder.web.http.encodings import compress
from ladder.web.http.site import Response

STYLE = "style.css"
"""The first of the style sheets. All of them are sent under its name."""

STATIC_MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


def static_files() -> dict[str, Response]:
    """The files of the `static` folder by path. Pages add the hash of a file to its URL.

    Style sheets are kept by subject and sent as one, so that a page needs one request for them.
    """
    folder = resources.files("ladder.web").joinpath("static")
    found = {file.name: file.read_bytes() for file in folder.iterdir()}
    sheets = sorted(
        (name for name in found if name.endswith(".css")), key=lambda n: (n != STYLE, n)
    )
    found[STYLE] += b"".join(found.pop(name) for name in sheets)
    return {f"/static/{name}": _static_file(name, body) for name, body in found.items()}


def _static_file(name: str, body: bytes) -> Response:
    headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"'}
    return Response(
        body, STATIC_MEDIA[name[name.rindex(".") :]], 200, headers, packed=compress(body)
    )
