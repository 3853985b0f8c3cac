from __future__ import annotations

import math
import random

import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from ladder.scoring.skill import (
    BETA,
    MU,
    SIGMA,
    TAU,
    LadderSkills,
    Placing,
    Skill,
    average_over,
    draw_margin,
    mean_place,
    rate,
    unrated,
    win_probability,
)

skills = st.builds(Skill, st.floats(0, 50), st.floats(0.5, SIGMA), st.just(1))
draw_probabilities = st.sampled_from([0.01, 0.1, 0.4])


def _rated(ratings: list[Skill], ranks: list[int], p: float) -> list[Skill]:
    held = dict(enumerate(ratings))
    placings = [Placing(seat, rank) for seat, rank in enumerate(ranks)]
    after = rate(LadderSkills(held), placings, p)
    return [after[seat][1] for seat in range(len(ratings))]


@given(skills, skills, st.sampled_from([(1, 2), (2, 1), (1, 1)]), draw_probabilities)
def test_two_seats_agree_with_the_trueskill_package(
    one: Skill, two: Skill, ranks: tuple[int, int], p: float
) -> None:
    env = trueskill.TrueSkill(MU, SIGMA, BETA, TAU, p)
    groups = [(env.create_rating(r.mu, r.sigma),) for r in (one, two)]
    expected = [group[0] for group in env.rate(groups, ranks=list(ranks))]
    for ours, theirs in zip(_rated([one, two], list(ranks), p), expected, strict=True):
        assert ours.mu == pytest.approx(theirs.mu, abs=1e-4)
        assert ours.sigma == pytest.approx(theirs.sigma, abs=1e-4)


@given(skills, skills, draw_probabilities)
def test_seats_can_be_swapped(one: Skill, two: Skill, p: float) -> None:
    assert _rated([one, two], [1, 2], p) == _rated([two, one], [2, 1], p)[::-1]


@pytest.mark.parametrize("gap", [30, 300, 3000])
@pytest.mark.parametrize("ranks", [[1, 2], [2, 1], [1, 1]])
def test_absurd_upsets_stay_finite(gap: float, ranks: list[int]) -> None:
    for rating in _rated([Skill(25 + gap, 1, 1), Skill(25, 1, 1)], ranks, 0.05):
        assert math.isfinite(rating.mu)
        assert 0 < rating.sigma < 2


def test_four_seats_rank_as_they_finished() -> None:
    rated = _rated([Skill()] * 4, [2, 1, 3, 3], 0.1)
    assert rated[1].mu > rated[0].mu > rated[2].mu
    assert rated[2].mu == pytest.approx(rated[3].mu, abs=0.05)
    assert [(r.wins, r.draws, r.losses) for r in rated] == [(0, 0, 1), (1, 0, 0)] + [(0, 0, 1)] * 2


def test_the_first_match_fixes_the_prior_of_a_new_version() -> None:
    held = {1: Skill(mu=33, sigma=1.2, matches=90), 2: Skill(mu=20), 9: Skill(matches=5)}
    before, after = rate(LadderSkills(held, {2: 1}), [Placing(2, 1), Placing(9, 2)], 0.1)[2]
    assert (before.mu, before.sigma) == (33, SIGMA)
    assert after.matches == after.wins == 1


def test_the_draw_margin_equals_that_of_the_package() -> None:
    env = trueskill.TrueSkill(MU, SIGMA, BETA, TAU, 0.2)
    assert draw_margin(0.2) == pytest.approx(trueskill.calc_draw_margin(0.2, 2, env), abs=1e-4)


def test_ratings_find_known_strengths() -> None:
    rng = random.Random(5)
    strengths = [10.0, 18.0, 25.0, 33.0, 40.0]
    held = {seat: Skill() for seat in range(5)}
    for _ in range(400):
        one, two = rng.sample(range(5), 2)
        performances = [rng.gauss(strengths[seat], BETA) for seat in (one, two)]
        ranks = (1, 2) if performances[0] > performances[1] else (2, 1)
        placings = [Placing(seat, rank) for seat, rank in zip((one, two), ranks, strict=True)]
        held |= {seat: new for seat, (_, new) in rate(LadderSkills(held), placings, 0.01).items()}
    assert sorted(held, key=lambda seat: held[seat].score) == [0, 1, 2, 3, 4]
    assert win_probability(held[4], held[0]) > 0.95


def test_places_are_counted_in_matches_of_many_seats() -> None:
    ladder = LadderSkills()
    for ranks in ((1, 2, 3), (2, 1, 3), (3, 1, 1)):
        placings = [Placing(seat, rank) for seat, rank in enumerate(ranks)]
        ladder.skills.update({seat: new for seat, (_, new) in rate(ladder, placings, 0.1).items()})
    assert [ladder.skills[seat].places for seat in range(3)] == [[1, 1, 1], [2, 1], [1, 0, 2]]
    assert [ladder.skills[seat].latest for seat in range(3)] == ["123", "211", "331"]
    assert mean_place(ladder.skills[2].places) == pytest.approx(7 / 3)
    assert mean_place(None) is None
    placings = [Placing(0, 1), Placing(1, 2)]
    duel = rate(LadderSkills(), placings, 0.1)[1][1]
    assert (duel.places, duel.latest) == (None, "l")
    ranks = [*range(1, 12)]
    many = rate(LadderSkills(), [Placing(rank, rank, at_fault=rank == 11) for rank in ranks], 0.1)
    assert "".join(many[rank][1].latest for rank in ranks) == "1234567890x"


def test_aps_weighs_every_house_bot_the_same() -> None:
    """It depends neither on how often each was met nor on other opponents."""
    ladder = LadderSkills()

    def meet(other: Placing, share: float) -> None:
        own = Placing(1, 1, share, bot_id=1)
        ladder.skills[1] = rate(ladder, [own, other], 0.1)[1][1]

    assert average_over(None) is None
    for _ in range(10):
        meet(Placing(7, 2, 0.1, bot_id=7, house=True), 0.9)
    meet(Placing(8, 2, 0.7, bot_id=8, house=True), 0.3)
    meet(Placing(9, 2, 1.0, bot_id=9), 0.0)
    skill = ladder.skills[1]
    assert skill.field == {"7": [10, pytest.approx(9.0)], "8": [1, 0.3]}
    assert average_over(skill.field) == pytest.approx(0.6)
    assert skill.share_sum / skill.matches == pytest.approx(9.3 / 12), "the mean of all matches"
    melee = [Placing(n, n, 1 / n, bot_id=n, house=n > 1) for n in (1, 2, 3)]
    assert rate(LadderSkills(), melee, 0.1)[1][1].field == {"2": [1, 1.0], "3": [1, 1.0]}
    assert rate(LadderSkills(), melee, 0.1)[2][1].field == {"3": [1, 0.5]}, "not oneself"


def test_scores_and_columns_add_up() -> None:
    ladder = LadderSkills()
    for number in range(3):
        placings = [
            Placing(1, 1, 0.75, {"total": 10.5 + number, "firsts": 1.0}),
            Placing(2, 2, 0.25, {"total": 3.0} if number else None),
        ]
        for version, (_, new) in rate(ladder, placings, 0.1).items():
            ladder.skills[version] = new
    assert (ladder.skills[1].share_sum, ladder.skills[2].share_sum) == (2.25, 0.75)
    assert ladder.skills[1].columns == {"total": 34.5, "firsts": 3.0}
    assert ladder.skills[2].columns == {"total": 6.0}
    assert unrated(ladder.skills[1]) == Skill(mu=ladder.skills[1].mu)
