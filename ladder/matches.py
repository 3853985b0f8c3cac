"""Use cases of matches: pairing, leasing, showing. `ladder.results` finishes them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import groupby

from engines.competition import Competition, fitting
from engines.games import find_game
from ladder import boards, news, submissions
from ladder.accounts import HOUSE
from ladder.cursors import read_number
from ladder.errors import DamagedReplay, Forbidden, Gone, NotFound
from ladder.matchmaking import (
    LIST_LENGTH,
    MET_MATCHES,
    PLACEMENT_MATCHES,
    Contender,
    choose_focus,
    choose_opponents,
    division_order,
)
from ladder.names import check_name
from ladder.ratings import SETTLED_SIGMA
from ladder.replays import ReplayStore
from ladder.runner.replay import BadReplay, Replay, decode
from ladder.store import Connection, Database, bots, faults, matches, queue, ratings
from ladder.store.database import Row, now
from ladder.values import (
    OPEN_DIVISION,
    Entrant,
    Fault,
    Kind,
    Limits,
    MatchJob,
    MatchStatus,
    Purpose,
    Role,
    VersionStatus,
)
from ladder.views import AccountView, MatchLogs, MatchPage, MatchView, SeatLogView, SeatView

MOST_FAILURES = {Fault.REFEREE: 3, Fault.WORKER: 10}
"""A match that failed so often through our fault is parked for an admin.

Code that fails once fails again; but workers are killed, and machines restarted, through no fault
of the match that they happened to play.
"""


MOST_UNPLAYED = 500
"""Bots without a match that are looked at, of one game."""

SILENT = "the worker that played it went silent"


def queue_pairing(
    c: Connection,
    game: str,
    seats: Sequence[tuple[int, int]],
    purpose: Purpose,
    account_id: int | None = None,
) -> None:
    """Queue one match per rotation of the seats (version, bot), all with the same seed.

    A placement belongs to an account: that of the newcomer.
    """
    seed, at = submissions.new_seed(), now()
    for turn in range(len(seats)):
        match_id = queue.insert_match(c, game, seed, purpose, at, account_id=account_id)
        queue.insert_seats(c, match_id, [*seats[turn:], *seats[:turn]])


def pair(db: Database, game: Competition, rng: random.Random) -> bool | None:
    """Queue the next pairing of a game. None: nobody to pair; else whether it was urgent."""
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

    They are paired however many placements of other accounts wait: those may be slow.
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
    """Those that may play a bot.

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
    for division in division_order(boards.divisions(game.name), rng):
        uncertain = _listed(ratings.most_uncertain(c, game.name, division, LIST_LENGTH))
        if len(uncertain) < min(game.seats):
            continue
        if uncertain[0].sigma > SETTLED_SIGMA:
            return division, uncertain
        found = found or (division, uncertain)
    return found or (OPEN_DIVISION, [])


def _listed(rows: Sequence[Row]) -> list[Contender]:
    return [Contender(*row) for row in rows]


def lease(
    db: Database,
    owner: str,
    seconds: float,
    limit: int,
    kinds: Sequence[Kind],
    limits: Limits,
    games: Sequence[str] | None = None,
) -> list[MatchJob]:
    """Take up to `limit` matches off the queue to play them; the lease must be renewed.

    Only those whose bots are all of these kinds, and of these games if they are named.
    """
    with db.write() as c:
        if faults.in_quarantine(c, owner.partition(":")[0]):
            return []
        ids = queue.lease(c, owner, now() + timedelta(seconds=seconds), limit, kinds, games)
        return _begin(c, ids, limits)


@dataclass(frozen=True, slots=True)
class Room:
    """How many matches a dispatcher can take, and whose it plays already.

    Newcomers go to workers that are idle and, when there are none, to reserved slots. They are
    never leased ahead: they would wait behind others.
    """

    others: int
    """Matches that are nobody's newcomers, those that are leased ahead included."""
    idle: int
    """Workers that are free for newcomers, or for others."""
    share: int
    """How many of the workers may play newcomers of one account."""
    reserved: int
    """Slots that are free for newcomers alone, of which an account may have one."""
    held: Counter[int | None]
    """Newcomers that workers play, by account."""
    held_reserved: Counter[int | None]
    """Newcomers in reserved slots, by account."""


