"""Opens and closes the port."""

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
"""How long open requests may take to end when the server stops."""

IDLE_SECONDS = 20
"""How long the whole head of a request may take to come, from the connection or the last answer."""

LINGERING_SECONDS = 3
"""How long a body that nobody wants is read on, so that its sender gets to the answer."""

LINE_BYTES = 4096
HEAD_LINES = 64
"""A head is held in memory until it is complete: at most so many lines, each at most so long."""

READ_BYTES = 16 * 1024
"""What is kept of a body that nobody reads yet, about: the rest waits at its sender's."""

BACKLOG = 512
ACCEPTED_AT_ONCE = 16
"""A flood waits in the queue of the system, not as descriptors that nobody has counted yet."""


class _RequestHandler(web.RequestHandler):
    """The framework's side of a connection, with our limits and our words."""

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
        """Answer what is no HTTP, without repeating it or telling what runs here."""
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun already")
        problem = problems.from_status(status)
        answer = respond(Response(msgspec.json.encode(problem), problems.PROBLEM, status))
        answer.force_close()
        return answer


@asynccontextmanager
async def listening(
    app: web.Application, host: str, port: int, proxies: Sequence[Network] = ()
) -> AsyncIterator[str]:
    """Serve `app` while the block runs; yields its address."""
    # It logs a traceback for every request line that is no HTTP; those who send them know.
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
                "stop what uses it or choose another --port"
            ) from error
        for accepting in server.sockets:  # asyncio has one number for both queues
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
