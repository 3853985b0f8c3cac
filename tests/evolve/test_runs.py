import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from evolve_samples import Breaking, high_card, worth

from engines.programs.text import parse
from evolve import cli, domains
from evolve.domain import Domain
from evolve.errors import BadCheckpoint, BadGuide, BadParameter, LadderUnreachable, UnknownDomain
from evolve.fitness.boards import BoardArena
from evolve.fitness.measures import CoPlay, FractionalScore, ProgramMeasure
from evolve.ladder_client import LadderClient
from evolve.runs import inspection
from evolve.runs.evolution import EvolutionState
from evolve.runs.run import Interrupted, Run, StartOptions, Watcher, resume, start
from ladder.client import Client

REPORT = {
    "domain",
    "game",
    "seed",
    "settings",
    "guides",
    "skipped",
    "generations",
    "stopped",
    "games",
    "seconds",
    "champion",
    "finals",
}
LINE = {
    "generation",
    "best",
    "mean",
    "stdev",
    "worst",
    "size_mean",
    "size_best",
    "depth_mean",
    "diversity",
    "games",
    "instructions",
}


def domain() -> Domain:
    return high_card(FractionalScore(3) + CoPlay(2), guides=("house:one",), generations=6)


def outcome(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "log.jsonl").read_bytes(), (folder / "champion.lisp").read_bytes()


@pytest.fixture
def finished(tmp_path: Path) -> Run:
    run = start(domain(), tmp_path / "whole", 4)
    run.go()
    return run


def test_a_run_writes_all_promised_files(finished: Run) -> None:
    report = finished.report
    assert report is not None
    assert set(report) >= REPORT
    assert report["stopped"] == "generations"
    assert report["generations"] == 6
    assert report["guides"] == [
        {"name": "house:one", "bot": "one", "kind": "house", "sha256": None}
    ]
    lines = [json.loads(line) for line in (finished.folder / "log.jsonl").read_text().splitlines()]
    assert [line["generation"] for line in lines] == list(range(6))
    assert all(set(line) >= LINE for line in lines)
    assert report["games"] == sum(line["games"] for line in lines)
    parts = {part: [row["opponent"] for row in rows] for part, rows in report["finals"].items()}
    assert parts == {
        "guides": ["house:one"],
        "judges": ["house:two"],
        "holdout": ["house:zero", "house:ten"],
    }
    for rows in report["finals"].values():
        for row in rows:
            assert row["games"] == row["wins"] + row["draws"] + row["losses"] == 50
            assert row["low"] <= row["share"] <= row["high"]
    text = (finished.folder / "champion.lisp").read_text()
    assert worth(parse(text, domain().architecture)) > 1


class Crash(Watcher):
    """Simulates the end of the process when a generation is on disk."""

    def __init__(self, at: int) -> None:
        self._at = at

    def generation(self, line: dict[str, object], state: EvolutionState, total: int) -> None:
        if state.generation == self._at:
            raise KeyboardInterrupt


