"""A run in a folder: from its settings to its champion, and on from wherever it was interrupted.

run.json       all settings, and the guides pinned to their versions
guides/        texts of guides that are programs
founders/      texts of programs that the first generation began with
checkpoints/   the latest generations
log.jsonl      a line per generation, written after its checkpoint
champion.lisp  the program that was chosen
report.json    what it is worth, written last: a run that has it is finished
"""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.programs.text import parse, write
from engines.programs.trees import Architecture, Program
from evolve import domains
from evolve.domain import Domain
from evolve.errors import BadCheckpoint, BadGuide, BadSetting, EvolveError, UnknownDomain
from evolve.fitness.guides import Pinned, Skipped, pin, pin_file, seat
from evolve.fitness.meetings import GameArena, Opponent
from evolve.ladder_client import LadderClient
from evolve.runs.checkpoint import Checkpoints, write_whole
from evolve.runs.designation import choose, present
from evolve.runs.evolution import Evolution, State
from evolve.runs.log import Log
from evolve.runs.plan import Plan, load, save
from evolve.runs.report import lineage, summarize
from evolve.runs.statistics import describe, texts_of


class Interrupted(EvolveError):
    """Somebody asked the run to stop. It can be resumed."""


class Watcher:
    """Told of everything that happens in a run. This one does nothing with it."""

    def generation(self, line: dict[str, Any], state: State, total: int) -> None:
        """A generation is measured and safely on disk."""

    def note(self, text: str) -> None:
        """Something that the user should know."""

    def stage(self, text: str) -> None:
        """What the finals are at."""


