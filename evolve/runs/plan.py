"""The settings of a run, fixed at its start: run.json, and the programs that it names."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evolve.errors import BadCheckpoint
from evolve.fitness.guides import Pinned, Skipped
from evolve.runs.checkpoint import write_whole

FORMAT = 1


@dataclass(frozen=True)
class Plan:
    """The content of run.json."""

    domain: str
    game: str
    seed: int
    preset: str | None
    parameters: dict[str, Any]
    guides: tuple[Pinned, ...]
    skipped: tuple[Skipped, ...]
    submit: str | None = None
    founders: tuple[Pinned, ...] = ()
    """Programs that its first generation begins with."""

    @property
    def id(self) -> str:
        """A name that follows from the settings."""
        digest = hashlib.sha256(json.dumps(asdict(self.bare()), sort_keys=True).encode())
        return f"{self.domain}-{self.seed}-{digest.hexdigest()[:12]}"

    def bare(self) -> Plan:
        """The plan without the texts of programs, which are separate files."""
        guides, founders = (
            tuple(replace(one, text=None) for one in many) for many in (self.guides, self.founders)
        )
        return replace(self, guides=guides, founders=founders)


def save(folder: Path, plan: Plan) -> None:
    for name, programs in (("guides", plan.guides), ("founders", plan.founders)):
        for one in programs:
            if one.text is not None:
                (folder / name).mkdir(exist_ok=True)
                write_whole(folder / name / f"{one.sha256}.lisp", one.text)
    content = {"format": FORMAT, "run": plan.id, **asdict(plan.bare())}
    write_whole(folder / "run.json", json.dumps(content, indent=2) + "\n")


def load(folder: Path) -> Plan:
    path = folder / "run.json"
    try:
        data = json.loads(path.read_text())
        if data.pop("format") != FORMAT:
            raise BadCheckpoint(f"{path} was written by another version of evolve")
        data.pop("run")
        data.setdefault("founders", [])  # runs of earlier releases have none
        guides, founders = (
            tuple(_with_text(folder / name, Pinned(**one)) for one in data.pop(name))
            for name in ("guides", "founders")
        )
        skipped = tuple(Skipped(**one) for one in data.pop("skipped"))
        return Plan(guides=guides, skipped=skipped, founders=founders, **data)
    except FileNotFoundError as error:
        raise BadCheckpoint(f"{folder} is not a run: {error.filename} does not exist") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadCheckpoint(f"{path} is damaged: {error}") from error


def _with_text(folder: Path, one: Pinned) -> Pinned:
    path = folder / f"{one.sha256}.lisp"
    if one.kind != "program" or not path.exists():
        return one
    text = path.read_text()
    if hashlib.sha256(text.encode()).hexdigest() != one.sha256:
        raise BadCheckpoint(f"{path} has changed: restore the program of the run")
    return replace(one, text=text)
