"""Car races: the physics of RARS, the Robot Auto Racing Simulator, exact in compiled kernels."""

from __future__ import annotations

from engines.games.racing.simulation import RACING, TIME_TRIAL

__all__ = ["RACING", "TIME_TRIAL"]
