"""Trees as three-address code: flat, lazy, and without instructions that never run.

Terminals are slots of memory and cost no instruction. Conditions become jumps, so that only the
needed parts of a tree run; the introns of FIRST and NOT_FIRST get no code. Temporaries follow the
order of a stack, so their largest number is known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.programs import interpreter as vm
from engines.programs.primitives import Operation as Op
from engines.programs.trees import Node, Program

_SIGNS = {Op.ADD: 1.0, Op.SUB: -1.0, Op.MUL: 0.0, Op.SCALE: 0.0}
"""Operations that become a `STEP` instruction, and their signs."""

_STRICT = {
    Op.DIV: vm.DIV,
    Op.MIN: vm.MIN,
    Op.MAX: vm.MAX,
    Op.ABS: vm.ABS,
    Op.NEG: vm.NEG,
    Op.SIN: vm.SIN,
    Op.COS: vm.COS,
    Op.ASIN: vm.ASIN,
    Op.ACOS: vm.ACOS,
    Op.TAN: vm.TAN,
    Op.GREATER: vm.GREATER,
    Op.SMALLER: vm.SMALLER,
    Op.LOWER_EQUAL: vm.LOWER_EQUAL,
}
"""Other operations that read all arguments; each is one instruction."""

_COMPARISONS = {
    Op.GREATER: (vm.JUMP_GREATER, vm.JUMP_NOT_GREATER),
    Op.SMALLER: (vm.JUMP_SMALLER, vm.JUMP_NOT_SMALLER),
    Op.LOWER_EQUAL: (vm.JUMP_LOWER_EQUAL, vm.JUMP_NOT_LOWER_EQUAL),
}
"""The jumps if a comparison holds, and if it does not."""

_CONNECTIVES = {
    # Whether the result is negated, and the truth of the first argument that decides it.
    Op.AND: (False, False),
    Op.OR: (False, True),
    Op.NAND: (True, False),
    Op.NOR: (True, True),
}

_SMALL = 3
"""Trees of at most this many nodes always run, even if a condition could skip them: this costs less
than a branch misprediction."""


@dataclass(frozen=True, eq=False)
class Code:
    """A program in the form that the interpreter runs."""

    instructions: Any
    """uint16, `WIDTH` per instruction."""
    starts: tuple[int, ...]
    """The first instruction of each tree."""
    inputs: int
    constants: tuple[float, ...]
    own_constants: int
    """The number of constants of the program; the interpreter adds some."""
    stack: int
    """The most temporaries that are in use at once."""
    reads: frozenset[int]
    """The inputs that the code may read."""

    @property
    def slots(self) -> int:
        """The size of the memory: inputs, constants, temporaries and the counter."""
        return self.inputs + len(self.constants) + self.stack + 1

    @property
    def operations(self) -> int:
        """Instructions, where two steps in one count as two."""
        chained = np.count_nonzero(self.instructions[:, 0] == vm.CHAIN)
        return len(self.instructions) + int(chained)

    def lay_out(self, memory: Any) -> None:
        """Put the constants into a memory of at least `slots` numbers; its last one counts."""
        memory[self.inputs : self.inputs + len(self.constants)] = self.constants

    def new_memory(self) -> Any:
        memory = np.zeros(self.slots)
        self.lay_out(memory)
        return memory


def flatten(program: Program) -> Code:
    """The code of all trees of a program."""
    constants = _Constants(program.architecture.inputs)
    for tree in program.trees:
        constants.collect(tree)
    own = len(constants.slots)
    for sign in (0.0, 1.0, -1.0):
        constants.slot(sign)
    writer = _Writer(constants)
    starts = []
    for tree in program.trees:
        starts.append(len(writer.rows))
        writer.emit(vm.STOP, 0, writer.root(tree))
    return Code(
        np.array(writer.rows, np.uint16),
        tuple(starts),
        constants.first,
        tuple(constants.slots),
        own,
        writer.stack,
        frozenset(writer.reads),
    )


class _Constants:
    """The slots of constants. All are known before the first temporary gets its slot."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.slots: dict[float, int] = {}

    def collect(self, tree: Node) -> None:
        for node in tree.walk():
            operation = node.primitive.operation
            if operation is Op.CONSTANT:
                self.slot(node.primitive.value)
            elif operation in (Op.NUMBER, Op.SCALE):
                self.slot(node.values[0])
            if node.factor != 1.0:
                self.slot(node.factor)

    def slot(self, value: float) -> int:
        # -0.0 counts as 0.0: they differ only as divisors, and division by zero is 0.
        return self.slots.setdefault(value + 0.0, self.first + len(self.slots))


