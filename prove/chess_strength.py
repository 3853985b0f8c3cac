"""Our strongest house bot of chess against Stockfish at fixed numbers of nodes a move.

`python -m prove.chess_strength --games 200 1000 10000 100000` plays each opening with both colours,
and prints the score with a 95 % interval over pairs of games, and the difference in Elo.
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics

import chess
import chess.engine

from engines.alphabeta.contests import Searcher
from engines.alphabeta.players import SearchPlayer
from engines.games.chess.game import CHESS

BOT = "alphabeta-8"
ENGINE = shutil.which("stockfish") or "/usr/games/stockfish"


def play_pair(engine: chess.engine.SimpleEngine, bot: Searcher, seed: int, nodes: int) -> float:
    """The bot's points in two games from the opening of a seed."""
    return sum(_play(engine, bot, seed, nodes, side) for side in range(2))


def _play(
    engine: chess.engine.SimpleEngine, bot: Searcher, seed: int, nodes: int, side: int
) -> float:
    player, state, board = SearchPlayer(bot, seed), CHESS.start(seed), chess.Board()
    game = object()
    for move in CHESS.opening(seed):
        board.push_uci(CHESS.format(state, move))
        state = CHESS.play(state, move)
    while (outcome := CHESS.outcome(state)) is None:
        if CHESS.to_move(state) == side:
            move = player.choose(state, side)
        else:
            found = engine.play(board, chess.engine.Limit(nodes=nodes), game=game)
            move = CHESS.parse(state, str(found.move))
        board.push_uci(CHESS.format(state, move))
        state = CHESS.play(state, move)
    return outcome.scores[side]


def elo(score: float) -> float:
    return -400 * math.log10(1 / min(max(score, 0.001), 0.999) - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nodes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--bot", default=BOT, choices=list(CHESS.searchers))
    chosen = parser.parse_args()
    bot = CHESS.searchers[chosen.bot]
    with chess.engine.SimpleEngine.popen_uci(ENGINE) as engine:
        engine.configure({"Threads": 1, "Hash": 16})
        for nodes in chosen.nodes:
            pairs = [
                play_pair(engine, bot, seed, nodes) / 2 for seed in range(max(2, chosen.games // 2))
            ]
            score = statistics.mean(pairs)
            wide = 1.96 * statistics.stdev(pairs) / math.sqrt(len(pairs))
            print(
                f"{chosen.bot} against {engine.id['name']} at {nodes:,} nodes,"
                f" {2 * len(pairs)} games: {score:.3f} ± {wide:.3f},"
                f" Elo {elo(score):+.0f} ({elo(score - wide):+.0f} to {elo(score + wide):+.0f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
