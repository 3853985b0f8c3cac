"""The types of values in programs, as bit masks: a slot accepts types with a common bit."""

from __future__ import annotations

from enum import IntFlag


class Type(IntFlag):
    """The type of a node's result, or of a slot.

    All values are floats when a program runs; a Boolean is false if it is 0. A slot of type
    `QUERY` takes either, and a node of type `QUERY` fits either slot.
    """

    FLOAT = 1
    BOOLEAN = 2
    QUERY = 3

    def fits(self, slot: Type) -> bool:
        """Whether a node of this type fits that slot."""
        return bool(self & slot)

    @property
    def title(self) -> str:
        return {1: "Float", 2: "Boolean", 3: "Query"}[int(self)]


ATOMS = (Type.FLOAT, Type.BOOLEAN)
"""The types of a single bit."""
