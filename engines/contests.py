"""Whole games between searchers in compiled code: what evolution and measurements play.

A `Searcher` says how to play: a depth, and what to ask about leaves. House bots and programs on the
ladder are such searchers (`engines.players.SearchPlayer`), and choose their moves by the very
function that is used here: the same searcher with the same seed plays the same moves.

    contest(game, [game.searchers["alphabeta-3"], game.programs.searcher(program)], seed)

plays one game without the GIL, so threads play several at once.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from engines import kernels
from engines.bits import Bits, mix
from engines.evaluators import JUDGE, PROGRAM, Evaluator, executed, install
from engines.jit import jitable, new_record, njit
from engines.kernels import Moves
from engines.search import INFINITY, MAX_DEPTH, MEMORY, UNLIMITED, Memory, Switches, begin, deepen

ONE = np.uint64(1)

WORK = 100_000_000
"""About how many instructions a program may execute for one move: a tenth of a second or two. A
search that would need more answers from the last depth that it completed."""
NODE_WORK = 50
"""What a node costs besides its program, in instructions."""

LONGEST = 1 << 14
"""More plies than a game can have: of checkers some 15,000, as 80 may pass without progress."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """How to play a game: a search `depth` plies deep, or chance if that is 0.

    `evaluation` is the number of an evaluation of the game, a range of them from which chance
    draws one for each move (that makes a player less sure of what it wants, and less predictable),
    or a program. `decided` is that of `Search.find`: `WIN` in games where all wins are alike.
    Among moves that look equal chance decides, or unless `varied` the order of the game's kernel.
    """

    depth: int
    evaluation: int | range | Evaluator = 0
    switches: Switches = Switches.ALL
    decided: int = INFINITY
    varied: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.depth <= MAX_DEPTH:
            raise ValueError(f"a search goes at most {MAX_DEPTH} plies deep, not {self.depth}")
        if self.evaluation == range(0):
            raise ValueError("there is no evaluation to choose")


ANYHOW = Searcher(0)
"""Any legal move."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Random moves before the players take over: one of the numbers of `plies`.

    The `judge`, an evaluation, looks three plies ahead and plays captures out: nobody may then be
    ahead by more than `most`; None is content with anything.
    """

    plies: tuple[int, int]
    judge: int = 0
    most: int | None = None


NO_OPENING = Opening((0, 0))
"""The players have the game to themselves from its first move on."""


class Rule(NamedTuple):
    """An `Opening` for compiled code; -1 for `most` if there is none."""

    shorter: int
    longer: int
    most: int


class BoardGame(Protocol):
    """What a contest needs of a game for two. All of its seats' moves come from its kernels."""

    @property
    def opening_rule(self) -> Opening: ...

    def start(self, seed: int, seats: int = 2) -> Any: ...


@dataclass(frozen=True, slots=True)
class Contest:
    """How a game between searchers went."""

    scores: tuple[float, float]
    """1 for the winner; a draw is 0.5 for both."""
    moves: tuple[int, ...]
    """All moves, those of the opening included."""
    opening: int
    """How many of them are the opening's."""
    instructions: tuple[int, int]
    """What the program of each seat has executed."""
    nodes: tuple[int, int]
    """The positions that each seat has looked at."""


PLAYER = np.dtype(
    [
        ("seed", np.uint64),
        ("draws", np.int64),
        ("depth", np.int64),
        ("switches", np.int64),
        ("decided", np.int64),
        ("varied", np.int64),
        ("first", np.int64),
        ("choices", np.int64),
        ("node_limit", np.int64),
        ("nodes", np.int64),
        ("judge", JUDGE),
    ],
    align=True,
)
Player: TypeAlias = Any
"""A record of type `PLAYER`: a searcher in one game, with its random numbers."""


def prepare(player: Player, searcher: Searcher, seed: int) -> None:
    """Make a player of a searcher, with randomness fixed by the seed."""
    evaluation = searcher.evaluation
    player["seed"], player["draws"], player["nodes"] = stream(seed), 0, 0
    player["depth"], player["switches"] = searcher.depth, int(searcher.switches)
    player["decided"], player["node_limit"] = searcher.decided, UNLIMITED
    player["varied"] = searcher.varied
    judge = player["judge"]
    if isinstance(evaluation, Evaluator):
        player["first"], player["choices"] = PROGRAM, 1
        player["node_limit"] = WORK // (NODE_WORK + len(evaluation.code.instructions))
        install(evaluation, judge)
    else:
        numbers = range(evaluation, evaluation + 1) if isinstance(evaluation, int) else evaluation
        player["first"], player["choices"] = numbers.start, len(numbers)
        install(numbers.start, judge)


def stream(seed: int) -> Bits:
    """Where the random numbers of a seed begin."""
    return mix(mix(np.uint64(seed & (1 << 64) - 1)))


def seat_seed(seed: int, seat: int) -> int:
    """The seed of a seat's randomness in the contest of that seed."""
    return 2 * seed + seat


