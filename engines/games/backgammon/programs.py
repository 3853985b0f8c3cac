"""The inputs and primitives of programs: a contact tree and a race tree.

Tables 7.1 to 7.3 of Sipper's "Evolved to Win", after Azaria and Sipper, "GP-Gammon". A program
values the board after its own turn, without look-ahead, so the Player of the tables is the side
that has just moved. Locations are from its view: 0 is the bar, 1 to 24 are the points, 25 is off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.evaluators import Inputs
from engines.alphabeta.kernels import Boards
from engines.alphabeta.programs import BoardPrograms
from engines.compiling.bits import Bits
from engines.compiling.jit import jitable
from engines.games.backgammon.board import (
    BAR,
    INNER,
    MEN,
    ONE,
    BackgammonState,
    count,
    crowded,
    mirrored,
    occupied,
    total,
    touches,
)
from engines.games.backgammon.features import (
    MOST_ESCAPES,
    START_PIPS,
    escapes,
    hit_chances,
    pips,
)
from engines.programs.primitives import (
    Operation,
    PrimitiveSet,
    ephemeral,
    function,
    located,
    terminal,
)
from engines.programs.trees import MOST_DEPTH, Option, TreeSlot
from engines.programs.types import Type

LOCATIONS = 26
OFF = 25
CONTACT, RACE = 0, 1

PLAYER_PIP, ENEMY_PIP, HIT, PLAYER_ESCAPE, ENEMY_ESCAPE, TOWER = range(6)
POSITION = TOWER + LOCATIONS
WHOLE = POSITION + LOCATIONS
PLAYER_EXPOSED, PLAYER_BLOCKED, ENEMY_EXPOSED, ENEMY_BLOCKED, BOARDS = range(5)
INPUTS = Inputs(WHOLE, tuple(range(LOCATIONS)), BOARDS)

_TOWERS = ((1 << LOCATIONS) - 1) << TOWER
_POSITIONS = ((1 << LOCATIONS) - 1) << POSITION
_TOWER_MEN = 3
"""A tower has at least as many men; it counts those beyond two."""

_PLACES = (range(LOCATIONS),)
_NUMBER = ephemeral("Float-ERC", 0.0, 5.0, about="a number constant")
_FUNCTIONS = (
    function("Add", Operation.ADD, about="x + y"),
    function("Sub", Operation.SUB, about="x - y"),
    function("Mul", Operation.MUL, about="x * y"),
    function("If", Operation.IF, about="if the first holds the second, else the third"),
    function("Greater", Operation.GREATER, about="whether x > y"),
    function("Smaller", Operation.SMALLER, about="whether x < y"),
    function("And", Operation.AND, about="whether both hold"),
    function("Or", Operation.OR, about="whether one of them holds"),
    function("Not", Operation.NOT, about="whether it does not hold"),
)
"""Table 7.3."""


def _query(name: str, number: int, about: str) -> Any:
    return located(name, number, _PLACES, Type.QUERY, about=about)


CONTACT_PRIMITIVES = PrimitiveSet(
    "backgammon contact",
    (
        _NUMBER,
        _query("Player-Exposed", INPUTS.of_board(PLAYER_EXPOSED), "1 if one own man is there"),
        _query("Player-Blocked", INPUTS.of_board(PLAYER_BLOCKED), "1 if own men block it"),
        _query("Player-Tower", TOWER, "own men there beyond two, if any"),
        _query("Enemy-Exposed", INPUTS.of_board(ENEMY_EXPOSED), "1 if one enemy man is there"),
        _query("Enemy-Blocked", INPUTS.of_board(ENEMY_BLOCKED), "1 if enemy men block it"),
        terminal("Player-Pip", PLAYER_PIP, about="own pip count / 167"),
        terminal("Enemy-Pip", ENEMY_PIP, about="pip count of the enemy / 167"),
        terminal("Total-Hit-Prob", HIT, about="chances that own blots are hit, summed"),
        terminal("Player-Escape", PLAYER_ESCAPE, about="rolls that leave the enemy's home board"),
        terminal("Enemy-Escape", ENEMY_ESCAPE, about="rolls that leave the own home board"),
        *_FUNCTIONS,
    ),
)
"""Table 7.1, with the functions of Table 7.3."""

RACE_PRIMITIVES = PrimitiveSet(
    "backgammon race",
    (_NUMBER, _query("Player-Position", POSITION, "the number of own men there"), *_FUNCTIONS),
)
"""Table 7.2, with the functions of Table 7.3."""


DEPTHS = Option(1, range(1, 3))


@dataclass(frozen=True)
class BackgammonPrograms(BoardPrograms):
    game: str = "backgammon"
    primitives: PrimitiveSet = CONTACT_PRIMITIVES
    inputs: Inputs = INPUTS
    depths: Option = DEPTHS
    """1 chooses among the boards after the own turn, as in the book; 2 also averages over the 21
    rolls of the other side, each with its best turn by the same program."""

    @property
    def slots(self) -> tuple[TreeSlot, ...]:
        about = "how good the board is for the side that has moved, {}"
        return (
            TreeSlot(
                "contact",
                CONTACT_PRIMITIVES,
                most_depth=MOST_DEPTH,
                about=about.format("while the sides can hit each other"),
            ),
            TreeSlot(
                "race",
                RACE_PRIMITIVES,
                most_depth=MOST_DEPTH,
                about=about.format("when they have passed each other"),
            ),
        )


@kernels.tree.register(BackgammonState)
def _tree(state: BackgammonState) -> int:
    own = occupied(state.own_low, state.own_high)
    contact = touches(own, occupied(state.their_low, state.their_high))
    return CONTACT if contact else RACE


@kernels.has_moved.register(BackgammonState)
def _has_moved(state: BackgammonState) -> bool:
    return True


@jitable
def _men_at(low: Bits, high: Bits, location: int) -> int:
    """The men of a side at a location of its own view."""
    if location == OFF:
        return MEN - total(low, high)
    return count(low, high, BAR if location == 0 else location)


@kernels.look.register(BackgammonState)
def _look(state: BackgammonState, wanted: int, inputs: Any) -> None:
    own_low, own_high = state.their_low, state.their_high
    enemy_low, enemy_high = state.own_low, state.own_high
    if wanted & (1 << PLAYER_PIP | 1 << ENEMY_PIP) != 0:
        inputs[PLAYER_PIP] = pips(own_low, own_high) / START_PIPS
        inputs[ENEMY_PIP] = pips(enemy_low, enemy_high) / START_PIPS
    blocks, barrier = crowded(own_low, own_high), crowded(enemy_low, enemy_high)
    if wanted & 1 << HIT != 0:
        blots = occupied(own_low, own_high) & ~blocks & INNER
        enemies = mirrored(occupied(enemy_low, enemy_high))
        inputs[HIT] = hit_chances(blots, enemies, INNER & ~blocks)
    if wanted & 1 << PLAYER_ESCAPE != 0:
        inputs[PLAYER_ESCAPE] = escapes(mirrored(barrier)) / MOST_ESCAPES
    if wanted & 1 << ENEMY_ESCAPE != 0:
        inputs[ENEMY_ESCAPE] = escapes(mirrored(blocks)) / MOST_ESCAPES
    if wanted & (_TOWERS | _POSITIONS) != 0:
        for location in range(LOCATIONS):
            if wanted & (1 << TOWER | 1 << POSITION) << location != 0:
                men = _men_at(own_low, own_high, location)
                inputs[POSITION + location] = men
                inputs[TOWER + location] = men - 2 if men >= _TOWER_MEN else 0


@jitable
def _locations(points: Bits, low: Bits, high: Bits, least: int, most: int) -> Bits:
    """The locations of the bits of a side: its bar moves to 0, and off is added."""
    found = points & INNER
    on_bar = count(low, high, BAR)
    if least <= on_bar <= most:
        found |= ONE
    off = MEN - total(low, high)
    if least <= off <= most:
        found |= ONE << np.uint64(OFF)
    return found


@kernels.boards.register(BackgammonState)
def _boards(state: BackgammonState, boards: Boards) -> int:
    own_low, own_high = state.their_low, state.their_high
    blocks = crowded(own_low, own_high)
    boards[PLAYER_EXPOSED] = _locations(
        occupied(own_low, own_high) & ~blocks, own_low, own_high, 1, 1
    )
    boards[PLAYER_BLOCKED] = _locations(blocks, own_low, own_high, 2, MEN)
    low, high = state.own_low, state.own_high
    barrier = crowded(low, high)
    exposed = mirrored(occupied(low, high) & ~barrier & INNER)
    boards[ENEMY_EXPOSED] = _locations(exposed, low, high, 1, 1)
    boards[ENEMY_BLOCKED] = _locations(mirrored(barrier & INNER), low, high, 2, MEN)
    return 0
