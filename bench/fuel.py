"""The ratio of CPU time to fuel time, by a WebAssembly bot that loops over each allowed function.

    python -m bench.fuel [--tier A]

Above 1 a bot gets more CPU time than its limits allow; only the backstop, which is several times as
long, would end it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import wasmtime

from ladder.runner.bot_process import BotFault, BotProcess
from ladder.runner.sandbox import Sandbox
from ladder.runner.sandbox.walls import WASMKIT
from ladder.runner.selftest import sandbox_of
from ladder.values import Limits

REQUEST = b'{"type":"move","observation":{}}\n'
LIMITS = Limits(move_ms=60_000, match_ms=600_000, start_ms=60_000)
PAGES = 64
"""Memory pages of 64 KiB, for the calls that move much memory."""

_I, _L = "i32", "i64"
_SIGNATURES = {
    "args_get": (_I, _I),
    "args_sizes_get": (_I, _I),
    "environ_get": (_I, _I),
    "environ_sizes_get": (_I, _I),
    "clock_res_get": (_I, _I),
    "clock_time_get": (_I, _L, _I),
    "fd_close": (_I,),
    "fd_fdstat_get": (_I, _I),
    "fd_fdstat_set_flags": (_I, _I),
    "fd_read": (_I, _I, _I, _I),
    "fd_write": (_I, _I, _I, _I),
    "fd_seek": (_I, _L, _I, _I),
    "random_get": (_I, _I),
    "sched_yield": (),
    "path_open": (_I, _I, _I, _I, _I, _L, _L, _I, _I),
    "poll_oneoff": (_I, _I, _I, _I),
}
_MANY, _LONG, _EMPTY = 8192, 32, 24
"""Addresses of a thousand vectors of one byte, one of 60,000 bytes, and an empty one."""

_PIECE = r"\00\00\01\00\01\00\00\00"

CASES: dict[str, tuple[str, tuple[int, ...]]] = {
    **{
        name: (name, tuple(range(256, 256 + 16 * len(takes), 16)))
        for name, takes in _SIGNATURES.items()
    },
    "fd_read, no descriptor": ("fd_read", (7, 0, 1, 8)),
    "fd_read, bad vectors": ("fd_read", (0, -8, 1, 8)),
    "fd_write, empty": ("fd_write", (2, _EMPTY, 1, 8)),
    "fd_write, log of 1,000 pieces": ("fd_write", (2, _MANY, 1000, 8)),
    "fd_write, log of 60,000 bytes": ("fd_write", (2, _LONG, 1, 8)),
    "fd_write, empty reply": ("fd_write", (1, _EMPTY, 1, 8)),
    "fd_write, bad address": ("fd_write", (2, _MANY, 1000, -8)),
    "fd_write, 1,024 pieces outside": ("fd_write", (1, -8, 1024, 8)),
    "random_get, 60,000 bytes": ("random_get", (1 << 16, 60_000)),
    "random_get, outside": ("random_get", (-8, 60_000)),
}
INSTRUCTIONS = {
    "memory.fill, 4 MiB": "(memory.fill (i32.const 65536) (i32.const 0) (i32.const 4128768))",
    "memory.copy, 2 MiB": "(memory.copy (i32.const 65536) (i32.const 2097152) (i32.const 2031616))",
    "i64.div_u": "(local.set $x (i64.div_u (i64.const -1) (i64.or (local.get $x) (i64.const 1))))"
    * 1000,
    "memory.grow, nothing": "(drop (memory.grow (i32.const 0)))" * 1000,
}
"""For comparison: wasmtime counts instructions, not their cost."""


def module(name: str) -> bytes:
    """A bot that runs one of the cases once per byte of its request, then replies."""
    function, arguments = CASES.get(name, ("sched_yield", ()))
    takes = _SIGNATURES[function]
    values = " ".join(f"({kind}.const {n})" for kind, n in zip(takes, arguments, strict=True))
    work = INSTRUCTIONS.get(name) or f"(drop (call ${function} {values}))"
    return bytes(
        wasmtime.wat2wasm(f"""(module
      {" ".join(_imported(name) for name in {"fd_read", "fd_write", function})}
      (memory (export "memory") {PAGES})
      (data (i32.const 0) "\\00\\40\\00\\00\\00\\80\\00\\00")
      (data (i32.const 16) "\\40\\00\\00\\00\\0d\\00\\00\\00")
      (data (i32.const {_EMPTY}) "\\40\\00\\00\\00\\00\\00\\00\\00")
      (data (i32.const {_LONG}) "\\00\\00\\01\\00\\60\\ea\\00\\00")
      (data (i32.const 64) "{{\\"move\\":\\"a\\"}}\\0a")
      (data (i32.const {_MANY}) "{_PIECE * 1000}")
      (func (export "_start") (local $n i32) (local $x i64) (loop $again
        (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
        (if (i32.load (i32.const 8)) (then
          (local.set $n (i32.load (i32.const 8)))
          (loop $l {work}
            (br_if $l (i32.gt_s (local.tee $n (i32.sub (local.get $n) (i32.const 1)))
              (i32.const 0))))
          (drop (call $fd_write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8)))
          (br $again))))))""")
    )


def _imported(function: str) -> str:
    takes = " ".join(_SIGNATURES[function])
    kind = f"(func ${function} (param {takes}) (result i32))"
    return f'(import "wasi_snapshot_preview1" "{function}" {kind})'


def ratio(name: str, sandbox: Sandbox, bots: Path) -> float:
    """CPU time divided by fuel time of a bot that only runs this case."""
    cage = sandbox.launch(bots, LIMITS, WASMKIT)
    bot = BotProcess(cage, {"type": "hello", "seed": 7}, LIMITS, module(name))
    try:
        if isinstance(fault := bot.load() or _ask(bot, 0), BotFault):
            raise RuntimeError(fault.complaint)
        length = len(REQUEST)
        while True:
            before = time.clock_gettime_ns((~bot.pid << 3) | 2)
            if isinstance(fault := _ask(bot, length), BotFault):
                raise RuntimeError(fault.complaint)
            spent = time.clock_gettime_ns((~bot.pid << 3) | 2) - before
            if spent > 50_000_000 or length > 15_000:
                return spent / bot.usage.last_ns
            length *= 4
    finally:
        bot.close()


def _ask(bot: BotProcess, length: int) -> object:
    return bot.ask(REQUEST.rstrip(b"\n").ljust(length - 1) + b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", default="A")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    options = parser.parse_args()
    sandbox = sandbox_of(options.tier)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for name in (*CASES, *INSTRUCTIONS):
            if options.only in name:
                print(f"{name:36} CPU/fuel {ratio(name, sandbox, Path(folder)):8.2f}", flush=True)


if __name__ == "__main__":
    main()
