"""Compiled functions, and their cache on disk.

Numba notices changes in the file of a cached function, but not in files of functions that it calls,
so its own cache becomes stale. Here the name of the cache folder contains a hash of all sources of
this package: any edit starts an empty folder, and the first result written to it removes the
folders of earlier sources.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import caching, config
from numba.extending import register_jitable
from numba.np import linalg

Function = TypeVar("Function", bound=Callable[..., Any])

SOURCES = Path(__file__).resolve().parents[1]


def _refuse_blas() -> None:
    raise ImportError("kernels here have no linear algebra")


# Before its first call numba would load SciPy, if it is installed, for linear algebra. That takes
# longer than the rest of a first move.
linalg.ensure_blas = _refuse_blas


def njit(function: Function) -> Function:
    """Compile `function` at its first call per types, without the GIL, and keep it on disk.

    There are two traps. Recursive calls must pass variables, never literals: each literal creates a
    specialisation, and such a group crashes when it is loaded from disk. Arguments must not be
    functions or closures, which numba never caches: use the generics of
    `engines.alphabeta.kernels`.
    """
    compiled: Any = numba.njit(nogil=True)(function)
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled._cache = _SharedCache(function)
    return compiled  # type: ignore[no-any-return]


def jitable(function: Function) -> Function:
    """Let compiled code call `function`; called from Python, it stays plain Python.

    It is always inlined: numba's calling convention costs small functions half of their speed.
    """
    return register_jitable(forceinline=True)(function)


def outlined(function: Function) -> Function:
    """Like `jitable`, for large functions: compiled code calls them instead of copying them."""
    return register_jitable(function)


def new_record(dtype: np.dtype[Any]) -> Any:
    """A record full of zeros, for kernels to write to.

    For compiled code a record is one pointer, while arrays are counted references of many words.
    Untouched pages of it take no memory.
    """
    return new_records(dtype, 1)[0]


def new_records(dtype: np.dtype[Any], count: int) -> Any:
    """An array of such records."""
    records = np.zeros(count, dtype)
    # A recarray lets plain Python read fields as attributes.
    return records.view(np.recarray) if config.DISABLE_JIT else records  # type: ignore[attr-defined]


@cache
def cache_folder() -> Path:
    """The folder for compiled code of exactly these sources."""
    root = os.environ.get("LADDER_CACHE") or os.environ.get("NUMBA_CACHE_DIR")
    if root is None:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        root = str(Path(home) / "evoladder")
    return Path(root) / f"{_family()}{_sources_digest()}"


def _family() -> str:
    """Prefix of the folders of this installation, so that two installations do not interfere."""
    return f"engines-{hashlib.sha256(bytes(SOURCES)).hexdigest()[:8]}-"


def _sources_digest() -> str:
    return _digest([(SOURCES, path) for path in sorted(SOURCES.rglob("*.py"))])


def _digest(files: Sequence[tuple[Path, Path]]) -> str:
    """A digest of files, relative to their folders, so that it does not depend on the place."""
    digest = hashlib.sha256()
    for folder, path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


class _Locator(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):
    """Points into `cache_folder()`; creates the folder only for the first result."""

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

    A disk that is full, read-only or cleared by another process only costs a compilation. Code for
    state types of other packages has its own folder, named by the sources of those packages: a
    process without such a package cannot read an index that names its types.
    """

    _impl_class = _LocatedHere

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._own_file = self._cache_file
        self._foreign_files: dict[str, Any] = {}

    def _file_for(self, signature: Any) -> Any:
        packages = _foreign_packages(signature)
        if not packages:
            return self._own_file
        name = _foreign_folder(packages)
        if name not in self._foreign_files:
            own = Path(self._cache_path)
            self._foreign_files[name] = caching.IndexDataCacheFile(  # type: ignore[no-untyped-call]
                cache_path=str(cache_folder() / name / own.name),
                filename_base=self._impl.filename_base,
                source_stamp=self._impl.locator.get_source_stamp(),
            )
        return self._foreign_files[name]

    def load_overload(self, signature: Any, context: Any) -> Any:
        # Numba holds a lock while it compiles or loads, so no other thread sees this file.
        self._cache_file = self._file_for(signature)
        try:
            return super().load_overload(signature, context)  # type: ignore[no-untyped-call]
        except OSError:
            return None
        finally:
            self._cache_file = self._own_file

    def save_overload(self, signature: Any, result: Any) -> None:
        folder = cache_folder()
        self._cache_file = self._file_for(signature)
        try:
            if not folder.exists():
                folder.mkdir(parents=True, exist_ok=True)
                _remove_older(folder, _family())
            if packages := _foreign_packages(signature):
                _remove_older(folder / _foreign_folder(packages), _foreign_family(packages))
            # Numba numbers the files of one function by reading its index first: without the
            # lock two processes can give two signatures one number, and load the wrong code.
            with open(folder / "lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                Path(self._cache_file._cache_path).mkdir(parents=True, exist_ok=True)
                super().save_overload(signature, result)  # type: ignore[no-untyped-call]
        except OSError:
            return
        finally:
            self._cache_file = self._own_file


def _foreign_packages(signature: Any) -> tuple[str, ...]:
    """The packages outside this one whose state types a signature names."""
    kinds = getattr(signature, "args", signature)
    classes = (getattr(kind, "instance_class", None) for kind in kinds)
    modules = {one.__module__.partition(".")[0] for one in classes if one is not None}
    return tuple(sorted(modules - {SOURCES.name}))


def _foreign_family(packages: Sequence[str]) -> str:
    """Prefix of the folders for all sources of these packages."""
    return f"other-{'+'.join(packages)}-"


def _foreign_folder(packages: Sequence[str]) -> str:
    return _foreign_family(packages) + "-".join(map(package_digest, packages))


@cache
def package_digest(name: str) -> str:
    """A digest of all sources of an imported package, or of a single module."""
    module: Any = sys.modules[name]
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    if not folders:
        file = Path(module.__file__)
        return _digest([(file.parent, file)])
    return _digest([(folder, path) for folder in folders for path in sorted(folder.rglob("*.py"))])


def _remove_older(folder: Path, family: str) -> None:
    for other in folder.parent.glob(f"{family}*"):
        if other != folder:
            # Rename first, so that no process finds half a folder; the loser gets OSError.
            doomed = other.with_name(f"removed-{os.getpid()}-{other.name}")
            try:
                other.rename(doomed)
            except OSError:
                continue
            shutil.rmtree(doomed, ignore_errors=True)
