"""Cron expressions in a time zone, and the times at which they fire.

The expression is read against the wall clock. A time that the clock shows twice, when summer time
ends, fires once, the first time; one that it skips, when summer time begins, fires later by the
shift of the clock. So a nightly schedule fires exactly once on every date.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger

from ladder.errors import Refusal
from ladder.settings import BadSetting, check_schedule
from ladder.store.database import now

_INSTANT = timedelta(microseconds=1)
_LARGEST_SHIFT = timedelta(hours=3)
"""No zone has ever shifted its clocks further in one night."""


def read_schedule(cron: str, timezone: str) -> Schedule:
    """A schedule that fires at some time; raises `Refusal` for any other."""
    try:
        schedule = Schedule(cron, timezone)
    except BadSetting as error:
        raise Refusal(str(error)) from error
    if schedule.next(now()) is None:
        raise Refusal(f"the cron expression {cron[:80]!r} never fires")
    return schedule


class Schedule:
    def __init__(self, cron: str, timezone: str) -> None:
        """Raises `BadSetting` for an expression or a zone that does not exist."""
        check_schedule(cron, timezone)
        self._zone = ZoneInfo(timezone)
        # The fields are matched in a zone without summer time, on wall-clock times.
        self._trigger = CronTrigger.from_crontab(cron, timezone=UTC)

    def next(self, after: datetime) -> datetime | None:
        """The first time after `after` at which it fires, in UTC."""
        horizon = after + 2 * _LARGEST_SHIFT
        soon = [slot for slot in self._slots(after - _LARGEST_SHIFT, horizon) if slot > after]
        if soon:
            return min(soon)
        return next((slot for slot in self._slots(horizon - _LARGEST_SHIFT) if slot > after), None)

    def latest(self, since: datetime, until: datetime) -> datetime | None:
        """The last time in (since, until] at which it fires."""
        for days in (0.05, 1, 8, 32, 400, 1500):  # nearest first: it may fire every minute
            start = max(since, until - timedelta(days=days))
            found = [
                slot
                for slot in self._slots(start - _LARGEST_SHIFT, until + _LARGEST_SHIFT)
                if start < slot <= until
            ]
            if found:
                return max(found)
            if start == since:
                return None
        return None

    def _slots(self, start: datetime, end: datetime | None = None) -> Iterator[datetime]:
        """Firing times, roughly in order, from about `start` to about `end`."""
        wall = start.astimezone(self._zone).replace(tzinfo=UTC, fold=0)
        last = end and end.astimezone(self._zone).replace(tzinfo=UTC, fold=0)
        while True:
            fires = self._trigger.get_next_fire_time(None, wall)
            if fires is None or (last is not None and fires > last):
                return
            yield fires.replace(tzinfo=self._zone, fold=0).astimezone(UTC)
            wall = fires + _INSTANT
