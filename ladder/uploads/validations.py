"""The use case that shows the validation of a version, step by step.

Everybody sees the steps and their states; only the owner and admins see the fault, with the lines
of the source around it.
"""

from __future__ import annotations

from ladder.errors import NotFound
from ladder.store import Database, bots, matches
from ladder.store.database import Row
from ladder.uploads.excerpts import find_excerpt
from ladder.uploads.submissions import may_see_private, rated_version_view
from ladder.values import Ending, MatchStatus, VersionStatus
from ladder.views import AccountView, CheckState, ValidationView


def validation(
    db: Database, bot_id: int, number: int, reader: AccountView | None
) -> ValidationView:
    """The progress of a version; raises `NotFound`."""
    with db.read() as c:
        bot = bots.bot(c, bot_id)
        row = bots.version_numbered(c, bot_id, number)
        if bot is None or row is None:
            raise NotFound(f"there is no version {number} of bot {bot_id}")
        version = rated_version_view(c, row, bot, reader)
        match = matches.match(c, row.validation_match_id) if row.validation_match_id else None
        seats = matches.seats_of(c, [match.id])[match.id] if match else []
        before = 0
        if match is not None and match.status is MatchStatus.QUEUED:
            before = matches.count_before(c, match)
        excerpt, stderr = None, ""
        if may_see_private(reader, bot.owner_id) and version.reason:
            stored = bots.blobs(c, [row.sha256])
            excerpt = find_excerpt(version.reason, stored.get(row.sha256, b""))
            if match is not None and row.status is VersionStatus.REJECTED:
                stderr = matches.logs(c, match.id)[0].stderr or ""
    loads, plays = _checks(row.status, match)
    return ValidationView(
        bot=bot.name,
        bot_id=bot.id,
        game=bot.game,
        owner=bot.owner,
        owner_id=bot.owner_id,
        version=version,
        version_id=row.id,
        match_id=match.id if match else None,
        match_status=match.status if match else None,
        before=before,
        opponents=[seat.bot for seat in seats[1:]],
        loads=loads,
        plays=plays,
        excerpt=excerpt,
        stderr=stderr,
        owner_banned=bot.owner_banned,
    )


def _checks(status: VersionStatus, match: Row | None) -> tuple[CheckState, CheckState]:
    """Whether it could be loaded, and whether it played by the rules to the end."""
    if status is VersionStatus.REJECTED:
        loaded = match is not None and match.ending is not Ending.START_FAILED
        return (
            (CheckState.PASSED, CheckState.FAILED)
            if loaded
            else (CheckState.FAILED, CheckState.WAITING)
        )
    if status is not VersionStatus.VALIDATING:
        return CheckState.PASSED, CheckState.PASSED
    if match is not None and match.status is MatchStatus.LEASED:
        return CheckState.RUNNING, CheckState.RUNNING
    return CheckState.WAITING, CheckState.WAITING
