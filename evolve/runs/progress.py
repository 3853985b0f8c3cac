"""The progress of a run on a terminal: a bar with best, mean, size and games per second."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from evolve.runs.evolution import EvolutionState
from evolve.runs.run import Watcher


class TerminalWatcher(Watcher):
    """Shows a bar on a terminal, and otherwise a plain line per tenth of the run."""

    def __init__(self, title: str) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[figures]}"),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task(title, total=None, start=True, figures="")
        self._title = title
        self._clock = time.monotonic()

    def __enter__(self) -> TerminalWatcher:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def generation(self, line: dict[str, Any], state: EvolutionState, total: int) -> None:
        now = time.monotonic()
        speed = line["games"] / max(now - self._clock, 1e-9)
        self._clock = now
        figures = (
            f"best {line['best']:.3f}  mean {line['mean']:.3f}  "
            f"size {line['size_mean']:.0f}  {speed:,.0f} games/s"
        )
        done = line["generation"] + 1
        self._progress.update(self._task, total=total, completed=done, figures=figures)
        if not self._console.is_terminal and (done % max(1, total // 10) == 0 or done == total):
            text = f"{self._title}: generation {done}/{total}  {figures}"
            self._console.print(text, soft_wrap=True)

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def stage(self, text: str) -> None:
        self._progress.update(self._task, description="finals", figures=text)
