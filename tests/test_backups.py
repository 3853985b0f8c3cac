"""Backups: from each kind of database into the other, and damaged or foreign ones."""

from __future__ import annotations

import gzip
import io
import os
import random
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from ladder_steps import accept, account, finish, lease, upload

from engines.games import find_game
from ladder.admin import backups
from ladder.boards import ladders
from ladder.cli import main
from ladder.contests import leagues
from ladder.errors import Conflict, NotFound, Refusal
from ladder.matches import listing, pairing
from ladder.matches.replays import ReplayStore
from ladder.models import Base, Rating
from ladder.people import accounts
from ladder.settings import Settings
from ladder.store import Database, migrate, replay_packs
from ladder.store.database import now
from ladder.values import Interest, TokenUse


@contextmanager
def another(postgres: str, tmp_path: Path, kind: str) -> Iterator[Database]:
    """An empty database."""
    name = f"test_{os.urandom(6).hex()}"
    if kind == "sqlite":
        db = Database(f"sqlite:///{tmp_path}/{name}.db")
        yield db
        db.close()
        return
    control = sa.create_engine(postgres.format(name="postgres"), isolation_level="AUTOCOMMIT")
    with control.connect() as c:
        c.exec_driver_sql(f"CREATE DATABASE {name}")
    db = Database(postgres.format(name=name))
    yield db
    db.close()
    with control.connect() as c:
        c.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    control.dispose()


def content(db: Database) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables but the log of admin actions, to which a backup itself adds a line."""
    with db.read() as c:
        return {
            table.name: sorted((tuple(row) for row in c.execute(sa.select(table))), key=repr)
            for table in Base.metadata.sorted_tables
            if table.name != "admin_actions"
        }


def live(db: Database, replays: ReplayStore) -> str:
    """Fill a ladder with results, logs, odd texts, a tournament and a queue; returns a token."""
    made = accounts.create(db, "Zoë")
    zoe = accounts.authenticate(db, made.token, TokenUse.API)
    assert zoe is not None
    accept(db, replays, upload(db, zoe))
    leagues.ensure_leagues(db, Settings())
    leagues.run_league(db, leagues.league_named(db, "reversi", "nightly").id)
    pairing.pair(db, find_game("reversi"), random.Random(1))
    for number, job in enumerate(lease(db, 9)):
        faulty = [0] if number == 8 else []
        assert finish(db, replays, job, (1, 0), faulty, "it said: \N{SNOWMAN} 'x' \"y\"\n\t\\")
    lease(db, 2)
    return made.token


def test_a_ladder_moves_to_the_other_kind_of_database(
    db: Database, postgres: str, tmp_path: Path
) -> None:
    replays, file = ReplayStore(tmp_path / "replays"), tmp_path / "ladder.backup"
    token = live(db, replays)
    made = backups.back_up(db, replays, file, "root")
    before = content(db)
    assert made.rows["matches"] == len(before["matches"])
    assert (made.replays, made.replays_missing) == (10, 0)
    assert file.stat().st_mode & 0o077 == 0, "it holds other people's code"
    account(db, "later")
    kind = "postgresql" if db.is_sqlite else "sqlite"
    with another(postgres, tmp_path, kind) as target:
        copied = ReplayStore(tmp_path / "elsewhere" / "replays")
        assert backups.restore(target, copied, file) == made
        assert content(target) == before
        assert copied.sizes() == replays.sizes()
        for _, match_id in before["results"]:
            assert listing.replay(target, copied, match_id) == b"replay"
        ladders.rerate(target, "reversi")
        with target.read() as c, db.read() as old:
            query = sa.select(Rating).order_by(Rating.version_id, Rating.division)
            assert c.execute(query).all() == old.execute(query).all()
        found = accounts.authenticate(target, token, TokenUse.API)
        assert found is not None
        assert accounts.create(target, "new").id == found.id + 1, "ids continue after the last one"
        assert upload(target, found, "second").id > max(row[0] for row in before["bots"])
        jobs = lease(target, 5)
        assert all(finish(target, copied, job, (1, 0)) for job in jobs if job.game == "reversi")
        with pytest.raises(Conflict, match="not empty"):
            backups.restore(target, copied, file)
        with pytest.raises(Conflict, match="holds a ladder"):
            backups.restore(target, ReplayStore(tmp_path / "third"), file)
        assert not (tmp_path / "third").exists()


def test_a_backup_is_one_state_although_the_ladder_goes_on(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays, file = ReplayStore(tmp_path / "replays"), tmp_path / "ladder.backup"
    live(db, replays)
    before = content(db)
    plain = backups.copies.rows

    def busy(c: object, table: sa.Table) -> Iterator[list[object]]:
        accounts.create(db, f"meanwhile-{table.name}")
        yield from plain(c, table)  # type: ignore[arg-type]

    monkeypatch.setattr(backups.copies, "rows", busy)
    made = backups.back_up(db, replays, file, "root", with_replays=False)
    assert made.replays == 0
    assert made.rows["accounts"] - len(before["accounts"]) in (0, 1)
    assert made.rows["tokens"] - len(before["tokens"]) == made.rows["accounts"] - len(
        before["accounts"]
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The backup of a small ladder on SQLite."""
    folder = tmp_path_factory.mktemp("whole")
    db = Database(f"sqlite:///{folder}/ladder.db")
    migrate.upgrade(db)
    replays = ReplayStore(folder / "replays")
    replays.path(1).parent.mkdir(parents=True)
    replays.path(1).write_bytes(b"x" * 5000)
    appended = replays.append({2: (Interest.LADDER, b"y" * 5000)})
    accounts.create(db, "ada")
    with db.write() as c:
        c.exec_driver_sql(
            "INSERT INTO matches (id, game, seed, purpose, priority, rated, status, attempts,"
            " explanation, trouble, created_at) VALUES (1, 'reversi', 1, 'ladder', 5, 1,"
            " 'finished', 1, '', '', '2026-01-01 00:00:00.000000')"
        )
        replay_packs.note(c, appended.packs, now())
    backups.back_up(db, replays, folder / "whole.backup", "root")
    with pytest.raises(Conflict, match="exists"):
        backups.back_up(db, replays, folder / "whole.backup", "root")
    db.close()
    assert [path.name for path in folder.glob(".whole*")] == []
    return folder / "whole.backup"


