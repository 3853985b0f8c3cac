"""Examples of requests and responses for the OpenAPI document, made from their classes.

So every operation has an example, and the example always has the right shape.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import inspect

TIME = "2026-11-01T03:00:00Z"
DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
TEXTS = {
    "account": "ada",
    "action": "pause",
    "actor": "root",
    "after": "4711",
    "bot": "minimax",
    "bot_name": "minimax",
    "complaint": "ValueError: no move was found.",
    "cron": "0 3 * * *",
    "detail": "Round robin of reversi",
    "division": "open",
    "divisions": "open",
    "domain": "tanks",
    "explanation": "Black has more discs",
    "file": "def agent(observation, configuration):\n    return observation['legal'][0]\n",
    "format": "round-robin",
    "game": "reversi",
    "invite": "b0xVUPuq1zTf",
    "move": "d3",
    "name": "minimax",
    "next": "4711",
    "open_only": "It imports random.",
    "owner": "ada",
    "reason": "It made an illegal move.",
    "run": "4711",
    "sha256": DIGEST,
    "status": "ok",
    "stderr": "thinking about d3\n",
    "timezone": "UTC",
    "title": "Reversi",
    "token": "lad_Yl3mUvT0cGq6bqkqO1oJwP2kZ3m0y5m1Q9vX4s7t8uE",
    "topics": "game:reversi,matches",
    "version": "0.1.0",
    "worker": "alpha",
}
"""Example texts by field name."""

REQUESTS: dict[str, dict[str, Any]] = {
    "AccountBody": {"name": "ada", "invite": TEXTS["invite"]},
    "BotBody": {"bot": 12},
    "ChallengeBody": {"game": "reversi", "bots": [12, 1], "games": 2},
    "LeagueBody": {"game": "reversi", "name": "weekly", "cron": "0 18 * * 5", "format": "swiss"},
    "RoundBody": {"round": 1},
    "TournamentBody": {"game": "reversi", "format": "round-robin", "top": 8, "name": "Spring cup"},
    "UploadForm": {"game": "reversi", "name": TEXTS["name"], "file": TEXTS["file"]},
}
"""Bodies by the name of their class. They are written by hand, since some optional fields exclude
each other."""

NUMBERS = {"mu": 27.5, "sigma": 1.2, "score": 0.5, "limit": 50, "top": 20, "size": 50}
DEPTH = 6
"""Deepest nesting of an example; some classes contain themselves."""


def example(shape: Any) -> Any:
    """A value of that type as JSON."""
    return _value(inspect.type_info(shape), "", 0)


def for_parameter(name: str, schema: Any) -> Any:
    """A value for a parameter with that JSON schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if "default" in schema:
        return schema["default"]
    if schema.get("type") == "integer":
        return max(1, schema.get("minimum", 1))
    return TEXTS.get(name, name)


def _value(kind: inspect.Type, name: str, depth: int) -> Any:
    match kind:
        case inspect.Metadata():
            return _value(kind.type, name, depth)
        case inspect.UnionType():
            chosen = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
            return None if depth > DEPTH else _value(chosen[0], name, depth)
        case inspect.DataclassType() | inspect.StructType():
            return {
                field.encode_name: _value(field.type, field.name, depth + 1)
                for field in kind.fields
            }
        case inspect.ListType() | inspect.CollectionType() | inspect.VarTupleType():
            return [] if depth > DEPTH else [_value(kind.item_type, name, depth + 1)]
        case inspect.TupleType():
            return [_value(one, name, depth + 1) for one in kind.item_types]
        case inspect.DictType():
            key = _value(kind.key_type, "division", depth)
            return {key: _value(kind.value_type, name, depth + 1)}
        case inspect.EnumType():
            return next(iter(kind.cls)).value
        case inspect.LiteralType():
            return kind.values[0]
        case inspect.DateTimeType():
            return TIME
        case _:
            return _plain(kind, name)


def _plain(kind: inspect.Type, name: str) -> Any:
    match kind:
        case inspect.BoolType():
            return False
        case inspect.IntType():
            return max(int(NUMBERS.get(name, 1)), kind.ge or 0)
        case inspect.FloatType():
            return float(NUMBERS.get(name, 1.5))
        case inspect.StrType():
            return TEXTS.get(name, name.replace("_", " "))
        case inspect.NoneType():
            return None
        case inspect.AnyType():
            return 1
        case _:
            raise TypeError(f"no example is known for {name} of type {kind}")


def event_stream(news: Any) -> str:
    """The first bytes of a stream of live events."""
    return f"retry: 2000\n\nid: 4711\ndata: {msgspec.json.encode(example(news)).decode()}\n\n"
