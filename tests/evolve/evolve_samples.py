"""Primitives, programs and a tiny domain for the tests of evolve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.programs import primitives as p
from engines.programs.primitives import Operation, PrimitiveSet
from engines.programs.trees import Architecture, Node, Program, TreeSlot
from engines.programs.types import Type
from evolve.domain import Control, Designation, Domain
from evolve.errors import GuideFailed
from evolve.fitness.measures import Fitness
from evolve.fitness.meetings import InProcessOpponent, TableResult
from evolve.operators.breeding import SingleOperatorBreeding
from evolve.operators.growth import TreeLimits

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
    """Whether a program respects the limits; its creation checks the types."""
    slots = zip(ARCHITECTURE.slots, program.trees, strict=True)
    return program.size <= nodes and all(
        tree.depth <= min(depth, slot.most_depth) for slot, tree in slots
    )


NUMBERS = PrimitiveSet(
    "numbers",
    (
        p.ephemeral("Number", 0, 1),
        p.function("Plus", Operation.ADD),
        p.function("Minus", Operation.SUB),
        p.function("Times", Operation.MUL),
    ),
)
HIGH_CARD = Architecture("high-card", (TreeSlot("value", NUMBERS),), 1)


@dataclass(frozen=True)
class HighCard:
    """A game of luck: a program is a number; the larger sum of number and random card wins.

    Players are numbers; so are the house bots.
    """

    luck: float = 1.0
    game: str = "high-card"
    revision: int = 1
    seats: int = 2

    @property
    def architecture(self) -> Architecture:
        return HIGH_CARD

    @property
    def house(self) -> tuple[str, ...]:
        return ("zero", "one", "two", "ten")

    def player(self, program: Program) -> float:
        return worth(program)

    def house_player(self, name: str) -> float:
        return {"zero": 0.0, "one": 1.0, "two": 2.0, "ten": 10.0}[name]

    def meet(self, players: Sequence[float], seed: int, games: int) -> TableResult:
        assert len(players) == self.seats
        random = np.random.default_rng(seed)
        # All players except the last draw a card for each game.
        cards = random.normal(0, self.luck, (games, self.seats - 1)) if self.luck else None
        won: list[list[float]] = [[] for _ in players]
        for game in range(games):
            drawn = [0.0] * self.seats if cards is None else [*cards[game].tolist(), 0.0]
            hands = [player + card for player, card in zip(players, drawn, strict=True)]
            best = [hand == max(hands) for hand in hands]
            for player, is_best in enumerate(best):
                won[player].append(is_best / sum(best))
        executed = tuple(games * (3 + 2 * player) for player in range(self.seats))
        return TableResult(tuple(tuple(one) for one in won), executed)

    def situations(self, random: np.random.Generator, count: int) -> Any:
        return random.uniform(0, 1, (count, 1))


def worth(program: Program) -> float:
    """The number that a program consists of."""

    def number(node: Node) -> float:
        parts = [number(argument) for argument in node.arguments]
        plain = {
            "Number": lambda: node.values[0],
            "Plus": lambda: parts[0] + parts[1],
            "Minus": lambda: parts[0] - parts[1],
            "Times": lambda: parts[0] * parts[1],
        }[node.primitive.name]()
        return plain * node.factor

    return number(program.trees[0])


def high_card(
    fitness: Fitness, luck: float = 1.0, guides: Sequence[str] = (), **control: Any
) -> Domain:
    """A domain for tests: small and quick."""
    settings = {
        "population": 16,
        "generations": 5,
        "breeding": SingleOperatorBreeding(),
        "limits": TreeLimits(5, 40),
    }
    arena = HighCard(luck)
    return Domain(
        "high-card",
        HIGH_CARD,
        fitness,
        arena,
        tuple(guides),
        Control(**{**settings, **control}),
        Designation(("house:two",), ("house:zero", "house:ten"), 4, 50, 20),
    )


def numbers(*values: float) -> list[Program]:
    """Programs that consist of one of these numbers each."""
    return [Program(HIGH_CARD, (Node(NUMBERS.number, (), (value,)),)) for value in values]


def resident(name: str, arena: HighCard | None = None) -> InProcessOpponent:
    arena = arena or HighCard()
    return InProcessOpponent(f"house:{name}", name, "house", None, arena, arena.house_player(name))


class Breaking:
    """A guide that fails after a number of meetings."""

    name, bot, kind, sha256 = "wild", "wild", "python", "ab" * 32

    def __init__(self, after: int) -> None:
        self.left = after

    def meet(self, table: Sequence[Any], seed: int, games: int) -> TableResult:
        self.left -= 1
        if self.left < 0:
            raise GuideFailed(self.name, "it exited with status 1")
        players = [getattr(one, "player", 1.0) for one in table]
        return HighCard(seats=len(table)).meet(players, seed, games)