def repack(file: Path, change: dict[str, bytes | None]) -> bytes:
    """The archive with members changed or left out."""
    packed = io.BytesIO()
    with (
        tarfile.open(file) as old,
        gzip.open(packed, "wb") as stream,
        tarfile.open(fileobj=stream, mode="w|") as new,
    ):
        for member in old:
            data = old.extractfile(member)
            assert data is not None
            content = change.get(member.name, data.read())
            if content is not None:
                member.size = len(content)
                new.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def test_a_damaged_or_foreign_backup_is_refused_and_leaves_nothing(
    whole: Path, tmp_path: Path
) -> None:
    data = whole.read_bytes()
    with tarfile.open(whole) as archive:
        names = archive.getnames()
        read = archive.extractfile("header.json")
        assert read is not None
        header = read.read()
    revision = migrate.newest()
    assert revision is not None
    (pack,) = (name for name in names if name.startswith("packs/"))
    (part,) = (name for name in names if name.startswith("tables/accounts"))
    newer = header.replace(f'"{revision}"'.encode(), b'"f00f"')
    wrong: dict[str, tuple[bytes, str]] = {
        "empty": (b"", "damaged"),
        "text": (b"hello" * 1000, "damaged"),
        "cut": (data[: len(data) // 2], "damaged"),
        "cut-at-the-end": (data[:-20], "damaged"),
        "flipped": (data[:-600] + bytes([data[-600] ^ 1]) + data[-599:], "damaged"),
        "no-manifest": (repack(whole, {"manifest.json": None}), "cut off"),
        "no-pack": (repack(whole, {pack: None}), "its manifest"),
        "no-replay": (repack(whole, {"replays/1.json.gz": None}), "its manifest"),
        "no-rows": (repack(whole, {part: None}), "contradicts itself"),
        "other-row": (repack(whole, {part: b'[1, "ada"]\n'}), "cannot hold"),
        "not-json": (repack(whole, {part: b"[1,\n"}), "damaged"),
        "newer": (repack(whole, {"header.json": newer}), "newer release"),
        "foreign": (repack(whole, {"header.json": None}), "not a backup of a ladder"),
        "other": (repack(whole, {"header.json": header.replace(b"-1", b"-9", 1)}), "format"),
    }
    db, replays = Database(f"sqlite:///{tmp_path}/target.db"), ReplayStore(tmp_path / "replays")
    for name, (content, sentence) in wrong.items():
        file = tmp_path / name
        file.write_bytes(content)
        with pytest.raises(Refusal, match=sentence):
            backups.restore(db, replays, file)
        assert not replays.folder.exists(), name
        assert not list(tmp_path.glob(".restoring-*")), name
        with db.read() as c:
            assert not backups.copies.has_rows(c, backups.copies.tables(c)), name
    with pytest.raises(Refusal, match="cannot read"):
        backups.restore(db, replays, tmp_path / "nowhere")
    assert backups.restore(db, replays, whole).replays == 2, "a good backup is restored afterwards"
    db.close()


def test_a_backup_of_an_earlier_release_is_brought_to_the_newest_schema(tmp_path: Path) -> None:
    old = Database(f"sqlite:///{tmp_path}/old.db")
    with pytest.raises(NotFound, match="no ladder"):
        backups.back_up(old, ReplayStore(tmp_path / "none"), tmp_path / "old.backup", "root")
    migrate.upgrade(old, "0003")
    with old.write() as c:
        c.exec_driver_sql(
            "INSERT INTO accounts (name, name_key, role, created_at)"
            " VALUES ('ada', 'ada', 'member', '2026-01-01 00:00:00.000000')"
        )
    made = backups.back_up(old, ReplayStore(tmp_path / "none"), tmp_path / "old.backup", "root")
    assert made.revision == "0003"
    new = Database(f"sqlite:///{tmp_path}/new.db")
    migrate.upgrade(new)
    backups.restore(new, ReplayStore(tmp_path / "replays"), tmp_path / "old.backup")
    assert migrate.current(new) == migrate.newest()
    assert accounts.new_token(new, "ada")


def test_the_commands_of_backups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here, there = (["--data", str(tmp_path / name)] for name in ("here", "there"))
    assert main(["migrate", *here]) == 0
    assert main(["account", "create", "ada", *here]) == 0
    assert main(["backup", str(tmp_path / "b"), *here]) == 0
    assert "0 matches" in capsys.readouterr().out
    assert main(["restore", str(tmp_path / "b"), *there]) == 0
    assert f"into {tmp_path}/there" in capsys.readouterr().out
    assert main(["account", "show", "ada", *there]) == 0
    capsys.readouterr()
    assert main(["restore", str(tmp_path / "b"), *there]) == 1
    assert "holds a ladder already" in capsys.readouterr().err
