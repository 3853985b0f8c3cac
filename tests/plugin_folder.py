"""Folders that hold installed plug-ins, for processes that get them by PYTHONPATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "docs/own-games"

UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}
"""Without the compiler, for tests that play few matches."""


def install(folder: Path, package: str, points: Mapping[str, str]) -> None:
    """Write the entry points of a package into `folder`, as pip does."""
    told = folder / f"{package}-1.0.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    (told / "entry_points.txt").write_text("\n".join(["[evoladder.games]", *lines, ""]))


def install_samples(folder: Path) -> list[str]:
    """Install the games of docs/own-games; returns their names."""
    shutil.copytree(SAMPLES / "own_games", folder / "own_games")
    project = tomllib.loads((SAMPLES / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["evoladder.games"]
    install(folder, "own_games", points)
    return sorted(points)


def environment(folder: Path | None, **more: str) -> dict[str, str]:
    """The variables of a process that has the plug-ins of a folder, or none."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | ({"PYTHONPATH": str(folder)} if folder else {}) | more


def run(folder: Path | None, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a Python command with the plug-ins of a folder."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment(folder, **variables),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def ask(folder: Path | None, script: str, **variables: str) -> Any:
    """The JSON that a script prints."""
    done = run(folder, "-W", "error", "-c", script, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
