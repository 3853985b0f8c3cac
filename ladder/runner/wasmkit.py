"""Runs a WebAssembly bot inside the sandbox, and keeps its clock.

The module sees stdin, stdout and stderr through the few functions of WASI (preview 1) that are
written here; there are no files, and time and randomness follow from the match alone. Its clock is
fuel: executed instructions are counted, so a match takes the same time on every machine.

It is loaded, with wasmtime, before the walls stand, and opens nothing afterwards. A module that
breaks out of wasmtime is in a process that has no right to anything.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import select  # noqa: F401 - the botkit will want it, when it can no longer be loaded
import struct
from collections.abc import Callable
from typing import Any, NoReturn

import botkit
import wasmtime
from wasmtime import FuncType, ValType

FUEL_PER_NS = 5
"""One unit is about one instruction of WebAssembly. Machines do 2 to 12 of them in a nanosecond."""
CALL_FUEL = 100_000
"""The cost of every call out of the module: 20 µs of its time."""
ACCESS_FUEL = 50_000
"""The cost of each piece of its memory that a call reads or writes."""
BYTE_FUEL = 16
"""The cost of each byte of such a piece: 3 ns to copy, draw or forward it.

`python -m bench.fuel` compares the cost of calls with their CPU time.
"""

_MS = 1_000_000
_LINE_BYTES = 64 * 1024
_EPOCH_NS = 946_684_800 * 10**9
"""Every match is played on the first of January 2000."""

_SUCCESS, _BAD_DESCRIPTOR, _FAULT, _INVALID, _NO_SUCH_CALL, _PIPE = 0, 8, 21, 28, 52, 70
_I32, _I64 = ValType.i32(), ValType.i64()


class _Fuel:
    """The fuel that a bot has left, and has used."""

    def __init__(self, store: wasmtime.Store, settings: dict[str, int]) -> None:
        self._store = store
        self._move = settings["move_ms"] * _MS * FUEL_PER_NS
        self._left = settings["match_ms"] * _MS * FUEL_PER_NS
        self._free = settings["start_ms"] * _MS * FUEL_PER_NS
        """The extra fuel of the first move, to start."""
        self._told = self._total = 0
        self.next_move()

    def next_move(self) -> None:
        self._budget = self._free + min(self._move, self._left)
        self._store.set_fuel(self._budget)

    def _used(self) -> int:
        return self._budget - self._store.get_fuel()

    def end_move(self) -> None:
        used = self._used()
        self._total += used
        self._left = max(0, self._left - max(0, used - self._free))
        self._free = self._budget = 0
        self._store.set_fuel(0)

    def burn(self, units: int) -> None:
        self._store.set_fuel(max(0, self._store.get_fuel() - units))

    @property
    def now_ns(self) -> int:
        """The time that has passed for the bot."""
        return (self._total + self._used()) // FUEL_PER_NS

    def tell_ns(self) -> int:
        """The fuel used since the last call."""
        now_ns = self.now_ns
        told, self._told = now_ns - self._told, now_ns
        return told

    @property
    def short(self) -> bool:
        """Whether the limit of the match ended this move."""
        return self._left < self._move


class _Host:
    """The functions of WASI that a module may call; results are its error numbers."""

    def __init__(self, store: wasmtime.Store, fuel: _Fuel, seed: int) -> None:
        self.memory: wasmtime.Memory | None = None
        self._store = store
        self._fuel = fuel
        self._random = random.Random(seed)
        self._input = self._output = b""

    def metered(self, function: Callable[..., int]) -> Callable[..., int]:
        """A function of the host, charged like every call."""

        def call(*arguments: int) -> int:
            self._fuel.burn(CALL_FUEL)
            return function(*arguments)

        return call

    def functions(self) -> dict[str, tuple[Callable[..., Any], list[ValType], list[ValType]]]:
        status = [_I32]
        return {
            "args_get": (lambda a, b: _SUCCESS, [_I32] * 2, status),
            "args_sizes_get": (self._none, [_I32] * 2, status),
            "environ_get": (lambda a, b: _SUCCESS, [_I32] * 2, status),
            "environ_sizes_get": (self._none, [_I32] * 2, status),
            "clock_res_get": (self._resolution, [_I32] * 2, status),
            "clock_time_get": (self._time, [_I32, _I64, _I32], status),
            "fd_close": (lambda fd: _SUCCESS, [_I32], status),
            "fd_fdstat_get": (self._describe, [_I32] * 2, status),
            "fd_fdstat_set_flags": (lambda fd, flags: _SUCCESS, [_I32] * 2, status),
            "fd_read": (self._read, [_I32] * 4, status),
            "fd_write": (self._write, [_I32] * 4, status),
            "fd_seek": (lambda fd, offset, whence, place: _PIPE, [_I32, _I64, _I32, _I32], status),
            "random_get": (self._random_bytes, [_I32] * 2, status),
            "sched_yield": (lambda: _SUCCESS, [], status),
            "proc_exit": (lambda status: os._exit(status & 0xFF), [_I32], []),
        }

    def _get(self, place: int, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self._bytes(place, struct.calcsize(form)))

    def _bytes(self, place: int, count: int) -> bytes:
        return ctypes.string_at(self._address(place, count), count)

    def _put(self, place: int, form: str, *values: int) -> int:
        return self._put_bytes(place, struct.pack(form, *values))

    def _put_bytes(self, place: int, data: bytes) -> int:
        try:
            ctypes.memmove(self._address(place, len(data)), data, len(data))
        except IndexError:
            return _FAULT
        return _SUCCESS

    def _address(self, place: int, count: int) -> int:
        """The place of a piece of the module's memory, which costs it fuel; raises `IndexError`."""
        if self.memory is None:  # a start function that calls out before there is any
            raise IndexError
        self._fuel.burn(ACCESS_FUEL + BYTE_FUEL * count)
        place &= 0xFFFFFFFF
        if place + count > self.memory.data_len(self._store):
            raise IndexError
        return place + ctypes.addressof(self.memory.data_ptr(self._store).contents) if count else 0

    def _none(self, count: int, size: int) -> int:
        return self._put(count, "<I", 0) or self._put(size, "<I", 0)

    def _resolution(self, clock: int, place: int) -> int:
        return self._put(place, "<Q", 1)

    def _time(self, clock: int, precision: int, place: int) -> int:
        now_ns = self._fuel.now_ns
        return self._put(place, "<Q", now_ns if clock else _EPOCH_NS + now_ns)

    def _describe(self, fd: int, place: int) -> int:
        # Character devices, as terminals are: C then writes out every line at once.
        return self._put(place, "<BxHxxxxQQ", 2, 0, 0x4A, 0) if fd in (0, 1, 2) else _BAD_DESCRIPTOR

    def _pieces(self, vectors: int, count: int) -> list[tuple[int, int]]:
        if not 0 <= count <= 1024:
            raise IndexError
        words = self._get(vectors, f"<{2 * count}I")
        return list(zip(words[::2], words[1::2], strict=True))

    def _read(self, fd: int, vectors: int, count: int, place: int) -> int:
        if fd != 0:
            return _BAD_DESCRIPTOR
        try:
            pieces = self._pieces(vectors, count)
        except IndexError:
            return _FAULT
        if not self._input:
            self._fuel.end_move()
            self._input = os.read(0, _LINE_BYTES)
            self._fuel.next_move()
        total = 0
        for start, size in pieces:
            data = self._input[total : total + size]
            if (problem := self._put_bytes(start, data)) != _SUCCESS:
                return problem
            total += len(data)
        self._input = self._input[total:]
        return self._put(place, "<I", total)

    def _write(self, fd: int, vectors: int, count: int, place: int) -> int:
        if fd not in (1, 2):
            return _BAD_DESCRIPTOR
        try:
            pieces = self._pieces(vectors, count)
            if sum(size for _, size in pieces) > 4 * _LINE_BYTES:
                return _INVALID
            data = b"".join([self._bytes(start, size) for start, size in pieces])
        except IndexError:
            return _FAULT
        if fd == 1:
            self._reply(data)
        else:
            _write_all(2, data)
        return self._put(place, "<I", len(data))

    def _reply(self, data: bytes) -> None:
        """Pass lines on, each piece with the time that went into it."""
        self._output += data
        if b"\n" in data or len(self._output) > _LINE_BYTES:
            _write_all(1, b"%d %b" % (self._fuel.tell_ns(), self._output))
            self._output = b""

    def _random_bytes(self, place: int, count: int) -> int:
        count &= 0xFFFFFFFF
        if count > _LINE_BYTES:
            return _INVALID
        return self._put_bytes(place, self._random.randbytes(count))


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.consume_fuel = True
    config.cranelift_nan_canonicalization = True
    # No threads to compile with, and no address space to spare for guards.
    config.parallel_compilation = False
    config.memory_reservation = 0
    config.memory_guard_size = 0
    config.memory_reservation_for_growth = 1 << 20
    config.memory_init_cow = False
    config.max_wasm_stack = 1 << 20
    config.wasm_threads = False
    config.wasm_memory64 = False
    config.wasm_multi_memory = False
    config.wasm_relaxed_simd = False
    return wasmtime.Engine(config)