def start(
    domain: Domain,
    folder: Path,
    seed: int = 1,
    guides: Sequence[str] | None = None,
    opponents: Sequence[Opponent] = (),
    preset: str | None = None,
    submit: str | None = None,
    ladder: LadderClient | None = None,
    skipped: Sequence[Skipped] = (),
    founders: Sequence[Path] = (),
) -> Run:
    """Prepare a run: all that can be wrong with it is found now. Call `go` on what it returns.

    Guides are names; `opponents` are guides that the caller brings along, and has to bring again
    to resume. Without either, the domain's own are used. `founders` are programs, or folders of
    runs whose champions are meant: the first generation of each island begins with them.
    """
    if (folder / "run.json").exists():
        raise BadSetting(f"{folder} holds a run already: `evolve resume {folder}` goes on with it")
    pinned: list[Pinned] = []
    left_out = list(skipped)
    names = list(guides if guides is not None else (() if opponents else domain.guides))
    if names and domain.arena is None:
        raise BadGuide(f"{domain.name} plays no games, so it has no guides")
    if domain.arena is not None:
        pinned, more = pin(names, domain.arena, ladder)
        left_out += more
    pinned += [Pinned(one.name, one.bot, one.kind, one.sha256) for one in opponents]
    if domain.needs_guides and not pinned:
        named = ", ".join(f"{one.name} ({one.kind})" for one in left_out)
        raise BadGuide("no guide is left to play against" + (f": skipped {named}" if named else ""))
    if submit is not None:
        (ladder or LadderClient.from_environment()).check_submission(domain.game)
    plan = Plan(
        *(domain.name, domain.game, seed, preset, dict(domain.parameters)),
        *(tuple(pinned), tuple(left_out), submit),
        tuple(_founder(path, domain.architecture) for path in founders),
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
    """Open a run that was started before. A domain that does not ship has to be given again."""
    plan = load(folder)
    if domain is None:
        if plan.domain not in domains.NAMES:
            raise UnknownDomain(f"the domain {plan.domain} does not ship: pass it to `resume`")
        domain = domains.make(plan.domain, None, plan.parameters)
    elif domain.name != plan.domain:
        raise BadSetting(f"{folder} holds a run of {plan.domain}, not of {domain.name}")
    return Run(folder, plan, domain, opponents, ladder)


def _founder(path: Path, architecture: Architecture) -> Pinned:
    file = path / "champion.lisp" if path.is_dir() else path
    # By its last name: lineages are public, and nobody's folders are.
    return replace(pin_file(file, architecture), name=path.resolve().name)


class Run:
    """A run that is prepared or opened. `go` brings it to its end."""

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
            raise BadCheckpoint(f"{path} is damaged: {error}; remove it and resume") from error
        return found

    def state(self) -> State | None:
        """The last generation that was measured."""
        found = self._checkpoints.load(self.domain.architecture)
        return found[0] if found else None

    def _seat(self, guide: Pinned, arena: GameArena | None) -> Opponent:
        if guide.name in self._opponents:
            return self._opponents[guide.name]
        assert arena is not None
        return seat(guide, arena)

    def _named(self, names: Sequence[str], arena: GameArena | None) -> list[Opponent]:
        """House bots and files of the domain's own choosing, less those who are guides."""
        if arena is None:
            return []
        taken = {(one.kind, one.bot) for one in self.plan.guides}
        pinned, _ = pin(names, arena)
        return [self._seat(one, arena) for one in pinned if (one.kind, one.bot) not in taken]

    def judges(self) -> list[Opponent]:
        """Who helps to choose the champion, besides the guides."""
        return self._named(self.domain.designation.judges, self.domain.finals_arena)

    def evolution(
        self, workers: int, executor: Executor | None = None, state: State | None = None
    ) -> Evolution:
        """The generations to come. Raises `BadGuide` if a guide cannot play here."""
        domain = self.domain
        reserve = self._named((*domain.guides, *domain.designation.judges), domain.arena)
        guides = [self._seat(one, domain.arena) for one in self.plan.guides]
        founders = [self._read(one) for one in self.plan.founders] if state is None else ()
        return Evolution(
            domain, self.plan.seed, guides, reserve, workers, executor, state, founders
        )

    def _read(self, founder: Pinned) -> Program:
        if founder.text is None:
            raise BadCheckpoint(f"{self.folder / 'founders'} lacks {founder.sha256}.lisp")
        return parse(founder.text, self.domain.architecture)

    def go(
        self,
        workers: int = 1,
        executor: Executor | None = None,
        watcher: Watcher | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        """Evolve, designate, report, submit; whatever of it is done already is not done again.

        Raises `Interrupted` soon after `stop` says so.
        """
        watcher = watcher or Watcher()
        with self._alone():
            return self._go(workers, executor, watcher, stop)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Two processes in one folder would overwrite each other's generations."""
        with open(self.folder / ".lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise BadSetting(f"another process is at work in {self.folder}") from error
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
            watcher.note(f"submitted as {self.plan.submit}")
        return report

    def _evolve(
        self, workers: int, executor: Executor | None, watcher: Watcher, stop: Callable[[], bool]
    ) -> tuple[Evolution, State]:
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
                instead = failure.replacement or "nobody"
                watcher.note(f"{failure.name} failed ({failure.reason}); {instead} plays instead")
            seen = len(state.failures)
            watcher.generation(line, state, total)
            if stop():
                raise Interrupted(
                    f"stopped after generation {state.generation}; "
                    f"`evolve resume {self.folder}` goes on"
                )
        assert state is not None
        return evolution, state

    def _finish(
        self,
        evolution: Evolution,
        state: State,
        workers: int,
        watcher: Watcher,
        stop: Callable[[], bool],
        clock: float,
    ) -> dict[str, Any]:
        def stage(text: str) -> None:
            watcher.stage(text)
            if stop():
                raise Interrupted(
                    f"stopped in the finals; `evolve resume {self.folder}` repeats them"
                )

        domain, seed = self.domain, self.plan.seed
        guides = list(evolution.guides)
        judges = self.judges()
        judged = {judge.name for judge in judges} | {guide.name for guide in guides}
        holdout = [
            one
            for one in self._named(domain.designation.holdout, domain.finals_arena)
            if one.name not in judged
        ]
        with ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
            champion = choose(domain, seed, state, [*guides, *judges], pool, stage)
            finals = {
                part: [entry.row() for entry in present(*entrants, pool, stage)]
                for part, entrants in {
                    "guides": (domain, seed, champion, guides, 0),
                    "judges": (domain, seed, champion, judges, 1),
                    "holdout": (domain, seed, champion, holdout, 2),
                }.items()
            }
        text = write(champion.program)
        write_whole(self.folder / "champion.lisp", text)
        report = summarize(self.plan, domain, state, evolution.stopped, champion, text, finals)
        report["seconds"] = round(time.monotonic() - clock, 1)
        self._write_report(report)
        return report

    def _write_report(self, report: dict[str, Any]) -> None:
        write_whole(self.folder / "report.json", json.dumps(report, indent=2) + "\n")

    def _submit(self, name: str, report: dict[str, Any]) -> dict[str, Any]:
        ladder = self._ladder or LadderClient.from_environment()
        text = (self.folder / "champion.lisp").read_text()
        answer = ladder.submit(self.domain.game, name, text, lineage(report))
        submitted = {"url": ladder.url, "name": name, "id": answer.get("id")}
        report = {**report, "submitted": submitted}
        self._write_report(report)
        return report
