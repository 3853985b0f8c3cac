from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.contests.schedules import Schedule


def all_slots(schedule: Schedule, start: datetime, end: datetime) -> list[datetime]:
    """All times in a period, found one after the other, as by the scheduler."""
    slots: list[datetime] = []
    at = start
    while (slot := schedule.next(at)) is not None and slot <= end:
        slots.append(slot)
        at = slot
    return slots


@pytest.mark.parametrize(
    ("cron", "zone", "day", "expected"),
    [
        # 02:30 does not happen: it is 03:30 summer time.
        ("30 2 * * *", "Europe/Berlin", datetime(2026, 3, 29), ["01:30"]),
        # 02:30 happens twice: at 00:30 and 01:30 UTC. The first one counts.
        ("30 2 * * *", "Europe/Berlin", datetime(2026, 10, 25), ["00:30"]),
        ("30 2 * * *", "America/New_York", datetime(2026, 3, 8), ["07:30"]),
        ("30 1 * * *", "America/New_York", datetime(2026, 11, 1), ["05:30"]),
        # The clock moves by half an hour only.
        ("15 2 * * *", "Australia/Lord_Howe", datetime(2026, 10, 4), ["15:45"]),
        ("0 3 * * *", "UTC", datetime(2026, 3, 29), ["03:00"]),
    ],
)
def test_a_night_with_a_clock_change_has_one_run(
    cron: str, zone: str, day: datetime, expected: list[str]
) -> None:
    schedule = Schedule(cron, zone)
    start = day.replace(tzinfo=UTC) - timedelta(hours=12 if "Lord" in zone else 0)
    slots = all_slots(schedule, start, start + timedelta(hours=24))
    assert [slot.strftime("%H:%M") for slot in slots] == expected
    assert schedule.latest(start, start + timedelta(hours=24)) == slots[-1]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Sydney", "UTC"])
@pytest.mark.parametrize("minute", ["0 3", "30 2", "30 1", "59 23"])
def test_every_night_of_a_year_has_one_run(zone: str, minute: str) -> None:
    schedule = Schedule(f"{minute} * * *", zone)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    slots = all_slots(schedule, start, start + timedelta(days=365))
    assert len(slots) == 365
    apart = {(b - a).total_seconds() / 3600 for a, b in pairwise(slots)}
    assert apart <= {22.0, 23.0, 24.0, 25.0, 26.0}
    for at in (start + timedelta(days=88), start + timedelta(days=298), slots[100]):
        assert schedule.latest(start, at) == max(slot for slot in slots if slot <= at)


@settings(max_examples=50, deadline=None)
@given(
    st.datetimes(datetime(2025, 1, 1), datetime(2028, 1, 1)),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"]),
    st.sampled_from(["30 2 * * *", "*/20 * * * *", "0 12 * * mon", "0 0 1 * *"]),
)
def test_the_next_time_becomes_the_latest_time(at: datetime, zone: str, cron: str) -> None:
    schedule = Schedule(cron, zone)
    start = at.replace(tzinfo=UTC)
    slot = schedule.next(start)
    assert slot is not None
    assert slot > start
    assert schedule.latest(start, slot) == slot
    assert schedule.latest(start, slot - timedelta(seconds=1)) is None


def test_a_schedule_that_fires_every_minute_is_searched_quickly() -> None:
    until = datetime(2026, 6, 1, 0, 0, 30, tzinfo=UTC)
    since = datetime(2020, 1, 1, tzinfo=UTC)
    assert Schedule("* * * * *", "UTC").latest(since, until) == until.replace(second=0)
    leap = Schedule("0 0 29 2 *", "UTC")
    assert leap.latest(since, until) == datetime(2024, 2, 29, tzinfo=UTC)
    assert leap.next(until) == datetime(2028, 2, 29, tzinfo=UTC)
    assert Schedule("0 0 30 2 *", "UTC").next(until) is None
