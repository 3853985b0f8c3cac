"""The domain `time-trial`: its two fitness measures, its arena and its parameters."""

from __future__ import annotations

import pytest

from engines.programs.text import parse
from engines.programs.trees import Program
from evolve import domains
from evolve.domains.time_trial import FITNESS, TrialArena
from evolve.errors import BadParameter
from evolve.fitness.population import Population

FORM = "(program time-trial (tree speed {}) (tree steering {}))"
STEERING = "(Sub (Add (Mul 0.3 AA) (Mul One (Sub TL TR))) (Mul 0.5 (Div NV V)))"
PARKED, CRASHING = FORM.format("Zero", "Zero"), FORM.format("One", "Zero")
SLOW, FAST = FORM.format("0.4", STEERING), FORM.format("0.45", STEERING)


def programs(*texts: str) -> list[Program]:
    return [parse(text, TrialArena().architecture) for text in texts]


def measured(fitness: str, *texts: str) -> list[float]:
    population = Population(None, programs(*texts), (), 1, (2,))
    found: list[float] = FITNESS[fitness](("v01",)).measure(population, 0).tolist()
    return found


def test_a_lap_beats_a_longer_way_without_one() -> None:
    parked, crashing, slow, fast = measured("time", PARKED, CRASHING, SLOW, FAST)
    assert parked < crashing < 1 < slow < fast


def test_distance_is_in_feet() -> None:
    parked, slow, fast = measured("distance", PARKED, SLOW, FAST)
    assert parked < slow < fast
    assert 0.8 * 40 * 250 < slow < 1.1 * 40 * 250


def test_all_meet_the_same_friction() -> None:
    first, second = measured("time", FAST, FAST)
    assert first == second


def test_several_tracks_count_alike() -> None:
    arena = TrialArena(("v01", "oval2"))
    slow, fast = (arena.player(one) for one in programs(SLOW, FAST))
    result = arena.meet([slow, fast], 5, 4)
    assert result.games == 4
    assert result.wins == 0
    assert len({round(score, 2) for score in result.own}) > 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tracks": "sepang,nowhere"}, "no track 'nowhere'"),
        ({"fitness": "laps"}, "distance or time"),
    ],
)
def test_wrong_parameters(changes: dict[str, str], said: str) -> None:
    with pytest.raises(BadParameter, match=said):
        domains.make("time-trial", parameters=changes)


def test_the_defaults_are_the_book_s() -> None:
    control = domains.make("time-trial").control
    assert (control.population, control.generations) == (250, 255)
    assert control.limits.depth == 8