class _Writer:
    """Writes instructions. `height` is always the number of temporaries in use."""

    def __init__(self, constants: _Constants) -> None:
        self.rows: list[list[int]] = []
        self.stack = 0
        self.reads: set[int] = set()
        self._constants = constants
        self._temporaries = constants.first + len(constants.slots)
        self._landing = 0

    def emit(self, *numbers: int) -> int:
        self.rows.append([*numbers, *[0] * (vm.WIDTH - len(numbers))])
        return len(self.rows) - 1

    def _land(self, jumps: list[int]) -> None:
        """Set the target of these jumps to the next instruction."""
        for jump in jumps:
            self.rows[jump][1] = len(self.rows)
        self._landing = len(self.rows)

    def _step(self, sign: float, to: int, a: int, b: int) -> None:
        """A sum, difference or product, chained to the previous step if it computes an operand."""
        constant = self._constants.slot
        last = self.rows[-1] if len(self.rows) > self._landing else [vm.STOP]
        if last[0] != vm.STEP or (a == last[1]) == (b == last[1]):
            self.emit(vm.STEP, to, a, b, constant(sign))
            return
        given = b if a == last[1] else a
        signs = (1.0, sign) if a == last[1] else (sign, 1.0)
        if sign == 0.0:
            signs = (0.0, 0.0)
        self.rows[-1] = [vm.CHAIN, to, *last[2:5], given, constant(signs[0]), constant(signs[1])]

    def _temporary(self, height: int) -> int:
        self.stack = max(self.stack, height + 1)
        return self._temporaries + height

    def root(self, tree: Node) -> int:
        """Write a whole tree; returns the slot of its value. Conditions become 1 or 0."""
        slot = self.value(tree, 0)
        if tree.primitive.operation in _CONNECTIVES:
            self._choose(0, slot, self._constants.slot(1.0), self._constants.slot(0.0))
            slot = self._temporary(0)
        return slot

    def value(self, node: Node, height: int) -> int:
        """Write a node; returns the slot of its value.

        A condition that holds is any number but 0.
        """
        if node.factor == 1.0:
            return self._plain(node, height)
        plain, to = self._plain(node, height), self._temporary(height)
        self._step(0.0, to, plain, self._constants.slot(node.factor))
        return to

    def _plain(self, node: Node, height: int) -> int:
        """Like `value`, without the factor."""
        operation = node.primitive.operation
        if operation is Op.INPUT:
            slot = node.primitive.input_of(node.values)
            self.reads.add(slot)
            return slot
        if operation is Op.CONSTANT:
            return self._constants.slot(node.primitive.value)
        if operation is Op.NUMBER:
            return self._constants.slot(node.values[0])
        if operation is Op.FIRST:
            return self.value(node.arguments[0], height)
        if operation in (Op.IF, Op.IF_GREATER, Op.IF_POSITIVE):
            return self._choice(node, height)
        if operation in _CONNECTIVES:
            return self._connective(node, height)
        if operation in (Op.NOT, Op.NOT_FIRST):
            condition = self.value(node.arguments[0], height)
            return self._choose(
                height, condition, self._constants.slot(0.0), self._constants.slot(1.0)
            )
        slots = self._arguments(node.arguments, height)
        to = self._temporary(height)
        if operation is Op.EFFECT:
            self.emit(vm.EFFECT, to, slots[0] if slots else 0, node.primitive.number)
        elif operation is Op.SCALE:
            self._step(0.0, to, slots[0], self._constants.slot(node.values[0]))
        elif operation in _SIGNS:
            self._step(_SIGNS[operation], to, *slots)
        else:
            self.emit(_STRICT[operation], to, *slots)
        return to

    def _choose(self, height: int, condition: int, then: int, otherwise: int) -> int:
        to = self._temporary(height)
        self.emit(vm.CHOOSE, to, then, otherwise, condition)
        return to

    def _arguments(self, nodes: tuple[Node, ...], height: int) -> list[int]:
        """Write the arguments in their order; returns the slots of their values."""
        slots = []
        for number, node in enumerate(nodes):
            slot = self.value(node, height)
            if slot < self._constants.first and any(later.effects for later in nodes[number + 1 :]):
                # A later effect may change this input, so copy it first.
                kept = self._temporary(height)
                self.emit(vm.MOVE, kept, slot)
                slot = kept
            slots.append(slot)
            height += slot >= self._temporaries
        return slots

    def _choice(self, node: Node, height: int) -> int:
        """Write two branches, of which one runs; both leave their value in one slot."""
        *tested, then, otherwise = node.arguments
        if node.primitive.operation is Op.IF and all(map(_is_small, node.arguments)):
            one, other, condition = self._arguments((then, otherwise, *tested), height)
            return self._choose(height, condition, one, other)
        to = self._temporary(height)
        if node.primitive.operation is Op.IF:
            to_else = self._jumps(tested[0], False, height)
        else:
            slots = self._arguments(tuple(tested), height)
            positive = node.primitive.operation is Op.IF_POSITIVE
            what = vm.JUMP_NOT_POSITIVE if positive else vm.JUMP_NOT_GREATER
            to_else = [self.emit(what, 0, *slots)]
        self._into(then, to, height)
        to_end = self.emit(vm.JUMP, 0)
        self._land(to_else)
        self._into(otherwise, to, height)
        self._land([to_end])
        return to

    def _into(self, node: Node, to: int, height: int) -> None:
        """Write a node that leaves its value in the temporary at `height`."""
        slot = self.value(node, height)
        if slot != to:
            self.emit(vm.MOVE, to, slot)

    def _connective(self, node: Node, height: int) -> int:
        """Write a connective, such as AND, as a value."""
        yes, no = self._constants.slot(1.0), self._constants.slot(0.0)
        if _is_small(node):
            negated, decisive = _CONNECTIVES[node.primitive.operation]
            first, second = self._arguments(node.arguments, height)
            either = (yes, second) if decisive else (second, no)
            slot = self._choose(height, first, *either)
            return self._choose(height, slot, no, yes) if negated else slot
        to = self._temporary(height)
        to_false = self._jumps(node, False, height)
        self.emit(vm.MOVE, to, yes)
        to_end = self.emit(vm.JUMP, 0)
        self._land(to_false)
        self.emit(vm.MOVE, to, no)
        self._land([to_end])
        return to

    def _jumps(self, node: Node, when: bool, height: int) -> list[int]:
        """Write jumps that are taken if the node's truth is `when`; their targets are set later."""
        operation = node.primitive.operation
        if node.factor != 1.0:
            return [self._jump_on(self.value(node, height), when)]
        if operation in (Op.NOT, Op.NOT_FIRST):
            return self._jumps(node.arguments[0], not when, height)
        if operation in _CONNECTIVES:
            negated, decisive = _CONNECTIVES[operation]
            first, second = node.arguments
            wanted = when != negated
            if wanted == decisive:
                return self._jumps(first, wanted, height) + self._jumps(second, wanted, height)
            around = self._jumps(first, decisive, height)
            jumps = self._jumps(second, wanted, height)
            self._land(around)
            return jumps
        if operation in _COMPARISONS:
            slots = self._arguments(node.arguments, height)
            return [self.emit(_COMPARISONS[operation][0 if when else 1], 0, *slots)]
        return [self._jump_on(self.value(node, height), when)]

    def _jump_on(self, slot: int, when: bool) -> int:
        return self.emit(vm.JUMP_IF if when else vm.JUMP_UNLESS, 0, slot)


def _is_small(node: Node) -> bool:
    return node.size <= _SMALL and not node.effects
