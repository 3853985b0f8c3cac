"""Replays and logs of old matches are removed, a batch at a time; results stay."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from ladder_steps import account, finish, lease, upload
from replay_files import own_file

from engines.games import find_game
from ladder.admin import audits, retention
from ladder.admin.retention import Retained
from ladder.contests import tournaments
from ladder.contests.tournaments import Selection
from ladder.errors import Gone, NotFound
from ladder.host.meters import Meters
from ladder.matches import listing, pairing
from ladder.matches.replays import ReplayStore
from ladder.models import Match, Rating, ReplayPack, SeatLog
from ladder.server.replay_cleanup import ReplayCleaner
from ladder.settings import Settings
from ladder.store import Database, replay_packs
from ladder.store import retention as stored
from ladder.store.database import now
from ladder.values import Retention, Role
from ladder.views import AccountView

ADMIN = AccountView(0, "root", Role.ADMIN, now())


def played(db: Database, replays: ReplayStore) -> tuple[list[int], list[int]]:
    """Finish a match of uploads and one of a tournament for each of the last days; returns ids."""
    ada = account(db)
    for number in range(4):
        upload(db, ada, f"bot{number}")
    tournaments.create(
        db, tournaments.NewTournament("connect-four", "round-robin", Selection(top=3)), actor="root"
    )
    ids: tuple[list[int], list[int]] = ([], [])
    for job in lease(db, 8):
        assert finish(db, replays, job, (0, 1), [0], "it crashed")
        ids[job.game == "connect-four"].append(job.match_id)
    with db.write() as c:
        for kind in ids:
            for days, match_id in enumerate(reversed(kind)):
                at = now() - timedelta(days=days, minutes=1)
                c.execute(sa.update(Match).where(Match.id == match_id).values(finished_at=at))
    return ids


def alone(db: Database, replays: ReplayStore, *ids: list[int]) -> None:
    """Store these replays as earlier releases did."""
    for match_id in (one for kind in ids for one in kind):
        own_file(db, replays, match_id)


def kept(db: Database, replays: ReplayStore, ids: Sequence[int]) -> list[int]:
    """Those of the matches whose replays can be read."""
    found = []
    for match_id in ids:
        with suppress(Gone):
            assert listing.replay(db, replays, match_id) == b"replay"
            found.append(match_id)
    return found


def test_old_replays_go_and_results_stay(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays = ReplayStore(tmp_path / "replays")
    ladder, cup = played(db, replays)
    alone(db, replays, ladder, cup)
    assert kept(db, replays, [*ladder, *cup]) == [*ladder, *cup]
    everything = sa.select(Rating).order_by(Rating.version_id, Rating.division)
    with db.read() as c:
        before = c.execute(everything).all()
    assert Retained(db, replays, Retention()).remove_some().matches == 0

    monkeypatch.setattr(retention, "BATCH", 1)
    retained = Retained(db, replays, Retention(days=2))
    with replays.path(ladder[0]).open("rb") as reader:
        assert retained.remove_some().matches == 1
        assert reader.read() == b"replay", "a reader that has begun reads all of it"
    assert kept(db, replays, [*ladder, *cup]) == [*ladder[1:], *cup], "only the oldest is removed"
    with monkeypatch.context() as failing:
        failing.setattr(ReplayStore, "remove", lambda *_: (_ for _ in ()).throw(OSError("away")))
        with pytest.raises(OSError, match="away"):
            retained.remove_some()
    assert not listing.get(db, ladder[1]).replay_removed, "a failed batch changes nothing"
    assert retained.remove_some().matches == 1
    assert retained.remove_some().matches == 0
    assert kept(db, replays, [*ladder, *cup]) == [*ladder[2:], *cup], "tournaments stay forever"

    view = listing.get(db, ladder[0])
    assert (view.replay_removed, view.explanation, view.seats[0].rank) == (
        True,
        "as the test says",
        2,
    )
    with pytest.raises(Gone, match="has been removed"):
        listing.replay(db, replays, ladder[0])
    with pytest.raises(Gone, match="have been removed"):
        listing.logs(db, ladder[0], ADMIN)
    assert listing.logs(db, ladder[3], ADMIN).logs[0].complaint == "it crashed"
    assert listing.replay(db, replays, ladder[3]) == b"replay"
    replays.remove(ladder[3])
    with pytest.raises(Gone, match="lost"):
        listing.replay(db, replays, ladder[3])
    (waiting,) = lease(db, 1)
    for nothing in (waiting.match_id, 10**9):
        with pytest.raises(NotFound, match="has no replay") as refused:
            listing.replay(db, replays, nothing)
        assert refused.value.status == 404

    meters = Meters()
    cleaner = ReplayCleaner(db, replays, Retention(tournament_days=1), meters)
    monkeypatch.setattr("ladder.server.replay_cleanup.REST_SECONDS", 0)
    assert asyncio.run(cleaner.tidy()) == len(cup) - 1
    assert kept(db, replays, [*ladder, *cup]) == [ladder[2], cup[-1]]
    counted = {name: samples for name, _, samples in meters.families()}
    assert counted["ladder_replays_removed_total"][0][2] == len(cup) - 1
    assert counted["ladder_replay_bytes_removed_total"][0][2] == 6 * (len(cup) - 1)
    with db.read() as c:
        assert c.execute(everything).all() == before
        assert c.scalar(sa.select(sa.func.count()).select_from(SeatLog)) == 3


def test_replays_beyond_a_size_go_too(db: Database, tmp_path: Path) -> None:
    replays = ReplayStore(tmp_path / "replays")
    ladder, cup = played(db, replays)
    alone(db, replays, ladder, cup)
    with db.write() as c:
        c.execute(sa.update(Match).where(Match.replay_bytes > 0).values(replay_bytes=2**20))
    retained = Retained(db, replays, Retention(megabytes=len(cup) + 1))
    with db.write() as c:  # packs that others have left are empty now
        c.execute(sa.delete(ReplayPack))
    removed = retained.remove_some(retained.excess())
    assert (removed.matches, removed.bytes) == (3, 3 * 2**20)
    assert kept(db, replays, [*ladder, *cup]) == [ladder[-1], *cup]
    assert retained.excess().megabytes == 0
    cleaner = ReplayCleaner(db, replays, Retention(megabytes=1), Meters())
    assert asyncio.run(cleaner.tidy()) == 1
    assert kept(db, replays, [*ladder, *cup]) == cup, "the size never removes tournaments"


@pytest.fixture
def packs(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packs:
    """A pack for each match: of house bots, of uploads and of a tournament, four of each."""
    monkeypatch.setattr("ladder.matches.replays.PACK_BYTES", 1)
    monkeypatch.setattr("ladder.server.replay_cleanup.REST_SECONDS", 0)
    replays = ReplayStore(tmp_path / "replays")
    ladder, cup = played(db, replays)
    rng = random.Random(1)
    house: list[int] = []
    while len(house) < 4:
        pairing.pair(db, find_game("checkers"), rng)
        for job in lease(db, 99):
            if job.game == "checkers":
                assert finish(db, replays, job, (1, 0), [0], "it crashed")
                house.append(job.match_id)
    with db.write() as c:
        for ids in (ladder, cup, house):
            for days, match_id in enumerate(reversed(ids)):
                at = now() - timedelta(days=days, minutes=1)
                pack = sa.select(Match.pack_id).where(Match.id == match_id).scalar_subquery()
                change = sa.update(ReplayPack).where(ReplayPack.id == pack)
                c.execute(change.values(newest_at=at, bytes=2**20))
    # The last pack of each kind is still open.
    store = ReplayStore(tmp_path / "replays")
    del replays
    return Packs(store, house, ladder, cup)


@dataclass
class Packs:
    replays: ReplayStore
    house: list[int]
    ladder: list[int]
    cup: list[int]

    @property
    def everything(self) -> list[int]:
        return [*self.house, *self.ladder, *self.cup]


def tidied(db: Database, packs: Packs, policy: Retention) -> list[int]:
    asyncio.run(ReplayCleaner(db, packs.replays, policy, Meters()).tidy())
    return kept(db, packs.replays, packs.everything)


def test_packs_go_by_age(db: Database, packs: Packs) -> None:
    assert tidied(db, packs, Retention()) == packs.everything
    left = [*packs.house[2:], *packs.ladder[2:], *packs.cup]
    assert tidied(db, packs, Retention(days=2)) == left
    gone = packs.ladder[0]
    assert listing.get(db, gone).replay_removed
    with pytest.raises(Gone, match="has been removed"):
        listing.replay(db, packs.replays, gone)
    with pytest.raises(Gone, match="have been removed"):
        listing.logs(db, gone, ADMIN)
    assert not listing.get(db, packs.ladder[3]).replay_removed
    with db.read() as c:
        logged = set(c.scalars(sa.select(SeatLog.match_id)))
    assert not logged & {gone, packs.house[0]}
    assert packs.ladder[3] in logged
    left = [*packs.house[2:], *packs.ladder[2:], packs.cup[-1]]
    assert tidied(db, packs, Retention(tournament_days=1)) == left
    assert len(packs.replays.sizes()) == len(left)
    looked_at = set(audits.find_damaged(db, packs.replays))
    assert looked_at == set(left), "what was removed is not missing; these are no documents"


def test_packs_of_house_bots_go_first(db: Database, packs: Packs) -> None:
    left = [*packs.house[1:], *packs.ladder, *packs.cup]
    assert tidied(db, packs, Retention(house_megabytes=3)) == left
    total = len(left)
    left = [packs.house[-1], *packs.ladder, *packs.cup]
    assert tidied(db, packs, Retention(megabytes=total - 2)) == left
    left = [*packs.ladder[1:], *packs.cup]
    assert tidied(db, packs, Retention(megabytes=len(packs.cup) + 3)) == left
    assert tidied(db, packs, Retention(megabytes=1)) == packs.cup


def test_a_share_of_the_disk_bounds_all_replays(
    db: Database, packs: Packs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of tournaments, but last."""
    assert len(packs.everything) == 12
    disk = {"megabytes": 120}

    def usage(folder: Path) -> SimpleNamespace:
        assert folder == packs.replays.folder
        taken = len(packs.replays.sizes())
        return SimpleNamespace(free=(disk["megabytes"] - taken) * 2**20)

    monkeypatch.setattr(retention.shutil, "disk_usage", usage)
    policy = Retention(percent=10)
    assert tidied(db, packs, policy) == packs.everything
    disk["megabytes"] = 60
    assert tidied(db, packs, policy) == [*packs.ladder[2:], *packs.cup]
    disk["megabytes"] = 20
    assert tidied(db, packs, policy) == packs.cup[2:]


