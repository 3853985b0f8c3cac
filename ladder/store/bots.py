"""Statements about bots, their versions and the uploaded files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ladder.models import Account, Blob, Bot, EvolutionRun, Rating, Version
from ladder.store.database import Connection, Row
from ladder.values import HOUSE, OPEN_DIVISION, VERSION_TRANSITIONS, CodeSize, Kind, VersionStatus

# The column `name_key` is unique in a game, and earlier releases look bots up by it alone. So the
# first owner of a name has the plain key, and others have `key/owner_id`: names cannot hold `/`.
PLAIN_KEY: sa.ColumnElement[str] = sa.func.replace(
    Bot.name_key, "/" + sa.cast(Bot.owner_id, sa.Text), ""
)
"""The name of a bot as it is compared, without its owner."""


def bot_of(c: Connection, owner_id: int, game: str, key: str, *, lock: bool = True) -> Row | None:
    """Id and name of an owner's bot; with `lock` the row is locked until the transaction ends."""
    query = sa.select(Bot.id, Bot.name).where(
        Bot.game == game,
        Bot.name_key.in_([key, _own_key(key, owner_id)]),
        Bot.owner_id == owner_id,
    )
    return c.execute(query.with_for_update() if lock else query).one_or_none()


def names_of_game(c: Connection, game: str, limit: int) -> list[str]:
    query = sa.select(Bot.name).where(Bot.game == game).order_by(Bot.id.desc()).limit(limit)
    return list(c.scalars(query))


def _own_key(key: str, owner_id: int) -> str:
    return f"{key}/{owner_id}"


def bots_called(
    c: Connection, game: str, key: str, owner_key: str | None = None, limit: int = 2
) -> Sequence[Row]:
    """Id, name and owner of the bots of a game that have a name, of all owners or of one; a house
    bot comes first.
    """
    query = (
        sa.select(Bot.id, Bot.name, Account.name.label("owner"))
        .join(Account, Account.id == Bot.owner_id)
        .where(Bot.game == game, PLAIN_KEY.in_([key]))
        .where(sa.or_(Bot.name_key == key, Bot.name_key.startswith(f"{key}/", autoescape=True)))
    )
    if owner_key is not None:
        query = query.where(Account.name_key == owner_key)
    house_first = sa.case((Account.name == HOUSE, 0), else_=1)
    return c.execute(query.order_by(house_first, Bot.id).limit(limit)).all()


def insert_bot(c: Connection, game: str, name: str, key: str, owner_id: int, at: datetime) -> int:
    """The new bot's id. The account must be locked, so that nobody else adds to its bots."""
    values = {"game": game, "name": name, "owner_id": owner_id, "created_at": at}
    insert = sa.insert(Bot).returning(Bot.id)
    try:
        with c.begin_nested():
            return int(c.execute(insert.values(values | {"name_key": key})).scalar_one())
    except sa.exc.IntegrityError:  # the name is that of another owner's bot too
        own = values | {"name_key": _own_key(key, owner_id)}
        return int(c.execute(insert.values(own)).scalar_one())


def lock_bot(c: Connection, bot_id: int) -> None:
    """Lock a bot against uploads until the transaction ends."""
    c.execute(sa.select(Bot.id).where(Bot.id == bot_id).with_for_update())


def bot(c: Connection, bot_id: int) -> Row | None:
    query = (
        sa.select(
            Bot,
            Account.name.label("owner"),
            Account.banned_at.is_not(None).label("owner_banned"),
        )
        .join(Account, Account.id == Bot.owner_id)
        .where(Bot.id == bot_id)
    )
    return c.execute(query).one_or_none()


def bots_of(c: Connection, account_id: int) -> Sequence[Row]:
    """The account's bots, each with its newest version of any status."""
    newest = (
        sa.select(Version.bot_id, sa.func.max(Version.number).label("number"))
        .join(Bot, Bot.id == Version.bot_id)
        .where(Bot.owner_id == account_id)
        .group_by(Version.bot_id)
        .subquery()
    )
    query = (
        sa.select(Bot.id, Bot.name, Bot.game, Version.kind, Version.status)
        .join(newest, newest.c.bot_id == Bot.id)
        .join(Version, sa.and_(Version.bot_id == Bot.id, Version.number == newest.c.number))
        .order_by(Bot.game, PLAIN_KEY)
    )
    return c.execute(query).all()


