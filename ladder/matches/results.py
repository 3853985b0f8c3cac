"""The use case that turns reports of workers into results: verdicts, ratings and consequences.

Matches that end at about the same time are recorded in one transaction, which costs little more
than recording one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engines.games import find_game
from ladder.contests import rounds
from ladder.events import news
from ladder.matches.replays import ReplayStore
from ladder.runner.replay import REFEREE_VERSION
from ladder.scoring.skill import Placing, Skill, rate, unrated
from ladder.store import (
    Connection,
    Database,
    bots,
    encounters,
    matches,
    ratings,
    replay_packs,
    seat_logs,
)
from ladder.store.database import Row, now
from ladder.store.ratings import Change
from ladder.uploads import submissions
from ladder.values import OPEN_DIVISION, Interest, Kind, LogQuota, MatchReport, Purpose

FAULTS_TO_SUSPEND = 3


class Finished(NamedTuple):
    """A report, with the attempt at its match that it belongs to."""

    report: MatchReport
    attempt: int


def finish(
    db: Database,
    replays: ReplayStore,
    owner: str,
    finished: Sequence[Finished],
    logs: LogQuota = LogQuota(),  # noqa: B008 - frozen
) -> set[int]:
    """Record each match once; return the ids of those that `owner` still held. The others came too
    late.
    """
    with db.write() as c:
        held = matches.held(c, owner, [report.match_id for report, _ in finished])
        reports = [
            report
            for report, attempt in finished
            if report.match_id in held and held[report.match_id].attempts == attempt
        ]
        if reports:
            seated = matches.seated(c, [report.match_id for report in reports])
            # A late worker must not replace the replay of the match that counted.
            appended = replays.append(
                {
                    report.match_id: (
                        interest_of(
                            held[report.match_id],
                            (seat.kind for seat in seated[report.match_id]),
                        ),
                        report.replay,
                    )
                    for report in reports
                }
            )
            at = now()
            matches.close(c, reports, appended.places, referee=REFEREE_VERSION, worker=owner, at=at)
            _record(c, reports, held, seated, logs)
            replay_packs.note(c, appended.packs, at)
        return {report.match_id for report in reports}


_PLAYED_ANYWAY = (Purpose.PLACEMENT, Purpose.LADDER, Purpose.LEAGUE)
"""The purposes of matches that nobody asked for."""


def interest_of(match: Row, kinds: Iterable[Kind]) -> Interest:
    """The reason for which the replay of a match of such bots is kept."""
    if match.purpose in _PLAYED_ANYWAY and set(kinds) == {Kind.HOUSE}:
        return Interest.HOUSE
    return Interest.LADDER if match.tournament_id is None else Interest.TOURNAMENT


def _record(
    c: Connection,
    reports: Sequence[MatchReport],
    held: Mapping[int, Row],
    seated: Mapping[int, Sequence[Row]],
    logs: LogQuota,
) -> None:
    seat_logs.add(c, reports, seated, logs)
    rated = [report for report in reports if held[report.match_id].rated]
    rated_anew = _rate(c, rated, held, seated) if rated else {}
    for report in reports:
        if held[report.match_id].purpose is Purpose.VALIDATION:
            _decide(c, seated[report.match_id][0], report)
    suspended = _count_faults(
        c,
        [r for r in reports if held[r.match_id].purpose is not Purpose.VALIDATION],
        seated,
    )
    in_tournaments = [r.match_id for r in reports if held[r.match_id].tournament_id is not None]
    for report in reports:
        match_id = report.match_id
        skills = rated_anew.get(match_id, {})
        news.match_over(c, held[match_id], report, seated[match_id], skills)
    # Last: every transaction that locks both locks tournaments after ratings.
    rounds.count_results(c, in_tournaments, suspended)


def _rate(
    c: Connection,
    reports: Sequence[MatchReport],
    held: Mapping[int, Row],
    seated: Mapping[int, Sequence[Row]],
) -> dict[int, dict[int, tuple[Skill, Skill]]]:
    """Rate matches; return by match and version its open rating before and after."""
    involved = {seat.version_id for report in reports for seat in seated[report.match_id]}
    ladders, gone = ratings.lock_ladders(c, sorted(involved))
    numbers = ratings.append_results(c, [report.match_id for report in reports])
    changes: list[tuple[int, Change]] = []
    latest: dict[str, dict[int, int]] = {division: {} for division in ladders}
    opened: dict[int, dict[int, tuple[Skill, Skill]]] = {}
    for number, report in zip(numbers, reports, strict=True):
        draw_probability = find_game(held[report.match_id].game).draw_probability
        placings = _placings(report, seated[report.match_id])
        bot_of = {seat.version_id: seat.bot_id for seat in seated[report.match_id]}
        for division, ladder in ladders.items():
            if not ladder.counts(placings):
                continue
            moved = rate(ladder, placings, draw_probability)
            if division == OPEN_DIVISION:
                opened[report.match_id] = moved
            for version_id, (old, new) in moved.items():
                ladder.skills[version_id], latest[division][version_id] = new, number
                change = Change(bot_of[version_id], version_id, division, old, new)
                changes.append((number, change))
    ratings.insert_changes(c, changes)
    encounters.add(c, [(seated[r.match_id], r.verdict.ranks, r.plies) for r in reports])
    for division, ladder in ladders.items():
        numbered = latest[division]
        ratings.write_ratings(
            c, division, {v: (numbered[v], ladder.skills[v]) for v in sorted(numbered)}
        )
        for version_id in sorted(gone & numbered.keys()):
            ratings.set_unrated(c, version_id, division, unrated(ladder.skills[version_id]))
    return opened


def _placings(report: MatchReport, seats: Sequence[Row]) -> list[Placing]:
    verdict, ranks = report.verdict, report.verdict.ranks
    return [
        Placing(
            version_id=seat.version_id,
            rank=ranks[seat.seat],
            share=0.0 if seat.seat in verdict.at_fault else verdict.scores[seat.seat],
            columns=report.seats[seat.seat].columns or None,
            at_fault=seat.seat in verdict.at_fault,
            bot_id=seat.bot_id,
            house=seat.kind is Kind.HOUSE,
        )
        for seat in seats
    ]


def _decide(c: Connection, newcomer: Row, report: MatchReport) -> None:
    version = bots.version(c, newcomer.version_id)
    if 0 in report.verdict.at_fault:
        submissions.reject(c, version, report.seats[0].complaint)
    else:
        submissions.accept(c, version, report.seats[0].size)


def _count_faults(
    c: Connection, reports: Sequence[MatchReport], seated: Mapping[int, Sequence[Row]]
) -> list[int]:
    """Suspend versions that are at fault repeatedly; return them."""
    before: dict[int, int] = {}
    counts: dict[int, int] = {}
    suspended: list[int] = []
    for report in reports:
        for seat in seated[report.match_id]:
            before.setdefault(seat.version_id, seat.faults_in_row)
            count = counts.get(seat.version_id, seat.faults_in_row)
            count = count + 1 if seat.seat in report.verdict.at_fault else 0
            counts[seat.version_id] = count
            if count == FAULTS_TO_SUSPEND:
                reason = (
                    f"{count} faults in a row, the last one in match {report.match_id}: "
                    f"{report.seats[seat.seat].complaint} Upload a new version to play again."
                )
                if submissions.suspend(c, seat.version_id, reason):
                    suspended.append(seat.version_id)
    changed = {
        version_id: count for version_id, count in counts.items() if count != before[version_id]
    }
    if changed:
        bots.set_faults_in_row(c, changed)
    return suspended
