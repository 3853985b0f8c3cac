"""Analysis of evolved programs, after chapter 5 and the Chinese checkers paper.

Terminal strength: the score of a terminal alone, and the loss of a champion without it. Introns:
the share of nodes that never run or have no effect. Diversity: the differences between individuals
that rank the same situations (Kendall's tau).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from engines.programs.code import flatten
from engines.programs.interpreter import STOP, run
from engines.programs.primitives import Operation as Op
from engines.programs.primitives import Primitive
from engines.programs.trees import Architecture, Node, Program
from engines.programs.types import Type
from evolve.fitness.meetings import Opponent, seat_opponents
from evolve.operators.growth import make_node
from evolve.operators.simplification import simplify
from evolve.runs.designation import FinalsSetting, play_all
from evolve.streams import StreamPurpose, stream

DRAWS = 3
"""Number of instances that are tried of a terminal with constants."""


@dataclass(frozen=True)
class Strength:
    """The value of a terminal, in shares of the score."""

    terminal: str
    single: float | None
    """Its share as the whole program, less that of the program 0."""
    disabled: float | None
    """The champion's loss when the terminal is always 0; None if the champion does not use it."""


def _terminals(architecture: Architecture) -> list[Primitive]:
    found: dict[str, Primitive] = {}
    for slot in architecture.slots:
        for primitive in slot.primitives.primitives:
            if primitive.operation is Op.INPUT:
                found.setdefault(primitive.name, primitive)
    return list(found.values())


def _only(architecture: Architecture, leaf: Node, options: dict[str, int]) -> Program | None:
    """The program with this leaf as every tree; a Boolean becomes 1 or 0 in number slots."""
    trees = []
    for slot in architecture.slots:
        tree: Node | None = leaf
        if not leaf.primitive.returns.fits(slot.returns):
            tree = _as_number(slot.primitives.primitives, leaf)
        if tree is None or slot.primitives.by_name.get(leaf.primitive.name) != leaf.primitive:
            return None
        trees.append(tree)
    return Program(architecture, tuple(trees), options)


def _as_number(known: Sequence[Primitive], truth: Node) -> Node | None:
    """(IF truth 1 0), if the primitives have it."""
    choice = next((one for one in known if one.operation is Op.IF), None)
    floats = {
        one.value: Node(one)
        for one in known
        if one.operation is Op.CONSTANT and one.returns & Type.FLOAT
    }
    if choice is None or not {0.0, 1.0} <= set(floats):
        return None
    return Node(choice, (truth, floats[1.0], floats[0.0]))


def _without(program: Program, terminal: Primitive) -> Program | None:
    """The program with 0 in place of the terminal; None if it does not use the terminal."""
    found = False

    def disable(node: Node, known: Sequence[Primitive]) -> Node:
        nonlocal found
        if node.primitive == terminal:
            nothing = _nothing(known, terminal.returns)
            if nothing is not None:
                found = True
                return nothing
        arguments = tuple(disable(argument, known) for argument in node.arguments)
        return Node(node.primitive, arguments, node.values, node.factor)

    trees = tuple(
        disable(tree, slot.primitives.primitives)
        for slot, tree in zip(program.architecture.slots, program.trees, strict=True)
    )
    return Program(program.architecture, trees, program.options) if found else None


def _nothing(known: Sequence[Primitive], returns: Type) -> Node | None:
    """A terminal with the value 0."""
    for one in known:
        fits = one.returns & returns
        if one.operation is Op.CONSTANT and one.value == 0 and fits:
            return Node(one)
    for one in known:
        if one.operation is Op.NUMBER and returns & Type.FLOAT:
            return Node(one, (), (0.0,))
    return None