def lease_room(
    db: Database,
    owner: str,
    seconds: float,
    room: Room,
    kinds: Sequence[Kind],
    limits: Limits,
    games: Sequence[str],
) -> list[MatchJob]:
    """Take matches off the queue to fill a room, newcomers first; otherwise as `lease`."""
    until = now() + timedelta(seconds=seconds)
    with db.write() as c:
        if faults.in_quarantine(c, owner.partition(":")[0]):
            return []
        take = partial(queue.lease_newcomers, c, owner, until, kinds=kinds, games=games)
        new = take(room.idle, held=Counter(room.held), share=room.share, house=True)
        reserved = take(room.reserved, held=Counter(room.held_reserved), share=1, house=False)
        left = max(0, room.others - len(new))
        others = queue.lease(c, owner, until, left, kinds, games, Purpose.TOURNAMENT)
        jobs = _begin(c, [*new, *reserved, *others], limits)
        return [replace(job, reserved=job.match_id in reserved) for job in jobs]


def _begin(c: Connection, ids: Sequence[int], limits: Limits) -> list[MatchJob]:
    """The jobs of matches that have just been leased."""
    if not ids:
        return []
    jobs = _jobs(c, ids, limits)
    for version_id in matches.validated_by(c, ids):
        version = bots.version(c, version_id)
        news.version_moved(c, version, VersionStatus.VALIDATING, playing=True)
    return jobs


def job_again(db: Database, match_id: int, limits: Limits) -> MatchJob:
    """The job of a match that has been played, to play it again."""
    with db.read() as c:
        jobs = _jobs(c, [match_id], limits)
    if not jobs:
        raise NotFound(f"there is no match {match_id}")
    return jobs[0]


def _jobs(c: Connection, match_ids: Sequence[int], limits: Limits) -> list[MatchJob]:
    rows = queue.jobs(c, match_ids)
    code = bots.blobs(c, {row.sha256 for row in rows if row.kind is not Kind.HOUSE})
    jobs, at = [], now()
    for _, group in groupby(rows, key=lambda row: row.id):
        seats = list(group)
        entrants = tuple(
            Entrant(seat.name, seat.kind, seat.sha256, code.get(seat.sha256)) for seat in seats
        )
        first = seats[0]
        game = boards.installed(first.game)
        divided = game is not None and bool(game.divisions)
        waited = (at - first.created_at).total_seconds() if first.attempts == 1 else 0.0
        jobs.append(
            MatchJob(
                first.id,
                first.attempts,
                first.game,
                first.seed,
                entrants,
                limits,
                measured=(0,) if first.purpose is Purpose.VALIDATION and divided else (),
                purpose=first.purpose,
                waited_s=max(0.0, waited),
                account_id=first.account_id,
            )
        )
    return jobs


def renew(db: Database, owner: str, match_ids: Sequence[int], seconds: float) -> None:
    with db.write() as c:
        queue.renew(c, owner, match_ids, now() + timedelta(seconds=seconds))


def give_up(
    db: Database,
    owner: str,
    job: MatchJob,
    trouble: str,
    fault: Fault = Fault.WORKER,
    counts: bool = True,
) -> None:
    """Requeue a match that failed through no fault of a bot, or park it after several tries.

    Not all tries count: what fails for want of disk or memory would fail whatever the match is.
    """
    with db.write() as c:
        if counts:
            _give_up(c, owner, job.match_id, job.attempt, trouble, fault)
        else:
            queue.release(c, owner, job.match_id, job.attempt, trouble, park=False)


def _give_up(
    c: Connection, owner: str, match_id: int, attempt: int, trouble: str, fault: Fault
) -> None:
    park = faults.count(c, match_id, fault) + 1 >= MOST_FAILURES[fault]
    if queue.release(c, owner, match_id, attempt, trouble, park):
        faults.insert_failure(c, match_id, attempt, now(), owner, fault, trouble)


def hand_back(db: Database, owner: str) -> int:
    """Requeue the matches that a stopping worker could not finish; how many there were."""
    with db.write() as c:
        return queue.hand_back(c, owner)


def expire(db: Database) -> list[int]:
    """Requeue the matches of workers that went silent."""
    with db.write() as c:
        silent = queue.overdue(c, now())
        for row in silent:
            _give_up(c, row.lease_owner, row.id, row.attempts, SILENT, Fault.WORKER)
        return [row.id for row in silent]


def get(db: Database, match_id: int) -> MatchView:
    with db.read() as c:
        row = matches.match(c, match_id)
        if row is None:
            raise NotFound(f"there is no match {match_id}")
        return _view(row, matches.seats_of(c, [match_id]))


def page(
    db: Database, *, game: str | None, bot_id: int | None, after: str | None, limit: int
) -> MatchPage:
    """Finished matches, newest first."""
    if game is not None:
        find_game(game)
    with db.read() as c:
        rows = matches.page(c, game, bot_id, read_number(after), limit)
        seats = matches.seats_of(c, [row.id for row in rows])
    views = [_view(row, seats) for row in rows]
    return MatchPage(views, str(views[-1].id) if len(views) == limit else None)


