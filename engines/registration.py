"""The conditions for the registration of a game: `check_registration`, with clear refusals.

`engines.conformance` checks much more, by playing; these checks are fast enough for every start.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import MOST_SEATS as MOST_CONTEST_SEATS
from engines.competition import Competition
from engines.game import Game
from engines.puzzle import Puzzle
from engines.simulation import Simulation

MOST_SEATS = 64
"""The most seats of a match: each seat may be a process."""


class BadGame(ValueError):
    """A game that cannot be registered. The message says why, and what is allowed."""


def check_registration(game: object, taken: Collection[str] = ()) -> None:
    """Raise `BadGame` unless the ladder can list, pair and rate the game."""
    if not isinstance(game, Competition):
        raise BadGame(f"{game!r:.80} is not a game: derive it from Game, Simulation or Puzzle")
    if not isinstance(game, Game | Simulation | Puzzle):
        raise BadGame(f"{type(game).__name__} must be derived from Game, Simulation or Puzzle")
    name = getattr(game, "name", None)
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise BadGame(f"the name {name!r} cannot be part of a URL: use a-z, 0-9 and single hyphens")
    if name in taken:
        raise BadGame(f"the name {name} is taken: choose another one")
    title = getattr(game, "title", None)
    if not isinstance(title, str) or not title.strip():
        raise BadGame(f"{name} has no title: set the displayed name")
    _check_seats(game)
    draws = getattr(game, "draw_probability", None)
    if not isinstance(draws, int | float) or not 0 <= draws < 1:
        raise BadGame(f"{name}: draw_probability must be at least 0 and below 1, not {draws!r}")
    if not game.house_bots:
        raise BadGame(f"{name} has no house bot: newcomers are measured against at least one")
    if not isinstance(game.house_revision, int) or game.house_revision < 1:
        raise BadGame(f"{name}: house_revision must be at least 1, not {game.house_revision!r}")


def _check_seats(game: Competition) -> None:
    seats = getattr(game, "seats", None)
    if not isinstance(seats, frozenset) or not seats or not all(type(n) is int for n in seats):
        raise BadGame(f"{game.name}: seats must be a frozenset of whole numbers, not {seats!r}")
    if min(seats) < 2:
        raise BadGame(
            f"{game.name} is played by {min(seats)}: a match needs at least 2 seats to be rated"
        )
    if game.ladder_seats not in seats:
        raise BadGame(f"{game.name}: ladder_seats is {game.ladder_seats}, which is not in seats")
    most = MOST_CONTEST_SEATS if isinstance(game, BoardGame) else MOST_SEATS
    if max(seats) > most:
        raise BadGame(f"{game.name} is played by {max(seats)}: at most {most} seats are possible")
