"""Every cron expression is told in words, and the words name the times at which it fires."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.contests.schedule_words import schedule_words
from ladder.settings import BadSetting

WORDS = {
    "0 3 * * *": "every night at 03:00 UTC",
    "30 18 * * *": "every day at 18:30 UTC",
    "0 3,15 * * *": "every day at 03:00 and 15:00 UTC",
    "0 18 * * sun": "every Sunday at 18:00 UTC",
    "0 5 * * 0": "every Monday at 05:00 UTC",
    "0 5 * * mon-fri": "every Monday to Friday at 05:00 UTC",
    "0 5 * * mon,thu,sun": "every Monday, Thursday and Sunday at 05:00 UTC",
    "0 0 1 * *": "on day 1 of every month at 00:00 UTC",
    "0 0 1,15 jan,jul *": "on days 1 and 15 of January and July at 00:00 UTC",
    "0 0 last * *": "on the last day of every month at 00:00 UTC",
    "0 0 13,last * *": "on day 13 and the last day of every month at 00:00 UTC",
    "0 12 13 * fri": "on day 13 of every month that is Friday at 12:00 UTC",
    "0 12 1-7 * sat,sun": "on days 1 to 7 of every month that is Saturday or Sunday at 12:00 UTC",
    "0 12 * 6-8 *": "every day in June to August at 12:00 UTC",
    "0 12 * dec mon": "every Monday in December at 12:00 UTC",
    "* * * * *": "every minute, UTC",
    "*/5 * * * *": "every 5 minutes, UTC",
    "*/7 * * * *": "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour, UTC",
    "0 * * * *": "every hour on the hour, UTC",
    "7 * * * *": "at minute 7 of every hour, UTC",
    "0 */2 * * *": "every 2 hours from 00:00, UTC",
    "0 8-17 * * mon-fri": "at minute 0 of the hours 8 to 17, every Monday to Friday, UTC",
    "*/10 22 * * *": "every day at 22:00, 22:10, 22:20, 22:30, 22:40 and 22:50 UTC",
    "*/5 22 * jan *": (
        "at minutes 0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50 and 55 of the hour 22, "
        "every day in January, UTC"
    ),
}


@pytest.mark.parametrize(("cron", "words"), WORDS.items())
def test_a_schedule_in_words(cron: str, words: str) -> None:
    assert schedule_words(cron, "UTC") == words


def test_the_zone_is_named() -> None:
    assert schedule_words("0 3 * * *", "Europe/Berlin") == "every night at 03:00 Europe/Berlin time"
    with pytest.raises(BadSetting):
        schedule_words("0 3 * *", "UTC")


def _part(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    ranges = st.tuples(number, number).map(lambda two: f"{min(two)}-{max(two)}")
    stepped = st.tuples(st.one_of(st.just("*"), ranges), st.integers(1, high - low))
    return st.lists(
        st.one_of(
            st.just("*"),
            number.map(str),
            ranges,
            stepped.map(lambda two: f"{two[0]}/{two[1]}"),
        ),
        min_size=1,
        max_size=3,
    ).map(",".join)


@given(_part(0, 59), _part(0, 23), _part(1, 31), _part(1, 12), _part(0, 6))
def test_every_expression_has_words(
    minute: str, hour: str, day: str, month: str, weekday: str
) -> None:
    try:
        words = schedule_words(f"{minute} {hour} {day} {month} {weekday}", "UTC")
    except BadSetting:  # a step longer than its range
        return
    assert words.endswith("UTC")
    assert "*" not in words
    assert words.startswith(("every ", "at ", "on "))
