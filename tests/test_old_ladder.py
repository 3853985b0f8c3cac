"""The data of an earlier release are read, shown and verified.

`tests/data/ladder-8710b2d.tar.gz` is the data folder of a server at that commit: matches of house
bots, of an uploaded bot and of a program, in board games and in tanks.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from ladder_steps import BOT, account

from engines.games import find_game
from ladder.admin import audits
from ladder.admin.audits import Finding
from ladder.matches import leasing, listing
from ladder.matches.replays import ReplayStore
from ladder.people.bot_names import find_bots
from ladder.runner import play_job
from ladder.runner.fingerprint import rules_fingerprint
from ladder.runner.pictures import Pictures
from ladder.runner.replay import decode, encode, verify
from ladder.settings import Settings
from ladder.store import Database, accounts, bots, migrate
from ladder.store import matches as stored
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import Kind, Limits

DATA = Path(__file__).parent / "data" / "ladder-8710b2d.tar.gz"


@dataclass
class OldLadder:
    db: Database
    replays: ReplayStore
    matches: list[int]


@pytest.fixture
def old(tmp_path: Path) -> Iterator[OldLadder]:
    with tarfile.open(DATA) as archive:
        archive.extractall(tmp_path, filter="data")
    settings = Settings(data=tmp_path)
    db = Database(settings.database_url)
    migrate.upgrade(db)
    ids = [row.id for row in listing.page(db, game=None, bot_id=None, after=None, limit=99).rows]
    yield OldLadder(db, ReplayStore(settings.replays), ids)
    db.close()


def test_its_replays_are_read_and_drawn(old: OldLadder) -> None:
    games = set()
    for match_id in old.matches:
        document = decode(old.replays.read(match_id))
        games.add(document.game)
        assert document.answers == ()
        pictures = Pictures(document)
        assert next(pictures.draw(range(pictures.last, pictures.last + 1))).svg.startswith("<svg")
        assert decode(encode(document)) == document
    assert games == {"reversi", "connect-four", "checkers", "lose-checkers", "tanks"}


def test_its_matches_are_verified_with_changed_code(old: OldLadder, tmp_path: Path) -> None:
    findings = {}
    for match_id in old.matches:
        with old.db.read() as c:
            row = stored.match(c, match_id)
        assert row is not None
        assert row.rules != rules_fingerprint(find_game(row.game)), "other code, same rules"
        found = audits.audit(
            old.db, old.replays, match_id, Limits(), audits.player(tmp_path, "auto")
        )
        findings[match_id] = found.finding
        job = leasing.job_again(old.db, match_id, Limits())
        ours = all(entrant.kind in (Kind.HOUSE, Kind.PROGRAM) for entrant in job.entrants)
        assert found.finding is (Finding.REPEATED if ours else Finding.CHECKED), found
        if ours:
            again = play_job(job, tmp_path, None)
            assert verify(decode(old.replays.read(match_id)), again) is None
    assert set(findings.values()) == {Finding.REPEATED, Finding.CHECKED}


def test_changed_rules_are_no_fault_of_a_worker(old: OldLadder, tmp_path: Path) -> None:
    """Earlier rules may have allowed a move that the current rules forbid."""
    match_id = next(
        one for one in old.matches if decode(old.replays.read(one)).game == "connect-four"
    )
    document = decode(old.replays.read(match_id))
    moves = (*document.moves[:-1], type(document.moves[-1])(document.moves[-1].seat, "9"))
    changed = type(document)(
        **{name: getattr(document, name) for name in document.__struct_fields__} | {"moves": moves}
    )
    old.replays.path(match_id).write_bytes(encode(changed))
    found = audits.audit(old.db, old.replays, match_id, Limits(), audits.player(tmp_path, "auto"))
    assert (found.finding, found.quarantined) == (Finding.OTHER_RULES, False)


def test_names_of_its_bots_are_unique_per_owner(old: OldLadder) -> None:
    (mine,) = find_bots(old.db, "reversi", ["firstmove"])
    assert find_bots(old.db, "reversi", ["ada/firstmove"]) == [mine]
    code = BOT + b"# of bob\n"
    his = submissions.submit(old.db, account(old.db, "bob"), Upload("reversi", "firstmove", code))
    assert his.id != mine
    assert submissions.bot(old.db, mine, None).owner == "ada", "its link leads to it as before"
    with old.db.read() as c:
        ada = accounts.account_named(c, "ada")
        assert ada is not None
        newest = bots.newest_version(c, mine)
        assert newest is not None
        kept = bots.blobs(c, [newest.sha256])[newest.sha256]
    again = submissions.submit(old.db, ada, Upload("reversi", "FirstMove", kept))
    assert (again.id, again.unchanged, again.version.number) == (mine, True, newest.number)
