"""Uploaded code as a guide: it plays each game as a match of its own, in the sandbox.

That is slower by far than what plays in compiled code, and not bound to repeat: code may look at
clocks. A guide that is at fault is dropped from the run, which goes on without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engines.game import Simulation
from engines.games import by_name
from engines.programs.text import write
from evolve.errors import GuideFailed
from evolve.meetings import Contestant, Meeting
from ladder.errors import RunnerFailure
from ladder.pool import WorkerPool
from ladder.runner import play_job
from ladder.values import Entrant, Kind, Limits, MatchJob, MatchReport

LIMITS = Limits(wall_factor=20.0)
"""As on the ladder, but patient: evolution has low priority, and so have the bots it plays with."""

MATCH_SECONDS = 3600.0
SEED_STEP = 1_000_003
"""Between the games of a meeting, whose own seeds are spread over 64 bits."""

Play = Callable[[Sequence[MatchJob]], list[MatchReport]]


@contextmanager
def play_in_processes(workers: int, data: Path, tier: str) -> Iterator[Play]:
    """Plays matches beside each other: a bot lives in the main thread of a process of its own."""
    pool = WorkerPool(workers, MATCH_SECONDS)

    def play(jobs: Sequence[MatchJob]) -> list[MatchReport]:
        return [f.result() for f in [pool.submit(play_job, job, data, tier) for job in jobs]]

    try:
        yield play
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class SandboxedGuide:
    """An opponent of the `evolve` package."""

    name: str
    bot: str
    kind: Kind
    sha256: str
    game: str
    code: bytes = field(repr=False)
    play: Play = field(repr=False)

    def meet(self, contestant: Contestant, seed: int, games: int) -> Meeting:
        """So many games, taking turns on the first seat. Raises `GuideFailed`."""
        program = Entrant("program", Kind.PROGRAM, "", write(contestant.program).encode())
        guide = Entrant(self.bot, self.kind, self.sha256, self.code)
        jobs = [
            MatchJob(
                match_id=game,
                attempt=1,
                game=self.game,
                seed=(seed + game * SEED_STEP) % 2**53,
                entrants=(guide, program) if game % 2 else (program, guide),
                limits=LIMITS,
                options=_one_round(self.game),
            )
            for game in range(games)
        ]
        try:
            reports = self.play(jobs)
        except RunnerFailure as error:
            raise GuideFailed(self.name, str(error)) from error
        own: list[float] = []
        other: list[float] = []
        for game, report in enumerate(reports):
            seat = 1 - game % 2  # the guide's
            if seat in report.verdict.at_fault:
                # The complaint with its details is for the author alone; reports are public.
                raise GuideFailed(self.name, report.explanation)
            scores = _scores(report)
            own.append(scores[1 - seat])
            other.append(scores[seat])
        return Meeting(tuple(own), tuple(other))


def _one_round(game: str) -> dict[str, int]:
    """To evolution a game of a simulation is one round of its battle."""
    return {"rounds": 1} if isinstance(by_name(game), Simulation) else {}


def _scores(report: MatchReport) -> tuple[float, ...]:
    """Points where the game counts them, as its arena does; else the scores of the verdict."""
    columns = [seat.columns for seat in report.seats]
    if all("score" in one for one in columns):
        return tuple(one["score"] for one in columns)
    return report.verdict.scores
