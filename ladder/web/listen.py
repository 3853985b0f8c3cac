"""Opens and closes the port."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from ladder.errors import LadderError

SHUTDOWN_SECONDS = 3
"""How long open requests may take to end when the server stops."""


@asynccontextmanager
async def listening(app: web.Application, host: str, port: int) -> AsyncIterator[str]:
    """Serve `app` while the block runs; yields its address."""
    # It logs a traceback for every request line that is no HTTP; those who send them know.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise LadderError(
                f"cannot listen on {host} port {port} ({error.strerror}); "
                "stop what uses it or choose another --port"
            ) from error
        bound = runner.addresses[0]
        shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        yield f"http://{shown}:{bound[1]}"
    finally:
        await runner.cleanup()
