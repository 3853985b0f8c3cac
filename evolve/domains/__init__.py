"""The built-in domains, by name.

Each is one file, laid out in six parts. It has `PARAMETERS`, a frozen dataclass whose method
`domain` makes the domain, and `PRESETS`, some of the parameters by name.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from evolve.errors import BadParameter, UnknownDomain

if TYPE_CHECKING:  # the names of domains must be available without loading the games
    from evolve.domain import Domain

NAMES = (
    "lose-checkers",
    "checkers",
    "checkers-10x10",
    "reversi",
    "backgammon",
    "tanks",
    "tanks-melee",
    "time-trial",
)


def _module(name: str) -> Any:
    known = name.replace("_", "-")
    if known not in NAMES:
        raise UnknownDomain(f"unknown domain {name!r}; known are {', '.join(NAMES)}")
    return importlib.import_module(f"evolve.domains.{known.replace('-', '_')}")


def presets(name: str) -> Mapping[str, Mapping[str, Any]]:
    """Named sets of parameters of a domain."""
    found: Mapping[str, Mapping[str, Any]] = _module(name).PRESETS
    return found


def make(
    name: str, preset: str | None = None, parameters: Mapping[str, Any] | None = None
) -> Domain:
    """A domain by name, with the parameters of a preset and further parameters."""
    module = _module(name)
    chosen: dict[str, Any] = {}
    if preset is not None:
        known = presets(name)
        if preset not in known:
            raise BadParameter(f"{name} has no preset {preset!r}; known are {', '.join(known)}")
        chosen |= known[preset]
    chosen |= parameters or {}
    accepted = get_type_hints(module.PARAMETERS)
    for parameter, value in chosen.items():
        if parameter not in accepted:
            raise BadParameter(
                f"{name} has no parameter {parameter!r}; known are {', '.join(accepted)}"
            )
        _check_kind(parameter, value, accepted[parameter])
    made: Domain = module.PARAMETERS(**chosen).domain()
    return replace(made, parameters=chosen)


def _check_kind(name: str, value: Any, wanted: Any) -> None:
    """Raise `BadParameter` unless the value has the kind of its parameter."""
    kinds = get_args(wanted) or (wanted,)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (type(value) in kinds or (whole and float in kinds)):
        raise BadParameter(f"{name} cannot be {value!r}")
