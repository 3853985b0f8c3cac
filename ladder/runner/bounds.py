"""How long a match may last at most: the backstop behind the limits of its bots."""

from __future__ import annotations

from ladder.runner.bot_process import FUEL_SLACK
from ladder.runner.measuring import WAIT_S
from ladder.values import Entrant, Kind, MatchJob

OWN_SECONDS = 120.0
"""For what is ours: a process and sandboxes that start on a busy machine, the rules, the replay;
and for waits in thousands of moves that are too short to be charged to a bot."""


def longest_s(job: MatchJob) -> float:
    """The wall time after which a match hangs through our own fault.

    Every seat may use up all its clocks, on a machine so busy that it waits for a processor for
    `wall_factor` times as long, and idle as long as it may. No bot is to reach this: it passes a
    limit of its own before.
    """
    measured_s = WAIT_S * len(job.measured)
    return sum(_seat_s(job, entrant) for entrant in job.entrants) + measured_s + OWN_SECONDS


def _seat_s(job: MatchJob, entrant: Entrant) -> float:
    limits = job.limits
    slack = FUEL_SLACK if entrant.kind is Kind.WASM else 1
    cpu_ms = (limits.start_ms + limits.match_ms + limits.move_ms) * slack
    return (cpu_ms * (1 + limits.wall_factor) + limits.idle_ms) / 1000
