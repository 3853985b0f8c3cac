"""System calls for which Python has no function, for attacks."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    """Make a system call of x86_64 by its number; raises `OSError`."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *words))


def prctl(option, *arguments):
    words = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc.prctl(option, *words))


def _checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
