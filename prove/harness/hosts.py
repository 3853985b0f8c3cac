"""Network namespaces as machines: each has its own addresses and a cable that can be cut."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

CENTRE = "10.231.77.1"
"""Address of the machine in the middle, to which all others are connected."""


class NoHosts(Exception):
    """Namespaces cannot be created here; the message says why."""


class Host:
    def __init__(self, namespace: str, address: str, cable: str = "") -> None:
        self.address = address
        self.inside = ("ip", "netns", "exec", namespace)
        self._cable = cable

    def cut(self) -> None:
        """Cut the cable: packets are lost without notice."""
        _ip("netns", "exec", f"{_PREFIX}centre", "ip", "link", "set", self._cable, "down")

    def mend(self) -> None:
        _ip("netns", "exec", f"{_PREFIX}centre", "ip", "link", "set", self._cable, "up")


_PREFIX = f"ladder-{os.getpid()}-"


@contextmanager
def hosts(names: Sequence[str]) -> Iterator[tuple[Host, list[Host]]]:
    """A machine in the middle with a switch, and others around it; the network of this machine does
    not change. Raises `NoHosts`."""
    if os.geteuid() != 0:
        raise NoHosts("network namespaces need root")
    with ExitStack() as stack:
        for name in ("centre", *names):
            _ip("netns", "add", _PREFIX + name)
            stack.callback(_ip, "netns", "del", _PREFIX + name)
            _ip("-n", _PREFIX + name, "link", "set", "lo", "up")
        middle = _PREFIX + "centre"
        _ip("-n", middle, "link", "add", "switch", "type", "bridge")
        _ip("-n", middle, "addr", "add", f"{CENTRE}/24", "dev", "switch")
        _ip("-n", middle, "link", "set", "switch", "up")
        around = []
        for number, name in enumerate(names, start=2):
            space, cable = _PREFIX + name, f"to-{name}"
            pair = ["type", "veth", "peer", "eth0", "netns", space]
            _ip("-n", middle, "link", "add", cable, *pair)
            _ip("-n", middle, "link", "set", cable, "master", "switch", "up")
            address = f"{CENTRE.rpartition('.')[0]}.{number}"
            _ip("-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
            _ip("-n", space, "link", "set", "eth0", "up")
            around.append(Host(space, address, cable))
        yield Host(middle, CENTRE), around


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoHosts(f"ip {' '.join(words)}: {done.stderr.strip()}")
