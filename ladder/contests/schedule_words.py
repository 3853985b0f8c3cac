"""Says in words when a cron expression fires, for people who do not read cron."""

from __future__ import annotations

from calendar import day_name, month_name
from collections.abc import Callable, Iterable
from typing import Any

from ladder.settings import check_schedule

MOST_TIMES = 6
"""Times of a day that are listed one by one; more are told by minutes and hours."""

NIGHT_ENDS = 6
"""The first hour that is not called night."""

_BOUNDS = {
    "minute": (0, 59),
    "hour": (0, 23),
    "day": (1, 31),
    "month": (1, 12),
    "day_of_week": (0, 6),
}


def schedule_words(cron: str, timezone: str) -> str:
    """Such as `every night at 03:00 UTC`; raises `BadSetting` for what is no schedule."""
    fields = {field.name: field for field in check_schedule(cron, timezone).fields}
    minutes, hours = _values(fields["minute"]), _values(fields["hour"])
    date = _date(fields["day"], _values(fields["month"]), _values(fields["day_of_week"]))
    zone = timezone if timezone == "UTC" else f"{timezone} time"
    if len(minutes) * len(hours) <= MOST_TIMES:
        times = _listed([f"{hour:02}:{minute:02}" for hour in hours for minute in minutes])
        each = "every night" if hours[-1] < NIGHT_ENDS else "every day"
        return f"{date or each} at {times} {zone}"
    often = _often(minutes, hours)
    return f"{often}, {date}, {zone}" if date else f"{often}, {zone}"


def _often(minutes: list[int], hours: list[int]) -> str:
    whole_day, whole_hour = len(hours) == 24, len(minutes) == 60
    if whole_day and whole_hour:
        return "every minute"
    if whole_day and (step := _step(minutes, 60)):
        return f"every {step} minutes"
    if minutes == [0] and (whole_day or _step(hours, 24)):
        return (
            "every hour on the hour" if whole_day else f"every {_step(hours, 24)} hours from 00:00"
        )
    named = "minute" if len(minutes) == 1 else "minutes"
    past = "every minute" if whole_hour else f"at {named} {_runs(minutes)}"
    if whole_day:
        return f"{past} of every hour"
    return f"{past} of the {'hour' if len(hours) == 1 else 'hours'} {_runs(hours)}"


def _date(day: Any, months: list[int], weekdays: list[int]) -> str:
    """The days on which it fires; empty for all of them."""
    days = _days(day)
    names = "" if len(weekdays) == 7 else _runs(weekdays, lambda one: day_name[one])
    in_months = "" if len(months) == 12 else _runs(months, lambda one: month_name[one])
    if days:
        of = f"{days} of {in_months or 'every month'}"
        return f"on {of}" + (f" that is {names.replace(' and ', ' or ')}" if names else "")
    each = f"every {names}" if names else "every day" if in_months else ""
    return f"{each} in {in_months}" if in_months else each


def _days(field: Any) -> str:
    """The days of a month; empty for all of them."""
    special = [str(one) for one in field.expressions if _odd(one)]
    values = _values(field)
    if len(values) == 31:
        return ""
    told = [f"the {'last day' if one == 'last' else one}" for one in special]
    if values:
        told.insert(0, f"{'day' if len(values) == 1 else 'days'} {_runs(values)}")
    return _listed(told)


def _odd(expression: Any) -> bool:
    """Whether the expression is not a range of numbers: `last`, or `2nd fri`."""
    return type(expression).__name__ in ("LastDayOfMonthExpression", "WeekdayPositionExpression")


def _values(field: Any) -> list[int]:
    """The numbers that the ranges of a field match."""
    low, high = _BOUNDS[field.name]
    found: set[int] = set()
    for one in field.expressions:
        if _odd(one):
            continue
        first = getattr(one, "first", low)
        last = getattr(one, "last", high)
        found.update(range(first, (high if last is None else last) + 1, one.step or 1))
    return sorted(found)


def _step(values: list[int], whole: int) -> int:
    """The step of values that divide a day or an hour evenly; 0 if they do not."""
    step = values[1] - values[0] if len(values) > 1 else 0
    return step if step and whole % step == 0 and values == list(range(0, whole, step)) else 0


def _runs(values: Iterable[int], name: Callable[[int], str] = str) -> str:
    """Numbers as a list in which three or more in a row are `first to last`."""
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    told: list[str] = []
    for run in runs:
        told += [f"{name(run[0])} to {name(run[-1])}"] if len(run) > 2 else [name(v) for v in run]
    return _listed(told)


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
