"""Matches as people and programs read them: lists, seats, logs and replays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engines.games import find_game
from ladder.cursors import read_number
from ladder.errors import DamagedReplay, Forbidden, Gone, NotFound
from ladder.matches.replays import ReplayStore
from ladder.runner.replay import BadReplay, Replay, decode
from ladder.store import Connection, Database, matches, queue, ratings, replay_packs
from ladder.store.database import Row
from ladder.values import (
    MatchStatus,
    Role,
)
from ladder.views import AccountView, MatchLogs, MatchPage, MatchView, SeatLogView, SeatView


def get(db: Database, match_id: int) -> MatchView:
    with db.read() as c:
        row = matches.match(c, match_id)
        if row is None:
            raise NotFound(f"there is no match {match_id}")
        return _views(c, [row])[0]


def page(
    db: Database, *, game: str | None, bot_id: int | None, after: str | None, limit: int
) -> MatchPage:
    """Finished matches, newest first."""
    if game is not None:
        find_game(game)
    with db.read() as c:
        rows = matches.page(c, game, bot_id, read_number(after), limit)
        views = _views(c, rows)
    return MatchPage(views, str(views[-1].id) if len(views) == limit else None)


def views(c: Connection, match_ids: Sequence[int]) -> list[MatchView]:
    """The matches with these numbers, newest first."""
    return _views(c, matches.matches_of(c, match_ids))


def _views(c: Connection, rows: Sequence[Row]) -> list[MatchView]:
    seats = matches.seats_of(c, [row.id for row in rows])
    packs = replay_packs.present(c, rows)
    return [_view(row, seats, packs) for row in rows]


def _is_removed(match: Row, packs: Collection[int]) -> bool:
    """Whether the replay has been removed; `packs` are those that exist."""
    if match.pack_id is None:
        return bool(match.replay_removed)
    return match.pack_id not in packs


def _view(row: Row, seats: Mapping[int, Sequence[Row]], packs: Collection[int]) -> MatchView:
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
        replay_removed=_is_removed(row, packs),
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
    """The logs of the reader's own bots in a match."""
    with db.read() as c:
        rows = matches.logs(c, match_id)
        match = matches.match(c, match_id)
        packs = replay_packs.present(c, [match] if match else [])
    if match is None:
        raise NotFound(f"there is no match {match_id}")
    own = [row for row in rows if reader.role is Role.ADMIN or row.owner_id == reader.id]
    if not own:
        raise Forbidden("logs are for the owners of the bots in the match")
    if _is_removed(match, packs):
        raise Gone(f"the logs of match {match_id} have been removed, as those of old matches are")
    return MatchLogs(
        match_id,
        [SeatLogView(row.seat, row.bot, row.complaint or "", row.stderr or "") for row in own],
    )


def queues(db: Database) -> dict[tuple[str, str], int]:
    """The number of queued matches, by game and purpose."""
    with db.read() as c:
        return {
            (row.game, row.purpose.value): row.number
            for row in queue.waiting(c)
            if row.status is MatchStatus.QUEUED
        }


def replay(db: Database, replays: ReplayStore, match_id: int) -> bytes:
    """The replay of a finished match, compressed; `Gone` when it has been removed, `DamagedReplay`
    when its pack is torn.
    """
    with db.read() as c:
        match = matches.match(c, match_id) if match_id < 2**63 else None
        packs = replay_packs.present(c, [match] if match else [])
    if match is None or match.status is not MatchStatus.FINISHED:
        raise NotFound(f"match {match_id} has no replay")
    try:
        return replays.read(match_id, replay_packs.place_of(match))
    except NotFound:
        raise Gone(
            f"the replay of match {match_id} has been removed, as those of old matches are; "
            "the result stands"
            if _is_removed(match, packs)
            else f"the replay of match {match_id} is lost; the result stands"
        ) from None


def checked_replay(db: Database, replays: ReplayStore, match_id: int) -> tuple[bytes, Replay]:
    """The replay as stored bytes and as a document; raises `DamagedReplay` if it is damaged or of
    another match.
    """
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
