"""What a finished run has to say, as report.json holds it, and what goes along with a champion."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from evolve.domain import Domain
from evolve.runs.evolution import Individual, State
from evolve.runs.plan import Plan


def summarize(
    plan: Plan,
    domain: Domain,
    state: State,
    stopped: str | None,
    champion: Individual,
    text: str,
    finals: dict[str, Any],
) -> dict[str, Any]:
    """The report but for its times: `stopped` is why evolution ended, `text` the champion's."""
    control = domain.control
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
    """Where the champion comes from, as it is sent along with it."""
    # Ladders of the release before know no founders.
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