def views(c: Connection, match_ids: Sequence[int]) -> list[MatchView]:
    """The matches with these numbers, newest first."""
    seats = matches.seats_of(c, match_ids)
    return [_view(row, seats) for row in matches.matches_of(c, match_ids)]


def _view(row: Row, seats: Mapping[int, Sequence[Row]]) -> MatchView:
    return MatchView(
        id=row.id,
        game=row.game,
        status=row.status,
        purpose=row.purpose,
        rated=row.rated,
        seed=row.seed,
        ending=row.ending,
        explanation=row.explanation,
        plies=row.plies,
        tournament_id=row.tournament_id,
        created_at=row.created_at,
        finished_at=row.finished_at,
        replay_removed=row.replay_removed,
        seats=[
            SeatView(
                seat=seat.seat,
                bot=seat.bot,
                bot_id=seat.bot_id,
                owner=seat.owner,
                version=seat.version,
                kind=seat.kind,
                score=seat.score,
                rank=seat.rank,
                at_fault=seat.at_fault,
                cpu_ms=seat.cpu_ms,
                slowest_move_ms=seat.slowest_move_ms,
                columns=seat.columns or {},
                mu_before=seat.mu_before,
                sigma_before=seat.sigma_before,
                mu_after=seat.mu_after,
                sigma_after=seat.sigma_after,
            )
            for seat in seats[row.id]
        ],
    )


def logs(db: Database, match_id: int, reader: AccountView) -> MatchLogs:
    """What the reader's own bots left in a match."""
    with db.read() as c:
        rows = matches.logs(c, match_id)
        match = matches.match(c, match_id)
    if match is None:
        raise NotFound(f"there is no match {match_id}")
    own = [row for row in rows if reader.role is Role.ADMIN or row.owner_id == reader.id]
    if not own:
        raise Forbidden("logs are for the owners of the bots in the match")
    if match.replay_removed:
        raise Gone(f"the logs of match {match_id} have been removed, as those of old matches are")
    return MatchLogs(
        match_id,
        [SeatLogView(row.seat, row.bot, row.complaint or "", row.stderr or "") for row in own],
    )


def queues(db: Database) -> dict[tuple[str, str], int]:
    """How many matches are queued by game and purpose, as far as there are any."""
    with db.read() as c:
        return {
            (row.game, row.purpose.value): row.number
            for row in queue.waiting(c)
            if row.status is MatchStatus.QUEUED
        }


def replay(db: Database, replays: ReplayStore, match_id: int) -> bytes:
    """The replay of a finished match, compressed; `Gone` when it has been removed."""
    try:
        return replays.read(match_id)
    except NotFound:
        with db.read() as c:
            match = matches.match(c, match_id)
        if match is None or match.status is not MatchStatus.FINISHED:
            raise
        raise Gone(
            f"the replay of match {match_id} has been removed, as those of old matches are; "
            "the result stands"
            if match.replay_removed
            else f"the replay of match {match_id} is lost; the result stands"
        ) from None


def checked_replay(db: Database, replays: ReplayStore, match_id: int) -> tuple[bytes, Replay]:
    """The replay as it is stored, and read; `DamagedReplay` unless it is this match's own."""
    packed = replay(db, replays, match_id)
    with db.read() as c:
        seats = queue.jobs(c, [match_id])
    try:
        document = decode(packed)
    except BadReplay as error:
        raise DamagedReplay(
            f"the replay file of match {match_id} is damaged; the result stands"
        ) from error
    recorded = {(seat.game, seat.seed) for seat in seats}
    digests = [seat.sha256 for seat in seats]
    if recorded != {(document.game, document.seed)} or digests != [
        entrant.sha256 for entrant in document.entrants
    ]:
        raise DamagedReplay(
            f"the replay file of match {match_id} holds another match; the result stands"
        )
    return packed, document


def counts(db: Database) -> dict[str, int]:
    """Open matches by status, and how many have been rated since the ladder began."""
    with db.read() as c:
        found = dict.fromkeys((status.value for status in _COUNTED), 0)
        for row in queue.waiting(c):
            found[row.status.value] += row.number
        found[MatchStatus.PARKED.value] = queue.count_parked(c)
        found["rated"] = ratings.last_number(c)
        return found


_COUNTED = (MatchStatus.QUEUED, MatchStatus.LEASED, MatchStatus.PARKED)


def short_queues(db: Database, games: Sequence[Competition], enough: int) -> dict[str, int]:
    """The games whose ladder has fewer than `enough` matches queued, and how many it lacks.

    A queue may be full of matches that a large tournament holds up; newcomers are paired all the
    same, since their first matches go before those of tournaments. It may also be full of slow
    placements of one account; those of others are paired all the same, since accounts take turns.
    """
    if not games or enough < 1:
        return {}
    names = [game.name for game in games]
    with db.read() as c:
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
