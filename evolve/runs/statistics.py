"""Statistics of a generation: one line of the log. It has no times, so that it is reproducible."""

from __future__ import annotations

import math
from statistics import fmean, pstdev
from typing import Any

from evolve.runs.checkpoint import one_line
from evolve.runs.evolution import EvolutionState


def texts_of(state: EvolutionState) -> list[list[str]]:
    """The programs of each island as text."""
    return [[one_line(program) for program in island.programs] for island in state.islands]


def describe(state: EvolutionState, texts: list[list[str]]) -> dict[str, Any]:
    """The line of the log for a state."""
    fitness = [value for island in state.islands for value in island.fitness]
    programs = [program for island in state.islands for program in island.programs]
    best = state.best
    different = len({text for island in texts for text in island})
    line: dict[str, Any] = {
        "generation": state.generation,
        "best": best.fitness,
        "mean": fmean(fitness),
        "stdev": pstdev(fitness),
        "worst": min(fitness),
        "size_mean": fmean(program.size for program in programs),
        "size_best": best.program.size,
        "depth_mean": fmean(max(tree.depth for tree in one.trees) for one in programs),
        "diversity": different / len(programs),
        "games": state.games,
        "instructions": state.instructions,
    }
    failed = [one.name for one in state.failures if one.generation == state.generation]
    if failed:
        line["failed_guides"] = failed
    return {
        name: round(value, 9) if isinstance(value, float) and math.isfinite(value) else value
        for name, value in line.items()
    }
