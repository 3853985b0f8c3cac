"""Whole games between searchers in compiled code, for evolution and measurements.

A `Searcher` describes a player: a search depth, and an evaluation of leaves. House bots and
programs on the ladder are such searchers (`alphabeta.players.SearchPlayer`). They choose moves by
the same function as here: the same searcher with the same seed plays the same moves.

    contest(game, [game.searchers["alphabeta-3"], game.programs.searcher(program)], seed)

plays one game of as many seats as there are searchers, without the GIL, so that threads play
several at once.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.evaluators import JUDGE, PROGRAM, Evaluator, executed, install
from engines.alphabeta.kernels import Moves
from engines.alphabeta.memory import (
    MAX_DEPTH,
    MEMORY,
    Memory,
    begin,
    note_past,
)
from engines.alphabeta.search import INFINITY, UNLIMITED, Switches, deepen
from engines.competition import listed
from engines.compiling.bits import Bits, mix
from engines.compiling.jit import jitable, new_record, new_records, njit

ONE = np.uint64(1)

WORK = 100_000_000
"""The approximate limit of instructions that a program executes for one move: 0.1 to 0.2 s. A
search that needs more answers from its last completed depth."""
NODE_WORK = 50
"""The cost of a node besides its program, in instructions."""

LONGEST = 1 << 14
"""More plies than any game has: checkers has at most about 15,000, since 80 may pass without
progress. A longer game shows an error in its rules."""

MOST_SEATS = 16
"""The most seats in a contest."""

_MASK = (1 << 64) - 1

DICE = 1 << 62
"""The distance between seeds of dice and seeds of openings."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """A way to play a game: a search `depth` plies deep, or random moves if that is 0.

    `evaluation` is the number of an evaluation of the game, or a range of numbers from which each
    move draws one (such a player is weaker and less predictable), or a program. `decided` is that
    of `Search.find`: `WIN` in games where all wins are equal. Between equal moves, chance decides
    if `varied`, and otherwise the order of the game's kernel.
    """

    depth: int
    evaluation: int | range | Evaluator = 0
    switches: Switches = Switches.ALL
    decided: int = INFINITY
    varied: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.depth <= MAX_DEPTH:
            raise ValueError(f"depth must be at most {MAX_DEPTH} plies, not {self.depth}")
        if self.evaluation == range(0):
            raise ValueError("the range of evaluations is empty: give at least one")


RANDOM_MOVER = Searcher(0)
"""Plays random legal moves."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Random moves before the players take over; their number is one of `plies`.

    If there are `lines`, one of them is played instead. Otherwise the evaluation `judge` searches
    three plies ahead and resolves captures: then no side may be ahead by more than `most`; None
    accepts every position.
    """

    plies: tuple[int, int]
    judge: int = 0
    most: int | None = None
    lines: tuple[tuple[int, ...], ...] = ()


NO_OPENING = Opening((0, 0))
"""No opening: the players make all moves."""


ANY, GIVEN = -1, -2
"""Special values of `OpeningRule.most`."""


class OpeningRule(NamedTuple):
    """An `Opening` for compiled code; `most` may be `ANY`, or `GIVEN` if the line is not random."""

    shorter: int
    longer: int
    most: int


class ContestGame(Protocol):
    """The parts of a game that a contest needs. All moves come from its kernels."""

    @property
    def seats(self) -> frozenset[int]: ...

    @property
    def opening_rule(self) -> Opening: ...

    def board(self, state: Any) -> Any: ...

    def start(self, seed: int, seats: int) -> Any: ...


@dataclass(frozen=True, slots=True)
class ContestResult:
    """The result of a game between searchers."""

    scores: tuple[float, ...]
    """Points by seat. With two seats, the winner has 1; a draw gives both 0.5."""
    moves: tuple[int, ...]
    """All moves, including the opening and the dice."""
    opening: int
    """The number of moves in the opening."""
    instructions: tuple[int, ...]
    """Instructions executed by the program of each seat."""
    nodes: tuple[int, ...]
    """The number of positions searched by each seat."""


MANNER = np.dtype(
    [
        ("depth", np.int64),
        ("switches", np.int64),
        ("decided", np.int64),
        ("varied", np.int64),
        ("first", np.int64),
        ("choices", np.int64),
        ("node_limit", np.int64),
    ]
)
"""The settings of a player. One record is written at once, which is much faster."""

PLAYER = np.dtype(
    [
        ("seed", np.uint64),
        ("draws", np.int64),
        ("nodes", np.int64),
        ("manner", MANNER),
        ("judge", JUDGE),
    ],
    align=True,
)
Player: TypeAlias = Any
"""A record of type `PLAYER`: a searcher in one game, with its random numbers."""


def prepare(player: Player, searcher: Searcher, seed: int) -> None:
    """Make a player from a searcher; the seed fixes its random numbers."""
    evaluation = searcher.evaluation
    first, choices, node_limit = PROGRAM, 1, UNLIMITED
    if isinstance(evaluation, Evaluator):
        node_limit = WORK // (NODE_WORK + len(evaluation.code.instructions))
    elif isinstance(evaluation, int):
        first = evaluation
    else:
        first, choices = evaluation.start, len(evaluation)
    install(evaluation if isinstance(evaluation, Evaluator) else first, player["judge"])
    player["seed"], player["draws"], player["nodes"] = stream(seed), 0, 0
    player["manner"] = (
        searcher.depth,
        int(searcher.switches),
        searcher.decided,
        searcher.varied,
        first,
        choices,
        node_limit,
    )


def stream(seed: int) -> Bits:
    """The first state of the random numbers of a seed."""
    return mix(mix(np.uint64(seed & _MASK)))


def seat_seed(seed: int, seat: int, seats: int = 2) -> int:
    """The seed of a seat's random numbers in the contest of that seed."""
    return seats * seed + seat


