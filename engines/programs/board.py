"""Primitives of all board games: Tables 3.1 and 3.4 of Sipper's "Evolved to Win"."""

from __future__ import annotations

from engines.programs.primitives import Operation, constant, ephemeral, function, scale
from engines.programs.types import Type

MOST_DEPTH = 15
"""Depth of the tree: the book's programs had at most this depth, less with deeper searches."""

BASICS = (
    ephemeral("ERC", -5.0, 5.0, about="a number constant"),
    constant("False", 0.0, Type.BOOLEAN, about="never"),
    constant("One", 1.0, about="1"),
    constant("True", 1.0, Type.BOOLEAN, about="always"),
    constant("Zero", 0.0, about="0"),
)
FUNCTIONS = (
    function("AND", Operation.AND, about="whether both hold"),
    function("LowerEqual", Operation.LOWER_EQUAL, about="x <= y"),
    function("NAND", Operation.NAND, about="whether at least one does not hold"),
    function("NOR", Operation.NOR, about="whether neither holds"),
    function("NOTG", Operation.NOT_FIRST, about="whether the first does not hold"),
    function("OR", Operation.OR, about="whether one of them holds"),
    function("IFT", Operation.IF, about="if the first holds the second, else the third"),
    function("Minus", Operation.SUB, about="x - y"),
    scale("MultERC", -5.0, 5.0, about="x times a number constant"),
    function("NullJ", Operation.FIRST, about="the first; the second never runs"),
    function("Plus", Operation.ADD, about="x + y"),
)
