"""Queues the next matches of a ladder: chooses the bots, and finds the queues that are short."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from engines.competition import Competition, fitting
from ladder.boards import ladders
from ladder.people.names import check_name
from ladder.scoring.matchmaking import (
    LIST_LENGTH,
    PLACEMENT_MATCHES,
    SETTLED_MATCHES,
    Contender,
    Meetings,
    choose_focus,
    choose_opponents,
    division_order,
    pause_s,
)
from ladder.scoring.skill import SETTLED_SIGMA
from ladder.seeds import new_seed
from ladder.store import Connection, Database, bots, encounters, queue, ratings
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

MOST_TRIED = 3
"""Most bots of a ladder that are tried as the first one of a pairing: some have met all others too
often.
"""

OPEN_LOOKED_AT = 50
"""Number of a version's latest matches among which its open ones are counted."""


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


Spent: TypeAlias = set[tuple[str, int]]
"""Divisions and versions."""


@dataclass(frozen=True, slots=True)
class Paired:
    pause_s: float
    """Seconds to wait before settled bots are paired again; 0 if not every rating is settled."""


def pair(
    db: Database,
    game: Competition,
    rng: random.Random,
    *,
    settled: bool = True,
    spent: Spent | None = None,
) -> Paired | None:
    """Queue the next pairing of a game. Return None if it has no bots to pair.

    Without `settled`, no match is made for a bot whose rating is settled, unless others on its
    ladder are not. `spent` collects the versions that have met all others of a division often
    enough; no match is made for them, and so looking for one costs little where nothing changes.
    """
    spent = set() if spent is None else spent
    with db.write() as c:
        busy = queue.busy_versions(c, game.name)
        if unserved := _unserved(c, game, busy):
            focus = rng.choice(unserved)
            if _pair_with(c, game, OPEN_DIVISION, focus, rng):
                return Paired(0.0)
        unsettled = {
            division: _fresh(division, _unsettled(c, game, division), spent)
            for division in ladders.divisions(game.name)
        }
        for division in division_order({d: len(some) for d, some in unsettled.items()}, rng):
            on = _Ladder(game, division, unsettled[division], busy, spent)
            if _pair_in(c, on, rng):
                return Paired(0.0)
        if settled:
            bots_of = {
                division: len(
                    _fresh(
                        division,
                        _listed(ratings.longest_idle(c, game.name, division, LIST_LENGTH)),
                        spent,
                    )
                )
                for division in unsettled
            }
            for division in division_order(bots_of, rng):
                on = _Ladder(game, division, [], busy, spent)
                if made_for := _pair_in(c, on, rng):
                    return Paired(pause_s(made_for))
        return None


@dataclass(frozen=True, slots=True)
class _Ladder:
    """A ladder on which a pairing is to be made."""

    game: Competition
    division: str
    unsettled: Sequence[Contender]
    busy: Mapping[int, int]
    spent: Spent


def _pair_in(c: Connection, on: _Ladder, rng: random.Random) -> Contender | None:
    """Queue a pairing on one ladder; return the bot that it was made for."""
    game, division, spent = on.game, on.division, on.spent
    idle = _listed(ratings.longest_idle(c, game.name, division, LIST_LENGTH))
    if len(idle) < min(game.seats):
        return None
    leaders = _listed(ratings.leaders(c, game.name, division, LIST_LENGTH))
    for _ in range(MOST_TRIED):
        focus = choose_focus(
            _fresh(division, on.unsettled, spent),
            _fresh(division, idle, spent),
            _fresh(division, leaders, spent),
            on.busy,
            rng,
        )
        if focus is None:
            return None
        if _pair_with(c, game, division, focus, rng):
            return focus
        spent.add((division, focus.version_id))
    return None


def _fresh(division: str, listed: Sequence[Contender], spent: Spent) -> list[Contender]:
    return [one for one in listed if (division, one.version_id) not in spent]


def _pair_with(
    c: Connection, game: Competition, division: str, focus: Contender, rng: random.Random
) -> bool:
    """Queue a pairing for one bot; return whether there were opponents for it."""
    near = _opponents(c, game, division, focus)
    met = _meetings(c, focus, near)
    opponents = choose_opponents(focus, near, met, game.ladder_seats - 1, rng)
    seats = fitting(game.seats, len(opponents) + 1)
    if seats is None:
        return False
    chosen = (focus, *opponents[: seats - 1])
    places = [(one.version_id, one.bot_id) for one in chosen]
    if focus.matches < PLACEMENT_MATCHES:
        # Nobody waits for a house bot.
        account_id = None if focus.house else focus.owner_id
        queue_pairing(c, game.name, places, Purpose.PLACEMENT, account_id)
    else:
        queue_pairing(c, game.name, places, Purpose.LADDER)
    return True


def _meetings(c: Connection, focus: Contender, others: Sequence[Contender]) -> dict[int, Meetings]:
    """The meetings of a version with each of the others that it has met."""
    bot_of = {one.version_id: one.bot_id for one in others if one.bot_id != focus.bot_id}
    waiting = ratings.open_meetings(c, focus.version_id, OPEN_LOOKED_AT)
    met = {version_id: Meetings(waiting=count) for version_id, count in waiting.items()}
    for row in encounters.of_version(c, focus.bot_id, focus.version_id, bot_of):
        version_id, wins, draws, losses = row
        met[version_id] = Meetings(wins, draws, losses, waiting.get(version_id, 0))
    return met


def _unserved(c: Connection, game: Competition, busy: Mapping[int, int]) -> list[Contender]:
    """Bots that have not played yet, of accounts that have no placement in the queue.

    Waiting placements of other accounts, which may be slow, do not hold them up.
    """
    new = ratings.unplayed(c, game.name, OPEN_DIVISION, MOST_UNPLAYED)
    if not new:
        return []
    waiting = queue.accounts_waiting(c, game.name)
    return [
        one for one in _listed(new) if one.owner_id not in waiting and not busy.get(one.version_id)
    ]


def _opponents(
    c: Connection, game: Competition, division: str, focus: Contender
) -> list[Contender]:
    """The possible opponents of a bot: the house bots, and bots of about its skill.

    Its first matches are with house bots, if there are enough, so that its first rating does not
    depend on how long other people's bots take.
    """
    house: list[Contender] = []
    if not focus.settled:
        keys = [check_name(name, "a bot name")[1] for name in game.house_bots]
        house = _listed(ratings.contenders(c, division, bots.accepted_of(c, game.name, keys)))
        house = [one for one in house if one.bot_id != focus.bot_id]
        if not focus.matches and len(house) >= game.ladder_seats - 1:
            return house
    near = _listed(ratings.neighbours(c, game.name, division, focus.mu, LIST_LENGTH))
    known = {one.version_id for one in near}
    return [*near, *(one for one in house if one.version_id not in known)]


def _unsettled(c: Connection, game: Competition, division: str) -> list[Contender]:
    return _listed(
        ratings.unsettled(
            c,
            game.name,
            division,
            above=SETTLED_SIGMA,
            below=SETTLED_MATCHES,
            limit=LIST_LENGTH,
        )
    )


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
    listed = _unsettled(c, game, OPEN_DIVISION)
    new = [one for one in listed if one.matches < PLACEMENT_MATCHES]
    if not new:
        return False
    busy = queue.busy_versions(c, game.name)
    return any(one.matches + busy.get(one.version_id, 0) < PLACEMENT_MATCHES for one in new)
