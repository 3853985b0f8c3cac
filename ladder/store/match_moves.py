"""The one way in which a statement changes the status of matches."""

from __future__ import annotations

import sqlalchemy as sa

from ladder.models import Match
from ladder.values import MATCH_TRANSITIONS, MatchStatus


def move(*old: MatchStatus, to: MatchStatus) -> sa.Update:
    """An update of matches that have one of the old statuses.

    Raises `ValueError` for a step that `MATCH_TRANSITIONS` does not have.
    """
    for status in old:
        if to not in MATCH_TRANSITIONS[status]:
            raise ValueError(f"a match cannot go from {status} to {to}")
    known = Match.status == old[0] if len(old) == 1 else Match.status.in_(old)
    return sa.update(Match).where(known).values(status=to)
