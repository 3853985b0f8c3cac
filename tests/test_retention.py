"""Replays and logs of old matches are removed, a batch at a time; results stay."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from ladder_steps import account, finish, lease, upload

from ladder.admin import retention
from ladder.contests import tournaments
from ladder.contests.tournaments import Selection
from ladder.errors import Gone, NotFound
from ladder.host.meters import Meters
from ladder.matches import listing
from ladder.matches.replays import ReplayStore
from ladder.models import Match, Rating, SeatLog
from ladder.server.replay_cleanup import ReplayCleaner
from ladder.store import Database
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


def kept(replays: ReplayStore) -> set[int]:
    return {int(path.name.partition(".")[0]) for path in replays.folder.rglob("*.gz")}


def test_old_replays_go_and_results_stay(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays = ReplayStore(tmp_path / "replays")
    ladder, cup = played(db, replays)
    assert kept(replays) == {*ladder, *cup}
    everything = sa.select(Rating).order_by(Rating.version_id, Rating.division)
    with db.read() as c:
        before = c.execute(everything).all()
    assert retention.remove_some(db, replays, Retention()).matches == 0

    monkeypatch.setattr(retention, "BATCH", 1)
    with replays.path(ladder[0]).open("rb") as reader:
        assert retention.remove_some(db, replays, Retention(days=2)).matches == 1
        assert reader.read() == b"replay", "a reader that has begun reads all of it"
    assert kept(replays) == {*ladder[1:], *cup}, "only the oldest one is removed"
    with monkeypatch.context() as failing:
        failing.setattr(ReplayStore, "remove", lambda *_: (_ for _ in ()).throw(OSError("away")))
        with pytest.raises(OSError, match="away"):
            retention.remove_some(db, replays, Retention(days=2))
    assert not listing.get(db, ladder[1]).replay_removed, "a failed batch changes nothing"
    assert retention.remove_some(db, replays, Retention(days=2)).matches == 1
    assert retention.remove_some(db, replays, Retention(days=2)).matches == 0
    assert kept(replays) == {*ladder[2:], *cup}, "replays of tournaments are kept forever"

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
    assert kept(replays) == {ladder[2], cup[-1]}
    counted = {name: samples for name, _, samples in meters.families()}
    assert counted["ladder_replays_removed_total"][0][2] == len(cup) - 1
    assert counted["ladder_replay_bytes_removed_total"][0][2] == 6 * (len(cup) - 1)
    with db.read() as c:
        assert c.execute(everything).all() == before
        assert c.scalar(sa.select(sa.func.count()).select_from(SeatLog)) == 3


def test_replays_beyond_a_size_go_too(db: Database, tmp_path: Path) -> None:
    replays = ReplayStore(tmp_path / "replays")
    ladder, cup = played(db, replays)
    with db.write() as c:
        c.execute(sa.update(Match).where(Match.replay_bytes > 0).values(replay_bytes=2**20))
    limit = Retention(megabytes=len(cup) + 1)
    removed = retention.remove_some(db, replays, limit, retention.spare_bytes(db, limit))
    assert (removed.matches, removed.bytes) == (3, 3 * 2**20)
    assert kept(replays) == {ladder[-1], *cup}
    assert retention.spare_bytes(db, limit) == 0
    cleaner = ReplayCleaner(db, replays, Retention(megabytes=1), Meters())
    assert asyncio.run(cleaner.tidy()) == 1
    assert kept(replays) == set(cup), "the size never removes replays of tournaments"


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
