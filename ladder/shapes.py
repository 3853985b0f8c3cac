"""Says in words why a value is not of a shape: which field, what is wrong, what is allowed.

The shapes are those that msgspec checks; its own messages name types and paths of the code, which
say nothing to people.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

T = TypeVar("T")

ANY_TEXT = r"^[^\u0000]*$"
"""PostgreSQL stores no text with a NUL in it."""

MOST_QUOTED = 80
"""Longest part of a value that a message quotes."""

_PATH = re.compile(r" - at `(?:key in )?\$(.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


class WrongShape(ValueError):
    """The message is a clause such as "legs must be at most 16 games, not 99"."""


def read(value: Any, shape: type[T]) -> T:
    """The value as that type; raises `WrongShape`."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise WrongShape(_explain(str(error), value, inspect.type_info(shape))) from error


def _explain(message: str, value: Any, kind: inspect.Type) -> str:
    """`message` gives only the place of the fault."""
    place = _PATH.search(message)
    name = ""
    units: dict[str, Any] = {}
    for word, number in _STEP.findall(place[1]) if place else ():
        inner, extra = _inside(kind, word)
        if inner is None or (number == "..." and not isinstance(value, list)):
            break
        kind, units = inner, extra or units
        if word:
            value = value.get(word) if isinstance(value, dict) else None
            name = f"{name}.{word}" if name else word
        else:
            value = value[int(number)]
            name = f"{name}[{number}]"
    return _fault(name, value, kind, units)


def _inside(kind: inspect.Type, word: str) -> tuple[inspect.Type | None, dict[str, Any] | None]:
    """The type of a field or an item, and what its declaration says besides."""
    for one in _choices(kind):
        if word and isinstance(one, inspect.StructType | inspect.DataclassType):
            for field in one.fields:
                if field.encode_name == word:
                    return field.type, _extra(field.type)
        elif word and isinstance(one, inspect.DictType):
            return one.value_type, None
        elif not word and isinstance(one, inspect.ListType | inspect.VarTupleType):
            return one.item_type, _extra(one.item_type)
    return None, None


def _extra(kind: inspect.Type) -> dict[str, Any]:
    for one in (kind, *(kind.types if isinstance(kind, inspect.UnionType) else ())):
        if isinstance(one, inspect.Metadata) and one.extra:
            return dict(one.extra)
    return {}


def _choices(kind: inspect.Type) -> list[inspect.Type]:
    """The alternatives of a type, without those that mean that a field is left out."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if not isinstance(kind, inspect.UnionType):
        return [kind]
    return [
        choice
        for one in kind.types
        for choice in _choices(one)
        if not isinstance(choice, inspect.NoneType)
    ]


def _fault(name: str, value: Any, kind: inspect.Type, units: dict[str, Any]) -> str:
    choices = _choices(kind)
    if isinstance(value, dict):
        for one in choices:
            if isinstance(one, inspect.StructType | inspect.DataclassType):
                return _fault_of_fields(name, value, one)
    unit = str(units.get("unit", ""))
    allowed = " or ".join(dict.fromkeys(_allowed(one, value, unit) for one in choices))
    return f"{name or 'it'} must be {allowed}, not {_quoted(value)}"


def _fault_of_fields(
    name: str, value: dict[str, Any], kind: inspect.StructType | inspect.DataclassType
) -> str:
    where = f" of {name}" if name else ""
    known = {field.encode_name: field for field in kind.fields}
    missing = [one for one, field in known.items() if field.required and one not in value]
    unknown = [one for one in value if one not in known]
    if missing:
        choices = _choices(known[missing[0]].type)
        allowed = " or ".join(_allowed(one, None, "") for one in choices)
        return f"the field {missing[0]}{where} is missing; it must be {allowed}"
    if unknown:
        return f"there is no field {unknown[0][:40]!r}{where}; the fields are {', '.join(known)}"
    return f"{name or 'it'} has fields that contradict each other"


def _allowed(kind: inspect.Type, value: Any, unit: str) -> str:
    """The values that are allowed; of a range only the end that `value` is beyond, if it is."""
    if isinstance(kind, inspect.IntType | inspect.FloatType):
        noun = "a whole number" if isinstance(kind, inspect.IntType) else "a number"
        return _range(noun, kind, value, unit)
    if isinstance(kind, inspect.StrType):
        return _text(kind)
    if isinstance(kind, inspect.BoolType):
        return "true or false"
    if isinstance(kind, inspect.DateTimeType):
        return "a time with a time zone, such as 2026-11-21T18:00:00Z"
    if isinstance(kind, inspect.ListType | inspect.VarTupleType | inspect.TupleType):
        return "a list" + _length(kind, "items")
    if isinstance(kind, inspect.EnumType):
        return "one of " + ", ".join(str(one.value) for one in kind.cls)
    return "an object"


def _range(noun: str, kind: inspect.IntType | inspect.FloatType, value: Any, unit: str) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and kind.le is not None and value > kind.le:
        return f"at most {_counted(kind.le, unit)}"
    if is_number and kind.ge is not None and value < kind.ge:
        return f"at least {_counted(kind.ge, unit)}"
    if kind.ge is not None and kind.le is not None and kind.le < 2**53 - 1:
        return f"{noun} from {kind.ge:,} to {kind.le:,}"
    return noun


def _counted(count: float, unit: str) -> str:
    """`unit` is a plural, or empty."""
    return f"{count:,} {unit.removesuffix('s') if count == 1 else unit}".rstrip()


def _text(kind: inspect.StrType) -> str:
    if kind.pattern == ANY_TEXT:
        return "text without NUL characters" + _length(kind, "characters")
    if kind.pattern:
        return f"text of the form {kind.pattern}"
    return "text" + _length(kind, "characters")


def _length(kind: Any, noun: str) -> str:
    least, most = getattr(kind, "min_length", None), getattr(kind, "max_length", None)
    if least and most:
        return f" of {least:,} to {most:,} {noun}"
    if most:
        return f" of at most {most:,} {noun}"
    return f" of at least {least:,} {noun}" if least else ""


def _quoted(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value):,}"
    text = repr(value)
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…"
