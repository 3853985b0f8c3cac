"""Draws the trees of a program: its text in, SVG coordinates out. Templates do the drawing.

A tree grows from left to right, a line for each leaf, as long expressions are easiest to read.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from engines.programs.primitives import Operation
from engines.programs.text import parse
from engines.programs.trees import BadProgram, Node
from ladder.boards.ladders import installed

MOST_NODES = 400
"""Most nodes of one tree. A subtree beyond them is drawn as one node with its size."""

LINE, CHARACTER, GAP, MARGIN = 22, 7, 28, 8
"""Height of a line, width of a character, width for edges, and margin, in pixels."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A node at its position; `look` is `function`, `terminal`, `number` or `cut`."""

    x: float
    y: float
    label: str
    look: str


@dataclass(frozen=True, slots=True)
class Drawing:
    name: str
    size: int
    depth: int
    width: float
    height: float
    spots: tuple[Spot, ...]
    edges: tuple[str, ...]
    """Paths from each node to those below it."""


def draw_program(game: str, text: bytes) -> list[Drawing]:
    """A picture of each tree; none when the text is not a program of a game of this server."""
    rules = installed(game)
    if rules is None or (known := rules.programs) is None:
        return []
    try:
        program = parse(text.decode(), known.architecture)
    except (BadProgram, UnicodeDecodeError):
        return []
    slots = program.architecture.slots
    return [draw_tree(slot.name, tree) for slot, tree in zip(slots, program.trees, strict=True)]


def draw_tree(name: str, tree: Node) -> Drawing:
    shown = _chosen(tree)
    columns: list[int] = []

    def measure(node: Node, level: int) -> None:
        if level == len(columns):
            columns.append(0)
        columns[level] = max(columns[level], len(_label(node, id(node) in shown)[0]))
        if id(node) in shown:
            for argument in node.arguments:
                measure(argument, level + 1)

    measure(tree, 0)
    left = [float(MARGIN)]
    for characters in columns:
        left.append(left[-1] + characters * CHARACTER + GAP)
    spots: list[Spot] = []
    edges: list[str] = []
    line = 0

    def place(node: Node, level: int) -> float:
        nonlocal line
        label, look = _label(node, id(node) in shown)
        below = node.arguments if id(node) in shown else ()
        if below:
            rows = [place(argument, level + 1) for argument in below]
            y = (rows[0] + rows[-1]) / 2
            start = left[level] + len(label) * CHARACTER + 4
            middle, end = left[level + 1] - GAP / 2, left[level + 1] - 4
            edges.extend(f"M{start:g} {y:g}H{middle:g}V{row:g}H{end:g}" for row in rows)
        else:
            y = MARGIN + LINE * (line + 0.5)
            line += 1
        spots.append(Spot(left[level], y, label, look))
        return y

    place(tree, 0)
    return Drawing(
        name=name,
        size=tree.size,
        depth=tree.depth,
        width=left[-1],
        height=line * LINE + 2 * MARGIN,
        spots=tuple(spots),
        edges=tuple(edges),
    )


def _chosen(tree: Node) -> set[int]:
    """The nodes that are drawn in full: the upper ones, up to `MOST_NODES`."""
    shown: set[int] = set()
    waiting = deque([tree])
    drawn = 1
    while waiting:
        node = waiting.popleft()
        drawn += len(node.arguments)
        if drawn > MOST_NODES:
            break
        shown.add(id(node))
        waiting.extend(node.arguments)
    return shown


def _label(node: Node, shown: bool) -> tuple[str, str]:
    """The text of a node, and its look."""
    if not shown and node.arguments:
        return f"… {node.size} nodes", "cut"
    values = " ".join(f"{value:.4g}" for value in node.values)
    number = node.primitive.operation is Operation.NUMBER
    label = values if number else f"{node.primitive.name} {values}".strip()
    if node.factor != 1.0:
        label = f"{label} ×{node.factor:.3g}"  # noqa: RUF001 - the sign of multiplication
    look = "function" if node.arguments else "number" if number else "terminal"
    return label, look
