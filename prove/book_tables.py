"""The tables of chapter 3 of Sipper's "Evolved to Win", with its own settings.

Evolves a player per row (or several, from as many seeds), lets the champion play 1,000 games
against the row's benchmark, and prints games won plus half of those drawn beside the book's best.

Run it with `python -m prove.book_tables [--runs N] [--rows NAME…] [--out DIR] [--workers N]`. Runs
are kept in the folder: what is finished is not run again, what was interrupted goes on.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NamedTuple

from evolve import domains
from evolve.progress import TerminalWatcher
from evolve.run import resume, start


class Row(NamedTuple):
    name: str
    domain: str
    preset: str | None
    book: dict[str, float]
    """The book's best of 1,000 games, by opponent."""


ROWS = (
    Row("lose-checkers-3", "lose-checkers", None, {"house:alphabeta-3": 786.5}),
    Row("lose-checkers-4", "lose-checkers", "depth-4", {"house:alphabeta-5": 645.0}),
    Row("checkers-10x10-3", "checkers-10x10", None, {"house:alphabeta-3": 927.0}),
    Row("reversi-4", "reversi", None, {"house:alphabeta-5": 961.0, "house:alphabeta-7": 826.0}),
)


def main() -> int:
    flags = argparse.ArgumentParser(description="The book's tables, evolved anew.")
    flags.add_argument("--runs", type=int, default=1, help="seeds per row")
    flags.add_argument("--rows", nargs="*", default=[row.name for row in ROWS])
    flags.add_argument("--out", type=Path, default=Path("runs/book"))
    flags.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    chosen = flags.parse_args()
    met = True
    for row in ROWS:
        if row.name in chosen.rows:
            met &= prove(row, chosen.runs, chosen.out, chosen.workers)
    print("all met" if met else "not all met; more runs (--runs) take the best of more seeds")
    return 0 if met else 1


def prove(row: Row, runs: int, out: Path, workers: int) -> bool:
    """Evolve a row; whether the best of its runs is as good as the book's best."""
    best = dict.fromkeys(row.book, 0.0)
    for seed in range(1, runs + 1):
        found = scores(row, seed, out / f"{row.name}-{seed}", workers)
        for opponent, book in row.book.items():
            best[opponent] = max(best[opponent], found[opponent])
            print(f"{row.name} seed {seed} {opponent:18} {found[opponent]:6.1f}  book {book:6.1f}")
    return all(best[opponent] >= book for opponent, book in row.book.items())


def scores(row: Row, seed: int, folder: Path, workers: int) -> dict[str, float]:
    """What the champion of one run scored in 1,000 games, by opponent."""
    if (folder / "run.json").exists():
        run = resume(folder)
    else:
        domain = domains.make(row.domain, row.preset)
        run = start(domain, folder, seed, preset=row.preset)
    with TerminalWatcher(f"{row.name} seed {seed}") as watcher:
        report = run.go(workers, None, watcher)
    rows = [entry for part in report["finals"].values() for entry in part]
    return {
        entry["opponent"]: (entry["wins"] + entry["draws"] / 2) * 1000 / entry["games"]
        for entry in rows
    }


if __name__ == "__main__":
    sys.exit(main())
