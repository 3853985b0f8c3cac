"""States on disk: one file per generation, written atomically, and verified when read.

The first line has the format and the digest of the second, which is the state as JSON. Programs
are kept as their text.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engines.programs.text import parse, write_tree
from engines.programs.trees import Architecture, BadProgram, Program
from evolve.errors import BadCheckpoint
from evolve.runs.evolution import EvolutionState, GuideFailure, Individual, Island

FORMAT = 1
KEPT = 3
"""The number of checkpoints kept: the newest, and some to fall back to."""


def write_whole(path: Path, content: str) -> None:
    """Replace a file atomically: after a crash there is the old content or the new one."""
    part = path.with_name(f".{path.name}.part")
    with open(part, "w") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def one_line(program: Program) -> str:
    """The program as text without line breaks."""
    slots = program.architecture.slots
    options = [f"({name} {value})" for name, value in sorted(program.options.items())]
    trees = [
        f"(tree {slot.name} {write_tree(tree)})"
        for slot, tree in zip(slots, program.trees, strict=True)
    ]
    return f"(program {' '.join([program.architecture.game, *options, *trees])})"


def encode(state: EvolutionState, line: dict[str, Any], texts: list[list[str]]) -> str:
    """The content of a checkpoint; `texts` are the programs of the islands, `line` the log's."""
    payload = json.dumps(
        {
            "generation": state.generation,
            "islands": [
                {"fitness": island.fitness, "programs": programs}
                for island, programs in zip(state.islands, texts, strict=True)
            ],
            "games": state.games,
            "instructions": state.instructions,
            "total_games": state.total_games,
            "hall": [
                [one.generation, one.island, one.fitness, one_line(one.program)]
                for one in state.hall
            ],
            "peak": state.peak,
            "peak_generation": state.peak_generation,
            "failures": [
                [one.generation, one.name, one.reason, one.replacement] for one in state.failures
            ],
            "line": line,
        }
    )
    digest = hashlib.sha256(payload.encode()).hexdigest()
    return f"{json.dumps({'format': FORMAT, 'sha256': digest})}\n{payload}\n"


def decode(content: str, architecture: Architecture) -> tuple[EvolutionState, dict[str, Any]]:
    """The inverse of `encode`; raises `BadCheckpoint`."""
    head, _, payload = content.rstrip("\n").partition("\n")
    try:
        header = json.loads(head)
        if header["format"] != FORMAT:
            raise BadCheckpoint(f"its format is {header['format']}, but must be {FORMAT}")
        if header["sha256"] != hashlib.sha256(payload.encode()).hexdigest():
            raise BadCheckpoint("its content does not match its digest")
        data = json.loads(payload)
        read = _reader(architecture)
        state = EvolutionState(
            data["generation"],
            tuple(
                Island(tuple(map(read, one["programs"])), tuple(one["fitness"]))
                for one in data["islands"]
            ),
            data["games"],
            data["instructions"],
            data["total_games"],
            tuple(
                Individual(read(text), fitness, generation, island)
                for generation, island, fitness, text in data["hall"]
            ),
            data["peak"],
            data["peak_generation"],
            tuple(GuideFailure(*one) for one in data["failures"]),
        )
        return state, data["line"]
    except (ValueError, KeyError, TypeError, BadProgram) as error:
        raise BadCheckpoint(f"it cannot be read: {error}") from error


def _reader(architecture: Architecture) -> Callable[[str], Program]:
    """A reader of program texts that parses equal texts only once."""
    known: dict[str, Program] = {}

    def read(text: str) -> Program:
        if text not in known:
            known[text] = parse(text, architecture)
        return known[text]

    return read


class Checkpoints:
    """The checkpoints of a run, in their folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def paths(self) -> list[Path]:
        """Oldest first."""
        return sorted(self.folder.glob("generation-*.json"))

    def save(self, state: EvolutionState, line: dict[str, Any], texts: list[list[str]]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"generation-{state.generation:07}.json"
        write_whole(path, encode(state, line, texts))
        for old in self.paths()[:-KEPT]:
            old.unlink()

    def load(self, architecture: Architecture) -> tuple[EvolutionState, dict[str, Any]] | None:
        """The newest one, or None before the first; raises `BadCheckpoint`."""
        paths = self.paths()
        if not paths:
            return None
        try:
            return decode(paths[-1].read_text(), architecture)
        except (BadCheckpoint, OSError, UnicodeDecodeError) as error:
            advice = "remove it to begin again"
            if len(paths) > 1:
                advice = f"remove it to continue from {paths[-2].name}"
            raise BadCheckpoint(f"{paths[-1]} is damaged: {error}; {advice}") from error
