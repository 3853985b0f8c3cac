"""Programs at the leaves of searches: nodes per second, and whole games per second.

Run it as `python -m bench.contests`. Programs are random trees of about 40 nodes without introns:
lazy ones with all functions, which skip irrelevant parts, and strict ones with arithmetic only, so
that each leaf executes all nodes.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np

from engines.alphabeta.contests import Searcher, contest
from engines.alphabeta.search import Search
from engines.game import Game
from engines.games import GAMES
from engines.games.checkers import AMERICAN, LOSING
from engines.programs.primitives import Operation
from engines.programs.trees import Node, Program
from engines.programs.types import Type

SIZES = range(37, 44)
PROGRAMS, ROUNDS, DEPTH, GAMES_PLAYED = 12, 3, 8, 200
INTRONS = Operation.FIRST, Operation.NOT_FIRST


def grow(game: Any, random: np.random.Generator, slot: Type, size: int, strict: bool) -> Node:
    """A random tree without introns, of about this size."""
    primitives = game.programs.primitives
    fitting = [
        function
        for function in primitives.functions(slot)
        if function.operation not in INTRONS
        and len(function.takes) < size
        and not (strict and Type.BOOLEAN in function.takes)
    ] or primitives.terminals(slot)
    chosen = fitting[int(random.integers(len(fitting)))]
    share = (size - 1) // max(1, len(chosen.takes))
    arguments = tuple(grow(game, random, taken, share, strict) for taken in chosen.takes)
    return Node(chosen, arguments, tuple(e.draw(random) for e in chosen.ephemerals))


def programs(game: Any, strict: bool) -> list[Program]:
    random, found = np.random.default_rng(1), list[Program]()
    while len(found) < PROGRAMS:
        tree = grow(game, random, Type.FLOAT, SIZES.stop, strict)
        if tree.size in SIZES:
            found.append(Program(game.programs.architecture, (tree,)))
    return found


def measure_nodes(game: Any, searchers: list[Searcher], title: str) -> None:
    """Nodes per second of the whole search, from a few openings."""
    states = [game.start(0)]
    for seed in range(3):
        state = game.start(0)
        for move in game.opening(seed):
            state = game.play(state, move)
        states.append(state)
    rates, executed, nodes = [], 0, 0
    for searcher in searchers:
        evaluation = searcher.evaluation
        assert not isinstance(evaluation, range)
        search, best = Search(evaluation), 0.0
        for state in states * ROUNDS:
            started = time.process_time()
            found = search.find(state, game.legal(state), DEPTH)
            best = max(best, found.nodes / (time.process_time() - started))
            nodes += found.nodes
        executed += search.instructions
        rates.append(best)
    median, least = sorted(rates)[len(rates) // 2], min(rates)
    print(
        f"{game.name}, depth {DEPTH}, {title}: {median / 1e6:.1f} M nodes/s"
        f" (least {least / 1e6:.1f}), {executed / nodes:.1f} instructions a node"
    )


def measure_games(game: Any, seats: list[list[Searcher]], title: str) -> None:
    started = time.process_time()
    for number in range(GAMES_PLAYED):
        contest(game, seats[number % len(seats)], number)
    print(f"{game.name}, {title}: {GAMES_PLAYED / (time.process_time() - started):,.0f} games/s")


def main() -> None:
    measure_nodes(AMERICAN, [Searcher(8, 0)], "material")
    for strict in (False, True):
        kind = "strict programs" if strict else "lazy programs"
        bred = [AMERICAN.programs.searcher(p) for p in programs(AMERICAN, strict)]
        measure_nodes(AMERICAN, bred, kind)
        losing = programs(LOSING, strict)
        for depth in (1, 2, 3, 4):
            bred = [LOSING.programs.searcher(p, depth) for p in losing]
            pairs = [[one, two] for one, two in pairwise(bred)]
            measure_games(LOSING, pairs, f"{kind} at depth {depth}")
    for game in GAMES:
        if isinstance(game, Game) and hasattr(game, "searchers"):
            bots = game.searchers
            measure_games(game, [[bots["alphabeta-3"], bots["alphabeta-3"]]], "alphabeta-3")


if __name__ == "__main__":
    main()
