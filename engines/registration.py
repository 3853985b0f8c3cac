"""The conditions for the registration of a game: `check_registration`, with clear refusals.

`engines.conformance` checks much more, by playing; these checks are fast enough for every start.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import MOST_SEATS as MOST_CONTEST_SEATS
from engines.competition import BYTECODE_BYTES, STATEMENTS, Competition, Division
from engines.game import Game
from engines.puzzle import Puzzle
from engines.simulation import Simulation

MOST_SEATS = 64
"""The most seats of a match: each seat may be a process."""

# The columns of the database have this many characters.
MOST_NAME = 40
MOST_DIVISION_NAME = 20

_BOT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class BadGame(ValueError):
    """A game that cannot be registered. The message says why, and what is allowed."""


def check_registration(game: object, taken: Collection[str] = ()) -> None:
    """Raise `BadGame` unless the ladder can list, pair and rate the game."""
    if not isinstance(game, Competition):
        raise BadGame(f"{game!r:.80} is not a game: derive it from Game, Simulation or Puzzle")
    if not isinstance(game, Game | Simulation | Puzzle):
        raise BadGame(f"{type(game).__name__} must be derived from Game, Simulation or Puzzle")
    name = getattr(game, "name", None)
    if not isinstance(name, str) or not _fits_url(name):
        raise BadGame(
            f"the name {name!r:.80} cannot be part of a URL: use a-z, 0-9 and single hyphens"
        )
    if len(name) > MOST_NAME:
        raise BadGame(f"the name {name:.80} is too long: at most {MOST_NAME} characters")
    if name in taken:
        raise BadGame(f"the name {name} is taken: choose another one")
    title = getattr(game, "title", None)
    if not isinstance(title, str) or not title.strip():
        raise BadGame(f"{name} has no title: set the displayed name")
    _check_seats(game)
    draws = getattr(game, "draw_probability", None)
    if not isinstance(draws, int | float) or not 0 <= draws < 1:
        raise BadGame(f"{name}: draw_probability must be at least 0 and below 1, not {draws!r}")
    _check_house_bots(game)
    _check_divisions(game)
    if not isinstance(game.house_revision, int) or game.house_revision < 1:
        raise BadGame(f"{name}: house_revision must be at least 1, not {game.house_revision!r}")


def _fits_url(name: str) -> bool:
    return bool(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name))


def _check_house_bots(game: Competition) -> None:
    bots = game.house_bots
    if not bots:
        raise BadGame(f"{game.name} has no house bot: newcomers are measured against at least one")
    if not isinstance(bots, Mapping) or not all(map(callable, bots.values())):
        raise BadGame(f"{game.name}: house_bots must map names to functions of a seed")
    for name in bots:
        if not isinstance(name, str) or len(name) > MOST_NAME or not _BOT_NAME.fullmatch(name):
            raise BadGame(
                f"{game.name}: {name!r:.80} cannot name a house bot: use at most {MOST_NAME} "
                "letters, digits, '.', '-' and '_', and a letter or digit first"
            )
    if len({name.casefold() for name in bots}) < len(bots):
        raise BadGame(f"{game.name}: the names of two house bots differ only in case")


def _check_divisions(game: Competition) -> None:
    taken = {"open"}
    for division in game.divisions:
        if not isinstance(division, Division):
            raise BadGame(f"{game.name}: divisions must be Division objects, not {division!r:.80}")
        name = division.name
        if len(name) > MOST_DIVISION_NAME or not _fits_url(name) or name in taken:
            raise BadGame(
                f"{game.name}: {name!r:.80} cannot name a division: use at most "
                f"{MOST_DIVISION_NAME} of a-z, 0-9 and single hyphens, and each name once, not open"
            )
        taken.add(name)
        if division.measure not in (STATEMENTS, BYTECODE_BYTES) or division.limit < 1:
            raise BadGame(
                f"{game.name}: the division {name} needs a limit of at least 1, measured in "
                f"{STATEMENTS} or {BYTECODE_BYTES}"
            )


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
