"""Attacks succeed where nothing stops them, and each wall stops some of them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator

import pytest

from ladder.runner.referee import play
from ladder.runner.sandbox import Sandbox, Tier, Wall
from ladder.runner.selftest import BOTS_FOLDER
from ladder.runner.uploads import kind_of
from ladder.values import MatchReport
from tests.hostile.conftest import Field, sandbox_in
from tests.hostile.corpus import CORPUS, Attack
from tests.hostile.test_hostile_bots import job

BITING = [attack for attack in CORPUS if attack.bites]
BY_NAME = {attack.name: attack for attack in CORPUS}
BARE = frozenset({Wall.LANDLOCK, Wall.SECCOMP, Wall.LIMITS})
"""Without these walls, the bot is a plain process of an ordinary user."""


@pytest.fixture(autouse=True)
def _clean(place: Field) -> Iterator[None]:
    place.restore()
    yield
    place.restore()


def attempt(attack: Attack, sandbox: Sandbox, place: Field) -> MatchReport:
    if not attack.possible_here:
        pytest.skip("its system calls use the numbers of x86_64")
    code = attack.upload(place.targets)
    return play(job(code, kind_of(code)), sandbox, place.data / BOTS_FOLDER)


def succeeds(attack: Attack, sandbox: Sandbox, place: Field) -> bool:
    return "BREACH" in attempt(attack, sandbox, place).seats[0].stderr


@pytest.mark.slow
@pytest.mark.parametrize("attack", BITING, ids=lambda attack: attack.name)
def test_bites_without_walls(attack: Attack, place: Field, holding: dict[Tier, str]) -> None:
    bare = dataclasses.replace(sandbox_in("B", holding), without=BARE)
    report = attempt(attack, bare, place)
    assert "BREACH" in report.seats[0].stderr, report.seats[0].stderr


def test_most_attempts_bite() -> None:
    """The others need rights that no bot has, so a wall and the missing right both stop them."""
    attempts = [attack for attack in CORPUS if attack.form == "attack.py"]
    assert len(BITING) > len(attempts) / 2


NEEDED = {
    Wall.LANDLOCK: ("list-root", {"A": 1, "B": 10}),
    Wall.SECCOMP: ("socket-pair", {"A": 30, "B": 30}),
    Wall.LIMITS: ("private-mapping", {"A": 5, "B": 5}),
}
"""Per wall: an attack that succeeds without it, and the least number of such attacks by tier."""


@pytest.mark.parametrize("tier", ["A", "B"])
@pytest.mark.parametrize("wall", NEEDED)
def test_each_wall_is_needed(wall: Wall, tier: str, place: Field, holding: dict[Tier, str]) -> None:
    whole = sandbox_in(tier, holding)
    weak = dataclasses.replace(whole, without=frozenset({wall}))
    attack = BY_NAME[NEEDED[wall][0]]
    assert not succeeds(attack, whole, place)
    assert succeeds(attack, weak, place)


@pytest.mark.parametrize("tier", ["A", "B"])
@pytest.mark.parametrize("wall", NEEDED)
@pytest.mark.slow
def test_each_wall_stops_the_attacks_it_is_credited_with(
    wall: Wall, tier: str, place: Field, holding: dict[Tier, str]
) -> None:
    """Without one wall, the others stop some of these attacks, but not all."""
    weak = dataclasses.replace(sandbox_in(tier, holding), without=frozenset({wall}))
    credited = [attack for attack in BITING if wall in attack.stopped_by]
    through = []
    for attack in credited:
        place.restore()
        if succeeds(attack, weak, place):
            through.append(attack.name)
    assert len(through) >= NEEDED[wall][1][tier], through


def test_namespaces_are_needed(place: Field, holding: dict[Tier, str]) -> None:
    """Tier B is tier A without them: its walls allow a bot to ask whether a file exists."""
    oracle = BY_NAME["stat-oracle"]
    assert not succeeds(oracle, sandbox_in("A", holding), place)
    assert succeeds(oracle, sandbox_in("B", holding), place)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give user ids to bots")
def test_the_user_id_is_needed(place: Field, holding: dict[Tier, str]) -> None:
    """The kernel does not count the threads of root."""
    bomb = BY_NAME["thread-bomb-raw"]
    whole = sandbox_in("B", holding)
    assert not succeeds(bomb, whole, place)
    weak = dataclasses.replace(whole, without=frozenset({Wall.USER}))
    assert succeeds(bomb, weak, place)
