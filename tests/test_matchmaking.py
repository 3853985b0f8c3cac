"""Matchmaking among bots of known strength: the order found, and the spread of games."""

from __future__ import annotations

import random
from collections import Counter

from ladder.scoring.matchmaking import (
    LIST_LENGTH,
    PLACEMENT_MATCHES,
    Contender,
    choose_focus,
    choose_opponents,
    division_order,
)
from ladder.scoring.skill import BETA, LadderSkills, Placing, Skill, rate


class SimulatedLadder:
    """The store's lists over bots in memory; matches are drawn from TrueSkill's own model."""

    def __init__(self, strengths: list[float], seed: int) -> None:
        self.rng = random.Random(seed)
        self.strengths = strengths
        self.ratings: dict[int, Skill] = {}
        self.last = dict.fromkeys(range(len(strengths)), 0)
        self.pairs: Counter[frozenset[int]] = Counter()
        self.focused: list[int] = []
        self.now = 0

    def enter(self, *bots: int) -> None:
        self.ratings |= {bot: Skill() for bot in bots}

    def contender(self, bot: int) -> Contender:
        held = self.ratings[bot]
        return Contender(bot, bot, held.mu, held.sigma, held.matches)

    def play_pairing(self) -> None:
        everybody = [self.contender(bot) for bot in self.ratings]
        focus = choose_focus(
            sorted(everybody, key=lambda one: -one.sigma)[:LIST_LENGTH],
            sorted(everybody, key=lambda one: self.last[one.bot_id])[:LIST_LENGTH],
            sorted(everybody, key=lambda one: 3 * one.sigma - one.mu)[:LIST_LENGTH],
            {},
            self.rng,
        )
        assert focus is not None
        near = sorted(everybody, key=lambda one: abs(one.mu - focus.mu))[: 2 * LIST_LENGTH]
        met = {one.bot_id: self.pairs[frozenset({one.bot_id, focus.bot_id})] for one in near}
        (opponent,) = choose_opponents(focus, near, met, 1, self.rng)
        assert opponent.bot_id != focus.bot_id
        self.focused.append(focus.bot_id)
        for _ in range(2):
            self._play(focus.bot_id, opponent.bot_id)

    def _play(self, one: int, two: int) -> None:
        self.now += 1
        self.pairs[frozenset({one, two})] += 1
        first, second = (self.rng.gauss(self.strengths[bot], BETA) for bot in (one, two))
        ranks = (1, 2) if first > second else (2, 1)
        placings = [Placing(bot, rank) for bot, rank in zip((one, two), ranks, strict=True)]
        for bot, (_, new) in rate(LadderSkills(self.ratings), placings, 0.02).items():
            self.ratings[bot] = new
            self.last[bot] = self.now


def test_the_order_found_is_right_and_games_are_spread() -> None:
    strengths = [5 + 2.5 * bot for bot in range(20)]
    ladder = SimulatedLadder(strengths, seed=1)
    ladder.enter(*range(20))
    for _ in range(1500):
        ladder.play_pairing()
    found = sorted(range(20), key=lambda bot: ladder.ratings[bot].mu)
    displaced = [abs(place - bot) for place, bot in enumerate(found)]
    assert max(displaced) <= 1
    assert found[-1] == 19
    games = [ladder.ratings[bot].matches for bot in range(20)]
    assert max(games) <= 2 * min(games), "no bot plays more than twice as often as another"


def test_no_bot_waits_long() -> None:
    ladder = SimulatedLadder([25.0 + bot for bot in range(12)], seed=2)
    ladder.enter(*range(12))
    longest = Counter[int]()
    for _ in range(600):
        ladder.play_pairing()
        for bot in ladder.ratings:
            longest[bot] = max(longest[bot], ladder.now - ladder.last[bot])
    assert max(longest.values()) <= 2 * 12 * 3, "no bot waits for more than three rounds"


def test_a_newcomer_is_placed_at_once() -> None:
    ladder = SimulatedLadder([20.0, 22.0, 24.0, 26.0, 28.0, 40.0], seed=3)
    ladder.enter(0, 1, 2, 3, 4)
    for _ in range(100):
        ladder.play_pairing()
    ladder.enter(5)
    for _ in range(PLACEMENT_MATCHES // 2):
        ladder.play_pairing()
    assert ladder.focused[-PLACEMENT_MATCHES // 2 :] == [5] * (PLACEMENT_MATCHES // 2)
    assert max(ladder.ratings, key=lambda bot: ladder.ratings[bot].mu) == 5


def test_opponents_are_close_and_seldom_met() -> None:
    rng = random.Random(4)
    focus = Contender(1, 1, 25, 2, 50)
    near, far = Contender(2, 2, 26, 2, 50), Contender(3, 3, 45, 2, 50)
    chosen = Counter(choose_opponents(focus, [near, far], {}, 1, rng)[0] for _ in range(300))
    assert chosen[near] > 20 * chosen[far]
    known = Contender(4, 4, 26, 2, 50)
    met = {known.version_id: 9}
    chosen = Counter(choose_opponents(focus, [near, known], met, 1, rng)[0] for _ in range(300))
    assert chosen[near] > 5 * chosen[known]


def test_no_bot_meets_itself_in_another_version() -> None:
    focus, own_old_version = Contender(7, 1, 25, 8, 0), Contender(3, 1, 25, 1, 40)
    assert choose_opponents(focus, [own_old_version], {}, 1, random.Random(0)) == []


def test_a_lonely_bot_waits() -> None:
    assert choose_focus([], [], [], {}, random.Random(0)) is None


def test_every_other_pairing_is_offered_to_the_small_divisions_first() -> None:
    rng = random.Random(5)
    orders = [tuple(division_order(["open", "mini", "nano"], rng)) for _ in range(400)]
    assert all(sorted(order) == ["mini", "nano", "open"] for order in orders)
    first = Counter(order[0] for order in orders)
    assert 150 < first["open"] < 250
    assert min(first["mini"], first["nano"]) > 60
    assert all(order[-1] == "open" for order in orders if order[0] != "open")
    assert division_order(["open"], rng) == ["open"]
