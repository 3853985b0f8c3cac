"""Plays one match: asks the seats in turn, applies the rules, and reports the ending.

It is generic over games, and reproducible: openings, dice and the seeds of the seats all follow
from the seed of the job. A seat at fault forfeits a game of two; in larger games it ranks last and
the others play on. Our own failures raise `RunnerFailure` and rate nobody.
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
from ladder.runner.fingerprint import rules_fingerprint
from ladder.runner.gameplay import MatchInPlay, MatchRecord, play_match
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
"""For everybody; the detailed complaint is for the author only."""


def play(
    job: MatchJob, sandbox: Sandbox | Reserve | None, bots: Path, game: Competition | None = None
) -> MatchReport:
    """Play the match and report it; raises `RunnerFailure` if it cannot be played.

    Uploaded code is laid out below `bots`. `game` is needed only for games that are not in the
    catalogue.
    """
    rules = game if game is not None else _find(job.game)
    if len(job.entrants) not in rules.seats:
        raise RunnerFailure(f"{rules.name} is not played by {len(job.entrants)}")
    try:
        with ExitStack() as open_seats:
            match = _seat_all(rules, job, sandbox, bots, open_seats)
            if isinstance(rules, Puzzle):
                record = play_puzzle(rules, match)
            else:
                record = play_match(rules, match)
        return _report(rules, match, record)
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
) -> MatchInPlay:
    """All seats after loading, with the faults of those that failed to load."""
    seats: list[PlayingSeat] = []
    for number in range(len(job.entrants)):
        # All are started before the first is awaited: their interpreters load side by side.
        seats.append(_seat(rules, job, number, sandbox, bots))
        open_seats.callback(seats[-1].close)
    match = MatchInPlay(job, seats)
    for number, seat in enumerate(seats):
        if (fault := seat.load()) is not None:
            match.note(number, fault)
    return match


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


def _report(rules: Competition, match: MatchInPlay, record: MatchRecord) -> MatchReport:
    job = match.job
    verdict = _judge(match, record)
    explanation = _explain(match, record)
    document = Replay(
        game=job.game,
        seed=job.seed,
        options=job.options,
        entrants=tuple(ReplayEntrant(e.name, e.sha256, e.kind) for e in job.entrants),
        opening=record.opening,
        moves=tuple(record.moves),
        verdict=ReplayVerdict(verdict.scores, verdict.ending, verdict.at_fault),
        explanation=explanation,
        viewer=record.viewer,
        data=record.data,
        columns=tuple(record.columns),
        answers=tuple(record.answers),
    )
    seats = [seat.report(match.faults.get(n)) for n, seat in enumerate(match.seats)]
    if record.complaints:
        told = zip(seats, record.complaints, strict=True)
        seats = [replace(seat, complaint=complaint) for seat, complaint in told]
    if record.columns:
        pairs = zip(seats, record.columns, strict=True)
        seats = [replace(seat, columns=columns) for seat, columns in pairs]
    return MatchReport(
        match_id=job.match_id,
        verdict=verdict,
        explanation=explanation,
        seats=tuple(seats),
        plies=record.plies,
        replay=replay.encode(document),
        rules=rules_fingerprint(rules),
    )


def _judge(match: MatchInPlay, record: MatchRecord) -> Verdict:
    if not match.faults:
        if record.outcome is None:
            raise RefereeFailure("the match ended without a result")
        return Verdict(record.outcome.scores, Ending.COMPLETED)
    seats = range(len(match.seats))
    if record.outcome is not None and record.places_faults:
        scores = record.outcome.scores
    elif record.outcome is None:
        scores = tuple(float(seat not in match.faults) for seat in seats)
    else:
        last = min(record.outcome.scores) - 1.0
        scores = tuple(last if s in match.faults else record.outcome.scores[s] for s in seats)
    first_fault = next(iter(match.faults.values()))
    return Verdict(scores, first_fault.ending, tuple(sorted(match.faults)))


def _explain(match: MatchInPlay, record: MatchRecord) -> str:
    sentences = [
        f"{match.job.entrants[seat].name} {_PUBLIC_REASONS[fault.ending]}."
        for seat, fault in match.faults.items()
    ]
    if record.outcome is not None:
        sentences.append(record.outcome.reason)
    return " ".join(sentences)
