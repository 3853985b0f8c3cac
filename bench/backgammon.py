"""Backgammon: games of Pubeval and random games a second, and a program against Pubeval.

Run it as `python -m bench.backgammon [PROGRAM.lisp [GAMES]]`. Speeds are per second of CPU time.
The seeds of the games against Pubeval are used nowhere else.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.engines import compare_playouts, seconds
from engines.game import Game
from engines.games import find_game
from engines.programs.text import parse
from evolve.fitness.boards import BoardArena

SEED = 10**9
GAMES = 10_000
SHORT = 4_000
"""Games for a measurement of speed."""


def measure_speed(arena: BoardArena) -> None:
    game, pubeval = find_game(arena.game), arena.house_player("pubeval")
    assert isinstance(game, Game)
    compare_playouts(game)
    arena.meet([pubeval, pubeval], SEED, 2)
    spent = min(seconds(lambda: arena.meet([pubeval, pubeval], SEED, SHORT)) for _ in range(3))
    print(f"Pubeval against itself: {SHORT / spent:,.0f} games/s")


def measure_program(arena: BoardArena, file: Path, games: int) -> None:
    program = arena.player(parse(file.read_text(encoding="utf-8"), arena.architecture))
    met = arena.meet([program, arena.house_player("pubeval")], SEED, games)
    low, high = met.interval()
    print(
        f"{file}: {met.share():.2%} of the points [{low:.2%}, {high:.2%}],"
        f" {met.wins / games:.2%} of {games:,} games"
    )


def main() -> None:
    arena = BoardArena("backgammon")
    if len(sys.argv) > 1:
        games = int(sys.argv[2]) if len(sys.argv) > 2 else GAMES
        measure_program(arena, Path(sys.argv[1]), games)
    else:
        measure_speed(arena)


if __name__ == "__main__":
    main()
