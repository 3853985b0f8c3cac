"""Recordings of the real Robocode 1.9.3.9: traces, start places, leagues and melees.

All files of these kinds in the data folder are replayed.
"""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from tank_traces import TraceReplay

from engines.games.tanks import entry, layout
from engines.games.tanks.battle import battle
from engines.games.tanks.roster import BOTS

DATA = Path(__file__).parents[2] / "data" / "tanks"

pytestmark = pytest.mark.golden


def _kinds() -> dict[str, list[Path]]:
    """The files by kind; files of unknown kinds are ignored."""
    kinds: dict[str, list[Path]] = {"trace": [], "league": [], "melee": [], "placements": []}
    for path in sorted(DATA.iterdir()):
        stem = path.name.split(".")[0].split("_")[0]
        if path.name.endswith(".jsonl.gz"):
            kinds["trace"].append(path)
        elif path.suffix == ".json" and stem in kinds:
            kinds[stem].append(path)
        elif path.name != "index.json":
            warnings.warn(f"unknown golden file {path.name}", stacklevel=1)
    return kinds


KINDS = _kinds()


def _bots(names: list[str]) -> list[str] | None:
    """The names of house bots, or None if one of them is not a house bot."""
    short = [name.removeprefix("sample.") for name in names]
    return short if all(name in BOTS for name in short) else None


def _battles(kind: str, key: str) -> list[Any]:
    cases = []
    for path in KINDS[kind]:
        content = json.loads(path.read_text())
        for case in content[key]:
            bots = _bots(case["robots"])
            if bots and case.get("repeatable", True):
                name = "-".join(bots[:2]) if len(bots) == 2 else str(case["seed"])
                cases.append(
                    pytest.param(content, case, bots, id=f"tank-{path.stem}-{name}-{case['seed']}")
                )
    return cases


@pytest.mark.parametrize(
    "path", KINDS["trace"], ids=lambda path: f"tank-{path.name.removesuffix('.jsonl.gz')}"
)
def test_trace(path: Path) -> None:
    replay = TraceReplay(path)
    if replay.strangers:
        pytest.skip(f"no house bots: {', '.join(replay.strangers)}")
    replay.run()


@pytest.mark.parametrize("path", KINDS["placements"], ids=lambda path: f"tank-{path.stem}")
def test_start_places(path: Path) -> None:
    for case in json.loads(path.read_text())["cases"]:
        worlds = layout.new_worlds(case["robots"], *case["field"], 1, 0.1, 450)
        entry.begin(worlds, case["seed"])
        places = [
            [tank["x"], tank["y"], tank["body"]] for tank in worlds["tanks"][0, : case["robots"]]
        ]
        assert places == case["start"]


def _check(content: Any, case: Any, bots: list[str]) -> None:
    width, height = content["field"]
    result = battle(
        bots,
        case["seed"],
        content["rounds"],
        width,
        height,
        content.get("gunCoolingRate", 0.1),
        content.get("inactivityTime", 450),
    )
    for number, (*scores, turns) in enumerate(case["perRound"]):
        assert result.turns[number] == turns, f"round {number}"
        for ours, theirs in zip(result.rounds[number], scores, strict=True):
            # The file has four digits.
            digits = 3 - math.floor(math.log10(abs(theirs))) if theirs else 1
            assert abs(ours - theirs) <= 0.51 * 10**-digits, f"round {number}"
    for columns, wanted in zip(result.columns, case["results"], strict=True):
        assert columns == {name: wanted[name] for name in columns}


@pytest.mark.parametrize(("content", "case", "bots"), _battles("league", "pairings"))
def test_league(content: Any, case: Any, bots: list[str]) -> None:
    _check(content, case, bots)


@pytest.mark.parametrize(("content", "case", "bots"), _battles("melee", "battles"))
def test_melee(content: Any, case: Any, bots: list[str]) -> None:
    _check(content, case, bots)
