"""The walls hold, each of them is needed, and no process survives its worker."""

from __future__ import annotations

import dataclasses
import errno
import os
import platform
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from ladder.errors import NoSandbox, RunnerFailure
from ladder.runner import selftest
from ladder.runner.bot_process import BotProcess
from ladder.runner.sandbox import Sandbox, Tier, Wall, seccomp, user_ids
from ladder.runner.sandbox.runtime import Runtime
from ladder.runner.selftest import choose_tier, sandbox_of, self_test
from ladder.values import Limits
from tests.runner.conftest import descendants, processes


def test_the_canary_stays_in(sandbox: Sandbox, data: Path) -> None:
    (test,) = self_test(data, [sandbox.tier]).tests
    assert [check for check in test.checks if not check.passed] == []
    assert len(test.checks) > 25
    assert choose_tier(data, sandbox.tier) is sandbox.tier


def attempts(sandbox: Sandbox, bots: Path) -> set[str]:
    """The forbidden actions in which the canary succeeds."""
    return {c.name for c in selftest._play_canary(sandbox, bots) if not c.passed}


def test_libraries_may_try_a_forbidden_call(sandbox: Sandbox, bots: Path) -> None:
    """From Python 3.15 on, `subprocess` opens its own process when it is imported."""
    source = b"""
import asyncio, os, subprocess
def agent(o, c):
    try:
        os.pidfd_open(os.getpid())
    except OSError as error:
        return error.errno
"""
    cage = sandbox.launch(bots, Limits())
    cage.furnish({"bot.py": source})
    bot = BotProcess(cage, {"type": "hello"}, Limits())
    try:
        assert bot.load() is None, bot.stderr
        assert bot.ask(b'{"type":"move","observation":{}}\n', text=False) == errno.EPERM
    finally:
        bot.close()


def test_without_seccomp_more_is_possible(sandbox: Sandbox, bots: Path) -> None:
    """The walls overlap, but not everywhere: only the filter forbids sockets."""
    weak = dataclasses.replace(sandbox, without=frozenset({Wall.SECCOMP}))
    done = attempts(weak, bots)
    assert {"open a local socket", "signal itself", "make any system call"} <= done
    assert "read /etc/passwd" not in done
    assert "write into its own folder" not in done


def test_without_landlock_more_is_possible(sandbox: Sandbox, bots: Path) -> None:
    weak = dataclasses.replace(sandbox, without=frozenset({Wall.LANDLOCK}))
    done = attempts(weak, bots)
    assert "list the root folder" in done
    assert ("read /etc/passwd" in done) == (sandbox.tier is Tier.B)
    assert "open a local socket" not in done


