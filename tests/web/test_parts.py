"""Small parts of the web side, separately."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from ladder.errors import NotFound, Refusal, TooMany
from ladder.host.meters import Meters
from ladder.values import Kind
from ladder.views import Bar, BoardRow, RatingPoint
from ladder.web.http.cache import ResponseCache
from ladder.web.http.encodings import accepts_gzip, names_etag
from ladder.web.http.inputs import BadValue, id_param, read_form, read_params, whole_number
from ladder.web.http.metrics import RequestCounts, prometheus
from ladder.web.http.throttle import Throttle
from ladder.web.pages.rendering import ago, link, mean, opponent, sentence, signed, size, words
from ladder.web.pictures import charts


def test_one_answer_serves_many_requests() -> None:
    made = 0

    async def make() -> int:
        nonlocal made
        made += 1
        await asyncio.sleep(0.01)
        return made

    async def crowd() -> list[int]:
        cache: ResponseCache[int] = ResponseCache(60, 4)
        return await asyncio.gather(*(cache.get("key", make) for _ in range(100)))

    assert asyncio.run(crowd()) == [1] * 100


def test_answers_expire_and_failures_are_not_cached() -> None:
    async def story() -> None:
        cache: ResponseCache[int] = ResponseCache(0.02, 4)
        answers = iter([1, 2])

        async def make() -> int:
            return next(answers)

        async def fail() -> int:
            raise NotFound("nothing")

        with pytest.raises(NotFound):
            await cache.get("key", fail)
        assert await cache.get("key", make) == 1
        assert await cache.get("key", make) == 1
        await asyncio.sleep(0.03)
        assert await cache.get("key", make) == 2

    asyncio.run(story())


def test_the_cache_stays_small() -> None:
    async def story() -> int:
        cache: ResponseCache[int] = ResponseCache(60, 10)

        async def make() -> int:
            return 0

        for key in range(1000):
            await cache.get(key, make)
        return len(cache)

    assert asyncio.run(story()) == 10


def test_a_cancelled_request_does_not_disturb_the_others() -> None:
    async def story() -> int:
        cache: ResponseCache[int] = ResponseCache(60, 10)

        async def make() -> int:
            await asyncio.sleep(0.02)
            return 7

        first = asyncio.create_task(cache.get("key", make))
        second = asyncio.create_task(cache.get("key", make))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(story()) == 7


def test_a_throttle_counts_per_address() -> None:
    now = 0.0
    throttle = Throttle(2, 100, addresses=3, clock=lambda: now)
    throttle.take("10.0.0.1", "things")
    give_back = throttle.take("10.0.0.1", "things")
    give_back()
    throttle.take("10.0.0.1", "things")
    throttle.take("10.0.0.2", "things")
    with pytest.raises(TooMany) as refused:
        throttle.take("10.0.0.1", "things")
    assert refused.value.retry_after == 100
    now = 101
    throttle.take("10.0.0.1", "things")


def test_a_throttle_counts_one_ipv6_subscriber_once() -> None:
    throttle = Throttle(1, 100)
    throttle.take("2001:db8::1", "things")
    with pytest.raises(TooMany):
        throttle.take("2001:db8::ffff", "things")
    throttle.take("2001:db8:0:1::1", "things")


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", " 1", "1_0", "0x1", "1.0", "\u0661", "01", "9" * 20]
)
def test_whole_numbers_are_strict(text: str) -> None:
    with pytest.raises(BadValue):
        whole_number(1, 2**63 - 1)(text)


def test_parameters_are_strict() -> None:
    with pytest.raises(NotFound):
        read_params([id_param("bot")], {"id": "x"}, [], strict=True)
    with pytest.raises(Refusal, match="unknown query parameter"):
        read_params([], {}, [("x", "1")], strict=True)
    assert read_params([], {}, [("x", "1")], strict=False) == {}


def test_forms_are_strict() -> None:
    assert read_form(b"a=1&b=%C3%A9", ("a", "b", "c")) == {"a": "1", "b": "é", "c": ""}
    for bad in (b"x=1", b"a=%FF", b"\xff", b"&".join(b"a=1" for _ in range(99))):
        with pytest.raises(Refusal):
            read_form(bad, ("a",))


@pytest.mark.parametrize(
    ("header", "yes"),
    [("", False), ("gzip;q=0.000", False), ("GZIP ; q=1", True), ("identity, *;q=0", False)],
)
def test_accept_encoding(header: str, yes: bool) -> None:
    assert accepts_gzip(header) is yes


def test_etags() -> None:
    assert names_etag('W/"a", "b"', '"a"')
    assert not names_etag("", '"a"')


def point(number: int, mu: float, version: int = 1) -> RatingPoint:
    return RatingPoint(number, number, version, mu, 2.0, mu - 6)


def test_charts() -> None:
    assert charts.history_chart([]) is None
    assert charts.history_chart([point(1, 25)]) is None
    chart = charts.history_chart([point(3, 27, 2), point(2, 26), point(1, 25)])
    assert chart is not None
    assert [tick.label for tick in chart.versions] == ["v2"]
    labels = [float(tick.label) for tick in chart.scale]
    assert labels[0] <= 19
    assert labels[-1] >= 33
    assert len(chart.band.split()) == 6


def test_clocks_and_histograms() -> None:
    assert charts.clock_chart([]) is None
    assert charts.clock_chart([(0, 0.0), (1, 0.0)]) is None
    chart = charts.clock_chart([(0, 5.0), (1, 10.0), (0, 0.0), (1, 2.5)])
    assert chart is not None
    assert chart.slowest_ms == 10.0
    (first, up), (second, down) = chart.bars
    assert (first, second) == (0, 1)
    assert up.count("v-") == 1, "a value of 0 has no bar"
    assert down.count("v") == 2
    assert "-" not in down
    bars = charts.columns([Bar(1.0, 0), Bar(2.0, 4), Bar(None, 2)])
    assert [(bar.label, bar.count) for bar in bars] == [("<1", 0), ("<2", 4), ("more", 2)]
    assert bars[0].height == 0
    assert bars[1].height == 2 * bars[2].height
    assert [charts.heat(share) for share in (0, 0.5, 1)] == ["heat-0", "heat-5", "heat-10"]


def test_intervals_fill_their_scale() -> None:
    rows = [
        BoardRow(1, "a", 1, 1, "x", Kind.PYTHON, 30, 1, 27, 9, 9, 0, 0, 0.5, {}),
        BoardRow(2, "b", 2, 1, "x", Kind.PYTHON, 20, 2, 14, 9, 0, 0, 9, 0.5, {}),
    ]
    spans = charts.spans(rows)
    assert spans[2].start == 0
    assert spans[1].start + spans[1].width == pytest.approx(100)
    assert charts.spans([]) == {}


def test_words() -> None:
    now = datetime.now(UTC)
    assert ago(now) == "now"
    assert ago(now - timedelta(minutes=5)) == "5 min ago"
    assert ago(now + timedelta(hours=3, seconds=1)) == "in 3 h"
    assert sentence("a bot lost") == "A bot lost."
    assert sentence("") == ""
    assert words("lastSurvivorBonus") == words("last_survivor_bonus") == "Last survivor bonus"
    assert (mean(12.34), mean(1234.5), mean(-2000.0)) == ("12.3", "1,234", "-2,000")
    assert (size(12), size(2048)) == ("12 bytes", "2.0 KiB")
    assert signed(-1.5) == "\N{MINUS SIGN}1.50"
    assert link("/x", a=None, b="", c="1 2&3") == "/x?c=1+2%263"


def test_metrics_are_escaped() -> None:
    meters = Meters()
    meters.count("ladder_matches_finished_total", 2, game='a"b', ending="completed")
    meters.observe("ladder_play_seconds", 0.2, game="reversi")
    meters.observe("ladder_play_seconds", 10_000_000, game="reversi")
    text = prometheus(
        RequestCounts(),
        {"queued": 10**7},
        {"sandbox": 'a"b\\c\n', "plays_total": 3},
        {("reversi", "ladder"): 10**7},
        datetime(2026, 1, 1, tzinfo=UTC),
        meters,
    )
    assert r'ladder_info{sandbox="a\"b\\c\n"} 1' in text
    assert 'ladder_queue{game="reversi",purpose="ladder"} 10000000' in text
    assert 'ladder_matches_finished_total{ending="completed",game="a\\"b"} 2' in text
    assert 'ladder_play_seconds_bucket{game="reversi",le="0.1"} 0' in text
    assert 'ladder_play_seconds_bucket{game="reversi",le="0.3"} 1' in text
    assert 'ladder_play_seconds_bucket{game="reversi",le="+Inf"} 2' in text
    assert 'ladder_play_seconds_sum{game="reversi"} 1e+07' in text
    assert 'ladder_play_seconds_count{game="reversi"} 2' in text
    assert "ladder_lease_expiries_total 0" in text, "events that never happened count 0"
    assert "ladder_last_backup_timestamp_seconds 1767225600.0" in text
    assert "# TYPE ladder_plays_total counter" in text
    assert text.endswith("\n")


def test_opponents_of_evolution_have_short_names() -> None:
    assert opponent("house:Walls") == "Walls"
    assert opponent("file:/data/guides/chaser.lisp") == "chaser"
    assert opponent("house:Walls, ladder:mine, file:a/b.lisp") == "Walls, mine, b"
