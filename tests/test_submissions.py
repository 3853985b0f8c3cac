from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from ladder_steps import BOT, accept, account, finish, lease, upload

from engines.games import UnknownGame
from ladder.boards import ladders
from ladder.errors import BadUpload, Conflict, NotFound, Refusal, TooLarge, TooMany
from ladder.matches import listing
from ladder.matches.replays import ReplayStore
from ladder.models import Blob, Bot, Match, Version
from ladder.reports import careers
from ladder.store import Database
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import Allowance, Purpose, VersionStatus


def test_an_upload_waits_for_its_validation_match(db: Database) -> None:
    ada = account(db)
    sent = upload(db, ada)
    assert (sent.name, sent.game, sent.version.number) == ("mybot", "reversi", 1)
    bot = submissions.bot(db, sent.id, None)
    assert bot.versions[0].status is VersionStatus.VALIDATING
    assert bot.rating is None
    match = listing.get(db, bot.versions[0].validation_match or 0)
    assert (match.purpose, match.rated) == (Purpose.VALIDATION, False)
    assert [seat.bot for seat in match.seats] == ["mybot", "random"]


def test_a_good_bot_is_accepted_and_on_the_board(db: Database, replays: ReplayStore) -> None:
    sent = upload(db, account(db))
    accept(db, replays, sent)
    bot = submissions.bot(db, sent.id, None)
    assert bot.current_version == 1
    assert bot.rating is not None
    assert bot.rating.matches == 0
    assert "mybot" in [row.bot for row in ladders.page(db, "reversi", "open", None, 100).rows]


