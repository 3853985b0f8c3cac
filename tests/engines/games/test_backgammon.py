"""Backgammon against a slow restatement of its rules, and its notation, IDs, files and pictures."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.alphabeta import kernels
from engines.alphabeta.history import Series
from engines.competition import BadPosition, IllegalMove
from engines.display.records import GameRecord, RecordedMove
from engines.games.backgammon import features, identity, notation, rules
from engines.games.backgammon.board import BAR, START, BackgammonState, make, pack, unpack
from engines.games.backgammon.game import BACKGAMMON, GOAL
from engines.games.backgammon.pubeval import CONTACT, RACE

START_TEXT = "4HPwATDgc/ABMA w opening 0-0"
WEIGHTS = Path(__file__).parents[2] / "data/board/pubeval_weights.json"

Men = tuple[int, ...]


def men(**placed: int) -> list[int]:
    """Numbers of men by place: `men(p6=2, bar=1)`."""
    found = [0] * 26
    for name, count in placed.items():
        found[BAR if name == "bar" else int(name[1:])] = count
    return found


def position(own: list[int], their: list[int], dice: tuple[int, int]) -> BackgammonState:
    return make(own, their, dice=8 * max(dice) + min(dice))


def steps(own: Men, their: Men, die: int) -> list[tuple[Men, Men]]:
    """Both sides after each legal step of one die, by the words of the rules."""
    found = []
    for place in range(1, 26):
        if not own[place] or (own[BAR] and place != BAR):
            continue
        target = place - die
        if target <= 0:
            if any(own[7:]) or (target < 0 and any(own[place + 1 :])):
                continue
            target = 0
        elif their[25 - target] > 1:
            continue
        after, other = list(own), list(their)
        after[place] -= 1
        if target:
            after[target] += 1
            if other[25 - target]:
                other[25 - target], other[BAR] = 0, other[BAR] + 1
        found.append((tuple(after), tuple(other)))
    return found


def plainly_legal(own: Men, their: Men, one: int, two: int) -> set[tuple[Men, Men]]:
    """All positions after a turn: as many dice as possible, and a single one the larger."""
    orders = [[one] * 4] if one == two else [[one, two], [two, one]]
    ends: dict[tuple[int, int], set[tuple[Men, Men]]] = {}
    for order in orders:
        level = {(own, their)}
        for depth, die in enumerate(order, 1):
            level = {after for before in level for after in steps(*before, die)}
            if level:
                ends.setdefault((depth, die if depth == 1 else 0), set()).update(level)
    return ends[max(ends)] if ends else {(own, their)}


@st.composite
def positions(draw: st.DrawFn) -> BackgammonState:
    """Any men on the board, and any roll; few places, so that sides meet."""
    sides = []
    for _ in range(2):
        side = [0] * 26
        for place in draw(
            st.lists(st.integers(1, draw(st.sampled_from((6, 12, 25)))), max_size=15)
        ):
            side[place] += 1
        sides.append(side)
    own, their = sides
    for point in range(1, 25):
        if own[point]:
            their[25 - point] = 0
    dice = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return position(own, their, dice)


@settings(max_examples=300)
@given(positions())
def test_turns_follow_the_plain_rules(state: BackgammonState) -> None:
    own, their = tuple(unpack(*state[:2])), tuple(unpack(*state[2:4]))
    after = [rules.play(state, move) for move in rules.legal(state)]
    found = [(tuple(unpack(*one[2:4])), tuple(unpack(*one[:2]))) for one in after]
    assert len(set(found)) == len(found)
    assert set(found) == plainly_legal(own, their, state.dice >> 3, state.dice & 7)


@settings(max_examples=200)
@given(positions())
def test_texts_of_turns_differ_and_read_back(state: BackgammonState) -> None:
    legal = rules.legal(state)
    texts = [notation.write(state, move) for move in legal]
    assert len(set(texts)) == len(legal)
    for move, text in zip(legal, texts, strict=True):
        assert notation.read(state, text) == move
        assert notation.read(state, " ".join(reversed(text.split()))) == move
        assert notation.read(state, text.upper() if text != "pass" else text) == move


def told(state: BackgammonState) -> set[str]:
    return {notation.write(state, move) for move in rules.legal(state)}


def test_notation() -> None:
    opening = position(list(START), list(START), (3, 1))
    assert {"8/5 6/5", "24/23 13/10", "24/20", "6/2"} <= told(opening)
    two_ways = position(men(p13=1), men(p15=1, p14=1), (3, 2))
    assert told(two_ways) == {"13/10*/8", "13/11*/8"}
    doubles = position(men(p8=2, p6=2), men(p20=1), (3, 3))
    assert "8/5*(2) 6/3(2)" in told(doubles)
    home = position(men(p6=2, p5=1), men(p20=2), (6, 6))
    assert told(home) == {"6/off(2) 5/off"}
    entering = position(men(bar=2, p6=1), men(p3=2, p4=1), (3, 4))
    assert told(entering) == {"bar/21*"}


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("6/5 8/5", "8/5 6/5"),
        ("13/12 12/9", "13/9"),
        ("13/10/9", "13/9"),
        ("24/23 24/21", "24/23 24/21"),
        ("8/7 8/5", "8/5 8/7"),
    ],
)
def test_other_spellings_of_a_turn(text: str, same: str) -> None:
    opening = position(list(START), list(START), (3, 1))
    assert notation.read(opening, text) == notation.read(opening, same)


@pytest.mark.parametrize(
    ("state", "text", "complaint"),
    [
        (position(list(START), list(START), (3, 1)), "8/5", "both dice of 31 can be played"),
        (position(list(START), list(START), (3, 1)), "pass", "may not pass"),
        (position(list(START), list(START), (3, 1)), "13/11", "which the roll lacks"),
        (position(list(START), list(START), (3, 1)), "9/8 6/3", "1 men move from 9, but only 0"),
        (position(list(START), list(START), (5, 1)), "13/8 6/5 6/5", "51 allows 2 steps"),
        (position(list(START), list(START), (5, 1)), "24/19 8/7", "point 19 is blocked"),
        (position(list(START), list(START), (3, 1)), "6/5 6/5 6/5", "31 allows 2 steps"),
        (position(list(START), list(START), (3, 1)), "5/8", "does not lead towards"),
        (position(list(START), list(START), (3, 1)), "8/5* 6/5", "nothing is hit on 5"),
        (position(list(START), list(START), (3, 1)), "8-5 6-5", "'8-5' is not a step"),
        (position(list(START), list(START), (3, 1)), "", "at least one step"),
        (position(list(START), list(START), (3, 1)), "x" * 9999, "9999 characters"),
        (position(men(bar=1, p8=2), men(p6=2), (3, 1)), "8/5 8/7", "bar must enter before"),
        (position(men(p8=1, p3=2), men(p20=2), (3, 1)), "3/off 8/7", "outside the home board"),
        (position(men(p6=2, p3=2), men(p20=2), (5, 4)), "3/off 6/2", "no man is on a higher point"),
        (position(men(p13=1, p3=1), men(p18=2, p23=2), (6, 4)), "13/9", "larger|allows|can be"),
        (position(men(bar=1), men(p1=2, p2=2), (1, 2)), "bar/24", "no die can be played"),
    ],
)
def test_a_wrong_turn_gets_the_rule_that_it_breaks(
    state: BackgammonState, text: str, complaint: str
) -> None:
    with pytest.raises(IllegalMove, match=complaint) as caught:
        notation.read(state, text)
    assert len(str(caught.value)) < 200


def test_a_single_die_must_be_the_larger_one() -> None:
    # From 20, the 2 leads to 18 and the 6 to 14, and from neither can the other be played.
    state = position(men(p20=1), men(p13=2), (6, 2))
    assert told(state) == {"20/14"}
    with pytest.raises(IllegalMove, match="must be the larger one, 6"):
        notation.read(state, "20/18")


def test_a_turn_that_may_hit_on_two_points_must_say_where() -> None:
    state = position(men(p13=1), men(p15=1, p14=1), (3, 2))
    with pytest.raises(IllegalMove, match=r"write 13/1\d\*/8 or 13/1\d\*/8"):
        notation.read(state, "13/8")
    assert notation.write(state, notation.read(state, "13/10*/8")) == "13/10*/8"
    assert notation.write(state, notation.read(state, "13/11/8")) == "13/11*/8"


@pytest.mark.parametrize(
    ("loser", "points"),
    [
        (men(p6=14), 1),
        (men(p6=15), 2),
        (men(p6=14, p19=1), 3),
        (men(p6=14, bar=1), 3),
        (men(p6=14, p18=1), 2),
        (men(bar=1), 1),
    ],
)
def test_points(loser: list[int], points: int) -> None:
    end = make(loser, [0] * 26)
    assert kernels.over(end)
    assert kernels.result(end) == -points
    assert kernels.score(end, 1) == points
    assert kernels.score(end, 0) == 0


def test_the_opening_roll_decides_who_begins() -> None:
    start = BACKGAMMON.start(0)
    rolls = [BACKGAMMON.format(start, move) for move in BACKGAMMON.legal(start)]
    assert len(rolls) == 30
    assert not any(roll[0] == roll[1] for roll in rolls)
    for roll, seat in (("31", 0), ("13", 1)):
        after = BACKGAMMON.play(start, BACKGAMMON.parse(start, roll))
        assert (BACKGAMMON.to_move(after), after.board.dice) == (seat, 8 * 3 + 1)
    with pytest.raises(IllegalMove, match="two different dice"):
        BACKGAMMON.parse(start, "33")


def test_a_match_goes_on_until_the_goal() -> None:
    state = BACKGAMMON.from_position(
        f"{identity.write(men(p1=1), men(p6=15))} b 21 {GOAL - 1}-{GOAL - 3}"
    )
    move = BACKGAMMON.legal(state)[0]
    after = BACKGAMMON.play(state, move)
    assert after.points == (GOAL - 1, GOAL - 1)
    assert BACKGAMMON.outcome(after) is None
    assert "Black wins a gammon" in BACKGAMMON.svg(after, move)
    assert BACKGAMMON.position(after) == f"4HPwATDgc/ABMA w opening {GOAL - 1}-{GOAL - 1}"
    last = BACKGAMMON.play(state._replace(points=(0, GOAL - 1)), move)
    end = BACKGAMMON.outcome(last)
    assert end is not None
    assert (end.scores, end.reason) == ((0.0, 1.0), f"Black wins the match {GOAL + 1} to 0")
    assert BACKGAMMON.columns(last) == [{"points": 0.0}, {"points": GOAL + 1.0}]
    again = BACKGAMMON.from_position(BACKGAMMON.position(last))
    assert BACKGAMMON.outcome(again) == end


# As GNU Backgammon 1.07 reads them.
KNOWN_IDS = {
    "4HPwATDgc/ABMA": (list(START), list(START)),
    "abbBATCSZ4cBGA": (
        men(p2=1, p4=1, p6=4, p8=2, p9=3, p13=2, p23=2),
        men(p1=1, p3=1, p4=2, p6=2, p7=2, p8=2, p13=3, p24=2),
    ),
    "7XIDARFptoUBYA": (
        men(p1=1, p3=1, p4=2, p6=2, p7=2, p8=2, p9=1, p13=2, bar=2),
        men(p1=1, p2=2, p3=3, p4=1, p6=3, p7=2, p13=1, p20=1, p23=1),
    ),
}


@pytest.mark.parametrize("text", KNOWN_IDS)
def test_position_ids(text: str) -> None:
    own, their = KNOWN_IDS[text]
    assert identity.write(own, their) == text
    assert identity.read(text) == (own, their)
    assert BACKGAMMON.position(BACKGAMMON.from_position(text)) == f"{text} w - 0-0"


@given(positions())
def test_position_ids_read_back(state: BackgammonState) -> None:
    own, their = unpack(*state[:2]), unpack(*state[2:4])
    assert identity.read(identity.write(own, their)) == (own, their)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "14 letters"),
        (None, "is not a position"),
        ("4HPwATDgc/ABM", "14 letters"),
        ("4HPwATDgc/AB!A", "no position ID"),
        ("/////////////w", "at most 15"),
        ("4HPwATDgc/ABMA x", "the side is w or b"),
        ("4HPwATDgc/ABMA w 37", "two digits such as 31"),
        ("4HPwATDgc/ABMA b opening", "with side w"),
        ("4HPwATDgc/ABMA w 31 0", "two numbers"),
        ("4HPwATDgc/ABMA w 31 9-0", "at most 7"),
        ("4HPwATDgc/ABMA w 31 5-0", "exactly when"),
        (f"{identity.write([0] * 26, START)} w", "side to move has borne"),
        (f"{identity.write(START, [0] * 26)} w", "exactly when"),
        (f"{identity.write(men(p3=1), men(p22=1))} w", "both sides have men on point 3"),
        ("4HPwATDgc/ABMA w 31 0-0 0", "is not a position"),
        ("x" * 10_000_000, "10000000 characters"),
    ],
)
def test_bad_positions(text: str, complaint: str) -> None:
    with pytest.raises(BadPosition, match=complaint) as caught:
        BACKGAMMON.from_position(text)
    assert len(str(caught.value)) < 300


def test_observations_are_from_the_view_of_their_seat() -> None:
    board = position(men(p6=2, bar=1), men(p8=3), (4, 2))
    seen = BACKGAMMON.observation(Series(board, (1, 2)), 0)
    assert seen["board"][5] == 2
    assert seen["board"][16] == -3
    assert (seen["bar"], seen["off"], seen["pips"]) == ([1, 0], [12, 12], [37, 24])
    assert (seen["dice"], seen["points"], seen["goal"]) == ([4, 2], [1, 2], GOAL)
    other = BACKGAMMON.observation(Series(board, (1, 2)), 1)
    assert other["board"] == [-count for count in reversed(seen["board"])]
    assert (other["bar"], other["pips"], other["points"]) == ([0, 1], [24, 37], [2, 1])


def test_weights_of_pubeval_are_those_of_its_author() -> None:
    known = json.loads(WEIGHTS.read_text())
    assert list(CONTACT) == known["contact"]
    assert list(RACE) == known["race"]


def test_hit_chances_are_those_of_every_table() -> None:
    """Rolls of 36 that hit a blot at a distance, with nothing in between."""
    known = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3}
    everywhere = np.uint64((1 << 25) - 2)
    for distance, rolls in known.items():
        blot, enemy = (np.uint64(1 << place) for place in (2 + distance, 2))
        assert features.hit_chances(blot, enemy, everywhere) * 36 == pytest.approx(rolls)


def test_escapes_without_blocks_and_behind_a_prime() -> None:
    none = np.uint64(0)
    # From the nearest point every roll escapes; from the sixth only sums of six or more.
    assert features.escapes(none) == features.MOST_ESCAPES == 36 + 36 + 36 + 34 + 31 + 27
    prime = np.uint64(sum(1 << point for point in range(18, 24)))
    assert features.escapes(prime) == 0


def played_match(seed: int) -> tuple[Series, list[RecordedMove]]:
    """A whole match between quick house bots."""
    bots = [BACKGAMMON.house_bots[name](seed) for name in ("pubeval", "builder")]
    dice, state, moves = random.Random(seed), BACKGAMMON.start(seed), []
    while BACKGAMMON.outcome(state) is None:
        seat = BACKGAMMON.to_move(state)
        if seat < 0:
            move = dice.choices(BACKGAMMON.legal(state), BACKGAMMON.chances(state))[0]
        else:
            move = bots[seat].choose(state, seat)
        moves.append(RecordedMove(seat, BACKGAMMON.format(state, move), 0.0))
        state = BACKGAMMON.play(state, move)
    return state, moves


def record(moves: list[RecordedMove], scores: tuple[float, ...]) -> GameRecord:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    return GameRecord("Match 7, ladder", "Here", at, ("a b", "house"), moves, scores)


def test_records_hold_every_turn_and_the_result() -> None:
    state, moves = played_match(3)
    text = BACKGAMMON.write_record(record(moves, (1.0, 0.0)))
    lines = text.splitlines()
    assert lines[4] == f" {GOAL} point match"
    assert "a_b : 0" in text
    assert "bar" not in text
    assert "off" not in text
    turns = sum(move.seat >= 0 for move in moves)
    assert sum(line.count(": ") - line.count(" : ") for line in lines if ") " in line[:6]) <= turns
    assert text.count("Wins") == text.count(" Game ")
    assert text.count("and the match") == 1
    assert max(state.points) >= GOAL
    cut = BACKGAMMON.write_record(replace(record(moves[:5], (0.0, 1.0)), forfeit="fault"))
    assert "Wins" not in cut


@pytest.mark.parametrize("seed", range(3))
def test_pictures_show_all_men(seed: int) -> None:
    state = BACKGAMMON.start(seed)
    dice = random.Random(seed)
    for _ in range(60):
        move = dice.choice(BACKGAMMON.legal(state))
        state = BACKGAMMON.play(state, move)
        drawn = BACKGAMMON.svg(state, move)
        own, their = unpack(*state.board[:2]), unpack(*state.board[2:4])
        discs = sum(min(count, 5) for count in (*own[1:], *their[1:]))
        assert drawn.count('r="9"') == discs
        off = 30 - sum(own) - sum(their)
        assert drawn.count('height="5"') == off


def test_words_and_numbers_of_men_agree() -> None:
    draw = random.Random(4)
    for _ in range(200):
        side = Counter(draw.choices(range(1, 26), k=15))
        assert unpack(*pack([side[place] for place in range(26)])) == [side[p] for p in range(26)]