def run(folder: str) -> NoReturn:
    """Serve the module that comes over the wire until the referee hangs up."""
    machine = engine()
    payload = _receive(botkit.await_bot())
    line, _, code = payload.partition(b"\n")
    settings = json.loads(line)
    try:
        module = wasmtime.Module(machine, code)
    except wasmtime.WasmtimeError as error:
        _fail(error, botkit.EXIT_NOT_LOADED)
    os.write(1, botkit.SCRIPT)
    botkit.await_input()
    try:
        _start(machine, module, settings)
    except wasmtime.WasmtimeError as error:
        _fail(error, botkit.EXIT_NOT_LOADED)
    os._exit(0)


def _receive(count: int) -> bytes:
    data = bytearray()
    while len(data) < count and (chunk := os.read(0, min(count - len(data), 1 << 16))):
        data += chunk
    return bytes(data)


def _start(machine: wasmtime.Engine, module: wasmtime.Module, settings: dict[str, int]) -> None:
    store = wasmtime.Store(machine)
    memory = settings["memory_mb"] << 20
    store.set_limits(memory_size=memory, table_elements=1 << 20, instances=1, tables=8, memories=1)
    fuel = _Fuel(store, settings)
    host = _Host(store, fuel, settings["seed"])
    functions = host.functions()
    linker = wasmtime.Linker(machine)
    for wanted in module.imports:
        space, name = wanted.module, wanted.name or ""
        if name in functions:
            function, takes, gives = functions[name]
            kind = FuncType(takes, gives)
        else:
            # The rest of WASI concerns files and sockets, of which there are none.
            kind = wanted.type  # type: ignore[assignment]
            function = lambda *arguments: _NO_SUCH_CALL  # noqa: E731
        linker.define_func(space, name, kind, host.metered(function))
    try:
        exports = linker.instantiate(store, module).exports(store)
        host.memory = exports["memory"]  # type: ignore[assignment]
        exports["_start"](store)  # type: ignore[operator]
    except wasmtime.Trap as trap:
        if trap.trap_code is wasmtime.TrapCode.OUT_OF_FUEL:
            os._exit(botkit.EXIT_MATCH_FUEL if fuel.short else botkit.EXIT_MOVE_FUEL)
        _fail(trap, botkit.EXIT_RAISED)
    except wasmtime.WasmtimeError:
        raise
    except Exception as error:
        # Raised by a function above. A traceback would show paths of the server.
        _fail(error, botkit.EXIT_RAISED)


def _fail(error: Exception, status: int) -> NoReturn:
    text = str(error) or type(error).__name__
    last = text.strip().splitlines()[-1].strip() if text.strip() else type(error).__name__
    _write_all(2, f"{text}\nWebAssembly: {last}\n".encode("utf-8", "replace"))
    os._exit(status)
