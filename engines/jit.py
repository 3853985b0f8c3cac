"""Compiled functions: what numba compiles, and where the results are kept on disk.

Numba notices a change of the file that a cached function is written in, but not of the files it
calls into, so a cache of its own making goes stale. Here the cache folder is named by a hash of
all sources of this package: any edit starts an empty one, and the first result written to it
removes those of earlier sources.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import caching, config
from numba.extending import register_jitable
from numba.np import linalg

Function = TypeVar("Function", bound=Callable[..., Any])

SOURCES = Path(__file__).resolve().parent


def _refuse_blas() -> None:
    raise ImportError("kernels here have no linear algebra")


# Before its first call numba would load SciPy, where that is installed, to see whether it can do
# linear algebra. That takes longer than all else that a first move needs.
linalg.ensure_blas = _refuse_blas


def njit(function: Function) -> Function:
    """Compile `function` at its first call per types, without the GIL, kept on disk.

    Two traps. In a recursion pass variables of one type down, never a literal: each literal makes
    a specialisation of its own, and such a group crashes when it comes from the disk. And pass no
    functions or closures in: those never hit the disk; use the generics of `engines.kernels`.
    """
    compiled: Any = numba.njit(nogil=True)(function)
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled._cache = _SharedCache(function)  # type: ignore[no-untyped-call]
    return compiled  # type: ignore[no-any-return]


def jitable(function: Function) -> Function:
    """Let compiled code call `function`; called from Python, it stays plain Python.

    It is always inlined: numba's calling convention costs small functions half of their speed.
    """
    return register_jitable(forceinline=True)(function)


def new_record(dtype: np.dtype[Any]) -> Any:
    """A record full of zeros, for kernels to write to.

    For compiled code a record is one pointer, where arrays are counted references of many words.
    Pages of it that nobody touches take no memory.
    """
    records = np.zeros(1, dtype)
    # Only so does plain Python find fields as attributes.
    return (records.view(np.recarray) if config.DISABLE_JIT else records)[0]  # type: ignore[attr-defined]


@cache
def cache_folder() -> Path:
    """Where compiled code of exactly these sources is kept."""
    root = os.environ.get("LADDER_CACHE") or os.environ.get("NUMBA_CACHE_DIR")
    if root is None:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        root = str(Path(home) / "evoladder")
    return Path(root) / f"{_family()}{_sources_digest()}"


def _family() -> str:
    """Prefix of the folders of this installation: two of them must not clear each other's."""
    return f"engines-{hashlib.sha256(bytes(SOURCES)).hexdigest()[:8]}-"


def _sources_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(SOURCES)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


class _Locator(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):
    """Points into `cache_folder()`, and makes no folder before there is something to keep."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator:
        return cls(function, file)

    def get_cache_path(self) -> str:
        subfolder: str = self.get_suitable_cache_subpath(self._py_file)  # type: ignore[no-untyped-call]
        return str(cache_folder() / subfolder)


class _LocatedHere(caching.CompileResultCacheImpl):
    _locator_classes: list[type[object]] = [_Locator]  # noqa: RUF012


class _SharedCache(caching.FunctionCache):
    """Numba's cache of one function, made safe for processes that compile at the same time.

    A disk that is full, read-only or swept by another process costs a compilation, no more.
    """

    _impl_class = _LocatedHere

    def load_overload(self, signature: Any, context: Any) -> Any:
        try:
            return super().load_overload(signature, context)  # type: ignore[no-untyped-call]
        except OSError:
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        folder = cache_folder()
        try:
            if not folder.exists():
                folder.mkdir(parents=True, exist_ok=True)
                _remove_older(folder)
            # Numba numbers the files of one function by reading its index first: without the
            # lock two processes can give two signatures one number, and load the wrong code.
            with open(folder / "lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                super().save_overload(signature, result)  # type: ignore[no-untyped-call]
        except OSError:
            return


def _remove_older(folder: Path) -> None:
    for other in folder.parent.glob(f"{_family()}*"):
        if other != folder:
            # Renamed first, so that nobody finds half a folder; the loser of a race gets OSError.
            doomed = other.with_name(f"removed-{os.getpid()}-{other.name}")
            try:
                other.rename(doomed)
            except OSError:
                continue
            shutil.rmtree(doomed, ignore_errors=True)
