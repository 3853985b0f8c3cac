"""Matches of all kinds of games: reproducible, with openings, dice, many seats and forfeits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ladder.errors import RunnerFailure
from ladder.runner import play_job, replay
from ladder.runner.referee import play
from ladder.runner.sandbox import Sandbox
from ladder.runner.seats import seat_seed
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob
from tests.engines.toys import DICE_RACE, TUG_OF_WAR
from tests.hostile.archives import Entry, assemble, unicode_path

LAST = b"""
import random

def agent(observation, configuration):
    dice = random.Random(configuration["seed"] + observation["turn"])
    return dice.choice(observation["legal"])
"""
PULLS = (
    b"def agent(observation, configuration):\n    return {'pull': observation['strength'] and 1}\n"
)
RAISES = b"def agent(observation, configuration):\n    raise ValueError('no')\n"
BROKEN = b"agent ="
HOUSE = {"connect-four": "random", "tanks": "Walls"}
LIMITS = Limits(move_ms=1000)


def bot(code: bytes, name: str = "bot") -> Entrant:
    return Entrant(name, Kind.PYTHON, "0" * 64, code)


def house(name: str) -> Entrant:
    return Entrant(name, Kind.HOUSE, "1" * 64)


def job(game: str, *entrants: Entrant, seed: int = 3) -> MatchJob:
    return MatchJob(9, 2, game, seed, entrants, LIMITS)


@pytest.mark.parametrize("game", ["reversi", "connect-four"])
def test_a_match_can_be_played_again(game: str, sandbox: Sandbox, bots: Path) -> None:
    for entrants in ((bot(LAST), house("random")), (house("random"), bot(LAST))):
        first, second = (play(job(game, *entrants), sandbox, bots) for _ in range(2))
        assert first.verdict == second.verdict
        assert first.verdict.ending is Ending.COMPLETED
        documents = replay.decode(first.replay), replay.decode(second.replay)
        assert replay.moves_digest(documents[0]) == replay.moves_digest(documents[1])
        assert replay.verify(documents[0], second) is None
        assert first.plies == len(documents[0].moves)


@pytest.mark.parametrize("game", ["connect-four", "tanks"])
def test_an_upload_that_is_refused_by_now_loses(game: str, sandbox: Sandbox, bots: Path) -> None:
    """It may have been accepted by an earlier release: that is no fault of the worker."""
    escape = Entry(b"x", extra=unicode_path(b"x", b"../../../evil"))
    entrants = bot(assemble(Entry(b"bot.py", LAST), escape)), house(HOUSE[game])
    report = play(job(game, *entrants), sandbox, bots)
    assert report.verdict.ending is Ending.START_FAILED
    assert report.verdict.at_fault == (0,)
    assert "has a second name" in report.seats[0].complaint
    assert os.listdir(bots) == []


def test_seeds_differ() -> None:
    seeds = {seat_seed(match, seat) for match in range(100) for seat in range(10)}
    assert len(seeds) == 1000
    assert max(seeds) < 2**53


def test_both_tiers_play_alike(holding: dict[str, str], data: Path) -> None:
    tiers = [tier for tier in ("A", "B") if not holding[tier]]
    match = job("reversi", bot(LAST), house("random"))
    reports = [play_job(match, data, tier) for tier in tiers]
    digests = {replay.moves_digest(replay.decode(report.replay)) for report in reports}
    assert len(digests) <= 1


def test_house_bots_need_no_sandbox(data: Path) -> None:
    report = play_job(job("connect-four", house("random"), house("random")), data, None)
    assert report.verdict.ending is Ending.COMPLETED
    assert report.seats[0].moves > 0


def test_dice_and_three_seats(sandbox: Sandbox, bots: Path) -> None:
    match = job("dice-race", bot(LAST), house("holds-at-8"), house("random"))
    first, second = (play(match, sandbox, bots, DICE_RACE) for _ in range(2))
    assert first.verdict == second.verdict
    assert first.verdict.ending is Ending.COMPLETED
    document = replay.decode(first.replay)
    assert any(move.seat == -1 for move in document.moves)
    assert replay.moves_digest(document) == replay.moves_digest(replay.decode(second.replay))
    positions = list(replay.positions(document, DICE_RACE))
    assert len(positions) == first.plies + 1


@pytest.mark.parametrize("faulty", range(3))
@pytest.mark.parametrize("code", [RAISES, BROKEN])
def test_the_others_play_on(faulty: int, code: bytes, sandbox: Sandbox, bots: Path) -> None:
    entrants = [house("holds-at-8") for _ in range(3)]
    entrants[faulty] = bot(code, "eve")
    report = play(job("dice-race", *entrants), sandbox, bots, DICE_RACE)
    assert report.verdict.at_fault == (faulty,)
    assert report.verdict.ranks[faulty] == 3
    assert sorted(report.verdict.ranks)[0] == 1
    assert report.explanation.startswith("eve c")
    assert report.seats[faulty].complaint
    positions = list(replay.positions(replay.decode(report.replay), DICE_RACE))
    assert len(positions) == report.plies + 2  # the first, and the one in which it left


def test_the_last_one_standing_wins(sandbox: Sandbox, bots: Path) -> None:
    match = job("dice-race", bot(RAISES), house("random"), bot(RAISES))
    report = play(match, sandbox, bots, DICE_RACE)
    assert report.verdict.scores == (0.0, 1.0, 0.0)
    assert report.verdict.at_fault == (0, 2)


def test_both_at_fault(sandbox: Sandbox, bots: Path) -> None:
    report = play(job("reversi", bot(BROKEN), bot(BROKEN)), sandbox, bots)
    assert report.verdict.scores == (0.0, 0.0)
    assert report.verdict.at_fault == (0, 1)
    assert report.verdict.ranks == (1, 1)
    assert report.verdict.ending is Ending.START_FAILED


def test_a_simulation(sandbox: Sandbox, bots: Path) -> None:
    match = job("tug-of-war", bot(PULLS), house("hasty"), house("steady"))
    first, second = (play(match, sandbox, bots, TUG_OF_WAR) for _ in range(2))
    assert first.verdict == second.verdict
    assert first.verdict.ending is Ending.COMPLETED
    assert first.plies == 12
    document = replay.decode(first.replay)
    assert document.viewer is None
    assert document.data
    assert replay.verify(document, second) is None


def test_faults_in_a_simulation(sandbox: Sandbox, bots: Path) -> None:
    illegal = b"def agent(o, c):\n    return {'pull': 99}\n"
    three = play(
        job("tug-of-war", bot(illegal), house("hasty"), house("steady")), sandbox, bots, TUG_OF_WAR
    )
    assert three.verdict.at_fault == (0,)
    assert three.verdict.ranks[0] == 3
    assert three.verdict.ending is Ending.ILLEGAL_MOVE
    assert three.plies == 12
    two = play(job("tug-of-war", bot(illegal), house("hasty")), sandbox, bots, TUG_OF_WAR)
    assert two.verdict.scores == (0.0, 1.0)
    both = play(job("tug-of-war", bot(illegal), bot(RAISES)), sandbox, bots, TUG_OF_WAR)
    assert both.verdict.at_fault == (0, 1)
    assert both.verdict.scores == (0.0, 0.0)


@pytest.mark.parametrize(
    ("match", "message"),
    [
        (job("checquers", house("random")), "no game"),
        (job("reversi", house("random")), "not played by 1"),
        (job("reversi", house("random"), house("nobody")), "no house bot nobody"),
        (job("reversi", house("random"), bot(LAST)), "no sandbox"),
        (job("reversi", house("random"), Entrant("x", Kind.PYTHON, "")), "code of x is missing"),
    ],
)
def test_failures_of_ours(match: MatchJob, message: str, bots: Path) -> None:
    with pytest.raises(RunnerFailure, match=message):
        play(match, None, bots)


def test_nothing_piles_up(sandbox: Sandbox, bots: Path) -> None:
    play(job("connect-four", bot(LAST), bot(LAST)), sandbox, bots)
    before = len(os.listdir("/proc/self/fd"))
    for seed in range(50):
        play(job("connect-four", house("random"), bot(RAISES), seed=seed), sandbox, bots)
    assert len(os.listdir("/proc/self/fd")) == before
