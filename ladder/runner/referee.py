"""Plays one match: asks the seats in turn, keeps the rules, and says how it ended and why.

It is generic over games, and reproducible: openings, dice and the seeds of the seats all follow
from the seed of the job. A seat at fault forfeits a game of two; in larger games it ranks last and
the others play on. What goes wrong on our side raises `RunnerFailure` and rates nobody.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from engines.competition import Competition
from engines.games import UnknownGame, find_game
from engines.puzzle import Puzzle
from ladder.errors import LadderError, RefereeFailure, RunnerFailure
from ladder.runner import replay
from ladder.runner.course import Course, Table, play_course
from ladder.runner.fingerprint import rules_fingerprint
from ladder.runner.puzzles import PuzzleSeat, play_puzzle
from ladder.runner.replay import Replay, ReplayEntrant, ReplayVerdict
from ladder.runner.sandbox import Reserve, Sandbox
from ladder.runner.seats import PlayingSeat, take_seat
from ladder.values import Ending, MatchJob, MatchReport, Verdict

_PUBLIC_REASONS = {
    Ending.START_FAILED: "could not be loaded",
    Ending.ILLEGAL_MOVE: "made an illegal move",
    Ending.BAD_REPLY: "gave a reply that is not of the protocol",
    Ending.OUTPUT_FLOOD: "wrote too much, or without being asked",
    Ending.MOVE_TIMEOUT: "took too long for a move",
    Ending.MATCH_TIMEOUT: "ran out of time",
    Ending.CRASHED: "crashed",
    Ending.OUT_OF_MEMORY: "ran out of memory",
}
"""For everybody; the complaint with its details is for the author alone."""


def play(
    job: MatchJob, sandbox: Sandbox | Reserve | None, bots: Path, game: Competition | None = None
) -> MatchReport:
    """Play the match and report it; raises `RunnerFailure` when that is not possible.

    Uploaded code is laid out below `bots`. `game` is needed only for games that are not in the
    catalogue.
    """
    rules = game if game is not None else _find(job.game)
    if len(job.entrants) not in rules.seats:
        raise RunnerFailure(f"{rules.name} is not played by {len(job.entrants)}")
    try:
        with ExitStack() as open_seats:
            table = _seat_all(rules, job, sandbox, bots, open_seats)
            if isinstance(rules, Puzzle):
                course = play_puzzle(rules, table)
            else:
                course = play_course(rules, table)
        return _report(rules, table, course)
    except LadderError:
        raise
    except Exception as error:
        raise RefereeFailure(f"the match broke off: {type(error).__name__}: {error}") from error


def _seat_all(
    rules: Competition,
    job: MatchJob,
    sandbox: Sandbox | Reserve | None,
    bots: Path,
    open_seats: ExitStack,
) -> Table:
    """All seats, loaded, with the faults of those that could not be."""
    seats: list[PlayingSeat] = []
    for number in range(len(job.entrants)):
        # All are started before the first is awaited: their interpreters load side by side.
        seats.append(_seat(rules, job, number, sandbox, bots))
        open_seats.callback(seats[-1].close)
    table = Table(job, seats)
    for number, seat in enumerate(seats):
        if (fault := seat.load()) is not None:
            table.note(number, fault)
    return table


def _seat(
    rules: Competition, job: MatchJob, number: int, sandbox: Sandbox | Reserve | None, bots: Path
) -> PlayingSeat:
    if not isinstance(rules, Puzzle):
        return take_seat(rules, job, number, sandbox, bots)
    return PuzzleSeat(
        lambda limits: take_seat(rules, replace(job, limits=limits), number, sandbox, bots),
        job.limits,
    )


def _find(name: str) -> Competition:
    try:
        return find_game(name)
    except UnknownGame as error:
        raise RunnerFailure(str(error)) from error


def _report(rules: Competition, table: Table, course: Course) -> MatchReport:
    job = table.job
    verdict = _judge(table, course)
    explanation = _explain(table, course)
    document = Replay(
        game=job.game,
        seed=job.seed,
        options=job.options,
        entrants=tuple(ReplayEntrant(e.name, e.sha256, e.kind) for e in job.entrants),
        opening=course.opening,
        moves=tuple(course.moves),
        verdict=ReplayVerdict(verdict.scores, verdict.ending, verdict.at_fault),
        explanation=explanation,
        viewer=course.viewer,
        data=course.data,
        columns=tuple(course.columns),
        answers=tuple(course.answers),
    )
    seats = [seat.report(table.faults.get(n)) for n, seat in enumerate(table.seats)]
    if course.complaints:
        told = zip(seats, course.complaints, strict=True)
        seats = [replace(seat, complaint=complaint) for seat, complaint in told]
    if course.columns:
        pairs = zip(seats, course.columns, strict=True)
        seats = [replace(seat, columns=columns) for seat, columns in pairs]
    return MatchReport(
        match_id=job.match_id,
        verdict=verdict,
        explanation=explanation,
        seats=tuple(seats),
        plies=course.plies,
        replay=replay.encode(document),
        rules=rules_fingerprint(rules),
    )


def _judge(table: Table, course: Course) -> Verdict:
    if not table.faults:
        if course.outcome is None:
            raise RefereeFailure("the match ended without a result")
        return Verdict(course.outcome.scores, Ending.COMPLETED)
    seats = range(len(table.seats))
    if course.outcome is not None and course.places_faults:
        scores = course.outcome.scores
    elif course.outcome is None:
        scores = tuple(float(seat not in table.faults) for seat in seats)
    else:
        last = min(course.outcome.scores) - 1.0
        scores = tuple(last if s in table.faults else course.outcome.scores[s] for s in seats)
    first_fault = next(iter(table.faults.values()))
    return Verdict(scores, first_fault.ending, tuple(sorted(table.faults)))


def _explain(table: Table, course: Course) -> str:
    sentences = [
        f"{table.job.entrants[seat].name} {_PUBLIC_REASONS[fault.ending]}."
        for seat, fault in table.faults.items()
    ]
    if course.outcome is not None:
        sentences.append(course.outcome.reason)
    return " ".join(sentences)
