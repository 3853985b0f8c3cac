"""Inputs of programs on board positions, against a slow reading of the position's text; and the
limits of programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engines.alphabeta import kernels
from engines.alphabeta.evaluators import describe
from engines.alphabeta.programs import BoardPrograms
from engines.alphabeta.search import Search, Switches
from engines.game import Game
from engines.games.checkers import AMERICAN, LARGE, LOSING
from engines.games.connect_four import CONNECT_FOUR
from engines.games.reversi import REVERSI
from engines.programs.primitives import Operation
from engines.programs.text import parse
from engines.programs.trees import BadProgram, Node, Program
from tests.engines.positions import walk
from tests.engines.programs.samples import World, evaluate, grow

CHECKERS = [AMERICAN, LOSING, LARGE]
POSITIONS = st.tuples(st.integers(0, 10_000), st.integers(0, 90))


def mobility(game: Game, state: Any) -> int:
    return len(game.legal(state))


def tell_checkers(game: Any, state: Any) -> dict[tuple[Any, ...], float]:
    """All terminals with their constants, read off the text of the position."""
    cells, side, *_ = game.position(state).split(" ")
    if side == "w":
        cells = cells[::-1].swapcase().replace("w", "-")
        cells = "".join({"B": "w", "W": "b", "b": "W", "-": "B", ".": "."}[c] for c in cells)
    # Now the pieces of the mover are `b`, and move towards higher numbers.
    told: dict[tuple[Any, ...], float] = {("Mobility",): mobility(game, state)}
    counts = {}
    for word, man in (("Friendly", "b"), ("Enemy", "w")):
        men, kings = cells.count(man), cells.count(man.upper())
        counts[word] = {"King": kings, "Man": men, "Piece": men + 1.4 * kings}
        told |= {(f"{word}{what}Count",): count for what, count in counts[word].items()}
    for what in ("King", "Man", "Piece"):
        told[(f"{what}Count",)] = counts["Friendly"][what] - counts["Enemy"][what]
    for number, cell in enumerate(cells, start=1):
        told["IsEmptySquare", number] = cell == "."
        told["IsFriendlyPiece", number] = cell in "bB"
        told["IsKingPiece", number] = cell in "BW"
        told["IsManPiece", number] = cell in "bw"
    return told


def tell_reversi(game: Any, state: Any) -> dict[tuple[Any, ...], float]:
    cells, side = game.position(state).split(" ")
    mine, theirs = cells.count(side), 64 - cells.count(side) - cells.count("-")
    told: dict[tuple[Any, ...], float] = {
        ("FriendlyManCount",): mine,
        ("EnemyManCount",): theirs,
        ("ManCount",): mine - theirs,
        ("Mobility",): mobility(game, state),
    }
    for place, cell in enumerate(cells):
        row, column = place // 8 + 1, place % 8 + 1
        told["IsEmptySquare", row, column] = cell == "-"
        told["IsFriendlyPiece", row, column] = cell == side
        told["IsManPiece", row, column] = cell != "-"
    return told


def tell_connect_four(game: Any, state: Any) -> dict[tuple[Any, ...], float]:
    text, side = game.position(state).split(" ")
    cells = {(6 - n // 7, n % 7 + 1): cell for n, cell in enumerate(text)}
    other = {"x": "o", "o": "x"}[side]

    def makes_four(place: tuple[int, int], mark: str) -> bool:
        filled = cells | {place: mark}
        return any(
            all(filled.get((r + k * down, c + k * right)) == mark for k in range(4))
            for r, c in cells
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        )

    told: dict[tuple[Any, ...], float] = {("EmptyCount",): text.count(".")}
    for word, mark in (("Friendly", side), ("Enemy", other)):
        empty = [place for place, cell in cells.items() if cell == "."]
        threats = [place for place in empty if makes_four(place, mark)]
        told[(f"{word}ThreatCount",)] = len(threats)
        told[(f"{word}OddThreatCount",)] = sum(row % 2 for row, _ in threats)
        told[(f"{word}CentreCount",)] = sum(cells[row, 4] == mark for row in range(1, 7))
    told[("ThreatCount",)] = told[("FriendlyThreatCount",)] - told[("EnemyThreatCount",)]
    for (row, column), cell in cells.items():
        told["IsEmptySquare", row, column] = cell == "."
        told["IsFriendlyPiece", row, column] = cell == side
    return told


TELL: dict[Any, Callable[[Any, Any], dict[tuple[Any, ...], float]]] = {
    **dict.fromkeys(CHECKERS, tell_checkers),
    REVERSI: tell_reversi,
    CONNECT_FOUR: tell_connect_four,
}
"""Slow readings by game; the other games test the inputs of programs in their own files."""
by_game = pytest.mark.parametrize("game", TELL, ids=lambda game: game.name)


def told_inputs(game: Any, state: Any) -> list[float]:
    """The inputs from the slow reading, in the slots of the primitives."""
    told, programs = TELL[game](game, state), game.programs
    inputs = [math.nan] * programs.architecture.inputs
    for primitive in programs.primitives.primitives:
        if primitive.operation is Operation.INPUT:
            for key, value in told.items():
                if key[0] == primitive.name:
                    inputs[primitive.input_of([float(v) for v in key[1:]])] = float(value)
    return inputs


@by_game
@settings(max_examples=60)
@given(position=POSITIONS)
def test_inputs_agree_with_the_text_of_the_position(game: Any, position: tuple[int, int]) -> None:
    state = walk(game, *position)
    assert describe(state, game.programs.inputs) == told_inputs(game, state)


@pytest.mark.parametrize("game", CHECKERS, ids=lambda game: game.name)
@settings(max_examples=40)
@given(position=POSITIONS)
def test_both_colours_see_the_same_board(game: Any, position: tuple[int, int]) -> None:
    state = walk(game, *position)
    cells, side, *quiet = game.position(state).split(" ")
    turned = cells[::-1].translate(str.maketrans("bBwW", "wWbB"))
    mirrored = game.from_position(" ".join([turned, {"b": "w", "w": "b"}[side], *quiet]))
    assert describe(mirrored, game.programs.inputs) == describe(state, game.programs.inputs)


def random_tree(game: Any, seed: int, depth: int = 7) -> Program:
    random = np.random.default_rng(seed)
    architecture = game.programs.architecture
    slot = architecture.slots[0]
    return Program(architecture, (grow(random, slot.returns, depth, slot.primitives),))


@by_game
@settings(max_examples=40)
@given(position=POSITIONS, seed=st.integers(0, 2**32))
def test_the_value_of_a_leaf_is_that_of_the_program(
    game: Any, position: tuple[int, int], seed: int
) -> None:
    """Search one ply: the compiled value of each position after a move, against the slow one."""
    state, program = walk(game, *position), random_tree(game, seed)
    search = Search(game.programs.searcher(program).evaluation, Switches.NONE)
    values = {}
    for move in game.legal(state):
        after = game.play(state, move)
        if game.outcome(after) is None:
            world = World(0)
            world.inputs = np.array(told_inputs(game, after))
            values[move] = -evaluate(program.trees[0], world)
    found = {move: search.find(state, [move], 1).value for move in values}
    for one, two in zip(values, list(values)[1:], strict=False):
        # Ranks have the order of values; sums in another order may differ in the last digits.
        if not math.isclose(values[one], values[two], rel_tol=1e-9, abs_tol=1e-12):
            assert (found[one] < found[two]) == (values[one] < values[two])
    if values:
        assert search.instructions >= len(values)


@by_game
def test_only_inputs_that_are_read_are_computed(game: Any) -> None:
    programs: BoardPrograms = game.programs
    blind = programs.searcher(
        parse(f"(program {game.name} (tree value One))", programs.architecture)
    )
    assert (blind.evaluation.wanted, len(blind.evaluation.places)) == (0, 0)
    square = "(IsFriendlyPiece 1 1)" if game not in CHECKERS else "(IsFriendlyPiece 1)"
    text = f"(program {game.name} (tree value (NullJ (IFT {square} One Zero) ManyNone)))"
    text = text.replace("ManyNone", "EmptyCount" if game is CONNECT_FOUR else "Mobility")
    seeing = programs.searcher(parse(text, programs.architecture))
    assert (seeing.evaluation.wanted, len(seeing.evaluation.places)) == (0, 1)


@example(value=0.0)
@example(value=math.inf)
@given(value=st.floats(allow_nan=False, allow_subnormal=False))
def test_any_value_stays_below_a_win(value: float) -> None:
    programs = REVERSI.programs
    number = programs.primitives.by_name["ERC"]
    infinite = math.isinf(value)
    tree = Node(number, values=(0.0 if infinite else value,))
    if infinite:
        scale = programs.primitives.by_name["MultERC"]
        tree = Node(scale, (Node(number, values=(1e300,)),), (math.copysign(1e300, value),))
    searcher = programs.searcher(Program(programs.architecture, (tree,)))
    state = REVERSI.start(0)
    found = Search(searcher.evaluation).find(state, REVERSI.legal(state), 1)
    assert abs(found.value) < kernels.WIN
    assert (found.value < 0, found.value > 0) == (value > 0, value < 0)


def test_nan_counts_as_nothing() -> None:
    text = "(program reversi (tree value (Minus (MultERC 1e300 1e300) (MultERC 1e300 1e300))))"
    searcher = REVERSI.programs.searcher(parse(text, REVERSI.programs.architecture))
    state = REVERSI.start(0)
    assert Search(searcher.evaluation).find(state, REVERSI.legal(state), 2).value == 0


LARGER = "IsEmptySquare takes a whole number from 1 to 50 here, not '51'"


@pytest.mark.parametrize(
    ("game", "tree", "complaint"),
    [
        (
            AMERICAN,
            "(IFT (IsManPiece 33) One Zero)",
            "column 48: IsManPiece takes a whole number fr",
        ),
        (AMERICAN, "(IFT (IsManPiece 0) One Zero)", "from 1 to 32 here, not '0'"),
        (AMERICAN, "(IFT (IsManPiece 1.5) One Zero)", "from 1 to 32 here, not '1.5'"),
        (
            AMERICAN,
            "(IFT (IsManPiece 1 1) One Zero)",
            "IsManPiece takes 0 arguments, but more are given",
        ),
        (AMERICAN, "(IFT (IsManPiece x) One Zero)", "'x' is not a finite number"),
        (AMERICAN, "(IFT (IsManPiece) One Zero)", "a number belongs here, not"),
        (LARGE, "(IFT (IsEmptySquare 51) One Zero)", LARGER),
        (REVERSI, "(IFT (IsEmptySquare 1 9) One Zero)", "from 1 to 8 here, not '9'"),
        (
            REVERSI,
            "(IFT (IsKingPiece 1 1) One Zero)",
            "there is no 'IsKingPiece' in the tree value",
        ),
        (CONNECT_FOUR, "(IFT (IsEmptySquare 7 1) One Zero)", "from 1 to 6 here, not '7'"),
        (LOSING, "Mobile", "there is no 'Mobile' in the tree value"),
        (LOSING, "True", "a Float belongs here, but 'True' is a Boolean"),
        (LOSING, "(MultERC One)", "'One' is not a finite number"),
        (LOSING, "(Plus One " * 15 + "One", "deeper than 15"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_bad_programs_are_explained(game: Any, tree: str, complaint: str) -> None:
    with pytest.raises(BadProgram, match=r"line 1, column \d+: ") as raised:
        game.programs.player(f"(program {game.name} (tree value {tree}", 0)
    assert complaint in str(raised.value)


@pytest.mark.parametrize("depth", ["0", "7", "-1", "3.0", "x", "99999999999"])
def test_bad_depths_are_explained(depth: str) -> None:
    text = f"(program reversi\n  (depth {depth}) (tree value One))"
    with pytest.raises(BadProgram, match="line 2, column 10: depth is a whole number from 1 to 6"):
        REVERSI.programs.player(text, 0)
