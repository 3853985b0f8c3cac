"""The tables of chapter 3 of Sipper's "Evolved to Win", evolved anew.

Some rows have all of the book's parameters, others breed with its primitives and searches in ways
of our own. Evolves a player per row (or several, from as many seeds), lets the champion play 1,000
games against the row's benchmark, and prints games won plus half of those drawn beside the book's
best: first in contests as the book has them (all games begin at the beginning, and the first of
equal moves is played), then as on the ladder (random openings, and chance between equal moves).

Run it with `python -m prove.book_tables --full [--runs N] [--rows NAME…] [--out DIR]
[--workers N]`. A row takes from minutes to an hour of a core. Runs are kept in the folder: what is
finished is not run again, what was interrupted goes on. Without `--full` populations are so small
that all rows take a few minutes, and nothing is proved but that they can be run.
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
from evolve.runs.run import RunOptions, resume, start

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


class Row(NamedTuple):
    name: str
    domain: str
    preset: str
    book: dict[str, float]
    """The book's best of 1,000 games, by opponent."""


LOSE_3, LOSE_4 = {"house:alphabeta-3": 786.5}, {"house:alphabeta-5": 645.0}
LARGE = {"house:alphabeta-3": 927.0}
REVERSI = {"house:alphabeta-5": 961.0, "house:alphabeta-7": 826.0}

ROWS = (
    Row("lose-checkers-3", "lose-checkers", "book", LOSE_3),
    Row("lose-checkers-3-guided", "lose-checkers", "guided", LOSE_3),
    Row("lose-checkers-4", "lose-checkers", "book-depth-4", LOSE_4),
    Row("lose-checkers-4-weights", "lose-checkers", "weights-depth-4", LOSE_4),
    Row("checkers-10x10-3", "checkers-10x10", "book", LARGE),
    Row("checkers-10x10-3-guided", "checkers-10x10", "guided", LARGE),
    Row("reversi-4", "reversi", "book", REVERSI),
    Row("reversi-expanded", "reversi", "expanded", REVERSI),
    Row("reversi-guided", "reversi", "guided", REVERSI),
)


def main() -> int:
    flags = argparse.ArgumentParser(description="The book's tables, evolved anew.")
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
                # One way of breeding is enough for a figure of the book's.
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
    row: Row, runs: int, out: Path, workers: int, changed: dict[str, Any]
) -> dict[str, float]:
    """Evolve a row; what the best of its runs came to, by opponent."""
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
    row: Row, seed: int, folder: Path, workers: int, changed: dict[str, Any]
) -> dict[str, float]:
    """What the champion of one run scored, as of 1,000 games, by opponent."""
    if (folder / "run.json").exists():
        run = resume(folder)
    else:
        domain = domains.make(row.domain, row.preset, changed)
        run = start(domain, folder, seed, RunOptions(preset=row.preset))
    with TerminalWatcher(f"{row.name} seed {seed}") as watcher:
        report = run.go(workers, None, watcher)
    rows = [entry for part in report["finals"].values() for entry in part]
    return {
        entry["opponent"]: (entry["wins"] + entry["draws"] / 2) * GAMES / entry["games"]
        for entry in rows
    }


def ladder_score(row: Row, folder: Path, opponent: str, games: int) -> float:
    """The same for games as the ladder has them."""
    arena = BoardArena(row.domain)
    champion = arena.player(parse((folder / "champion.lisp").read_text(), arena.architecture))
    other = arena.house_player(opponent.removeprefix("house:"))
    return arena.meet([champion, other], 1, games).points * GAMES / games


if __name__ == "__main__":
    sys.exit(main())
