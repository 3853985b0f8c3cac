from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ladder.errors import NotFound
from ladder.matches.replays import ReplayStore


def test_a_replay_is_published_only_on_request(tmp_path: Path) -> None:
    store = ReplayStore(tmp_path)
    with store.staged({1234: b"first"}) as keep:
        with pytest.raises(NotFound):
            store.read(1234)
        keep(1234)
    with store.staged({1234: b"second"}):
        pass
    assert store.read(1234) == b"first"
    del store, keep  # and so removes the folder of the store
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["1234.json.gz"]


@pytest.mark.parametrize("match_id", [0, -1, 10**18, 2**200])
def test_unknown_matches_have_no_replay(tmp_path: Path, match_id: int) -> None:
    with pytest.raises(NotFound):
        ReplayStore(tmp_path).read(match_id)


def test_leftovers_of_a_killed_server_are_swept(tmp_path: Path) -> None:
    """Files that a living server is writing stay."""
    store = ReplayStore(tmp_path)
    script = (
        "import os, sys, pathlib\nfrom ladder.matches.replays import ReplayStore\n"
        "with ReplayStore(pathlib.Path(sys.argv[1])).staged({5: b'half'}):\n    os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    (dead,) = (path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock")
    assert dead.read_bytes() == b"half"
    with store.staged({6: b"being written"}) as keep:
        store.sweep()
        keep(6)
    assert store.read(6) == b"being written"
    assert not dead.parent.exists()
    del store, keep
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["6.json.gz"]
