"""Use cases of admins about failures on our side."""

from __future__ import annotations

from datetime import datetime

from ladder.contests.rounds import Play, count_results
from ladder.contests.tournaments import action_view
from ladder.errors import Conflict, NotFound
from ladder.store import Connection, Database, actions, faults, matches, pairings, tournaments
from ladder.store.database import Row
from ladder.values import MatchStatus, TournamentStatus
from ladder.views import ActionList, FailureView, ParkedMatch, QuarantineView, Troubles

PARKED_SHOWN = 200


def troubles(db: Database) -> Troubles:
    """Parked matches with their failures, and quarantined workers."""
    with db.read() as c:
        rows = faults.parked(c, PARKED_SHOWN)
        ids = [row.id for row in rows]
        failures, names = faults.failures(c, ids), faults.names(c, ids)
        shut_out = faults.quarantines(c)
    return Troubles(
        [
            ParkedMatch(
                id=row.id,
                game=row.game,
                purpose=row.purpose,
                tournament_id=row.tournament_id,
                seed=row.seed,
                attempts=row.attempts,
                created_at=row.created_at,
                bots=names[row.id],
                failures=[failure_view(one) for one in failures.get(row.id, [])],
            )
            for row in rows
        ],
        [QuarantineView(q.worker, q.since, q.match_id, q.reason) for q in shut_out],
    )


def failure_view(row: Row) -> FailureView:
    return FailureView(row.attempt, row.at, row.worker, row.fault, row.trouble)


def requeue(db: Database, match_id: int, actor: str) -> None:
    """Play a parked match, or a match of a tournament, again.

    A finished match stays on record and keeps its ratings; another one with the same seed counts
    for the tournament in its place.
    """
    with db.write() as c:
        play, match = _find(c, match_id)
        if match.status is MatchStatus.PARKED:
            faults.move_parked(c, match_id, MatchStatus.QUEUED)
        elif match.status in (MatchStatus.QUEUED, MatchStatus.LEASED):
            raise Conflict(f"match {match_id} is {match.status} already")
        elif play is None or match.board is None:
            raise Conflict(
                f"match {match_id} is {match.status}: only matches of tournaments are played again"
            )
        elif play.form.adaptive and match.round < play.made:
            raise Conflict(
                f"later rounds follow from match {match_id}; requeue round {match.round} of "
                f"tournament {play.id}, which plays them again too"
            )
        else:
            _refuse_without_entrants(c, play, match)
            play.play_leg_again(match)
        actions.insert_action(c, actor, "requeue", "match", match_id)
        if play is not None:
            detail = f"match {match_id}"
            actions.insert_action(c, actor, "requeue", "tournament", play.id, detail)


def drop(db: Database, match_id: int, actor: str) -> None:
    """Give up a parked match; its tournament goes on without it."""
    with db.write() as c:
        _, match = _find(c, match_id)
        if not faults.move_parked(c, match_id, MatchStatus.CANCELLED):
            raise Conflict(f"match {match_id} is {match.status}, not parked")
        count_results(c, [match_id])
        actions.insert_action(c, actor, "drop", "match", match_id)
        if match.tournament_id is not None:
            actions.insert_action(
                c, actor, "drop", "tournament", match.tournament_id, f"match {match_id}"
            )


def lift(db: Database, worker: str, actor: str) -> None:
    """End the quarantine of a worker."""
    with db.write() as c:
        if not faults.delete_quarantine(c, worker):
            raise NotFound(f"no worker {worker[:80]!r} is in quarantine")
        actions.insert_action(c, actor, "lift", "worker", 0, worker)


def latest_actions(db: Database) -> ActionList:
    """The actions of admins, newest first."""
    with db.read() as c:
        return ActionList([action_view(row) for row in actions.actions(c)])


def last_backup(db: Database) -> datetime | None:
    """The time of the last backup."""
    with db.read() as c:
        found = actions.actions(c, "backup", 0, 1)
    return found[0].at if found else None


def _find(c: Connection, match_id: int) -> tuple[Play | None, Row]:
    """A match, and the tournament it belongs to, locked before it."""
    match = matches.match(c, match_id)
    if match is None:
        raise NotFound(f"there is no match {match_id}")
    if match.tournament_id is None:
        return None, match
    row = tournaments.lock(c, match.tournament_id)
    assert row is not None
    again = matches.match(c, match_id)  # it may have changed while we waited for the lock
    assert again is not None
    if row.status is TournamentStatus.CANCELLED:
        raise Conflict(f"tournament {row.id} is cancelled")
    return Play(c, row), again


def _refuse_without_entrants(c: Connection, play: Play, match: Row) -> None:
    (pairing,) = pairings.pairings(c, play.id, [(match.round, match.board)])
    if tournaments.gone(c, play.id).intersection(pairing.entrants):
        raise Conflict(f"a bot of match {match.id} has left the tournament")
