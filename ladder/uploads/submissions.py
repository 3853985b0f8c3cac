"""Use cases of bots and their versions: uploading, deciding, showing."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import cycle, islice

import msgspec

from engines.competition import Competition
from engines.games import GAMES, find_game
from ladder import shapes, strict_json
from ladder.boards import ladders
from ladder.boards.ladders import divisions_for, rating_view
from ladder.cursors import read_number
from ladder.errors import BadUpload, Conflict, Forbidden, NotFound, Refusal, TooMany
from ladder.events import news
from ladder.people.accounts import HOUSE, allowance_of, lock_in_good_standing, read_allowance
from ladder.people.bot_names import is_reserved
from ladder.people.names import check_name
from ladder.runner.package import MAX_UPLOAD_BYTES
from ladder.runner.uploads import check_upload
from ladder.scoring.skill import Skill as Skill
from ladder.seeds import new_seed
from ladder.store import Connection, Database, accounts, bots, queue, ratings, standing
from ladder.store.database import Row, now
from ladder.values import (
    OPEN_DIVISION,
    Allowance,
    CodeSize,
    Kind,
    Purpose,
    Role,
    VersionStatus,
)
from ladder.views import (
    AccountView,
    BotRef,
    BotView,
    HistoryPage,
    Lineage,
    RatingPoint,
    RatingView,
    Submission,
    SubmittedVersion,
    VersionList,
    VersionUse,
    VersionView,
)

__all__ = ["MAX_UPLOAD_BYTES", "bot", "bots_of", "history", "program", "submit", "versions"]

RETIRED = "retired by its owner; upload a new version to come back"
"""The reason of a version that its owner retired."""
VERSIONS_SHOWN = 50
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
_SEEDING = 0x5EED
"""A lock: servers that start together enter the house bots one after the other."""
WAITING_SECONDS = 10
"""Seconds until the next try when the queue is full: a validation takes seconds at most."""


@dataclass(frozen=True)
class Upload:
    """A file that an author wants to enter as a bot."""

    game: str
    name: str
    data: bytes
    lineage: str = ""
    """JSON about the origin of an evolved bot, or empty."""

    @cached_property
    def _kind(self) -> Kind:
        return check_upload(find_game(self.game), self.data)

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def check(self) -> Kind:
        """The kind of a file that can be a bot; raises `BadUpload` and `UnknownGame`.

        The file is looked at once, however often this is asked.
        """
        return self._kind


def submit(
    db: Database,
    owner: AccountView,
    upload: Upload,
    allowance: Allowance = Allowance(),  # noqa: B008 - frozen
) -> Submission:
    """Store an upload as a new version and queue its validation match.

    `allowance` has the usual limits, unless an admin has set others.
    """
    size = len(upload.data)
    with db.read() as c:  # before the upload is checked, which takes a while
        _check_quota(c, owner.id, read_allowance(c, owner.id, allowance), size, now())
        known = bots.bot_of(
            c, owner.id, upload.game, check_name(upload.name, "a bot name")[1], lock=False
        )
        if known is not None and (same := _unchanged(c, known, upload)) is not None:
            return same[0]
    kind = upload.check()  # before anything is stored
    lineage = read_lineage(upload.lineage) if upload.lineage else None
    at = now()
    with db.write() as c:
        allowed = allowance_of(c, owner.id, allowance)
        _check_quota(c, owner.id, allowed, size, at)
        made, _ = enter(c, owner.id, upload, kind, lineage)
        if made.version.number == 1:
            _check_bots(c, owner.id, allowed)
        return made


def read_lineage(text: str) -> Lineage:
    """The lineage of a JSON text; raises `BadUpload`."""
    try:
        return shapes.read(strict_json.read(text), Lineage)
    except strict_json.BadJson as error:
        raise BadUpload(f"The lineage cannot be read: {error}.") from error
    except shapes.WrongShape as error:
        raise BadUpload(f"The lineage is wrong: {error}.") from error


def enter(
    c: Connection, owner_id: int, upload: Upload, kind: Kind, lineage: Lineage | None
) -> tuple[Submission, int]:
    """Store a checked upload as a new version and queue its validation match.

    The file of the version that plays or is being validated makes no new one, which would lose the
    rating. Return the answer for its author, and the id of the version.
    """
    lock_in_good_standing(c, owner_id)
    game, data = upload.game, upload.data
    shown, key = check_name(upload.name, "a bot name")
    digest = upload.digest
    at = now()
    found = own_bot(c, owner_id, game, shown, key)
    if found is not None and (same := _unchanged(c, found, upload)) is not None:
        return same
    bot_id = found.id if found else bots.insert_bot(c, game, shown, key, owner_id, at)
    match_id = queue.insert_match(
        c,
        queue.NewMatch(game, new_seed(), Purpose.VALIDATION, rated=False, account_id=owner_id),
        at,
    )
    bots.insert_blob(c, digest, data)
    version_id, number = bots.insert_version(
        c,
        bots.NewVersion(
            bot_id,
            digest,
            kind,
            len(data),
            validation_match_id=match_id,
            lineage=None if lineage is None else msgspec.to_builtins(lineage),
        ),
        at,
    )
    _seat_validation(c, game, match_id, (version_id, bot_id))
    news.version_moved(c, bots.version(c, version_id), VersionStatus.VALIDATING)
    submission = Submission(
        id=bot_id,
        name=found.name if found else shown,
        game=game,
        version=SubmittedVersion(number, digest, VersionStatus.VALIDATING),
    )
    return submission, version_id


def _unchanged(c: Connection, bot: Row, upload: Upload) -> tuple[Submission, int] | None:
    """The answer for the file of the version that plays or is being validated, and its id.

    A file that was rejected or replaced, or whose version was suspended or retired, is entered
    again: it may be accepted now, and its author wants it to play.
    """
    newest = bots.standing_version(c, bot.id)
    if newest is None or newest.sha256 != upload.digest or newest.status is VersionStatus.SUSPENDED:
        return None
    version = SubmittedVersion(newest.number, upload.digest, newest.status)
    return Submission(bot.id, bot.name, upload.game, version, unchanged=True), newest.id


def own_bot(c: Connection, owner_id: int, game: str, name: str, key: str) -> Row | None:
    """An owner's bot of that name, locked; raises `Conflict` for the name of a house bot."""
    found = bots.bot_of(c, owner_id, game, key)
    if found is None and is_reserved(game, key):
        raise Conflict(f"the bot name {name!r} belongs to a house bot; choose another")
    return found


