"""Speed of the compiled engines: Reversi perft against plain C, playouts and searches per second.

Run it as `python bench/engines.py [DEPTH]`. C and ours take turns, and the best of each counts,
in CPU time, because machines are noisy.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# A script's own folder comes first: without this line, this file would pass for the package.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from engines import kernels
from engines.game import Game
from engines.games import GAMES
from engines.games.reversi import REVERSI
from engines.search import Search

ROUNDS = 15


def seconds(action: Callable[[], object]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def compare_perft(depth: int) -> None:
    stack = kernels.new_stack()
    start = REVERSI.start(0)
    leaves = kernels.perft(start, depth, 1, stack, 0)
    best_ours = best_c = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "perft"
        source = Path(__file__).with_name("perft.c")
        subprocess.run(["cc", "-O2", "-o", str(program), str(source)], check=True)
        for _ in range(ROUNDS):
            best_ours = min(best_ours, seconds(lambda: kernels.perft(start, depth, 1, stack, 0)))
            printed = subprocess.run(
                [str(program), str(depth)], check=True, capture_output=True, text=True
            ).stdout.split()
            if int(printed[0]) != leaves:
                raise SystemExit(f"C counts {printed[0]} leaves, we count {leaves}")
            best_c = min(best_c, float(printed[1]))
    print(f"reversi perft {depth}: {leaves:,} leaves")
    print(f"  ours   {leaves / best_ours / 1e6:8.1f} M leaves/s")
    print(f"  C -O2  {leaves / best_c / 1e6:8.1f} M leaves/s")
    print(f"  ratio  {best_c / best_ours:8.2f}  (ours / C)")


def measure_playouts(game: Game, count: int = 20_000) -> None:
    stack = kernels.new_stack()
    start = game.start(0)

    def run() -> int:
        return sum(kernels.playout(start, np.uint64(seed), stack, 0) for seed in range(1, count))

    run()
    print(f"{game.name}: {count / min(seconds(run) for _ in range(3)):,.0f} playouts/s")


def measure_search(game: Game, depth: int) -> None:
    search = Search(1)
    state = game.start(0)
    for move in game.opening(1):
        state = game.play(state, move)
    found = search.find(state, game.legal(state), depth)
    spent = min(seconds(lambda: search.find(state, game.legal(state), depth)) for _ in range(3))
    print(f"{game.name}: depth {depth}, {found.nodes:,} nodes, {found.nodes / spent / 1e6:.1f} M/s")


def main() -> None:
    compare_perft(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
    for game in GAMES:
        if isinstance(game, Game):
            measure_playouts(game)
            measure_search(game, 9)


if __name__ == "__main__":
    main()
