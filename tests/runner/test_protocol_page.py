"""The bots in the documentation play."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ladder.runner.referee import play
from ladder.runner.sandbox import Sandbox
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 2


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
@pytest.mark.parametrize("game", ["reversi", "connect-four"])
def test_example_plays(number: int, game: str, sandbox: Sandbox, bots: Path) -> None:
    example = Entrant("example", Kind.PYTHON, "0" * 64, EXAMPLES[number].encode())
    report = play(MatchJob(1, 1, game, 5, (example, example)), sandbox, bots)
    assert report.verdict.ending is Ending.COMPLETED, report.seats


def test_page_names_every_ending_and_field() -> None:
    text = PAGE.read_text()
    for ending in set(Ending) - {Ending.COMPLETED}:
        assert f"`{ending}`" in text
    assert f"{Limits().start_ms // 1000} s of CPU time" in text
