"""The formats as pure functions: properties that hold for any number of entries."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.contests.formats import (
    FORMATS,
    Contestant,
    FormatOptions,
    Meeting,
    Past,
    Stage,
    matching,
)
from ladder.contests.formats.elimination import EXTRA_PAIRS, best_of, first_games, judge, layout

FIELD = st.integers(1, 300)


def entered(count: int) -> list[Contestant]:
    return [Contestant(seeding) for seeding in range(1, count + 1)]


# Round robin and gauntlet


def rounds_of(name: str, count: int, options: FormatOptions) -> list[list[Meeting]]:
    one = FORMATS[name]
    field = entered(count)
    return [
        one.pair(Stage(number, field, options))
        for number in range(1, one.rounds(count, options) + 1)
    ]


@given(st.integers(0, 60))
def test_everybody_meets_everybody_once(count: int) -> None:
    rounds = rounds_of("round-robin", count, FormatOptions())
    for meetings in rounds:
        seated = [entry for meeting in meetings for entry in meeting.entrants]
        assert len(seated) == len(set(seated)), "nobody plays twice in a round"
        assert len(seated) >= count - count % 2, "at most one entry has a bye"
    met = [frozenset(meeting.entrants) for meetings in rounds for meeting in meetings]
    assert len(met) == len(set(met))
    assert set(met) == {frozenset(pair) for pair in combinations(range(1, count + 1), 2)}
    games = sum(meeting.games for meetings in rounds for meeting in meetings)
    assert games == FORMATS["round-robin"].games(count, FormatOptions()) == count * (count - 1)


@given(st.integers(2, 80))
def test_a_single_round_robin_balances_the_seats(count: int) -> None:
    options = FormatOptions(legs=1)
    firsts: Counter[int] = Counter()
    lean: Counter[int] = Counter()
    for meetings in rounds_of("round-robin", count, options):
        for meeting in meetings:
            first, second = meeting.entrants
            assert meeting.games == 1
            firsts[first] += 1
            lean[first] += 1
            lean[second] -= 1
    assert all(abs(lean[entry]) <= 1 for entry in range(1, count + 1))


def test_six_play_the_table_of_berger() -> None:
    rounds = rounds_of("round-robin", 6, FormatOptions(legs=1))
    assert [{m.entrants for m in meetings} for meetings in rounds] == [
        {(1, 6), (2, 5), (3, 4)},
        {(6, 4), (5, 3), (1, 2)},
        {(2, 6), (3, 1), (4, 5)},
        {(6, 5), (1, 4), (2, 3)},
        {(3, 6), (4, 2), (5, 1)},
    ]


@given(st.integers(1, 40), st.data())
def test_the_gauntlet_is_one_against_the_field(count: int, data: st.DataObject) -> None:
    champion = data.draw(st.integers(1, count))
    gauntlet = FORMATS["gauntlet"]
    assert gauntlet.rounds(count, FormatOptions()) == (count > 1)
    meetings = gauntlet.pair(Stage(1, entered(count), FormatOptions(), champion=champion))
    others = sorted(next(e for e in m.entrants if e != champion) for m in meetings)
    assert others == [entry for entry in range(1, count + 1) if entry != champion]


# Single elimination


@pytest.mark.parametrize("size", [1, 2, 4, 8, 256])
def test_the_best_meet_as_late_as_possible(size: int) -> None:
    order = layout(size)
    assert sorted(order) == list(range(1, size + 1))
    while len(order) > 1:  # the better seed always wins
        for one, two in zip(order[::2], order[1::2], strict=True):
            assert one + two == len(order) + 1
        order = [min(pair) for pair in zip(order[::2], order[1::2], strict=True)]


def test_eight_entries_have_the_usual_layout() -> None:
    assert layout(8) == [1, 8, 4, 5, 2, 7, 3, 6]


def play_bracket(
    count: int, rng: random.Random, options: FormatOptions, leaving: float = 0.0
) -> tuple[list[list[Past]], set[int]]:
    """Play a bracket with random results; entries leave after a round with chance `leaving`."""
    form = FORMATS["single-elimination"]
    field = entered(count)
    past: list[list[Past]] = []
    for number in range(1, form.rounds(count, options) + 1):
        boards = form.pair(Stage(number, field, options, past))
        results = []
        for board in boards:
            winner = rng.choice(board.entrants) if board.entrants else None
            assert board.games == (first_games(best_of(options)) if len(board.entrants) == 2 else 0)
            results.append(Past(board.entrants, winner))
        past.append(results)
        field = [replace(one, withdrawn=one.withdrawn or rng.random() < leaving) for one in field]
    return past, {one.seeding for one in field if one.withdrawn}


@settings(max_examples=60, deadline=None)
@given(FIELD, st.integers(0, 2**32), st.booleans())
def test_brackets_are_valid(count: int, chance: int, third: bool) -> None:
    options = FormatOptions(third_place=third)
    past, _ = play_bracket(count, random.Random(chance), options)
    assert len(past) == (count - 1).bit_length()
    if count == 1:
        return
    first = [entry for board in past[0] for entry in board.entrants]
    assert sorted(first) == list(range(1, count + 1)), "everybody plays in the first round, once"
    byes = [board.entrants[0] for board in past[0] if len(board.entrants) == 1]
    size = 1 << len(past)
    assert sorted(byes) == list(range(1, size - count + 1)), "the best seeds have the byes"
    losses: Counter[int] = Counter()
    for number, boards in enumerate(past):
        main = boards[: size >> (number + 1)]
        assert all(len(board.entrants) in (1, 2) for board in main)
        assert number == 0 or all(len(board.entrants) == 2 for board in main)
        losses.update(board.loser for board in main if board.loser is not None)
        if number:
            going_on = [board.winner for board in past[number - 1][: 2 * len(main)]]
            assert [e for board in main for e in board.entrants] == going_on
    assert set(losses.values()) == {1}
    assert set(range(1, count + 1)) - set(losses) == {past[-1][0].winner}
    if third and count >= 4:
        assert set(past[-1][1].entrants) == {board.loser for board in past[-2]}
    else:
        assert len(past[-1]) == (2 if third and count == 3 else 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 64), st.integers(0, 2**32))
def test_entries_that_leave_a_bracket_are_passed_over(count: int, chance: int) -> None:
    past, gone = play_bracket(count, random.Random(chance), FormatOptions(), leaving=0.2)
    left_when: dict[int, int] = {}
    seen: set[int] = set()
    for number, boards in enumerate(past):
        present = {entry for board in boards for entry in board.entrants}
        for entry in seen - present:
            left_when.setdefault(entry, number)
        assert not present & set(left_when), "nobody comes back"
        seen |= present
        winners = {board.winner for board in boards} - {None}
        assert winners <= present
    assert len(gone) <= count


GAMES = st.lists(st.sampled_from([(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)]), min_size=40, max_size=40)


@given(GAMES, st.integers(1, 15), st.lists(st.floats(0, 9), min_size=40, max_size=40))
def test_a_meeting_is_always_decided(
    games: list[tuple[float, float]], most: int, scores: list[float]
) -> None:
    played = first_games(most)
    while True:
        points = [sum(game[place] for game in games[:played]) for place in (0, 1)]
        sums = [sum(scores[:played]), sum(scores[:played])]
        ruling = judge(points, sums, played, most, (5, 3))
        assert (ruling.winner is None) == (ruling.more > 0)
        if ruling.winner is not None:
            break
        played += ruling.more
        assert played <= most + 2 * EXTRA_PAIRS
    if points[0] != points[1]:
        assert ruling.winner == (0 if points[0] > points[1] else 1)
    else:
        assert (ruling.winner, ruling.by) == (1, "better seed")
    if played <= most:
        assert max(points) > most / 2 or played == most


def test_the_higher_score_breaks_a_tie_before_the_seed() -> None:
    ruling = judge((5.5, 5.5), (3.0, 2.5), 11, 7, (9, 1))
    assert (ruling.winner, ruling.by) == (0, "higher score")


@pytest.mark.parametrize(("most", "first"), [(1, 1), (2, 2), (3, 2), (4, 4), (5, 4), (7, 4)])
def test_games_come_in_pairs_with_sides_swapped(most: int, first: int) -> None:
    assert first_games(most) == first


# Swiss


def play_swiss(
    count: int, rounds: int, legs: int, rng: random.Random, leaving: float = 0.0
) -> list[list[Meeting]]:
    field = {one.seeding: one for one in entered(count)}
    options = FormatOptions(legs=legs, rounds=rounds)
    done = []
    for number in range(1, rounds + 1):
        meetings = FORMATS["swiss"].pair(Stage(number, list(field.values()), options))
        present = sorted(one.seeding for one in field.values() if not one.withdrawn)
        assert sorted(e for m in meetings for e in m.entrants) == present
        assert sum(len(m.entrants) == 1 for m in meetings) == len(present) % 2
        _check_rematches(list(field.values()), meetings)
        for meeting in meetings:
            if len(meeting.entrants) == 1:
                (one,) = meeting.entrants
                field[one] = replace(
                    field[one], points=field[one].points + legs, byes=field[one].byes + 1
                )
                continue
            won = rng.choice([0.0, 0.5, 1.0])
            for place, entry in enumerate(meeting.entrants):
                other = meeting.entrants[1 - place]
                one = field[entry]
                odd = legs % 2 * (1 if place == 0 else -1)
                field[entry] = replace(
                    one,
                    points=one.points + legs * (won if place == 0 else 1 - won),
                    lean=one.lean + odd,
                    met={**one.met, other: one.met.get(other, 0) + legs},
                )
        done.append(meetings)
        for entry, one in field.items():
            if rng.random() < leaving:
                field[entry] = replace(one, withdrawn=True)
    return done


def _check_rematches(field: list[Contestant], meetings: list[Meeting]) -> None:
    """The number of rematches is minimal: a largest set of new meetings leaves as many."""
    present = [one for one in field if not one.withdrawn]
    rematches = sum(
        len(m.entrants) == 2 and m.entrants[1] in _of(field, m.entrants[0]).met for m in meetings
    )
    if not rematches:
        return
    fewest = min(one.byes for one in present)
    bye = [len(present)] if len(present) % 2 else []
    graph = [
        [i for i, other in enumerate(present) if other is not one and other.seeding not in one.met]
        + (bye if one.byes == fewest else [])
        for one in present
    ]
    if bye:
        graph.append([i for i, one in enumerate(present) if one.byes == fewest])
    free = matching.match(graph).count(matching.NOBODY)
    assert free == 2 * rematches


def _of(field: list[Contestant], seeding: int) -> Contestant:
    return next(one for one in field if one.seeding == seeding)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 24), st.integers(1, 26), st.integers(1, 2), st.integers(0, 2**32))
def test_swiss_avoids_rematches(count: int, rounds: int, legs: int, chance: int) -> None:
    done = play_swiss(count, rounds, legs, random.Random(chance))
    byes = Counter(m.entrants for meetings in done for m in meetings if len(m.entrants) == 1)
    if rounds <= count:
        assert all(number == 1 for number in byes.values()), "a bye at most once"
    if rounds <= count // 2:
        met = [frozenset(m.entrants) for ms in done for m in ms if len(m.entrants) == 2]
        assert len(met) == len(set(met)), "rematches are always avoidable in the first rounds"


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 40), st.integers(0, 2**32))
def test_swiss_balances_the_seats(count: int, chance: int) -> None:
    rounds = min(9, count // 2)
    done = play_swiss(count, rounds, 1, random.Random(chance))
    lean: Counter[int] = Counter()
    for meetings in done:
        for meeting in meetings:
            if len(meeting.entrants) == 2:
                lean[meeting.entrants[0]] += 1
                lean[meeting.entrants[1]] -= 1
        assert all(abs(value) <= 3 for value in lean.values())
    assert sum(abs(value) > 2 for value in lean.values()) <= 2, "rarely more than two"


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 30), st.integers(0, 2**32))
def test_swiss_goes_on_without_entries_that_leave(count: int, chance: int) -> None:
    play_swiss(count, 6, 2, random.Random(chance), leaving=0.1)


def test_swiss_pairs_equals_and_halves_of_the_field() -> None:
    field = entered(8)
    meetings = FORMATS["swiss"].pair(Stage(1, field, FormatOptions()))
    assert {frozenset(m.entrants) for m in meetings} == {
        frozenset(pair) for pair in ((1, 5), (2, 6), (3, 7), (4, 8))
    }
    field = [
        replace(one, points=2.0 if one.seeding <= 4 else 0.0, met={one.seeding % 8 + 1: 2})
        for one in field
    ]
    meetings = FORMATS["swiss"].pair(Stage(2, field, FormatOptions()))
    for meeting in meetings:
        assert len({entry <= 4 for entry in meeting.entrants}) == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.data())
def test_the_matching_has_the_largest_size(count: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(count), 2))
    chosen = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    graph = [
        [b for a, b in chosen if a == v] + [a for a, b in chosen if b == v] for v in range(count)
    ]
    mates = matching.match(graph)
    for v, mate in enumerate(mates):
        assert mate == matching.NOBODY or (mates[mate] == v and mate in graph[v])
    assert sum(m != matching.NOBODY for m in mates) == 2 * _largest(chosen)


def _largest(edges: list[tuple[int, int]]) -> int:
    if not edges:
        return 0
    (a, b), *rest = edges
    apart = [edge for edge in rest if not {a, b} & set(edge)]
    return max(_largest(rest), 1 + _largest(apart))


# Melee


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(2, 10), st.integers(0, 3))
def test_melees_seat_everybody_at_even_tables(count: int, most: int, gone: int) -> None:
    seats = frozenset(range(min(3, most), most + 1))
    field = [replace(one, withdrawn=one.seeding <= gone) for one in entered(count)]
    meetings = FORMATS["melee"].pair(Stage(1, field, FormatOptions(), seats=seats))
    present = [one.seeding for one in field if not one.withdrawn]
    seated = sorted(e for m in meetings for e in m.entrants)
    assert len(set(seated)) == len(seated)
    assert set(seated) <= set(present)
    sizes = [len(m.entrants) for m in meetings]
    assert all(size in seats for size in sizes)
    assert not sizes or max(sizes) - min(sizes) <= 1
    possible = {0}  # numbers of entries that fill tables
    for number in range(1, len(present) + 1):
        if any(number - size in possible for size in seats):
            possible.add(number)
    assert len(seated) == max(possible), "as many as possible play"


def test_opponents_change_from_melee_to_melee() -> None:
    field = entered(20)
    together: Counter[frozenset[int]] = Counter()
    for number in range(1, 5):
        meetings = FORMATS["melee"].pair(
            Stage(number, field, FormatOptions(seats=5), seats=frozenset(range(2, 11)))
        )
        for meeting in meetings:
            together.update(map(frozenset, combinations(meeting.entrants, 2)))
            for entry in meeting.entrants:
                others = {other: 1 for other in meeting.entrants if other != entry}
                met = Counter(field[entry - 1].met) + Counter(others)
                field[entry - 1] = replace(field[entry - 1], met=dict(met))
    assert max(together.values()) <= 2
