"""Reads the outline of WebAssembly uploads, and nothing more expensive.

A module is compiled in the sandbox only. Here it must be one, import nothing but functions of WASI,
and have the exports that the `wasmkit` needs. Every refusal has its own sentence for the author.
"""

from __future__ import annotations

from dataclasses import dataclass

from ladder.errors import BadUpload

MAGIC = b"\0asm"
_MODULE, _COMPONENT = b"\1\0\0\0", b"\x0d\0\1\0"
_WASI = "wasi_snapshot_preview1"

FUNCTIONS = frozenset(
    {
        *("args_get", "args_sizes_get", "environ_get", "environ_sizes_get"),
        *("clock_res_get", "clock_time_get", "fd_advise", "fd_allocate", "fd_close", "fd_datasync"),
        *("fd_fdstat_get", "fd_fdstat_set_flags", "fd_fdstat_set_rights", "fd_filestat_get"),
        *("fd_filestat_set_size", "fd_filestat_set_times", "fd_pread", "fd_prestat_get"),
        *("fd_prestat_dir_name", "fd_pwrite", "fd_read", "fd_readdir", "fd_renumber", "fd_seek"),
        *("fd_sync", "fd_tell", "fd_write", "path_create_directory", "path_filestat_get"),
        *("path_filestat_set_times", "path_link", "path_open", "path_readlink"),
        *("path_remove_directory", "path_rename", "path_symlink", "path_unlink_file"),
        *("poll_oneoff", "proc_exit", "proc_raise", "random_get", "sched_yield"),
        *("sock_accept", "sock_recv", "sock_send", "sock_shutdown"),
    }
)
"""The functions that may be imported. Those for files and sockets answer that none exist."""

_MOST_NAMES = 4096
"""Imports and exports of one module."""
_MOST_SECTIONS = 1000
"""Compilers make about twenty."""


class _Damaged(Exception):
    """The bytes are not a valid module."""


@dataclass
class _ModuleReader:
    data: bytes
    place: int = 0

    @property
    def ended(self) -> bool:
        return self.place >= len(self.data)

    def byte(self) -> int:
        return self.take(1)[0]

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.place:
            raise _Damaged
        self.place += count
        return self.data[self.place - count : self.place]

    def number(self) -> int:
        """An unsigned number of 32 bits, seven to a byte."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise _Damaged

    def name(self) -> str:
        return self.take(self.number()).decode("utf-8")

    def count(self) -> int:
        count = self.number()
        if count > _MOST_NAMES:
            raise BadUpload(f"The module has more than {_MOST_NAMES} imports or exports.")
        return count


def check_module(data: bytes) -> None:
    """Raises `BadUpload` unless the bytes are a module that could be a bot."""
    if data[4:8] == _COMPONENT:
        raise BadUpload("This is a WebAssembly component; build a module for wasm32-wasip1.")
    if data[:8] != MAGIC + _MODULE:
        raise BadUpload("This is no WebAssembly module of version 1.")
    try:
        exports = _read_outline(_ModuleReader(data, 8))
    except (_Damaged, UnicodeDecodeError) as error:
        raise BadUpload("The WebAssembly module is damaged.") from error
    if exports.get("_start") != 0:
        raise BadUpload("The module exports no function _start; build a program, not a library.")
    if exports.get("memory") != 2:
        raise BadUpload("The module exports no memory.")


def _read_outline(reader: _ModuleReader) -> dict[str, int]:
    """The exports, by the kind of thing they are: 0 for functions, 2 for memories."""
    exports: dict[str, int] = {}
    sections = 0
    while not reader.ended:
        if (sections := sections + 1) > _MOST_SECTIONS:
            raise BadUpload(f"The module has more than {_MOST_SECTIONS} sections.")
        section = reader.byte()
        body = _ModuleReader(reader.take(reader.number()))
        if section == 2:
            for _ in range(body.count()):
                _check_import(body)
        elif section == 7:
            for _ in range(body.count()):
                name, kind = body.name(), body.byte()
                body.number()
                exports[name] = kind
    return exports


def _check_import(body: _ModuleReader) -> None:
    space, name, kind = body.name(), body.name(), body.byte()
    if kind != 0:
        raise BadUpload(f"The module imports {name[:60]!r}, which is no function.")
    body.number()
    if space != _WASI or name not in FUNCTIONS:
        raise BadUpload(f"The module imports {name[:60]!r} of {space[:60]!r}; only WASI is there.")
