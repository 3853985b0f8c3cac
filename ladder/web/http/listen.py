"""The server socket: it opens and closes the port, and sets the limits of requests."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import msgspec
from aiohttp import web

from ladder.addresses import Network, is_among
from ladder.errors import LadderError
from ladder.web.http import problems
from ladder.web.http.connections import ClientConnection, ConnectionLimits, most_connections
from ladder.web.http.endpoint import respond
from ladder.web.http.site import Response

SHUTDOWN_SECONDS = 3
"""Time for open requests to end when the server stops."""

IDLE_SECONDS = 20
"""Time for the whole head of a request, counted from the connection or the last response."""

LINGERING_SECONDS = 3
"""Time in which the server reads on a refused body, so that its sender reads the response."""

LINE_BYTES = 4096
HEAD_LINES = 64
"""Most lines of a head, which is kept in memory until it is complete."""

READ_BYTES = 16 * 1024
"""Approximate size of the buffer of an unread body; the rest waits at the sender."""

BACKLOG = 512
ACCEPTED_AT_ONCE = 16
"""Many new connections wait in the queue of the system, not as descriptors we have not counted."""


class _RequestHandler(web.RequestHandler):
    """The framework's side of a connection, with our limits and our error messages."""

    def __init__(self, server: web.Server) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type] # as its own runner passes it
            keepalive_timeout=IDLE_SECONDS,
            lingering_time=LINGERING_SECONDS,
            max_line_size=LINE_BYTES,
            max_field_size=LINE_BYTES,
            max_headers=HEAD_LINES,
            read_bufsize=READ_BYTES,
            auto_decompress=False,
        )

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer malformed HTTP, without quoting it or naming our software."""
        if request.writer.output_size > 0:
            raise ConnectionError("the response has begun already")
        problem = problems.from_status(status)
        answer = respond(Response(msgspec.json.encode(problem), problems.PROBLEM, status))
        answer.force_close()
        return answer


@asynccontextmanager
async def listening(
    app: web.Application, host: str, port: int, proxies: Sequence[Network] = ()
) -> AsyncIterator[str]:
    """Serve `app` while the block runs; yields its address."""
    # It would log a traceback for every malformed request line.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    assert runner.server is not None
    limits = ConnectionLimits(
        partial(_RequestHandler, runner.server),
        most_connections(),
        lambda address: is_among(address, proxies),
    )
    watch = asyncio.create_task(limits.watch())
    try:
        try:
            server = await asyncio.get_running_loop().create_server(
                lambda: ClientConnection(limits), host, port, backlog=ACCEPTED_AT_ONCE
            )
        except OSError as error:
            raise LadderError(
                f"cannot listen on {host} port {port} ({error.strerror}); "
                "stop the process that uses it, or choose another --port"
            ) from error
        for accepting in server.sockets:  # asyncio takes one number for both queues
            with socket.fromfd(accepting.fileno(), accepting.family, accepting.type) as same:
                same.listen(BACKLOG)
        try:
            bound = server.sockets[0].getsockname()
            shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
            yield f"http://{shown}:{bound[1]}"
        finally:
            server.close()
    finally:
        watch.cancel()
        await runner.cleanup()