def test_replays_are_bounded_by_default() -> None:
    assert Settings().retention == Retention(house_megabytes=100, percent=10)
    assert Settings(replay_percent=0, house_replay_mb=0).retention.keeps_all


def test_an_open_pack_stays(db: Database, tmp_path: Path) -> None:
    replays = ReplayStore(tmp_path / "replays")
    ladder, cup = played(db, replays)
    assert len(replays.sizes()) == 2, "many replays in one pack"
    retained = Retained(db, ReplayStore(tmp_path / "replays"), Retention())
    with db.write() as c:
        c.execute(sa.update(ReplayPack).values(newest_at=now() - timedelta(days=9)))
    retained.policy = Retention(days=1, tournament_days=1)
    assert retained.remove_some().matches == 0
    del replays
    assert retained.remove_some().matches == len(ladder)
    assert retained.remove_some().matches == len(cup)


def test_a_crash_while_a_pack_is_removed_leaves_the_truth(
    db: Database, packs: Packs, monkeypatch: pytest.MonkeyPatch
) -> None:
    retained = Retained(db, packs.replays, Retention(days=2))
    with monkeypatch.context() as failing:
        failing.setattr(stored, "remove_logs", lambda *_: (_ for _ in ()).throw(OSError("away")))
        with pytest.raises(OSError, match="away"):
            retained.remove_some()
    assert kept(db, packs.replays, packs.everything) == packs.everything
    with monkeypatch.context() as failing:
        failing.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(OSError("away")))
        with pytest.raises(OSError, match="away"):
            retained.remove_some()
    (gone,) = (one for one in packs.everything if listing.get(db, one).replay_removed)
    assert len(packs.replays.sizes()) == len(packs.everything), "the file is still there"
    assert retained.remove_orphans() == 0, "young ones may belong to an open transaction"
    monkeypatch.setattr(retention, "ORPHAN_SECONDS", -9)
    assert retained.remove_orphans() == 1
    assert len(packs.replays.sizes()) == len(packs.everything) - 1
    assert kept(db, packs.replays, packs.everything) == [
        one for one in packs.everything if one != gone
    ]


