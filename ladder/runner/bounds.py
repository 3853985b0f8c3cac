"""The longest duration of a match: the backstop behind the limits of its bots."""

from __future__ import annotations

from ladder.runner.bot_process import FUEL_SLACK
from ladder.runner.measuring import WAIT_S
from ladder.values import Entrant, Kind, MatchJob

OWN_SECONDS = 120.0
"""For our own work: processes and sandboxes that start on a busy machine, the rules, the replay;
and for thousands of waits that are too short to charge to a bot.
"""


def longest_s(job: MatchJob) -> float:
    """The wall time after which a match hangs through our own fault.

    Every seat may use up all its clocks, on a machine so busy that it waits for a processor for
    `wall_factor` times as long, and idle as long as it may. Bots do not reach this: they pass a
    limit of their own before.
    """
    measured_s = WAIT_S * len(job.measured)
    return sum(_seat_s(job, entrant) for entrant in job.entrants) + measured_s + OWN_SECONDS


def _seat_s(job: MatchJob, entrant: Entrant) -> float:
    limits = job.limits
    slack = FUEL_SLACK if entrant.kind is Kind.WASM else 1
    cpu_ms = (limits.start_ms + limits.match_ms + limits.move_ms) * slack
    return (cpu_ms * (1 + limits.wall_factor) + limits.idle_ms) / 1000
