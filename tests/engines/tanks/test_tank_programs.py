"""Programs as drivers of tanks: in the kernel, through the contract, and in Java."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.games.tanks import TANKS, TANKS_MELEE
from engines.games.tanks.battle import battle
from engines.games.tanks.java import export
from engines.games.tanks.program import PRIMITIVES, SLOTS, ProgramPlayer, architecture, compile_text
from engines.programs.code import Code, flatten
from engines.programs.trees import BadProgram, Program
from engines.programs.types import Type
from tests.engines.programs.samples import grow
from tests.engines.toys import DICE_RACE

PROVE = Path(__file__).parents[3] / "prove"
CHASER = (PROVE / "chaser.lisp").read_text()
GAMBLER = (PROVE / "gambler.lisp").read_text()
ROBOCODE = Path("/usr/share/java/robocode.jar")


def random_program(seed: int) -> Program:
    random = np.random.default_rng(seed)
    trees = tuple(grow(random, slot.returns, 7, PRIMITIVES) for slot in SLOTS)
    return Program(architecture("tanks"), trees)


def trees(ahead: str = "Zero", turn: str = "Zero", gun: str = "Zero") -> Code:
    return compile_text(f"(program tanks (tree ahead {ahead}) (tree turn {turn}) (tree gun {gun}))")


def score_share(entrant: Code, opponent: str, rounds: int = 20) -> float:
    columns = battle([entrant, opponent], 5, rounds).columns
    return columns[0]["score"] / max(1, sum(column["score"] for column in columns))


def test_battles_of_programs_follow_from_the_seed() -> None:
    chaser, gambler = compile_text(CHASER), compile_text(GAMBLER)
    first = battle([chaser, gambler], 7)
    assert first == battle([compile_text(CHASER), compile_text(GAMBLER)], 7)
    assert first != battle([chaser, gambler], 8)
    assert battle([gambler, gambler], 7, 3) == battle([gambler, gambler], 7, 3)


def test_scores_are_those_of_the_real_engine() -> None:
    """Scores from Robocode 1.9.3.9 for the exported program with these seeds, 35 rounds."""
    chaser = compile_text(CHASER)
    for seed, opponent, scores in (
        (14, "Walls", [5635, 3334]),
        (15, "Tracker", [5816, 6172]),
        (16, "Crazy", [5189, 767]),
    ):
        columns = battle([chaser, opponent], seed, 35).columns
        assert [column["score"] for column in columns] == scores


def test_the_actions_of_trees() -> None:
    assert score_share(compile_text(CHASER), "SittingDuck") == 1
    assert score_share(trees(), "SittingDuck") == 0, "without Fire nothing is hit"
    assert score_share(trees(gun="(Fire Zero)"), "SittingDuck") == 0, "no power, no shot"
    assert score_share(trees(gun="(Mul Zero (Fire 1))"), "SittingDuck") > 0.5
    ramming = battle([trees("EnemyDistance", "EnemyBearing"), "SittingDuck"], 5, 5).columns[0]
    assert ramming["ramDamage"] > 0


def test_energy_is_less_the_shot_just_ordered() -> None:
    """Inputs that are read before a shot have their old values, as in Java."""
    assert moves("(Sub Energy (IfPositive (Fire 3) Energy Energy))"), "97 from 100"
    assert not moves("(Sub (IfPositive (Fire 3) Energy Energy) Energy)"), "97 from 97"


def moves(ahead: str) -> bool:
    """Whether a tank with this tree for the distance leaves its place."""
    player = ProgramPlayer(trees(ahead), 0)
    state = TANKS.start(5, 2, {})
    places = set()
    for _ in range(60):  # a turn each, since the other seat is played from outside
        state = TANKS.step(state, [player, []])
        places.add(float(state.worlds["tanks"]["x"][0, 0]))
    return len(places) > 1


@pytest.mark.parametrize("game", [TANKS, TANKS_MELEE], ids=lambda game: game.name)
def test_steps_and_kernel_play_the_same(game: object) -> None:
    assert game in (TANKS, TANKS_MELEE)
    rules = TANKS if game is TANKS else TANKS_MELEE
    text = CHASER.replace("program tanks", f"program {rules.name}")
    player, house = rules.programs.player(text, 1), rules.house_bots["Walls"](0)
    state = rules.start(11, 2, {"rounds": 2})
    while rules.outcome(state) is None:
        state = rules.step(state, [player.choose(state, 0), house.choose(state, 1)])
    whole = battle([player.code, "Walls"], 11, 2, rules.width, rules.height)
    assert rules.columns(state) == whole.columns
    assert set(rules.column_titles) == set(whole.columns[0])


def test_a_melee_of_programs_and_house_bots() -> None:
    chaser, gambler = compile_text(CHASER), compile_text(GAMBLER)
    names = [
        "Walls",
        chaser,
        "Crazy",
        gambler,
        chaser,
        "Fire",
        gambler,
        "Tracker",
        chaser,
        "Corners",
    ]
    result = battle(names, 3, 3, 1000, 1000)
    assert sum(column["score"] for column in result.columns) > 0
    assert result == battle(names, 3, 3, 1000, 1000)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_any_program_fights_to_the_end(seed: int) -> None:
    """This includes absurd numbers: trees compute infinities and NaN."""
    code = flatten(random_program(seed))
    result = battle([code, "Crazy"], seed, 1)
    assert 0 < result.turns[0] < 20_000


def test_programs_of_other_games_are_refused() -> None:
    with pytest.raises(BadProgram, match="this program is for 'tanks', not for tanks-melee"):
        TANKS_MELEE.programs.player(CHASER, 0)
    assert DICE_RACE.programs is None
    assert PRIMITIVES.least_depth(Type.FLOAT) == 1


def test_a_haiku_has_four_semicolons() -> None:
    for seed in range(30):
        source = export(random_program(seed), "Evolved")
        assert source.count(";") == 4
        assert "for (" not in source
    for name in ("9lives", "a b", "", "x;y"):
        with pytest.raises(ValueError, match="name in Java"):
            export(random_program(1), name)


@pytest.mark.skipif(
    not ROBOCODE.exists() or shutil.which("javac") is None, reason="needs Robocode and a JDK"
)
def test_exported_programs_compile(tmp_path: Path) -> None:
    names = []
    for seed in range(10):
        names.append(tmp_path / f"Robot{seed}.java")
        names[-1].write_text(export(random_program(seed), f"Robot{seed}"))
    words = ["javac", "-nowarn", "-cp", str(ROBOCODE), "-d", str(tmp_path), *map(str, names)]
    subprocess.run(words, check=True)
    assert len(list(tmp_path.glob("*.class"))) == 10
