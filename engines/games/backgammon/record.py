"""Matches as `.mat` files, which GNU Backgammon and most other programs import.

A game has a column for each player, and a row for each pair of turns: the roll, and the steps. The
bar is 25 there, and off is 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engines.display.records import GameRecord, RecordFormat

MAT = RecordFormat("MAT", "mat")

_WIDTH = 34
"""The width of the left column."""


@dataclass
class RecordedGame:
    """One game of a match: its turns, by seat, and its end."""

    before: tuple[int, ...]
    """The points of the seats before it."""
    turns: list[tuple[int, str]] = field(default_factory=list)
    winner: int | None = None
    """None if the match was broken off."""
    points: int = 0


def write_mat(record: GameRecord, games: Sequence[RecordedGame], goal: int) -> str:
    names = [re.sub(r"[^\w.+-]+", "_", name) for name in record.players]
    if names[0] == names[1]:
        # Readers tell the players apart by their names.
        names = [f"{name}_{seat + 1}" for seat, name in enumerate(names)]
    head = [
        f"; [Site {_quoted(record.place)}]",
        f"; [Event {_quoted(record.event)}]",
        f"; [EventDate {_quoted(f'{record.at:%Y.%m.%d}')}]",
        "",
        f" {goal} point match",
    ]
    body = [
        line for number, game in enumerate(games, 1) for line in _game(number, game, names, goal)
    ]
    return "\n".join([*head, *body, ""])


def _quoted(text: str) -> str:
    return '"' + re.sub(r'["\\\x00-\x1f\x7f]', " ", text) + '"'


def _game(number: int, game: RecordedGame, names: Sequence[str], goal: int) -> list[str]:
    scores = [f" {name} : {points}" for name, points in zip(names, game.before, strict=True)]
    cells: list[list[str]] = []
    for seat, text in game.turns:
        if seat == 0 or not cells:
            cells.append(["", ""])
        cells[-1][seat] = text
    rows = [f"{row:3}) {left:<{_WIDTH - 5}}{right}" for row, (left, right) in enumerate(cells, 1)]
    end = []
    if game.winner is not None:
        total = game.before[game.winner] + game.points
        told = f"Wins {game.points} point{'s' * (game.points > 1)}"
        told += " and the match" * (total >= goal)
        end = [f"{'':{5 + (_WIDTH - 5) * game.winner}} {told}"]
    lines = ["", f" Game {number}", f"{scores[0]:<{_WIDTH}}{scores[1]}", *rows, *end]
    return [line.rstrip() for line in lines]
