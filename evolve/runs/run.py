"""A run in a folder: from its settings to its champion; an interrupted run can continue.

run.json       all settings, and the guides pinned to their versions
guides/        texts of guides that are programs
founders/      texts of programs that the first generation began with
checkpoints/   the latest generations
log.jsonl      a line per generation, written after its checkpoint
champion.lisp  the chosen program
report.json    the results, written last: a run with this file is finished
"""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engines.programs.text import parse, write
from engines.programs.trees import Architecture, Program
from evolve import domains
from evolve.domain import Domain
from evolve.errors import BadCheckpoint, BadGuide, BadParameter, EvolveError, UnknownDomain
from evolve.fitness.guides import Pinned, Skipped, pin, pin_file, seat
from evolve.fitness.meetings import GameArena, Opponent
from evolve.ladder_client import LadderClient
from evolve.runs.checkpoint import Checkpoints, write_whole
from evolve.runs.designation import FinalsSetting, choose, measure_champion
from evolve.runs.evolution import Evolution, EvolutionState, Participants
from evolve.runs.log import Log
from evolve.runs.plan import Plan, load, save
from evolve.runs.report import lineage, summarize
from evolve.runs.statistics import describe, texts_of


class Interrupted(EvolveError):
    """The run was asked to stop. It can be resumed."""


class Watcher:
    """Receives the events of a run. This one ignores them."""

    def generation(self, line: dict[str, Any], state: EvolutionState, total: int) -> None:
        """A generation is measured and saved."""

    def note(self, text: str) -> None:
        """A message for the user."""

    def stage(self, text: str) -> None:
        """The current stage of the finals."""


@dataclass(frozen=True)
class StartOptions:
    """Optional choices of the user about one run."""

    guides: Sequence[str] | None = None
    """Names of guides; None uses those of the domain, unless the caller brings opponents."""
    founders: Sequence[Path] = ()
    """Files of programs, or folders of runs, which stand for their champions. The first generation
    of each island begins with these programs."""
    preset: str | None = None
    """The preset that made the domain, for the record."""
    submit: str | None = None
    """The name under which the champion enters the ladder."""
    skipped: Sequence[Skipped] = ()
    """Guides that the caller left out, for the report."""


def start(
    domain: Domain,
    folder: Path,
    seed: int = 1,
    options: StartOptions | None = None,
    opponents: Sequence[Opponent] = (),
    ladder: LadderClient | None = None,
) -> Run:
    """Prepare a run, and find all errors in its settings. Call `go` on the result.

    `opponents` are guides that the caller brings, and has to bring again to resume.
    """
    options = options or StartOptions()
    if (folder / "run.json").exists():
        raise BadParameter(
            f"{folder} already holds a run: continue it with `evolve resume {folder}`, "
            "or choose another folder"
        )
    pinned: list[Pinned] = []
    left_out = list(options.skipped)
    if options.guides is not None:
        names = list(options.guides)
    else:
        names = [] if opponents else list(domain.guides)
    if names and domain.arena is None:
        raise BadGuide(f"{domain.name} plays no games, so it cannot have guides")
    if domain.arena is not None:
        pinned, more = pin(names, domain.arena, ladder)
        left_out += more
    pinned += [Pinned(one.name, one.bot, one.kind, one.sha256) for one in opponents]
    if domain.needs_guides and not pinned:
        named = ", ".join(f"{one.name} ({one.kind})" for one in left_out)
        reason = f" (skipped: {named})" if named else ""
        raise BadGuide(f"no guide is left to play against{reason}: name others with --guides")
    if options.submit is not None:
        (ladder or LadderClient.from_environment()).check_submission(domain.game)
    plan = Plan(
        domain=domain.name,
        game=domain.game,
        seed=seed,
        preset=options.preset,
        parameters=dict(domain.parameters),
        guides=tuple(pinned),
        skipped=tuple(left_out),
        submit=options.submit,
        founders=tuple(_founder(path, domain.architecture) for path in options.founders),
    )
    run = Run(folder, plan, domain, opponents, ladder)
    run.evolution(1)
    folder.mkdir(parents=True, exist_ok=True)
    save(folder, plan)
    return run