@jitable
def draw(player: Player, count: int) -> int:
    """The player's next random number below `count`."""
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
    """The move of a player in a running game."""
    stack, manner = memory.stack, player.manner
    count = kernels.moves(state, stack, 0)
    if manner.depth == 0:
        return int(stack[draw(player, count)])
    if count == 1:
        return int(stack[0])
    if manner.choices > 1:
        player.judge.evaluation = manner.first + draw(player, manner.choices)
    if manner.varied != 0:
        _shuffle(stack, count, player)
    move, _ = _search(state, count, player, memory)
    return int(move)


@jitable
def _search(state: Any, count: int, player: Player, memory: Memory) -> tuple[int, int]:
    """Best of the `count` moves on the stack, and its value."""
    manner = player.manner
    memory.switches, memory.node_limit = manner.switches, manner.node_limit
    # A small table is faster for a small search, and moves do not depend on its size.
    bits = 8 if manner.depth <= 3 else 12 if manner.depth <= 5 else 16
    memory.mask = np.uint64((1 << bits) - 1)
    begin(memory)
    move, value, _ = deepen(state, count, manner.depth, manner.decided, memory, player.judge)
    player.nodes += memory.nodes
    return move, value


@kernels.needs(kernels.chance, otherwise=lambda state, dice, stack: -1)
def _roll(state: Any, dice: Player, stack: Moves) -> int:
    """A random roll with the probabilities of the rules; -1 if a player moves next."""
    if not kernels.chance(state):
        return -1
    if dice.draws == 0:
        # Much faster here than by `stream`, and only games of dice need it.
        dice.seed = mix(mix(dice.seed))
    count = kernels.moves(state, stack, 0)
    left = draw(dice, 1 << 52) / (1 << 52)
    for index in range(count):
        left -= kernels.likelihood(state, stack[index])
        if left < 0:
            return stack[index]  # type: ignore[no-any-return]
    return stack[count - 1]  # type: ignore[no-any-return]


