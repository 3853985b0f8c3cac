"""Games of other packages: entry points of the group `evoladder.games`.

An entry point names a game, or a sequence of games. An entry point that cannot be imported, or with
a refused game (`engines.registration`), is left out with the reason; all others are played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from engines.competition import Competition
from engines.registration import BadGame, check_registration

GROUP = "evoladder.games"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A plug-in that was left out, with the reason."""

    plugin: str
    """The entry point, such as `nim = my_games:NIM`."""
    reason: str


@dataclass(frozen=True, slots=True)
class Plugins:
    """The games of all plug-ins."""

    games: tuple[Competition, ...]
    """Games in the order of the names of their entry points."""
    modules: Mapping[str, str]
    """The module of each game, by the name of the game."""
    left_out: tuple[LeftOut, ...]


def load_plugins(built_in: Sequence[Competition]) -> Plugins:
    """Import all plug-ins; never raises for an error in one of them."""
    games: list[Competition] = []
    modules: dict[str, str] = {}
    left_out: list[LeftOut] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        taken = {game.name for game in (*built_in, *games)}
        try:
            found = _load(point, taken)
        except Exception as error:
            left_out.append(LeftOut(f"{point.name} = {point.value}", _reason(error)))
        else:
            games += found
            modules |= {game.name: point.module for game in found}
    return Plugins(tuple(games), modules, tuple(left_out))


def _load(point: EntryPoint, taken: set[str]) -> list[Competition]:
    loaded = _import(point)
    games = list(loaded) if isinstance(loaded, list | tuple) else [loaded]
    if not games:
        raise BadGame("it names no game: name one, or a tuple of games")
    for game in games:
        check_registration(game, taken)
        taken.add(game.name)
    return games


def _import(point: EntryPoint) -> Any:
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    except SystemExit as error:
        raise BadGame(f"its import tried to exit the process (SystemExit: {error})") from error
    except BaseException as error:  # such as the `Skipped` of pytest, which is no `Exception`
        raise BadGame(f"it cannot be imported: {type(error).__name__}: {error}") from error


def _reason(error: Exception) -> str:
    """The error in one line."""
    told = " ".join(str(error).split())
    return (
        told if isinstance(error, BadGame) else f"its check fails: {type(error).__name__}: {told}"
    )
