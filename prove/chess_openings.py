"""Make the openings of chess: `python -m prove.chess_openings > engines/games/chess/openings.txt`.

Each line has eight moves. Each of them is drawn among the moves that a search of four plies finds
almost as good as the best. A line is kept if a deep search of the position after it finds neither
side ahead, and if no other line leads to that position.
"""

from __future__ import annotations

import argparse
import random
import sys

from engines.alphabeta import kernels
from engines.alphabeta.kernels import WIN
from engines.alphabeta.search import Search
from engines.games.chess.board import ENDLESS, ChessState
from engines.games.chess.evaluation import WHOLE
from engines.games.chess.fen import START, read_fen
from engines.games.chess.notation import legal_moves, write_uci

LINES = 250
PLIES = 8
CLOSE = 25
"""The most by which a drawn move is worse than the best, in hundredths of a pawn."""
CLOSE_DEPTH = 3
"""After the move."""
BALANCE = 25
BALANCE_DEPTH = 8


def values(search: Search, state: ChessState) -> dict[int, int]:
    found = {}
    for move in legal_moves(state):
        after = kernels.play(state, move)
        found[move] = -search.find(after, legal_moves(after), CLOSE_DEPTH, decided=WIN).value
    return found


def draw_line(search: Search, draw: random.Random) -> tuple[ChessState, list[str]]:
    state, texts = read_fen(START, ENDLESS), []
    for _ in range(PLIES):
        worth = values(search, state)
        best = max(worth.values())
        move = draw.choice([move for move, value in worth.items() if value >= best - CLOSE])
        texts.append(write_uci(state, move))
        state = kernels.play(state, move)
    return state, texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    draw, search = random.Random(chosen.seed), Search(WHOLE)
    found: dict[int, str] = {}
    tried = 0
    while len(found) < chosen.lines:
        tried += 1
        state, texts = draw_line(search, draw)
        value = search.find(state, legal_moves(state), BALANCE_DEPTH, decided=WIN).value
        if abs(value) <= BALANCE and len("".join(texts)) == 4 * PLIES:
            found.setdefault(int(kernels.key(state)), " ".join(texts))
    print("\n".join(sorted(found.values())))
    print(f"{tried} lines tried", file=sys.stderr)


if __name__ == "__main__":
    main()
