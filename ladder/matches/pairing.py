"""Queues the next matches of a ladder: chooses the bots, and finds the queues that are short."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import timedelta

from engines.competition import Competition, fitting
from ladder.boards import ladders
from ladder.people.accounts import HOUSE
from ladder.people.names import check_name
from ladder.scoring.matchmaking import (
    LIST_LENGTH,
    MET_MATCHES,
    PLACEMENT_MATCHES,
    Contender,
    choose_focus,
    choose_opponents,
    division_order,
)
from ladder.scoring.skill import SETTLED_SIGMA
from ladder.seeds import new_seed
from ladder.store import Connection, Database, bots, queue, ratings
from ladder.store.database import Row, now
from ladder.values import (
    OPEN_DIVISION,
    Purpose,
)

MOST_FAILURES = 20
FAILURE_PAUSE = timedelta(minutes=10)
"""After so many failed matches in a row a game is paired again only now and then: the rules of a
plug-in may be broken, and each match of it would stay in the database until an admin drops it.
"""

MOST_UNPLAYED = 500
"""Most unplayed bots of a game that are considered."""


def queue_pairing(
    c: Connection,
    game: str,
    seats: Sequence[tuple[int, int]],
    purpose: Purpose,
    account_id: int | None = None,
) -> None:
    """Queue one match per rotation of the seats (version, bot), all with the same seed.

    A placement belongs to the account of the newcomer.
    """
    seed, at = new_seed(), now()
    for turn in range(len(seats)):
        match_id = queue.insert_match(
            c, queue.NewMatch(game, seed, purpose, account_id=account_id), at
        )
        queue.insert_seats(c, match_id, [*seats[turn:], *seats[:turn]])


def pair(db: Database, game: Competition, rng: random.Random) -> bool | None:
    """Queue the next pairing of a game. Return None if it has no bots to pair, else whether it was
    urgent.
    """
    with db.write() as c:
        name = game.name
        division, uncertain = _choose_ladder(c, game, rng)
        busy = queue.busy_versions(c, name)
        focus: Contender | None
        if unserved := _unserved(c, game, busy):
            division, focus = OPEN_DIVISION, rng.choice(unserved)
        else:
            focus = choose_focus(
                uncertain,
                _listed(ratings.longest_idle(c, name, division, LIST_LENGTH)),
                _listed(ratings.leaders(c, name, division, LIST_LENGTH)),
                busy,
                rng,
            )
        if focus is None:
            return None
        near = _opponents(c, game, division, focus)
        met = ratings.recently_met(c, focus.version_id, MET_MATCHES)
        opponents = choose_opponents(focus, near, met, game.ladder_seats - 1, rng)
        seats = fitting(game.seats, len(opponents) + 1)
        if seats is None:
            return None
        chosen = (focus, *opponents[: seats - 1])
        places = [(one.version_id, one.bot_id) for one in chosen]
        if focus.matches < PLACEMENT_MATCHES:
            owner = bots.bot(c, focus.bot_id)
            # Nobody waits for a house bot.
            account_id = owner.owner_id if owner and owner.owner != HOUSE else None
            queue_pairing(c, name, places, Purpose.PLACEMENT, account_id)
        else:
            queue_pairing(c, name, places, Purpose.LADDER)
        return focus.sigma > SETTLED_SIGMA


def _unserved(c: Connection, game: Competition, busy: Mapping[int, int]) -> list[Contender]:
    """Bots that have not played yet, of accounts that have no placement in the queue.

    Waiting placements of other accounts, which may be slow, do not hold them up.
    """
    new = ratings.unplayed(c, game.name, OPEN_DIVISION, MOST_UNPLAYED)
    if not new:
        return []
    waiting = queue.accounts_waiting(c, game.name)
    return [
        Contender(*row[:-1])
        for row in new
        if row.owner_id not in waiting and not busy.get(row.version_id)
    ]


def _opponents(
    c: Connection, game: Competition, division: str, focus: Contender
) -> list[Contender]:
    """The possible opponents of a bot.

    Its first matches are with house bots, if there are enough, so that its first rating does not
    depend on how long other people's bots take.
    """
    if not focus.matches:
        keys = [check_name(name, "a bot name")[1] for name in game.house_bots]
        house = _listed(ratings.contenders(c, division, bots.accepted_of(c, game.name, keys)))
        others = [one for one in house if one.bot_id != focus.bot_id]
        if len(others) >= game.ladder_seats - 1:
            return others
    return _listed(ratings.neighbours(c, game.name, division, focus.mu, LIST_LENGTH))


def _choose_ladder(
    c: Connection, game: Competition, rng: random.Random
) -> tuple[str, list[Contender]]:
    """The division that the next pairing is made in, and its most uncertain bots."""
    found: tuple[str, list[Contender]] | None = None
    for division in division_order(ladders.divisions(game.name), rng):
        uncertain = _listed(ratings.most_uncertain(c, game.name, division, LIST_LENGTH))
        if len(uncertain) < min(game.seats):
            continue
        if uncertain[0].sigma > SETTLED_SIGMA:
            return division, uncertain
        found = found or (division, uncertain)
    return found or (OPEN_DIVISION, [])


def _listed(rows: Sequence[Row]) -> list[Contender]:
    return [Contender(*row) for row in rows]


def short_queues(db: Database, games: Sequence[Competition], enough: int) -> dict[str, int]:
    """The games with fewer than `enough` ladder matches in the queue, and how many are missing.

    A queue may be full of matches that a large tournament holds up; newcomers are still paired,
    since their first matches go before those of tournaments. It may also be full of slow placements
    of one account; those of others are still paired, since accounts take turns.
    """
    if not games or enough < 1:
        return {}
    with db.read() as c:
        names = [game.name for game in games]
        failing = queue.failing_games(c, names, MOST_FAILURES, now() - FAILURE_PAUSE)
        games = [game for game in games if game.name not in failing]
        if not games:
            return {}
        names = [game.name for game in games]
        queued = queue.count_queued(c, names, (Purpose.PLACEMENT, Purpose.LADDER), enough)
        short = {game: enough - count for game, count in queued.items() if count < enough}
        full = [game for game in games if game.name not in short]
        if full:
            placements = queue.count_queued(
                c, [game.name for game in full], (Purpose.PLACEMENT,), enough
            )
            for game in full:
                lacking = enough - placements[game.name]
                if lacking > 0 and _newcomer_waits(c, game):
                    short[game.name] = lacking
                elif _unserved(c, game, queue.busy_versions(c, game.name)):
                    short[game.name] = 1
    return short


def _newcomer_waits(c: Connection, game: Competition) -> bool:
    listed = _listed(ratings.most_uncertain(c, game.name, OPEN_DIVISION, LIST_LENGTH))
    new = [one for one in listed if one.matches < PLACEMENT_MATCHES]
    if not new:
        return False
    busy = queue.busy_versions(c, game.name)
    return any(one.matches + busy.get(one.version_id, 0) < PLACEMENT_MATCHES for one in new)
