"""Runs that begin with programs of other runs."""

from pathlib import Path
from typing import Any

import pytest
from evolve_samples import high_card

from engines.programs.text import parse, write
from engines.programs.trees import Program
from evolve import cli, domains
from evolve.domain import Domain
from evolve.errors import BadCheckpoint, BadGuide, BadParameter
from evolve.fitness.measures import FractionalScore
from evolve.operators.growth import TreeLimits, ramped
from evolve.runs.evolution import Evolution, Participants
from evolve.runs.report import lineage
from evolve.runs.run import StartOptions, resume, start
from evolve.streams import stream


def domain(**control: Any) -> Domain:
    return high_card(FractionalScore(3), guides=("house:one",), generations=3, **control)


def programs(count: int, domain: Domain) -> list[Program]:
    return [
        ramped(stream(place), domain.architecture, TreeLimits(3, 50), place, range(2, 4), {})
        for place in range(count)
    ]


@pytest.fixture
def champion(tmp_path: Path) -> Path:
    """The folder of a finished run."""
    folder = tmp_path / "before"
    start(domain(), folder, 1).go()
    return folder


def outcome(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "log.jsonl").read_bytes(), (folder / "champion.lisp").read_bytes()


def test_each_island_begins_with_the_founders() -> None:
    lakes = domains.make("lose-checkers", "quick", {"islands": 2, "population": 4, "depth": 1})
    founders = programs(3, lakes)
    state = next(iter(Evolution(lakes, 1, Participants(founders=founders))))
    others = next(iter(Evolution(lakes, 1)))
    for island, other in zip(state.islands, others.islands, strict=True):
        assert [one.trees for one in island.programs[:3]] == [one.trees for one in founders]
        # They have the search depth of this run instead of their own.
        assert {one.option("depth") for one in island.programs} == {1}
        assert island.programs[3] == other.programs[3]


def test_a_run_begins_with_champions_and_says_so(champion: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.lisp"
    other.write_text(write(programs(1, domain())[0]))
    run = start(domain(), tmp_path / "run", 2, options=StartOptions(founders=[champion, other]))
    report = run.go()
    assert [one["name"] for one in report["founders"]] == ["before", "other.lisp"]
    assert lineage(report)["founders"] == report["founders"]
    other.unlink()  # the run has its own
    assert len(resume(run.folder, domain()).plan.founders) == 2


def test_a_run_without_founders_says_nothing_of_them(champion: Path) -> None:
    report = resume(champion, domain()).report
    assert report is not None
    assert report["founders"] == []
    assert "founders" not in lineage(report)


def test_founded_runs_that_are_resumed_end_alike(champion: Path, tmp_path: Path) -> None:
    whole = start(domain(), tmp_path / "whole", 2, options=StartOptions(founders=[champion]))
    whole.go()
    start(domain(), tmp_path / "new", 2, options=StartOptions(founders=[champion]))
    resume(tmp_path / "new", domain()).go(2)
    assert outcome(tmp_path / "new") == outcome(whole.folder)


def test_lost_or_changed_founders_are_noticed(champion: Path, tmp_path: Path) -> None:
    run = start(domain(), tmp_path / "run", 2, options=StartOptions(founders=[champion]))
    (kept,) = (run.folder / "founders").iterdir()
    text = kept.read_text()
    kept.write_text(text + " ")
    with pytest.raises(BadCheckpoint, match="has changed"):
        resume(run.folder, domain())
    kept.unlink()
    with pytest.raises(BadCheckpoint, match=r"founders/.*\.lisp is missing"):
        resume(run.folder, domain()).go()
    kept.write_text(text)
    resume(run.folder, domain()).go()


def test_impossible_founders_are_refused(tmp_path: Path) -> None:
    checkers = domains.make("lose-checkers", "quick", {"population": 4})
    with pytest.raises(BadParameter, match="at most 4 founders are possible, not 5"):
        Evolution(checkers, 1, Participants(founders=programs(5, checkers)))
    weights = domains.make("lose-checkers", "quick", {"terms": "Mobility"})
    with pytest.raises(BadParameter, match="not possible when weights are bred"):
        Evolution(weights, 1, Participants(founders=programs(1, weights)))
    small = domains.make("lose-checkers", "quick", {"tree_depth": 3, "first_depth": 3})
    text = "(program lose-checkers (tree value (Plus One (Plus One (Plus One One)))))"
    large = parse(text, small.architecture)
    with pytest.raises(BadParameter, match="with depth 4 and 7 nodes exceeds the limits 3 and 400"):
        Evolution(small, 1, Participants(founders=[large]))
    with pytest.raises(BadGuide, match="cannot be read"):
        start(checkers, tmp_path / "run", options=StartOptions(founders=[tmp_path / "none.lisp"]))
    (tmp_path / "tank.lisp").write_text("(program tanks (tree ahead 1.0))")
    with pytest.raises(BadGuide, match="not a program of lose-checkers"):
        start(checkers, tmp_path / "run", options=StartOptions(founders=[tmp_path / "tank.lisp"]))
    with pytest.raises(BadGuide, match="at most 500000 characters"):
        start(checkers, tmp_path / "run", options=StartOptions(founders=[Path("/dev/zero")]))
    assert not (tmp_path / "run").exists()


def test_founders_are_named_in_the_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, first = tmp_path / "run", tmp_path / "first.lisp"
    first.write_text("(program lose-checkers (tree value Mobility))")
    small = ["--population", "4", "--generations", "1", "--final-games", "2", "--set", "depth=1"]
    few = ["--set", "coplay=1", "--set", "choosing_games=2", "--set", "holdout="]
    said = ["run", "lose-checkers", "--preset", "quick", *small, *few, "--out", str(folder)]
    assert cli.main([*said, "--founders", str(tmp_path)]) == 1
    assert "champion.lisp cannot be read" in capsys.readouterr().err
    assert cli.main([*said, "--founders", str(first)]) == 0
    architecture = domains.make("lose-checkers", None, {}).architecture
    (kept,) = (folder / "founders").iterdir()
    assert parse(kept.read_text(), architecture) == parse(first.read_text(), architecture)
