"""Turns in the usual notation: `8/5 6/5`, `bar/22`, `13/7*`, `6/off(2)`, `pass`.

A step is written as the place of the man and the place where it ends, from the mover's view. A man
that moves more than once is written once, with the points on which it hits in between: `13/8*/2`.
Any order of the steps is read, and steps that are written apart; a wrong turn gets the rule that
it breaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from engines.competition import IllegalMove
from engines.display.notation import quoted
from engines.games.backgammon import rules
from engines.games.backgammon.board import BAR, HOME, OPENING, BackgammonState, unpack

PASSED = "pass"
LONGEST = 100
"""The most characters of a turn."""

_STEP = re.compile(
    r"((?:bar|\d{1,2})(?:/(?:off|bar|\d{1,2})\*?){1,4})(?:\(([1-4])\))?", re.IGNORECASE
)


class Path(NamedTuple):
    """The way of one man: the places where it stops."""

    stops: tuple[int, ...]
    hits: frozenset[int]


def paths(state: BackgammonState, move: int) -> list[Path]:
    """The ways of the men in a turn, those that begin farthest back first."""
    blots = {25 - p for p, men in enumerate(unpack(state.their_low, state.their_high)) if men == 1}
    found: list[Path] = []
    for place, die in rules.steps(move):
        target = max(0, place - die)
        hits = frozenset({target} & blots - {0})
        blots -= hits
        for number, path in enumerate(found):
            if path.stops[-1] == place:
                found[number] = Path((*path.stops, target), path.hits | hits)
                break
        else:
            found.append(Path((place, target), hits))
    return sorted(found, key=lambda path: (-path.stops[0], -path.stops[-1], not path.hits))


def write(state: BackgammonState, move: int) -> str:
    """The turn as text."""
    texts = Counter[str]()
    for path in paths(state, move):
        text = _write_path(path)
        # A second man that follows the first one hits nothing, but is written with it.
        twin = next((known for known in texts if known.replace("*", "") == text), text)
        texts[twin] += 1
    told = (text + (f"({count})" if count > 1 else "") for text, count in texts.items())
    return " ".join(told) or PASSED


def write_numbered(state: BackgammonState, move: int) -> str:
    """The turn for files: each man by itself, the bar as 25 and off as 0."""
    return " ".join(
        "/".join(str(stop) + "*" * (stop in path.hits) for stop in _shown(path))
        for path in paths(state, move)
    )


def _shown(path: Path) -> tuple[int, ...]:
    """The stops that a text names: both ends, and the hits in between."""
    first, *between, last = path.stops
    return first, *(stop for stop in between if stop in path.hits), last


def _write_path(path: Path) -> str:
    return "/".join(_name(stop) + "*" * (stop in path.hits) for stop in _shown(path))


def _name(place: int) -> str:
    return "bar" if place == BAR else "off" if place == 0 else str(place)


def write_roll(dice: int) -> str:
    return f"{dice >> 3}{dice & 7}"


def read_roll(state: BackgammonState, text: str) -> int:
    """A move of the dice; raises `IllegalMove`."""
    if isinstance(text, str) and re.fullmatch("[1-6][1-6]", text, re.ASCII):
        dice = 8 * int(text[0]) + int(text[1])
        if dice in rules.legal(state):
            return dice
    which = "two different dice" if state.dice == OPENING else "two dice, the larger one first"
    raise IllegalMove(f"{quoted(text)} is not a roll: write {which}, such as 31")


def read(state: BackgammonState, text: str) -> int:
    """A legal turn from its text; raises `IllegalMove`, which names the rule that is broken."""
    legal = rules.legal(state)
    if not legal:
        raise IllegalMove("the game is over")
    if not isinstance(text, str) or len(text) > LONGEST:
        raise IllegalMove(f"{quoted(text)} is not a turn: write 8/5 6/5, bar/22 or {PASSED}")
    if text == PASSED:
        if rules.steps(legal[0]):
            raise IllegalMove("a side that can play a die may not pass")
        return legal[0]
    wanted = _read_paths(text)
    men = unpack(state.own_low, state.own_high)
    asked = _result(men, [(stops[0], stops[-1]) for stops in wanted])
    fitting = [move for move in legal if _result(men, _ends(move)) == asked]
    if not fitting:
        raise IllegalMove(_reason(state, wanted, legal))
    return _choose(state, text, wanted, fitting)


def _ends(move: int) -> list[tuple[int, int]]:
    return [(place, max(0, place - die)) for place, die in rules.steps(move)]


def _result(men: Sequence[int], ends: Sequence[tuple[int, int]]) -> list[int]:
    """The men of the mover after these steps, in any order; numbers may become negative."""
    after = list(men)
    for start, end in ends:
        after[start] -= 1
        after[end] += 1
    return after[1:]


def _read_paths(text: str) -> list[tuple[int, ...]]:
    """The stops of each man."""
    found: list[tuple[int, ...]] = []
    for word in text.split():
        matched = _STEP.fullmatch(word)
        if matched is None:
            raise IllegalMove(f"{quoted(word)} is not a step: write 8/5, bar/22, 13/7* or 6/off")
        stops = tuple(_place(name) for name in matched[1].lower().replace("*", "").split("/"))
        if any(start <= end for start, end in pairwise(stops)):
            raise IllegalMove(f"{quoted(word)} does not lead towards the own home board")
        if stops[0] > BAR:
            raise IllegalMove(f"{quoted(word)} begins at no point: they are 1 to 24, and the bar")
        found += [stops] * int(matched[2] or 1)
    if not found:
        raise IllegalMove(f"a turn has at least one step; write {PASSED} if no die can be played")
    return found


def _place(name: str) -> int:
    return BAR if name == "bar" else 0 if name == "off" else int(name)


def _choose(
    state: BackgammonState, text: str, wanted: Sequence[tuple[int, ...]], fitting: Sequence[int]
) -> int:
    """The turn that the text means, of those that move the same men but hit different ones."""
    hits = {move: frozenset[int]().union(*(p.hits for p in paths(state, move))) for move in fitting}
    starred = {int(point) for point in re.findall(r"(\d+)\*", text)}
    stops = {stop for path in wanted for stop in path[1:-1]}
    touched = {
        move: {end for _, end in _ends(move)}
        | {stop for p in paths(state, move) for stop in p.stops}
        for move in fitting
    }
    left = [move for move in fitting if stops <= touched[move]]
    if not left:
        raise IllegalMove(f"{quoted(text)} stops where no die leads, or where the way is blocked")
    if wrong := starred - frozenset[int]().union(*(hits[move] for move in left)):
        raise IllegalMove(f"nothing is hit on {min(wrong)}: leave the * out")
    left = [move for move in left if starred <= hits[move]] or left
    fewest = min(len(hits[move]) for move in left)
    left = [move for move in left if len(hits[move]) == fewest]
    if len(left) > 1:
        choice = " or ".join(write(state, move) for move in left[:2])
        raise IllegalMove(f"{quoted(text)} can hit on different points: write {choice}")
    return left[0]


def _reason(state: BackgammonState, wanted: Sequence[tuple[int, ...]], legal: Sequence[int]) -> str:
    """The rule that a turn breaks which leads to no legal position."""
    if not rules.steps(legal[0]):
        return f"no die can be played, so the only turn is {PASSED}"
    men = unpack(state.own_low, state.own_high)
    used = Counter(stops[0] for stops in wanted)
    ends = Counter(stop for stops in wanted for stop in stops[1:])
    for place, count in used.items():
        if men[place] + ends[place] < count:
            return f"{count} men move from {_name(place)}, but only {men[place]} can"
    if men[BAR] > used[BAR] and set(used) != {BAR}:
        return "a man on the bar must enter before any other man moves"
    return _geometry(state, wanted, men) or _dice_used(state, wanted, legal)


def _geometry(state: BackgammonState, wanted: Sequence[tuple[int, ...]], men: Sequence[int]) -> str:
    """What is wrong with a single step, if anything is."""
    dice = (state.dice >> 3, state.dice & 7)
    reach = (dice[0],) if dice[0] == dice[1] else dice
    theirs = unpack(state.their_low, state.their_high)
    free = {p for p in range(1, 25) if theirs[25 - p] < 2}
    outside = sum(men[HOME + 1 :]) - sum(stops[0] > HOME >= stops[-1] for stops in wanted)
    for stops in wanted:
        for _, end in pairwise(stops):
            if end and end not in free:
                return f"point {end} is blocked: the other side has two or more men there"
        first, last = stops[0], stops[-1]
        sums = {dice[0] * n for n in range(1, 5)} if len(reach) == 1 else {*dice, sum(dice)}
        if last and first - last not in sums:
            return f"{_name(first)}/{_name(last)} is {first - last} points, which the roll lacks"
        if not last and outside:
            return "no man may be borne off while one is outside the home board, points 1 to 6"
        if not last and first <= HOME and first not in sums and first > max(sums):
            return f"{first}/off needs {first} points, which the roll lacks"
        if not last and first <= HOME and first not in reach and any(men[first + 1 : HOME + 1]):
            return f"a larger die bears off from {first} only if no man is on a higher point"
    return ""


def _dice_used(
    state: BackgammonState, wanted: Sequence[tuple[int, ...]], legal: Sequence[int]
) -> str:
    """What is wrong with the number of dice."""
    large, small = state.dice >> 3, state.dice & 7
    most = len(rules.steps(legal[0]))
    moved = sum(stops[0] - stops[-1] for stops in wanted)
    fully = sum(die for _, die in rules.steps(legal[0]))
    roll, example = write_roll(state.dice), write(state, legal[0])
    if most == 1 and large != small and moved == small and fully == large:
        return f"only one die of {roll} can be played, and then it must be the larger one, {large}"
    if moved < fully and len(wanted) <= most:
        dice = "both dice" if large != small else f"{most} steps of {large}"
        many = dice if most > 1 else "one die"
        return f"{many} of {roll} can be played, so a turn must do that, such as {example}"
    if len(wanted) > most:
        return f"{roll} allows {most} step{'s' * (most > 1)} here, such as {example}"
    return f"{roll} does not lead there: a man stops on a blocked point, or a die is used twice"