def _check_quota(c: Connection, owner_id: int, allowed: Allowance, size: int, at: datetime) -> None:
    uploads = bots.uploads_since(c, owner_id, at - DAY)
    recent = [one for one in uploads if one > at - HOUR]
    _check_rate(recent, allowed.uploads_per_hour, HOUR, "an hour", at)
    _check_rate(uploads, allowed.uploads_per_day, DAY, "a day", at)
    if queue.count_uploads_waiting(c, owner_id) >= allowed.uploads_waiting:
        raise TooMany(
            f"{allowed.uploads_waiting} uploads of yours wait for their validation match, and no "
            "more may; upload this one again when one of them has begun",
            WAITING_SECONDS,
        )
    if bots.stored_bytes(c, owner_id) + size > allowed.stored_mb * 2**20:
        raise Forbidden(
            f"the uploads of an account may take {allowed.stored_mb} MB, and yours would take "
            "more with this one; ask the admin of this server"
        )


def _check_rate(
    uploads: Sequence[datetime], allowed: int, span: timedelta, shown: str, at: datetime
) -> None:
    if not allowed:
        raise Forbidden("this account may not upload; ask the admin of this server")
    if len(uploads) >= allowed:
        wait = math.ceil((uploads[-allowed] + span - at).total_seconds())
        raise TooMany(f"an account may upload {allowed} times {shown}; wait {wait} s", wait)


def _check_bots(c: Connection, owner_id: int, allowed: Allowance) -> None:
    if bots.count_bots(c, owner_id) > allowed.bots:
        raise Forbidden(
            f"an account may have {allowed.bots} bots; upload a new version of one of yours instead"
        )


def _seat_validation(c: Connection, game: str, match_id: int, newcomer: tuple[int, int]) -> None:
    """The newcomer against the weakest house bots, which finish a match quickly."""
    weakest = list(find_game(game).house_bots)
    house = sorted(
        ratings.validators(c, game, Kind.HOUSE),
        key=lambda row: weakest.index(row.name) if row.name in weakest else len(weakest),
    )
    # A game may need more seats than it has house bots; the match rates nobody.
    chosen = islice(cycle(house), min(find_game(game).seats) - 1)
    opponents = [(row.id, row.bot_id) for row in chosen]
    queue.insert_seats(c, match_id, [newcomer, *opponents])


