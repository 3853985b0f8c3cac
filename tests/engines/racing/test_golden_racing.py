"""Recordings of the real RARS: traces of one and of many cars, and the shapes of tracks.

All files of these kinds in the data folder are replayed. The states agree to the last bit.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from race_traces import MOVED, OBSERVED, TraceReplay

from engines.games.racing import tracks

DATA = Path(__file__).parents[2] / "data" / "racing"

pytestmark = pytest.mark.golden


def _stem(path: Path) -> str:
    return f"racing-{path.name.split('.')[0]}"


@pytest.mark.parametrize("path", sorted(DATA.glob("*.csv.gz")), ids=_stem)
def test_trace(path: Path) -> None:
    replay = TraceReplay(path)
    states = replay.run()
    for tick, car, column in np.argwhere(states != replay.wanted)[:1]:
        name = (*OBSERVED, *MOVED)[column]
        ours, theirs = states[tick, car, column], replay.wanted[tick, car, column]
        pytest.fail(f"tick {tick}, car {car}, {name}: {ours!r}, not {theirs!r}")


@pytest.mark.parametrize("path", sorted(DATA.glob("*.csv.gz")), ids=_stem)
def test_the_summary_of_a_trace(path: Path) -> None:
    replay = TraceReplay(path)
    replay.run()
    for car, wanted in zip(replay.worlds["cars"][0], replay.about["summary"]["cars"], strict=False):
        assert car["lap_times"][: wanted["laps"]].tolist() == wanted["lap_times"]
        assert (max(car["laps"], 0), car["damage"]) == (wanted["laps"], wanted["damage"])
        assert (car["fuel"], car["pit_stops"]) == (wanted["fuel"], wanted["pit_stops"])


@pytest.mark.parametrize("path", sorted((DATA / "tracks").glob("*.json")), ids=_stem)
def test_track(path: Path) -> None:
    wanted = json.loads(path.read_text())
    track = tracks.load(wanted["name"])[0]
    assert (track["count"], track["width"], track["length"]) == (
        wanted["nseg"],
        wanted["width"],
        wanted["length"],
    )
    for ours, theirs in zip(track["segments"], wanted["segments"], strict=False):
        assert (ours["right"], ours["left"]) == (theirs["rgt_radius"], theirs["lft_radius"])
        assert (ours["length"], ours["distance"]) == (theirs["length"], theirs["seg_dist"])
        assert (ours["begin"], ours["end"]) == (theirs["beg_ang"], theirs["end_ang"])
        assert [ours["x"], ours["y"]] == theirs["rgt_beg"]
        assert [ours["left_x"], ours["left_y"]] == theirs["lft_beg"]
