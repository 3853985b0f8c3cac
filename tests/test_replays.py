from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ladder.errors import NotFound
from ladder.replays import ReplayStore


def test_a_replay_takes_its_place_only_when_told(tmp_path: Path) -> None:
    store = ReplayStore(tmp_path)
    with store.staged(1234, b"first") as staged:
        with pytest.raises(NotFound):
            store.read(1234)
        staged.keep()
    with store.staged(1234, b"second"):
        pass
    assert store.read(1234) == b"first"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["1234.json.gz"]


@pytest.mark.parametrize("match_id", [0, -1, 10**18, 2**200])
def test_what_is_not_there_is_not_found(tmp_path: Path, match_id: int) -> None:
    with pytest.raises(NotFound):
        ReplayStore(tmp_path).read(match_id)


def test_leftovers_of_a_killed_server_are_swept(tmp_path: Path) -> None:
    store = ReplayStore(tmp_path)
    folder = store.path(5).parent
    folder.mkdir()
    old, new = folder / ".incoming-old", folder / ".incoming-new"
    for leftover in (old, new):
        leftover.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    store.sweep()
    assert not old.exists()
    assert new.exists(), "it may belong to another server that is writing it now"