def strengths(
    finals: FinalsSetting, champion: Program, opponents: Sequence[Opponent], games: int
) -> list[Strength]:
    """The strengths of all terminals of a domain with an arena, strongest first."""
    domain = finals.domain
    options = dict(champion.options)
    random = stream(finals.seed, StreamPurpose.ANALYSIS, 0)
    subjects: list[tuple[str, str, Program]] = [("", "champion", champion)]
    for slot in domain.architecture.slots[:1]:
        nothing = _nothing(slot.primitives.primitives, slot.returns)
        blank = _only(domain.architecture, nothing, options) if nothing else None
        if blank is not None:
            subjects.append(("", "blank", blank))
    for terminal in _terminals(domain.architecture):
        draws = DRAWS if terminal.ephemerals else 1
        for _ in range(draws):
            single = _only(domain.architecture, make_node(random, terminal), options)
            if single is not None:
                subjects.append((terminal.name, "single", single))
        handicapped = _without(champion, terminal)
        if handicapped is not None:
            subjects.append((terminal.name, "disabled", handicapped))
    programs = [program for _, _, program in subjects]
    shares = np.zeros(len(subjects))
    tables = seat_opponents(opponents, domain.finals_seats)
    for number, table in enumerate(tables):
        key = (StreamPurpose.ANALYSIS, 1, number)
        met = play_all(finals, key, programs, table, games)
        shares += [meeting.share() / len(tables) for meeting in met]

    def mean(name: str, what: str) -> float | None:
        found = [
            share
            for (terminal, kind, _), share in zip(subjects, shares, strict=True)
            if terminal == name and kind == what
        ]
        return float(fmean(found)) if found else None

    blank_share, whole = mean("", "blank") or 0.0, mean("", "champion") or 0.0
    found = []
    for terminal in _terminals(domain.architecture):
        alone, without = mean(terminal.name, "single"), mean(terminal.name, "disabled")
        found.append(
            Strength(
                terminal.name,
                None if alone is None else alone - blank_share,
                None if without is None else whole - without,
            )
        )
    return sorted(found, key=lambda one: -(one.disabled or 0.0) - (one.single or 0.0))


def intron_shares(programs: Sequence[Program]) -> tuple[float, float]:
    """The share of nodes that are explicit introns, and the share that simplification removes."""
    total = sum(program.size for program in programs)
    explicit = sum(_hidden(tree) for program in programs for tree in program.trees)
    needed = sum(simplify(program).size for program in programs)
    return explicit / total, 1 - needed / total


def _hidden(node: Node) -> int:
    """The number of nodes below NullJ and NotG that never run."""
    if node.primitive.operation in (Op.FIRST, Op.NOT_FIRST):
        return node.arguments[1].size + _hidden(node.arguments[0])
    return sum(map(_hidden, node.arguments))


def rankings(programs: Sequence[Program], situations: Any) -> Any:
    """The value of each situation by each program: the sum of its trees.

    No game carries out effects here: requested effects count as done, and random numbers are 0.
    """
    values = np.zeros((len(programs), len(situations)))
    for place, program in enumerate(programs):
        code = flatten(program)
        memory = code.new_memory()
        for number, situation in enumerate(situations):
            memory[: len(situation)] = situation
            values[place, number] = sum(_value(code, start, memory) for start in code.starts)
    return values


def _value(code: Any, start: int, memory: Any) -> float:
    at = run(code.instructions, start, memory)
    while code.instructions[at, 0] != STOP:
        _, to, argument, *_ = code.instructions[at]
        memory[to] = float(memory[argument] > 0) if argument else 0.0
        at = run(code.instructions, at + 1, memory)
    return float(memory[code.instructions[at, 2]])


def kendall_taus(values: Any) -> Any:
    """Kendall's tau of every two rows: 1 if they rank all columns alike, -1 if in reverse.

    Ties are handled as in tau-b. A row of equal values has tau 1 with others of its kind, and 0
    with all other rows.
    """
    first, second = np.triu_indices(values.shape[1], 1)
    with np.errstate(invalid="ignore"):
        signs = np.nan_to_num(np.sign(values[:, first] - values[:, second]))
    lengths = np.sqrt((signs**2).sum(axis=1))
    flat = lengths == 0
    lengths[flat] = 1.0
    taus = (signs @ signs.T) / np.outer(lengths, lengths)
    taus[np.ix_(flat, flat)] = 1.0
    above = np.triu_indices(len(values), 1)
    return np.clip(taus[above], -1.0, 1.0)


@dataclass(frozen=True)
class Diversity:
    """The differences in a population's rankings of situations."""

    taus: tuple[float, ...]
    mean: float
    alike: float
    """Share of pairs that agree entirely."""
    spread: float
    """Standard deviation of the other pairs: more is more diverse."""


def diversity(programs: Sequence[Program], situations: Any) -> Diversity:
    taus = kendall_taus(rankings(programs, situations))
    alike = taus > 1 - 1e-9
    others = taus[~alike]
    return Diversity(
        tuple(float(tau) for tau in taus),
        float(taus.mean()) if len(taus) else 1.0,
        float(alike.mean()) if len(taus) else 1.0,
        float(others.std()) if len(others) else 0.0,
    )
