"""The tank that a program drives, after Shichel, Ziserman and Sipper, "GP-Robocode".

It is a HaikuBot of four lines. The gun turns until it finds a robot; on a scan three trees compute,
in this order, the distance to drive, the turn of the body and the turn of the gun; firing is a
function in them. Angles are radians, clockwise; distances are pixels. Orders are those of an
AdvancedRobot that does not wait for them (`setAhead`, `setTurnRightRadians`,
`setTurnGunRightRadians`), so each scan replaces earlier orders.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks.geometry import relative
from engines.games.tanks.layout import MAX_TANKS, RUN, SCANNED, World
from engines.games.tanks.mind import DONE, turn_gun_right
from engines.games.tanks.orders import set_fire, set_move, set_turn, shown_energy
from engines.programs.code import Code, flatten
from engines.programs.interpreter import STOP, WIDTH, run
from engines.programs.primitives import (
    Operation,
    PrimitiveSet,
    constant,
    effect,
    ephemeral,
    function,
    terminal,
)
from engines.programs.text import parse
from engines.programs.trees import MOST_DEPTH, Architecture, TreeSlot
from engines.programs.types import Type

# Inputs, in the order of `_look`.
_ENERGY, _HEADING, _X, _Y, _MAX_X, _MAX_Y = range(6)
_BEARING, _DISTANCE, _VELOCITY, _ENEMY_HEADING, _ENEMY_ENERGY = range(6, 11)
INPUTS = 11

FIRE, RANDOM = 0, 1
"""Effects."""

PRIMITIVES = PrimitiveSet(
    "tanks",
    (
        terminal("Energy", _ENERGY, about="own energy, less a shot just ordered"),
        terminal("Heading", _HEADING, about="own heading, from 0 (north) to 2 pi"),
        terminal("X", _X, about="own place from the left"),
        terminal("Y", _Y, about="own place from below"),
        terminal("MaxX", _MAX_X, about="width of the field"),
        terminal("MaxY", _MAX_Y, about="height of the field"),
        terminal("EnemyBearing", _BEARING, about="where the enemy is, from own heading, ± pi"),
        terminal("EnemyDistance", _DISTANCE, about="distance to the enemy"),
        terminal("EnemyVelocity", _VELOCITY, about="velocity of the enemy, -8 to 8"),
        terminal("EnemyHeading", _ENEMY_HEADING, about="its heading from own heading, ± pi"),
        terminal("EnemyEnergy", _ENEMY_ENERGY, about="energy of the enemy"),
        ephemeral("Constant", -1.0, 1.0, about="a number constant"),
        effect("Random", RANDOM, about="a new random number from -1 to 1"),
        constant("Zero", 0.0, about="0"),
        function("Add", Operation.ADD, about="x + y"),
        function("Sub", Operation.SUB, about="x - y"),
        function("Mul", Operation.MUL, about="x * y"),
        function("Div", Operation.DIV, about="x / y, or 0 if y is 0"),
        function("Abs", Operation.ABS, about="x without its sign"),
        function("Neg", Operation.NEG, about="-x"),
        function("Sin", Operation.SIN, about="sine"),
        function("Cos", Operation.COS, about="cosine"),
        function("ArcSin", Operation.ASIN, about="arcsine of x brought to ±1"),
        function("ArcCos", Operation.ACOS, about="arccosine of x brought to ±1"),
        function("IfGreater", Operation.IF_GREATER, about="x > y: the third, else the fourth"),
        function("IfPositive", Operation.IF_POSITIVE, about="x > 0: the second, else the third"),
        effect("Fire", FIRE, (Type.FLOAT,), about="x > 0: order a shot of power x, 1; else 0"),
    ),
)
"""Table 8.1 of Sipper's "Evolved to Win", in its order."""

SLOTS = (
    TreeSlot("ahead", PRIMITIVES, about="how far to drive"),
    TreeSlot("turn", PRIMITIVES, about="how far to turn the body right"),
    TreeSlot("gun", PRIMITIVES, about="how far to turn the gun right"),
)
_AHEAD, _TURN, _GUN = range(len(SLOTS))


MOST_NODES = 2_000

MOST_INSTRUCTIONS = 3 * MOST_NODES + len(SLOTS)
"""A choice has two jumps, and any node may have a factor."""

MOST_SLOTS = INPUTS + 2 * MOST_NODES + 2 * MOST_DEPTH + 5
"""A node has at most two constants, a program three more, and a level of a tree at most two
temporaries."""


def architecture(game: str) -> Architecture:
    """The architecture of programs of the named game: all games of tanks have the same trees."""
    return Architecture(game, SLOTS, INPUTS, most_nodes=MOST_NODES)


