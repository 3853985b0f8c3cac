"""The sandbox on hosts of servers: as an ordinary user, and in a container of Docker.

The container is imitated: its filter of system calls and its capabilities follow Docker's account
of its default profile. Calls that the profile allows only with CAP_SYS_ADMIN give EPERM.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ladder.runner.sandbox import Tier, seccomp

ROOT = Path(__file__).parents[2]
NOBODY = 4242
CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
"""CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW,
SYS_CHROOT, MKNOD, AUDIT_WRITE and SETFCAP: the capabilities of a container."""
REFUSED = (
    *("mount", "umount2", "pivot_root", "unshare", "setns", "fsopen", "fsconfig", "fsmount"),
    *("fspick", "move_mount", "open_tree", "mount_setattr", "keyctl", "add_key", "request_key"),
    *("bpf", "perf_event_open", "userfaultfd", "kexec_load", "kexec_file_load", "init_module"),
    *("finit_module", "delete_module", "open_by_handle_at", "quotactl", "swapon", "swapoff"),
    *("reboot", "acct", "settimeofday", "clock_settime", "io_uring_setup", "io_uring_enter"),
    *("io_uring_register", "lookup_dcookie", "sethostname", "setdomainname", "syslog", "iopl"),
    *("ioperm", "vhangup", "fanotify_init"),
)

IN_CONTAINER = """
import ctypes, os, struct, sys
code = bytes.fromhex(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(code, len(code))
header = ctypes.create_string_buffer(struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer)))
if libc.prctl(22, ctypes.c_ulong(2), header, ctypes.c_ulong(0), ctypes.c_ulong(0)):
    raise OSError(ctypes.get_errno(), "seccomp")
for capability in range(64):
    if capability not in map(int, sys.argv[2].split(",")):
        libc.prctl(24, ctypes.c_ulong(capability), *[ctypes.c_ulong(0)] * 3)
os.execv(sys.argv[3], sys.argv[3:])
"""
SELF_TEST = """
import json, sys
from pathlib import Path
from ladder.runner.referee import play
from ladder.runner.selftest import native_fault, sandbox_of, self_test
from ladder.values import Entrant, Kind, MatchJob
data = Path(sys.argv[1])
code = b"def agent(o, c):\\n    return o['legal'][0]\\n"
told = {}
for test in self_test(data).tests:
    told[test.tier] = [test.holds, test.advice, ""]
    if test.holds and test.tier != "C":
        seats = (Entrant("a", Kind.PYTHON, "", code), Entrant("random", Kind.HOUSE, ""))
        job = MatchJob(1, 1, "connect-four", 1, seats)
        told[test.tier][2] = play(job, sandbox_of(test.tier), data / "bots").verdict.ending
        told[test.tier].append(native_fault(data, test.tier))
print(json.dumps(told))
"""


def docker_filter() -> bytes:
    machine = platform.machine()
    program = list(seccomp._prologue(machine))
    for name in REFUSED:
        program += seccomp._when(name, machine, [seccomp._refuse(errno.EPERM)])
    program += seccomp._when("clone", machine, list(seccomp._no_bits(0, 0x7E020000)))
    program += seccomp._when("clone3", machine, [seccomp._refuse(errno.ENOSYS)])
    program.append(seccomp._give(seccomp._ALLOW))
    return b"".join(seccomp.struct.pack("<HBBI", *instruction) for instruction in program)


@pytest.fixture
def place() -> Iterator[Path]:
    """A data folder that every user can write to."""
    with tempfile.TemporaryDirectory(prefix="ladder-hosts-") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def self_test(command: list[str], place: Path, user: int | None = None) -> dict[Tier, Any]:
    folders = [str(ROOT), *site.getsitepackages()]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(folders)}
    environment |= {"LADDER_CACHE": str(place / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, "-c", SELF_TEST, str(place)],
        env=environment,
        capture_output=True,
        cwd="/",
        text=True,
        check=False,
        **({"user": user, "group": user, "extra_groups": []} if user else {}),
    )
    assert done.returncode == 0, done.stderr
    return {Tier(tier): result for tier, result in json.loads(done.stdout).items()}


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_as_an_ordinary_user(place: Path) -> None:
    python = "/usr/bin/python3"
    version = f"import sys; print(sys.version_info[:2] == {sys.version_info[:2]})"
    try:
        same = subprocess.run([python, "-c", version], capture_output=True, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        same = b""
    if same != b"True\n":
        pytest.skip("there is no interpreter of this version that all users can reach")
    found = self_test([python], place, NOBODY)
    assert found[Tier.B] == [True, "", "completed", ""]
    assert found[Tier.C][0]
    # User namespaces may be forbidden to ordinary users; where they are not, tier A holds too.
    assert found[Tier.A][0] or found[Tier.A][1]


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root has the rights that a container lacks")
def test_in_a_container(place: Path) -> None:
    capabilities = ",".join(map(str, CAPABILITIES))
    wrap = [sys.executable, "-c", IN_CONTAINER, docker_filter().hex(), capabilities]
    found = self_test([*wrap, sys.executable], place)
    holds, advice, *_ = found[Tier.A]
    assert not holds
    assert "in a container" in advice
    assert found[Tier.B] == [True, "", "completed", ""]
    assert found[Tier.C][0]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")
@pytest.mark.parametrize("closed", ["TMPDIR", "LADDER_DATA"])
def test_the_doctor_tries_native_bots_in_the_data_folder(place: Path, closed: str) -> None:
    """A mount may forbid programs, as Docker's for temporary files does."""
    folders = {name: str(place / name) for name in ("TMPDIR", "LADDER_DATA")}
    for folder in folders.values():
        Path(folder).mkdir(exist_ok=True)
    mount = f'mount -t tmpfs -o noexec tmpfs {folders[closed]} && exec "$@"'
    doctor = [sys.executable, "-m", "ladder.cli", "doctor", "--sandbox", "B"]
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount, "sh", *doctor],
        cwd=ROOT,
        env=os.environ | folders,
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stdout.splitlines()[-1]
    if closed == "TMPDIR":
        assert told == "native bots: run in tier B"
    else:
        assert told.startswith("native bots: cannot be run: ")
        assert told.endswith("(does the mount of the data folder allow programs?)")


@pytest.mark.skipif(os.getuid() != 0, reason="only root has capabilities to lose")
@pytest.mark.parametrize("name", ["chown", "dac_override", "kill", "setgid", "setuid"])
def test_the_doctor_names_a_missing_capability(name: str) -> None:
    doctor = [sys.executable, "-m", "ladder.cli", "doctor"]
    done = subprocess.run(
        ["setpriv", f"--bounding-set=-{name}", *doctor],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    assert f"root lacks the capabilities {name.upper()} here" in done.stdout
    assert "Traceback" not in done.stderr