@jitable
def draw(player: Player, count: int) -> int:
    """A number below `count`, the next one of the player's."""
    player.draws += 1
    mixed = mix(player.seed ^ mix(np.uint64(player.draws)))
    return np.int64(mixed >> ONE) % count  # type: ignore[return-value]


@jitable
def _shuffle(stack: Moves, count: int, player: Player) -> None:
    for last in range(count - 1, 0, -1):
        other = draw(player, last + 1)
        stack[last], stack[other] = stack[other], stack[last]


@njit
def choose(state: Any, player: Player, memory: Memory) -> int:
    """The move of a player in a game that goes on."""
    stack, judge = memory.stack, player.judge
    count = kernels.moves(state, stack, 0)
    if player.depth == 0:
        return int(stack[draw(player, count)])
    if count == 1:
        return int(stack[0])
    if player.choices > 1:
        judge.evaluation = player.first + draw(player, player.choices)
    if player.varied != 0:
        _shuffle(stack, count, player)
    move, _ = _search(state, count, player, memory)
    return int(move)


@jitable
def _search(state: Any, count: int, player: Player, memory: Memory) -> tuple[int, int]:
    """Best of the `count` moves on the stack, and its value."""
    memory.switches, memory.node_limit = player.switches, player.node_limit
    # A small table is quicker for a small search, and moves do not depend on its size.
    bits = 8 if player.depth <= 3 else 12 if player.depth <= 5 else 16
    memory.mask = np.uint64((1 << bits) - 1)
    begin(memory)
    move, value, _ = deepen(state, count, player.depth, player.decided, memory, player.judge)
    player.nodes += memory.nodes
    return move, value


@njit
def open_game(start: Any, rule: Rule, judge: Player, memory: Memory, line: Moves) -> Any:
    """Draw an opening into `line`: the position after it, and how many moves it has.

    The random numbers are those of the judge.
    """
    while True:
        state = start
        plies = rule.longer if draw(judge, 2) == 1 else rule.shorter
        for ply in range(plies):
            line[ply] = memory.stack[draw(judge, kernels.moves(state, memory.stack, 0))]
            state = kernels.play(state, line[ply])
        if kernels.over(state):
            continue
        if rule.most < 0:
            return state, plies
        _, value = _search(state, kernels.moves(state, memory.stack, 0), judge, memory)
        if abs(value) <= rule.most:
            return state, plies


@njit
def play_game(
    start: Any,
    rule: Rule,
    judge: Player,
    first: Player,
    second: Player,
    memory: Memory,
    line: Moves,
) -> tuple[int, int, int]:
    """A whole game from its opening on, written to `line`.

    Who has won (1: the first, -1: the second, 0: nobody), the plies of the opening, and all plies.
    """
    state, opening = open_game(start, rule, judge, memory, line)
    plies = opening
    while not kernels.over(state):
        line[plies] = choose(state, first if state.seat == 0 else second, memory)
        state = kernels.play(state, line[plies])
        plies += 1
    result = kernels.result(state)
    if result == 0:
        return 0, opening, plies
    return (1 if (result > 0) == (state.seat == 0) else -1), opening, plies


class _Scratch(threading.local):
    """What a thread plays its games in. Searches of all players share its memory, one by one."""

    def __init__(self) -> None:
        self.judge, self.first, self.second = (new_record(PLAYER) for _ in range(3))
        self.memory = new_record(MEMORY)
        self.line = np.zeros(LONGEST, np.int64)


scratch = _Scratch()


def _prepare_opening(opening: Opening, seed: int) -> Rule:
    # Seats have seeds from 0 on: their random numbers are others.
    prepare(scratch.judge, Searcher(3, opening.judge), -1 - seed)
    return Rule(*opening.plies, -1 if opening.most is None else opening.most)


def draw_opening(game: BoardGame, seed: int) -> tuple[int, ...]:
    """The opening that the seed fixes."""
    rule = _prepare_opening(game.opening_rule, seed)
    _, plies = open_game(game.start(seed), rule, scratch.judge, scratch.memory, scratch.line)
    return tuple(scratch.line[:plies].tolist())


def contest(
    game: BoardGame, seats: Sequence[Searcher], seed: int, opening: Opening | None = None
) -> Contest:
    """Play one game, by default after an opening as on the ladder.

    It is fixed by its arguments; any thread may call it.
    """
    if len(seats) != 2 or seed < 0:
        raise ValueError("a contest has two seats and a seed from 0 on")
    rule = _prepare_opening(opening or game.opening_rule, seed)
    players = scratch.first, scratch.second
    for seat, (player, searcher) in enumerate(zip(players, seats, strict=True)):
        prepare(player, searcher, seat_seed(seed, seat))
    result, opened, plies = play_game(
        game.start(seed), rule, scratch.judge, *players, scratch.memory, scratch.line
    )
    instructions, nodes = (
        [executed(player["judge"]) for player in players],
        [int(player["nodes"]) for player in players],
    )
    return Contest(
        ((1 + result) / 2, (1 - result) / 2),
        tuple(scratch.line[:plies].tolist()),
        int(opened),
        (instructions[0], instructions[1]),
        (nodes[0], nodes[1]),
    )
