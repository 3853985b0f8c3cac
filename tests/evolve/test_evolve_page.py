"""The examples of docs/evolve.md run, and it names all domains and options."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from evolve import cli, domains

PAGE = (Path(__file__).parents[2] / "docs" / "evolve.md").read_text()
EXAMPLES = re.findall(r"```python\n(# ([^\n]+)\n.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("code", "title"), EXAMPLES, ids=[title for _, title in EXAMPLES])
def test_examples_run(code: str, title: str) -> None:
    shown = io.StringIO()
    names: dict[str, object] = {"__name__": "example"}
    with redirect_stdout(shown):
        exec(code, names)
    assert shown.getvalue()
    if title == "a new domain":
        report = names["report"]
        share = report["finals"]["guides"][0]["share"]  # type: ignore[index]
        assert share > 0.55, "it has learnt to beat its guide"


def test_the_new_domain_is_short() -> None:
    code = next(code for code, title in EXAMPLES if title == "a new domain")
    lines = [line for line in code.splitlines() if line.strip() and "import" not in line]
    assert len(lines) <= 55


def test_commands_and_domains_are_named() -> None:
    assert re.findall(r"^evolve (\w+)", PAGE, re.MULTILINE)
    for command in cli._parser()._subparsers._group_actions[0].choices:  # type: ignore[union-attr]
        assert f"evolve {command}" in PAGE
    assert all(f"`{name}`" in PAGE for name in domains.NAMES)
