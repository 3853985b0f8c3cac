"""The time of `ladder --help` and `evolve --help`, as ratios to an empty Python program.

Each round runs all programs once, one after the other, because other programs on the machine make
all of them slower. The fastest run of each counts.
"""

from __future__ import annotations

import subprocess
import sys
import time

ROUNDS = 10
PROGRAMS = {
    "python -c pass": ("-c", "pass"),
    "ladder --help": ("-m", "ladder.cli", "--help"),
    "evolve --help": ("-m", "evolve", "--help"),
}
MOST_SECONDS = 0.3


def seconds(arguments: tuple[str, ...]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    rounds = [{name: seconds(PROGRAMS[name]) for name in PROGRAMS} for _ in range(ROUNDS)]
    fastest = {name: min(one[name] for one in rounds) for name in PROGRAMS}
    empty = fastest["python -c pass"]
    for name, took in fastest.items():
        late = "" if took <= MOST_SECONDS else f"← more than {MOST_SECONDS} s"
        print(f"{name:16} {1000 * took:6.0f} ms {took / empty:5.1f} times {late}")


if __name__ == "__main__":
    main()
