"""The values of form fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ladder.errors import Refusal
from ladder.web.http.inputs import BadValue, whole_number

MOST = 2**53
"""Beyond it, JavaScript has no exact whole numbers."""


def read_number(text: str, name: str, least: int = 1) -> int:
    """A whole number from the text of the field `name`; raises `Refusal`."""
    try:
        return whole_number(least, MOST)(text.strip())
    except BadValue as error:
        raise Refusal(f"{name.replace('_', ' ')} {error}, not {text[:40]!r}") from error


def number_field(form: Mapping[str, str], name: str, least: int = 1) -> int:
    return read_number(form[name], name, least)


def carry_out(actions: Mapping[str, Callable[[], object]], name: str) -> None:
    """Run the action of that name; raises `Refusal` for other names."""
    if name not in actions:
        raise Refusal(f"unknown action {name[:40]!r}; choose {' or '.join(actions)}")
    actions[name]()
