"""The cost of the search per node, by depth. Run it as `python -m bench.search`."""

from __future__ import annotations

import time

from bench import search_table
from engines.alphabeta.search import Search
from engines.games.checkers import AMERICAN

ROUNDS = 20


def spent(search: Search, depth: int) -> float:
    """CPU seconds of one search from the opening."""
    state = AMERICAN.start(0)
    moves = AMERICAN.legal(state)
    started = time.process_time()
    search.find(state, moves, depth)
    return time.process_time() - started


def measure_depths() -> None:
    """Nodes per second of the whole search by depth, with a material leaf, from the opening."""
    state = AMERICAN.start(0)
    moves = AMERICAN.legal(state)
    search = Search(search_table.CHECKERS.evaluation)
    search.find(state, moves, 2)
    for depth in (4, 6, 8, 10, 12):
        # Clearing the memory is part of a search, but not of a node.
        idle = min(spent(search, 1) for _ in range(ROUNDS))
        best = min(spent(search, depth) for _ in range(ROUNDS)) - idle
        found = search.find(state, moves, depth)
        rate = found.nodes / best / 1e6
        print(
            f"depth {depth:2}: {found.nodes:9,} nodes, {rate:5.1f} M/s, {1e3 / rate:5.0f} ns each"
        )


def main() -> None:
    measure_depths()


if __name__ == "__main__":
    main()
