"""Tanks in duels and in melees: their arenas, and a short real run of each size of table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.games import find_game
from engines.games.tanks.battle import battle
from engines.programs.text import parse
from evolve import cli, domains
from evolve.domains.tanks import TankArena
from evolve.errors import BadParameter
from evolve.export import export
from evolve.fitness.meetings import GameArena
from evolve.operators.growth import TreeLimits, ramped
from evolve.streams import stream


def test_duels_count_the_instructions_of_programs() -> None:
    arena: GameArena = TankArena()
    program = ramped(stream(3), arena.architecture, TreeLimits(6, 80), 9)
    player, house = arena.player(program), arena.house_player("SpinBot")
    meeting = arena.meet([player, house], 5, 3)
    assert meeting == arena.meet([player, house], 5, 3)
    assert meeting.games == 3
    assert meeting.instructions[0] > 0
    assert meeting.instructions[1] == 0
    assert sum(map(sum, meeting.scores)) > 0
    told = arena.situations(stream(1), 50)
    assert told.shape == (50, arena.architecture.inputs)
    assert (abs(told[:, 6]) <= 3.15).all()
    assert (told[:, 7] > 0).all()
    with pytest.raises(KeyError):
        arena.house_player("Nobody")


def test_a_duel_is_one_battle_and_a_melee_one_for_each_seating() -> None:
    duel = TankArena().meet(["Walls", "Fire"], 8, 4)
    assert duel.scores == tuple(zip(*battle(["Walls", "Fire"], 8, 4).rounds, strict=True))
    names = ["Walls", "Fire", "Crazy"]
    melee = TankArena("tanks-melee", 3).meet(names, 8, 4)
    assert melee.games == 4
    # Seated in three ways, the first of them for two rounds of the four.
    seated = [names, ["Crazy", "Walls", "Fire"], ["Fire", "Crazy", "Walls"]]
    rounds = [
        battle(seated[turn], 8 + turn, 2 - (turn > 0), 1000, 1000).rounds for turn in range(3)
    ]
    for player in range(3):
        expected = [row[(player + turn) % 3] for turn in range(3) for row in rounds[turn]]
        assert list(melee.scores[player]) == expected
    with pytest.raises(BadParameter, match="tanks has 2 seats, not 3"):
        TankArena("tanks", 3)


def test_programs_of_both_games_of_tanks_are_robots_in_java() -> None:
    for name in ("tanks", "tanks-melee"):
        program = ramped(stream(3), domains.make(name).architecture, TreeLimits(6, 80), 9)
        assert "extends robocode.AdvancedRobot" in export(program, "java")


def test_a_short_run_of_melees(tmp_path: Path) -> None:
    words = ["run", "tanks-melee", "--preset", "quick", "--generations", "3", "--population", "8"]
    options = ["--final-games", "5", "--set", "rounds=5", "--set", "finalists=2", "--seed", "4"]
    folders = [tmp_path / "one", tmp_path / "two"]
    for workers, out in enumerate(folders, 1):
        more = ["--workers", str(workers), "--out", str(out)]
        assert cli.main([*words, *options, *more]) == 0
    for name in ("log.jsonl", "champion.lisp"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    lines = [json.loads(line) for line in (folders[0] / "log.jsonl").read_text().splitlines()]
    # A table of five: each individual fights five rounds with all four guides at once.
    assert [line["games"] for line in lines] == [8 * 5] * 3
    assert 0 < lines[-1]["mean"] < 1
    report = json.loads((folders[0] / "report.json").read_text())
    finals = report["finals"]
    assert {part: len(rows) for part, rows in finals.items()} == {
        "guides": 1,
        "judges": 1,
        "holdout": 1,
    }
    (row,) = finals["guides"]
    assert row["opponent"] == "house:Walls, house:SpinBot, house:Crazy, house:RamFire"
    assert row["games"] == row["wins"] + row["draws"] + row["losses"] == 5
    programs = find_game("tanks-melee").programs
    assert programs is not None
    parse((folders[0] / "champion.lisp").read_text(), programs.architecture)
    assert cli.main(["show", str(folders[0])]) == 0
    assert cli.main(["analyze", str(folders[0]), "--games", "2"]) == 0