def compile_text(text: str, game: str = "tanks") -> Code:
    """The code of a program given as text; raises `BadProgram`."""
    return flatten(parse(text, architecture(game)))


SEAT_PROGRAM = np.dtype(
    [
        ("code", np.uint16, (MOST_INSTRUCTIONS, WIDTH)),
        ("starts", np.int64, (len(SLOTS),)),
        # Scratch memory except the constants: scans share no state.
        ("memory", np.float64, (MOST_SLOTS,)),
    ],
    align=True,
)
SEAT_PROGRAMS = np.dtype([("seats", SEAT_PROGRAM, (MAX_TANKS,))], align=True)

SeatPrograms: TypeAlias = Any
"""A record of type `SEAT_PROGRAMS`: the programs of a battle by seat.

A record of fixed size is one pointer for the kernels. Arrays would be counted references, and
passing those to each robot in each turn took a third of all time; untouched pages take no memory.
"""


def new_seat_programs(programs: Sequence[Code | None]) -> Any:
    """An array of one record; None stands for seats without a program."""
    seat_programs = np.zeros(1, SEAT_PROGRAMS)
    for seat, program in enumerate(programs):
        if program is None:
            continue
        if len(program.instructions) > MOST_INSTRUCTIONS or program.slots > MOST_SLOTS:
            raise ValueError("the program is too large for a tank: use fewer nodes")
        loaded = seat_programs["seats"][0, seat]
        loaded["code"][: len(program.instructions)] = program.instructions
        loaded["starts"][:] = program.starts
        program.lay_out(loaded["memory"])
    return seat_programs


@njit
def _draw(mind: Any) -> float:
    """A number in [-1, 1) from the seat's own stream (Steele, Lea and Flood's SplitMix)."""
    mind.random += np.uint64(0x9E3779B97F4A7C15)
    mixed = mind.random
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return float(mixed >> np.uint64(11)) * 2.0**-52 - 1.0


@njit
def _look(world: World, index: int, frame: Any, memory: Any) -> None:
    """Fill in the inputs of the program."""
    tank = world.tanks[index]
    memory[_ENERGY] = shown_energy(tank)
    memory[_HEADING] = tank.body
    memory[_X], memory[_Y] = tank.x, tank.y
    memory[_MAX_X], memory[_MAX_Y] = world.width, world.height
    memory[_BEARING] = tank.told_bearing
    memory[_DISTANCE] = frame.distance
    memory[_VELOCITY] = frame.velocity
    memory[_ENEMY_HEADING] = relative(frame.heading - tank.body)
    memory[_ENEMY_ENERGY] = frame.energy


@njit
def _tree(world: World, index: int, programs: SeatPrograms, number: int) -> float:
    """Evaluate a tree, which may order shots; returns its value."""
    tank, mind = world.tanks[index], world.minds[index]
    loaded = programs.seats[index]
    code, memory = loaded.code, loaded.memory
    at = run(code, loaded.starts[number], memory)
    while code[at, 0] != STOP:
        result = 0.0
        if code[at, 3] == RANDOM:
            result = _draw(mind)
        elif memory[code[at, 2]] > 0:
            result = 1.0
            # Refused while the gun is hot; the value is the same, as in the book.
            set_fire(tank, memory[code[at, 2]], world.time)
            memory[_ENERGY] = shown_energy(tank)
        memory[code[at, 1]] = result
        at = run(code, at + 1, memory)
    return float(memory[code[at, 2]])


@njit
def drive(world: World, index: int, frame: Any, programs: SeatPrograms) -> int:
    """Drive a program's tank: the main loop, and the handler of scans."""
    tank = world.tanks[index]
    if frame.kind == RUN:
        return turn_gun_right(tank, frame, math.inf)
    if frame.kind == SCANNED:
        _look(world, index, frame, programs.seats[index].memory)
        set_move(tank, _tree(world, index, programs, _AHEAD))
        set_turn(tank, _tree(world, index, programs, _TURN))
        tank.gun_turn = _tree(world, index, programs, _GUN)
    return DONE


@dataclass(frozen=True, slots=True, eq=False)
class ProgramPlayer:
    """The player of a seat with a program: its order lets the kernel run the program."""

    code: Code
    seed: int

    def choose(self, state: Any, seat: int) -> ProgramPlayer:
        """Always the same order."""
        return self


@dataclass(frozen=True, slots=True)
class TankPrograms:
    """Programs that play one of the games of tanks."""

    game: str

    @property
    def architecture(self) -> Architecture:
        return architecture(self.game)

    def player(self, text: str, seed: int) -> ProgramPlayer:
        return ProgramPlayer(compile_text(text, self.game), seed)
