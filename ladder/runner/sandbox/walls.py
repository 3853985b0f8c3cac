"""The tiers, their walls, and the guests inside."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tier(StrEnum):
    A = "A"
    """bubblewrap, Landlock, seccomp and resource limits."""
    B = "B"
    """Landlock, seccomp and resource limits, for machines that allow no namespaces."""
    C = "C"
    """seccomp and resource limits: for WebAssembly alone, which opens no file at all."""


class Wall(StrEnum):
    LANDLOCK = "landlock"
    SECCOMP = "seccomp"
    LIMITS = "limits"
    """Limits of a process: memory, threads, descriptors, CPU time."""
    USER = "user id"
    """A user id of its own; there is one only where the server is root."""


@dataclass(frozen=True, slots=True)
class Guest:
    """The code that runs in a cage once the jail has raised the walls."""

    module: str
    """Beside this package; it has a function `run(folder)`."""
    overhead_mb: int = 64
    """Address space it takes itself, on top of what the bot may use."""
    opens_files: bool = True
    """Whether it reads files, or starts threads, when the walls stand."""
    package: str | None = None
    """A package that it imports before they do."""
    executes: bool = False
    """Whether it becomes a program of the bot's folder when the walls stand."""


BOTKIT = Guest("botkit", overhead_mb=16)
"""Runs a Python bot. The interpreter takes 14 to 15 MiB of address space."""
CODESIZE = Guest("codesize")
"""Measures one."""
WASMKIT = Guest("wasmkit", overhead_mb=448, opens_files=False, package="wasmtime")
"""Runs a WebAssembly bot. Compiling takes far more than running: about 280 MiB for 200 KB."""
NATIVEKIT = Guest("nativekit", overhead_mb=640, executes=True)
"""Becomes a native bot. The runtime of Go reserves 600 MiB of address space that it never uses; the
referee watches how much memory a native bot really has."""
CANARY = Guest("canary_bot", overhead_mb=448, opens_files=False)
"""Tries to break out of the walls around the WASMKIT."""
