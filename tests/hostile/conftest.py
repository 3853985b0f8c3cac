"""Targets of attacks: files, sockets and processes that the tests watch and nothing else needs."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ladder.runner.sandbox import Sandbox, Tier
from ladder.runner.selftest import BOTS_FOLDER, sandbox_of, self_test
from tests.runner.conftest import bots_running, descendants, known_uids, own_uids  # noqa: F401

SECRET = "the secret of the server"


@dataclass
class Field:
    """Targets of attacks, and their state."""

    data: Path
    name: str
    victim: subprocess.Popen[bytes]
    listener: socket.socket
    targets: dict[str, Any] = field(default_factory=dict)

    @property
    def shared(self) -> Path:
        return self.data / "shared"

    @property
    def owned(self) -> Path:
        return self.shared / "owned"

    def restore(self) -> None:
        """Undo the changes that an attack makes in a process without walls."""
        for path in sorted(self.shared.rglob("*"), reverse=True):
            if path.name != "socket":
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        self.owned.write_text(SECRET)
        if os.getuid() == 0:
            os.chown(self.owned, own_uids()[0], own_uids()[0])
        for folder in ("/tmp", "/dev/shm"):
            Path(folder, self.name).unlink(missing_ok=True)
        self.connected()

    def connected(self) -> bool:
        """Whether somebody has connected to our service since the last call."""
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def traces(self) -> dict[str, Any]:
        """Everything that an attack could leave behind."""
        owned = self.owned.lstat() if self.owned.exists() else None
        return {
            "processes": descendants(os.getpid()),
            "bots": bots_running(),
            "descriptors": len(os.listdir("/proc/self/fd")),
            "mounts": Path("/proc/self/mountinfo").read_text(),
            "shared": sorted(str(path) for path in self.shared.rglob("*")),
            "owned": owned and (owned.st_mode, owned.st_uid, owned.st_mtime, owned.st_nlink),
            "contents": self.owned.read_text() if owned else None,
            "database": (self.data / "ladder.db").read_text(),
            "folders": sorted(path.name for path in self.data.iterdir()),
            "tmp": Path("/tmp", self.name).exists() or Path("/dev/shm", self.name).exists(),
            "cores": [path for path in Path.cwd().glob("core*") if path.is_file()],
            "shared memory": [
                Path("/proc/sysvipc", kind).read_text().count(str(self.targets["KEY"]))
                for kind in ("shm", "sem", "msg")
            ],
            "victim": (self.victim.poll(), os.sched_getaffinity(self.victim.pid)),
            "connected": self.connected(),
            "affinity": os.sched_getaffinity(0),
        }


@pytest.fixture(scope="module")
def place() -> Iterator[Field]:
    """A data folder with secrets. Other users cannot enter the folders of pytest."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ladder-hostile-")))
        data.chmod(0o755)
        (data / "ladder.db").write_text(SECRET)
        for folder, mode in ((BOTS_FOLDER, 0o755), ("shared", 0o777)):
            (data / folder).mkdir()
            (data / folder).chmod(mode)
        (data / "link").symlink_to(data / "ladder.db")
        sibling = data / BOTS_FOLDER / "sibling" / "bot.py"
        sibling.parent.mkdir()
        sibling.write_text(SECRET)
        name = f"evoladder-{secrets.token_hex(6)}"
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        tcp.setblocking(False)
        for address in ("\0" + name, str(data / "shared" / "socket")):
            local = stack.enter_context(socket.socket(socket.AF_UNIX))
            local.bind(address)
            local.listen()
        os.chmod(data / "shared" / "socket", 0o777)
        uid = own_uids()[0] if os.getuid() == 0 else None
        sleep = ["sleep", "100000"]
        victim = subprocess.Popen(sleep, user=uid, group=uid, env={"SECRET": SECRET}, cwd="/")
        stack.callback(victim.wait)
        stack.callback(victim.send_signal, signal.SIGKILL)
        found = Field(data, name, victim, tcp)
        found.targets |= {
            "DATABASE": str(data / "ladder.db"),
            "BOTS": str(data / BOTS_FOLDER),
            "SIBLING": str(sibling),
            "SHARED": str(found.shared),
            "OWNED": str(found.owned),
            "NAME": name,
            "SECRET": SECRET,
            "PORT": tcp.getsockname()[1],
            "VICTIM": victim.pid,
            "SERVER": os.getpid(),
            "HOST": os.uname().nodename,
            "LINK": str(data / "link"),
            "KEY": secrets.randbits(30),
        }
        found.restore()
        yield found


@pytest.fixture(scope="module")
def holding(place: Field) -> dict[Tier, str]:
    """The reason why a tier cannot be used here, by tier; empty if it can."""
    return {test.tier: test.advice for test in self_test(place.data).tests}


def sandbox_in(tier: str, holding: dict[Tier, str]) -> Sandbox:
    if reason := holding[Tier(tier)]:
        pytest.skip(f"tier {tier}: {reason}")
    return sandbox_of(tier)
