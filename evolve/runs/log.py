"""log.jsonl: one complete line per generation, also after a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evolve.runs.checkpoint import write_whole


class Log:
    def __init__(self, path: Path) -> None:
        self._path = path

    def continue_from(self, last: dict[str, Any] | None) -> None:
        """Restore the log to the state of the checkpoint, whose line is the last one."""
        lines: list[str] = []
        if last is not None:
            kept = self._path.read_text().splitlines() if self._path.exists() else []
            lines = [*kept[: last["generation"]], _dumped(last)]
        if lines or self._path.exists():
            write_whole(self._path, "".join(f"{line}\n" for line in lines))

    def append(self, line: dict[str, Any]) -> None:
        with open(self._path, "a") as file:
            file.write(f"{_dumped(line)}\n")


def _dumped(line: dict[str, Any]) -> str:
    return json.dumps(line)