def resume(
    folder: Path,
    domain: Domain | None = None,
    opponents: Sequence[Opponent] = (),
    ladder: LadderClient | None = None,
) -> Run:
    """Open a run that was started before. Pass the domain unless it is a built-in one."""
    plan = load(folder)
    if domain is None:
        if plan.domain not in domains.NAMES:
            raise UnknownDomain(f"the domain {plan.domain} is not built in: pass it to `resume`")
        domain = domains.make(plan.domain, None, plan.parameters)
    elif domain.name != plan.domain:
        raise BadParameter(f"{folder} holds a run of {plan.domain}, not of {domain.name}")
    return Run(folder, plan, domain, opponents, ladder)


def _founder(path: Path, architecture: Architecture) -> Pinned:
    file = path / "champion.lisp" if path.is_dir() else path
    # Only the last part of the path: lineages are public, folders are private.
    return replace(pin_file(file, architecture), name=path.resolve().name)


class Run:
    """A run that is prepared or opened. `go` completes it."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        domain: Domain,
        opponents: Sequence[Opponent] = (),
        ladder: LadderClient | None = None,
    ) -> None:
        self.folder = folder
        self.plan = plan
        self.domain = domain
        self._opponents = {one.name: one for one in opponents}
        self._ladder = ladder
        self._checkpoints = Checkpoints(folder / "checkpoints")

    @property
    def report(self) -> dict[str, Any] | None:
        """None until the run is finished."""
        path = self.folder / "report.json"
        if not path.exists():
            return None
        try:
            found: dict[str, Any] = json.loads(path.read_text())
        except ValueError as error:
            raise BadCheckpoint(f"{path} is damaged ({error}): remove it and resume") from error
        return found

    def state(self) -> EvolutionState | None:
        """The last measured generation."""
        found = self._checkpoints.load(self.domain.architecture)
        return found[0] if found else None

    def _seat(self, guide: Pinned, arena: GameArena | None) -> Opponent:
        if guide.name in self._opponents:
            return self._opponents[guide.name]
        assert arena is not None
        return seat(guide, arena)

    def _named(self, names: Sequence[str], arena: GameArena | None) -> list[Opponent]:
        """The domain's house bots and files of these names, except those that are guides."""
        if arena is None:
            return []
        taken = {(one.kind, one.bot) for one in self.plan.guides}
        pinned, _ = pin(names, arena)
        return [self._seat(one, arena) for one in pinned if (one.kind, one.bot) not in taken]

    def judges(self) -> list[Opponent]:
        """The opponents that help to choose the champion, besides the guides."""
        return self._named(self.domain.designation.judges, self.domain.finals_arena)

    def evolution(
        self, workers: int, executor: Executor | None = None, state: EvolutionState | None = None
    ) -> Evolution:
        """The remaining generations. Raises `BadGuide` if a guide cannot play here."""
        domain = self.domain
        reserve = self._named((*domain.guides, *domain.designation.judges), domain.arena)
        guides = [self._seat(one, domain.arena) for one in self.plan.guides]
        founders = [self._read(one) for one in self.plan.founders] if state is None else ()
        participants = Participants(guides, reserve, founders)
        return Evolution(domain, self.plan.seed, participants, workers, executor, state)

    def _read(self, founder: Pinned) -> Program:
        if founder.text is None:
            raise BadCheckpoint(f"{self.folder}/founders/{founder.sha256}.lisp is missing")
        return parse(founder.text, self.domain.architecture)

    def go(
        self,
        workers: int = 1,
        executor: Executor | None = None,
        watcher: Watcher | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        """Evolve, designate, report and submit; completed steps are not repeated.

        Raises `Interrupted` soon after `stop` returns true.
        """
        watcher = watcher or Watcher()
        with self._alone():
            return self._go(workers, executor, watcher, stop)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the folder: two processes would overwrite each other's generations."""
        with open(self.folder / ".lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise BadParameter(
                    f"another process is using {self.folder}: wait for its end"
                ) from error
            yield

    def _go(
        self, workers: int, executor: Executor | None, watcher: Watcher, stop: Callable[[], bool]
    ) -> dict[str, Any]:
        report = self.report
        if report is None:
            clock = time.monotonic()
            evolution, state = self._evolve(workers, executor, watcher, stop)
            report = self._finish(evolution, state, workers, watcher, stop, clock)
        if self.plan.submit is not None and "submitted" not in report:
            report = self._submit(self.plan.submit, report)
            same = f", unchanged: it is version {report['submitted']['version']}"
            told = same if report["submitted"]["unchanged"] else ""
            watcher.note(f"submitted as {self.plan.submit}{told}")
        return report

    def _evolve(
        self, workers: int, executor: Executor | None, watcher: Watcher, stop: Callable[[], bool]
    ) -> tuple[Evolution, EvolutionState]:
        found = self._checkpoints.load(self.domain.architecture)
        state, line = found if found else (None, None)
        log = Log(self.folder / "log.jsonl")
        log.continue_from(line)
        evolution = self.evolution(workers, executor, state)
        for one in self.plan.skipped:
            watcher.note(f"skipped {one.name}: {one.reason}")
        total = self.domain.control.generations
        if state is not None and line is not None:
            watcher.generation(line, state, total)
        seen = len(state.failures) if state else 0
        for state in evolution:
            texts = texts_of(state)
            line = describe(state, texts)
            self._checkpoints.save(state, line, texts)
            log.append(line)
            for failure in state.failures[seen:]:
                instead = failure.replacement or "no other guide"
                watcher.note(f"{failure.name} failed ({failure.reason}); {instead} plays instead")
            seen = len(state.failures)
            watcher.generation(line, state, total)
            if stop():
                raise Interrupted(
                    f"stopped after generation {state.generation}; "
                    f"continue with `evolve resume {self.folder}`"
                )
        assert state is not None
        return evolution, state

    def _finish(
        self,
        evolution: Evolution,
        state: EvolutionState,
        workers: int,
        watcher: Watcher,
        stop: Callable[[], bool],
        clock: float,
    ) -> dict[str, Any]:
        def stage(text: str) -> None:
            watcher.stage(text)
            if stop():
                raise Interrupted(
                    f"stopped in the finals: repeat them with `evolve resume {self.folder}`"
                )

        domain = self.domain
        guides = list(evolution.guides)
        judges = self.judges()
        judged = {judge.name for judge in judges} | {guide.name for guide in guides}
        holdout = [
            one
            for one in self._named(domain.designation.holdout, domain.finals_arena)
            if one.name not in judged
        ]
        with ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
            setting = FinalsSetting(domain, self.plan.seed, pool, stage)
            champion = choose(setting, state, [*guides, *judges])
            opponents = {"guides": guides, "judges": judges, "holdout": holdout}
            finals = {
                name: [row.row() for row in measure_champion(setting, champion, met, part)]
                for part, (name, met) in enumerate(opponents.items())
            }
        write_whole(self.folder / "champion.lisp", write(champion.program))
        report = summarize(self.plan, domain, state, evolution.stopped, champion, finals)
        report["seconds"] = round(time.monotonic() - clock, 1)
        self._write_report(report)
        return report

    def _write_report(self, report: dict[str, Any]) -> None:
        write_whole(self.folder / "report.json", json.dumps(report, indent=2) + "\n")

    def _submit(self, name: str, report: dict[str, Any]) -> dict[str, Any]:
        ladder = self._ladder or LadderClient.from_environment()
        text = (self.folder / "champion.lisp").read_text()
        answer = ladder.submit(self.domain.game, name, text, lineage(report))
        submitted = {
            "url": ladder.url,
            "name": name,
            "id": answer.get("id"),
            "version": answer.get("version", {}).get("number"),
            "unchanged": bool(answer.get("unchanged")),
        }
        report = {**report, "submitted": submitted}
        self._write_report(report)
        return report
