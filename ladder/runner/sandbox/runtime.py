"""The interpreter that bots run on: its files, and whether bots can reach them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import msgspec

OLDEST_PYTHON = (3, 11)

# Run by the candidate itself. Loading every extension module shows which shared libraries they
# need, by the very names under which the dynamic linker looks for them.
_INSPECTION = """
import ctypes, importlib, json, os, sys, sysconfig
folders = sorted({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})
dynload = os.path.join(sysconfig.get_path("platstdlib"), "lib-dynload")
for file in os.listdir(dynload):
    name = file.partition(".")[0]
    # Terminals and tests are of no use to bots, and would bring their libraries in.
    if name.startswith(("_test", "_xx", "xx", "_ctypes_test", "_curses", "_tkinter", "readline")):
        continue
    try:
        importlib.import_module(name)
    except ImportError:
        pass
# libc loads the first when a thread is cancelled; wasmtime was linked with the others.
for name in ("libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "libm.so.6", "librt.so.1"):
    try:
        ctypes.CDLL(name)
    except OSError:
        pass
class Info(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]
libraries = set()
visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)(
    lambda info, size, data: libraries.add(os.fsdecode(info.contents.name or b"")) or 0)
ctypes.CDLL(None).dl_iterate_phdr(visit, None)
print(json.dumps({
    "version": sys.version_info[:2],
    "folders": folders,
    "libraries": sorted(name for name in libraries if name.startswith("/")),
}))
"""


class _Inspection(msgspec.Struct):
    version: tuple[int, int]
    folders: list[str]
    libraries: list[str]


@dataclass(frozen=True)
class Runtime:
    """One interpreter: all that a bot may read besides its own code."""

    python: str
    folders: tuple[str, ...]
    """The standard library."""
    libraries: tuple[str, ...]
    """Shared libraries outside of `folders`, the dynamic linker included."""

    @property
    def mounted(self) -> tuple[str, ...]:
        """All it consists of."""
        return (*self.folders, *self.libraries)

    @property
    def library_folders(self) -> tuple[str, ...]:
        """The folders in which the dynamic linker finds `libraries`."""
        return tuple(sorted({os.path.dirname(path) for path in self.libraries}))

    @cached_property
    def readable(self) -> tuple[str, ...]:
        """The same in parts, without the hidden ones."""
        if not self.hidden:
            return self.mounted
        parts = (
            os.path.join(folder, name) for folder in self.folders for name in os.listdir(folder)
        )
        return (*(part for part in parts if part not in self.hidden), *self.libraries)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Folders inside the standard library that hold other people's packages."""
        names = ("site-packages", "dist-packages")
        found = (os.path.join(folder, name) for folder in self.folders for name in names)
        return tuple(path for path in found if os.path.isdir(path))

    def barred_path(self) -> str | None:
        """A path that users without rights of their own cannot read; None when they can all."""
        paths = (self.python, *self.mounted)
        return next((barred for path in paths if (barred := barred_part(Path(path)))), None)


def own_python() -> str:
    """The interpreter of this process, outside of any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def candidates() -> list[str]:
    """Interpreters to try, best first."""
    paths = [own_python(), "/usr/bin/python3", "/usr/local/bin/python3"]
    return list(dict.fromkeys(os.path.realpath(path) for path in paths if os.path.exists(path)))


@cache
def inspect(python: str) -> Runtime:
    """The files of `python`; raises `ValueError` when it cannot run bots."""
    command = [python, "-I", "-S", "-B", "-c", _INSPECTION]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=True)
        seen = msgspec.json.decode(done.stdout, type=_Inspection)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError) as error:
        raise ValueError(f"{python} does not run: {error}") from error
    if seen.version < OLDEST_PYTHON:
        raise ValueError(f"{python} is Python {seen.version[0]}.{seen.version[1]}, older than 3.11")
    inside = tuple(folder + os.sep for folder in seen.folders)
    libraries = tuple(path for path in seen.libraries if not path.startswith(inside))
    return Runtime(python, tuple(seen.folders), libraries)


def barred_part(path: Path) -> str | None:
    """The outermost part of `path` that unprivileged users cannot pass, if any."""
    path = Path(os.path.abspath(path))
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return str(folder)
    return None if path.stat().st_mode & stat.S_IROTH else str(path)
