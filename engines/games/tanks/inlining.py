"""Compiled functions that are inlined at each call.

A turn has a few dozen calls of functions that are too long for automatic inlining, but so short
that the calls would cost as much as the work. Use this only for functions of every turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from engines.compiling.jit import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Like `njit`, for short functions with few callers that run every turn."""
    compiled: Any = njit(function)
    options = getattr(compiled, "targetoptions", None)
    if options is not None:  # otherwise it is plain Python, for debugging
        options["forceinline"] = True
    return compiled  # type: ignore[no-any-return]
