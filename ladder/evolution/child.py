"""The process that breeds: `python -m ladder.evolution.child FOLDER`, started by the breeder.

It reads its orders from the folder, starts or resumes the run, and ends after the current
generation on SIGTERM.
"""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from pathlib import Path

from evolve import domains
from evolve.errors import EvolveError
from evolve.fitness.guides import Skipped
from evolve.runs.run import Interrupted, Run, StartOptions, Watcher, resume, start
from ladder.evolution.run_folder import Orders, RunFolder
from ladder.evolution.sandboxed import SandboxedGuide, play_in_processes
from ladder.values import Kind

STOPPED = 128 + signal.SIGTERM


class ProgressPrinter(Watcher):
    """Prints progress and errors, for inspection of a failed run."""

    def note(self, text: str) -> None:
        print(text, flush=True)


def main(argv: list[str]) -> int:
    folder = RunFolder(Path(argv[0]))
    stopping = False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, stop)
    orders = folder.orders()
    try:
        with ExitStack() as open_pools:
            run = prepare(folder, orders, open_pools)
            run.go(orders.workers, None, ProgressPrinter(), lambda: stopping)
    except Interrupted as error:
        print(error, flush=True)
        return STOPPED
    except EvolveError as error:
        print(error, flush=True)
        return 1
    return 0


def prepare(folder: RunFolder, orders: Orders, open_pools: ExitStack) -> Run:
    """The run with all its guides; uploaded code plays in sandboxes of worker processes."""
    coded = [guide for guide in orders.guides if guide.kind.sandboxed]
    opponents: list[SandboxedGuide] = []
    if coded and orders.tier is not None:
        playing = play_in_processes(orders.workers, Path(orders.data), orders.tier)
        play = open_pools.enter_context(playing)
        opponents = [
            SandboxedGuide(
                name=f"ladder:{guide.name}",
                bot=guide.name,
                kind=guide.kind,
                sha256=guide.sha256,
                game=orders.domain,
                code=folder.file(guide).read_bytes(),
                play=play,
            )
            for guide in coded
        ]
    if folder.begun:
        return resume(folder.out, None, opponents)
    settings = dict(orders.settings)
    preset = settings.pop("preset", None)
    names = [
        f"house:{guide.name}" if guide.kind is Kind.HOUSE else f"file:{folder.file(guide)}"
        for guide in orders.guides
        if not guide.kind.sandboxed
    ]
    reason = "no sandbox of this machine is strong enough to run it"
    skipped = [
        Skipped(f"ladder:{guide.name}", guide.name, guide.kind, reason)
        for guide in coded
        if not opponents
    ]
    options = StartOptions(
        guides=names if names or opponents else None, preset=preset, skipped=skipped
    )
    domain = domains.make(orders.domain, preset, settings)
    return start(domain, folder.out, orders.seed, options, opponents)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
