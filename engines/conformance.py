"""The conformance test that every game passes: `check_game(game, seed)`.

It plays one random game from the seed and checks the whole contract of its kind (`Game`,
`Simulation`, `Puzzle`) at every step. It raises `Violation`, which says what is broken and where.
It contains nothing about single games: the name of a new game is enough to test it.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.history import History, is_drawn
from engines.alphabeta.kernel_checks import kernel_faults, leaf_faults
from engines.alphabeta.kernels import MOST_MOVES
from engines.alphabeta.memory import MOST_PAST
from engines.competition import BadPosition, Competition, IllegalMove, Outcome
from engines.game import CHANCE, Game
from engines.puzzle import Puzzle
from engines.registration import BadGame, check_registration
from engines.simulation import Simulation

MAX_PLIES = 20_000
"""Every game must end, even if it is played badly."""
NO_MOVES = ("", " ", "no such move", "0", "\0", "z99", "٣", "x" * 100_000)
NO_POSITIONS = ("", "no such position", "\0", "x" * 1_000_000)
PICTURE_LIMIT = 20_000
"""Pages show many pictures, so each has at most this many characters."""


class Violation(AssertionError):
    """The game broke its contract."""


def check_game(game: Competition, seed: int) -> None:
    """Play one game from `seed`, checking everything; raises `Violation`."""
    _check_competition(game)
    if isinstance(game, Simulation):
        _check_simulation(game, seed)
    elif isinstance(game, Puzzle):
        _check_puzzle(game, seed)
    elif isinstance(game, Game):
        _check_moves_game(game, seed)


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise Violation(complaint)


def _require_refused(
    error: type[ValueError], read: Callable[[str], Any], text: str, what: str
) -> None:
    try:
        read(text)
    except error as refusal:
        _require(0 < len(str(refusal)) < 500, f"the refusal of a bad {what} is empty or long")
    else:
        raise Violation(f"{text[:40]!r} was taken for a {what}")


def _check_competition(game: Competition) -> None:
    try:
        check_registration(game)
    except BadGame as error:
        raise Violation(str(error)) from error
    for name, path in game.bot_modules.items():
        _require(name.isidentifier(), f"{name!r} cannot be imported")
        compile(path.read_bytes(), str(path), "exec")
    compile(game.starter, "starter", "exec")


def _check_moves_game(game: Game[Any, Any], seed: int) -> None:
    for seats in sorted(game.seats):
        _check_course(game, seed, seats)


def _check_course(game: Game[Any, Any], seed: int, seats: int) -> None:
    state = _check_opening(game, seed, seats)
    for text in NO_POSITIONS:
        _require_refused(BadPosition, game.from_position, text, "position")
    _check_house_bots(game, state, seed)
    draw = random.Random(seed)
    plies = 0
    while game.outcome(state) is None:
        _require(plies < MAX_PLIES, f"the game has not ended after {MAX_PLIES} plies")
        _check_state(game, state, seats)
        if isinstance(game, BoardGame):
            _check_kernels(game, state)
            for fault in kernel_faults(game.board(state), seats):
                raise Violation(f"{fault}: {game.position(state)}")
        before = game.position(state)
        move = draw.choice(game.legal(state))
        after = game.play(state, move)
        _require(game.position(state) == before, f"playing changed the state before: {before}")
        if plies % 8 == 0:
            _check_picture(game.svg(after, move))
            _check_drop(game, state, seats)
            _check_leaves(game, state)
        state, plies = after, plies + 1
    _check_end(game, state, seats)


def _check_opening(game: Game[Any, Any], seed: int, seats: int) -> Any:
    state = game.start(seed, seats)
    _require(game.position(state) == game.position(game.start(seed, seats)), "two starts differ")
    line = game.opening(seed, seats)
    _require(list(line) == list(game.opening(seed, seats)), "two openings of one seed differ")
    for move in line:
        _require(game.to_move(state) != CHANCE, "the opening moves where dice do")
        _require(move in game.legal(state), f"the opening plays {move!r} illegally")
        state = game.play(state, move)
        _require(game.outcome(state) is None, "the opening ends the game")
    return state


def _check_state(game: Game[Any, Any], state: Any, seats: int) -> None:
    """Check a state of an unfinished game."""
    where = game.position(state)
    legal = game.legal(state)
    _require(len(legal) > 0, f"there is no legal move, but the game is not over: {where}")
    seat = game.to_move(state)
    if seat == CHANCE:
        chances = game.chances(state)
        _require(len(chances) == len(legal), f"not every chance has a probability: {where}")
        _require(min(chances) > 0, f"an impossible chance is legal: {where}")
        _require(math.isclose(sum(chances), 1), f"the chances do not add up to 1: {where}")
    else:
        _require(0 <= seat < seats, f"seat {seat} is to move: {where}")
    texts = [game.format(state, move) for move in legal]
    _require(len(set(texts)) == len(texts), f"two moves have one notation: {where}")
    for move, text in zip(legal, texts, strict=True):
        _require(game.parse(state, text) == move, f"{text!r} reads as another move: {where}")
    for text in NO_MOVES:
        if text not in texts:
            _require_refused(IllegalMove, lambda text: game.parse(state, text), text, "move")
    _check_round_trip(game, state, texts)
    for observer in range(seats):
        json.dumps(game.observation(state, observer), allow_nan=False)


def _check_kernels(game: BoardGame[Any], state: Any) -> None:
    """Check that kernels agree with the rules, and stay within the limits of the search."""
    where, board = game.position(state), game.board(state)
    stack = kernels.new_stack()
    count = kernels.moves(board, stack, 0)
    _require(count <= MOST_MOVES, f"{count} moves are more than {MOST_MOVES}: {where}")
    legal = sorted(game.legal(state))
    _require(sorted(stack[:count].tolist()) == legal, f"the kernels know other moves: {where}")
    _require(kernels.mobility(board) == count, f"the mobility is not the count of moves: {where}")
    _require(not kernels.over(board), f"for the kernels the game is over: {where}")
    seat = game.to_move(state)
    rolling = bool(kernels.chance(board))
    _require(rolling == (seat == CHANCE), f"rules and kernels differ about the dice: {where}")
    _require(rolling or board.seat == seat, f"the kernels have another mover: {where}")
    reach = kernels.reach(board)
    _require(reach <= MOST_PAST, f"{reach} plies back are more than {MOST_PAST}: {where}")
    if reach > 0:
        _require(isinstance(state, History), f"repetition counts without a History: {where}")
        _require(len(state.past) <= reach, f"the state keeps positions that cannot repeat: {where}")


def _check_leaves(game: Game[Any, Any], state: Any) -> None:
    if isinstance(game, BoardGame):
        for fault in leaf_faults(game.board(state), game.searchers, game.programs):
            raise Violation(f"{fault}: {game.position(state)}")


def _check_round_trip(game: Game[Any, Any], state: Any, texts: list[str]) -> None:
    where = game.position(state)
    _require(where.isprintable(), "a position is not one printable line")
    again = game.from_position(where)
    _require(game.position(again) == where, f"the position reads as another one: {where}")
    _require(
        game.to_move(again) == game.to_move(state), f"the position loses the seat to move: {where}"
    )
    legal = [game.format(again, move) for move in game.legal(again)]
    _require(legal == texts, f"the position read back has other moves: {where}")
    if isinstance(state, History):
        same = isinstance(again, History) and again.past == state.past
        _require(same, f"the position read back has another past: {where}")


def _check_drop(game: Game[Any, Any], state: Any, seats: int) -> None:
    seat = game.to_move(state)
    if seats < 3 or seat == CHANCE:
        return
    left = game.drop(state, seat)
    if game.outcome(left) is None:
        _require(game.to_move(left) != seat, f"seat {seat} left and is to move")
        _check_state(game, left, seats)


def _check_house_bots(game: Game[Any, Any], state: Any, seed: int) -> None:
    """Check that each bot chooses a legal move, and that bots of one seed choose the same."""
    draw = random.Random(seed)
    while game.to_move(state) == CHANCE:
        state = game.play(state, draw.choice(game.legal(state)))
    for name, make in game.house_bots.items():
        choices = [make(seed).choose(state, game.to_move(state)) for _ in range(2)]
        _require(choices[0] in game.legal(state), f"{name} moves illegally")
        _require(choices[0] == choices[1], f"two bots {name} of one seed move differently")


def _check_end(game: Game[Any, Any], state: Any, seats: int) -> None:
    outcome = game.outcome(state)
    if outcome is None:
        raise Violation("the outcome changes when asked twice")
    where = game.position(state)
    _check_outcome(outcome, seats)
    _check_columns(game, game.columns(state), seats)
    _require(len(game.legal(state)) == 0, f"the game is over, but has legal moves: {where}")
    if isinstance(game, BoardGame):
        board = game.board(state)
        drawn = isinstance(state, History) and is_drawn(state)
        _require(
            drawn or kernels.over(board), f"the game is over, but not for the kernels: {where}"
        )
        told = [0.5 if drawn else kernels.score(board, seat) for seat in range(seats)]
        _require(_ranks(told) == _ranks(outcome.scores), f"the kernels rank otherwise: {where}")
    _check_round_trip(game, state, [])
    _check_picture(game.svg(state))


def _check_columns(game: Competition, columns: Sequence[Mapping[str, float]], seats: int) -> None:
    if columns:
        _require(len(columns) == seats, "the columns are not one per seat")
        _require(len({tuple(seat) for seat in columns}) == 1, "the seats have different columns")
    named = set(columns[0]) if columns else set()
    _require(set(game.column_titles) <= named, "a title belongs to no column")


def _ranks(scores: Sequence[float]) -> list[int]:
    return [sum(other > score for other in scores) for score in scores]


def _check_outcome(outcome: Outcome | None, seats: int) -> None:
    if outcome is None:
        raise Violation("the outcome changes when asked twice")
    _require(len(outcome.scores) == seats, "the scores are not one per seat")
    _require(all(math.isfinite(score) for score in outcome.scores), "a score is not finite")
    _require(outcome.reason.strip() != "", "the end has no reason")


def _check_picture(svg: str) -> None:
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise Violation(f"the picture is not XML: {error}") from error
    space = "{http://www.w3.org/2000/svg}"
    _require(root.tag == f"{space}svg", "the picture is not an SVG element")
    _require("viewBox" in root.attrib, "the picture has no viewBox")
    _require(bool(root.findtext(f"{space}title")), "the picture has no title")
    _require(len(svg) <= PICTURE_LIMIT, f"the picture has {len(svg)} characters")
    for element in root.iter():
        tag = element.tag.removeprefix(space)
        _require(tag not in ("style", "script", "a", "image", "use"), f"the picture has a <{tag}>")
        for name in element.attrib:
            plain = name != "style" and "href" not in name and not name.startswith("on")
            _require(plain, f"the picture has the attribute {name}")


def _check_simulation(game: Simulation[Any, Any], seed: int) -> None:
    for seats in {min(game.seats), max(game.seats)}:
        replays = [_run_simulation(game, seed, seats) for _ in range(2)]
        _require(replays[0] == replays[1], "one seed gave two courses")
    try:
        game.start(seed, min(game.seats), {"no such option": 1})
    except ValueError:
        pass
    else:
        raise Violation("an unknown option was accepted")
    game.start(seed, min(game.seats), game.short_options)


def _run_simulation(game: Simulation[Any, Any], seed: int, seats: int) -> bytes:
    """Play with house bots, one of them dead from the start, and return the replay."""
    state = game.start(seed, seats, {})
    makers = list(game.house_bots.values())
    bots = [makers[seat % len(makers)](seed + seat) for seat in range(seats)]
    steps = 0
    while game.outcome(state) is None:
        _require(steps < MAX_PLIES, f"the simulation has not ended after {MAX_PLIES} steps")
        orders: list[Any] = []
        for seat, bot in enumerate(bots):
            seen = game.observe(state, seat)
            json.dumps(seen, allow_nan=False)
            idle = seen is None or (seats > 1 and seat == seats - 1)
            orders.append(None if idle else bot.choose(state, seat))
            if seen is not None and steps % 16 == 0:
                _check_orders(game, state, seat)
        turns = game.turns(state)
        state = game.step(state, orders)
        _require(game.turns(state) > turns, "a step played no turn")
        steps += 1
    _check_outcome(game.outcome(state), seats)
    _check_columns(game, game.columns(state), seats)
    replay = game.replay(state)
    frames = game.frame_count(replay)
    _require(frames >= 1, "the replay has no picture")
    for number in {0, frames // 2, frames - 1}:
        _check_picture(game.frame(replay, number))
    return replay


def _check_orders(game: Simulation[Any, Any], state: Any, seat: int) -> None:
    try:
        game.order(state, seat, None)
    except IllegalMove as error:
        raise Violation("a null reply must be legal: it means nothing new") from error
    for reply in ("no such order", ["no", "such", "order"], -1e300):
        try:
            game.order(state, seat, reply)
        except IllegalMove:
            continue
        raise Violation(f"{reply!r} was taken for an order")


NO_SOLUTIONS: tuple[Any, ...] = (
    None,
    True,
    0,
    -1e300,
    "",
    "no",
    "x" * 10_000,
    [],
    ["no"],
    {"no": 1},
)


def _check_puzzle(game: Puzzle[Any, Any], seed: int) -> None:
    instances = list(game.instances(seed))
    _require(len(instances) >= 1, "a match has no instance")
    texts = [game.text(instance) for instance in instances]
    again = [game.text(instance) for instance in game.instances(seed)]
    _require(texts == again, "two series of one seed differ")
    for text in NO_POSITIONS:
        _require_refused(BadPosition, game.from_text, text, "instance")
    for instance, text in zip(instances, texts, strict=True):
        _require(text.isprintable() and text != "", "an instance is not one printable line")
        _require(game.text(game.from_text(text)) == text, f"it reads as another one: {text}")
        json.dumps(game.observation(instance), allow_nan=False)
        _check_picture(game.svg(instance))
        _check_answers(game, instance)
    _check_solvers(game, instances, seed)


def _check_answers(game: Puzzle[Any, Any], instance: Any) -> None:
    for answer in NO_SOLUTIONS:
        try:
            game.solution(instance, answer)
        except IllegalMove as refusal:
            _require(0 < len(str(refusal)) < 500, "the refusal of an answer is empty or long")
            continue
        raise Violation(f"{answer!r:.40} was taken for a solution")


def _check_solvers(game: Puzzle[Any, Any], instances: Sequence[Any], seed: int) -> None:
    """Check that a house bot solves an instance, and that bots of one seed answer the same."""
    solved = 0
    for name, make in game.house_bots.items():
        twins = make(seed), make(seed)
        for instance in instances:
            first, second = (twin.choose(instance, 0) for twin in twins)
            _require(first == second, f"two bots {name} of one seed answer differently")
            if first is not None:
                _check_solution(game, instance, first, name)
                solved += 1
    _require(solved > 0, "no house bot solves any instance")


def _check_solution(game: Puzzle[Any, Any], instance: Any, solution: Any, name: str) -> None:
    answer = game.answer(instance, solution)
    json.dumps(answer, allow_nan=False)
    try:
        again = game.solution(instance, answer)
    except IllegalMove as error:
        raise Violation(f"the solution of {name} is refused: {error}") from error
    _require(again == solution, f"the answer of {name} reads as another solution")
    steps = game.steps(instance, solution)
    _require(all(step.isprintable() and step for step in steps), "a step is not printable")
    for step in {0, len(steps) // 2, len(steps)}:
        _check_picture(game.svg(instance, solution, step))
