"""Maximum matching in a graph, by Edmonds' algorithm ("Paths, trees, and flowers", 1965)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

NOBODY = -1


def match(neighbours: Sequence[Sequence[int]], first: int = 0) -> list[int]:
    """The mate of every vertex, or `NOBODY`, with as many pairs as possible.

    `neighbours[v]` lists the vertices that `v` may be matched with, best ones first. A greedy pass
    follows these lists, beginning with that of the vertex `first`; it is then changed only where
    more vertices can be matched. A matched vertex stays matched.
    """
    mate = [NOBODY] * len(neighbours)
    order = range(len(neighbours))
    for v in [*order[first:], *order[:first]]:
        wishes = neighbours[v]
        if mate[v] == NOBODY:
            free = next((w for w in wishes if mate[w] == NOBODY), NOBODY)
            if free != NOBODY:
                mate[v], mate[free] = free, v
    for v in range(len(neighbours)):
        if mate[v] == NOBODY:
            _augment(v, neighbours, mate)
    return mate


@dataclass(slots=True)
class _Tree:
    """Alternating paths from one free vertex."""

    parent: list[int]
    base: list[int]
    """The base of the blossom that a vertex is shrunk into."""
    reached: list[bool]
    queue: deque[int]


def _augment(root: int, neighbours: Sequence[Sequence[int]], mate: list[int]) -> None:
    """Grow a tree of alternating paths from a free vertex until it meets another one."""
    parent, base = [NOBODY] * len(mate), list(range(len(mate)))
    reached = [False] * len(mate)
    reached[root] = True
    queue = deque([root])
    tree = _Tree(parent, base, reached, queue)
    while queue:
        v = queue.popleft()
        for w in neighbours[v]:
            if base[v] == base[w] or mate[v] == w:
                continue
            if w == root or (mate[w] != NOBODY and parent[mate[w]] != NOBODY):
                _shrink(v, w, mate, tree)
            elif parent[w] == NOBODY:
                parent[w] = v
                if mate[w] == NOBODY:
                    _flip(w, mate, parent)
                    return
                reached[mate[w]] = True
                queue.append(mate[w])


def _flip(end: int, mate: list[int], parent: list[int]) -> None:
    """Swap matched and unmatched edges along the path from `end` back to the root."""
    while end != NOBODY:
        before = parent[end]
        following = mate[before]
        mate[end], mate[before] = before, end
        end = following


def _shrink(v: int, w: int, mate: list[int], tree: _Tree) -> None:
    """Treat the odd cycle that the edge v–w closes as one vertex."""  # noqa: RUF002
    parent, base, reached = tree.parent, tree.base, tree.reached
    root = _common_base(v, w, mate, parent, base)
    inside = [False] * len(mate)
    for start, child in ((v, w), (w, v)):
        while base[start] != root:
            inside[base[start]] = inside[base[mate[start]]] = True
            parent[start] = child
            child = mate[start]
            start = parent[child]
    for u in range(len(mate)):
        if inside[base[u]]:
            base[u] = root
            if not reached[u]:
                reached[u] = True
                tree.queue.append(u)


def _common_base(v: int, w: int, mate: list[int], parent: list[int], base: list[int]) -> int:
    seen = set()
    while True:
        v = base[v]
        seen.add(v)
        if mate[v] == NOBODY:
            break
        v = parent[mate[v]]
    while base[w] not in seen:
        w = parent[mate[base[w]]]
    return base[w]
