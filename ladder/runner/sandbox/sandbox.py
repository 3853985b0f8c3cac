"""Starts a process behind the walls of a tier.

Tier A runs the jail under bubblewrap, in namespaces of its own and a file system that contains
only the interpreter and the bot. Tiers B and C run the jail as a plain child process: Landlock (not
in C), seccomp and resource limits do all the work. As root, every bot has a user id of its own.

A cage must be launched from a thread that outlives it (the main thread of a worker): the kernel
kills the sandbox when the thread that forked it ends.
"""

from __future__ import annotations

import importlib.util
import math
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import msgspec

from ladder.errors import RunnerFailure
from ladder.runner.sandbox import jail
from ladder.runner.sandbox.cage import Cage, Pipes
from ladder.runner.sandbox.lodgings import Lodging, make_lodging
from ladder.runner.sandbox.runtime import Runtime
from ladder.runner.sandbox.seccomp import filter_program
from ladder.runner.sandbox.walls import BOTKIT, Guest, Tier, Wall
from ladder.values import Limits

_THREADS = 16
_ENVIRONMENT = {
    # With address space limited, one arena per thread of 64 MiB each would leave nothing.
    "MALLOC_ARENA_MAX": "2",
    # The order of sets must not be random, or matches could not be played again.
    "PYTHONHASHSEED": "0",
}
# Not -I: it would also ignore PYTHONHASHSEED, and the environment is ours anyway.
_PYTHON_FLAGS = ("-P", "-s", "-S", "-B")

_HERE = Path(__file__).parent
_JAIL_FOLDER, _BOT_FOLDER, _PACKAGES_FOLDER = "/jail", "/bot", "/packages"
_JAIL = _HERE / "jail.py"


class _BwrapInfo(msgspec.Struct):
    child_pid: int = msgspec.field(name="child-pid")


