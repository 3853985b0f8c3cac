"""Compiled games equal those of the ladder's players, in any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from engines.alphabeta import contests
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import (
    NO_OPENING,
    RANDOM_MOVER,
    ContestResult,
    Searcher,
    contest,
    seat_seed,
)
from engines.alphabeta.history import Series
from engines.alphabeta.players import SearchPlayer
from engines.game import CHANCE
from engines.games import GAMES
from engines.games.checkers import LOSING
from engines.games.reversi import REVERSI
from engines.programs.primitives import Operation
from engines.programs.text import parse
from engines.programs.types import Type
from tests.engines import toys

BOARD_GAMES: list[Any] = [game for game in (*GAMES, *toys.COMPILED) if isinstance(game, BoardGame)]
by_game = pytest.mark.parametrize("game", BOARD_GAMES, ids=lambda game: game.name)


def program(game: Any, depth: int = 2, tree: str = "(Plus (MultERC -0.5 Feature) One)") -> Searcher:
    """A program that reads something in each of its trees."""
    architecture = game.programs.architecture
    trees = []
    for slot in architecture.slots:
        feature = next(
            one for one in slot.primitives.terminals(Type.FLOAT) if one.operation is Operation.INPUT
        )
        words = " ".join([feature.name, *(f"{each.values[0]:g}" for each in feature.ephemerals)])
        read = f"({words})" if feature.ephemerals else words
        own = tree.replace("Feature", read) if "Plus" in slot.primitives.by_name else read
        trees.append(f"(tree {slot.name} {own})")
    text = f"(program {game.name} {' '.join(trees)})"
    most = architecture.options["depth"].allowed[-1]
    searcher: Searcher = game.programs.searcher(parse(text, architecture), min(depth, most))
    return searcher


def play_slowly(
    game: Any, seats: list[Searcher], seed: int, played: ContestResult
) -> tuple[tuple[float, ...], list[int]]:
    """The same game by the contract of the ladder, with one call per move and the same dice."""
    count = len(seats)
    players = [SearchPlayer(s, seat_seed(seed, seat, count)) for seat, s in enumerate(seats)]
    state, moves = game.start(seed, count), list(game.opening(seed, count))
    for move in moves:
        state = game.play(state, move)
    while game.outcome(state) is None:
        if isinstance(state, Series) and len(moves) == len(played.moves):
            # A contest is one game of the match.
            return tuple(map(float, state.points)), moves
        seat = game.to_move(state)
        if seat == CHANCE:
            moves.append(played.moves[len(moves)])
        else:
            moves.append(players[seat].choose(state, seat))
        assert moves[-1] in game.legal(state)
        state = game.play(state, moves[-1])
    return game.outcome(state).scores, moves


@by_game
def test_contests_equal_the_games_of_players(game: Any) -> None:
    weakest, weak, strong, *_ = game.searchers.values()
    pairs = [[RANDOM_MOVER, RANDOM_MOVER], [strong, weakest], [weak, strong], [strong, strong]]
    if game.programs:
        pairs += [[program(game, 3), strong], [strong, program(game, 4)]]
        pairs += [[program(game), program(game, 1)]]
    for seed, pair in enumerate(pairs):
        seats = [pair[seat % 2] for seat in range(game.ladder_seats)]
        played = contest(game, seats, seed)
        assert (played.scores, list(played.moves)) == play_slowly(game, seats, seed, played)
        assert played.opening == len(game.opening(seed, len(seats)))
        # A seat that never has a choice never searches.
        chose = [nodes > 0 for nodes in played.nodes]
        assert any(chose) == any(searcher.depth > 0 for searcher in seats)
        for seat, searcher in enumerate(seats):
            programmed = not isinstance(searcher.evaluation, int | range)
            assert searcher.depth > 0 or not chose[seat]
            assert (played.instructions[seat] > 0) == (programmed and chose[seat])


@by_game
def test_house_bots_are_their_searchers(game: Any) -> None:
    assert list(game.house_bots) == list(game.searchers)
    state = game.start(0, game.ladder_seats)
    while (seat := game.to_move(state)) == CHANCE:
        state = game.play(state, game.legal(state)[0])
    for name, searcher in game.searchers.items():
        one, two = game.house_bots[name](7), SearchPlayer(searcher, 7)
        assert one.choose(state, seat) == two.choose(state, seat)


@by_game
def test_openings_are_legal_and_differ(game: Any) -> None:
    seats = game.ladder_seats
    openings = {game.opening(seed, seats) for seed in range(200)}
    rule = game.opening_rule
    assert len(openings) > 40 or not (any(rule.plies) or rule.lines)
    lengths = {len(line) for line in rule.lines} or {*rule.plies}
    assert {len(opening) for opening in openings} == lengths
    for opening in openings:
        state = game.start(0, seats)
        for move in opening:
            assert move in game.legal(state)
            state = game.play(state, move)
        assert game.outcome(state) is None


def test_seeds_and_seats_matter() -> None:
    bots = LOSING.searchers
    seats = [bots["alphabeta-2"], bots["random"]]
    games = [contest(LOSING, seats, seed) for seed in range(60)]
    assert len({played.moves for played in games}) > 55
    wins = [played.scores[0] for played in games]
    assert sum(wins) > 40
    swapped = [contest(LOSING, seats[::-1], seed).scores[1] for seed in range(60)]
    assert sum(swapped) > 40
    assert wins != swapped


def test_threads_play_the_same_games() -> None:
    seats = [program(LOSING), LOSING.searchers["alphabeta-3"]]

    def play(seed: int) -> ContestResult:
        return contest(LOSING, seats if seed % 2 else seats[::-1], seed)

    alone = [play(seed) for seed in range(80)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, range(80))) == alone


def test_programs_are_charged_for_what_they_execute() -> None:
    short, long = program(LOSING, 2, "Feature"), program(LOSING, 2, "(Plus Feature Zero)")
    one, two = (contest(LOSING, [searcher, RANDOM_MOVER], 3) for searcher in (short, long))
    assert one.moves == two.moves
    assert two.instructions[0] == 2 * one.instructions[0]
    assert one.instructions[1] == 0


def test_too_much_work_makes_a_search_shallower(monkeypatch: pytest.MonkeyPatch) -> None:
    seats = [program(REVERSI, 6), RANDOM_MOVER]
    free = contest(REVERSI, seats, 1)
    monkeypatch.setattr(contests, "WORK", 53 * 500)
    bounded = contest(REVERSI, seats, 1)
    assert bounded.nodes[0] <= 500 * len(bounded.moves) < free.nodes[0]
    assert bounded.instructions[0] < free.instructions[0]


def test_without_variety_a_game_is_always_the_same() -> None:
    sure = [replace(program(REVERSI), varied=False), replace(program(REVERSI, 3), varied=False)]
    games = [contest(REVERSI, sure, seed, NO_OPENING) for seed in range(4)]
    assert games[0].opening == 0
    assert {game.moves for game in games} == {games[0].moves}
    # Black's four first moves are equal by symmetry: the kernel's first is played.
    assert games[0].moves[0] == min(REVERSI.legal(REVERSI.start(0)))
    # Either kind of variety makes games differ.
    varied = [program(REVERSI), program(REVERSI, 3)]
    assert len({contest(REVERSI, varied, seed, NO_OPENING).moves for seed in range(4)}) > 1
    assert len({contest(REVERSI, sure, seed).moves for seed in range(4)}) > 1


def test_bad_contests_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 2 players"):
        contest(REVERSI, [RANDOM_MOVER], 1)
    with pytest.raises(ValueError, match="needs 2 players"):
        contest(REVERSI, [RANDOM_MOVER] * 2, -1)
    with pytest.raises(ValueError, match="depth must be at most"):
        replace(RANDOM_MOVER, depth=97)
    with pytest.raises(ValueError, match="evaluation"):
        Searcher(2, range(0))
