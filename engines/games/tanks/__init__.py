"""Robocode's tanks: a simulator exact to version 1.9.3.9, in compiled kernels."""

from __future__ import annotations

from engines.games.tanks.simulation import TANKS, TANKS_MELEE

__all__ = ["TANKS", "TANKS_MELEE"]
