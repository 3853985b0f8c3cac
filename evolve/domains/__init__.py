"""The domains that ship, by name. Each is one file; its parameters are those of its `domain`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from evolve.domain import Domain
from evolve.errors import BadSetting, UnknownDomain

NAMES = ("tanks",)


def _module(name: str) -> Any:
    known = name.replace("_", "-")
    if known not in NAMES:
        raise UnknownDomain(f"there is no domain {name!r}; there are {', '.join(NAMES)}")
    return importlib.import_module(f"evolve.domains.{known.replace('-', '_')}")


def make(
    name: str, preset: str | None = None, parameters: Mapping[str, Any] | None = None
) -> Domain:
    """A domain by name, with the parameters of a preset and those given besides."""
    module = _module(name)
    chosen: dict[str, Any] = {}
    if preset is not None:
        if preset not in module.PRESETS:
            known = ", ".join(sorted(module.PRESETS))
            raise BadSetting(f"{name} has no preset {preset!r}; there are {known}")
        chosen |= module.PRESETS[preset]
    chosen |= parameters or {}
    accepted = inspect.signature(module.domain, eval_str=True).parameters
    for parameter, value in chosen.items():
        if parameter not in accepted:
            raise BadSetting(
                f"{name} has no parameter {parameter!r}; there are {', '.join(accepted)}"
            )
        _check_kind(parameter, value, accepted[parameter].annotation)
    made: Domain = module.domain(**chosen)
    return replace(made, parameters=chosen)


def _check_kind(name: str, value: Any, wanted: Any) -> None:
    """Numbers are numbers, and whole where they are counted."""
    kinds = get_args(wanted) or (wanted,)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (type(value) in kinds or (whole and float in kinds)):
        raise BadSetting(f"{name} cannot be {value!r}")
