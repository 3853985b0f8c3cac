"""CONTRIBUTING's "Adding a game" names exactly the files that a new game needs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_folder import ROOT, SAMPLES, UNCOMPILED, environment

NAME = "three_in_a_row"

DESCRIBED = """
## Three in a Row

`three-in-a-row` is played on 3x3 squares. House bots: `random`, `greedy`, `search-2`, `search-3`,
`search-5`, `perfect`.

```python
# bot: three-in-a-row
def agent(observation, configuration):
    return max(observation["legal"], key=lambda move: move == "b2")
```
"""

TESTED = f"""
from engines.games.{NAME} import THREE_IN_A_ROW


def test_a_line_wins() -> None:
    end = THREE_IN_A_ROW.outcome(THREE_IN_A_ROW.from_position("xxxoo.... o"))
    assert end is not None
    assert end.scores == (1.0, 0.0)
"""

GENERIC = (
    "tests/engines/test_conformance.py",
    "tests/engines/test_kernels.py",
    "tests/engines/test_players.py",
    "tests/engines/test_contests.py",
    "tests/engines/test_board_programs.py",
    "tests/engines/test_games_page.py",
    "tests/engines/test_warmup.py",
    "tests/test_docs.py",
    "tests/test_program_uploads.py",
)
"""Tests that check every game."""

CHOSEN = "three-in-a-row or found_by_name or one_family or bots_to_try or line_wins or games_page"


def _after(text: str, mark: str, added: str) -> str:
    assert text.count(mark) == 1, mark
    return text.replace(mark, mark + added)


def add_sample(tree: Path) -> None:
    """Make the board game of docs/own-games one of Evoladder's own."""
    shutil.copy(SAMPLES / f"own_games/{NAME}.py", tree / f"engines/games/{NAME}.py")
    (tree / f"tests/engines/games/test_{NAME}.py").write_text(TESTED)
    catalogue = tree / "engines/games/__init__.py"
    text = _after(
        catalogue.read_text(),
        "from engines.competition import Competition\n",
        f"from engines.games.{NAME} import THREE_IN_A_ROW\n",
    )
    catalogue.write_text(
        _after(text, "BUILT_IN: tuple[Competition, ...] = (\n", "    THREE_IN_A_ROW,\n")
    )
    for page, added in (
        ("docs/games.md", DESCRIBED),
        ("README.md", "Three in a Row is played, too."),
        ("CHANGELOG.md", "- Three in a Row."),
    ):
        with (tree / page).open("a") as file:
            file.write(f"{added}\n")


def contents(tree: Path) -> dict[str, bytes]:
    files = (path for path in tree.rglob("*") if path.is_file())
    return {str(path.relative_to(tree)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project."""
    folder = tmp_path_factory.mktemp("project") / "tree"
    left_out = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "var", "images")
    shutil.copytree(ROOT, folder, ignore=left_out)
    shutil.copytree(ROOT / "docs/images", folder / "docs/images")
    return folder


def check(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run the generic tests on the new game."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN),
            *("--basetemp", str(tree.parent / "pytest")),
            *(*GENERIC, f"tests/engines/games/test_{NAME}.py"),
        ],
        cwd=tree,
        # Uncompiled, because the copy would compile everything again.
        env=environment(tree, **UNCOMPILED),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.slow
def test_the_listed_files_are_those_that_a_new_game_touches(tree: Path) -> None:
    before = contents(tree)
    add_sample(tree)
    after = contents(tree)
    touched = {path for path in after if after[path] != before.get(path)}

    part = (ROOT / "CONTRIBUTING.md").read_text().split("## Adding a game\n")[1].split("\n## ")[0]
    listed = re.findall(r"^\d+\. `(\S+)`", part, re.MULTILINE)
    assert sorted(path.replace("NAME", NAME) for path in listed) == sorted(touched)

    done = check(tree)
    assert done.returncode == 0, done.stdout[-5000:]
    assert "test_three_in_a_row" not in done.stdout  # only failures are named
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) > 25

    (tree / "docs/games.md").write_bytes(before["docs/games.md"])
    forgotten = check(tree)
    assert forgotten.returncode == 1
    assert "test_games_and_bots_are_described[three-in-a-row]" in forgotten.stdout
    assert "test_there_are_bots_to_try" in forgotten.stdout
