"""Compares the speed of this checkout with another one, in one run of alternating processes.

    python -m bench.compare ../before             perft, playouts, searches, contests, tanks, trees
    python -m bench.compare ../before --compile   the compile time of each family of games
    python -m bench.compare                       this checkout with itself: the size of the noise

A child process measures all cases of one checkout, in CPU time, and each case by the best of a few
short runs; then the other checkout follows. A busy machine affects both alike. A ratio above 1
means that this checkout is faster. Its interval holds the middle half of the rounds.
The first child of each checkout compiles and does not count.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

HERE = Path(__file__).resolve().parents[1]
LEAST = 0.95
"""A smaller ratio counts as a slowdown."""
SHORT_S = 0.03
"""Approximate CPU time of one run of a case."""
RUNS = 7
BOARDS = {
    "reversi": (8, 8),
    "connect-four": (8, 9),
    "checkers": (9, 9),
    "lose-checkers": (9, 9),
    "checkers-10x10": (6, 7),
}
"""Depths of perft and of the search."""

Case: TypeAlias = tuple[str, Callable[[], int]]
"""A name, and a short run that returns its amount of work."""


def _find(name: str) -> Any:
    """A module at its current place, or at its former place in the root of its package.

    It checks files instead of importing: an editable installation would find a missing module in
    another checkout.
    """
    package, folder, module = name.split(".")
    root = Path(importlib.import_module(package).__file__ or "").parent
    return importlib.import_module(name if (root / folder).is_dir() else f"{package}.{module}")


kernels, mix = _find("engines.alphabeta.kernels"), _find("engines.compiling.bits").mix


@_find("engines.compiling.jit").njit  # type: ignore[untyped-decorator]
def _play_many(start: Any, count: int, stack: Any) -> int:
    """Plies of many random games."""
    plies = 0
    for number in range(1, count + 1):
        plies += kernels.playout(start, mix(np.uint64(number)), stack, 0)
    return plies


def board_cases(name: str) -> Iterator[Case]:
    search = _find("engines.alphabeta.search")
    contest = _find("engines.alphabeta.contests").contest
    games = {game.name: game for game in importlib.import_module("engines.games").GAMES}
    game, (plies, depth) = games[name], BOARDS[name]
    stack, state = kernels.new_stack(), game.start(0, 2)
    yield f"{name}: perft", partial(kernels.perft, state, plies, 0, stack, 0)
    yield f"{name}: playouts", partial(_play_many, state, 500, stack)
    for move in game.opening(1, 2):
        state = game.play(state, move)
    for title, evaluation in (("house evaluation", 1), ("program", _program(game))):
        find = partial(search.Search(evaluation).find, state, game.legal(state), depth)
        yield f"{name}: search, {title}", partial(_nodes, find)
    bots = [game.searchers["alphabeta-3"]] * 2
    yield f"{name}: contests", partial(_plies, partial(contest, game, bots, 7))


def _nodes(find: Callable[[], Any]) -> int:
    return int(find().nodes)


def _plies(play: Callable[[], Any]) -> int:
    return len(play().moves)


def _program(game: Any) -> Any:
    """An evaluator with trees like those at the start of evolution."""
    growth, streams = _find("evolve.operators.growth"), importlib.import_module("evolve.streams")
    architecture = game.programs.architecture
    # Its name before was `Limits`.
    limits = getattr(growth, "TreeLimits", None) or growth.Limits
    tree = growth.ramped(streams.stream(4), architecture, limits(8, 200), 9, range(6, 7))
    return game.programs.searcher(tree).evaluation


def tank_cases() -> Iterator[Case]:
    battle = importlib.import_module("engines.games.tanks.battle").battle
    read = importlib.import_module("engines.games.tanks.program").compile_text
    programs = [read((HERE / f"prove/{name}.lisp").read_text()) for name in ("chaser", "gambler")]
    yield "tanks: Crazy v SpinBot", lambda: sum(battle(["Crazy", "SpinBot"], 3, 10).turns)
    yield "tanks: programs", lambda: sum(battle(programs, 3, 10).turns)
    melee = importlib.import_module("bench.tanks").MELEE
    yield "tanks: melee of 10", lambda: sum(battle(melee, 3, 1, 1000, 1000).turns)


def tree_cases() -> Iterator[Case]:
    bench: Any = importlib.import_module("evolve.bench")
    trees = bench.sample_trees()
    nodes = int(sum(tree.size for tree in trees))
    ready = [bench.Evaluation.of(bench.ARCHITECTURE, one, bench.sample_inputs()) for one in trees]

    def evaluate() -> int:
        for one in ready:
            bench._repeat(*one, 50)
        return 50 * nodes

    yield "trees: nodes", evaluate


PARTS: dict[str, Callable[[], Iterator[Case]]] = {
    **{name: partial(board_cases, name) for name in BOARDS},
    "tanks": tank_cases,
    "trees": tree_cases,
}


def measure(part: str | None) -> dict[str, float]:
    """Work per CPU second of every case, the best of a few runs."""
    parts = PARTS if part is None else [part]
    return {name: _best_rate(run) for each in parts for name, run in PARTS[each]()}


def _best_rate(run: Callable[[], int]) -> float:
    run()
    started = time.process_time()
    run()
    repeats = max(1, round(SHORT_S / max(time.process_time() - started, 1e-6)))
    best = 0.0
    for _ in range(RUNS):
        started = time.process_time()
        work = sum(run() for _ in range(repeats))
        best = max(best, work / (time.process_time() - started))
    return best


def compile_all(part: str | None) -> dict[str, float]:
    """One over the CPU seconds that each family of games takes to compile, with an empty cache."""
    warmup = _find("engines.compiling.warmup")
    found = {}
    for family in warmup.families():
        if part not in (None, *(game.name for game in family)):
            continue
        started = time.process_time()
        for game in family:
            warmup.warm(game)
        found[family[0].name] = 1 / (time.process_time() - started)
    return found


def ask(checkout: Path, part: str | None, compiling: bool) -> dict[str, float]:
    """The figures of a checkout, from a process that sees only its packages."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0"}
    options = ["--compile"] * compiling + (["--part", part] if part else [])
    with tempfile.TemporaryDirectory(prefix="bench-compare-") as empty:
        if compiling:
            environment["LADDER_CACHE"] = empty
        told = subprocess.run(
            # Without -P its own folder would come first, which contains engines.py and evolve.py.
            [sys.executable, "-P", str(Path(__file__)), "--child", *options],
            env=environment,
            cwd=checkout,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    figures: dict[str, Any] = json.loads(told.stdout)
    if strangers := [file for file in figures.pop("files") if not file.startswith(f"{checkout}/")]:
        raise SystemExit(f"the measured process used files from outside {checkout}: {strangers}")
    return figures


def compare(other: Path, rounds: int, part: str | None, compiling: bool) -> bool:
    """Print a line per case; returns whether no case is slower than allowed."""
    pair = (HERE, other.resolve())
    if not compiling:
        for checkout in pair:
            ask(checkout, part, False)
    ours: list[Mapping[str, float]] = []
    theirs: list[Mapping[str, float]] = []
    for number in range(rounds):
        # The load of the machine may change between the first and the second of a pair.
        for place in (0, 1) if number % 2 == 0 else (1, 0):
            (ours, theirs)[place].append(ask(pair[place], part, compiling))
    good = True
    for case in [name for name in ours[0] if name in theirs[0]]:
        mine, others = ([figures[case] for figures in many] for many in (ours, theirs))
        ratios = [a / b for a, b in zip(mine, others, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4) if rounds > 1 else ratios * 3
        best = max(mine) / max(others)
        shown = f"{1 / max(mine):8.2f} s" if compiling else f"{max(mine) / 1e6:8.2f} M/s"
        slow = max(middle, best) < LEAST
        good = good and not slow
        print(
            f"{case:38} {shown}  median {middle:.3f} ({low:.3f} to {high:.3f}), best {best:.3f}"
            + ("  SLOWER" if slow else ""),
            flush=True,
        )
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, nargs="?", default=HERE, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=4, help="processes of each checkout")
    parser.add_argument("--compile", action="store_true", help="measure compilation instead")
    parser.add_argument("--part", choices=PARTS, help="one game, or the trees, alone")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    flags = parser.parse_args()
    if flags.child:
        figures: dict[str, Any] = dict(
            compile_all(flags.part) if flags.compile else measure(flags.part)
        )
        figures["files"] = [
            module.__file__
            for name, module in sys.modules.items()
            if name.partition(".")[0] in ("engines", "evolve") and module.__file__ is not None
        ]
        print(json.dumps(figures))
    elif flags.rounds < 1 or not (flags.other / "engines").is_dir():
        parser.error("name the folder of a checkout of this project, and at least 1 round")
    else:
        sys.exit(not compare(flags.other, flags.rounds, flags.part, flags.compile))


if __name__ == "__main__":
    main()
