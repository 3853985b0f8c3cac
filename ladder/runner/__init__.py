"""Plays one match with untrusted bots, and returns a report. Knows nothing of databases or HTTP.

    referee      play(job) → report          gameplay, puzzles the kinds of games
    seats        house bots and bots alike   replay   the document of a match
    bot_process  asks one bot, its clocks    uci      asks an engine that speaks UCI
    uploads, package, wasm, native read uploads
    sandbox/     the walls                   botkit, wasmkit, nativekit run inside them
    measuring    the size of a bot's code    codesize  counts it, inside the walls
    selftest     which tier holds here       bounds    how long a match may last

Bots are children of the calling process, and the kernel ties them to the thread that starts them:
call `play_job` in the main thread of a worker process, any number of times. To keep round trips
short, pin the worker to one core (`os.sched_setaffinity`); its bots inherit that.
"""

from __future__ import annotations

import atexit
from pathlib import Path

from engines.games import find_game
from ladder.runner.measuring import with_sizes
from ladder.runner.referee import play
from ladder.runner.sandbox import Reserve
from ladder.runner.selftest import BOTS_FOLDER, sandbox_of
from ladder.values import MatchJob, MatchReport

__all__ = ["close_reserves", "play_job"]


def play_job(job: MatchJob, data_folder: Path, tier: str | None) -> MatchReport:
    """Play a match in the tier that `choose_tier` proved; None: house bots only.

    Raises `RunnerFailure` when the match cannot be played through no fault of a bot.
    """
    bots = data_folder / BOTS_FOLDER
    reserve = _reserve(tier, bots) if tier is not None else None
    report = play(job, reserve, bots)
    if job.measured:
        sandbox = sandbox_of(tier) if tier is not None else None
        report = with_sizes(report, job, find_game(job.game), sandbox, bots)
    if reserve is not None:
        reserve.fill()
    return report


def _reserve(tier: str, bots: Path) -> Reserve:
    """The reserve of this process, which dies with it."""
    for place in _reserves.keys() - {(tier, bots)}:
        _reserves.pop(place).close()
    if (tier, bots) not in _reserves:
        _reserves[tier, bots] = Reserve(sandbox_of(tier), bots)
    return _reserves[tier, bots]


@atexit.register
def close_reserves() -> None:
    """End the sandboxes that were started in advance."""
    while _reserves:
        _reserves.popitem()[1].close()


_reserves: dict[tuple[str, Path], Reserve] = {}
