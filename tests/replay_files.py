"""Replays in files of their own, as earlier releases stored them, for tests that damage them."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from ladder.matches import listing
from ladder.matches.replays import ReplayStore
from ladder.models import Match
from ladder.store import Database


def own_file(db: Database, replays: ReplayStore, match_id: int) -> Path:
    """Move the replay of a match out of its pack; returns its file."""
    path = replays.path(match_id)
    if not path.exists():
        data = listing.replay(db, replays, match_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    alone = {"pack_id": None, "pack_offset": None, "replay_removed": False}
    with db.write() as c:
        c.execute(sa.update(Match).where(Match.id == match_id).values(alone))
    return path
