"""Runs one process of untrusted code behind walls, and knows nothing of matches or protocols.

`seccomp` says which system calls are possible, `jail` is what runs first inside, `runtime` finds
the interpreter, and `cage` starts and ends the process. Whether a tier holds on this machine is
proved by `ladder.runner.selftest`.
"""

from ladder.runner.sandbox.cage import Cage, Exit, Sandbox, Tier, Wall

__all__ = ["Cage", "Exit", "Sandbox", "Tier", "Wall"]
