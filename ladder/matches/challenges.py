"""Use cases of challenges: unrated matches that authors ask for, within a quota."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from engines.competition import listed
from engines.games import find_game
from ladder.errors import Forbidden, NotFound, Refusal, TooMany
from ladder.people.accounts import allowance_of
from ladder.seeds import SEED_BITS, new_seed
from ladder.store import Database, challenges, queue
from ladder.store.database import now
from ladder.values import Allowance, MatchStatus, Purpose, Role
from ladder.views import AccountView, ChallengeView

DAY = timedelta(days=1)


def challenge(
    db: Database,
    asker: AccountView,
    game: str,
    bot_ids: Sequence[int],
    *,
    seed: int | None = None,
    games: int = 1,
    allowance: Allowance = Allowance(),  # noqa: B008 - frozen
) -> ChallengeView:
    """Queue unrated matches between bots, of which the asker owns at least one.

    They sit in the order given; of several games the next ones turn the seats, each seed once from
    every side. Every bot plays with its newest accepted version. `allowance` has the usual limits,
    unless an admin has set others.
    """
    rules = find_game(game)
    if len(bot_ids) not in rules.seats:
        allowed = listed(rules.seats)
        raise Refusal(f"{game} is played by {allowed} bots, not {len(bot_ids)}")
    at = now()
    with db.write() as c:
        found = challenges.contenders(c, game, bot_ids)
        missing = [bot_id for bot_id in bot_ids if bot_id not in found]
        if missing:
            raise NotFound(f"{game} has no accepted bot {missing[0]}")
        owned = any(found[bot_id].owner_id == asker.id for bot_id in bot_ids)
        if not owned and asker.role is not Role.ADMIN:
            raise Forbidden("a challenge needs a bot of your own; the others you may choose")
        per_day = allowance_of(c, asker.id, allowance).challenges_per_day
        _check_quota(challenges.since(c, asker.id, at - DAY), games, per_day, at)
        first = seed if seed is not None else new_seed()
        ids = []
        for number in range(games):
            turn = number % len(bot_ids)
            seats = [(found[b].version_id, b) for b in (*bot_ids[turn:], *bot_ids[:turn])]
            match_id = queue.insert_match(
                c,
                queue.NewMatch(
                    game,
                    (first + number // len(bot_ids)) % 2**SEED_BITS,
                    Purpose.CHALLENGE,
                    rated=False,
                ),
                at,
            )
            queue.insert_seats(c, match_id, seats)
            challenges.insert_challenge(c, match_id, asker.id, at)
            ids.append(match_id)
    return ChallengeView(ids[0], MatchStatus.QUEUED, game, first, ids)


def _check_quota(asked: Sequence[datetime], games: int, allowed: int, at: datetime) -> None:
    over = len(asked) + games - allowed
    if games > allowed:
        raise Refusal(f"an account may ask for {allowed} matches a day")
    if over > 0:
        wait = math.ceil((asked[over - 1] + DAY - at).total_seconds())
        raise TooMany(f"an account may ask for {allowed} matches a day; wait {wait} s", wait)
