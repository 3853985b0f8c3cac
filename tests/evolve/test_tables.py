"""Tables of any number of seats: seatings and results, also with dice."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evolve_samples import Breaking, HighCard, high_card, numbers, resident

import engines.games
from engines.alphabeta.contests import contest
from evolve.domain import Control, Designation, Domain
from evolve.errors import BadParameter
from evolve.fitness.boards import BoardArena
from evolve.fitness.guides import pin, seat
from evolve.fitness.measures import (
    CoPlay,
    Fitness,
    FractionalScore,
    GuideRounds,
    RandomTwoWays,
    RoundRobin,
    SingleElimination,
    seat_everybody,
)
from evolve.fitness.meetings import TableResult, play_table, seat_opponents
from evolve.fitness.population import Fixture, Population
from evolve.fitness.ranking import PageRank
from evolve.operators.breeding import SingleOperatorBreeding
from evolve.operators.growth import TreeLimits
from evolve.runs.designation import FinalsSetting, play_without_failed
from evolve.runs.evolution import Evolution, Participants
from evolve.runs.run import start
from evolve.streams import stream
from tests.engines.toys import DOUBLES, STONES


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines.games, "GAMES", (*engines.games.GAMES, DOUBLES, STONES))


class TableRecorder(Population):
    """A population that records its fixtures."""

    def meet(self, fixtures: Sequence[Fixture]) -> list[TableResult]:
        self.met = [*getattr(self, "met", []), *fixtures]
        return super().meet(fixtures)


def population_of(
    size: int, seats: int, guides: Sequence[str] = (), luck: float = 0.0
) -> TableRecorder:
    arena = HighCard(luck, seats=seats)
    residents = [resident(name, arena) for name in guides]
    return TableRecorder(arena, numbers(*np.linspace(0, 1, size)), residents, 1, (3,))


def measured(fitness: Fitness, population: Population) -> Any:
    return fitness.measure(population, np.zeros(population.size))


BEFORE = {
    CoPlay(4): "9ab3dc9340b42ee8",
    GuideRounds(2, 3, 2.0): "152de3f9252a5c78",
    RandomTwoWays(): "90c0d428341a963c",
    RoundRobin(1): "2b4be93289be1204",
    SingleElimination(2): "79af8a97d3a2f952",
    FractionalScore(3): "454c5f7cdc56cbfa",
}
"""The points of each individual in games of two."""


@pytest.mark.parametrize("fitness", BEFORE, ids=lambda fitness: type(fitness).__name__)
def test_with_two_seats_nothing_has_changed(fitness: Fitness) -> None:
    arena = HighCard(1.0)
    guides = [resident(name, arena) for name in ("one", "two")]
    population = Population(arena, numbers(*np.linspace(0, 2, 12)), guides, 7, (1, 2))
    found = measured(fitness, population)
    assert hashlib.sha256(found.tobytes()).hexdigest()[:16] == BEFORE[fitness]


def test_runs_with_two_seats_are_the_same_bytes(tmp_path: Path) -> None:
    fitness = FractionalScore(3) + CoPlay(2)
    domain = high_card(fitness, guides=("house:one", "house:two"))
    start(domain, tmp_path / "run", 5).go()
    digests = {
        name: hashlib.sha256((tmp_path / "run" / name).read_bytes()).hexdigest()[:16]
        for name in ("run.json", "log.jsonl", "champion.lisp")
    }
    assert digests == {
        "run.json": "a7bd235d2a1c4612",
        "log.jsonl": "b64420d365ac2422",
        "champion.lisp": "038aab41d787bf76",
    }


def test_a_meeting_of_four_as_each_of_them_sees_it() -> None:
    met = TableResult(((3.0, 1.0), (2.0, 1.0), (0.0, 1.0), (3.0, 0.0)), (1, 2, 3, 4))
    assert (met.games, met.wins, met.draws, met.losses) == (2, 0, 2, 0)
    assert met.others == (5.0, 2.0)
    assert met.share() == 4 / 11
    # Two of three beaten and one equal; one beaten and two equal.
    assert met.points == pytest.approx((2.5 + 2) / 3)
    third = met.seen_by(2)
    assert third.scores == (met.scores[2], met.scores[0], met.scores[1], met.scores[3])
    assert third.instructions == (3, 1, 2, 4)
    assert (third.wins, third.draws, third.losses) == (0, 1, 1)
    assert sum(met.seen_by(player).points for player in range(4)) == met.games * 4 / 2
    assert sum(met.seen_by(player).share() for player in range(4)) == pytest.approx(1)
    assert met.joined(third).games == 4
    assert TableResult(((0.0,),) * 4).share() == 1 / 4


def test_opponents_fill_tables_equally_often() -> None:
    arena = HighCard()
    zero, one, two, ten = (resident(name, arena) for name in arena.house)
    assert seat_opponents([zero, one], 2) == [(zero,), (one,)]
    assert seat_opponents([zero, one, two], 4) == [(zero, one, two)]
    assert seat_opponents([zero, one], 6) == [(zero, one, zero, one, zero)]
    assert seat_opponents([], 4) == []
    tables = seat_opponents([zero, one, two, ten], 3)
    assert tables == [(zero, one), (one, two), (two, ten), (ten, zero)]


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_coplay_gives_everybody_every_seat_equally_often(seats: int) -> None:
    population = population_of(9, seats)
    points = measured(CoPlay(5), population)
    for place in range(seats):
        sitting = Counter((f.first, *f.others)[place] for f in population.met)
        assert sitting == dict.fromkeys(range(9), 5)
    assert all(len({f.first, *f.others}) == seats for f in population.met)
    assert sum(points) == pytest.approx(9 * 5 * seats / 2)
    assert points[8] == points.max() == 5 * seats
    assert population.costs.played.tolist() == [5 * seats] * 9
    with pytest.raises(BadParameter, match=f"cannot fill a table of {seats}"):
        seat_everybody(population_of(2, seats), 1)


def test_other_fitness_at_tables_of_three() -> None:
    peers = population_of(7, 3)
    two_ways = measured(RandomTwoWays(peers=2, games=1), peers)
    assert Counter(f.first for f in peers.met) == dict.fromkeys(range(7), 2)
    assert all(len({f.first, *f.others}) == 3 for f in peers.met)
    assert two_ways[6] == 1 == two_ways.max()
    robin = population_of(5, 3)
    means = measured(RoundRobin(1), robin)
    assert len(robin.met) == 10
    assert means[4] == 1 == means.max()
    ranks = measured(PageRank(penalty=0.0), population_of(9, 3, ("zero", "two", "ten")))
    assert np.isfinite(ranks).all()
    assert ranks[:3].mean() < ranks[-3:].mean()
    with pytest.raises(BadParameter, match="SingleElimination needs 2 seats, not 3"):
        measured(SingleElimination(1), robin)


def test_guides_sit_at_one_table() -> None:
    population = population_of(4, 4, ("zero", "one", "two"))
    assert measured(FractionalScore(3, 0.0), population).tolist() == [0, 0, 0, 0]
    assert len(population.met) == 4
    assert {f.others for f in population.met} == {tuple(population.guides)}
    # All lose to the last guide, and have the same score as the two others.
    assert measured(GuideRounds(1, 2), population).tolist() == pytest.approx([2 / 3] * 4)


def test_an_opponent_that_is_no_resident_hosts_the_table() -> None:
    arena = HighCard(seats=3)
    wild = Breaking(1)
    table = [population_of(2, 3)._compile(arena)[1], resident("zero", arena), wild]
    assert play_table(table, 1, 4).games == 4
    assert wild.left == 0


def test_others_take_the_seat_of_an_opponent_that_fails() -> None:
    arena = HighCard(seats=3)
    domain = Domain("high-card", arena.architecture, CoPlay(1), arena)
    table = (Breaking(0), resident("zero", arena))
    met, left = play_without_failed(FinalsSetting(domain, 1), (1,), numbers(0.5), table, 6)
    assert [one.name for one in left] == ["house:zero", "house:zero"]
    assert met[0].games == 6
    assert (
        play_without_failed(FinalsSetting(domain, 1), (1,), numbers(0.5), table[:1] * 2, 6)[0] == []
    )


# Board games with dice, and with more than two seats.


@pytest.mark.usefixtures("toys")
def test_a_table_of_a_board_game_goes_round_all_seats() -> None:
    arena = BoardArena("stones", seats=3)
    players = [arena.house_player(name) for name in ("random", "depth-1", "depth-4")]
    met = arena.meet(players, 5, 6)
    assert met == arena.meet(players, 5, 6)
    for game in range(6):
        turned = [players[(place - game) % 3] for place in range(3)]
        scores = contest(STONES, turned, 5 + game // 3).scores
        assert tuple(one[game] for one in met.scores) == tuple(
            scores[(player + game) % 3] for player in range(3)
        )
    assert {sum(game) for game in zip(*met.scores, strict=True)} == {1.0}
    with pytest.raises(BadParameter, match=r"stones has 2, 3, 4 or 6 seats, not 5"):
        BoardArena("stones", seats=5)


@pytest.mark.usefixtures("toys")
def test_the_order_of_players_only_turns_their_games_round() -> None:
    arena = BoardArena("stones", seats=3)
    players = [arena.house_player(name) for name in ("random", "depth-1", "depth-4")]
    met = arena.meet(players, 8, 3)
    turned = arena.meet(players[1:] + players[:1], 8, 3)
    assert [sorted(one) for one in turned.scores] == [
        sorted(met.scores[player]) for player in (1, 2, 0)
    ]


@pytest.mark.usefixtures("toys")
def test_an_arena_of_a_dice_game() -> None:
    arena = BoardArena("doubles")
    strong, weak = arena.house_player("depth-2"), arena.house_player("random")
    met = arena.meet([strong, weak], 1, 200)
    assert met.share() > 0.55
    # Seats are exchanged with the same dice: games against itself come in mirrored pairs.
    same = arena.meet([strong, strong], 1, 200)
    assert same.own[::2] == same.others[1::2]
    told = arena.situations(stream(1), 40)
    assert told.shape == (40, 3)
    assert told[:, 2].max() > 0


TOYS = [("doubles", 2), ("stones", 3), ("stones", 4)]


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(("name", "seats"), TOYS)
def test_a_game_of_dice_or_of_many_seats_can_be_evolved(
    name: str, seats: int, tmp_path: Path
) -> None:
    arena = BoardArena(name, seats=seats)
    domain = Domain(
        name,
        arena.architecture,
        GuideRounds(1, 2 * seats) + CoPlay(2),
        arena,
        ("house:random", "house:depth-1"),
        Control(8, SingleOperatorBreeding(), TreeLimits(5, 40), generations=2),
        Designation((), ("house:depth-2",), 2, 12, 6),
        options={"depth": 1},
    )
    guides = [seat(one, arena) for one in pin(domain.guides, arena)[0]]
    states = [
        list(Evolution(domain, 3, Participants(guides), workers=workers)) for workers in (1, 2)
    ]
    assert states[0] == states[1]
    # Each has a table of guides (with two seats, one for each guide), and co-play on every seat.
    tables = 2 if seats == 2 else 1
    assert [state.games for state in states[0]] == [8 * (tables * 2 * seats + 2)] * 2
    report = start(domain, tmp_path / "run", 3).go()
    (row,) = report["finals"]["holdout"]
    assert (row["opponent"], row["games"]) == ("house:depth-2", 12)
    assert [one["opponent"] for one in report["finals"]["guides"]] == (
        ["house:random", "house:depth-1"] if seats == 2 else ["house:random, house:depth-1"]
    )


def test_every_seating_of_a_small_table_is_met() -> None:
    """All orders of three come up among the seatings of a small population."""
    tables = [table for tables in seat_everybody(population_of(3, 3), 40) for table in tables]
    assert set(tables) == set(permutations(range(3)))
