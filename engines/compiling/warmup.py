"""Compilation ahead of time, so that no match has to wait for it.

`python -m engines.compiling.warmup` compiles all games, one family per core at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding
from numba.core import config

from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import RANDOM_MOVER, contest
from engines.competition import Competition
from engines.compiling.jit import cache_folder, package_digest
from engines.game import CHANCE, Game
from engines.games import GAMES, find_game, foreign_packages
from engines.puzzle import Puzzle
from engines.simulation import Simulation


def families(games: Sequence[Competition] = GAMES) -> Sequence[Sequence[Competition]]:
    """The games, grouped by shared compiled code; the slowest group comes first."""
    found: dict[type[Competition], list[Competition]] = {}
    for game in sorted(games, key=lambda game: not isinstance(game, Simulation)):
        found.setdefault(type(game), []).append(game)
    return list(found.values())


def is_warm(game: Competition) -> bool:
    """Whether the game was compiled here before, from these sources and for this processor."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return True  # there is nothing to compile
    try:
        return _mark(game).read_text() == _compiled_for(game)
    except OSError:
        return False


def warm_all(processes: Executor, games: Sequence[Competition] = GAMES) -> Iterator[str]:
    """Compile each family in its own process; yields the title of each completed game.

    Processes may work at the same time, since the results go to the disk.
    """
    named = [[game.name for game in family] for family in families(games)]
    for family in as_completed(processes.submit(_warm_family, names) for names in named):
        yield family.result()


def _warm_family(names: Sequence[str]) -> str:
    games = [find_game(name) for name in names]
    for game in games:
        warm(game)
    return games[0].title


def _note_warm(game: Competition) -> None:
    """Mark the game as compiled, if the disk can keep it."""
    mark = _mark(game)
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text(_compiled_for(game))
    except OSError:
        return


def _mark(game: Competition) -> Path:
    return cache_folder() / "warm" / game.name


def _compiled_for(game: Competition) -> str:
    """The environment of compiled code, besides the sources of the engines."""
    return f"{_machine()}, sources {' '.join(map(package_digest, foreign_packages(game)))}"


def _machine() -> str:
    features = binding.get_host_cpu_features().flatten()
    versions = f"{sys.implementation.cache_tag}, numba {numba.__version__}"
    return f"{versions}, {binding.get_host_cpu_name()} {features}"


def warm(game: Competition) -> None:
    """Compile all of a game; this takes seconds the first time, and little from the disk."""
    _compile(game)
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        _note_warm(game)


def _compile(game: Competition) -> None:
    if isinstance(game, Simulation):
        _step(game)
    elif isinstance(game, Puzzle):
        _solve(game)
    elif isinstance(game, Game):
        _move(game)


def _move(game: Game[Any, Any]) -> None:
    """Let each house bot choose once, which compiles everything that it uses."""
    seats = min(game.seats)
    state = game.start(0, seats)
    for move in game.opening(0, seats):
        state = game.play(state, move)
    while game.to_move(state) == CHANCE:
        state = game.play(state, game.legal(state)[0])
    for make in game.house_bots.values():
        make(0).choose(state, game.to_move(state))
    if isinstance(game, BoardGame):
        contest(game, [RANDOM_MOVER] * seats, 0)


def _step(game: Simulation[Any, Any]) -> None:
    """Call everything that a match calls, with house bots and with an uploaded bot's seat."""
    seats = min(game.seats)
    players = [make(0) for make in list(game.house_bots.values())[:seats]]
    for outsiders in (0, 1):
        state = game.start(0, seats, {})
        orders: list[Any] = [player.choose(state, seat) for seat, player in enumerate(players)]
        orders += [None] * (seats - len(orders))
        orders[:outsiders] = [None] * outsiders
        game.observe(state, 0)
        state = game.step(state, orders)
        game.outcome(state)
        game.replay(state)


def _solve(game: Puzzle[Any, Any]) -> None:
    """Let each house bot solve one instance."""
    instance = game.instances(0)[0]
    for make in game.house_bots.values():
        make(0).choose(instance, 0)


def main() -> None:
    with ProcessPoolExecutor() as pool:
        for title in warm_all(pool):
            print(f"compiled {title}", flush=True)


if __name__ == "__main__":
    main()
