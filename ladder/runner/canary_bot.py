"""A bot that tries to get out. The self-test plays it in each tier: every attempt must fail.

`agent` returns the result of each attempt: the name of the error that stopped it, or an empty
text where nothing did. Where bots may open no file, `run` does the same without a botkit.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import resource
import socket
import threading
from collections.abc import Callable
from typing import Any, NoReturn

_EXPECTED_ENVIRONMENT = {"MALLOC_ARENA_MAX", "PYTHONHASHSEED", "LC_CTYPE", "PWD"}


def _seek_descriptors() -> None:
    # 3 and 4 are the botkit's wire.
    for fd in range(5, 32):
        try:
            os.fstat(fd)
        except OSError:
            continue
        return
    raise OSError("nothing but the wire is open")


def _seek_environment() -> None:
    if set(os.environ) <= _EXPECTED_ENVIRONMENT:
        raise OSError("the environment is empty")


def _seek_privileges() -> None:
    if os.getuid() != 0 and os.getgid() != 0:
        raise OSError("an ordinary user")


def _start_threads() -> None:
    done = threading.Event()
    try:
        for _ in range(64):
            threading.Thread(target=done.wait, daemon=True).start()
    finally:
        done.set()


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _raw_call(number: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, 0, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "refused")


ATTEMPTS: dict[str, Callable[[], object]] = {
    "read /etc/passwd": lambda: open("/etc/passwd").close(),
    "list the root folder": lambda: os.listdir("/"),
    "list processes": lambda: os.listdir("/proc"),
    "list the parent of its own folder": lambda: os.listdir(".."),
    "write into its own folder": lambda: open("mark", "w").close(),
    "change its own code": lambda: open("bot.py", "r+").close(),
    "write into /tmp": lambda: open("/tmp/evoladder-canary", "w").close(),
    "make a folder": lambda: os.mkdir("/tmp/evoladder-canary-folder"),
    "open an internet socket": lambda: socket.socket(socket.AF_INET),
    "open a local socket": lambda: socket.socket(socket.AF_UNIX),
    "open a virtual machine socket": lambda: socket.socket(socket.AF_VSOCK),
    "make a pair of sockets": lambda: socket.socketpair(),
    "fork": _fork,
    "run a program": lambda: os.execv("/bin/sh", ["sh", "-c", "true"]),
    "signal its parent": lambda: os.kill(os.getppid() or 2, 0),
    "signal itself": lambda: os.kill(os.getpid(), 0),
    "make memory without a name": lambda: os.memfd_create("canary"),
    "take more memory than allowed": lambda: mmap.mmap(-1, 4 << 30),
    "raise its limits": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    "start too many threads": _start_threads,
    "become root": lambda: os.setuid(0),
    "choose its processor": lambda: os.sched_setaffinity(0, {0}),
    "lock memory": lambda: _raw_call(151 if os.uname().machine == "x86_64" else 230),  # mlockall
    "find open descriptors": _seek_descriptors,
    "find secrets in the environment": _seek_environment,
    "have privileges": _seek_privileges,
}


def agent(observation: dict[str, Any], configuration: dict[str, Any]) -> dict[str, str]:
    results = {}
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
        except (OSError, MemoryError, ValueError, RuntimeError) as error:
            results[name] = f"{type(error).__name__}: {error}"
        else:
            results[name] = ""
    return results


def run(folder: str) -> NoReturn:
    os.write(1, json.dumps(agent({}, {})).encode() + b"\n")
    os.read(0, 1)
    os._exit(0)
