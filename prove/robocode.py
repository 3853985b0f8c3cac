"""The real Robocode, from Debian's package: battles in it, without a window."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

JAR = Path("/usr/share/java/robocode.jar")
ROBOTS = Path("/usr/share/games/robocode/robots")
PACKAGE = "evolved"
"""The Java package of exported robots; its line does not count towards a HaikuBot's four."""

_FLAGS = (
    "--add-opens=java.base/sun.net.www.protocol.jar=ALL-UNNAMED",
    "-Djava.awt.headless=true",
    "-DNOSECURITY=true",
    "-XX:+UseSerialGC",
    "-XX:+DisableExplicitGC",
)
"""Flags that version 1.9.3.9 needs on later Javas, and flags for speed."""

_PROPERTIES = "robocode.version.lastrun=1.9.3.9\nrobocode.cpu.constant=2000000\n"


class Fight(NamedTuple):
    """A battle; robots are classes such as `sample.Walls`."""

    robots: tuple[str, ...]
    rounds: int
    seed: int
    width: int = 800
    height: int = 600


class FightResult(NamedTuple):
    scores: list[int]
    turns: int
    seconds: float
    cpu_seconds: float


class Robocode:
    """A separate installation below `folder`, with the shipped robots."""

    def __init__(self, folder: Path) -> None:
        if not JAR.exists() or shutil.which("javac") is None:
            raise SystemExit("Robocode and a JDK are needed: apt-get install robocode default-jdk")
        self.home = folder / "home"
        self._build = folder / "build"
        self._sources = folder / "sources"
        (self.home / "config").mkdir(parents=True)
        (self.home / "config/robocode.properties").write_text(_PROPERTIES)
        shutil.copytree(ROBOTS, self.home / "robots")
        self._compile(Path(__file__).with_name("Fights.java"), self._build)

    def _compile(self, source: Path, target: Path) -> None:
        target.mkdir(exist_ok=True)
        words = ["javac", "-nowarn", "-cp", str(JAR), "-d", str(target), str(source)]
        subprocess.run(words, check=True)

    def enter(self, name: str, source: str) -> str:
        """Compile a robot and return its class."""
        self._sources.mkdir(exist_ok=True)
        path = self._sources / f"{name}.java"
        path.write_text(source)
        self._compile(path, self.home / "robots")
        return f"{PACKAGE}.{name}"

    def fight(self, fights: Sequence[Fight], careful: bool = True) -> list[FightResult]:
        """Fight all battles in one virtual machine.

        It waits for robots that are slow on a busy machine, so that the seed fixes the scores.
        """
        nap = () if careful else ("-Dnap=0",)
        path = f"{JAR}:{self._build}"
        words = ["java", *_FLAGS, *nap, "-cp", path, "Fights", str(self.home), *map(_line, fights)]
        run = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        lines = [line.split() for line in run.stdout.decode().splitlines()]
        return [
            FightResult(list(map(int, line[:-3])), int(line[-3]), float(line[-2]), float(line[-1]))
            for line in lines
        ]


def _line(fight: Fight) -> str:
    robots = ",".join(fight.robots)
    return f"{fight.rounds} {fight.width} {fight.height} {fight.seed} {robots}"