def test_a_failing_canary_refuses_the_tier(
    sandbox: Sandbox, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = dataclasses.replace(sandbox, without=frozenset({Wall.SECCOMP}))
    monkeypatch.setattr(selftest, "sandbox_of", lambda tier: weak)
    with pytest.raises(NoSandbox, match=r"bots can .*socket"):
        choose_tier(data, sandbox.tier)


def test_the_refusal_names_the_missing_part(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox_of.cache_clear()
    try:
        monkeypatch.setattr("shutil.which", lambda name: None)
        with pytest.raises(NoSandbox, match="apt install bubblewrap"):
            choose_tier(data, "A")
        monkeypatch.setattr(selftest, "landlock_version", lambda: 0)
        with pytest.raises(NoSandbox, match="no Landlock"):
            choose_tier(data, "B")
        # Without Landlock, WebAssembly can still be run.
        assert choose_tier(data) is Tier.C
        sandbox_of.cache_clear()
        monkeypatch.setattr(platform, "machine", lambda: "riscv64")
        with pytest.raises(NoSandbox, match="this machine is riscv64"):
            choose_tier(data)
    finally:
        sandbox_of.cache_clear()
    with pytest.raises(NoSandbox, match="no tier Z"):
        choose_tier(data, "Z")


def test_a_sandbox_that_does_not_start_is_our_fault(sandbox: Sandbox, bots: Path) -> None:
    nowhere = dataclasses.replace(
        sandbox, runtime=dataclasses.replace(sandbox.runtime, libraries=("/nowhere",))
    )
    with pytest.raises(RunnerFailure, match="nowhere"):
        selftest_start(nowhere, bots)
    absent = dataclasses.replace(sandbox, runtime=Runtime("/no/python", (), ()))
    with pytest.raises(RunnerFailure):
        selftest_start(absent, bots)


def selftest_start(sandbox: Sandbox, bots: Path) -> None:
    bot = BotProcess(sandbox.launch(bots, Limits()), {}, Limits())
    try:
        bot.load()
    finally:
        bot.close()


IN_CONTAINER = """
import os, sys
from pathlib import Path
from ladder.runner.sandbox import Tier
from ladder.runner.sandbox.jail import READY
from ladder.runner.selftest import sandbox_of
from ladder.values import Limits
cage = sandbox_of(Tier.B).launch(Path(sys.argv[1]), Limits())
assert os.read(cage.from_bot, 100) == READY
status = Path(f"/proc/{cage.pid}/status").read_text()
print(status.partition("Uid:")[2].split()[0], flush=True)
sys.stdin.read()
cage.close()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give user ids to bots")
def test_containers_give_their_bots_different_user_ids(bots: Path) -> None:
    """Each container numbers its own processes, so two workers may have the same process id."""
    alone = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    command = [*alone, sys.executable, "-c", IN_CONTAINER, str(bots)]
    workers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)
    ]
    told = [worker.stdout.readline() for worker in workers if worker.stdout]
    for worker in workers:
        worker.communicate(timeout=60)
        assert worker.returncode == 0
    assert all(int(line) >= user_ids.FIRST_BOT_UID for line in told)
    assert told[0] != told[1]


LOADER = """
#include <unistd.h>
int far_away(void);
int main(int count, char **words) {
    words[0] = PYTHON;  // where Python looks for its library
    return far_away() + execv(PYTHON, words);
}
"""


def test_libraries_are_found_in_any_folder(data: Path, holding: dict[Tier, str]) -> None:
    """The linker finds folders such as /usr/local/lib by its cache, which the sandbox lacks."""
    if holding[Tier.A]:
        pytest.skip(f"tier A: {holding[Tier.A]}")
    sandbox, limits = sandbox_of(Tier.A), Limits()
    place = Path(tempfile.mkdtemp(dir=data))
    place.chmod(0o755)
    library, loader = place / "libfar.so", place / "python"
    # If the interpreter has its own dynamic linker, the sandbox contains no other.
    linker = next(file for file in sandbox.runtime.libraries if Path(file).name.startswith("ld-"))
    flags = [f'-DPYTHON="{sandbox.runtime.python}"', f"-Wl,--dynamic-linker={linker}"]
    build = {
        library: ("int far_away(void) { return 0; }", ["-shared", "-fPIC"]),
        loader: (LOADER, [*flags, f"-L{place}", "-lfar"]),
    }
    for file, (source, flags) in build.items():
        command = ["gcc", "-o", str(file), "-x", "c", "-", "-x", "none", *flags]
        subprocess.run(command, input=source.encode(), check=True)
    runtime = dataclasses.replace(
        sandbox.runtime,
        python=str(loader),
        libraries=(*sandbox.runtime.libraries, sandbox.runtime.python, str(library)),
    )
    cage = dataclasses.replace(sandbox, runtime=runtime).launch(data / "bots", limits)
    bot = BotProcess(cage, {"type": "hello"}, limits)
    try:
        cage.furnish({"bot.py": b"import os\ndef agent(o, c): return sorted(os.environ)"})
        assert bot.load() is None, bot.stderr
        answer = bot.ask(b'{"type":"move","observation":{}}\n', text=False)
    finally:
        bot.close()
    assert "LD_LIBRARY_PATH" not in answer


def run_filter(program: bytes, machine: int, number: int, *arguments: int) -> int:
    """A tiny interpreter of classic BPF, to read the filter as the kernel does."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    packet = struct.pack("<IIQ6Q", number, machine, 0, *padded)
    accumulator, counter = 0, 0
    while True:
        code, if_true, if_false, operand = struct.unpack_from("<HBBI", program, 8 * counter)
        counter += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", packet, operand)
        elif code == 0x54:
            accumulator &= operand
        elif code == 0x06:
            return operand
        else:
            tests = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }
            counter += if_true if tests[code] else if_false


ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50001, 0x50026
X86, ARM = 0xC000003E, 0xC00000B7
THREAD = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000

FILTERED: list[tuple[str, int, tuple[int, ...], int]] = [
    ("x86_64", 0, (), ALLOW),  # read
    ("x86_64", 41, (), EPERM),  # socket
    ("x86_64", 57, (), EPERM),  # fork
    ("x86_64", 58, (), EPERM),  # vfork
    ("x86_64", 59, (), EPERM),  # execve
    ("x86_64", 62, (), EPERM),  # kill
    ("x86_64", 101, (), KILL),  # ptrace
    ("x86_64", 0x40000000, (), KILL),  # read, as x32
    ("x86_64", 56, (THREAD | 0x3D0F00,), ALLOW),  # clone
    ("x86_64", 56, (0x11,), EPERM),
    ("x86_64", 56, (THREAD | 0x11,), EPERM),
    ("x86_64", 56, (THREAD | 0x8000,), EPERM),  # and the parent's parent
    ("x86_64", 202, (0, 0x81), ALLOW),  # futex, waking its own threads
    ("x86_64", 202, (0, 0x189), ALLOW),  # waiting by the clock
    ("x86_64", 202, (0, 0x109), ALLOW),  # for the end of a thread
    ("x86_64", 202, (0, 0x01), EPERM),  # waking anybody
    ("x86_64", 202, (0, 0x86), EPERM),  # lending its priority
    ("x86_64", 228, (1,), ALLOW),  # clock_gettime
    ("x86_64", 228, (0xFFFFFFFFFFFF0002,), EPERM),  # of another process
    ("x86_64", 204, (0,), ALLOW),  # sched_getaffinity
    ("x86_64", 204, (1,), EPERM),
    ("x86_64", 140, (0, 0), ALLOW),  # getpriority
    ("x86_64", 140, (0, 1), EPERM),
    ("x86_64", 56, (THREAD | 0x10000000,), KILL),  # with a user namespace
    ("x86_64", 435, (), ENOSYS),  # clone3
    ("x86_64", 257, (0, 0, 0o2000000), ALLOW),  # openat to read
    ("x86_64", 257, (0, 0, 0o1), EPERM),
    ("x86_64", 257, (0, 0, 0o102), EPERM),
    ("x86_64", 257, (0, 0, 0o1000), EPERM),
    ("x86_64", 16, (0, 0x5401), ALLOW),  # ioctl TCGETS
    ("x86_64", 16, (0, 0x5412), EPERM),  # TIOCSTI
    ("x86_64", 16, (0, 0x100005412), EPERM),  # which the kernel cuts to 32 bits
    ("x86_64", 302, (0, 7, 0), ALLOW),  # prlimit64, asking
    ("x86_64", 302, (0, 7, 1 << 32), EPERM),  # setting, with a pointer that has no low half
    ("x86_64", 302, (1, 7, 0), EPERM),
    ("x86_64", 157, (22,), EPERM),  # prctl SET_SECCOMP
    ("x86_64", 293, (0, 0o2000000), ALLOW),  # pipe2
    ("x86_64", 293, (0, 0o40000), EPERM),
    ("x86_64", 9999, (), EPERM),
    ("aarch64", 63, (), ALLOW),  # read
    ("aarch64", 198, (), EPERM),  # socket
    ("aarch64", 117, (), KILL),  # ptrace
    ("aarch64", 220, (0x11,), EPERM),  # clone
]


@pytest.mark.parametrize(("machine", "number", "arguments", "action"), FILTERED)
def test_filter(machine: str, number: int, arguments: tuple[int, ...], action: int) -> None:
    program = seccomp.filter_program(machine)
    arch = {"x86_64": X86, "aarch64": ARM}[machine]
    assert run_filter(program, arch, number, *arguments) == action


def test_calls_of_another_architecture_are_fatal() -> None:
    program = seccomp.filter_program("x86_64")
    assert run_filter(program, 0x40000003, 3) == KILL  # read, by int 0x80
    with pytest.raises(ValueError, match="riscv64"):
        seccomp.filter_program("riscv64")


WORKER = """
import sys
from pathlib import Path
from ladder.runner import play_job
from ladder.values import Entrant, Kind, Limits, MatchJob
code = b"import time\\ndef agent(o, c):\\n    while True: pass\\n"
seats = tuple(Entrant(name, Kind.PYTHON, "0" * 64, code) for name in "ab")
limits = Limits(move_ms=600_000, match_ms=600_000)
play_job(MatchJob(1, 1, "reversi", 1, seats, limits), Path(sys.argv[1]), sys.argv[2])
"""


def until(condition: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return bool(met)


@pytest.mark.parametrize("wait_s", [0.0, 0.5])
def test_nothing_survives_a_killed_worker(sandbox: Sandbox, data: Path, wait_s: float) -> None:
    worker = subprocess.Popen([sys.executable, "-c", WORKER, str(data), sandbox.tier])
    try:
        expected = 6 if sandbox.tier is Tier.A else 2
        assert until(lambda: len(descendants(worker.pid)) >= expected, 30)
        time.sleep(wait_s)
        below = descendants(worker.pid)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()

    assert until(lambda: not below & processes().keys(), 5)
