"""Limits on connections: their number in all and per address, and the time of unread responses.

The web framework limits the time of heads (`listen.IDLE_SECONDS`), and `bodies` that of bodies.
This module keeps one address from taking all connections, and closes connections that do not read
their response. A client beyond the limits gets a 503.
"""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from collections.abc import Callable
from typing import cast

from ladder.addresses import household

MOST_CONNECTIONS = 3_000
"""Most of them wait for live events and cost little."""

KEPT_DESCRIPTORS = 160
"""File descriptors left for databases, replays, workers, pipes and refused connections."""

WANTED_DESCRIPTORS = 8_192
SHARE_PER_ADDRESS = 4
"""One address may have a quarter of all connections."""

REFUSED_AT_ONCE = 32
"""Connections that are reading a refusal; one more closes the oldest."""

REFUSAL_SECONDS = 2.0
SWEEP_SECONDS = 5.0
STALLED_SECONDS = 30.0
"""A client that reads less than `STALL_BYTES` of a response in this time is cut off."""

STALL_BYTES = 16 * 1024

_BODY = b'{"title":"Too many connections","status":503,"detail":"try again in a moment"}'
REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
    b"Retry-After: 5\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
)


def most_connections() -> int:
    """The number of connections that file descriptors suffice for; raises our limit of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, WANTED_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(16, min(MOST_CONNECTIONS, soft - KEPT_DESCRIPTORS))


class ConnectionLimits:
    """All connections of one server."""

    def __init__(
        self, serve: Callable[[], asyncio.Protocol], most: int, exempt: Callable[[str], bool]
    ) -> None:
        """`exempt`: whether many people share an address, such as that of a proxy."""
        self.serve = serve
        self.open: set[ClientConnection] = set()
        self._refused: dict[asyncio.Transport, None] = {}
        self._most = most
        self._exempt = exempt
        self._by_address: Counter[str] = Counter()

    def admit(self, address: str) -> bool:
        if len(self.open) >= self._most:
            return False
        if self._exempt(address):
            return True
        return self._by_address[household(address)] < max(1, self._most // SHARE_PER_ADDRESS)

    def enter(self, connection: ClientConnection) -> None:
        self.open.add(connection)
        self._by_address[household(connection.address)] += 1

    def leave(self, connection: ClientConnection) -> None:
        if connection in self.open:
            self.open.remove(connection)
            place = household(connection.address)
            self._by_address[place] -= 1
            if not self._by_address[place]:
                del self._by_address[place]

    def refuse(self, transport: asyncio.Transport) -> None:
        """Answer 503, and leave the client a moment to read it."""
        if len(self._refused) >= REFUSED_AT_ONCE:
            self._dismiss(next(iter(self._refused)))
        self._refused[transport] = None
        transport.write(REFUSAL)
        transport.write_eof()
        # If we closed while the request arrives, the client's system would drop our response.
        asyncio.get_running_loop().call_later(REFUSAL_SECONDS, self._dismiss, transport)

    def _dismiss(self, transport: asyncio.Transport) -> None:
        self._refused.pop(transport, None)
        transport.abort()

    def forget(self, transport: asyncio.Transport) -> None:
        self._refused.pop(transport, None)

    async def watch(self) -> None:
        """Cut off clients that do not read; runs until it is cancelled."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = asyncio.get_running_loop().time()
            for connection in list(self.open):
                connection.check(now)


class ClientConnection(asyncio.Protocol):
    """One connection. It passes its data on to the web framework."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.address = ""
        self.on_lost: Callable[[], None] | None = None
        """Called when the connection has ended, for handlers that neither read nor write."""
        self._limits = limits
        self._inner: asyncio.Protocol | None = None
        self._transport: asyncio.Transport | None = None
        self._backlog = 0
        self._moved = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        if not self._limits.admit(self.address):
            self._limits.refuse(self._transport)
            return
        self._limits.enter(self)
        self._inner = self._limits.serve()
        self._inner.connection_made(transport)

    def check(self, now: float) -> None:
        """Abort the connection when the client does not read its response."""
        assert self._transport is not None
        waiting = self._transport.get_write_buffer_size()
        if waiting == 0 or abs(waiting - self._backlog) >= STALL_BYTES:
            self._backlog, self._moved = waiting, now
        elif now - self._moved >= STALLED_SECONDS:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._inner is not None:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._inner is not None else None

    def pause_writing(self) -> None:
        if self._inner is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._inner is not None:
            self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._inner is not None:
            self._limits.leave(self)
            self._inner.connection_lost(exc)
            if self.on_lost is not None:
                self.on_lost()
        elif self._transport is not None:
            self._limits.forget(self._transport)
