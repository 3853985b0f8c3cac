from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest
from evolve_samples import Breaking, HighCard, high_card, numbers, resident, worth

from evolve.errors import BadCheckpoint, BadGuide, BadParameter
from evolve.fitness.measures import CoPlay, FractionalScore, ProgramMeasure
from evolve.operators.breeding import (
    Breeding,
    EvolutionStrategy,
    PairBreeding,
    SingleOperatorBreeding,
    TruncationBreeding,
)
from evolve.operators.growth import TreeLimits
from evolve.operators.islands import Islands
from evolve.operators.recursive import Rates
from evolve.runs.checkpoint import decode, encode, one_line
from evolve.runs.evolution import Evolution, EvolutionState, Participants
from evolve.runs.statistics import describe, texts_of
from evolve.streams import stream

BREEDINGS = [
    PairBreeding(0.8, 0.3, 0.5, 0.3),
    SingleOperatorBreeding(0.6, 0.2, 0.2, tournament=0),
    SingleOperatorBreeding(0.6, 0.2, 0.1, 0.1),
    TruncationBreeding(rates=Rates(0.1, 0.1, 0.1)),
    EvolutionStrategy(("Number",) * 4, spread=0.5),
]


def lines(evolution: Evolution) -> list[dict[str, object]]:
    return [describe(state, texts_of(state)) for state in evolution]


@pytest.mark.parametrize("breeding", BREEDINGS, ids=str)
def test_evolution_finds_larger_numbers(breeding: Breeding) -> None:
    domain = high_card(CoPlay(6), breeding=breeding, population=40, generations=25)
    states = list(Evolution(domain, 3))
    means = [np.mean([worth(one) for one in state.islands[0].programs]) for state in states]
    assert len(states) == 25
    assert means[-1] > means[0] + 1
    limits = domain.control.limits
    for state in states:
        assert all(one.size <= limits.nodes for one in state.islands[0].programs)
        assert all(one.trees[0].depth <= limits.depth for one in state.islands[0].programs)


def test_a_run_follows_from_its_seed_with_any_workers() -> None:
    domain = high_card(CoPlay(3) + FractionalScore(2), islands=Islands(3, 1, 2, 2, 1))
    guides = [resident("one")]
    first = lines(Evolution(domain, 5, Participants(guides)))
    assert lines(Evolution(domain, 5, Participants(guides), workers=3)) == first
    assert lines(Evolution(domain, 6, Participants(guides))) != first
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        assert lines(Evolution(domain, 5, Participants(guides), executor=executor)) == first


@pytest.mark.parametrize("breeding", [BREEDINGS[0], BREEDINGS[-1]], ids=str)
@pytest.mark.parametrize("at", [0, 2, 4])
def test_going_on_from_a_checkpoint_changes_nothing(at: int, breeding: Breeding) -> None:
    domain = high_card(CoPlay(3), islands=Islands(2, 0, 1, 1, 1), breeding=breeding)
    states = list(Evolution(domain, 5))
    texts = texts_of(states[at])
    content = encode(states[at], describe(states[at], texts), texts)
    state, line = decode(content, domain.architecture)
    assert state == states[at]
    assert line == describe(state, texts)
    assert list(Evolution(domain, 5, state=state)) == states[at + 1 :]


def test_elites_are_copied_unchanged_and_measured_again() -> None:
    domain = high_card(CoPlay(3), breeding=SingleOperatorBreeding(elites=3))
    before, after = list(Evolution(domain, 2))[1:3]
    kept = [one.program for one in before.ranked()[:3]]
    assert list(after.islands[0].programs[:3]) == kept
    assert after.islands[0].fitness[:3] != tuple(one.fitness for one in before.ranked()[:3])


def test_without_noise_elites_keep_their_fitness_unmeasured() -> None:
    measured = []

    def note(program: object) -> float:
        measured.append(program)
        return worth(program)  # type: ignore[arg-type]

    domain = replace(
        high_card(ProgramMeasure(note), breeding=SingleOperatorBreeding(elites=4)), arena=None
    )
    states = list(Evolution(domain, 2))
    assert len(measured) == 16 + 4 * 12
    best = [state.best.fitness for state in states]
    assert best == sorted(best)
    assert states[-1].best.fitness == worth(states[-1].best.program)


def test_runs_end_on_a_plateau_or_after_their_time() -> None:
    flat = Evolution(high_card(ProgramMeasure(lambda one: 1.0), plateau=3, generations=50), 1)
    assert [state.generation for state in flat] == [0, 1, 2, 3]
    assert flat.stopped == "plateau"
    hasty = Evolution(high_card(CoPlay(1), minutes=1e-9, generations=50), 1)
    assert len(list(hasty)) == 1
    assert hasty.stopped == "time"
    all_of_it = Evolution(high_card(CoPlay(1), generations=2), 1)
    assert len(list(all_of_it)) == 2
    assert all_of_it.stopped == "generations"


