"""What a run is to do, fixed when it starts: run.json, and the programs among its guides."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evolve.checkpoint import write_whole
from evolve.errors import BadCheckpoint
from evolve.guides import Pinned, Skipped

FORMAT = 1


@dataclass(frozen=True)
class Plan:
    """What run.json holds."""

    domain: str
    game: str
    seed: int
    preset: str | None
    parameters: dict[str, Any]
    guides: tuple[Pinned, ...]
    skipped: tuple[Skipped, ...]
    submit: str | None = None

    @property
    def id(self) -> str:
        """A name that follows from the settings."""
        digest = hashlib.sha256(json.dumps(asdict(self.bare()), sort_keys=True).encode())
        return f"{self.domain}-{self.seed}-{digest.hexdigest()[:12]}"

    def bare(self) -> Plan:
        """Without the texts of guides, which are files of their own."""
        return replace(self, guides=tuple(replace(one, text=None) for one in self.guides))


def save(folder: Path, plan: Plan) -> None:
    for guide in plan.guides:
        if guide.text is not None:
            (folder / "guides").mkdir(exist_ok=True)
            write_whole(folder / "guides" / f"{guide.sha256}.lisp", guide.text)
    content = {"format": FORMAT, "run": plan.id, **asdict(plan.bare())}
    write_whole(folder / "run.json", json.dumps(content, indent=2) + "\n")


def load(folder: Path) -> Plan:
    path = folder / "run.json"
    try:
        data = json.loads(path.read_text())
        if data.pop("format") != FORMAT:
            raise BadCheckpoint(f"{path} was written by another version of evolve")
        data.pop("run")
        guides = [Pinned(**one) for one in data.pop("guides")]
        skipped = tuple(Skipped(**one) for one in data.pop("skipped"))
        texts = tuple(replace(one, text=_text(folder, one)) for one in guides)
        return Plan(guides=texts, skipped=skipped, **data)
    except FileNotFoundError as error:
        raise BadCheckpoint(f"{folder} holds no run: there is no {error.filename}") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadCheckpoint(f"{path} is damaged: {error}") from error


def _text(folder: Path, guide: Pinned) -> str | None:
    if guide.kind != "program":
        return None
    path = folder / "guides" / f"{guide.sha256}.lisp"
    if not path.exists():
        return None
    text = path.read_text()
    if hashlib.sha256(text.encode()).hexdigest() != guide.sha256:
        raise BadCheckpoint(f"{path} is not the program that it was")
    return text
