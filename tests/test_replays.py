"""Packs of replays: documents are read back, torn ones are noticed, open packs are locked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ladder.errors import DamagedReplay, NotFound
from ladder.matches import replays as module
from ladder.matches.replays import ReplayStore
from ladder.values import Interest, Place

LADDER = Interest.LADDER


def test_many_replays_lie_in_one_pack_for_each_interest(tmp_path: Path) -> None:
    store = ReplayStore(tmp_path)
    first = store.append({5: (LADDER, b"five"), 6: (Interest.HOUSE, b"six"), 7: (LADDER, b"7")})
    then = store.append({8: (LADDER, b"eight")})
    assert {pack.interest for pack in first.packs} == {LADDER, Interest.HOUSE}
    assert sorted(pack.replays for pack in first.packs) == [1, 2]
    places = {**first.places, **then.places}
    told = {number: store.read(number, place) for number, place in places.items()}
    assert told == {5: b"five", 6: b"six", 7: b"7", 8: b"eight"}
    assert len(store.sizes()) == 2
    (pack,) = then.packs
    assert store.sizes()[pack.id] == pack.bytes
    assert store.matches_in(store.pack_path(pack.id)) == [5, 7, 8]
    with pytest.raises(DamagedReplay):
        store.read(7, places[5])


def test_an_empty_replay_is_none(tmp_path: Path) -> None:
    store = ReplayStore(tmp_path)
    assert store.append({5: (LADDER, b"")}) == module.Appended({}, [])
    assert store.sizes() == {}
    store.packs.mkdir()
    (store.packs / "notes.pack").touch()
    assert store.sizes() == {}, "files of others are not packs"


def test_a_file_of_an_earlier_release_is_read(tmp_path: Path) -> None:
    store = ReplayStore(tmp_path)
    path = store.path(1234)
    path.parent.mkdir()
    path.write_bytes(b"old")
    assert store.read(1234) == b"old"
    assert str(path).endswith("000001/1234.json.gz")


@pytest.mark.parametrize("match_id", [0, -1, 10**18, 2**200])
def test_unknown_matches_have_no_replay(tmp_path: Path, match_id: int) -> None:
    with pytest.raises(NotFound):
        ReplayStore(tmp_path).read(match_id)
    with pytest.raises(NotFound):
        ReplayStore(tmp_path).read(match_id, Place(1, 0, 10))


@pytest.mark.parametrize("kept", range(24, 44, 3))
def test_a_torn_pack_is_noticed(tmp_path: Path, kept: int) -> None:
    """The first document ends at byte 24 of 48; the second is torn at every place."""
    store = ReplayStore(tmp_path)
    places = store.append({1: (LADDER, b"four"), 2: (LADDER, b"more")}).places
    path = store.pack_path(places[1].pack_id)
    assert path.stat().st_size == 48
    path.write_bytes(path.read_bytes()[:kept])
    assert store.read(1, places[1]) == b"four"
    with pytest.raises(DamagedReplay, match="in its pack"):
        store.read(2, places[2])
    path.write_bytes(path.read_bytes()[:kept].ljust(48, b"\0"))
    with pytest.raises(DamagedReplay):
        store.read(2, places[2])


def test_a_pack_is_claimed_only_when_nobody_appends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = ReplayStore(tmp_path), ReplayStore(tmp_path)
    (pack,) = store.append({1: (LADDER, b"one")}).packs
    with other.claimed(pack.id) as path:
        assert path is None
    monkeypatch.setattr(module, "PACK_BYTES", 10)
    assert store.append({2: (LADDER, b"two")}).packs[0].id != pack.id, "a full one is left"
    with other.claimed(pack.id) as path:
        assert path == store.pack_path(pack.id)
    monkeypatch.setattr(module, "PACK_SECONDS", 0.0)
    assert len({store.append({n: (LADDER, b"x")}).packs[0].id for n in range(3)}) == 3
    with other.claimed(77) as path:
        assert path is None


def test_a_file_system_without_locks_does_not_stop_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(module.fcntl, "flock", no_locks)
    store = ReplayStore(tmp_path)
    (pack,) = store.append({5: (LADDER, b"five")}).packs
    with store.claimed(pack.id) as path:
        assert path is None, "it is young, so somebody may append to it"
    monkeypatch.setattr(module, "PACK_SECONDS", -9.0)
    with store.claimed(pack.id) as path:
        assert path is not None


def test_a_killed_writer_leaves_a_pack_that_can_be_claimed(tmp_path: Path) -> None:
    script = (
        "import os, sys, pathlib\nfrom ladder.matches.replays import ReplayStore\n"
        "from ladder.values import Interest\n"
        "store = ReplayStore(pathlib.Path(sys.argv[1]))\n"
        "store.append({5: (Interest.LADDER, b'half')})\nos._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    store = ReplayStore(tmp_path)
    (pack,) = store.sizes()
    with store.claimed(pack) as path:
        assert path is not None
        assert store.matches_in(path) == [5]


def test_a_failed_write_ends_the_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ReplayStore(tmp_path)
    (pack,) = store.append({1: (LADDER, b"one")}).packs

    def full(descriptor: int, data: bytes) -> None:
        module.os.write(descriptor, data[:9])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(module, "_write", full)
        with pytest.raises(OSError, match="No space"):
            store.append({2: (LADDER, b"two")})
    again = store.append({2: (LADDER, b"two")})
    assert again.packs[0].id != pack.id
    assert store.read(2, again.places[2]) == b"two"
