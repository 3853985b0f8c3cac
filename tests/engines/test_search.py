"""Alpha-beta against plain minimax, its limits, its determinism, and its use from threads."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import pytest

from engines.alphabeta import kernels
from engines.alphabeta.search import MAX_DEPTH, WIN, Search, SearchResult, Switches
from engines.game import Game
from engines.games.checkers import AMERICAN, LARGE, LOSING
from engines.games.checkers.evaluation import EXPERT, RANDOM
from engines.games.connect_four import CONNECT_FOUR
from engines.games.reversi import REVERSI

CHECKERS = [AMERICAN, LOSING, LARGE]
GAMES = [REVERSI, CONNECT_FOUR, *CHECKERS]
SINGLE = list(Switches.FIXED_DEPTH)
SAME_VALUE = [Switches(sum(chosen)) for size in range(6) for chosen in combinations(SINGLE, size)]
EVALUATION = 1


def midgame(game: Game, seed: int, plies: int) -> Any:
    """A position `plies` random moves from the start."""
    draw = random.Random(seed)
    while True:
        state = game.start(seed)
        for _ in range(plies):
            state = game.play(state, draw.choice(game.legal(state)))
            if game.outcome(state) is not None:
                break
        else:
            return state


def minimax(state: Any, depth: int, playing_out: bool) -> int:
    """The exhaustive value in plain Python, with or without captures at leaves."""
    if kernels.over(state):
        margin = kernels.result(state)
        return margin + (WIN if margin > 0 else -WIN if margin < 0 else 0)
    if depth <= 0 and not (playing_out and kernels.noisy(state)):
        return kernels.evaluate(state, EVALUATION)
    stack = kernels.new_stack(1024)
    moves = stack[: kernels.moves(state, stack, 0)]
    return max(-minimax(kernels.play(state, move), depth - 1, playing_out) for move in moves)


def search(game: Game, state: Any, depth: int, **options: Any) -> SearchResult:
    switches = options.pop("switches", Switches.ALL)
    evaluation = options.pop("evaluation", EVALUATION)
    return Search(evaluation, switches).find(state, game.legal(state), depth, **options)


@pytest.mark.parametrize("plies", [8, 24])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_combination_of_switches_finds_the_minimax_value(game: Game, plies: int) -> None:
    for seed in range(3):
        state = midgame(game, seed, plies)
        for further in (Switches.NONE, Switches.QUIESCENCE):
            expected = minimax(state, 3, further is Switches.QUIESCENCE)
            for switches in SAME_VALUE:
                assert search(game, state, 3, switches=switches | further).value == expected


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_switches_agree_deep_in_the_endgame(game: Game) -> None:
    for seed in range(5):
        state = midgame(game, seed, {REVERSI: 52, CONNECT_FOUR: 28}.get(game, 40))
        depth = 7 if game in CHECKERS else 16
        values = {search(game, state, depth, switches=switches).value for switches in SAME_VALUE}
        assert len(values) == 1


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_improvement_saves_nodes(game: Game) -> None:
    def nodes(switches: Switches) -> int:
        positions = [midgame(game, seed, 12) for seed in range(5)]
        # With many equal counts of men, alpha-beta finds its cut-offs without ordering.
        options = {"switches": switches, "evaluation": EXPERT if game in CHECKERS else EVALUATION}
        return sum(search(game, state, 7, **options).nodes for state in positions)

    plain = nodes(Switches.NONE)
    assert nodes(Switches.TABLE) < plain
    assert nodes(Switches.KILLER_MOVES) < plain
    assert nodes(Switches.HISTORY) < plain
    assert nodes(Switches.FIXED_DEPTH) < plain


def test_quiescence_sees_what_a_step_loses() -> None:
    state = AMERICAN.from_position("........b.b......w...w...w...... b")

    def values(switches: Switches) -> dict[str, int]:
        return {
            AMERICAN.format(state, move): Search(0, switches).find(state, [move], 1).value
            for move in AMERICAN.legal(state)
        }

    assert set(values(Switches.FIXED_DEPTH).values()) == {-2}
    assert values(Switches.ALL) == {"9-13": -2, "9-14": -4, "11-15": -4, "11-16": -2}


@pytest.mark.parametrize("quiet", [60, 72, 76, 79])
def test_switches_agree_shortly_before_a_draw(quiet: int) -> None:
    state = AMERICAN.from_position(f"B..............B..........W..... b {quiet}")
    values = {search(AMERICAN, state, 9, switches=switches).value for switches in SAME_VALUE}
    assert len(values) == 1


@pytest.mark.parametrize(
    "cells", [".B...B......................W...", ".......B....................W..B"]
)
def test_a_won_game_takes_exactly_the_moves_found(cells: str) -> None:
    state = AMERICAN.from_position(f"{cells} b")
    depths = []
    while not kernels.over(state):
        found = search(AMERICAN, state, 11, switches=Switches.FIXED_DEPTH, decided=WIN)
        depths.append(found.depth)
        state = AMERICAN.play(state, found.move)
    # Both play their best: one wins as fast as possible, the other delays.
    assert depths == list(range(11, 0, -1))


def test_noise_is_fixed_by_its_number() -> None:
    state = midgame(LOSING, 1, 10)
    answers = {
        number: [Search(number).find(state, LOSING.legal(state), 5) for _ in range(2)]
        for number in range(RANDOM, RANDOM + 20)
    }
    assert all(one == two for one, two in answers.values())
    assert len({one.move for one, _ in answers.values()}) > 1


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_equal_calls_give_equal_answers(game: Game) -> None:
    state = midgame(game, 1, 10)
    reused = Search(EVALUATION)
    answers = {reused.find(state, game.legal(state), 6) for _ in range(3)}
    assert answers == {search(game, state, 6)}


def test_equal_moves_are_chosen_in_the_order_given() -> None:
    state = REVERSI.start(0)
    firsts = {Search(0).find(state, [m, *REVERSI.legal(state)], 1).move for m in (19, 26, 37, 44)}
    assert firsts == {19, 26, 37, 44}


def test_a_node_limit_stops_at_once() -> None:
    state = midgame(REVERSI, 1, 10)
    for limit in (1, 10, 100, 1_000, 10_000):
        found = search(REVERSI, state, 12, nodes=limit)
        assert found.nodes == limit
        assert found.move in REVERSI.legal(state)
        assert found.depth < 12
        if found.depth:
            finished = search(REVERSI, state, found.depth)
            assert (found.move, found.value) == (finished.move, finished.value)


def test_a_time_limit_stops_soon() -> None:
    state = midgame(REVERSI, 1, 10)
    search(REVERSI, state, 2)
    started = time.monotonic()
    found = search(REVERSI, state, 40, seconds=0.1)
    assert time.monotonic() - started < 2
    assert 0 < found.depth < 40


def test_a_win_in_one_is_taken_and_a_loss_in_one_is_stopped() -> None:
    threes = CONNECT_FOUR.from_position("." * 28 + "ooo...." + "xxx...." + " x")
    assert search(CONNECT_FOUR, threes, 4).move == 3
    threes = CONNECT_FOUR.from_position("." * 28 + "oo....." + "xxx...." + " o")
    assert search(CONNECT_FOUR, threes, 2).move == 3


@pytest.mark.parametrize("depth", [0, -1, MAX_DEPTH + 1])
def test_impossible_depths_are_refused(depth: int) -> None:
    with pytest.raises(ValueError, match="depth must be"):
        search(REVERSI, REVERSI.start(0), depth)


def test_no_moves_are_refused() -> None:
    with pytest.raises(ValueError, match="moves must not be empty"):
        Search().find(REVERSI.start(0), [], 1)


def test_threads_do_not_disturb_each_other() -> None:
    states = [midgame(REVERSI, seed, 14) for seed in range(12)]
    alone = [search(REVERSI, state, 6) for state in states]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda state: search(REVERSI, state, 6), states))
    assert together == alone