def test_a_transaction_that_fails_leaves_only_bytes(
    sqlite_db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays = ReplayStore(tmp_path / "replays")
    pairing.pair(sqlite_db, find_game("checkers"), random.Random(1))
    (job,) = lease(sqlite_db)
    with monkeypatch.context() as failing:
        failing.setattr(replay_packs, "note", lambda *_: (_ for _ in ()).throw(OSError("away")))
        with pytest.raises(OSError, match="away"):
            finish(sqlite_db, replays, job, (1, 0))
    assert finish(sqlite_db, replays, job, (1, 0))
    assert listing.replay(sqlite_db, replays, job.match_id) == b"replay"
    (size,) = replays.sizes().values()
    with sqlite_db.read() as c:
        (row,) = replay_packs.packs(c)
    assert (row.bytes, row.replays) == (size, 1)


@pytest.mark.parametrize("of_tournaments", [False, True])
def test_kept_replays_are_found_by_an_index(empty_db: Database, of_tournaments: bool) -> None:
    """So the cost does not depend on the number of matches with removed replays."""
    plans: list[str] = []

    def explain(connection: sa.Connection, _: object, statement: str, given: object, *__: object):
        if statement.startswith("SELECT") and "FROM matches" in statement:
            asked = "EXPLAIN " + ("QUERY PLAN " if empty_db.is_sqlite else "") + statement
            rows = connection.connection.cursor().execute(asked, given).fetchall()
            plans.append(str(rows))

    with empty_db.read() as c:
        if not empty_db.is_sqlite:
            c.exec_driver_sql("SET enable_seqscan = off")  # PostgreSQL would scan an empty table
        sa.event.listen(empty_db.engine, "before_cursor_execute", explain)
        stored.oldest(c, of_tournaments=of_tournaments, before=now(), limit=10)
        stored.kept_bytes(c)
    of = "tournament" if of_tournaments else "ladder"
    assert f"ix_matches_{of}_replays" in plans[0]
    assert "ix_matches_ladder_replays" in plans[1]
    assert "ix_matches_tournament_replays" in plans[2]
    assert "sort" not in plans[0].lower().replace("sorted", "")
    assert "b-tree" not in plans[0].lower()