@dataclass(frozen=True)
class Sandbox:
    """A way to run bots that the self-test found sound."""

    tier: Tier
    runtime: Runtime
    disable_userns: bool = True
    """Whether bubblewrap can forbid nested user namespaces (tier A as an ordinary user)."""
    without: frozenset[Wall] = frozenset()
    """Walls that are left out, only for tests that show the effect of each wall."""

    def launch(self, bots: Path, limits: Limits, guest: Guest = BOTKIT) -> Cage:
        """Start the jail with a guest inside, which then waits for a bot; raises `RunnerFailure`.

        The bot's files are laid out in a folder below `bots`.
        """
        if self.tier is Tier.C and guest.opens_files:
            raise RunnerFailure("tier C runs WebAssembly only")
        try:
            lodging = make_lodging(bots, os.getuid() == 0 and Wall.USER not in self.without)
        except OSError as error:
            raise RunnerFailure(f"a bot has no place in {bots}: {error}") from error
        try:
            return self._start(lodging, limits, guest)
        except BaseException:
            lodging.remove()
            raise

    def _start(self, lodging: Lodging, limits: Limits, guest: Guest) -> Cage:
        pipes = [os.pipe() for _ in range(4)]
        (wire_in, to_bot), (from_bot, wire_out), (errors, error_end), (info, info_end) = pipes
        wire = [f"wire_in={wire_in}", f"wire_out={wire_out}"]
        try:
            process = subprocess.Popen(
                self._command(lodging, [*wire, *_limit_words(limits, guest)], guest, info_end),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=error_end,
                # The wire is handed over under other numbers than 0 and 1, which bubblewrap's
                # monitor would hold open: a bot that closes its stdout is then seen at once.
                pass_fds=(wire_in, wire_out, info_end),
                cwd="/",
                env=_ENVIRONMENT,
                start_new_session=True,
            )
        except (OSError, RunnerFailure, ValueError) as error:
            _close(to_bot, from_bot, errors, info)
            raise RunnerFailure(f"the sandbox cannot be started: {error}") from error
        finally:
            _close(wire_in, wire_out, error_end, info_end)
        os.set_blocking(errors, False)
        try:
            head = _child_of_bwrap(info) if self.tier is Tier.A else process.pid
            head_pidfd = os.pidfd_open(head)
        except (ProcessLookupError, msgspec.DecodeError):
            process.kill()
            process.wait()
            complaint = _complaint(errors)
            _close(to_bot, from_bot, errors)
            raise RunnerFailure(f"the sandbox cannot be started: {complaint}") from None
        finally:
            _close(info)
        return Cage(process, head, head_pidfd, Pipes(to_bot, from_bot, errors), lodging)

    def _command(self, lodging: Lodging, words: list[str], guest: Guest, info: int) -> list[str]:
        python = [self.runtime.python, *_PYTHON_FLAGS]
        words = [*self._walls(guest), *words, *self._identity(lodging.uid)]
        if self.tier is Tier.A:
            mounts = [*self._guest_binds(guest), "--ro-bind", str(lodging.folder), _BOT_FOLDER]
            mounts += ["--remount-ro", "/", "--chdir", "/", "--info-fd", str(info), "--"]
            words += [f"guest={_JAIL_FOLDER}/{guest.module}.py"]
            words += [f"bot={_BOT_FOLDER}"] * guest.opens_files
            words += [f"packages={_PACKAGES_FOLDER}"] * (guest.package is not None)
            return [*self._bwrap, *mounts, *python, f"{_JAIL_FOLDER}/jail.py", *words]
        words += [f"guest={_guest_file(guest)}", f"parent={os.getpid()}"]
        words += [f"bot={lodging.folder}"] * guest.opens_files
        if guest.package is not None:
            words.append(f"packages={_package_folder(guest.package).parent}")
        return [*python, str(_JAIL), *words]

    def _identity(self, uid: int | None) -> list[str]:
        if os.getuid() == 0:
            return [f"uid={uid}"] * (uid is not None) + [f"processes={_THREADS}"]
        # An ordinary user's processes are counted together, unless in a namespace of their own;
        # without one a bot gets no threads, rather than some of the time.
        return [f"processes={_THREADS if self.tier is Tier.A else 1}"]

    def _walls(self, guest: Guest) -> list[str]:
        allowed = b""
        if Wall.SECCOMP not in self.without:
            allowed = filter_program(platform.machine(), guest.opens_files, guest.executes)
        landlock = Wall.LANDLOCK not in self.without and self.tier is not Tier.C
        words = [f"seccomp={allowed.hex()}", f"landlock={int(landlock)}"]
        words.append(f"limits={int(Wall.LIMITS not in self.without)}")
        words += ["execute=1"] * guest.executes
        if guest.opens_files and self.tier is Tier.A:
            words += [f"read={path}" for path in self.runtime.mounted]
        elif guest.opens_files:
            words += [f"read={path}" for path in self.runtime.readable]
            # Python lists a folder to import from it.
            words += [f"list={path}" for path in self.runtime.folders]
        return words

    def _guest_binds(self, guest: Guest) -> list[str]:
        words = []
        for name in dict.fromkeys(("botkit", guest.module)):  # guests may use the botkit
            words += ["--ro-bind", str(_HERE.parent / f"{name}.py"), f"{_JAIL_FOLDER}/{name}.py"]
        if guest.package is not None:
            package = f"{_PACKAGES_FOLDER}/{guest.package}"
            words += ["--dir", _PACKAGES_FOLDER]
            words += ["--ro-bind", str(_package_folder(guest.package)), package]
        return words

    @cached_property
    def _bwrap(self) -> list[str]:
        """The part of bubblewrap's command line that all bots share."""
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise RunnerFailure("bubblewrap is not installed")
        kinds = ("ipc", "pid", "net", "uts", "cgroup-try")
        words = [bwrap, *(f"--unshare-{kind}" for kind in kinds), "--cap-drop", "ALL"]
        if os.getuid() == 0:
            words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        else:
            words += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
            words += ["--disable-userns"] * self.disable_userns
        # All machines have the same name: the real one is nothing that a bot needs.
        words += ["--hostname", "ladder", "--clearenv", *_setenv_words()]
        # The linker's cache of libraries (/etc/ld.so.cache) is not inside. Without it the linker
        # would miss those outside of its few standard folders, such as /usr/local/lib.
        if folders := self.runtime.library_folders:
            words += ["--setenv", jail.LIBRARY_PATH, ":".join(folders)]
        # Not --as-pid-1: the kernel tells only a process of the same user that bubblewrap's monitor
        # has died. bubblewrap's own init is one, and the whole namespace dies with it; a bot with a
        # user id of its own would live on.
        words += ["--die-with-parent", "--new-session"]
        binds = {path: path for path in (self.runtime.python, *self.runtime.mounted)}
        binds[f"{_JAIL_FOLDER}/jail.py"] = str(_JAIL)
        # As root, bubblewrap makes parent folders that it is not told of with mode 0700.
        for folder in _parents([*binds, _BOT_FOLDER]):
            words += ["--dir", folder]
        for inside, outside in binds.items():
            words += ["--ro-bind", outside, inside]
        for folder in self.runtime.hidden:
            words += ["--tmpfs", folder, "--remount-ro", folder]
        return words


def _guest_file(guest: Guest) -> Path:
    return _HERE.parent / f"{guest.module}.py"


def _package_folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise RunnerFailure(f"the package {package} is not installed")
    return Path(spec.origin).parent


def _limit_words(limits: Limits, guest: Guest) -> list[str]:
    # The kernel's own CPU limit is the last resort; the referee's clocks are finer.
    cpu_s = math.ceil((limits.start_ms + limits.match_ms + limits.move_ms) / 1000) + 2
    return [f"memory_mb={limits.memory_mb + guest.overhead_mb}", f"cpu_s={cpu_s}"]


def _setenv_words() -> list[str]:
    pairs = (["--setenv", name, value] for name, value in _ENVIRONMENT.items())
    return [word for pair in pairs for word in pair]


def _parents(paths: list[str]) -> list[str]:
    """All folders above `paths`, outermost first."""
    folders = {str(parent): None for path in paths for parent in PurePosixPath(path).parents}
    return sorted(folder for folder in folders if folder != "/")


def _close(*fds: int) -> None:
    for fd in fds:
        os.close(fd)


def _child_of_bwrap(info: int) -> int:
    """The first process in the sandbox, which bubblewrap names once its namespaces exist."""
    told = b""
    while not told.rstrip().endswith(b"}") and (chunk := os.read(info, 4096)):
        told += chunk
    return msgspec.json.decode(told, type=_BwrapInfo).child_pid


def _complaint(errors: int) -> str:
    try:
        return os.read(errors, 4096).decode(errors="replace").strip() or "no reason given"
    except BlockingIOError:
        return "no reason given"