def test_the_book_migrates_by_stride() -> None:
    book = Islands(50)
    assert book.routes(9) == []
    assert book.routes(13) == [
        (island, (island + step) % 50) for island in (3, 13, 23, 33, 43) for step in (1, 2, 3)
    ]
    assert Islands(1).routes(10) == []


def test_migrants_come_from_the_fittest_and_spare_the_elites() -> None:
    islands = Islands(2, 0, 1, 3, 1, tournament=4)
    home = numbers(0.1, 0.2, 0.3, 0.4)
    away = numbers(1.0, 2.0, 3.0, 4.0)
    bred = [list(home), list(away)]
    measured = [(home, (1.0, 2.0, 3.0, 4.0)), (away, (9.0, 2.0, 3.0, 4.0))]
    islands.migrate(lambda a, b: stream(a, b), 0, measured, bred, elites=2)
    assert [worth(one) for one in bred[0]] == [0.1, 0.2, 1.0, 1.0]
    assert [worth(one) for one in bred[1]] == [1.0, 2.0, 0.4, 0.4]


def test_a_failing_guide_is_replaced_and_the_generation_measured_again() -> None:
    domain = high_card(FractionalScore(2), generations=4)
    reserve = [resident("two")]
    evolution = Evolution(domain, 1, Participants([resident("one"), Breaking(20)], reserve))
    states = list(evolution)
    assert [guide.name for guide in evolution.guides] == ["house:one", "house:two"]
    assert [(f.generation, f.name, f.replacement) for f in states[-1].failures] == [
        (1, "wild", "house:two")
    ]
    assert describe(states[1], texts_of(states[1]))["failed_guides"] == ["wild"]
    # The rest equals a run in which the replacement played from the start.
    whole = Evolution(
        domain,
        1,
        Participants([resident("one"), resident("two")]),
        state=replace_failures(states[1]),
    )
    assert [s.islands for s in whole] == [s.islands for s in states[2:]]
    # A resumed run knows the replacements.
    again = Evolution(
        domain, 1, Participants([resident("one"), Breaking(0)], reserve), state=states[1]
    )
    assert [s.islands for s in again] == [s.islands for s in states[2:]]


def replace_failures(state: EvolutionState) -> EvolutionState:
    return replace(state, failures=())


def test_a_guide_that_fails_is_dropped_when_nobody_is_left() -> None:
    domain = high_card(FractionalScore(2), generations=2)
    evolution = Evolution(domain, 1, Participants([resident("one"), Breaking(0)]))
    states = list(evolution)
    assert [guide.name for guide in evolution.guides] == ["house:one"]
    assert states[-1].failures[0].replacement is None
    with pytest.raises(BadGuide, match="name at least one"):
        list(Evolution(domain, 1, Participants([Breaking(0)])))


def test_checkpoints_that_were_touched_are_refused() -> None:
    domain = high_card(CoPlay(1), generations=1)
    state = next(iter(Evolution(domain, 1)))
    texts = texts_of(state)
    content = encode(state, describe(state, texts), texts)
    for broken in (
        content[: len(content) // 2],
        content.replace("high-card", "low-card", 1),
        content.replace('"format": 1', '"format": 2', 1),
        "",
        "{}\n{}\n",
        "[]\n",
    ):
        with pytest.raises(BadCheckpoint):
            decode(broken, domain.architecture)


def test_the_hall_keeps_champions_of_all_times() -> None:
    domain = high_card(CoPlay(1), generations=150, population=4)
    last = list(Evolution(domain, 1))[-1]
    assert 32 <= len(last.hall) <= 64
    assert last.hall[-1] == last.best
    assert last.hall[0].generation < 10


@pytest.mark.parametrize(
    "settings",
    [
        {"population": 1},
        {"population": 10**9},
        {"generations": 0},
        {"minutes": 0.0},
        {"plateau": 0},
        {"breeding": SingleOperatorBreeding(elites=16)},
        {"ramp": range(3)},
        {"limits": TreeLimits(5, 40), "islands": Islands(900), "population": 10_000},
    ],
)
def test_absurd_control_parameters_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(BadParameter):
        high_card(CoPlay(1), **settings)


def test_absurd_operators_are_refused() -> None:
    for make in (
        lambda: PairBreeding(crossover=1.5),
        lambda: SingleOperatorBreeding(0.9, 0.9),
        lambda: SingleOperatorBreeding(tournament=-1),
        lambda: Islands(0),
        lambda: Islands(stride=0),
        lambda: TruncationBreeding(share=-1),
    ):
        with pytest.raises(BadParameter):
            make()
    with pytest.raises(BadParameter, match="seed"):
        Evolution(high_card(CoPlay(1)), -1)
    with pytest.raises(BadParameter, match="worker"):
        Evolution(high_card(CoPlay(1)), 1, workers=0)
    with pytest.raises(BadParameter, match="finite"):
        list(Evolution(high_card(ProgramMeasure(lambda one: float("nan"))), 1))


def test_texts_on_one_line_read_back() -> None:
    domain = high_card(CoPlay(1))
    program = next(iter(Evolution(domain, 1))).best.program
    assert "\n" not in one_line(program)
    assert HighCard().architecture == program.architecture
