"""The types of values in programs, as bit masks: a slot takes what shares a bit with it."""

from __future__ import annotations

from enum import IntFlag


class Type(IntFlag):
    """What a node returns, or what a slot takes.

    All values are floats when a program runs; a Boolean is false where it is 0. A slot of type
    `QUERY` takes either, and a node of type `QUERY` fits either slot.
    """

    FLOAT = 1
    BOOLEAN = 2
    QUERY = 3

    def fits(self, slot: Type) -> bool:
        """Whether a node that returns this may stand in that slot."""
        return bool(self & slot)

    @property
    def title(self) -> str:
        return {1: "Float", 2: "Boolean", 3: "Query"}[int(self)]


ATOMS = (Type.FLOAT, Type.BOOLEAN)
"""The types that are no mixture."""
