"""The report of a finished run (report.json), and the lineage that is sent with its champion."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from engines.programs.text import write
from evolve.domain import Domain
from evolve.runs.evolution import EvolutionState, Individual
from evolve.runs.plan import Plan


def summarize(
    plan: Plan,
    domain: Domain,
    state: EvolutionState,
    stopped: str | None,
    champion: Individual,
    finals: dict[str, Any],
) -> dict[str, Any]:
    """The report without its times; `stopped` says why evolution ended."""
    control = domain.control
    text = write(champion.program)
    return {
        "run": plan.id,
        "domain": domain.name,
        "game": domain.game,
        "seed": plan.seed,
        "settings": {
            "preset": plan.preset,
            **plan.parameters,
            "population": control.population,
            "generations": control.generations,
            "islands": control.islands.count,
            "final_games": domain.designation.games,
        },
        "guides": [
            {"name": one.name, "bot": one.bot, "kind": one.kind, "sha256": one.sha256}
            for one in plan.guides
        ],
        "founders": [{"name": one.name, "sha256": one.sha256} for one in plan.founders],
        "skipped": [asdict(one) for one in plan.skipped],
        "failed_guides": [asdict(one) for one in state.failures],
        "generations": state.generation + 1,
        "stopped": stopped,
        "games": state.total_games,
        "seconds": 0.0,
        "champion": {
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "generation": champion.generation,
            "island": champion.island,
            "size": champion.program.size,
            "depth": max(tree.depth for tree in champion.program.trees),
            "fitness": champion.fitness,
        },
        "finals": finals,
    }


def lineage(report: dict[str, Any]) -> dict[str, Any]:
    """The origin of the champion, as it is sent to the ladder."""
    # Ladders of the previous release do not know founders.
    founders = {"founders": report["founders"]} if report.get("founders") else {}
    return {
        "run": report["run"],
        "domain": report["domain"],
        "seed": report["seed"],
        "guides": [
            {"name": one["name"], "bot": one["bot"], "sha256": one["sha256"]}
            for one in report["guides"]
        ],
        "generation": report["champion"]["generation"],
        "generations": report["generations"],
        "population": report["settings"]["population"],
        **founders,
    }
