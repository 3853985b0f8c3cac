"""Speed of the compiled engines: perft against plain C, playouts against OpenSpiel, searches.

Run it as `python -m bench.engines`. Our code and the others alternate, and the best CPU time of
each counts, because machines are noisy.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.search import Search
from engines.compiling.bits import mix
from engines.compiling.jit import njit
from engines.game import CHANCE, Game
from engines.games import GAMES, find_game

ROUNDS = 10
PERFT = [
    ("reversi", 9, "perft.c", ()),
    ("checkers", 10, "checkers_perft.c", ()),
    ("checkers-10x10", 7, "checkers_perft.c", ("-DSIZE=10",)),
]
"""Game, depth, our plain C program for it, and its compiler flags."""
OPEN_SPIEL = {
    "reversi": "othello",
    "connect-four": "connect_four",
    "checkers": "checkers",
    "lose-checkers": "misere(game=checkers())",
    "checkers-10x10": "checkers(rows=10,columns=10)",
    "backgammon": "backgammon(scoring_type=full_scoring)",
}


def seconds(action: Callable[[], object]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def compare_perft(name: str, depth: int, file: str, flags: tuple[str, ...]) -> None:
    stack = kernels.new_stack()
    game = find_game(name)
    assert isinstance(game, Game)
    start = game.start(0, 2)
    finished = int(name == "reversi")
    leaves = kernels.perft(start, depth, finished, stack, 0)
    best_ours = best_c = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "perft"
        source = Path(__file__).with_name(file)
        subprocess.run(["cc", "-O2", *flags, "-o", str(program), str(source)], check=True)
        for _ in range(ROUNDS):
            spent = seconds(lambda: kernels.perft(start, depth, finished, stack, 0))
            best_ours = min(best_ours, spent)
            printed = subprocess.run(
                [str(program), str(depth)], check=True, capture_output=True, text=True
            ).stdout.split()
            if int(printed[0]) != leaves:
                raise SystemExit(f"C counts {printed[0]} leaves, we count {leaves}")
            best_c = min(best_c, float(printed[1]))
    print(
        f"{name} perft {depth}, {leaves:,} leaves: {leaves / best_ours / 1e6:.1f} M/s,"
        f" C -O2 {leaves / best_c / 1e6:.1f} M/s, ratio {best_c / best_ours:.2f}"
    )


@njit
def play_many(start: Any, count: int, stack: kernels.Moves) -> int:
    """Plies of many random games; OpenSpiel's loop is compiled, too."""
    plies = 0
    for number in range(1, count + 1):
        plies += kernels.playout(start, mix(np.uint64(number)), stack, 0)
    return plies


def compare_playouts(game: Game[Any, Any], count: int = 10_000, theirs: int = 400) -> None:
    """Random games per second, here and in OpenSpiel's loop in C++.

    One rule differs: their checkers are drawn after 40 plies without a capture.
    """
    stack = kernels.new_stack()
    start = game.board(game.start(0, 2)) if isinstance(game, BoardGame) else game.start(0, 2)

    def run() -> int:
        return play_many(start, count, stack)

    board = pyspiel.load_game(OPEN_SPIEL[game.name])
    bots = [pyspiel.make_uniform_random_bot(seat, 1) for seat in range(2)]

    def run_theirs() -> None:
        for seed in range(theirs):
            pyspiel.evaluate_bots(board.new_initial_state(), bots, seed)

    run()
    rates = [(count / seconds(run), theirs / seconds(run_theirs)) for _ in range(3)]
    ours, others = (max(column) for column in zip(*rates, strict=True))
    print(
        f"{game.name}: {ours:,.0f} playouts/s, OpenSpiel {others:,.0f}, ratio {ours / others:.1f}"
    )


def measure_search(game: Game[Any, Any], depth: int) -> None:
    search = Search(1)
    state = game.start(0, 2)
    for move in game.opening(1, 2):
        state = game.play(state, move)
    found = search.find(state, game.legal(state), depth)
    spent = min(seconds(lambda: search.find(state, game.legal(state), depth)) for _ in range(3))
    print(f"{game.name}: depth {depth}, {found.nodes:,} nodes, {found.nodes / spent / 1e6:.1f} M/s")


def main() -> None:
    for row in PERFT:
        compare_perft(*row)
    for game in GAMES:
        if isinstance(game, Game):
            compare_playouts(game)
            if game.to_move(game.start(0, 2)) != CHANCE:
                measure_search(game, 9)


if __name__ == "__main__":
    main()
