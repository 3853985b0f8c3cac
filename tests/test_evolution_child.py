"""The breeding process, with the real `evolve` and tiny runs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import fake_evolve
import pytest
from ladder_steps import BOT
from processes import wait_until

from engines.games import find_game
from engines.programs.code import flatten
from engines.programs.text import parse
from evolve.domains.tanks import TankArena
from evolve.errors import GuideFailed
from evolve.fitness.guides import Pinned, seat
from evolve.fitness.meetings import CompiledProgram, play_table
from ladder.evolution import RunOptions, check_domain, simplify
from ladder.evolution.breeding import Guide, RunJob, read_report
from ladder.evolution.child import main, prepare
from ladder.evolution.run_folder import RunFolder
from ladder.evolution.sandboxed import SandboxedGuide, play_in_processes
from ladder.runner.selftest import choose_tier
from ladder.values import Kind

CHAMPION = fake_evolve.CHAMPION.encode()
STILL = b"from tanks import Robot\n\nagent = Robot.agent\n"
BROKEN = b"def agent(observation, configuration):\n    return 1 / 0\n"
WALLS = Guide("Walls", Kind.HOUSE, "1" * 64, None)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)  # bots may be other users
    return tmp_path


def job(*guides: Guide, generations: int = 2, domain: str = "tanks") -> RunJob:
    settings = {"generations": generations, "population": 4, "final_games": 2}
    return RunJob(1, "lease", domain, 7, settings, guides)


def folder_of(data: Path, wanted: RunJob, tier: str | None = None, name: str = "1") -> RunFolder:
    folder = RunFolder(data / "evolution" / name)
    folder.prepare(wanted, 1, tier, data)
    return folder


def tier(data: Path) -> str:
    return str(choose_tier(data))


def contestant() -> CompiledProgram:
    known = find_game("tanks").programs  # type: ignore[union-attr]
    program = parse(fake_evolve.CHAMPION, known.architecture)
    return CompiledProgram(program, flatten(program))


def test_the_simplified_champion_is_a_program_of_the_game() -> None:
    text = b"(program tanks (tree ahead (Add 1.0 2.0)) (tree turn Y) (tree gun Y))"
    short = simplify("tanks", text)
    assert "(tree ahead 3.0)" in short
    assert simplify("tanks", b"nonsense") == ""
    assert simplify("connect-four", text) == ""


def test_domains_and_their_options_are_known_before_a_run() -> None:
    for game in ("tanks", "tanks-melee"):
        check_domain(game, RunOptions("quick", 5, 10, 3, 0.5))


@pytest.mark.slow
def test_a_run_with_its_guides_is_bred_and_repeats(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = job(WALLS, Guide("chaser", Kind.PROGRAM, "2" * 64, CHAMPION))
    first, second = (folder_of(data, wanted, name=name) for name in "12")
    for folder in (first, second):
        assert main([str(folder.path)]) == 0, capsys.readouterr().out
        assert folder.complete
    assert first.champion.read_bytes() == second.champion.read_bytes()
    assert [line.generation for line in first.new_generations()] == [0, 1]
    report = read_report(first.report.read_bytes())
    assert [line.opponent.partition(":")[0] for line in report.finals.guides] == ["house", "file"]
    assert main([str(first.path)]) == 0, "a finished run needs no more work"


def test_impossible_runs_are_explained(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nobody = folder_of(data, job(Guide("Nobody", Kind.HOUSE, "1" * 64, None)))
    assert main([str(nobody.path)]) == 1
    assert "no house bot 'Nobody'" in capsys.readouterr().out


def test_code_without_a_sandbox_is_named_and_skipped(data: Path) -> None:
    coded = Guide("still", Kind.PYTHON, "3" * 64, STILL)
    folder = folder_of(data, job(WALLS, coded), tier=None)
    with ExitStack() as pools:
        run = prepare(folder, folder.orders(), pools)
    assert [guide.bot for guide in run.plan.guides] == ["Walls"]
    assert [(one.bot, one.kind) for one in run.plan.skipped] == [("still", "python")]
    assert "sandbox" in run.plan.skipped[0].reason


@pytest.mark.slow
def test_uploaded_code_plays_from_both_seats_in_its_sandbox(data: Path) -> None:
    with play_in_processes(1, data, tier(data)) as play:
        still = SandboxedGuide("ladder:still", "still", Kind.PYTHON, "", "tanks", STILL, play)
        meeting = still.meet([contestant(), still], 2**60 + 1, 3)
        assert meeting.games == 3
        assert meeting.wins == 3, "the contestant beats a tank that stands still"
        assert min(meeting.own) > 10, "scores are points, as in compiled battles"
        broken = SandboxedGuide("ladder:broken", "broken", Kind.PYTHON, "", "tanks", BROKEN, play)
        with pytest.raises(GuideFailed, match="broken crashed") as failed:
            broken.meet([contestant(), broken], 1, 1)
        assert "ZeroDivision" not in str(failed.value), "only its author may see the traceback"


@pytest.mark.slow
def test_code_is_a_guide_in_board_games_too(data: Path) -> None:
    known = find_game("reversi").programs  # type: ignore[union-attr]
    program = parse("(program reversi (depth 1) (tree value 1.0))", known.architecture)
    with play_in_processes(1, data, tier(data)) as play:
        first = SandboxedGuide("ladder:first", "first", Kind.PYTHON, "", "reversi", BOT, play)
        meeting = first.meet([CompiledProgram(program, None), first], 5, 4)
    assert meeting.games == 4
    assert all(own + other == 1 for own, other in zip(*meeting.scores, strict=True))


@pytest.mark.slow
def test_code_programs_and_house_bots_sit_at_one_table(data: Path) -> None:
    game = "tanks-melee"
    arena = TankArena(game, 4)
    text = fake_evolve.CHAMPION.replace("program tanks", f"program {game}")
    chaser = Pinned("file:chaser", "chaser", "program", "2" * 64, None, text)
    walls = Pinned("house:Walls", "Walls", "house", None, arena.revision)
    program = parse(text, arena.architecture)
    with play_in_processes(1, data, tier(data)) as play:
        still, broken = (
            SandboxedGuide(f"ladder:{name}", name, Kind.PYTHON, "", game, code, play)
            for name, code in (("still", STILL), ("broken", BROKEN))
        )
        residents = [seat(walls, arena), seat(chaser, arena)]
        table = [CompiledProgram(program, flatten(program)), *residents, still]
        meeting = play_table(table, 5, 4)
        assert meeting.games == 4
        assert len(meeting.scores) == 4
        assert sum(meeting.scores[1]) > sum(meeting.scores[3]), "Walls beats a sitting tank"
        with pytest.raises(GuideFailed) as failed:
            play_table([*table[:2], broken, still], 5, 4)
        assert failed.value.name == "ladder:broken"


@pytest.mark.slow
def test_melees_are_bred_with_leaders_of_every_kind(data: Path) -> None:
    text = fake_evolve.CHAMPION.replace("program tanks", "program tanks-melee").encode()
    guides = [
        WALLS,
        Guide("still", Kind.PYTHON, "3" * 64, STILL),
        Guide("chaser", Kind.PROGRAM, "2" * 64, text),
    ]
    folder = folder_of(data, job(*guides, generations=1, domain="tanks-melee"), tier(data))
    assert main([str(folder.path)]) == 0
    (line,) = read_report(folder.report.read_bytes()).finals.guides
    assert [name.rpartition("/")[2] for name in line.opponent.split(", ")] == [
        "house:Walls",
        "chaser.lisp",
        "ladder:still",
    ]


@pytest.mark.slow
def test_a_run_against_code_survives_the_end_of_its_guide(data: Path) -> None:
    still = Guide("still", Kind.PYTHON, "3" * 64, STILL)
    broken = Guide("broken", Kind.PYTHON, "4" * 64, BROKEN)
    folder = folder_of(data, job(still, broken, generations=1), tier(data))
    assert main([str(folder.path)]) == 0
    report = read_report(folder.report.read_bytes())
    assert "ladder:still" in [line.opponent for line in report.finals.guides]
    assert [one["name"] for one in report.failed_guides] == ["ladder:broken"]
    assert "crashed" in report.failed_guides[0]["reason"]


@pytest.mark.slow
def test_it_ends_after_its_generation_and_goes_on(data: Path) -> None:
    folder = folder_of(data, job(WALLS, generations=10_000))
    command = [sys.executable, "-m", "ladder.evolution.child", "."]
    child = subprocess.Popen(command, cwd=folder.path)
    wait_until(folder.new_generations, 300, "the first generation")
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == 128 + signal.SIGTERM
    reached = len(folder.new_generations())
    assert folder.begun
    assert not folder.complete
    plan = folder.out / "run.json"
    shorter = json.loads(plan.read_text())
    shorter["parameters"]["generations"] = reached + 1
    plan.write_text(json.dumps(shorter))
    assert subprocess.run(command, cwd=folder.path, check=True, timeout=300).returncode == 0
    assert folder.complete
    assert [line.generation for line in folder.new_generations()] == [*range(reached + 1)]
