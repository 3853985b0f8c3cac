"""Divisions of a game: their bots, their ratings, and the sums on their boards."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
import sqlalchemy as sa
from ladder_steps import BOT, OWNER, account, lease, report, upload

from engines.competition import BYTECODE_BYTES, STATEMENTS
from engines.games import GAMES, find_game
from ladder.boards import ladders
from ladder.contests import leagues, tournaments
from ladder.errors import NotFound
from ladder.matches import listing, pairing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.models import Match, Rating, RatingChange, Seat, Version
from ladder.scoring.skill import MU, SIGMA
from ladder.store import Database, migrate
from ladder.store.database import Row
from ladder.uploads import submissions
from ladder.values import CodeSize, MatchJob, MatchStatus, Purpose, VersionStatus
from ladder.views import AccountView, BotView

GAME = find_game("tanks")
ALL = ["open", "mini", "micro", "nano", "sonnet", "haiku"]
TINY = CodeSize({STATEMENTS: 4, BYTECODE_BYTES: 250})
SMALL = CodeSize({STATEMENTS: 15, BYTECODE_BYTES: 700})
LARGE = CodeSize({STATEMENTS: 900, BYTECODE_BYTES: 9000})


@pytest.fixture
def ada(db: Database) -> AccountView:
    return account(db)


def _finish(
    db: Database,
    replays: ReplayStore,
    job: MatchJob,
    scores: Sequence[float],
    columns: Sequence[Mapping[str, float]] = (),
    size: CodeSize | None = None,
    at_fault: Sequence[int] = (),
) -> None:
    told = report(job, scores, at_fault, "It crashed.")
    seats = [
        replace(seat, columns=dict(columns[n]) if columns else {}, size=None if n else size)
        for n, seat in enumerate(told.seats)
    ]
    ended = Finished(replace(told, seats=tuple(seats)), job.attempt)
    assert results.finish(db, replays, OWNER, [ended])


def _enter(
    db: Database,
    replays: ReplayStore,
    owner: AccountView,
    name: str,
    size: CodeSize | None,
    code: bytes = BOT,
) -> BotView:
    """A bot whose newest version has been measured and accepted."""
    sent = upload(db, owner, name, code, "tanks")
    (job,) = lease(db)
    assert job.entrants[0].sha256 == sent.version.sha256
    _finish(db, replays, job, (1, 0), size=size)
    return submissions.bot(db, sent.id, owner)


def _meet(db: Database, replays: ReplayStore, one: int, two: int, scores: Sequence[float]) -> None:
    """A rated match of the current versions of two bots."""
    with db.write() as c:
        seats = [(c.scalars(_current(bot)).one(), bot) for bot in (one, two)]
        pairing.queue_pairing(c, "tanks", seats, Purpose.LADDER)
    job, spare = lease(db, 2)
    _finish(db, replays, job, scores)
    with db.write() as c:
        cancelled = sa.update(Match).where(Match.id == spare.match_id)
        c.execute(cancelled.values(status=MatchStatus.CANCELLED))


def _current(bot_id: int) -> sa.Select[tuple[int]]:
    on_board = sa.select(Rating.version_id).where(Rating.on_board.is_(True))
    return sa.select(Version.id).where(Version.bot_id == bot_id, Version.id.in_(on_board))


def _rows(db: Database) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    with db.read() as c:
        held = c.execute(sa.select(Rating).order_by(Rating.version_id, Rating.division))
        changed = c.execute(
            sa.select(RatingChange).order_by(
                RatingChange.number, RatingChange.bot_id, RatingChange.division
            )
        )
        return [tuple(row) for row in held], [tuple(row) for row in changed]


def test_games_have_the_divisions_they_name() -> None:
    shown = {game.name: game for game in ladders.games().games}
    assert shown["reversi"].divisions == ["open"]
    assert shown["tanks"].divisions == shown["tanks-melee"].divisions == ALL
    assert [(one.division, one.most) for one in shown["tanks"].size_limits] == [
        *(("mini", 1500), ("micro", 750), ("nano", 250), ("sonnet", 14), ("haiku", 4))
    ]
    with pytest.raises(NotFound, match="it has open, mini"):
        ladders.check_division("tanks", "huge")


@pytest.mark.parametrize(
    ("size", "divisions"),
    [
        (None, ["open"]),
        (CodeSize(), ["open"]),
        (TINY, ALL),
        (SMALL, ["open", "mini", "micro"]),
        (LARGE, ["open"]),
        (CodeSize({STATEMENTS: 1, BYTECODE_BYTES: 1501}), ["open", "sonnet", "haiku"]),
        (CodeSize({STATEMENTS: 1}), ["open", "sonnet", "haiku"]),
        (replace(TINY, open_only="bot.py line 1 uses exec."), ["open"]),
    ],
)
def test_a_bot_is_in_every_division_whose_limit_it_meets(
    size: CodeSize | None, divisions: list[str]
) -> None:
    assert ladders.divisions_for("tanks", size) == divisions
    assert ladders.divisions_for("reversi", size) == ["open"]


def test_an_upload_is_measured_and_shown(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    sent = upload(db, ada, "tiny", BOT, "tanks")
    (job,) = lease(db)
    assert job.measured == (0,)
    _finish(db, replays, job, (1, 0), size=TINY)
    bot = submissions.bot(db, sent.id, None)
    assert bot.versions[0].divisions == ALL
    assert bot.versions[0].size == {STATEMENTS: 4, BYTECODE_BYTES: 250}
    assert list(bot.divisions) == ALL
    assert bot.divisions["haiku"].rank == 1
    assert bot.rating == bot.divisions["open"]
    assert [row.bot for row in ladders.page(db, "tanks", "haiku", None, 9).rows] == ["tiny"]
    upload(db, ada)
    (job,) = lease(db)
    assert job.measured == (), "board games have no sizes"


def test_the_owner_learns_why_a_bot_is_in_open_alone(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    bot = _enter(db, replays, ada, "tricky", replace(TINY, open_only="bot.py line 3 uses exec."))
    assert bot.versions[0].open_only == "bot.py line 3 uses exec."
    assert (bot.versions[0].divisions, list(bot.divisions)) == (["open"], ["open"])
    assert submissions.bot(db, bot.id, None).versions[0].open_only is None


def test_a_match_counts_on_every_ladder_that_its_seats_share(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    tiny, small, large = (
        _enter(db, replays, ada, name, size).id
        for name, size in (("tiny", TINY), ("small", SMALL), ("large", LARGE))
    )
    _meet(db, replays, tiny, small, (1, 0))
    _meet(db, replays, tiny, large, (0, 1))
    held = submissions.bot(db, tiny, None).divisions
    assert {name: rating.matches for name, rating in held.items()} == {
        "open": 2,
        "mini": 1,
        "micro": 1,
        "nano": 0,
        "sonnet": 0,
        "haiku": 0,
    }
    assert held["micro"].mu > MU > submissions.bot(db, small, None).divisions["micro"].mu
    assert len(submissions.history(db, tiny, None, 10).rows) == 2
    assert len(submissions.history(db, tiny, None, 10, "micro").rows) == 1
    assert submissions.history(db, tiny, None, 10, "haiku").rows == []
    with pytest.raises(NotFound):
        submissions.history(db, tiny, None, 10, "huge")


def test_a_version_follows_its_predecessor_on_each_ladder(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    rival = _enter(db, replays, ada, "rival", TINY).id
    bot = _enter(db, replays, ada, "mybot", TINY).id
    _meet(db, replays, bot, rival, (1, 0))
    first = submissions.bot(db, bot, None).divisions
    _enter(db, replays, ada, "mybot", LARGE, BOT + b"#2\n")
    assert list(submissions.bot(db, bot, None).divisions) == ["open"]
    assert [row.bot for row in ladders.page(db, "tanks", "haiku", None, 9).rows] == ["rival"]
    _meet(db, replays, bot, rival, (0, 1))
    second = submissions.bot(db, bot, None).divisions
    third = _enter(db, replays, ada, "mybot", TINY, BOT + b"#3\n").divisions
    assert third["open"].mu == second["open"].mu
    assert third["haiku"].mu == first["haiku"].mu, "the one before was not in haiku"
    assert {rating.sigma for rating in third.values()} == {SIGMA}
    _meet(db, replays, bot, rival, (1, 0))
    before = _rows(db)
    ladders.rerate(db, "tanks")
    assert _rows(db) == before


def test_an_unrated_version_follows_late_matches_on_each_ladder(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    """v1 is rated in haiku, v2 in open alone, v3 nowhere; then a match of v1 ends."""
    rival = _enter(db, replays, ada, "rival", TINY).id
    large = _enter(db, replays, ada, "large", LARGE).id
    bot = _enter(db, replays, ada, "mybot", TINY).id
    _meet(db, replays, bot, rival, (1, 0))
    with db.write() as c:
        seats = [(c.scalars(_current(one)).one(), one) for one in (bot, rival)]
        pairing.queue_pairing(c, "tanks", seats, Purpose.LADDER)
    late, _ = lease(db, 2)
    _enter(db, replays, ada, "mybot", TINY, BOT + b"#2\n")
    _meet(db, replays, bot, large, (0, 1))
    _enter(db, replays, ada, "mybot", TINY, BOT + b"#3\n")
    _finish(db, replays, late, (1, 0))
    with db.read() as c:
        versions = sa.select(Version.id).where(Version.bot_id == bot)
        query = sa.select(Rating.mu).where(
            Rating.version_id.in_(versions), Rating.division == "haiku"
        )
        one, two, three = c.scalars(query.order_by(Rating.version_id))
    assert one == two == three != MU
    before = _rows(db)
    ladders.rerate(db, "tanks")
    assert _rows(db) == before


def test_small_bots_are_paired_with_each_other(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    small = {_enter(db, replays, ada, f"tiny {n}", TINY).id for n in range(3)}
    rng, met = random.Random(1), Counter[bool]()
    for _ in range(80):
        assert pairing.pair(db, GAME, rng) is not None
        for job in lease(db, 10):
            _finish(db, replays, job, rng.choice([(1, 0), (0, 1)]))
    with db.read() as c:
        seats: dict[int, set[int]] = {}
        query = sa.select(Seat.match_id, Seat.bot_id).join(Match).where(Match.rated.is_(True))
        for match_id, bot_id in c.execute(query):
            seats.setdefault(match_id, set()).add(bot_id)
    met.update(bots <= small for bots in seats.values())
    assert met[True] > 15
    assert met[False] > 80
    haiku = ladders.page(db, "tanks", "haiku", None, 9).rows
    assert min(row.matches for row in haiku) >= 10
    everybody = ladders.page(db, "tanks", "open", None, 99).rows
    assert min(row.matches for row in everybody) >= 4


def test_scores_and_columns_add_up_on_the_board(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    _enter(db, replays, ada, "tiny", TINY)
    _enter(db, replays, ada, "small", SMALL)
    rng, expected = random.Random(2), Counter[str]()
    for _ in range(30):
        pairing.pair(db, GAME, rng)
        for job in lease(db, 10):
            share = rng.random()
            columns = [{"total": rng.random() * 900, "firsts": float(n)} for n in (3, 7)]
            fault = [1] if rng.random() < 0.1 else []
            _finish(db, replays, job, (share, 1 - share), columns, at_fault=fault)
            names = [entrant.name for entrant in job.entrants]
            if "small" in names:
                seat = names.index("small")
                expected["total"] += columns[seat]["total"]  # type: ignore[assignment]
                expected["share"] += 0 if seat in fault else (share, 1 - share)[seat]  # type: ignore[assignment]
                expected["matches"] += 1
    rows = ladders.page(db, "tanks", "open", None, 99).rows
    assert ladders.column_names(rows) == ["total", "firsts"]
    (row,) = (row for row in rows if row.bot == "small")
    assert row.matches == expected["matches"] > 0
    assert row.columns["total"] == pytest.approx(expected["total"] / row.matches)
    assert row.average_score == pytest.approx(expected["share"] / row.matches)
    head, first, *_ = ladders.ratings_csv(db, "tanks", "open")
    assert head.strip().endswith("average_score,total,firsts,aps,aps_opponents,mean_place")
    assert row.aps_opponents > 0
    assert row.aps is not None
    assert first.count(",") == head.count(",")
    before = _rows(db)
    with db.write() as c:
        c.execute(
            sa.update(Rating).values(share_sum=7, columns={"total": 1}, mu=3, field={"1": [1, 1]})
        )
        c.execute(sa.delete(RatingChange))
    for game in GAMES:
        ladders.rerate(db, game.name)
    assert _rows(db) == before, "a rerate gives the same to the last bit"
    match = listing.page(db, game="tanks", bot_id=None, after=None, limit=1).rows[0]
    assert [seat.columns["firsts"] for seat in match.seats] == [3, 7]


def test_places_of_melees_are_on_the_board_and_survive_a_migration(
    db: Database, replays: ReplayStore
) -> None:
    melee, rng = find_game("tanks-melee"), random.Random(4)
    for game in (melee, GAME):
        pairing.pair(db, game, rng)
        for job in lease(db, 99):
            shares = [rng.random() for _ in job.entrants]
            _finish(db, replays, job, shares, at_fault=[0] if rng.random() < 0.3 else [])
    rows = ladders.page(db, "tanks-melee", "open", None, 99).rows
    played = [row for row in rows if row.matches]
    assert len(played) == 10
    for row in played:
        assert sum(row.places) == row.matches == 10
        assert row.mean_place == pytest.approx(
            sum(place * count for place, count in enumerate(row.places, 1)) / 10
        )
        assert row.aps_opponents == 9
        assert row.wins + row.draws + row.losses == 10, "earlier fields stay"
    view = ladders.rating_view(_any_rating(db, played[0].bot_id), 1)
    assert (view.places, view.mean_place) == (played[0].places, played[0].mean_place)
    assert ladders.game("tanks-melee").headline == ladders.game("tanks").headline == "aps"
    assert ladders.game("reversi").headline == "wins"
    before = _rows(db)
    migrate.downgrade(db, "0008")
    migrate.upgrade(db)
    assert _rows(db) == before, "the migration folds the log as a rerate does"
    ladders.rerate(db, "tanks-melee")
    assert _rows(db) == before


def _any_rating(db: Database, bot_id: int) -> Row:
    with db.read() as c:
        query = sa.select(Rating).join(Version, Version.id == Rating.version_id)
        return c.execute(query.where(Version.bot_id == bot_id)).first()  # type: ignore[return-value]


def test_games_without_columns_have_none(db: Database) -> None:
    for row in ladders.page(db, "reversi", "open", None, 99).rows:
        assert (row.columns, row.average_score) == ({}, None)


def test_a_league_may_be_of_a_division(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    for n in range(3):
        _enter(db, replays, ada, f"tiny {n}", TINY)
    _enter(db, replays, ada, "large", LARGE)
    league = leagues.create_league(
        db, leagues.NewLeague("tanks", "haiku cup", "haiku", "0 4 * * *", "UTC", 50)
    )
    run = leagues.run_league(db, league.id)
    entered = {line.bot for line in tournaments.tournament(db, run.id).standings}
    assert entered == {"tiny 0", "tiny 1", "tiny 2"}
    with pytest.raises(NotFound):
        leagues.create_league(
            db, leagues.NewLeague("reversi", "cup", "haiku", "0 4 * * *", "UTC", 50)
        )


def test_a_suspended_bot_leaves_every_board(
    db: Database, replays: ReplayStore, ada: AccountView
) -> None:
    tiny = _enter(db, replays, ada, "tiny", TINY).id
    rival = _enter(db, replays, ada, "rival", TINY).id
    for _ in range(3):
        with db.write() as c:
            seats = [(c.scalars(_current(one)).one(), one) for one in (tiny, rival)]
            pairing.queue_pairing(c, "tanks", seats, Purpose.LADDER)
        job, *_ = lease(db, 2)
        _finish(db, replays, job, (0, 1), at_fault=[0])
    assert submissions.bot(db, tiny, ada).versions[0].status is VersionStatus.SUSPENDED
    for division in ALL:
        names = [row.bot for row in ladders.page(db, "tanks", division, None, 99).rows]
        assert "tiny" not in names
        assert "rival" in names
