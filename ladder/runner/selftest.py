"""Finds out which sandbox holds on this machine, by letting a bot try to break out of it.

A tier is used only if it was proved here; nothing falls back to less than that. `ladder doctor`
prints the `SelfTest`.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from ladder.errors import LadderError, NoSandbox, RunnerFailure
from ladder.runner import native_canary
from ladder.runner.bot_process import BotFault, BotProcess
from ladder.runner.native import PROGRAM
from ladder.runner.sandbox import Sandbox, Tier
from ladder.runner.sandbox.jail import READY, landlock_version
from ladder.runner.sandbox.runtime import Runtime, candidates, inspect
from ladder.runner.sandbox.syscalls import AUDIT_ARCH
from ladder.runner.sandbox.user_ids import FIRST_BOT_UID, LAST_BOT_UID
from ladder.runner.sandbox.walls import CANARY, NATIVEKIT
from ladder.values import Kind, Limits

BOTS_FOLDER = "bots"
"""The folder below the data folder in which uploaded code is unpacked."""

_CAPABILITIES = {"CHOWN": 0, "DAC_OVERRIDE": 1, "KILL": 5, "SETGID": 6, "SETUID": 7}
"""The capabilities that root needs to give bots user ids and folders of their own, and to end them.
"""

_CANARY = Path(__file__).with_name("canary_bot.py")
_LIMITS = Limits(move_ms=5_000, start_ms=10_000)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a sandbox must prevent or have."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class TierTest:
    """The result of one tier. It holds if every check passed."""

    tier: Tier
    checks: tuple[Check, ...]
    advice: str = ""
    """Advice to get this tier; empty when it holds."""

    @property
    def holds(self) -> bool:
        return bool(self.checks) and all(check.passed for check in self.checks)


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The results of the tiers, strongest first."""

    tests: tuple[TierTest, ...]

    @property
    def tier(self) -> Tier | None:
        """The strongest tier that holds."""
        return next((test.tier for test in self.tests if test.holds), None)


def choose_tier(data_folder: Path, tier: str | None = None) -> Tier:
    """The strongest tier that holds, or `tier` if that one holds; raises `NoSandbox`."""
    wanted = tuple(Tier) if tier is None else (_named(tier),)
    result = self_test(data_folder, wanted)
    if result.tier is None:
        reasons = "; ".join(f"tier {test.tier}: {test.advice}" for test in result.tests)
        raise NoSandbox(f"No sandbox holds on this machine. {reasons}")
    return result.tier


def native_fault(data_folder: Path, tier: Tier) -> str:
    """Why native bots cannot be run in a tier that holds; empty if they can."""
    if not Kind.NATIVE.runs_in(tier):
        return f"tier {tier} has no wall between programs and files"
    try:
        sandbox = sandbox_of(tier)
        cage = sandbox.launch(data_folder / BOTS_FOLDER, _LIMITS, NATIVEKIT)
        bot = BotProcess(cage, {"type": "hello"}, _LIMITS, native=True)
        try:
            cage.furnish({PROGRAM: native_canary.build()}, PROGRAM)
            answer = bot.load() or bot.ask(b'{"type":"move","observation":{}}\n', text=False)
        finally:
            bot.close()
    except (LadderError, OSError) as error:
        return str(error)
    if isinstance(answer, BotFault):
        return f"{answer.complaint} (does the mount of the data folder allow programs?)"
    return ""


def self_test(data_folder: Path, tiers: Iterable[Tier] = tuple(Tier)) -> SelfTest:
    """Try all `tiers`. Call it in the main thread: it starts sandboxes."""
    return SelfTest(tuple(_test(tier, data_folder / BOTS_FOLDER) for tier in tiers))


@cache
def sandbox_of(tier: str) -> Sandbox:
    """The sandbox of a tier on this machine, untested; raises `NoSandbox` if it cannot exist."""
    kind = _named(tier)
    if platform.machine() not in AUDIT_ARCH:
        known = " and ".join(AUDIT_ARCH)
        raise NoSandbox(f"bots run on {known} only, this machine is {platform.machine()}")
    if kind is not Tier.C and landlock_version() < 1:
        raise NoSandbox("the kernel has no Landlock: use Linux 5.13 or newer with lsm=landlock")
    if os.getuid() == 0 and not _bot_uids_exist():
        raise NoSandbox(
            "this container has too few user ids to give each bot its own: run as an ordinary user"
        )
    if os.getuid() == 0 and (missing := _missing_capabilities()):
        raise NoSandbox(
            f"root lacks the capabilities {', '.join(missing)} here, and needs them to give each "
            f"bot a user id of its own: give the container {', '.join(_CAPABILITIES)} (cap_add), "
            "or run as an ordinary user"
        )
    if kind is Tier.C:
        return Sandbox(kind, _first_runtime())
    if kind is Tier.B:
        return Sandbox(kind, _reachable_runtime() if os.getuid() == 0 else _first_runtime())
    if shutil.which("bwrap") is None:
        raise NoSandbox("bubblewrap is not installed: apt install bubblewrap")
    return Sandbox(kind, _first_runtime(), disable_userns=_can_disable_userns())


