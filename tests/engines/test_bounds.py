"""Compiled code stays within its arrays: the same walks, with numba's bounds checks on.

Lose checkers has the kernels of checkers, and is left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.compiling import jit

WALK = """
import sys
from itertools import product
from engines.alphabeta import kernels
from engines.alphabeta.contests import RANDOM_MOVER, contest
from engines.games import find_game
from engines.programs.text import parse
from engines.programs.types import Type
from engines.alphabeta.search import Search
game = find_game(sys.argv[1])
try:
    kernels.perft(game.start(0), 3, 0, kernels.new_stack(1), 0)
except IndexError:
    print("checked")
stack = kernels.new_stack()
print(kernels.perft(game.start(0), 5, 0, stack, 0))
for text in sys.argv[2:]:
    state = game.from_position(text)
    kernels.perft(state, 3, 0, stack, 0)
    Search(0).find(state, game.legal(state), 6)
state = game.start(0)
Search(0, table_bits=18).find(state, game.legal(state), 96, nodes=100_000)
# A program that reads every input, with every square.
sums = []
for primitive in game.programs.primitives.terminals(Type.QUERY):
    for values in product(*(ephemeral.values for ephemeral in primitive.ephemerals)):
        asked = f"({primitive.name} {' '.join(map(str, values))})" if values else primitive.name
        if primitive.name == "ERC":
            continue
        sums.append(f"(IFT {asked} One Zero)" if primitive.returns is Type.BOOLEAN else asked)
while len(sums) > 1:
    sums = [f"(Plus {one} {two})" for one, two in zip(sums[::2], sums[1::2] + ["Zero"])]
program = f"(program {game.name} (tree value {sums[0]}))"
curious = game.programs.searcher(parse(program, game.programs.architecture), 2)
for seed in range(200):
    contest(game, [RANDOM_MOVER, curious if seed % 20 == 0 else RANDOM_MOVER], seed)
"""
CROWDED = "BB..BB.wwwB.....wwww......wwww......wwwwB..BBB.... b"
"""More than three hundred jumps."""


@pytest.mark.parametrize(
    ("name", "positions", "leaves"),
    [
        ("checkers", ["B.B.B.B.wwwwBBBB....wwwwBBBB.... b"], 7361),
        pytest.param("checkers-10x10", [CROWDED], 88_900, marks=pytest.mark.proof),
        pytest.param("reversi", [], 1396, marks=pytest.mark.proof),
        ("connect-four", [], 16_807),
    ],
)
def test_walks_stay_in_bounds(
    name: str, positions: list[str], leaves: int, pytestconfig: pytest.Config
) -> None:
    # Code with checks must not enter the cache of code without them.
    compiled = pytestconfig.cache.mkdir("bounds-checked")
    done = subprocess.run(
        [sys.executable, "-c", WALK, name, *positions],
        cwd=Path(jit.SOURCES).parent,
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "LADDER_CACHE": str(compiled)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:2] == ["checked", str(leaves)]
