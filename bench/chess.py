"""Speed of chess: perft against python-chess and Stockfish, the search, and endgames of programs.

Run it as `python -m bench.chess`. Runs alternate, and the best CPU time of each counts, because
other programs slow all of them. Stockfish is left out where it is not installed.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

import chess

from engines.alphabeta import kernels
from engines.alphabeta.contests import contest
from engines.alphabeta.kernels import WIN
from engines.alphabeta.search import Search
from engines.games.chess.board import ENDLESS
from engines.games.chess.evaluation import WHOLE
from engines.games.chess.fen import START, read_fen
from engines.games.chess.game import CHESS, CHESS_ENDGAMES
from engines.games.chess.perft import perft
from engines.programs.text import parse

ROUNDS = 5
DEPTH, SLOW_DEPTH = 6, 3
"""Depths of perft, here and with python-chess."""
LEAST_TIMES_PYTHON_CHESS = 200
LEAST_OF_STOCKFISH = 1 / 8
LEAST_NODES = 1_500_000
LEAST_GAMES = 200
STOCKFISH = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
POSITIONS = (
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)
PROGRAM = """
(program chess-endgames
  (depth 1)
  (tree value
    (Plus
      (IFT MyPieceCanBeCaptured -300.0 (IFT OppPieceCanBeCaptured 250.0 Zero))
      (Plus
        (IFT (AND IsOppQueenAttacked (NOTG IsMyFork True)) 125.0
          (Minus NumNotMovesOppKing (MultERC 2.0 OppKingDistEdges)))
        (IFT (LowerEqual MyKingDistRook 2.0) EvaluateMaterial
          (Plus NumMyPiecesNotAttacked (MultERC 0.5 EvaluateMaterial)))))))
"""
"""A program of the size of those in the book."""


def seconds(action: Callable[[], object]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def count_slowly(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += count_slowly(board, depth - 1)
        board.pop()
    return total


def stockfish_seconds(depth: int) -> float:
    """CPU time of `go perft`, without that of starting the program."""
    assert STOCKFISH is not None

    def run(command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        told = f"position startpos\n{command}\nquit\n"
        subprocess.run([STOCKFISH], input=told, text=True, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return run(f"go perft {depth}") - run("isready")


def measure_perft() -> bool:
    state, stack = read_fen(START, ENDLESS), kernels.new_stack()
    leaves = int(perft(state, DEPTH, stack, 0))
    slow_leaves = int(perft(state, SLOW_DEPTH, stack, 0))
    ours = slow = theirs = float("inf")
    for _ in range(ROUNDS):
        ours = min(ours, seconds(lambda: perft(state, DEPTH, stack, 0)))
        slow = min(slow, seconds(lambda: count_slowly(chess.Board(), SLOW_DEPTH)))
        if STOCKFISH:
            theirs = min(theirs, stockfish_seconds(DEPTH))
    rate, slow_rate = leaves / ours, slow_leaves / slow
    print(
        f"perft {DEPTH}, {leaves:,} leaves: {rate / 1e6:.0f} M/s; python-chess"
        f" {slow_rate / 1e6:.3f} M/s, ratio {rate / slow_rate:,.0f}"
        f" (at least {LEAST_TIMES_PYTHON_CHESS})"
    )
    if STOCKFISH:
        print(
            f"  Stockfish go perft {leaves / theirs / 1e6:.0f} M/s, ratio {theirs / ours:.2f}"
            f" (at least {LEAST_OF_STOCKFISH:.3f})"
        )
    return rate / slow_rate >= LEAST_TIMES_PYTHON_CHESS and theirs / ours >= LEAST_OF_STOCKFISH


def measure_search() -> bool:
    search = Search(WHOLE)
    rates = []
    for fen in POSITIONS:
        state = CHESS.from_position(fen)
        legal = CHESS.legal(state)
        for depth in (5, 8):
            found = search.find(state.board, legal, depth, decided=WIN)
            best = min(
                seconds(lambda: search.find(state.board, legal, depth, decided=WIN))  # noqa: B023
                for _ in range(ROUNDS)
            )
            rates.append(found.nodes / best)
            print(f"depth {depth}: {found.nodes:9,} nodes, {rates[-1] / 1e6:.2f} M/s  {fen}")
    least = min(rates[::2])
    print(f"  at least {least / 1e6:.2f} M/s at depth 5 (at least {LEAST_NODES / 1e6})")
    return least >= LEAST_NODES


def measure_endgames(games: int = 400) -> bool:
    programs = CHESS_ENDGAMES.programs
    player = programs.searcher(parse(PROGRAM.strip(), programs.architecture))

    def play() -> None:
        for seed in range(games):
            contest(CHESS_ENDGAMES, [player, player], seed)

    play()
    rate = games / min(seconds(play) for _ in range(3))
    print(f"endgames of programs at one ply: {rate:,.0f} games/s (at least {LEAST_GAMES})")
    return rate >= LEAST_GAMES


def main() -> int:
    kept = [measure_perft(), measure_search(), measure_endgames()]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