def insert_blob(c: Connection, sha256: str, data: bytes) -> None:
    """Store a file unless it is stored already."""
    if c.scalar(sa.select(Blob.sha256).where(Blob.sha256 == sha256)) is None:
        try:
            with c.begin_nested():
                c.execute(sa.insert(Blob).values(sha256=sha256, data=data))
        except sa.exc.IntegrityError:
            pass  # another transaction stored it meanwhile; the content is the same


_BLOBS = sa.select(Blob.sha256, Blob.data).where(
    Blob.sha256.in_(sa.bindparam("digests", expanding=True))
)


def blobs(c: Connection, digests: Iterable[str]) -> dict[str, bytes]:
    return {row.sha256: row.data for row in c.execute(_BLOBS, {"digests": list(digests)})}


@dataclass(frozen=True, slots=True)
class NewVersion:
    bot_id: int
    sha256: str
    kind: Kind
    size_bytes: int
    validation_match_id: int | None = None
    lineage: Mapping[str, Any] | None = None


def insert_version(c: Connection, new: NewVersion, at: datetime) -> tuple[int, int]:
    """Id and number of the new version. The bot's row must be locked or new."""
    last = c.scalar(sa.select(sa.func.max(Version.number)).where(Version.bot_id == new.bot_id))
    number = (last or 0) + 1
    row = sa.insert(Version).values(
        bot_id=new.bot_id,
        number=number,
        sha256=new.sha256,
        kind=new.kind,
        size_bytes=new.size_bytes,
        status=VersionStatus.VALIDATING,
        reason="",
        open_only="",
        validation_match_id=new.validation_match_id,
        lineage=new.lineage,
        faults_in_row=0,
        created_at=at,
        decided_at=None,
    )
    return int(c.execute(row.returning(Version.id)).scalar_one()), number


def newest_version(c: Connection, bot_id: int, status: VersionStatus | None = None) -> Row | None:
    query = sa.select(Version).where(Version.bot_id == bot_id)
    if status is not None:
        query = query.where(Version.status == status)
    return c.execute(query.order_by(Version.number.desc()).limit(1)).one_or_none()


def standing_version(c: Connection, bot_id: int) -> Row | None:
    """The newest version that is not rejected: the one that plays, or will once it is validated."""
    query = sa.select(Version).where(
        Version.bot_id == bot_id, Version.status != VersionStatus.REJECTED
    )
    return c.execute(query.order_by(Version.number.desc()).limit(1)).one_or_none()


_RUN = (
    sa.select(sa.func.max(EvolutionRun.id))
    .where(EvolutionRun.version_id == Version.id)
    .scalar_subquery()
    .label("evolution_run")
)
"""The run of evolution whose champion a version is."""


def versions_of(c: Connection, bot_id: int, limit: int | None) -> Sequence[Row]:
    """Newest first."""
    query = sa.select(Version, _RUN).where(Version.bot_id == bot_id)
    return c.execute(query.order_by(Version.number.desc()).limit(limit)).all()


def version_numbered(c: Connection, bot_id: int, number: int) -> Row | None:
    query = sa.select(Version, _RUN).where(Version.bot_id == bot_id, Version.number == number)
    return c.execute(query).one_or_none()


def versions_with_digest(c: Connection, sha256: str, limit: int) -> Sequence[Row]:
    query = (
        sa.select(Version, Bot.name, Bot.game, Bot.owner_id, Account.name.label("owner"), _RUN)
        .join(Bot, Bot.id == Version.bot_id)
        .join(Account, Account.id == Bot.owner_id)
        .where(Version.sha256 == sha256)
        .order_by(Version.id)
        .limit(limit)
    )
    return c.execute(query).all()


def matches_of(c: Connection, bot_id: int) -> int:
    """The number of rated matches of all versions of a bot."""
    query = (
        sa.select(sa.func.sum(Rating.matches))
        .join(Version, Version.id == Rating.version_id)
        .where(Version.bot_id == bot_id, Rating.division == OPEN_DIVISION)
    )
    return int(c.scalar(query) or 0)


