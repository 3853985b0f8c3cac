"""Writes the files of a run of evolution without breeding, for tests of the code that runs it.

`FAKE_EVOLVE` holds a JSON object: `generations`, `pause` (seconds each), `crash_at` (a generation
at which the process dies, once), `always_crash`, and `champion` (the text of the champion).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

CHAMPION = (Path(__file__).parent.parent / "prove/chaser.lisp").read_text()
PLAN: dict[str, Any] = json.loads(os.environ.get("FAKE_EVOLVE", "{}"))
stopped = False


def main(argv: list[str]) -> int:
    signal.signal(signal.SIGTERM, note_stop)
    if PLAN.get("always_crash"):
        print("no such domain", file=sys.stderr)
        return 2
    folder = Path(argv[0])
    orders = json.loads((folder / "orders.json").read_text())
    out = folder / "out"
    begun = out.exists()
    if not begun:
        out.mkdir()
        (out / "run.json").write_text("{}")
    with (out / "calls").open("a") as calls:
        niceness = os.getpriority(os.PRIO_PROCESS, 0)
        print(os.getpid(), niceness, "resume" if begun else "run", file=calls)
    return breed(out, orders["domain"], orders["seed"])


def note_stop(*_: object) -> None:
    global stopped
    stopped = True


def breed(out: Path, domain: str, seed: int) -> int:
    log = out / "log.jsonl"
    first = len(log.read_text().splitlines()) if log.exists() else 0
    count = PLAN.get("generations", 3)
    for generation in range(first, count):
        time.sleep(PLAN.get("pause", 0))
        if generation == PLAN.get("crash_at") and not (out / "crashed").exists():
            (out / "crashed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        with log.open("a") as file:
            print(json.dumps(line(generation)), file=file)
        if stopped:
            return 143
    (out / "champion.lisp").write_text(PLAN.get("champion", CHAMPION))
    (out / "report.json").write_text(json.dumps(report(domain, seed, count)))
    return 0


def line(generation: int) -> dict[str, Any]:
    return {
        "generation": generation,
        "best": 0.5 + generation / 100,
        "mean": 0.4,
        "stdev": 0.1,
        "worst": 0.1,
        "size_mean": 12.5,
        "size_best": 9,
        "depth_mean": 4.0,
        "diversity": None if generation == 0 else 0.8,
        "games": 640,
        "instructions": 10**10,
        "seconds": 0.1,
    }


def report(domain: str, seed: int, generations: int) -> dict[str, Any]:
    final = {"games": 100, "wins": 60, "draws": 10, "losses": 30, "share": 0.65}
    interval = {"low": 0.55, "high": 0.74}
    return {
        "domain": domain,
        "game": domain,
        "seed": seed,
        "settings": {"population": 64},
        "guides": [],
        "skipped": [],
        "generations": generations,
        "stopped": "generations",
        "games": 640 * generations,
        "seconds": 12.0,
        "champion": {
            "sha256": "0" * 64,
            "generation": generations - 1,
            "island": 0,
            "size": 9,
            "depth": 3,
            "fitness": 0.65,
        },
        "finals": {
            "guides": [{"opponent": "Walls", **final, **interval}],
            "holdout": [{"opponent": "Crazy", **final, "share": 0.35, "low": 0.26, "high": 0.45}],
        },
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
