"""Live events: topics, order, and readers that reconnect."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import requests
from live_site import LiveSite, Serving, make_site, pair_and_play, play_queue

from ladder.errors import TooMany, Unavailable
from ladder.events import news
from ladder.store import Database
from ladder.web.http import live
from ladder.web.http.endpoint import SITE


class Stream:
    """A reader of server-sent events."""

    def __init__(self, answer: requests.Response) -> None:
        self.answer = answer
        self.lines = answer.iter_lines()
        assert next(self.lines) == b"retry: 2000", answer.text
        self.last = 0

    def next(self) -> dict[str, Any]:
        number = None
        for line in self.lines:
            name, _, value = line.partition(b": ")
            if name == b"id":
                number = int(value)
            elif name == b"data":
                assert number is not None
                self.last = number
                return dict(json.loads(value))
        raise EOFError("the stream has ended")


@contextmanager
def following(site: LiveSite, query: str, **headers: str) -> Iterator[Stream]:
    with requests.get(
        f"{site.url}/live?{query}", stream=True, timeout=10, headers=headers
    ) as answer:
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == "text/event-stream"
        stream = Stream(answer)  # kept, because its deletion would close the connection
        yield stream


def test_readers_receive_events_of_their_topics(site: LiveSite, token: str) -> None:
    with (
        following(site, "topics=game:reversi") as board,
        following(site, "topics=matches,tournaments") as ticker,
        following(site, "topics=bot:999999") as nobody,
    ):
        sent = site.upload(token).json()
        with following(site, f"topics=bot:{sent['id']}&since=0") as bot:
            play_queue(site.db, site.replays)
            told = [bot.next() for _ in range(4)]
        steps = [(one["kind"], one.get("status"), one.get("playing")) for one in told]
        assert steps == [
            ("version", "validating", False),
            ("version", "validating", True),
            ("version", "accepted", False),
            ("match", None, None),
        ]
        pair_and_play(site.db, site.replays, "reversi", 1)
        seen = [board.next() for _ in range(4)]
        assert [one["kind"] for one in seen] == ["version", "match", "match", "match"]
        rated = seen[-1]
        assert rated["game"] == "reversi"
        assert [seat["after"] != seat["before"] for seat in rated["seats"]] == [True, True]
        assert {seat["rank"] for seat in rated["seats"]} <= {1, 2}
        matches = [ticker.next() for _ in range(3)]
        assert matches == seen[1:]
        assert ticker.last == board.last == site.app[SITE].live.last
        nobody.answer.close()


def test_a_reader_that_reconnects_misses_nothing(site: LiveSite) -> None:
    with following(site, "topics=matches") as stream:
        pair_and_play(site.db, site.replays, "reversi", 1)
        first = stream.next()
        known = stream.last
    pair_and_play(site.db, site.replays, "connect-four", 1)
    pair_and_play(site.db, site.replays, "reversi", 1)
    with following(site, "topics=game:reversi", **{"Last-Event-ID": str(known)}) as stream:
        missed = [stream.next() for _ in range(3)]
        assert first["id"] not in [one["id"] for one in missed]
        assert len({one["id"] for one in missed}) == 3
        assert {one["game"] for one in missed} == {"reversi"}
    site.app[SITE].live._forgotten = known + 1  # like a reader that missed thousands of events
    for old in (str(known), "999999999"):
        with following(site, f"topics=matches&since={old}") as stream:
            assert stream.next() == {"kind": "reload"}
            assert stream.last == site.app[SITE].live.last


def test_events_of_another_process_arrive(site: LiveSite) -> None:
    """Events of another process with its own connection."""
    other = Database(site.settings.database_url)
    with following(site, "topics=evolution:5") as stream:
        with suppress(RuntimeError), other.write() as c:
            news.run_moved(c, 5, news.EvolutionStatus.FAILED)
            raise RuntimeError("it never happened")
        with other.write() as c:
            news.run_moved(c, 5, news.EvolutionStatus.RUNNING, 7)
        assert stream.next() == {
            "kind": "evolution",
            "id": 5,
            "status": "running",
            "generation": 7,
        }
    other.close()


def test_the_number_of_readers_is_limited(site: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = site.app[SITE].live
    monkeypatch.setattr(hub, "_most", 2)
    with following(site, "topics=matches"), following(site, "topics=matches"):
        refused = site.get("/live?topics=matches")
        assert refused.status_code == 503
        assert refused.headers["Retry-After"]
    with following(site, "topics=matches"):  # readers that left do not count
        pass
    monkeypatch.setattr(hub, "_most", 100)
    monkeypatch.setattr(live, "MOST_READERS_PER_ADDRESS", 1)
    with following(site, "topics=matches"):
        assert site.get("/live?topics=matches").status_code == 429
    for bad in ("topics=", "topics=a%20b", "topics=" + ",".join("a" * 17), "since=x", "other=1"):
        assert site.get(f"/live?{bad}").status_code == 400, bad
    assert site.request("HEAD", "/live").status_code == 200


class Untouched(asyncio.Transport):
    """The connection of a reader, which counts accesses."""

    looks = 0

    def is_closing(self) -> bool:
        Untouched.looks += 1
        return False

    def get_write_buffer_size(self) -> int:
        Untouched.looks += 1
        return 0

    def write(self, data: object) -> None:
        Untouched.looks += 1


@pytest.mark.parametrize("readers", [10, 1_000])
def test_a_refusal_accesses_no_reader(sqlite_db: Database, readers: int) -> None:
    """So refusals stay cheap with many readers; refused ones try again."""

    async def refuse() -> None:
        hub = live.Live(sqlite_db, readers)
        for number in range(readers):
            where = (
                "198.51.100.9"
                if number < live.MOST_READERS_PER_ADDRESS
                else f"2001:db8:0:{number:x}::1"
            )
            hub.join(Untouched(), frozenset({"matches"}), where, None, True)
        Untouched.looks = 0
        with pytest.raises(Unavailable):
            hub.admit("203.0.113.1")
        hub._most += 1
        if readers > live.MOST_READERS_PER_ADDRESS:
            with pytest.raises(TooMany):
                hub.admit("198.51.100.9")
        assert Untouched.looks == 0

    asyncio.run(refuse())


def test_a_reader_that_hangs_up_is_removed_at_once(site: LiveSite) -> None:
    """The hub does not wait until the next event finds the connection closed."""
    hub = site.app[SITE].live
    with following(site, "topics=evolution:1"), following(site, "topics=evolution:2"):
        assert len(hub) == 2
    deadline = time.monotonic() + live.HEARTBEAT_SECONDS / 2
    while len(hub) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(hub) == 0


def test_a_reader_who_does_not_read_is_cut_off(site: LiveSite) -> None:
    hub = site.app[SITE].live
    with following(site, "topics=evolution:1") as slow, following(site, "topics=evolution:2"):
        text = {"kind": "x" * 500_000}
        for _ in range(40):  # more than the buffers of any system hold
            with site.db.write() as c:
                news._note(c, ["evolution:1"], text)
            if len(hub) < 2:
                break
        with site.db.write() as c:
            news._note(c, ["evolution:1", "evolution:2"], text)
        with pytest.raises((requests.RequestException, EOFError)):
            deque(iter(slow.next, None))
        assert len(hub) == 1


def test_streams_end_with_the_server(folder: Path) -> None:
    site = make_site(folder)
    with Serving(site.app) as site.url:
        answer = requests.get(site.url + "/live", stream=True, timeout=10)
        stream = Stream(answer)
    with pytest.raises(EOFError):
        stream.next()
    site.db.close()