def accept(c: Connection, version: Row, size: CodeSize | None = None) -> None:
    """Put a validated version on the boards of its divisions, in its predecessor's place."""
    divisions = divisions_for(version.game, size)
    if not bots.decide(c, version.id, VersionStatus.ACCEPTED, now()):
        return  # rejected meanwhile, because its owner was banned
    bots.set_size(c, version.id, size or CodeSize(), divisions)
    news.version_moved(c, version, VersionStatus.ACCEPTED)
    newest = bots.newest_version(c, version.bot_id, VersionStatus.ACCEPTED)
    if newest is not None and newest.number > version.number:
        return  # a later upload has replaced it
    for older in bots.on_board(c, version.bot_id):
        # First: it locks the ratings that a match which ends now would change.
        bots.take_off_board(c, older)
        queue.cancel_queued(c, older, (Purpose.PLACEMENT, Purpose.LADDER))
    for division in divisions:
        before = ratings.lock_predecessor(c, version.bot_id, division)
        skill = Skill(mu=before.mu) if before else Skill()
        followed = before.version_id if before else None
        ratings.insert_rating(c, version.id, division, version.game, followed, skill)
    if bots.owner_is_banned(c, version.bot_id):
        bots.take_off_board(c, version.id)


def reject(c: Connection, version: Row, reason: str) -> None:
    bots.decide(c, version.id, VersionStatus.REJECTED, now(), reason)
    news.version_moved(c, version, VersionStatus.REJECTED)


def suspend(c: Connection, version_id: int, reason: str) -> bool:
    """Take a version off the board and out of the queue; return whether it was there."""
    if not bots.decide(c, version_id, VersionStatus.SUSPENDED, now(), reason):
        return False
    bots.take_off_board(c, version_id)
    queue.cancel_queued(c, version_id, tuple(Purpose))
    news.version_moved(c, bots.version(c, version_id), VersionStatus.SUSPENDED)
    return True


def seed_house_bots(db: Database) -> None:
    """Enter the reference players of every game; a new revision is a new version."""
    with db.write(alone=_SEEDING) as c:
        house = accounts.account_named(c, HOUSE)
        owner = house.id if house else accounts.insert_account(c, HOUSE, HOUSE, Role.MEMBER, now())
        assert owner is not None
        for game in GAMES:
            for name in game.house_bots:
                _enter_house_bot(c, owner, game.name, name, house_digest(game, name))


def house_digest(game: Competition, name: str) -> str:
    """The digest of a house bot, which has no file: it changes with its revision."""
    stamp = f"house bot {game.name}/{name} revision {game.house_revision}"
    return hashlib.sha256(stamp.encode()).hexdigest()


def _enter_house_bot(c: Connection, owner: int, game: str, name: str, digest: str) -> None:
    shown, key = check_name(name, "a bot name")
    found = bots.bot_of(c, owner, game, key)
    bot_id = found.id if found else bots.insert_bot(c, game, shown, key, owner, now())
    newest = bots.newest_version(c, bot_id)
    if newest is None or newest.sha256 != digest:
        version_id, _ = bots.insert_version(
            c, bots.NewVersion(bot_id, digest, Kind.HOUSE, 0), now()
        )
        accept(c, bots.version(c, version_id))


def bot(db: Database, bot_id: int, reader: AccountView | None) -> BotView:
    with db.read() as c:
        row = bots.bot(c, bot_id)
        if row is None:
            raise NotFound(f"there is no bot {bot_id}")
        private = may_see_private(reader, row.owner_id)
        versions = bots.versions_of(c, bot_id, VERSIONS_SHOWN)
        held = standing.ratings_of(c, [version.id for version in versions])
        shown = {
            version_id: {
                name: rating_view(found[name], standing.rank(c, found[name]))
                for name in ladders.divisions_kept(row.game)
                if name in found
            }
            for version_id, found in held.items()
        }
    current = next((v for v in versions if v.status is VersionStatus.ACCEPTED), None)
    return BotView(
        id=row.id,
        name=row.name,
        game=row.game,
        owner=row.owner,
        owner_id=row.owner_id,
        kind=versions[0].kind,
        created_at=row.created_at,
        current_version=current.number if current else None,
        versions=[
            _version_view(v, private, shown.get(v.id, {}).get(OPEN_DIVISION)) for v in versions
        ],
        rating=shown.get(current.id, {}).get(OPEN_DIVISION) if current else None,
        divisions=shown.get(current.id, {}) if current else {},
        owner_banned=row.owner_banned,
    )


