from __future__ import annotations

import pytest
from ladder_steps import accept, account, finish, lease, upload

from engines.games import UnknownGame
from ladder.errors import Forbidden, NotFound, Refusal, TooMany
from ladder.matches import challenges, listing
from ladder.matches.replays import ReplayStore
from ladder.people import accounts
from ladder.store import Database, bots, ratings
from ladder.values import Allowance, Purpose, Role
from ladder.views import AccountView


@pytest.fixture
def ada(db: Database) -> AccountView:
    return account(db)


@pytest.fixture
def mine(db: Database, replays: ReplayStore, ada: AccountView) -> int:
    submission = upload(db, ada)
    accept(db, replays, submission)
    return submission.id


def house(db: Database, name: str = "greedy", game: str = "reversi") -> int:
    with db.write() as c:
        (found,) = bots.bots_called(c, game, name)
        return int(found.id)


def test_a_challenge_is_played_and_rates_nobody(
    db: Database, replays: ReplayStore, ada: AccountView, mine: int
) -> None:
    made = challenges.challenge(
        db,
        ada,
        "reversi",
        [mine, house(db)],
        seed=11,
        games=4,
        allowance=Allowance(challenges_per_day=10),
    )
    jobs = lease(db, 10)
    assert [job.match_id for job in jobs] == made.matches
    assert [job.seed for job in jobs] == [11, 11, 12, 12]
    assert [job.entrants[0].name for job in jobs] == ["mybot", "greedy"] * 2
    for job in jobs:
        assert finish(db, replays, job, (1, 0))
    view = listing.get(db, made.id)
    assert (view.purpose, view.rated, view.seats[0].mu_after) == (Purpose.CHALLENGE, False, None)
    with db.read() as c:
        assert ratings.last_number(c) == 0


def test_challenges_have_a_quota(db: Database, ada: AccountView, mine: int) -> None:
    pair = [mine, house(db)]
    challenges.challenge(
        db, ada, "reversi", pair, games=3, allowance=Allowance(challenges_per_day=4)
    )
    challenges.challenge(db, ada, "reversi", pair, allowance=Allowance(challenges_per_day=4))
    with pytest.raises(TooMany) as refused:
        challenges.challenge(db, ada, "reversi", pair, allowance=Allowance(challenges_per_day=4))
    assert 86_000 < refused.value.retry_after <= 86_400
    with pytest.raises(Refusal):
        challenges.challenge(
            db, ada, "reversi", pair, games=5, allowance=Allowance(challenges_per_day=4)
        )
    assert len(lease(db, 50)) == 4


def test_only_own_bots_challenge(db: Database, ada: AccountView, mine: int) -> None:
    bob = account(db, "bob")
    pair = [mine, house(db)]
    with pytest.raises(Forbidden):
        challenges.challenge(db, bob, "reversi", pair, allowance=Allowance(challenges_per_day=9))
    root = accounts.create(db, "root", Role.ADMIN)
    admin = accounts.authenticate(db, root.token, accounts.TokenUse.API)
    assert admin is not None
    assert challenges.challenge(
        db, admin, "reversi", pair, allowance=Allowance(challenges_per_day=9)
    ).matches


def test_impossible_challenges_are_refused(db: Database, ada: AccountView, mine: int) -> None:
    waiting = upload(db, ada, "second").id
    for game, chosen, refusal in (
        ("reversi", [mine], Refusal),
        ("reversi", [mine, 10**6], NotFound),
        ("reversi", [mine, waiting], NotFound),
        ("reversi", [mine, house(db, "greedy", "connect-four")], NotFound),
        ("no-such-game", [mine, mine], UnknownGame),
    ):
        with pytest.raises(refusal):
            challenges.challenge(db, ada, game, chosen, allowance=Allowance(challenges_per_day=9))


def test_a_bot_may_play_itself(db: Database, ada: AccountView, mine: int) -> None:
    challenges.challenge(
        db, ada, "reversi", [mine, mine], allowance=Allowance(challenges_per_day=9)
    )
    (job,) = lease(db, 5)
    assert job.entrants[0] == job.entrants[1]
