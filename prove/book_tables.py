"""The tables of chapter 3 of Sipper's "Evolved to Win", reproduced by evolution.

Some rows have all of the book's parameters, others breed with its primitives and searches in other
ways. It evolves a player per row (or several, from as many seeds), lets the champion play 1,000
games against the row's benchmark, and prints games won plus half of those drawn beside the book's
best: first in the book's contests (all games begin at the first position, and the first of equal
moves is played), then as on the ladder (random openings, and chance between equal moves).

Run it with `python -m prove.book_tables --full [--runs N] [--rows NAME…] [--out DIR]
[--workers N]`. A row takes from minutes to an hour of a core. Runs are kept in the folder: finished
runs are not repeated, and interrupted runs continue. Without `--full` populations are so small that
all rows take a few minutes; that only proves that they run.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from engines.programs.text import parse
from evolve import domains
from evolve.fitness.boards import BoardArena
from evolve.runs.progress import TerminalWatcher
from evolve.runs.run import StartOptions, resume, start

GAMES = 1000
SHORT = {
    "population": 20,
    "generations": 5,
    "coplay": 5,
    "guide_games": 4,
    "finalists": 3,
    "qualifying_games": 2,
    "choosing_games": 10,
    "final_games": 50,
}


class BookRow(NamedTuple):
    name: str
    domain: str
    preset: str
    book: dict[str, float]
    """The book's best result of 1,000 games, by opponent."""


LOSE_3, LOSE_4 = {"house:alphabeta-3": 786.5}, {"house:alphabeta-5": 645.0}
LARGE = {"house:alphabeta-3": 927.0}
REVERSI = {"house:alphabeta-5": 961.0, "house:alphabeta-7": 826.0}

ROWS = (
    BookRow("lose-checkers-3", "lose-checkers", "book", LOSE_3),
    BookRow("lose-checkers-3-guided", "lose-checkers", "guided", LOSE_3),
    BookRow("lose-checkers-4", "lose-checkers", "book-depth-4", LOSE_4),
    BookRow("lose-checkers-4-weights", "lose-checkers", "weights-depth-4", LOSE_4),
    BookRow("checkers-10x10-3", "checkers-10x10", "book", LARGE),
    BookRow("checkers-10x10-3-guided", "checkers-10x10", "guided", LARGE),
    BookRow("reversi-4", "reversi", "book", REVERSI),
    BookRow("reversi-expanded", "reversi", "expanded", REVERSI),
    BookRow("reversi-guided", "reversi", "guided", REVERSI),
)


def main() -> int:
    flags = argparse.ArgumentParser(description="The book's tables, reproduced by evolution.")
    flags.add_argument("--full", action="store_true", help="populations of the book's size")
    flags.add_argument("--runs", type=int, default=1, help="seeds per row")
    flags.add_argument("--rows", nargs="*", default=[row.name for row in ROWS])
    flags.add_argument("--out", type=Path)
    flags.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    chosen = flags.parse_args()
    out = chosen.out or Path("runs/book" if chosen.full else "runs/book-short")
    met: dict[tuple[str, str, float], bool] = {}
    for row in ROWS:
        if row.name in chosen.rows:
            best = prove(row, chosen.runs, out, chosen.workers, {} if chosen.full else SHORT)
            for opponent, book in row.book.items():
                # One way of breeding is enough to reach a figure of the book.
                figure = row.domain, opponent, book
                met[figure] = met.get(figure, False) or best[opponent] >= book
    if not chosen.full:
        print("all rows can be run; --full evolves them as the book did")
        return 0
    for (domain, opponent, book), reached in met.items():
        print(f"{domain} against {opponent}: {book:.1f} {'met' if reached else 'not met'}")
    if all(met.values()):
        return 0
    print("more runs (--runs) take the best of more seeds")
    return 1


def prove(
    row: BookRow, runs: int, out: Path, workers: int, changed: dict[str, Any]
) -> dict[str, float]:
    """Evolve a row; returns the scores of its best run, by opponent."""
    best = dict.fromkeys(row.book, 0.0)
    for seed in range(1, runs + 1):
        folder = out / f"{row.name}-{seed}"
        found = scores(row, seed, folder, workers, changed)
        for opponent, book in row.book.items():
            best[opponent] = max(best[opponent], found[opponent])
            there = ladder_score(row, folder, opponent, changed.get("final_games", GAMES))
            print(
                f"{row.name} seed {seed} {opponent:18} {found[opponent]:6.1f}  book {book:6.1f}  "
                f"as on the ladder {there:6.1f}",
                flush=True,
            )
    return best


def scores(
    row: BookRow, seed: int, folder: Path, workers: int, changed: dict[str, Any]
) -> dict[str, float]:
    """The score of the champion of one run, scaled to 1,000 games, by opponent."""
    if (folder / "run.json").exists():
        run = resume(folder)
    else:
        domain = domains.make(row.domain, row.preset, changed)
        run = start(domain, folder, seed, StartOptions(preset=row.preset))
    with TerminalWatcher(f"{row.name} seed {seed}") as watcher:
        report = run.go(workers, None, watcher)
    rows = [entry for part in report["finals"].values() for entry in part]
    return {
        entry["opponent"]: (entry["wins"] + entry["draws"] / 2) * GAMES / entry["games"]
        for entry in rows
    }


def ladder_score(row: BookRow, folder: Path, opponent: str, games: int) -> float:
    """The same for games with the ladder's openings."""
    arena = BoardArena(row.domain)
    champion = arena.player(parse((folder / "champion.lisp").read_text(), arena.architecture))
    other = arena.house_player(opponent.removeprefix("house:"))
    return arena.meet([champion, other], 1, games).points * GAMES / games


if __name__ == "__main__":
    sys.exit(main())
