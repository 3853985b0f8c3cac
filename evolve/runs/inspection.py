"""Reports of a run for `evolve show` and `evolve analyze`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from engines.programs.text import parse, write
from engines.programs.trees import BadProgram, Program
from evolve.errors import BadCheckpoint
from evolve.operators.simplification import simplify
from evolve.runs import plots
from evolve.runs.analysis import Strength, diversity, intron_shares, strengths
from evolve.runs.checkpoint import write_whole
from evolve.runs.designation import FinalsSetting
from evolve.runs.run import Run
from evolve.streams import StreamPurpose, stream

SITUATIONS = 60


def log_of(run: Run) -> list[dict[str, Any]]:
    path = run.folder / "log.jsonl"
    if not path.exists():
        return []
    try:
        return [json.loads(line) for line in path.read_text().splitlines()]
    except ValueError as error:
        raise BadCheckpoint(f"{path} is damaged: {error}; `evolve resume` repairs it") from error


def champion_of(run: Run) -> Program:
    """The champion, or the fittest so far of a run that is not finished."""
    path = run.folder / "champion.lisp"
    if path.exists():
        try:
            return parse(path.read_text(), run.domain.architecture)
        except BadProgram as error:
            raise BadCheckpoint(f"{path} is damaged: {error}") from error
    state = run.state()
    if state is None:
        raise BadCheckpoint(f"{run.folder} has no generation yet")
    return state.best.program


def show(run: Run) -> str:
    """Statistics, and the champion simplified."""
    log, report, champion = log_of(run), run.report, champion_of(run)
    short = simplify(champion)
    parts = [f"{run.plan.id}: {run.domain.name}, seed {run.plan.seed}"]
    parts.append("guides " + (", ".join(one.name for one in run.plan.guides) or "none"))
    if log:
        first, last = log[0], log[-1]
        parts.append(
            f"{last['generation'] + 1} generations, {sum(line['games'] for line in log):,} games"
        )
        parts += [
            f"  {name:10} {_shown(first[name])} at first, {_shown(last[name])} at last"
            for name in ("best", "mean", "stdev", "size_mean", "depth_mean", "diversity")
        ]
    if report is None:
        parts.append("not finished: continue with `evolve resume`")
    else:
        parts.append(f"stopped by {report['stopped']}, {report['seconds']:.0f} s")
        for part, rows in report["finals"].items():
            if rows:
                mean = fmean(row["share"] for row in rows)
                parts.append(f"  {part:10} {mean:.1%} of the score on average")
    parts.append(f"champion: {champion.size} nodes, {short.size} when simplified")
    return "\n".join(parts) + "\n\n" + write(short)


def _shown(value: float | None) -> str:
    return "?" if value is None else f"{value:.4g}"


def analyze(run: Run, games: int, workers: int) -> dict[str, Any]:
    """Compute all figures, and write them to `analysis.json` with pictures beside it."""
    state, log = run.state(), log_of(run)
    if state is None or not log:
        raise BadCheckpoint(f"{run.folder} has no generation yet")
    programs = [program for island in state.islands for program in island.programs]
    explicit, removable = intron_shares(programs)
    found: dict[str, Any] = {
        "generations": len(log),
        "size_growth": log[-1]["size_mean"] / log[0]["size_mean"],
        "depth_growth": log[-1]["depth_mean"] / log[0]["depth_mean"],
        "fitness_spread": log[-1]["stdev"],
        "introns": {"explicit": explicit, "removable": removable},
    }
    pictures = {
        "fitness": plots.lines(
            "Fitness", {name: [line[name] for line in log] for name in ("best", "mean", "worst")}
        ),
        "spread": plots.lines("Spread of fitness", {"stdev": [line["stdev"] for line in log]}),
        "size": plots.lines(
            "Nodes", {name: [line[name] for line in log] for name in ("size_mean", "size_best")}
        ),
        "depth": plots.lines("Depth", {"depth_mean": [line["depth_mean"] for line in log]}),
    }
    arena = run.domain.arena
    if arena is not None:
        random = stream(run.plan.seed, StreamPurpose.ANALYSIS, 3)
        spread = diversity(programs, arena.situations(random, SITUATIONS))
        found["kendall_tau"] = {
            "mean": spread.mean,
            "alike": spread.alike,
            "spread": spread.spread,
        }
        pictures["kendall_tau"] = plots.histogram(
            "Kendall's tau of all pairs of individuals", spread.taus, -1, 1
        )
        with ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
            opponents = [*run.evolution(1).guides, *run.judges()]
            finals = FinalsSetting(run.domain, run.plan.seed, pool)
            measured = strengths(finals, champion_of(run), opponents, games)
        found["terminals"] = [asdict(one) for one in measured]
        pictures["terminals"] = plots.bars(
            "Strength of terminals: loss of the champion without them", _disabled(measured)
        )
        pictures["terminals_single"] = plots.bars(
            "Strength of terminals: each by itself",
            {one.terminal: one.single for one in measured if one.single is not None},
        )
    _write(run.folder / "analysis", found, pictures)
    return found


def _disabled(measured: Sequence[Strength]) -> dict[str, float]:
    return {one.terminal: one.disabled for one in measured if one.disabled is not None}


def _write(folder: Path, found: dict[str, Any], pictures: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, picture in pictures.items():
        write_whole(folder / f"{name}.svg", picture)
    write_whole(folder / "analysis.json", json.dumps(found, indent=2) + "\n")
