"""Primitives, programs and a tiny domain for the tests of evolve."""

from __future__ import annotations

from engines.programs import primitives as p
from engines.programs.primitives import Operation, PrimitiveSet
from engines.programs.trees import Architecture, Program, TreeSlot
from engines.programs.types import Type

TYPED = PrimitiveSet(
    "typed",
    (
        p.terminal("X", 0),
        p.terminal("Flag", 1, Type.BOOLEAN),
        p.located("At", 2, [(1, 2, 3)], Type.QUERY),
        p.ephemeral("Number", -5, 5),
        p.function("Plus", Operation.ADD),
        p.scale("MultERC", -5, 5),
        p.function("IFT", Operation.IF),
        p.function("LowerEqual", Operation.LOWER_EQUAL),
        p.function("AND", Operation.AND),
        p.function("NotG", Operation.NOT_FIRST),
        p.function("NullJ", Operation.FIRST),
    ),
)
DEEP = PrimitiveSet(
    "deep",
    # No terminal is Boolean: conditions need a comparison, so they are two levels deep at least.
    (
        p.terminal("X", 0),
        p.function("IFT", Operation.IF),
        p.function("OR", Operation.OR),
        p.function("LowerEqual", Operation.LOWER_EQUAL),
    ),
)
ARCHITECTURE = Architecture(
    "sample",
    (
        TreeSlot("value", TYPED),
        TreeSlot("choice", TYPED, Type.BOOLEAN, most_depth=5),
        TreeSlot("deep", DEEP, Type.QUERY),
    ),
    inputs=5,
)


def within(program: Program, depth: int, nodes: int) -> bool:
    """Whether a program keeps the limits; that it is typed, its making has checked."""
    slots = zip(ARCHITECTURE.slots, program.trees, strict=True)
    return program.size <= nodes and all(
        tree.depth <= min(depth, slot.most_depth) for slot, tree in slots
    )
