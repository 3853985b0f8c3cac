"""Server-sent events: the readers of each topic, and the delivery of events to all of them.

An event is encoded once, and the same bytes go into every connection that follows one of its
topics. A reader costs no thread, no query and no queue of ours: unread bytes wait in its
connection, and a reader with too many of them is cut off. Browsers reconnect by themselves and
name the last event that they have.

Only the event loop uses this module; `ladder.events.feed` passes events on from its thread.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import msgspec
from aiohttp import HttpVersion11, web

from ladder.addresses import household
from ladder.errors import TooMany, Unavailable
from ladder.events.feed import Feed, StoredEvent
from ladder.events.news import Reload
from ladder.store import Database, events
from ladder.web.http.connections import ClientConnection

MEDIA = "text/event-stream"
TOPIC = "[a-z]{1,20}(:[a-z0-9-]{1,40})?"
MOST_TOPICS = 16
MOST_READERS_PER_ADDRESS = 50
"""A browser has one stream, that of its visible tab."""

RETRY_SECONDS = 15
"""A refused reader may ask again after this time."""

HEARTBEAT_SECONDS = 15.0
"""A proxy may close a connection that is silent for longer."""

MOST_UNREAD_BYTES = 64 * 1024
"""A reader with more unread bytes than this is cut off; buffers of the systems do not count."""

RELOAD = msgspec.json.encode(Reload()).decode()

_HEARTBEAT = b":\n\n"
_GREETING = b"retry: 2000\n\n"


def _as_chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


@dataclass(frozen=True, slots=True)
class _EncodedEvent:
    """The bytes of an event, alone and as a chunk of HTTP/1.1."""

    id: int
    topics: tuple[str, ...]
    plain: bytes
    chunk: bytes


def _encode(event: StoredEvent) -> _EncodedEvent:
    plain = f"id: {event.id}\ndata: {event.data}\n\n".encode()
    return _EncodedEvent(event.id, event.topics, plain, _as_chunk(plain))


class _Reader:
    """One open stream of events."""

    def __init__(
        self, transport: asyncio.Transport, topics: frozenset[str], address: str, chunked: bool
    ) -> None:
        self.topics = topics
        self.address = address
        self.chunked = chunked
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport = transport

    def send(self, plain: bytes, chunk: bytes) -> bool:
        """Send bytes; False when the reader has gone or does not keep up."""
        if self._transport.is_closing():
            return False
        if self._transport.get_write_buffer_size() > MOST_UNREAD_BYTES:
            self._transport.abort()
            return False
        self._transport.write(chunk if self.chunked else plain)
        return True


class Live:
    """All readers of one server, and the latest events for readers who reconnect."""

    def __init__(self, db: Database, most: int) -> None:
        self.last = 0
        """Number of the newest event."""
        self._feed = Feed(db, self._deliver)
        self._most = most
        self._kept: deque[_EncodedEvent] = deque(maxlen=events.KEPT)
        self._forgotten = 0
        """Number of the newest event that is no longer kept."""
        self._readers: set[_Reader] = set()
        self._by_topic: dict[str, set[_Reader]] = {}
        self._by_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._readers)

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        found = await asyncio.to_thread(self._feed.start)
        if found:
            self._forgotten = found[0].id - 1
            self._publish(found)
        self._heartbeats = asyncio.create_task(self._send_heartbeats())

    async def stop(self) -> None:
        """End all streams."""
        self._heartbeats.cancel()
        await asyncio.to_thread(self._feed.stop)
        for reader in list(self._readers):
            self.leave(reader)

    def _deliver(self, found: Sequence[StoredEvent]) -> None:
        self._loop.call_soon_threadsafe(self._publish, found)

    def _publish(self, found: Sequence[StoredEvent]) -> None:
        for event in map(_encode, found):
            if len(self._kept) == self._kept.maxlen:
                self._forgotten = self._kept[0].id
            self._kept.append(event)
            self.last = event.id
            concerned = set().union(*(self._by_topic.get(topic, ()) for topic in event.topics))
            for reader in concerned:
                if not reader.send(event.plain, event.chunk):
                    self.leave(reader)

    async def _send_heartbeats(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            self._sweep()

    def _sweep(self) -> None:
        for reader in list(self._readers):
            if not reader.send(_HEARTBEAT, _as_chunk(_HEARTBEAT)):
                self.leave(reader)

    def admit(self, address: str) -> None:
        """Raise `Unavailable` or `TooMany` when there is no place for one more reader.

        It does not walk over the readers, so that many refusals cost little. The end of a
        connection or the next heartbeat removes a reader that has gone.
        """
        if len(self._readers) >= self._most:
            raise Unavailable("too many readers follow the live pages; try again in a while")
        if self._by_address[household(address)] >= MOST_READERS_PER_ADDRESS:
            raise TooMany(
                f"your address has {MOST_READERS_PER_ADDRESS} live pages open, which is the most "
                "allowed; close some of them",
                RETRY_SECONDS,
            )

    def join(
        self,
        transport: asyncio.Transport,
        topics: frozenset[str],
        address: str,
        since: int | None,
        chunked: bool,
    ) -> _Reader:
        """Follow topics from the event after `since`, or from now."""
        reader = _Reader(transport, topics, address, chunked)
        self._readers.add(reader)
        self._by_address[household(address)] += 1
        for topic in topics:
            self._by_topic.setdefault(topic, set()).add(reader)
        if since is not None:
            missed = self._missed(topics, since)
            if missed:
                reader.send(missed, _as_chunk(missed))
        return reader

    def _missed(self, topics: frozenset[str], since: int) -> bytes:
        if not self._forgotten <= since <= self.last:  # too old, or of another database
            return _encode(StoredEvent(self.last, (), RELOAD)).plain
        newer = list(takewhile(lambda event: event.id > since, reversed(self._kept)))
        found = [event.plain for event in newer if not topics.isdisjoint(event.topics)]
        missed = b"".join(reversed(found))
        if len(missed) > MOST_UNREAD_BYTES:
            return _encode(StoredEvent(self.last, (), RELOAD)).plain
        return missed

    def leave(self, reader: _Reader) -> None:
        if reader not in self._readers:
            return
        self._readers.remove(reader)
        place = household(reader.address)
        self._by_address[place] -= 1
        if not self._by_address[place]:
            del self._by_address[place]
        for topic in reader.topics:
            self._by_topic[topic].discard(reader)
            if not self._by_topic[topic]:
                del self._by_topic[topic]
        if not reader.gone.done():
            reader.gone.set_result(None)


async def follow(
    live: Live,
    request: web.Request,
    headers: dict[str, str],
    address: str,
    topics: str,
    since: int | None,
) -> web.StreamResponse:
    """Send events until the reader leaves or the server stops."""
    live.admit(address)
    event = request.headers.get("Last-Event-ID", "")
    if event.isascii() and event.isdecimal() and len(event) <= 18:
        since = int(event)
    response = web.StreamResponse(headers={**headers, "Content-Type": MEDIA})
    response.headers["X-Accel-Buffering"] = "no"  # or nginx would hold events back
    response.force_close()
    chunked = request.version >= HttpVersion11
    if chunked:
        response.enable_chunked_encoding()
    await response.prepare(request)
    if request.method == "HEAD":
        return response
    await response.write(_GREETING)
    # No step awaits from here on, so that no event is lost between the missed and the next ones.
    if not isinstance(request.transport, asyncio.Transport):
        return response
    wanted = frozenset(topics.split(","))
    reader = live.join(request.transport, wanted, address, since, chunked)
    connection = request.transport.get_protocol()
    # The framework does not tell handlers that a reader has gone.
    if isinstance(connection, ClientConnection):
        connection.on_lost = lambda: live.leave(reader)
    try:
        await reader.gone
    finally:
        live.leave(reader)
    return response
