"""The strength of house bots: matches against each other, as in Table 3.5 of the book.

Run it as `python -m prove.levels [--book] [GAMES] [GAME...]`: it plays GAMES games per match
(1,000), of all board games or of those named. Both sides play each opening once. A score is games
won plus half of the games drawn, per game. With `--book` there are no openings, and the first of
equal moves is played, as in the book.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, cast

from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import NO_OPENING, contest
from engines.game import Game
from engines.games import GAMES, find_game

BOOK = {
    "lose-checkers": [
        ("alphabeta-2", "random", 0.9665),
        ("alphabeta-3", "alphabeta-2", 0.8502),
        ("alphabeta-5", "alphabeta-3", 0.8254),
        ("alphabeta-7", "alphabeta-5", 0.8478),
        ("alphabeta-3", "alphabeta-4", 0.7693),
        ("alphabeta-3", "alphabeta-6", 0.6171),
        ("alphabeta-3", "alphabeta-8", 0.4127),
        ("alphabeta-5", "alphabeta-6", 0.7652),
        ("alphabeta-5", "alphabeta-8", 0.5562),
    ],
    "checkers-10x10": [
        ("alphabeta-2", "random", 0.9989),
        ("alphabeta-3", "alphabeta-2", 0.5229),
    ],
    "reversi": [
        ("alphabeta-2", "random", 0.8471),
        ("alphabeta-3", "alphabeta-2", 0.6004),
        ("alphabeta-5", "alphabeta-3", 0.7509),
        ("alphabeta-7", "alphabeta-5", 0.7509),
    ],
}
"""Scores from the book (chapter 3)."""

STEPS = [
    ("alphabeta-2", "random"),
    ("alphabeta-3", "alphabeta-2"),
    ("alphabeta-5", "alphabeta-3"),
    ("alphabeta-7", "alphabeta-5"),
]
"""The pairs that the book compares, in any game."""

Pair = tuple[str, str, str]
"""A game and two of its bots."""


def play(pair: Pair, seed: int, first_seat: int, varied: bool) -> float:
    """Score of the first bot in one game; if `varied`, exactly the game of the ladder's players."""
    game = cast(BoardGame[Any], find_game(pair[0]))
    seats = [replace(game.searchers[name], varied=varied) for name in pair[1:]]
    opening = None if varied else NO_OPENING
    played = contest(game, seats if first_seat == 0 else seats[::-1], seed, opening)
    return played.scores[first_seat]


def match(pair: Pair, games: int, varied: bool = True) -> tuple[float, float]:
    """Score of the first bot, and the share of draws."""
    scores = [play(pair, number // 2, number % 2, varied) for number in range(games)]
    return sum(scores) / games, scores.count(0.5) / games


def pairs_of(game: Game[Any, Any]) -> list[Pair]:
    """The pairs of the book that exist here, then each bot against the previous one."""
    known = [*STEPS, *((one, two) for one, two, _ in BOOK.get(game.name, []))]
    known = [(one, two) for one, two in known if {one, two} <= {*game.house_bots}]
    steps = [(b, a) for a, b in pairwise(game.house_bots)]
    return [(game.name, one, two) for one, two in dict.fromkeys(known + steps)]


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--book"]
    varied = len(words) == len(sys.argv) - 1
    games = int(words[0]) if words else 1_000
    chosen = [find_game(name) for name in words[1:]] or GAMES
    book = {(name, a, b): score for name, rows in BOOK.items() for a, b, score in rows}
    pairs = [pair for game in chosen if isinstance(game, Game) for pair in pairs_of(game)]
    print(f"{'game':16}{'first':14}{'second':14}{'score':>7}{'draws':>7}{'book':>8}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for pair, (score, draws) in zip(
            pairs, pool.map(partial(match, games=games, varied=varied), pairs), strict=True
        ):
            known = f"{book[pair]:8.4f}" if pair in book else f"{'':8}"
            name, one, two = pair
            print(f"{name:16}{one:14}{two:14}{score:7.3f}{draws:7.3f}{known}", flush=True)


if __name__ == "__main__":
    main()
