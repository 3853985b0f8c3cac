"""Matchmaking among bots of known strength: the order found, and the spread of games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from ladder.scoring.matchmaking import (
    LIST_LENGTH,
    LONGEST_PAUSE_SECONDS,
    MOST_CERTAIN_MEETINGS,
    MOST_MEETINGS,
    PLACEMENT_MATCHES,
    SHORTEST_PAUSE_SECONDS,
    Contender,
    Meetings,
    choose_focus,
    choose_opponents,
    division_order,
    pause_s,
)
from ladder.scoring.skill import BETA, LadderSkills, Placing, Skill, rate


class SimulatedLadder:
    """The store's lists over bots in memory; matches are drawn from TrueSkill's own model."""

    def __init__(
        self,
        strengths: Sequence[float],
        seed: int,
        owners: Sequence[int] = (),
        house: int = 0,
        noise: float = BETA,
    ) -> None:
        """The owner of a bot is its number unless `owners` are given; the first `house` bots are
        of the house, number -1.
        """
        self.rng = random.Random(seed)
        self.strengths = strengths
        self.owners = [*[-1] * house, *(owners or range(house, len(strengths)))]
        self.house = house
        self.noise = noise
        self.ratings: dict[int, Skill] = {}
        self.last = dict.fromkeys(range(len(strengths)), 0)
        self.beaten: Counter[tuple[int, int]] = Counter()
        self.focused: list[int] = []
        self.now = 0

    def enter(self, *bots: int) -> None:
        self.ratings |= {bot: Skill() for bot in bots}

    def contender(self, bot: int) -> Contender:
        held = self.ratings[bot]
        known = (held.mu, held.sigma, held.matches)
        return Contender(bot, bot, *known, self.owners[bot], bot < self.house)

    def meetings(self, one: int, other: int) -> Meetings:
        return Meetings(wins=self.beaten[one, other], losses=self.beaten[other, one])

    def play_pairing(self) -> float:
        """Returns the pause after it; -1 if there was nothing to pair."""
        everybody = [self.contender(bot) for bot in self.ratings]
        unsettled = [one for one in everybody if not one.settled]
        for _ in range(3):
            focus = choose_focus(
                sorted(unsettled, key=lambda one: -one.sigma)[:LIST_LENGTH],
                sorted(everybody, key=lambda one: self.last[one.bot_id])[:LIST_LENGTH],
                sorted(everybody, key=lambda one: 3 * one.sigma - one.mu)[:LIST_LENGTH],
                {},
                self.rng,
            )
            assert focus is not None
            near = sorted(everybody, key=lambda one: abs(one.mu - focus.mu))[: 2 * LIST_LENGTH]
            all_met = {one.bot_id: self.meetings(focus.bot_id, one.bot_id) for one in near}
            met = {bot: meetings for bot, meetings in all_met.items() if meetings.count}
            if chosen := choose_opponents(focus, near, met, 1, self.rng):
                self.focused.append(focus.bot_id)
                for _ in range(2):
                    self._play(focus.bot_id, chosen[0].bot_id)
                return 0.0 if unsettled else pause_s(focus)
        return -1.0

    def _play(self, one: int, two: int) -> None:
        assert one != two
        self.now += 1
        first, second = (self.rng.gauss(self.strengths[bot], self.noise) for bot in (one, two))
        ranks = (1, 2) if first > second else (2, 1)
        self.beaten[(one, two) if first > second else (two, one)] += 1
        placings = [Placing(bot, rank) for bot, rank in zip((one, two), ranks, strict=True)]
        for bot, (_, new) in rate(LadderSkills(self.ratings), placings, 0.02).items():
            self.ratings[bot] = new
            self.last[bot] = self.now

    def pairs(self) -> Counter[frozenset[int]]:
        """The number of matches of every two bots."""
        counts = Counter[frozenset[int]]()
        for pair, count in self.beaten.items():
            counts[frozenset(pair)] += count
        return counts


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
    met = {known.version_id: Meetings(wins=5, losses=4)}
    chosen = Counter(choose_opponents(focus, [near, known], met, 1, rng)[0] for _ in range(300))
    assert chosen[near] > 5 * chosen[known]


def test_no_bot_meets_itself_in_another_version() -> None:
    focus, own_old_version = Contender(7, 1, 25, 8, 0), Contender(3, 1, 25, 1, 40)
    assert choose_opponents(focus, [own_old_version], {}, 1, random.Random(0)) == []


def test_a_lonely_bot_waits() -> None:
    assert choose_focus([], [], [], {}, random.Random(0)) is None


def test_a_division_is_offered_pairings_by_the_number_of_its_bots() -> None:
    rng = random.Random(5)
    bots = {"open": 18, "mini": 2, "nano": 0}
    orders = [tuple(division_order(bots, rng)) for _ in range(400)]
    assert all(sorted(order) == ["mini", "open"] for order in orders)
    assert 20 < Counter(order[0] for order in orders)["mini"] < 70
    assert division_order({"open": 0}, rng) == []


def test_repeats_of_a_pair_are_bounded() -> None:
    """Two bots that are alone meet until everything is known, and then rest."""
    ladder = SimulatedLadder([20.0, 40.0], seed=6)
    ladder.enter(0, 1)
    pauses = [ladder.play_pairing() for _ in range(200)]
    assert ladder.pairs() == {frozenset({0, 1}): MOST_CERTAIN_MEETINGS}
    assert pauses[-1] == -1
    ladder = SimulatedLadder([25.0, 25.0], seed=6)
    ladder.enter(0, 1)
    pauses = [ladder.play_pairing() for _ in range(200)]
    assert ladder.pairs() == {frozenset({0, 1}): MOST_MEETINGS}
    alone, others = Contender(1, 1, 25, 2, 50), [Contender(n, n, 25, 2, 50) for n in (2, 3, 4)]
    met = dict.fromkeys((2, 3, 4), Meetings(wins=MOST_MEETINGS - 1, losses=1))
    assert choose_opponents(alone, others, met, 1, random.Random(0)) == []
    melee = choose_opponents(alone, others, met, 3, random.Random(0))
    assert len(melee) == 3, "who meets three at once may meet each of them more often"


def test_pairs_whose_result_is_certain_are_met_rarely() -> None:
    rng = random.Random(7)
    focus = Contender(1, 1, 25, 2, 50)
    certain, open_ = Contender(2, 2, 26, 2, 50), Contender(3, 3, 26, 2, 50)
    met = {2: Meetings(losses=12), 3: Meetings(wins=6, losses=6)}
    chosen = Counter(choose_opponents(focus, [certain, open_], met, 1, rng)[0] for _ in range(400))
    assert chosen[open_] > 3 * chosen[certain]
    ladder = SimulatedLadder([3.0 * bot for bot in range(20)], seed=8)
    ladder.enter(*range(20))
    for _ in range(500):
        ladder.play_pairing()
    pairs = ladder.pairs()
    far = [pairs[frozenset({one, two})] for one in range(20) for two in range(one + 5, 20)]
    near = [pairs[frozenset({one, one + 1})] for one in range(19)]
    assert sum(far) / len(far) < sum(near) / len(near) / 2


def test_bots_of_one_owner_meet_no_more_often_than_others() -> None:
    """One owner has eight bots of equal strength, eight others have one each."""
    ladder = SimulatedLadder([25.0] * 16, seed=9, owners=[*[100] * 8, *range(8)])
    ladder.enter(*range(16))
    for _ in range(600):
        ladder.play_pairing()
    own = sum(count for pair, count in ladder.pairs().items() if max(pair) < 8) / (8 * 7 / 2)
    mixed = sum(count for pair, count in ladder.pairs().items() if min(pair) < 8 <= max(pair)) / (
        8 * 8
    )
    assert own <= mixed


def test_every_bot_meets_the_whole_field() -> None:
    """So a mean over the house bots is a mean over the same opponents for everybody."""
    strengths = [*(10.0 + 2 * bot for bot in range(10)), 31.0, 12.0]
    ladder = SimulatedLadder(strengths, seed=10, house=10)
    ladder.enter(*range(10))
    for _ in range(300):
        ladder.play_pairing()
    ladder.enter(10, 11)
    for _ in range(150):
        ladder.play_pairing()
    pairs = ladder.pairs()
    for bot in (10, 11):
        assert all(pairs[frozenset({bot, house})] for house in range(10))


def test_a_ladder_without_uploads_comes_to_rest() -> None:
    ladder = SimulatedLadder([25.0 + bot for bot in range(12)], seed=11, house=12)
    ladder.enter(*range(12))
    days = [0] * 7
    time = 0.0
    while time < 7 * 86_400:
        pause = ladder.play_pairing()
        days[int(time // 86_400)] += 2
        time += {0.0: 0.1, -1.0: LONGEST_PAUSE_SECONDS}.get(pause, pause)
    assert days[0] < 12 * 500
    assert max(days[1:]) <= 2 * 86_400 / LONGEST_PAUSE_SECONDS * 10, "ten times the longest pause"


def test_the_pause_grows_with_the_matches_of_a_settled_bot() -> None:
    pauses = [pause_s(Contender(1, 1, 25, 1, matches)) for matches in range(0, 5000, 100)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)


def test_no_match_is_made_for_settled_house_bots_while_others_wait() -> None:
    house = [Contender(n, n, 25, 1, 500, -1, True) for n in range(5)]
    newer = Contender(9, 9, 25, 3, 60)
    rng = random.Random(12)
    assert {choose_focus([newer], house, house, {}, rng) for _ in range(100)} == {newer}
    assert choose_focus([], house, house, {}, rng) in house