def version(c: Connection, version_id: int) -> Row:
    """A version with the name and game of its bot; locked until the transaction ends."""
    query = (
        sa.select(Version, Bot.name, Bot.game, Bot.owner_id)
        .join(Bot, Bot.id == Version.bot_id)
        .where(Version.id == version_id)
        .with_for_update(of=Version)
    )
    return c.execute(query).one()


def uploads_since(c: Connection, account_id: int, since: datetime) -> list[datetime]:
    """The times of an account's uploads, oldest first."""
    query = (
        sa.select(Version.created_at)
        .join(Bot, Bot.id == Version.bot_id)
        .where(Bot.owner_id == account_id, Version.created_at > since)
        .order_by(Version.created_at)
    )
    return list(c.scalars(query))


def count_bots(c: Connection, account_id: int) -> int:
    return int(c.scalar(sa.select(sa.func.count()).where(Bot.owner_id == account_id)) or 0)


def stored_bytes(c: Connection, account_id: int) -> int:
    """Total size of an account's uploads."""
    query = (
        sa.select(sa.func.sum(Version.size_bytes))
        .join(Bot, Bot.id == Version.bot_id)
        .where(Bot.owner_id == account_id)
    )
    return int(c.scalar(query) or 0)


def accepted_of(c: Connection, game: str, keys: Collection[str]) -> set[int]:
    """The accepted versions of the house bots with these names."""
    query = (
        sa.select(Version.id)
        .join(Bot, Bot.id == Version.bot_id)
        .where(
            Bot.game == game,
            Bot.name_key.in_(keys),
            Version.kind == Kind.HOUSE,
            Version.status == VersionStatus.ACCEPTED,
        )
    )
    return set(c.scalars(query))


def owner_is_banned(c: Connection, bot_id: int) -> bool:
    query = (
        sa.select(Account.banned_at).join(Bot, Bot.owner_id == Account.id).where(Bot.id == bot_id)
    )
    return c.scalar(query) is not None


def versions_owned(c: Connection, account_id: int, *statuses: VersionStatus) -> Sequence[Row]:
    """Id, bot and status of an account's versions, oldest first."""
    query = (
        sa.select(Version.id, Version.bot_id, Version.status)
        .join(Bot, Bot.id == Version.bot_id)
        .where(Bot.owner_id == account_id, Version.status.in_(statuses))
        .order_by(Version.id)
    )
    return c.execute(query).all()


def decide(
    c: Connection,
    version_id: int,
    status: VersionStatus,
    at: datetime,
    reason: str = "",
) -> bool:
    """Move a version to a status, if its present one allows that."""
    sources = [old for old, allowed in VERSION_TRANSITIONS.items() if status in allowed]
    statement = (
        sa.update(Version)
        .where(Version.id == version_id, Version.status.in_(sources))
        .values(status=status, decided_at=at, reason=reason)
    )
    return c.execute(statement).rowcount == 1


def set_size(c: Connection, version_id: int, size: CodeSize, divisions: Sequence[str]) -> None:
    """Store the measured size of a version, and its divisions."""
    c.execute(
        sa.update(Version)
        .where(Version.id == version_id)
        .values(
            measures=size.measures or None,
            open_only=size.open_only,
            divisions=list(divisions),
        )
    )


def set_faults_in_row(c: Connection, counts: Mapping[int, int]) -> None:
    c.execute(
        sa.update(Version)
        .where(Version.id == sa.bindparam("v"))
        .values(faults_in_row=sa.bindparam("count")),
        [{"v": version_id, "count": count} for version_id, count in counts.items()],
    )


def on_board(c: Connection, bot_id: int) -> list[int]:
    """The versions of a bot that are on a board: normally one at most."""
    query = (
        sa.select(Rating.version_id)
        .join(Version, Version.id == Rating.version_id)
        .where(Version.bot_id == bot_id, Rating.on_board.is_(True))
        .distinct()
    )
    return list(c.scalars(query.order_by(Rating.version_id)))


def take_off_board(c: Connection, version_id: int) -> None:
    c.execute(sa.update(Rating).where(Rating.version_id == version_id).values(on_board=False))


def put_on_board(c: Connection, version_ids: Sequence[int]) -> None:
    c.execute(sa.update(Rating).where(Rating.version_id.in_(version_ids)).values(on_board=True))
