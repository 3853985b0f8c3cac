"""TrueSkill, as pure functions. The ladder's ratings are a fold of `rate` over the results.

Two seats use the closed form, which agrees with the `trueskill` package and is a hundred times
faster; more seats use the package.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist

import trueskill

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
TAU = SIGMA / 1000
"""Near zero, because bots do not change; not zero, so that no rating freezes."""

LATEST_KEPT = 10
COURSE_POINTS = 32
_COURSE_SCALE = 100
"""Points of a course are hundredths in two bytes each."""

SETTLED_SIGMA = 1.25
"""Below this a rating moves little by further matches."""


@dataclass(frozen=True, slots=True)
class Skill:
    mu: float = MU
    sigma: float = SIGMA
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    share_sum: float = 0.0
    """Sum of the scores of all matches."""
    columns: Mapping[str, float] | None = None
    """Sums of other values that the game counts; None when it counts none."""
    latest: str = ""
    """The last results, newest last: w won, d drawn, l lost, x lost by a fault of its own. With
    more than two seats a digit is the place; 0 is the tenth or a later one.
    """
    course: bytes = b""
    """The earlier scores, packed for `read_course`."""
    places: Sequence[int] | None = None
    """How often it took each place, the first place first, in matches of more than two seats."""
    field: Mapping[str, Sequence[float]] | None = None
    """For each house bot that it met, by number: how often, and the sum of its own scores then."""

    @property
    def score(self) -> float:
        """The sort key of the board: the skill that a bot almost surely has."""
        return self.mu - 3 * self.sigma


def average_over(field: Mapping[str, Sequence[float]] | None) -> float | None:
    """APS: the mean over the house bots of the average score against each. None: it met none.

    Every house bot weighs the same, however often it was met, so the numbers of two bots that have
    met all of them compare.
    """
    if not field:
        return None
    return sum(total / count for count, total in field.values()) / len(field)


def mean_place(places: Sequence[int] | None) -> float | None:
    if not places:
        return None
    return sum(place * count for place, count in enumerate(places, start=1)) / sum(places)


@dataclass(frozen=True, slots=True)
class Placing:
    """One seat of a finished match, as ratings see it."""

    version_id: int
    rank: int
    share: float = 0.0
    """Its score in the match; 0 when it was at fault."""
    columns: Mapping[str, float] | None = None
    at_fault: bool = False
    bot_id: int = 0
    house: bool = False


@dataclass(frozen=True, slots=True)
class LadderSkills:
    """The skills of the versions on one ladder, and of the predecessors of new ones."""

    skills: dict[int, Skill] = field(default_factory=dict)
    """A missing version is unrated."""
    predecessors: dict[int, int | None] = field(default_factory=dict)
    """The versions that belong to the ladder, each with the one it follows."""

    def counts(self, placings: Sequence[Placing]) -> bool:
        """Whether a match is rated here: it is rated on every ladder that all its seats share."""
        return all(placing.version_id in self.predecessors for placing in placings)


def rate(
    ladder: LadderSkills, placings: Sequence[Placing], draw_probability: float
) -> dict[int, tuple[Skill, Skill]]:
    """Before and after of each version in a match, from the ratings held before it.

    A version's first rated match fixes its prior: its predecessor's mu at that time, full sigma.
    """
    before = [_held(ladder, placing.version_id) for placing in placings]
    ranks = [placing.rank for placing in placings]
    if len(before) == 2:
        skills = _two_seats(before, ranks, draw_margin(draw_probability))
    else:
        skills = _many_seats(before, ranks, draw_probability)
    sole_first = ranks.count(1) == 1
    after = {}
    for placing, old, (mu, sigma) in zip(placings, before, skills, strict=True):
        won, tied = placing.rank == 1 and sole_first, placing.rank == 1 and not sole_first
        letter = _letter(placing, won=won, tied=tied, seats=len(placings))
        new = Skill(
            mu=mu,
            sigma=sigma,
            matches=old.matches + 1,
            wins=old.wins + won,
            draws=old.draws + tied,
            losses=old.losses + (placing.rank != 1),
            share_sum=old.share_sum + placing.share,
            columns=_added(old.columns, placing.columns),
            latest=(old.latest + letter)[-LATEST_KEPT:],
            course=_lengthened(old.course, old.matches + 1, mu - 3 * sigma),
            places=_counted(old.places, placing.rank, len(placings)),
            field=_with_field(old.field, placing, placings),
        )
        after[placing.version_id] = (old, new)
    return after


def _letter(placing: Placing, *, won: bool, tied: bool, seats: int) -> str:
    if placing.at_fault and placing.rank != 1:
        return "x"
    if seats > 2:
        return str(placing.rank) if placing.rank < 10 else "0"
    return "w" if won else "d" if tied else "l"


def _counted(places: Sequence[int] | None, rank: int, seats: int) -> Sequence[int] | None:
    if seats <= 2:
        return places
    counts = [*(places or [])]
    counts += [0] * (rank - len(counts))
    counts[rank - 1] += 1
    return counts


def _with_field(
    field: Mapping[str, Sequence[float]] | None, placing: Placing, placings: Sequence[Placing]
) -> Mapping[str, Sequence[float]] | None:
    met = [one.bot_id for one in placings if one.house and one.bot_id != placing.bot_id]
    if not met:
        return field
    sums = dict(field or {})
    for bot_id in met:
        count, total = sums.get(str(bot_id), (0, 0.0))
        sums[str(bot_id)] = [count + 1, total + placing.share]
    return sums


def _lengthened(course: bytes, matches: int, score: float) -> bytes:
    """A course with the score after one more match, if a point is kept for that match.

    At first each match gives a point; whenever the list is full, every second point is dropped.
    """
    step = 1
    while matches // step > COURSE_POINTS:
        step *= 2
    points = array("h", course)
    if matches % step == 0:
        if len(points) >= COURSE_POINTS:
            points = points[1::2]
        points.append(max(-32_768, min(32_767, round(score * _COURSE_SCALE))))
    return points.tobytes()


def read_course(course: bytes) -> list[float]:
    """Scores from the first match on, evenly spaced, at most `COURSE_POINTS`."""
    return [point / _COURSE_SCALE for point in array("h", course)]


def unrated(predecessor: Skill | None) -> Skill:
    """The skill of a version without rated matches: its predecessor's mu, and full uncertainty."""
    return Skill() if predecessor is None else Skill(mu=predecessor.mu)


