"""The text form of programs: S-expressions that parse to equal programs.

    (program tanks
      (tree ahead (Sub EnemyDistance 100.0))
      (tree turn EnemyBearing)
      (tree gun (IfPositive (Fire 3.0) 0.1 -0.1)))

A bare number is a number constant; other constants of a node stand before its arguments;
`(times NUMBER EXPR)` is a node with a factor; `;` begins a comment. Texts are untrusted: reading
takes time in proportion to their length, and never recurses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from engines.programs.primitives import TIMES, Ephemeral, Operation, Primitive
from engines.programs.trees import Architecture, BadProgram, Node, Program, TreeSlot
from engines.programs.types import Type

MOST_CHARACTERS = 500_000
"""More than the longest program needs; longer texts are refused unread."""

_TOKEN = re.compile(r"\s+|;[^\n]*|([()])|([^\s();]+)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,400}(\.[0-9]{0,400})?([eE][+-]?[0-9]{1,4})?")
_WIDTH = 96
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    at: int


class _TextReader:
    """The tokens of a text, one after the other, with their positions."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self.last = _Token("", 0)

    def _split(self) -> Iterator[_Token]:
        # Every character matches one of the alternatives, so no character is skipped.
        for match in _TOKEN.finditer(self._text):
            if match.lastindex is not None:
                yield _Token(match[0], match.start())

    def next(self, wanted: str) -> _Token:
        token = next(self._tokens, None)
        if token is None:
            raise self.error(_Token("", len(self._text)), f"the text ends where {wanted} belongs")
        self.last = token
        return token

    def take(self, text: str, wanted: str) -> _Token:
        token = self.next(wanted)
        if token.text != text:
            raise self.error(token, f"{wanted} belongs here, not {_shown(token.text)}")
        return token

    def word(self, wanted: str) -> _Token:
        token = self.next(wanted)
        if token.text in "()":
            raise self.error(token, f"{wanted} belongs here, not {_shown(token.text)}")
        return token

    def end(self) -> None:
        token = next(self._tokens, None)
        if token is not None:
            raise self.error(token, f"nothing may follow the program, as {_shown(token.text)} does")

    def error(self, token: _Token, complaint: str) -> BadProgram:
        line = self._text.count("\n", 0, token.at) + 1
        column = token.at - self._text.rfind("\n", 0, token.at)
        return BadProgram(f"line {line}, column {column}: {complaint}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def is_program(text: str) -> bool:
    """Whether a text is meant as a program, by its beginning without comments."""
    reader = _TextReader(text[:MOST_CHARACTERS])
    try:
        return reader.next("").text == "(" and reader.next("").text == "program"
    except BadProgram:
        return False


def game_of(text: str) -> str:
    """The game of a program; raises `BadProgram`."""
    return _begin(text)[1].text


def _begin(text: str) -> tuple[_TextReader, _Token]:
    if len(text) > MOST_CHARACTERS:
        raise BadProgram(f"a program has at most {MOST_CHARACTERS} characters")
    reader = _TextReader(text)
    reader.take("(", "'(program'")
    reader.take("program", "'program'")
    return reader, reader.word("the name of a game")


def parse(text: str, architecture: Architecture) -> Program:
    """Read a program of the game; raises `BadProgram`, with line and column."""
    reader, game = _begin(text)
    if game.text != architecture.game:
        raise reader.error(
            game, f"this program is for {_shown(game.text)}, not for {architecture.game}"
        )
    slots = {slot.name: slot for slot in architecture.slots}
    trees: dict[str, Node] = {}
    options: dict[str, int] = {}
    left = architecture.most_nodes
    while True:
        token = reader.next("'(' or ')'")
        if token.text == ")":
            break
        if token.text != "(":
            raise reader.error(token, f"'(' or ')' belongs here, not {_shown(token.text)}")
        word = reader.word("'tree' or an option")
        if word.text != "tree":
            _read_option(reader, word, architecture, options)
            continue
        name = reader.word("the name of a tree")
        if name.text not in slots:
            raise reader.error(
                name, f"there is no tree {_shown(name.text)}; there are: {', '.join(slots)}"
            )
        if name.text in trees:
            raise reader.error(name, f"the tree {name.text} is there twice")
        tree = _TreeReader(reader, slots[name.text], left).read()
        reader.take(")", "')' after the tree")
        trees[name.text] = tree
        left -= tree.size
    missing = [name for name in slots if name not in trees]
    if missing:
        raise reader.error(token, f"the tree {missing[0]} is missing")
    reader.end()
    return Program(architecture, tuple(trees[name] for name in slots), options)


def _read_option(
    reader: _TextReader, word: _Token, architecture: Architecture, options: dict[str, int]
) -> None:
    known = architecture.options
    if word.text not in known:
        there = f"; there are: {', '.join(known)}" if known else ""
        raise reader.error(word, f"there is no option {_shown(word.text)}{there}")
    if word.text in options:
        raise reader.error(word, f"the option {word.text} is there twice")
    value = reader.word("a whole number")
    allowed = known[word.text].allowed
    if re.fullmatch(r"-?[0-9]{1,9}", value.text) is None or int(value.text) not in allowed:
        raise reader.error(
            value, f"{word.text} is a whole number from {allowed[0]} to {allowed[-1]}"
        )
    options[word.text] = int(value.text)
    reader.take(")", "')' after the option")


@dataclass(slots=True)
class _Open:
    """An open list: a node, or (without primitive) a factor."""

    token: _Token
    slot: Type
    primitive: Primitive | None
    values: tuple[float, ...] = ()
    arguments: list[Node] = field(default_factory=list)


class _TreeReader:
    """Reads one expression; its stack holds the open lists."""

    def __init__(self, reader: _TextReader, slot: TreeSlot, most_nodes: int) -> None:
        self._reader = reader
        self._set = slot.primitives
        self._slot = slot
        self._left = most_nodes
        self._open: list[_Open] = []
        self._depth = 0

    def read(self) -> Node:
        while True:
            token = self._reader.next("an expression")
            if token.text == "(":
                self._begin(token)
                continue
            node = self._close(token) if token.text == ")" else self._leaf(token)
            if node is None:
                continue
            if not self._open:
                return node
            self._open[-1].arguments.append(node)

    def _wanted(self, token: _Token) -> Type:
        """The type of the next place."""
        if not self._open:
            return self._slot.returns
        above = self._open[-1]
        place = len(above.arguments)
        if above.primitive is None:
            if place == 0:
                return above.slot
            raise self._reader.error(token, f"{TIMES} takes a number and one expression")
        if place == len(above.primitive.takes):
            raise self._reader.error(token, _takes(above.primitive, "more"))
        return above.primitive.takes[place]

    def _count(self, token: _Token) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._reader.error(token, "the program has too many nodes")
        if self._depth >= self._slot.most_depth:
            raise self._reader.error(
                token, f"the tree {self._slot.name} is deeper than {self._slot.most_depth}"
            )

    def _begin(self, token: _Token) -> None:
        slot = self._wanted(token)
        word = self._reader.word("the name of a function")
        if word.text == TIMES:
            if self._open and self._open[-1].primitive is None:
                raise self._reader.error(word, f"{TIMES} cannot be nested in {TIMES}")
            self._open.append(_Open(token, slot, None, (self._number(),)))
            return
        primitive = self._named(word, slot)
        self._count(word)
        self._depth += 1
        values = tuple(self._constant(primitive, e) for e in primitive.ephemerals)
        self._open.append(_Open(token, slot, primitive, values))

    def _close(self, token: _Token) -> Node | None:
        if not self._open:
            raise self._reader.error(token, "an expression belongs here, not ')'")
        ended = self._open.pop()
        if ended.primitive is None:
            if not ended.arguments:
                raise self._reader.error(token, f"{TIMES} takes a number and one expression")
            plain = ended.arguments[0]
            if not plain.primitive.returns & Type.FLOAT:
                raise self._reader.error(ended.token, f"only a Float may have {TIMES} before it")
            return Node(plain.primitive, plain.arguments, plain.values, ended.values[0])
        if len(ended.arguments) < len(ended.primitive.takes):
            raise self._reader.error(token, _takes(ended.primitive, "fewer"))
        self._depth -= 1
        return Node(ended.primitive, tuple(ended.arguments), ended.values)

    def _leaf(self, token: _Token) -> Node:
        slot = self._wanted(token)
        number = self._set.number
        values: tuple[float, ...]
        if _NUMBER.fullmatch(token.text) and number is not None:
            primitive, values = number, (self._float(token),)
            self._check_type(token, primitive, slot)
            if not primitive.ephemerals[0].allows(values[0]):
                raise self._reader.error(token, f"{primitive.name} cannot be {values[0]}")
        else:
            primitive, values = self._named(token, slot), ()
            if primitive.takes or primitive.ephemerals:
                raise self._reader.error(token, f"{primitive.name} needs parentheses around it")
        self._count(token)
        return Node(primitive, (), values)

    def _named(self, word: _Token, slot: Type) -> Primitive:
        primitive = self._set.by_name.get(word.text)
        if primitive is None or primitive.operation is Operation.NUMBER:
            raise self._reader.error(
                word, f"there is no {_shown(word.text)} in the tree {self._slot.name}"
            )
        self._check_type(word, primitive, slot)
        return primitive

    def _check_type(self, token: _Token, primitive: Primitive, slot: Type) -> None:
        if not primitive.returns.fits(slot):
            raise self._reader.error(
                token,
                f"a {slot.title} belongs here, but {_shown(token.text)} is "
                f"a {primitive.returns.title}",
            )

    def _constant(self, primitive: Primitive, ephemeral: Ephemeral) -> float:
        value = self._number()
        if not ephemeral.allows(value):
            token, wanted = self._reader.last, _wanted(ephemeral)
            raise self._reader.error(
                token, f"{primitive.name} takes {wanted} here, not {_shown(token.text)}"
            )
        return value

    def _number(self) -> float:
        return self._float(self._reader.word("a number"))

    def _float(self, token: _Token) -> float:
        value = float(token.text) if _NUMBER.fullmatch(token.text) else math.nan
        if not math.isfinite(value):
            raise self._reader.error(token, f"{_shown(token.text)} is not a finite number")
        return value


def _wanted(ephemeral: Ephemeral) -> str:
    """A description of the allowed values of a constant from a set."""
    low, high = min(ephemeral.values), max(ephemeral.values)
    if {*ephemeral.values} == {float(n) for n in range(int(low), int(high) + 1)}:
        return f"a whole number from {low:g} to {high:g}"
    return "one of " + ", ".join(f"{value:g}" for value in ephemeral.values)


def _takes(primitive: Primitive, given: str) -> str:
    count = len(primitive.takes)
    return f"{primitive.name} takes {count} argument{'s' * (count != 1)}, but {given} are given"


def write(program: Program) -> str:
    """The program as text; `parse` reads an equal program from it."""
    architecture = program.architecture
    lines = [f"(program {architecture.game}"]
    lines += [f"  ({name} {value})" for name, value in sorted(program.options.items())]
    for slot, tree in zip(architecture.slots, program.trees, strict=True):
        head = f"  (tree {slot.name} "
        lines.append(f"{head}{_write(tree, 4, _WIDTH - len(head) - 2)})")
    return "\n".join(lines) + ")\n"


def write_tree(tree: Node) -> str:
    """One expression on one line."""
    return _flat(tree)


def _plain_parts(node: Node) -> list[str]:
    """The name and the constants of a node, which stand before its arguments."""
    values = [
        # Members of a set are mostly whole: squares, columns.
        str(int(value)) if ephemeral.values and value.is_integer() else _written(value)
        for ephemeral, value in zip(node.primitive.ephemerals, node.values, strict=True)
    ]
    if node.primitive.operation is Operation.NUMBER:
        return values
    return [node.primitive.name, *values]


def _written(value: float) -> str:
    return repr(float(value))


def _flat(node: Node) -> str:
    parts = [*_plain_parts(node), *map(_flat, node.arguments)]
    plain = f"({' '.join(parts)})" if len(parts) > 1 else parts[0]
    return plain if node.factor == 1.0 else f"({TIMES} {_written(node.factor)} {plain})"


def _write(node: Node, indent: int, room: int) -> str:
    """Like `_flat` if that fits the width, otherwise one argument per line."""
    # Only small trees can fit: measuring large ones at every level would take quadratic time.
    flat = _flat(node) if node.size < _WIDTH else None
    if flat is not None and len(flat) <= max(room, _SHOWN):
        return flat
    head = " ".join(_plain_parts(node))
    if node.factor != 1.0:
        head = f"{TIMES} {_written(node.factor)} ({head}"
    inner = indent + 2 if indent < _SHOWN else indent
    below = "".join(
        f"\n{' ' * indent}{_write(argument, inner, _WIDTH - indent)}" for argument in node.arguments
    )
    return f"({head}{below}){')' * (node.factor != 1.0)}"
