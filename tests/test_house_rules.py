"""House rules for code that no linter checks."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("engines", "evolve", "ladder")
CODE = (*PACKAGES, "bench", "docs", "migrations", "prove", "tests")
UPLOADS = (ROOT / "tests/hostile/attacks", ROOT / "tests/runner/bots")
"""Bots that break rules on purpose; some are no Python."""


def _trees(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not any(path.is_relative_to(folder) for folder in UPLOADS):
                yield path.relative_to(ROOT), ast.parse(path.read_text())


def _splats(tree: ast.AST) -> list[int]:
    """Lines of calls such as `f(*(a, b), c)`: they hide which argument is which."""
    return [
        argument.lineno
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for argument in call.args
        if isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Tuple | ast.List)
    ]


@pytest.mark.parametrize("call", ["f(*(a, b), c)", "f(a, *[b, c])"])
def test_splats_are_found(call: str) -> None:
    assert _splats(ast.parse(call)) == [1]
    assert _splats(ast.parse("f(*words, *named(a), [*(a, b)])")) == []


def test_calls_splat_no_literals() -> None:
    found = [f"{path}:{line}" for path, tree in _trees(*CODE) for line in _splats(tree)]
    assert found == []


def test_a_class_name_has_one_meaning() -> None:
    places = defaultdict(set)
    for path, tree in _trees(*PACKAGES):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(str(path))
    assert len(places) > 300
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