def _held(ladder: LadderSkills, version_id: int) -> Skill:
    own = ladder.skills.get(version_id)
    if own is not None and own.matches:
        return own
    before = ladder.predecessors.get(version_id)
    return unrated(None if before is None else ladder.skills.get(before))


def _added(
    sums: Mapping[str, float] | None, more: Mapping[str, float] | None
) -> Mapping[str, float] | None:
    if not more:
        return sums
    return {**(sums or {}), **{name: (sums or {}).get(name, 0.0) + more[name] for name in more}}


@lru_cache
def draw_margin(draw_probability: float, beta: float = BETA) -> float:
    """Difference of performances below which a match is a draw, for this probability of draws."""
    return NormalDist().inv_cdf((draw_probability + 1) / 2) * math.sqrt(2) * beta


def win_probability(one: Skill, other: Skill) -> float:
    """Chance that `one` performs better than `other`, draws split."""
    spread = math.sqrt(2 * BETA**2 + one.sigma**2 + other.sigma**2)
    return _cdf((one.mu - other.mu) / spread)


def chance_of_being_better(one: Skill, other: Skill) -> float:
    """Probability that the skill of `one` is above that of `other`."""
    return _cdf((one.mu - other.mu) / math.sqrt(one.sigma**2 + other.sigma**2))


def _cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _two_seats(
    before: Sequence[Skill], ranks: Sequence[int], margin: float
) -> list[tuple[float, float]]:
    """Herbrich, Minka and Graepel, TrueSkill: A Bayesian Skill Rating System, for one on one."""
    winner, loser = (0, 1) if ranks[0] <= ranks[1] else (1, 0)
    variances = [rating.sigma**2 + TAU**2 for rating in before]
    total = 2 * BETA**2 + sum(variances)
    c = math.sqrt(total)
    t = (before[winner].mu - before[loser].mu) / c
    v, w = (_drawn if ranks[0] == ranks[1] else _won)(t, margin / c)
    skills = [(0.0, 0.0)] * 2
    for seat, sign in ((winner, 1), (loser, -1)):
        mu = before[seat].mu + sign * variances[seat] / c * v
        sigma = math.sqrt(variances[seat] * (1 - variances[seat] / total * w))
        skills[seat] = (mu, sigma)
    return skills


def _won(t: float, margin: float) -> tuple[float, float]:
    x = t - margin
    if x < -35:  # both densities underflow; their ratio tends to -x
        return -x, 1.0
    v = _pdf(x) / _cdf(x)
    return v, v * (v + x)


def _drawn(t: float, margin: float) -> tuple[float, float]:
    upper, lower = margin - t, -margin - t
    mass = _cdf(upper) - _cdf(lower)
    if t < 0:  # the same mass from the other tail, which does not cancel
        mass = _cdf(-lower) - _cdf(-upper)
    if mass < 1e-300 or abs(t) > 35:
        return (lower if t > 0 else upper), 1.0
    v = (_pdf(lower) - _pdf(upper)) / mass
    return v, v * v + (upper * _pdf(upper) - lower * _pdf(lower)) / mass


def _many_seats(
    before: Sequence[Skill], ranks: Sequence[int], draw_probability: float
) -> list[tuple[float, float]]:
    env = trueskill.TrueSkill(MU, SIGMA, BETA, TAU, draw_probability)
    groups = [(env.create_rating(rating.mu, rating.sigma),) for rating in before]
    return [(skill.mu, skill.sigma) for (skill,) in env.rate(groups, ranks=list(ranks))]