@njit
def open_game(start: Any, rule: OpeningRule, judge: Player, memory: Memory, line: Moves) -> Any:
    """Draw an opening into `line`, unless it is given there; returns the position after it, and its
    number of moves.

    The random numbers are those of the judge.
    """
    while True:
        # The positions of the opening count for repetition, too.
        state, memory.past = start, 0
        plies = rule.longer if draw(judge, 2) == 1 else rule.shorter
        for ply in range(plies):
            if rule.most != GIVEN:
                line[ply] = memory.stack[draw(judge, kernels.moves(state, memory.stack, 0))]
            after = kernels.play(state, line[ply])
            note_past(state, after, memory)
            state = after
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
    rule: OpeningRule,
    judge: Player,
    dice: Player,
    players: Any,
    memory: Memory,
    line: Moves,
    scores: Any,
) -> tuple[int, int]:
    """Play a whole game from its opening on; writes the moves to `line`, and points of seats.

    The seed of the dice is a number, of which the first roll makes a stream. Returns the plies of
    the opening and all plies; -1 for a game without end.
    """
    state, opening = open_game(start, rule, judge, memory, line)
    plies, drawn = opening, False
    while not kernels.over(state) and not drawn:
        if plies == LONGEST:
            return opening, -1
        move = _roll(state, dice, memory.stack)
        if move < 0:
            move = choose(state, players[state.seat], memory)
        line[plies] = move
        after = kernels.play(state, move)
        drawn = note_past(state, after, memory)
        state = after
        plies += 1
    for seat in range(len(scores)):
        scores[seat] = 0.5 if drawn else kernels.score(state, seat)
    return opening, plies


class _Scratch(threading.local):
    """The memory of one thread for its games. Searches of all players use it in turn."""

    def __init__(self) -> None:
        self.judge, self.dice = new_record(PLAYER), new_record(PLAYER)
        self.players = new_records(PLAYER, MOST_SEATS)
        self.memory = new_record(MEMORY)
        self.line = np.zeros(LONGEST, np.int64)
        self.scores = np.zeros(MOST_SEATS)


scratch = _Scratch()


def _prepare_opening(opening: Opening, seed: int) -> OpeningRule:
    # Seats have seeds from 0 on, so this stream is different.
    prepare(scratch.judge, Searcher(3, opening.judge), -1 - seed)
    if opening.lines:
        line = opening.lines[int(stream(seed)) % len(opening.lines)]
        scratch.line[: len(line)] = line
        return OpeningRule(len(line), len(line), GIVEN)
    shorter, longer = opening.plies
    return OpeningRule(shorter, longer, ANY if opening.most is None else opening.most)


def draw_opening(game: ContestGame, seed: int, seats: int = 2) -> tuple[int, ...]:
    """The opening of the seed."""
    rule = _prepare_opening(game.opening_rule, seed)
    start = game.board(game.start(seed, seats))
    _, plies = open_game(start, rule, scratch.judge, scratch.memory, scratch.line)
    return tuple(scratch.line[:plies].tolist())


def contest(
    game: ContestGame, seats: Sequence[Searcher], seed: int, opening: Opening | None = None
) -> ContestResult:
    """Play one game, by default after an opening as on the ladder.

    The result depends only on the arguments; any thread may call it. The dice follow from the seed,
    so games with swapped seats have the same dice.
    """
    count = len(seats)
    if count not in game.seats or seed < 0:
        raise ValueError(f"a contest needs {listed(game.seats)} players and a seed of at least 0")
    rule = _prepare_opening(opening or game.opening_rule, seed)
    scratch.dice["seed"], scratch.dice["draws"] = (-DICE - seed) & _MASK, 0
    players, scores = scratch.players[:count], scratch.scores[:count]
    for seat, searcher in enumerate(seats):
        prepare(players[seat], searcher, seat_seed(seed, seat, count))
    opened, plies = play_game(
        game.board(game.start(seed, count)),
        rule,
        scratch.judge,
        scratch.dice,
        players,
        scratch.memory,
        scratch.line,
        scores,
    )
    if plies < 0:
        raise ValueError(
            f"the game with seed {seed} has not ended after {LONGEST} plies: check its rules"
        )
    return ContestResult(
        scores=tuple(scores.tolist()),
        moves=tuple(scratch.line[:plies].tolist()),
        opening=int(opened),
        instructions=tuple(executed(player["judge"]) for player in players),
        nodes=tuple(int(player["nodes"]) for player in players),
    )
