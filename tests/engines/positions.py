"""Positions of board games from random play, and facts about them."""

from __future__ import annotations

import random
from typing import Any

from engines.game import Game


def walk(game: Game, seed: int, plies: int) -> Any:
    """A position of an unfinished game, at most `most` random moves from the start."""
    draw = random.Random(seed)
    state = game.start(seed, 2)
    for _ in range(plies):
        after = game.play(state, draw.choice(game.legal(state)))
        if game.outcome(after) is not None:
            break
        state = after
    return state
