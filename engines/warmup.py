"""Compiling ahead of time: everything that would otherwise be compiled in somebody's match."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding

from engines.contests import ANYHOW, contest
from engines.game import CHANCE, AnyGame, Game, Simulation
from engines.games import GAMES
from engines.jit import cache_folder
from engines.two_seats import TwoSeats


def families() -> Sequence[Sequence[AnyGame]]:
    """All games, those together that share compiled code; what takes longest comes first.

    Processes may warm a family each at the same time, since results go to the disk.
    """
    found: dict[type[AnyGame], list[AnyGame]] = {}
    for game in sorted(GAMES, key=lambda game: not isinstance(game, Simulation)):
        found.setdefault(type(game), []).append(game)
    return list(found.values())


def is_warm() -> bool:
    """Whether all games were compiled here before, of these sources and for this processor."""
    try:
        return _mark().read_text() == _machine()
    except OSError:
        return False


def note_warm() -> None:
    """Say that all families have been warmed. Where the disk keeps nothing, it stays unsaid."""
    try:
        _mark().write_text(_machine())
    except OSError:
        return


def _mark() -> Path:
    return cache_folder() / "warm"


def _machine() -> str:
    """What compiled code is for, besides its sources."""
    features = binding.get_host_cpu_features().flatten()
    return f"numba {numba.__version__}, {binding.get_host_cpu_name()} {features}"


def warm(game: AnyGame) -> None:
    """Compile all of a game; it takes seconds the first time, and little from the disk."""
    if isinstance(game, Simulation):
        _step(game)
    else:
        _move(game)


def _move(game: Game) -> None:
    """Let each house bot choose once: what they run is what has to be compiled."""
    seats = game.seats[0]
    state = game.start(0, seats)
    for move in game.opening(0, seats):
        state = game.play(state, move)
    while game.to_move(state) == CHANCE:
        state = game.play(state, game.legal(state)[0])
    for make in game.house_bots.values():
        make(0).choose(state, game.to_move(state))
    if isinstance(game, TwoSeats):
        contest(game, [ANYHOW, ANYHOW], 0)


def _step(game: Simulation) -> None:
    """Go through all that a match calls, with house bots and with a seat played from outside."""
    seats = game.seats[0]
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
