"""Lets one thread touch files as another user.

`os.seteuid` would change all threads of the process. The kernel's file system ids belong to one
thread, and cost a microsecond. A thread with another id than root's cannot override permissions.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

from ladder.errors import RunnerFailure

_ASK = -1
"""No valid id: the call then changes nothing and returns the current id."""

_libc = ctypes.CDLL(None)


@contextmanager
def acting_as(uid: int, gid: int) -> Iterator[None]:
    """Within, this thread opens and makes files as `uid` and `gid`; only root can be another.

    Raises `RunnerFailure` when the kernel does not let us.
    """
    before = os.geteuid(), os.getegid()
    if before == (uid, gid):
        yield
        return
    try:
        # The group first: as another user we may no longer change it.
        _become(_libc.setfsgid, gid)
        _become(_libc.setfsuid, uid)
        yield
    finally:
        _become(_libc.setfsuid, before[0])
        _become(_libc.setfsgid, before[1])


def _become(call: ctypes._NamedFuncPointer, wanted: int) -> None:
    # It tells the id from before, and not whether it succeeded.
    call(ctypes.c_uint(wanted))
    if ctypes.c_uint(call(_ASK)).value != wanted:
        raise RunnerFailure(f"this process may not act as user {wanted}")
