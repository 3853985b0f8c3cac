"""Runs one process of untrusted code behind walls, and knows nothing of matches or protocols.

`seccomp` has the list of possible system calls, `jail` runs first inside, `runtime` finds
the interpreter, `sandbox` starts the process and `cage` holds it; `lodgings` are its files, and
`reserve` starts some ahead. `ladder.runner.selftest` proves whether a tier holds on this machine.
"""

from ladder.runner.sandbox.cage import Cage, Exit
from ladder.runner.sandbox.reserve import Reserve
from ladder.runner.sandbox.sandbox import Sandbox
from ladder.runner.sandbox.walls import Guest, Tier, Wall

__all__ = ["Cage", "Exit", "Guest", "Reserve", "Sandbox", "Tier", "Wall"]
