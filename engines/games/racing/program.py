"""Programs that drive, after Shichel and Sipper, "GP-RARS": two trees, for speed and steering.

Both trees run each tick. Distances and radii are in units of 400 feet, velocities in units of 100
feet per second, angles in radians; so is the result of the trees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from engines.compiling.jit import njit
from engines.games.racing.layout import MAX_CARS
from engines.games.racing.lookahead import look
from engines.games.racing.sight import inner_radius
from engines.programs.code import Code, flatten
from engines.programs.interpreter import WIDTH, value
from engines.programs.primitives import (
    Operation,
    PrimitiveSet,
    constant,
    ephemeral,
    function,
    terminal,
)
from engines.programs.text import parse
from engines.programs.trees import MOST_DEPTH, Architecture, TreeSlot

# Inputs, in the order of `_look`.
_CR, _NR, _TE, _NL, _V, _NV, _TL, _TR, _TW, _AH, _AA = range(11)
INPUTS = 11

FEET, SPEED = 400.0, 100.0
"""The scales."""

PRIMITIVES = PrimitiveSet(
    "racing",
    (
        terminal("CR", _CR, about="radius of this segment's inner wall; left positive, straight 0"),
        terminal("NR", _NR, about="radius of the next segment"),
        terminal("TE", _TE, about="distance to the end of this segment"),
        terminal("NL", _NL, about="length of the next segment"),
        terminal("V", _V, about="velocity"),
        terminal("NV", _NV, about="velocity across the road, positive to the left"),
        terminal("TL", _TL, about="distance to the left shoulder"),
        terminal("TR", _TR, about="distance to the right shoulder"),
        terminal("TW", _TW, about="width of the road"),
        terminal("AH", _AH, about="distance to the shoulder straight ahead"),
        terminal("AA", _AA, about="angle of that shoulder from the car's way, left positive"),
        ephemeral("ERC", -1.0, 1.0, about="a number constant"),
        constant("Zero", 0.0, about="0"),
        constant("One", 1.0, about="1"),
        function("Add", Operation.ADD, about="x + y"),
        function("Sub", Operation.SUB, about="x - y"),
        function("Mul", Operation.MUL, about="x * y"),
        function("Div", Operation.DIV, about="x / y, or 0 if y is 0"),
        function("Abs", Operation.ABS, about="x without its sign"),
        function("Neg", Operation.NEG, about="-x"),
        function("Tan", Operation.TAN, about="tangent"),
        function("IfGreater", Operation.IF_GREATER, about="x > y: the third, else the fourth"),
        function("IfPositive", Operation.IF_POSITIVE, about="x > 0: the second, else the third"),
    ),
)
"""Table 9.1 of Sipper's "Evolved to Win", in its order."""

SLOTS = (
    TreeSlot("speed", PRIMITIVES, about="wheel speed, in 100 feet per second"),
    TreeSlot("steering", PRIMITIVES, about="angle between body and way, left positive"),
)
_SPEED, _STEERING = range(len(SLOTS))

MOST_NODES = 1_000
MOST_INSTRUCTIONS = 3 * MOST_NODES + len(SLOTS)
"""A choice has two jumps, and any node may have a factor."""
MOST_SLOTS = INPUTS + 2 * MOST_NODES + 2 * MOST_DEPTH + 5
"""A node has at most two constants, a program three more, and a level of a tree at most two
temporaries."""
FASTEST = 500.0
"""Feet per second: the largest wheel speed. Numbers that are not finite count as 0."""


def architecture(game: str) -> Architecture:
    """The architecture of programs of the named game: both games of racing have the same trees."""
    return Architecture(game, SLOTS, INPUTS, most_nodes=MOST_NODES)


def compile_text(text: str, game: str = "time-trial") -> Code:
    """The code of a program given as text; raises `BadProgram`."""
    return flatten(parse(text, architecture(game)))


SEAT_PROGRAM = np.dtype(
    [
        ("code", np.uint16, (MOST_INSTRUCTIONS, WIDTH)),
        ("starts", np.int64, (len(SLOTS),)),
        # Scratch memory except the constants: ticks share no state.
        ("memory", np.float64, (MOST_SLOTS,)),
    ],
    align=True,
)
SEAT_PROGRAMS = np.dtype([("seats", SEAT_PROGRAM, (MAX_CARS,))], align=True)

SeatPrograms: TypeAlias = Any
"""A record of type `SEAT_PROGRAMS`: the programs of a race by seat."""


def new_seat_programs(programs: Sequence[Code | None]) -> Any:
    """An array of one record; None stands for seats without a program."""
    seat_programs = np.zeros(1, SEAT_PROGRAMS)
    for seat, program in enumerate(programs):
        if program is not None:
            load(seat_programs, seat, program)
    return seat_programs


def load(seat_programs: Any, seat: int, program: Code) -> None:
    """Put a program into a seat."""
    if len(program.instructions) > MOST_INSTRUCTIONS or program.slots > MOST_SLOTS:
        raise ValueError("the program is too large for a car: use fewer nodes")
    loaded = seat_programs["seats"][0, seat]
    loaded["code"][: len(program.instructions)] = program.instructions
    loaded["starts"][:] = program.starts
    program.lay_out(loaded["memory"])


@njit
def _look(track: Any, car: Any, memory: Any) -> None:
    """Fill in the inputs of the program."""
    here = track.segments[car.seg]
    following = track.segments[(car.seg + 1) % track.count]
    memory[_CR], memory[_NR] = car.cur_rad / FEET, inner_radius(following) / FEET
    memory[_TE] = car.to_end / FEET
    if here.right != 0.0:
        memory[_TE] *= abs(here.left + here.right) / 2.0
    memory[_NL] = following.length / FEET
    if following.right != 0.0:
        memory[_NL] *= abs(following.left + following.right) / 2.0
    memory[_V], memory[_NV] = car.v / SPEED, car.vn / SPEED
    memory[_TL], memory[_TR] = car.to_lft / FEET, car.to_rgt / FEET
    memory[_TW] = track.width / FEET
    ahead, angle = look(track, car)
    memory[_AH], memory[_AA] = ahead / FEET, angle


@njit
def drive(track: Any, car: Any, programs: SeatPrograms, seat: int) -> Any:
    """The order of a program: steering angle and wheel speed."""
    loaded = programs.seats[seat]
    _look(track, car, loaded.memory)
    speed = value(loaded.code, loaded.starts[_SPEED], loaded.memory) * SPEED
    steering = value(loaded.code, loaded.starts[_STEERING], loaded.memory)
    if not math.isfinite(speed):
        speed = 0.0
    if not math.isfinite(steering):
        steering = 0.0
    return steering, min(max(speed, -FASTEST), FASTEST)


@dataclass(frozen=True, slots=True, eq=False)
class ProgramDriver:
    """The player of a seat with a program: its order lets the kernel run the program."""

    code: Code

    def choose(self, state: Any, seat: int) -> ProgramDriver:
        """Always the same order."""
        return self


@dataclass(frozen=True, slots=True)
class RacingPrograms:
    """Programs that play one of the games of racing."""

    game: str

    @property
    def architecture(self) -> Architecture:
        return architecture(self.game)

    def player(self, text: str, seed: int) -> ProgramDriver:
        return ProgramDriver(compile_text(text, self.game))
