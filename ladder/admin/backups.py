"""Use cases of backups: one file with all data of a ladder, from SQLite or PostgreSQL to either.

The file is a compressed tar. First `header.json` names the format and the schema of the tables.
The rows of every table follow, as JSON lines in parts of a few megabytes, and then the replays.
`manifest.json` is last: it counts them and has a digest of everything before it. A file without it
is truncated.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import tarfile
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ladder.errors import Conflict, NotFound, Refusal
from ladder.matches.replays import ReplayStore
from ladder.store import Connection, Database, actions, copies, migrate
from ladder.store.database import now

FORMAT = "evoladder-backup-1"
_PART_BYTES = 4 << 20
_MOST_BYTES = 256 << 20
"""Most bytes of a member; parts are far smaller."""
_RESTORING = 0xBAC0
"""Two restores into one database at once wait for each other."""
_TABLE = re.compile(r"tables/([a-z_]+)/\d+\.jsonl")
_REPLAY = re.compile(r"replays/(\d{1,18})\.json\.gz")
_PACK = re.compile(r"packs/([0-9a-f]{16})\.pack")


_DAMAGE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, msgspec.MsgspecError)
"""The errors of reading a file that is not a complete backup."""


class Header(msgspec.Struct, frozen=True):
    format: str
    made_at: datetime
    revision: str
    """Of the schema of its tables."""
    columns: dict[str, list[str]]
    """Of every table, in the order in which they are loaded."""


class Manifest(msgspec.Struct, frozen=True):
    rows: dict[str, int]
    replays: int
    replays_missing: int
    sha256: str
    """Of all members before this one."""
    packs: int = 0
    packed: int = 0
    """The replays in packs; they count in `replays`, too."""


@dataclass(frozen=True, slots=True)
class Backup:
    """The contents of a backup."""

    made_at: datetime
    revision: str
    rows: dict[str, int]
    replays: int
    replays_missing: int
    """Replays of finished matches that were missing."""


def back_up(
    db: Database, replays: ReplayStore, file: Path, actor: str, with_replays: bool = True
) -> Backup:
    """Copy a ladder into a new file while it runs; the file appears only once it is complete."""
    revision = migrate.current(db)
    if revision is None:
        raise NotFound("there is no ladder in this database")
    if file.exists():
        raise Conflict(f"{file} exists; choose another name")
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            made = _write(raw, db, replays if with_replays else None, revision)
            raw.flush()
            os.fsync(raw.fileno())
        os.link(name, file)  # unlike a rename, it never replaces a file that appeared meanwhile
    except FileExistsError as error:
        raise Conflict(f"{file} exists; choose another name") from error
    finally:
        Path(name).unlink(missing_ok=True)
    if revision == migrate.newest():
        with db.write() as c:
            detail = f"{file.name}: {sum(made.rows.values())} rows, {made.replays} replays"
            actions.insert_action(c, actor, "backup", "backup", 0, detail)
    return made


def _write(raw: Any, db: Database, replays: ReplayStore | None, revision: str) -> Backup:
    with (
        gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=3, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
        db.snapshot() as c,
    ):
        digest, made_at = hashlib.sha256(), now()

        def add(name: str, data: bytes) -> None:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(data), int(made_at.timestamp()), 0o600
            archive.addfile(member, io.BytesIO(data))
            _forget(archive)
            digest.update(_stamp(name, data))

        found = copies.tables(c)
        columns = {str(t.name): [str(column.name) for column in t.columns] for t in found}
        add("header.json", msgspec.json.encode(Header(FORMAT, made_at, revision, columns)))
        counts = {str(table.name): _write_table(c, table, add) for table in found}
        kept = missing = 0
        for match_id in copies.finished(c) if replays is not None else ():
            assert replays is not None
            try:
                add(f"replays/{match_id}.json.gz", replays.read(match_id))
                kept += 1
            except NotFound:
                missing += 1
        packs = in_packs = 0
        for pack_id, size, count in copies.packs(c) if replays is not None else ():
            assert replays is not None
            path = replays.pack_path(pack_id)
            try:
                with path.open("rb") as pack:
                    add(f"packs/{path.name}", pack.read(size))
                packs, in_packs = packs + 1, in_packs + count
            except FileNotFoundError:
                missing += count
        digested = digest.hexdigest()
        manifest = Manifest(counts, kept + in_packs, missing, digested, packs, in_packs)
        add("manifest.json", msgspec.json.encode(manifest))
        return Backup(made_at, revision, counts, kept + in_packs, missing)


def _write_table(c: Connection, table: copies.Table, add: Any) -> int:
    count, part, lines = 0, 0, bytearray()
    for row in copies.rows(c, table):
        lines += msgspec.json.encode(row) + b"\n"
        count += 1
        if len(lines) >= _PART_BYTES:
            add(f"tables/{table.name}/{part:06d}.jsonl", bytes(lines))
            part, lines = part + 1, bytearray()
    if lines:
        add(f"tables/{table.name}/{part:06d}.jsonl", bytes(lines))
    return count


def restore(db: Database, replays: ReplayStore, file: Path) -> Backup:
    """Restore a backup into an empty database and an empty replay folder; a failure leaves them
    empty.

    A backup of an earlier release is brought to the newest schema.
    """
    if replays.folder.exists() and any(replays.folder.iterdir()):
        raise Conflict(f"{replays.folder} is not empty; restore into another data folder")
    _refuse_full(db)
    with _members(file) as members:
        header = _read_header(file, members)
        _make_schema(db, file, header.revision)
        replays.folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".restoring-", dir=replays.folder.parent))
        staging.chmod(0o755)
        written = [staging]
        try:
            with db.write(alone=_RESTORING) as c:
                made = _load(c, file, header, members, ReplayStore(staging))
                if replays.folder.exists():
                    replays.folder.rmdir()
                os.rename(staging, replays.folder)
                written.append(replays.folder)
        except BaseException:
            for folder in written:
                shutil.rmtree(folder, ignore_errors=True)
            raise
    migrate.upgrade(db)
    return made


def _refuse_full(db: Database) -> None:
    with db.read() as c:
        found = copies.tables(c)
        full = copies.has_rows(c, found)
    if found and migrate.current(db) is None:
        raise Conflict("this database holds tables of something else")
    if full:
        raise Conflict("this database holds a ladder already; restore into an empty one")


def _make_schema(db: Database, file: Path, revision: str) -> None:
    if revision not in migrate.known():
        raise Refusal(
            f"{file} has schema {revision}, which this release does not know: "
            "it was written by a newer release; use that one"
        )
    if migrate.current(db) not in (None, revision):
        migrate.downgrade(db, "base")
    migrate.upgrade(db, revision)


def _load(
    c: Connection, file: Path, header: Header, members: _Members, staging: ReplayStore
) -> Backup:
    found = {table.name: table for table in copies.tables(c)}
    if copies.has_rows(c, list(found.values())):
        raise Conflict("this database holds a ladder already; restore into an empty one")
    counts: Counter[str] = Counter()
    kept = packs = 0
    for name, data in members:
        if name == "manifest.json":
            break
        if (part := _TABLE.fullmatch(name)) and part[1] in found and part[1] in header.columns:
            cells = [msgspec.json.decode(line) for line in data.splitlines()]
            copies.load(c, found[part[1]], header.columns[part[1]], cells)
            counts[part[1]] += len(cells)
        elif replay := _REPLAY.fullmatch(name):
            target = staging.path(int(replay[1]))
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(data)
            kept += 1
        elif pack := _PACK.fullmatch(name):
            staging.packs.mkdir(exist_ok=True)
            staging.pack_path(int(pack[1], 16)).write_bytes(data)
            packs += 1
        else:
            raise Refusal(f"it holds {name[:80]!r}, which is unknown")
    manifest = _check(members, {name: counts[name] for name in header.columns}, kept, packs)
    copies.reset_counters(c, list(found.values()))
    return Backup(
        header.made_at, header.revision, manifest.rows, manifest.replays, manifest.replays_missing
    )


class _Members:
    """The members of an archive in order, and the digest of those read so far."""

    def __init__(self, archive: tarfile.TarFile, packed: gzip.GzipFile) -> None:
        self._archive = archive
        self._packed = packed
        self._digest = hashlib.sha256()
        self.latest = b""
        self.digest_before = ""

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        while (member := self._archive.next()) is not None:
            if not member.isreg() or member.size > _MOST_BYTES:
                raise Refusal(f"it holds {member.name[:80]!r}, which is not a file of a backup")
            data = self._archive.extractfile(member)
            assert data is not None
            self.latest = data.read()
            self.digest_before = self._digest.hexdigest()
            self._digest.update(_stamp(member.name, self.latest))
            _forget(self._archive)
            yield member.name, self.latest

    def read_out(self) -> None:
        """Read to the end, where the checksum of the whole file is."""
        while self._packed.read(1 << 20):
            pass


@contextmanager
def _members(file: Path) -> Iterator[_Members]:
    """The members of a backup; every error of the file becomes one clear refusal."""
    try:
        with gzip.open(file) as packed, tarfile.open(fileobj=packed, mode="r|") as archive:
            yield _Members(archive, packed)
    except _DAMAGE as error:
        raise Refusal(f"{file} is damaged or not a backup; nothing was restored") from error
    except Refusal as error:
        if type(error) is not Refusal or str(error).startswith(str(file)):
            raise
        raise Refusal(f"{file} is damaged: {error}; nothing was restored") from error
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise Refusal(f"cannot read {file}: {error.strerror}") from error


def _read_header(file: Path, members: _Members) -> Header:
    name, data = next(iter(members), ("", b""))
    if name != "header.json":
        raise Refusal(f"{file} is not a backup of a ladder")
    header = msgspec.json.decode(data, type=Header)
    if header.format != FORMAT:
        raise Refusal(f"{file} has the format {header.format[:40]!r}, not {FORMAT}")
    return header


def _check(members: _Members, rows: dict[str, int], replays: int, packs: int) -> Manifest:
    try:
        manifest = msgspec.json.decode(members.latest, type=Manifest)
    except msgspec.MsgspecError as error:
        raise Refusal("it was cut off") from error
    single = manifest.replays - manifest.packed
    told = (manifest.sha256, manifest.rows, single, manifest.packs)
    if told != (members.digest_before, rows, replays, packs):
        raise Refusal("its content contradicts its manifest")
    for name, _ in members:
        raise Refusal(f"{name[:80]!r} follows its end")
    members.read_out()
    return manifest


def _forget(archive: tarfile.TarFile) -> None:
    """Forget the members read so far: there may be a million."""
    archive.members = []  # type: ignore[attr-defined]


def _stamp(name: str, data: bytes) -> bytes:
    return f"{name}\0{len(data)}\0".encode() + hashlib.sha256(data).digest()
