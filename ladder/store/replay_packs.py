"""Statements about packs of replays and the places in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from ladder.models import Match, ReplayPack, UTCDateTime
from ladder.store.database import Connection, Row
from ladder.values import Pack, Place

# Both databases know this form, and SQLAlchemy has a different one for each.
_NOTE = sa.text(
    "INSERT INTO replay_packs (id, interest, bytes, replays, newest_at)"
    " VALUES (:id, :interest, :bytes, :replays, :newest_at)"
    " ON CONFLICT (id) DO UPDATE SET replays = replay_packs.replays + excluded.replays,"
    " newest_at = excluded.newest_at, bytes ="
    " CASE WHEN excluded.bytes > replay_packs.bytes THEN excluded.bytes ELSE replay_packs.bytes END"
).bindparams(sa.bindparam("newest_at", type_=UTCDateTime()))


def note(c: Connection, packs: Sequence[Pack], at: datetime) -> None:
    """Record packs to which documents were appended.

    It is the last statement of its transaction: no two of them wait for each other.
    """
    for pack in sorted(packs, key=lambda one: one.id):
        values = {"id": pack.id, "interest": pack.interest.value, "bytes": pack.bytes}
        c.execute(_NOTE, {**values, "replays": pack.replays, "newest_at": at})


def place_of(match: Row) -> Place | None:
    """The place of a match's replay; None if it has a file of its own, or none."""
    if match.pack_id is None:
        return None
    return Place(match.pack_id, match.pack_offset, match.replay_bytes)


def set_place(c: Connection, match_id: int, place: Place) -> None:
    values = {
        "pack_id": place.pack_id,
        "pack_offset": place.offset,
        "replay_bytes": place.bytes,
        "replay_removed": True,
    }
    c.execute(sa.update(Match).where(Match.id == match_id).values(values))


def present(c: Connection, matches: Sequence[Row]) -> set[int]:
    """The packs of these matches that have not been removed."""
    ids = {match.pack_id for match in matches} - {None}
    if not ids:
        return set()
    return set(c.scalars(sa.select(ReplayPack.id).where(ReplayPack.id.in_(ids))))


def packs(c: Connection) -> Sequence[Row]:
    """All packs, the oldest first: a pack has megabytes, so they are few."""
    return c.execute(sa.select(ReplayPack).order_by(ReplayPack.newest_at, ReplayPack.id)).all()


def remove(c: Connection, pack_id: int) -> Row | None:
    """Forget a pack; None if it is unknown, or somebody else is removing it."""
    query = sa.select(ReplayPack).where(ReplayPack.id == pack_id)
    row = c.execute(query.with_for_update(skip_locked=True)).one_or_none()
    if row is not None:
        c.execute(sa.delete(ReplayPack).where(ReplayPack.id == pack_id))
    return row
