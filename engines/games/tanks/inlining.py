"""Compiled functions that are put in at each place that calls them.

A turn is a few dozen calls of functions that are too long for the compiler to put in unasked, yet
so short that the calls would cost as much as the work. Only for those a turn cannot do without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from engines.compiling.jit import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Like `njit`, for functions that are short, called by few, and called every turn."""
    compiled: Any = njit(function)
    options = getattr(compiled, "targetoptions", None)
    if options is not None:  # else it is plain Python, for debugging
        options["forceinline"] = True
    return compiled  # type: ignore[no-any-return]
