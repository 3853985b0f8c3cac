"""The conformance test that every game passes: `check_game(game, seed)`.

It plays one random game from the seed and asks at every step for all that the contracts of
`engines.game` promise. It raises `Violation`, which says what was broken and where. It knows
nothing of any single game; a new game is tested by naming it.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from engines.game import (
    CHANCE,
    AnyGame,
    BadPosition,
    Competition,
    Game,
    IllegalMove,
    OffersModules,
    ScoresInColumns,
    Simulation,
)

MAX_PLIES = 20_000
"""No game may go on for ever, even when it is played badly."""
NO_MOVES = ("", " ", "no such move", "0", "\0", "z99", "٣", "x" * 100_000)
NO_POSITIONS = ("", "no such position", "\0", "x" * 1_000_000)
PICTURE_LIMIT = 20_000
"""Pages show many pictures; one must stay this small, in characters."""


class Violation(AssertionError):
    """The game broke its contract."""


def check_game(game: AnyGame, seed: int) -> None:
    """Play one game from `seed`, checking everything; raises `Violation`."""
    _check_competition(game)
    if isinstance(game, Simulation):
        _check_simulation(game, seed)
    else:
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
    slug = re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", game.name)
    _require(slug is not None, f"{game.name!r} cannot stand in an address")
    _require(game.title != "", "the title is empty")
    _require(len(game.seats) > 0 and game.seats[0] >= 1, "no number of seats is possible")
    _require(0 <= game.draw_probability < 1, "the draw probability is no probability below 1")
    _require(len(game.house_bots) > 0, "there is no house bot")
    _require(game.house_revision >= 1, "house revisions count from 1")
    if isinstance(game, OffersModules):
        for name, path in game.bot_modules.items():
            _require(name.isidentifier(), f"{name!r} cannot be imported")
            compile(path.read_bytes(), str(path), "exec")


def _check_moves_game(game: Game, seed: int) -> None:
    for seats in {game.seats[0], game.seats[-1]}:
        _check_course(game, seed, seats)


def _check_course(game: Game, seed: int, seats: int) -> None:
    state = _check_opening(game, seed, seats)
    for text in NO_POSITIONS:
        _require_refused(BadPosition, game.from_position, text, "position")
    _check_house_bots(game, state, seed)
    draw = random.Random(seed)
    plies = 0
    while game.outcome(state) is None:
        _require(plies < MAX_PLIES, f"the game goes on after {MAX_PLIES} plies")
        _check_state(game, state, seats)
        before = game.position(state)
        move = draw.choice(game.legal(state))
        after = game.play(state, move)
        _require(game.position(state) == before, f"playing changed the state before: {before}")
        if plies % 8 == 0:
            _check_picture(game.svg(after, move))
            _check_drop(game, state, seats)
        state, plies = after, plies + 1
    _check_end(game, state, seats)


def _check_opening(game: Game, seed: int, seats: int) -> Any:
    state = game.start(seed, seats)
    _require(game.position(state) == game.position(game.start(seed, seats)), "two starts differ")
    line = game.opening(seed, seats)
    _require(list(line) == list(game.opening(seed, seats)), "two openings of one seed differ")
    for move in line:
        _require(move in game.legal(state), f"the opening plays {move!r} illegally")
        state = game.play(state, move)
        _require(game.outcome(state) is None, "the opening ends the game")
    return state


def _check_state(game: Game, state: Any, seats: int) -> None:
    """All that must hold of a state in which the game goes on."""
    where = game.position(state)
    legal = game.legal(state)
    _require(len(legal) > 0, f"nobody can move, yet the game goes on: {where}")
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


def _check_round_trip(game: Game, state: Any, texts: list[str]) -> None:
    where = game.position(state)
    _require(where.isprintable(), "a position is not one printable line")
    again = game.from_position(where)
    _require(game.position(again) == where, f"the position reads as another one: {where}")
    _require(game.to_move(again) == game.to_move(state), f"the seat to move got lost: {where}")
    legal = [game.format(again, move) for move in game.legal(again)]
    _require(legal == texts, f"the position read back has other moves: {where}")


def _check_drop(game: Game, state: Any, seats: int) -> None:
    seat = game.to_move(state)
    if seats < 3 or seat == CHANCE:
        return
    left = game.drop(state, seat)
    if game.outcome(left) is None:
        _require(game.to_move(left) != seat, f"seat {seat} left and is to move")
        _check_state(game, left, seats)


def _check_house_bots(game: Game, state: Any, seed: int) -> None:
    """Each bot chooses a legal move at once, and twins of one seed choose alike."""
    draw = random.Random(seed)
    while game.to_move(state) == CHANCE:
        state = game.play(state, draw.choice(game.legal(state)))
    for name, make in game.house_bots.items():
        choices = [make(seed).choose(state, game.to_move(state)) for _ in range(2)]
        _require(choices[0] in game.legal(state), f"{name} moves illegally")
        _require(choices[0] == choices[1], f"two bots {name} of one seed move differently")


def _check_end(game: Game, state: Any, seats: int) -> None:
    outcome = game.outcome(state)
    if outcome is None:
        raise Violation("the outcome changes when asked twice")
    where = game.position(state)
    _require(len(outcome.scores) == seats, f"the scores are not one per seat: {where}")
    _require(all(math.isfinite(score) for score in outcome.scores), f"a score is odd: {where}")
    _require(outcome.reason.strip() != "", f"the end has no reason: {where}")
    _require(len(game.legal(state)) == 0, f"the game is over, yet somebody can move: {where}")
    _check_round_trip(game, state, [])
    _check_picture(game.svg(state))


def _check_picture(svg: str) -> None:
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise Violation(f"the picture is no XML: {error}") from error
    space = "{http://www.w3.org/2000/svg}"
    _require(root.tag == f"{space}svg", "the picture is no SVG element")
    _require("viewBox" in root.attrib, "the picture has no viewBox")
    _require(bool(root.findtext(f"{space}title")), "the picture has no title")
    _require(len(svg) <= PICTURE_LIMIT, f"the picture has {len(svg)} characters")
    for element in root.iter():
        tag = element.tag.removeprefix(space)
        _require(tag not in ("style", "script", "a", "image", "use"), f"the picture has a <{tag}>")
        for name in element.attrib:
            plain = name != "style" and "href" not in name and not name.startswith("on")
            _require(plain, f"the picture has the attribute {name}")


def _check_simulation(game: Simulation, seed: int) -> None:
    for seats in {game.seats[0], game.seats[-1]}:
        replays = [_run_simulation(game, seed, seats) for _ in range(2)]
        _require(replays[0] == replays[1], "one seed gave two courses")
    try:
        game.start(seed, game.seats[0], {"no such option": 1})
    except ValueError:
        pass
    else:
        raise Violation("an unknown option was accepted")


def _run_simulation(game: Simulation, seed: int, seats: int) -> bytes:
    """Let house bots fill the seats, one of them dead from the start, and return the replay."""
    state = game.start(seed, seats, {})
    makers = list(game.house_bots.values())
    bots = [makers[seat % len(makers)](seed + seat) for seat in range(seats)]
    steps = 0
    while game.outcome(state) is None:
        _require(steps < MAX_PLIES, f"the simulation goes on after {MAX_PLIES} steps")
        orders: list[Any | None] = []
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
    outcome = game.outcome(state)
    if outcome is None:
        raise Violation("the outcome changes when asked twice")
    _require(len(outcome.scores) == seats, "the scores are not one per seat")
    _require(outcome.reason.strip() != "", "the end has no reason")
    if isinstance(game, ScoresInColumns):
        columns = game.columns(state)
        _require(len(columns) == seats, "the columns are not one per seat")
        _require(len({tuple(seat) for seat in columns}) == 1, "the seats have different columns")
    return game.replay(state)


def _check_orders(game: Simulation, state: Any, seat: int) -> None:
    for reply in ("no such order", ["no", "such", "order"], -1e300):
        try:
            game.order(state, seat, reply)
        except IllegalMove:
            continue
        raise Violation(f"{reply!r} was taken for an order")