def may_see_private(reader: AccountView | None, owner_id: int) -> bool:
    return reader is not None and (reader.id == owner_id or reader.role is Role.ADMIN)


def rated_version_view(
    c: Connection, row: Row, bot: Row, reader: AccountView | None
) -> VersionView:
    """A version with its rating on the open board, as far as the reader may see it."""
    held = standing.ratings_of(c, [row.id]).get(row.id, {}).get(OPEN_DIVISION)
    rating = rating_view(held, standing.rank(c, held)) if held else None
    return _version_view(row, may_see_private(reader, bot.owner_id), rating)


def _version_view(row: Row, private: bool, rating: RatingView | None = None) -> VersionView:
    return VersionView(
        number=row.number,
        sha256=row.sha256,
        kind=row.kind,
        size_bytes=row.size_bytes,
        status=row.status,
        created_at=row.created_at,
        decided_at=row.decided_at,
        reason=row.reason if row.reason and (private or row.reason == RETIRED) else None,
        validation_match=row.validation_match_id,
        rating=rating,
        divisions=row.divisions or [],
        size=row.measures,
        open_only=row.open_only if private and row.open_only else None,
        lineage=None if row.lineage is None else msgspec.convert(row.lineage, Lineage),
        evolution_run=row.evolution_run,
        retired=row.reason == RETIRED,
    )


def versions(db: Database, sha256: str, reader: AccountView | None) -> VersionList:
    """Every version with this file: the same file may be entered more than once."""
    with db.read() as c:
        rows = bots.versions_with_digest(c, sha256, VERSIONS_SHOWN)
    if not rows:
        raise NotFound("there is no version with this SHA-256")
    return VersionList(
        [
            VersionUse(
                bot=row.name,
                bot_id=row.bot_id,
                game=row.game,
                version=_version_view(row, may_see_private(reader, row.owner_id)),
                owner=row.owner,
            )
            for row in rows
        ]
    )


def program(db: Database, sha256: str) -> bytes:
    """The text of a program: unlike code, programs are public."""
    with db.read() as c:
        rows = bots.versions_with_digest(c, sha256, 1)
        if not rows:
            raise NotFound("there is no version with this SHA-256")
        if rows[0].kind is not Kind.PROGRAM:
            raise NotFound(f"this version is not a program; its kind is {rows[0].kind}")
        return bots.blobs(c, [sha256])[sha256]


def source_of(db: Database, game: str, name: str, reader: AccountView) -> bytes:
    """The reader's newest upload under a name; empty where there is none."""
    try:
        key = check_name(name, "a bot name")[1]
    except Refusal:
        return b""
    with db.read() as c:
        found = bots.bot_of(c, reader.id, game, key, lock=False)
        if found is None:
            return b""
        newest = bots.newest_version(c, found.id)
        return bots.blobs(c, [newest.sha256]).get(newest.sha256, b"") if newest else b""


def bots_of(db: Database, account_id: int) -> list[BotRef]:
    with db.read() as c:
        return [BotRef(*row) for row in bots.bots_of(c, account_id)]


def history(
    db: Database, bot_id: int, after: str | None, limit: int, division: str = OPEN_DIVISION
) -> HistoryPage:
    """The rating changes of a bot, newest match first."""
    below = read_number(after)
    with db.read() as c:
        row = bots.bot(c, bot_id)
        if row is None:
            raise NotFound(f"there is no bot {bot_id}")
        ladders.check_kept_division(row.game, division)
        rows = standing.history(c, bot_id, division, below, limit)
    points = [
        RatingPoint(
            number=row.number,
            match_id=row.match_id,
            version=row.version,
            mu=row.mu,
            sigma=row.sigma,
            score=row.mu - 3 * row.sigma,
        )
        for row in rows
    ]
    return HistoryPage(points, str(points[-1].number) if len(points) == limit else None)