def test_a_bad_bot_is_rejected_and_its_owner_told(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    sent = upload(db, ada)
    (job,) = lease(db)
    finish(db, replays, job, (0, 1), at_fault=[0], complaint="NameError on line 3.")
    version = submissions.bot(db, sent.id, ada).versions[0]
    assert (version.status, version.reason) == (VersionStatus.REJECTED, "NameError on line 3.")
    assert submissions.bot(db, sent.id, None).versions[0].reason is None
    assert submissions.bot(db, sent.id, account(db, "eve")).versions[0].reason is None
    assert "mybot" not in [row.bot for row in ladders.page(db, "reversi", "open", None, 100).rows]


def test_a_new_version_takes_the_place_of_the_old(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    accept(db, replays, upload(db, ada))
    second = upload(db, ada, "MyBot", BOT + b"# better\n")
    assert (second.name, second.version.number) == ("mybot", 2)
    assert submissions.bot(db, second.id, None).current_version == 1
    accept(db, replays, second)
    bot = submissions.bot(db, second.id, None)
    assert bot.current_version == 2
    assert [v.rating.rank is not None for v in bot.versions if v.rating] == [True, False]
    rows = ladders.page(db, "reversi", "open", None, 100).rows
    assert [row.version for row in rows if row.bot == "mybot"] == [2]


def test_a_version_that_was_overtaken_stays_off_the_board(
    db: Database, replays: ReplayStore
) -> None:
    ada = account(db)
    upload(db, ada)
    sent = upload(db, ada, code=BOT + b"#2\n")
    first, second = lease(db, 2)
    finish(db, replays, second, (1, 0))
    finish(db, replays, first, (1, 0))
    bot = submissions.bot(db, sent.id, None)
    assert bot.current_version == 2
    assert [v.status for v in bot.versions] == [VersionStatus.ACCEPTED] * 2
    assert bot.versions[1].rating is None


def test_the_same_file_is_stored_once(db: Database) -> None:
    ada = account(db)
    one, two = upload(db, ada, "one"), upload(db, ada, "two")
    assert one.version.sha256 == two.version.sha256
    with db.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(Blob)) == 1
    uses = submissions.versions(db, one.version.sha256, None).versions
    assert [use.bot for use in uses] == ["one", "two"]
    with pytest.raises(NotFound):
        submissions.versions(db, "0" * 64, None)


def _numbers(db: Database, bot: int) -> list[tuple[int, VersionStatus]]:
    return [(one.number, one.status) for one in submissions.bot(db, bot, None).versions]


def test_the_same_file_again_is_unchanged(db: Database, replays: ReplayStore) -> None:
    """Neither while it is validated nor later: a new version would lose the rating."""
    ada = account(db)
    first = upload(db, ada)
    waiting = upload(db, ada)
    assert (waiting.unchanged, waiting.version.number) == (True, 1)
    assert waiting.version.status is VersionStatus.VALIDATING
    accept(db, replays, first)
    second = upload(db, ada, code=BOT + b"# 2")
    assert (second.unchanged, second.version.number) == (False, 2)
    accept(db, replays, second)
    before = submissions.bot(db, first.id, None)
    again = upload(db, ada, "MYBOT", BOT + b"# 2")
    assert (again.id, again.name) == (first.id, "mybot")
    assert (again.unchanged, again.version.number) == (True, 2)
    assert again.version.status is VersionStatus.ACCEPTED
    assert submissions.bot(db, first.id, None) == before


def test_an_older_file_comes_back_as_a_new_version(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    first = upload(db, ada)
    accept(db, replays, first)
    upload(db, ada, code=BOT + b"# 2")  # waits for its validation, and would replace the first
    third = upload(db, ada)
    assert (third.unchanged, third.version.number) == (False, 3)


def test_a_rejected_file_is_tried_again(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    first = upload(db, ada)
    accept(db, replays, first)
    bad = upload(db, ada, code=BOT + b"# bad")
    (job,) = lease(db)
    finish(db, replays, job, (0, 1), at_fault=[0])
    assert _numbers(db, bad.id)[0] == (2, VersionStatus.REJECTED)
    assert upload(db, ada).unchanged, "the version before it still plays"
    again = upload(db, ada, code=BOT + b"# bad")
    assert (again.unchanged, again.version.number) == (False, 3)


def test_a_retired_bot_comes_back_with_its_file(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    first = upload(db, ada)
    accept(db, replays, first)
    careers.retire(db, first.id, ada)
    back = upload(db, ada)
    assert (back.unchanged, back.version.number) == (False, 2)


def test_two_owners_may_enter_the_same_file(db: Database) -> None:
    one, two = upload(db, account(db)), upload(db, account(db, "bob"))
    assert not two.unchanged
    assert one.id != two.id


def test_a_house_bots_name_is_refused(db: Database) -> None:
    with pytest.raises(Conflict, match="belongs to a house bot"):
        upload(db, account(db), "RANDOM")


@pytest.mark.parametrize(
    ("game", "name", "data", "refusal"),
    [
        ("chess-960", "bot", BOT, UnknownGame),
        ("reversi", "../bot", BOT, Refusal),
        ("reversi", "bot", b"", BadUpload),
        ("reversi", "bot", b"x" * (1 << 21), TooLarge),
        ("reversi", "bot", b"PK\x03\x04 broken", BadUpload),
    ],
)
def test_a_refused_upload_leaves_nothing_behind(
    db: Database, game: str, name: str, data: bytes, refusal: type[Exception]
) -> None:
    ada = account(db)
    with pytest.raises(refusal):
        submissions.submit(db, ada, Upload(game, name, data), Allowance(uploads_per_hour=10))
    with db.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(Blob)) == 0
        assert c.scalar(sa.select(sa.func.count()).select_from(Match)) == 0
        assert c.scalar(sa.select(sa.func.count()).where(Bot.owner_id == ada.id)) == 0


def test_uploads_are_limited_by_the_hour(db: Database) -> None:
    ada = account(db)
    for number in range(3):
        one = Upload("reversi", "mybot", BOT + b"# %d" % number)
        submissions.submit(db, ada, one, Allowance(uploads_per_hour=3))
    with pytest.raises(TooMany, match="3 times an hour"):
        submissions.submit(db, ada, Upload("reversi", "mybot", BOT), Allowance(uploads_per_hour=3))


def test_house_bots_are_entered_once(db: Database) -> None:
    with db.read() as c:
        before = c.execute(sa.select(Version.id)).all()
    submissions.seed_house_bots(db)
    with db.read() as c:
        assert c.execute(sa.select(Version.id)).all() == before


def test_the_owner_sees_all_own_bots(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    accept(db, replays, upload(db, ada, "one"))
    upload(db, ada, "one", BOT + b"#2\n")
    upload(db, ada, "two")
    listed = submissions.bots_of(db, ada.id)
    assert [(bot.name, bot.status) for bot in listed] == [
        ("one", VersionStatus.VALIDATING),
        ("two", VersionStatus.VALIDATING),
    ]


def test_simultaneous_uploads_cannot_exceed_the_quota(db: Database) -> None:
    owner = account(db)

    def send(number: int) -> bool:
        code = BOT + b"#" * number
        try:
            upload = Upload("reversi", f"bot{number}", code)
            submissions.submit(db, owner, upload, Allowance(uploads_per_hour=3))
        except TooMany:
            return False
        return True

    with ThreadPoolExecutor(8) as crowd:
        assert sum(crowd.map(send, range(16))) == 3