def _named(tier: str) -> Tier:
    try:
        return Tier(tier)
    except ValueError:
        raise NoSandbox(f"there is no tier {tier}, only {', '.join(Tier)}") from None


def _runtimes() -> Iterator[Runtime | str]:
    """The interpreters of this machine, and complaints about those that do not work."""
    for python in candidates():
        try:
            yield inspect(python)
        except ValueError as error:
            yield str(error)


def _first_runtime() -> Runtime:
    found = list(_runtimes())
    runtimes = (runtime for runtime in found if isinstance(runtime, Runtime))
    if (first := next(runtimes, None)) is None:
        raise NoSandbox("; ".join(map(str, found)))
    return first


def _reachable_runtime() -> Runtime:
    """An interpreter that users other than root can read."""
    complaints = []
    for runtime in _runtimes():
        if isinstance(runtime, Runtime):
            if (barred := runtime.barred_path()) is None:
                return runtime
            complaints.append(f"bots cannot reach {runtime.python}: {barred} is closed to others")
        else:
            complaints.append(runtime)
    raise NoSandbox(
        "; ".join(complaints) + "; install a system Python of version 3.11 or newer (python3)"
    )


def _bot_uids_exist() -> bool:
    """Whether the user namespace of this process has the ids that bots are given."""
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, count = map(int, line.split())
        if first <= FIRST_BOT_UID and first + count > LAST_BOT_UID:
            return True
    return False


def _missing_capabilities() -> list[str]:
    """The capabilities that root needs for the users of bots and that this process lacks."""
    status = Path("/proc/self/status").read_text()
    effective = int(status.partition("\nCapEff:")[2].split()[0], 16)
    return [name for name, number in _CAPABILITIES.items() if not effective >> number & 1]


def _can_disable_userns() -> bool:
    command = ["bwrap", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _test(tier: Tier, bots: Path) -> TierTest:
    try:
        checks = tuple(_play_canary(sandbox_of(tier), bots))
    except (LadderError, OSError) as error:
        advice = f"{error}{_HINTS[tier] if isinstance(error, RunnerFailure) else ''}"
        return TierTest(tier, (Check("start", False, str(error)),), advice)
    failed = [check.name for check in checks if not check.passed]
    return TierTest(tier, checks, f"bots can {', '.join(failed)}" if failed else "")


_HINTS = {
    Tier.A: " (in a container, allow user namespaces, or use tier B)",
    Tier.B: " (the data folder must be readable for all users)",
    Tier.C: "",
}


def _play_canary(sandbox: Sandbox, bots: Path) -> Iterator[Check]:
    if sandbox.tier is Tier.C:
        yield from _run_canary(sandbox, bots)
        return
    cage = sandbox.launch(bots, _LIMITS)
    bot = BotProcess(cage, {"type": "hello"}, _LIMITS)
    try:
        cage.furnish({"bot.py": _CANARY.read_bytes()})
        answer = bot.load() or bot.ask(b'{"type":"move","observation":{}}\n', text=False)
        if isinstance(answer, BotFault):
            last_words = bot.stderr.strip().rpartition("\n")[2]
            raise RunnerFailure(f"{answer.complaint} {last_words}".strip())
        yield Check("start", True, sandbox.runtime.python)
        yield from _judge(msgspec.convert(answer, dict[str, str]))
        yield from _look_from_outside(bot.pid)
    finally:
        bot.close()


def _run_canary(sandbox: Sandbox, bots: Path) -> Iterator[Check]:
    """The same in the walls of tier C, where no bot can be read from a file."""
    cage = sandbox.launch(bots, _LIMITS, CANARY)
    try:
        with open(cage.from_bot, "rb", closefd=False) as wire:
            ready, told = wire.readline(), wire.readline()
        if ready != READY:
            raise RunnerFailure("the sandbox did not start")
        yield Check("start", True, sandbox.runtime.python)
        yield from _judge(msgspec.json.decode(told, type=dict[str, str]))
        yield from _look_from_outside(cage.pid)
    finally:
        cage.close()


def _judge(answers: dict[str, str]) -> Iterator[Check]:
    for name, stopped_by in answers.items():
        yield Check(name, bool(stopped_by), stopped_by or "nothing stopped it")


def _look_from_outside(pid: int) -> Iterator[Check]:
    """The kernel's facts about the bot's process, which the bot cannot forge."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    wanted = {
        "have capabilities": ("CapEff", int(status["CapEff"][0], 16) == 0),
        "gain privileges": ("NoNewPrivs", status["NoNewPrivs"] == ["1"]),
        "make any system call": ("Seccomp", status["Seccomp"] == ["2"]),
        "share a user with the server": ("Uid", os.getuid() != 0 or "0" not in status["Uid"]),
    }
    for name, (field, passed) in wanted.items():
        yield Check(name, passed, f"{field} {' '.join(status[field])}")
