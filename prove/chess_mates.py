"""Make the problems of Chess Mates: `python -m prove.chess_mates > engines/games/chess/mates.txt`.

House bots of low depth play each other after random openings. The positions of their games with
exactly one move that forces mate in two or three moves, and none that mates sooner, are problems.
"""

from __future__ import annotations

import argparse
import random
import sys

from engines.alphabeta import kernels
from engines.alphabeta.contests import Opening, Searcher, contest
from engines.alphabeta.kernels import WIN
from engines.games.chess.evaluation import MATERIAL, WHOLE
from engines.games.chess.game import CHESS
from engines.games.chess.mates import MOST, ChessMates, Mate
from engines.games.chess.rules import is_over
from engines.games.chess.solver import keys, shortest_mate

PROBLEMS = 300
PLAYERS = (
    Searcher(1, MATERIAL, decided=WIN),
    Searcher(1, WHOLE, decided=WIN),
    Searcher(2, WHOLE, decided=WIN),
    Searcher(3, WHOLE, decided=WIN),
)
OPENING = Opening((6, 10))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=PROBLEMS)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    draw, game = random.Random(chosen.seed), ChessMates()
    found: dict[str, None] = {}
    games = 0
    while len(found) < chosen.problems:
        played = contest(CHESS, draw.sample(PLAYERS, 2), chosen.seed * 10**6 + games, OPENING)
        games += 1
        state, positions = CHESS.board(CHESS.start(0)), []
        for move in played.moves:
            positions.append(state)
            state = kernels.play(state, move)
        for state in positions[-12:]:
            if is_over(state):
                continue
            moves = shortest_mate(state, MOST)
            # Of each game the longest mate, since later ones resemble it.
            if moves > 1 and len(keys(state, moves)) == 1:
                found.setdefault(game.text(Mate(state, moves)))
                break
    print("\n".join(sorted(found)))
    print(f"{games} games", file=sys.stderr)


if __name__ == "__main__":
    main()
