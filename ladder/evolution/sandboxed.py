"""Uploaded code as a guide: it plays each game as a match of its own, in the sandbox.

This is far slower than compiled code, and not reproducible: code may read clocks. A guide that is
at fault is dropped from the run, which goes on without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.games import find_game
from engines.programs.text import write
from engines.simulation import Simulation
from evolve.errors import GuideFailed
from evolve.fitness.meetings import CompiledProgram, InProcessOpponent, Opponent, TableResult
from ladder.errors import RunnerFailure
from ladder.runner import play_job
from ladder.runner.bounds import longest_s
from ladder.values import Entrant, Kind, Limits, MatchJob, MatchReport
from ladder.workers.pool import WorkerPool

LIMITS = Limits(wall_factor=20.0)
"""The limits of the ladder with more wall time: evolution and its bots have low priority."""

SEED_STEP = 1_000_003
"""Step between the seeds of a meeting's games; meetings have seeds of 64 bits."""

Play = Callable[[Sequence[MatchJob]], list[MatchReport]]


@contextmanager
def play_in_processes(workers: int, data: Path, tier: str) -> Iterator[Play]:
    """Plays matches beside each other: a bot lives in the main thread of a process of its own."""
    pool = WorkerPool(workers)

    def play(jobs: Sequence[MatchJob]) -> list[MatchReport]:
        playing = [pool.submit_within(longest_s(job), play_job, job, data, tier) for job in jobs]
        return [match.result() for match in playing]

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

    def meet(
        self, table: Sequence[CompiledProgram | Opponent], seed: int, games: int
    ) -> TableResult:
        """Play `games` games; after each, all move on by one seat. Raises `GuideFailed`."""
        count = len(table)
        entrants = [_entrant(one) for one in table]
        jobs = [
            MatchJob(
                match_id=game,
                attempt=1,
                game=self.game,
                seed=(seed + game * SEED_STEP) % 2**53,
                entrants=tuple(entrants[(seat - game) % count] for seat in range(count)),
                limits=LIMITS,
                options=_short_options(self.game),
            )
            for game in range(games)
        ]
        try:
            reports = self.play(jobs)
        except RunnerFailure as error:
            raise GuideFailed(self.name, str(error)) from error
        scores: list[list[float]] = [[] for _ in table]
        for game, report in enumerate(reports):
            points = _scores(report)
            for player, one in enumerate(table):
                seat = (player + game) % count
                if seat in report.verdict.at_fault and not isinstance(one, CompiledProgram):
                    # The detailed complaint is for the author only; reports are public.
                    raise GuideFailed(one.name, report.explanation)
                scores[player].append(points[seat])
        return TableResult(tuple(tuple(one) for one in scores))


def _entrant(one: CompiledProgram | Opponent) -> Entrant:
    if isinstance(one, CompiledProgram):
        return Entrant("program", Kind.PROGRAM, "", write(one.program).encode())
    if isinstance(one, SandboxedGuide):
        return Entrant(one.bot, one.kind, one.sha256, one.code)
    assert isinstance(one, InProcessOpponent)
    code = None if one.text is None else one.text.encode()
    return Entrant(one.bot, Kind(one.kind), one.sha256 or "", code)


def _short_options(game: str) -> dict[str, Any]:
    """The shortest meaningful game: evolution plays many of them."""
    found = find_game(game)
    return dict(found.short_options) if isinstance(found, Simulation) else {}


def _scores(report: MatchReport) -> tuple[float, ...]:
    """Points where the game counts them, as its arena does; else the scores of the verdict."""
    columns = [seat.columns for seat in report.seats]
    if all("score" in one for one in columns):
        return tuple(one["score"] for one in columns)
    return report.verdict.scores
