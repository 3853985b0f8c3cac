"""Programs on the ladder: accepted, refused, played without a sandbox, and public."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ladder_steps import BOT, OWNER, account

from engines.competition import BYTECODE_BYTES, STATEMENTS
from engines.game import Game
from engines.games import GAMES, find_game
from ladder.errors import BadUpload, NotFound, RunnerFailure, TooLarge
from ladder.matches import leasing
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished, finish
from ladder.runner import play_job
from ladder.runner.measuring import measure
from ladder.runner.uploads import check_upload, kind_of
from ladder.store import Database
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import CodeSize, Ending, Entrant, Kind, Limits, MatchJob, VersionStatus

CHASER = (Path(__file__).parent.parent / "prove/chaser.lisp").read_bytes()
NO_SANDBOX = tuple(kind for kind in Kind if not kind.sandboxed)


def job(*entrants: Entrant, game: str = "tanks") -> MatchJob:
    return MatchJob(1, 1, game, 3, entrants, Limits(), {"rounds": 2})


def entrant(code: bytes = CHASER) -> Entrant:
    return Entrant("chaser", Kind.PROGRAM, "0" * 64, code)


def test_a_program_needs_no_sandbox(tmp_path: Path) -> None:
    house = Entrant("Walls", Kind.HOUSE, "1" * 64)
    first, second = (play_job(job(entrant(), house), tmp_path, None) for _ in range(2))
    assert first.verdict.ending is Ending.COMPLETED
    assert first.verdict == second.verdict
    assert first.verdict.scores[0] > 0.3
    assert first.plies > 100


def test_the_size_of_a_program(tmp_path: Path) -> None:
    """Nine instructions and four numbers of 8 bytes each; tanks of three trees count as haikus."""
    measured = measure(entrant(), find_game("tanks"), None, tmp_path)
    assert measured == CodeSize({STATEMENTS: 4, BYTECODE_BYTES: 8 * (9 + 4)})


def test_a_stored_program_that_cannot_be_read_is_a_fault_of_ours(tmp_path: Path) -> None:
    with pytest.raises(RunnerFailure, match="cannot be read"):
        play_job(job(entrant(b"(program tanks)"), entrant()), tmp_path, None)


@pytest.mark.parametrize(
    ("game", "data", "complaint"),
    [
        ("reversi", CHASER, "line 2, column 10: this program is for 'tanks', not for reversi"),
        ("reversi", b"(program reversi (tree value KingCount))", "column 30: there is no 'KingC"),
        (
            "lose-checkers",
            b"(program lose-checkers\n (depth 7) (tree value One))",
            "line 2, column 9: depth is a whole number from 1 to 6",
        ),
        ("tanks-melee", CHASER, "line 2, column 10: this program is for 'tanks'"),
        ("tanks", b"(program tanks (tree ahead (Jump 3)))", "there is no 'Jump' in the tree ahead"),
        ("tanks", b"(program tanks", "the text ends"),
        ("tanks", b"(program tanks (tree ahead \xff", "not UTF-8 text"),
        ("tanks", b"(program tanks (tree ahead " + b"(Neg " * 90_000, "deeper than 100"),
        ("tanks", b"(program tanks " + b"x" * 600_000, "at most 500000"),
    ],
)
def test_bad_programs_are_refused_at_their_upload(
    game: str, data: bytes, complaint: str, sqlite_db: Database
) -> None:
    with pytest.raises(BadUpload, match=complaint):
        submissions.submit(sqlite_db, account(sqlite_db), Upload(game, "mybot", data))


def test_the_kind_of_an_upload() -> None:
    assert kind_of(CHASER) is Kind.PROGRAM
    assert kind_of(b"\n(program x") is Kind.PROGRAM
    assert kind_of(BOT) is kind_of(b"") is kind_of(b"PK\x03\x04") is Kind.PYTHON
    assert kind_of(b"(programme)") is Kind.PYTHON
    tanks = find_game("tanks")
    assert check_upload(tanks, CHASER) is Kind.PROGRAM
    with pytest.raises(TooLarge):
        check_upload(tanks, CHASER + b" " * (1 << 20))


def test_from_upload_to_the_board_without_a_sandbox(sqlite_db: Database, tmp_path: Path) -> None:
    db, ada = sqlite_db, account(sqlite_db)
    sent = submissions.submit(db, ada, Upload("tanks", "chaser", CHASER))
    (leased,) = leasing.lease(db, OWNER, 60, 1, leasing.Playable(NO_SANDBOX))
    assert leased.entrants[0].kind is Kind.PROGRAM
    report = play_job(leased, tmp_path, None)
    replays = ReplayStore(tmp_path / "replays")
    assert finish(db, replays, OWNER, [Finished(report, leased.attempt)])
    bot = submissions.bot(db, sent.id, None)
    assert (bot.kind, bot.versions[0].status) == (Kind.PROGRAM, VersionStatus.ACCEPTED)
    assert bot.rating is not None
    assert set(bot.divisions) == {"open", "mini", "micro", "nano", "sonnet", "haiku"}
    assert submissions.program(db, sent.version.sha256) == CHASER


BOARD_GAMES = [game for game in GAMES if isinstance(game, Game) and game.programs]


@pytest.mark.parametrize("rules", BOARD_GAMES, ids=lambda game: game.name)
def test_board_programs_go_from_upload_to_the_board(
    rules: Game[Any, Any], sqlite_db: Database, tmp_path: Path
) -> None:
    assert rules.programs is not None
    game, slots = rules.name, rules.programs.architecture.slots
    db, ada = sqlite_db, account(sqlite_db)
    trees = "".join(f"(tree {slot.name} 2.0)" for slot in slots)
    code = f"(program {game} (depth 2)\n {trees})".encode()
    sent = submissions.submit(db, ada, Upload(game, "steady", code))
    (leased,) = leasing.lease(db, OWNER, 60, 1, leasing.Playable(NO_SANDBOX))
    report = play_job(leased, tmp_path, None)
    assert report.verdict.ending is Ending.COMPLETED
    assert play_job(leased, tmp_path, None).verdict == report.verdict
    assert finish(db, ReplayStore(tmp_path / "replays"), OWNER, [Finished(report, leased.attempt)])
    bot = submissions.bot(db, sent.id, None)
    assert (bot.kind, bot.versions[0].status) == (Kind.PROGRAM, VersionStatus.ACCEPTED)
    assert bot.rating is not None
    assert submissions.program(db, sent.version.sha256) == code


def test_only_programs_are_public(sqlite_db: Database) -> None:
    sent = submissions.submit(sqlite_db, account(sqlite_db), Upload("reversi", "mybot", BOT))
    with pytest.raises(NotFound, match="not a program; its kind is python"):
        submissions.program(sqlite_db, sent.version.sha256)
    with pytest.raises(NotFound, match="no version"):
        submissions.program(sqlite_db, "0" * 64)
    assert not leasing.lease(sqlite_db, OWNER, 60, 1, leasing.Playable(NO_SANDBOX))