@pytest.mark.parametrize("at", [0, 3, 5])
def test_resumed_runs_end_alike(finished: Run, tmp_path: Path, at: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        start(domain(), tmp_path / "cut", 4).go(2, None, Crash(at))
    resume(tmp_path / "cut", domain()).go(3)
    assert outcome(tmp_path / "cut") == outcome(finished.folder)


def test_a_run_can_be_resumed_before_its_first_generation(finished: Run, tmp_path: Path) -> None:
    start(domain(), tmp_path / "new", 4)
    resume(tmp_path / "new", domain()).go()
    assert outcome(tmp_path / "new") == outcome(finished.folder)


def test_the_log_is_repaired_after_any_crash(finished: Run, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        start(domain(), tmp_path / "cut", 4).go(1, None, Crash(3))
    log = tmp_path / "cut" / "log.jsonl"
    whole = log.read_text()
    # The last line was not written, or only in part; or a later checkpoint was removed since.
    for left in (whole[: whole[:-1].rindex("\n") + 1], whole[:-20], whole + whole[:50]):
        log.write_text(left)
        run = resume(tmp_path / "cut", domain())
        with pytest.raises(KeyboardInterrupt):
            run.go(1, None, Crash(3))
        assert log.read_text() == whole


def test_two_cannot_work_in_one_folder(tmp_path: Path) -> None:
    run = start(domain(), tmp_path / "run", 4)

    class Second(Watcher):
        def generation(self, line: dict[str, object], state: EvolutionState, total: int) -> None:
            with pytest.raises(BadParameter, match="another process"):
                resume(run.folder, domain()).go()

    run.go(1, None, Second())


def test_a_folder_that_cannot_be_made_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert cli.main(["run", "tanks", "--out", str(tmp_path / "file" / "run")]) == 1
    assert "Not a directory" in capsys.readouterr().err


def test_a_finished_run_is_not_run_again(finished: Run) -> None:
    def times() -> dict[str, int]:
        files = [path for path in finished.folder.rglob("*.*") if path.name != ".lock"]
        return {str(path): path.stat().st_mtime_ns for path in files}

    before = times()
    again = resume(finished.folder, domain())
    assert again.go() == finished.report
    assert times() == before


def test_stopping_ends_after_the_generation(tmp_path: Path) -> None:
    run = start(domain(), tmp_path / "run", 4)
    with pytest.raises(Interrupted, match="after generation 0"):
        run.go(stop=lambda: True)
    assert len((tmp_path / "run" / "log.jsonl").read_text().splitlines()) == 1


def test_damaged_checkpoints_are_named_and_those_before_them_kept(
    finished: Run, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        start(domain(), tmp_path / "cut", 4).go(1, None, Crash(4))
    paths = sorted((tmp_path / "cut" / "checkpoints").iterdir())
    paths[-1].write_text(paths[-1].read_text()[:-100])
    with pytest.raises(BadCheckpoint, match=r"generation-0000004.json is damaged.*0000003"):
        resume(tmp_path / "cut", domain()).go()
    paths[-1].unlink()
    resume(tmp_path / "cut", domain()).go()
    assert outcome(tmp_path / "cut") == outcome(finished.folder)


def test_folders_without_a_run_or_with_another_run(finished: Run, tmp_path: Path) -> None:
    with pytest.raises(BadCheckpoint, match="is not a run"):
        resume(tmp_path)
    with pytest.raises(BadParameter, match="already holds a run"):
        start(domain(), finished.folder)
    with pytest.raises(UnknownDomain, match="is not built in"):
        resume(finished.folder)
    (finished.folder / "run.json").write_text("{")
    with pytest.raises(BadCheckpoint, match="damaged"):
        resume(finished.folder, domain())


def test_unknown_guides_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for guides, complaint in (
        (["house:tow"], "did you mean house:two"),
        (["two"], "unknown guide 'two': use house:NAME"),
        (["ladder:0"], "1 to 100"),
        (["file:/nowhere.lisp"], "cannot be read"),
        ([], "no guide is left"),
    ):
        with pytest.raises(BadGuide, match=complaint):
            start(high_card(FractionalScore(1)), folder, options=StartOptions(guides=guides))
    with pytest.raises(LadderUnreachable, match="does not answer"):
        start(
            domain(),
            folder,
            options=StartOptions(guides=["ladder:2"]),
            ladder=LadderClient("http://127.0.0.1:9"),
        )
    with pytest.raises(LadderUnreachable, match="LADDER_TOKEN"):
        start(
            domain(),
            folder,
            options=StartOptions(submit="me"),
            ladder=LadderClient("http://127.0.0.1:9"),
        )
    assert not folder.exists()


def test_programs_in_files_are_guides_and_stay_as_they_were(tmp_path: Path) -> None:
    guide = tmp_path / "guide.lisp"
    guide.write_text("(program high-card (tree value (Plus 1.0 0.5)))")
    run = start(domain(), tmp_path / "run", 2, StartOptions(guides=[f"file:{guide}"]))
    guide.unlink()
    report = resume(run.folder, domain()).go()
    assert report["guides"][0]["kind"] == "program"
    assert report["finals"]["guides"][0]["opponent"] == f"file:{guide}"
    (run.folder / "report.json").unlink()
    kept = next((run.folder / "guides").iterdir())
    kept.write_text(kept.read_text().replace("0.5", "0.6"))
    with pytest.raises(BadCheckpoint, match="has changed"):
        resume(run.folder, domain())


def test_callers_bring_guides_of_their_own_and_failures_are_reported(tmp_path: Path) -> None:
    notes: list[str] = []

    class Listener(Watcher):
        def note(self, text: str) -> None:
            notes.append(text)

    run = start(domain(), tmp_path / "run", 4, opponents=[Breaking(30)])
    report = run.go(1, None, Listener())
    assert report["guides"][0]["name"] == "wild"
    assert report["failed_guides"][0]["replacement"] == "house:one"
    assert any("wild failed (it exited with status 1); house:one plays instead" in n for n in notes)
    assert report["finals"]["guides"][0]["opponent"] == "house:one"


def test_domains_without_games_have_champions_too(tmp_path: Path) -> None:
    alone = Domain("alone", domain().architecture, ProgramMeasure(worth), control=domain().control)
    report = start(alone, tmp_path / "run", 1).go()
    assert report["finals"] == {"guides": [], "judges": [], "holdout": []}
    assert report["champion"]["fitness"] > 1
    with pytest.raises(BadGuide, match="plays no games"):
        start(alone, tmp_path / "other", 1, StartOptions(guides=["house:one"]))


def test_programs_bred_with_a_shallow_search_may_play_with_a_deeper_one(tmp_path: Path) -> None:
    small = {
        "population": 6,
        "generations": 1,
        "coplay": 1,
        "depth": 1,
        "final_depth": 3,
        "final_varied": False,
        "finalists": 2,
        "choosing_games": 2,
        "qualifying_games": 2,
        "benchmark": "house:greedy",
        "holdout": "house:random",
        "final_games": 4,
    }
    domain = domains.make("reversi", None, small)
    assert domain.arena == BoardArena("reversi")
    report = start(domain, tmp_path / "run", 1).go()
    assert "(depth 3)" in (tmp_path / "run" / "champion.lisp").read_text()
    # Each pair has only two different games from the start: random openings would add others.
    arena = BoardArena("reversi", varied=False)
    champion = parse((tmp_path / "run" / "champion.lisp").read_text(), arena.architecture)
    met = arena.meet([arena.player(champion), arena.house_player("greedy")], 0, 2)
    (row,) = report["finals"]["judges"]
    assert (row["wins"], row["losses"]) == (met.wins * 2, met.losses * 2)


def test_show_and_analysis(finished: Run, tmp_path: Path) -> None:
    shown = inspection.show(finished)
    assert "6 generations" in shown
    assert "(program high-card" in shown
    found = inspection.analyze(finished, 10, 2)
    assert 0 <= found["introns"]["removable"] < 1
    assert -1 <= found["kendall_tau"]["mean"] <= 1
    pictures = {path.stem for path in (finished.folder / "analysis").glob("*.svg")}
    assert pictures >= {"fitness", "size", "depth", "spread", "kendall_tau", "terminals"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run", "poker"], "unknown domain 'poker'"),
        (["run", "tanks", "--preset", "slow"], "no preset 'slow'"),
        (["run", "tanks", "--population", "1"], "population"),
        (["run", "tanks", "--population", "-5"], "population"),
        (["run", "tanks", "--generations", "0"], "generations"),
        (["run", "tanks", "--final-games", "0"], "final"),
        (["run", "tanks", "--seed", "-1"], "seed"),
        (["run", "tanks", "--workers", "0", "--out", "OUT"], "worker"),
        (["run", "tanks", "--set", "depth=0"], "depth"),
        (["run", "tanks", "--set", "depth=x"], "depth cannot be 'x'"),
        (["run", "tanks", "--set", "luck=1"], "no parameter 'luck'"),
        (["run", "tanks", "--set", "depth"], "NAME=VALUE"),
        (["run", "tanks", "--guides", "house:Nobody"], "no house bot 'Nobody'. There are "),
        (["run", "tanks", "--guides", ""], "no guide"),
        (["resume", "OUT"], "is not a run"),
        (["show", "OUT"], "is not a run"),
        (["export", "OUT", "--to", "java"], "is not a run"),
        (["analyze", "OUT", "--games", "0"], "at least 1"),
    ],
)
def test_bad_input_is_named_and_costs_nothing(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [str(tmp_path / "out") if word == "OUT" else word for word in arguments]
    assert cli.main(words) == 1
    assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def command(*words: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "evolve", *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


QUICK = (
    "run",
    "tanks",
    "--preset",
    "quick",
    "--generations",
    6,
    "--population",
    16,
    "--final-games",
    10,
    "--seed",
    3,
    "--set",
    "finalists=2",
)


@pytest.mark.slow
def test_tanks_end_alike_with_one_worker_with_two_and_killed(tmp_path: Path) -> None:
    one, two, killed = (tmp_path / name for name in ("one", "two", "killed"))
    assert command(*QUICK, "--workers", 1, "--out", one).wait() == 0
    assert command(*QUICK, "--workers", 2, "--out", two).wait() == 0
    process = command(*QUICK, "--workers", 2, "--out", killed)
    log = killed / "log.jsonl"
    while not (log.exists() and log.read_text().count("\n") >= 2):
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (killed / "report.json").exists()
    assert command("resume", killed, "--workers", 1).wait() == 0
    assert command("resume", killed).wait() == 0
    assert outcome(one) == outcome(two) == outcome(killed)
    finals = [json.loads((folder / "report.json").read_text())["finals"] for folder in (one, two)]
    assert finals[0] == finals[1]


@pytest.mark.slow
def test_sigterm_stops_after_a_generation(tmp_path: Path) -> None:
    words = ["run", "tanks", "--preset", "quick", "--population", 16, "--generations", 9999]
    process = command(*words, "--out", tmp_path / "run")
    log = tmp_path / "run" / "log.jsonl"
    while not log.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 128 + signal.SIGTERM
    assert log.read_text().endswith("\n")
    assert not (tmp_path / "run" / "report.json").exists()


@pytest.mark.parametrize("sha256", ["../../evil", "/tmp/evil", "0" * 64])
def test_a_ladder_cannot_choose_where_its_programs_are_kept(
    sha256: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"rank": 1, "bot": "b", "owner": "o", "kind": "program", "version": 1, "bot_id": 1}
    answers = {
        "leaderboard": {"rows": [row]},
        "bots": {"versions": [{"number": 1, "sha256": sha256}]},
    }

    def answer(client: Client, method: str, path: str, *rest: object) -> bytes:
        if path.endswith("/program"):
            return b"(program high-card (tree value (Plus 1.0 0.5)))"
        return json.dumps(next(told for part, told in answers.items() if part in path)).encode()

    monkeypatch.setattr(Client, "_send", answer)
    with pytest.raises(LadderUnreachable, match="does not match"):
        start(
            domain(),
            tmp_path / "a" / "b" / "run",
            options=StartOptions(guides=["ladder:1"]),
            ladder=LadderClient("http://x"),
        )
    assert not list(tmp_path.rglob("*.lisp"))
