"""Runs the tests on every available Python from 3.11 on.

    python -m prove.pythons [--only 3.12 3.14] [--tests tests/runner tests/hostile] [--no-debian]

Each version gets an environment with the pinned packages in a folder that is removed at the end. If
the packages cannot be installed, the version is listed with the reason. The tests must pass on the
version of the image (`docker/Dockerfile`).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from prove.harness.interpreters import Interpreter, installed, of_debian, reachable

ROOT = Path(__file__).parents[1]
TESTS = (
    "tests/runner",
    "tests/hostile",
    "tests/web",
    "tests/test_submissions.py",
    "tests/test_wasm_uploads.py",
    "tests/test_program_uploads.py",
    "tests/test_backups.py",
)
"""Tests of code that depends on the interpreter: sandboxes, uploads, the web side, files."""


@dataclass(frozen=True)
class TestedPython:
    interpreter: Interpreter
    result: str
    seconds: float
    passed: bool


def main() -> int:
    flags = _flags()
    with tempfile.TemporaryDirectory(prefix="ladder-pythons-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # bots with other user ids must have access
        rows = [_prove(one, folder, flags.tests) for one in _all(folder, flags)]
    print(f"{'Python':10} {'from':20} {'seconds':>8}  result")
    for row in rows:
        version = ".".join(map(str, row.interpreter.version))
        print(f"{version:10} {row.interpreter.source:20} {row.seconds:8.0f}  {row.result}")
    failed = [row for row in rows if not row.passed]
    image = _image_version()
    if not flags.only and image not in {row.interpreter.minor for row in rows if row.passed}:
        print(f"The image runs Python {image[0]}.{image[1]}, on which the tests did not pass.")
        return 1
    return 1 if failed else 0


def _flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], help="these minor versions, as 3.12")
    parser.add_argument("--tests", nargs="+", default=list(TESTS))
    parser.add_argument("--no-debian", action="store_true", help="installed versions only")
    return parser.parse_args()


def _all(folder: Path, flags: argparse.Namespace) -> list[Interpreter]:
    found = installed()
    if not flags.no_debian:
        try:
            found |= {one.minor: one for one in of_debian(folder, set(found))}
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"Debian's packages are not available here: {error}")
    wanted = [found[minor] for minor in sorted(found)]
    if flags.only:
        wanted = [one for one in wanted if ".".join(map(str, one.minor)) in flags.only]
    return [reachable(one, folder) for one in wanted]


def _prove(one: Interpreter, folder: Path, tests: list[str]) -> TestedPython:
    start = time.monotonic()
    name = ".".join(map(str, one.version))
    print(f"Python {name} ({one.python})", flush=True)
    place = folder / f"venv-{name}"
    try:
        _install(one, place, folder)
    except subprocess.CalledProcessError as error:
        reason = (error.stderr or "").strip().splitlines()[-1:] or [str(error)]
        return TestedPython(
            one, f"cannot be installed: {reason[0]}", time.monotonic() - start, False
        )
    python = place / "bin" / "python"
    subprocess.run([python, "-m", "ladder.cli", "warmup"], check=True, cwd=ROOT)
    flags = ["-q", "-n", "2", "-m", "not slow and not proof", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [python, "-m", "pytest", *flags, *tests], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    lines = done.stdout.strip().splitlines()
    if done.returncode:
        print("\n".join(lines[-60:]))
    return TestedPython(one, lines[-1].strip("= "), time.monotonic() - start, done.returncode == 0)


def _install(one: Interpreter, place: Path, folder: Path) -> None:
    """An environment with the pinned packages; raises `CalledProcessError` with its stderr."""
    wheels = folder / "pip"
    if not wheels.exists():
        # Debian's own pip is missing there, and an old one does not support new versions.
        download: list[str | Path] = ["download", "--quiet", "--no-deps", "--dest", wheels, "pip"]
        subprocess.run([sys.executable, "-m", "pip", *download], check=True)
    (wheel,) = wheels.glob("pip-*.whl")
    subprocess.run([one.python, "-m", "venv", "--without-pip", place], check=True)
    install: list[str | Path] = [place / "bin" / "python", wheel / "pip", "install", "--quiet"]
    subprocess.run(
        [*install, "--constraint", "constraints.txt", "--editable", ".[test]"],
        check=True,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )


def _image_version() -> tuple[int, int]:
    said = re.search(r"python:3\.(\d+)", (ROOT / "docker/Dockerfile").read_text(), re.M)
    if said is None:
        raise SystemExit("docker/Dockerfile does not say which Python it is built on")
    return 3, int(said[1])


if __name__ == "__main__":
    sys.exit(main())
