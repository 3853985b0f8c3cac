"""Temporary folders and their locks."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ladder.host import temporary_folders


def test_bots_can_enter_a_scratch_folder_and_it_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the server is root, bots of tier B are other users."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folders.scratch("play-") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o755
        temporary_folders.sweep(tmp_path, "play-")
        assert folder.exists()
        (folder / "file").write_text("x")
    assert os.listdir(tmp_path) == []


def test_scratch_folders_of_the_dead_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "import os\n"
        "from ladder.host import temporary_folders\n"
        "with temporary_folders.scratch('play-'): os._exit(9)"
    )
    variables = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], env=variables, check=False)
    assert len(os.listdir(tmp_path)) == 2
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folders.scratch("play-") as folder:
        assert [path for path in tmp_path.iterdir() if path.is_dir()] == [folder]


def test_a_name_is_given_once(tmp_path: Path) -> None:
    first = temporary_folders.hold(tmp_path, iter(["a", "b"]))
    second = temporary_folders.hold(tmp_path, iter(["a", "b"]))
    assert [first.path.name, second.path.name] == ["a", "b"]
    with pytest.raises(FileExistsError, match="no name is left"):
        temporary_folders.hold(tmp_path, iter(["a", "b"]))
    first.remove()
    third = temporary_folders.hold(tmp_path, iter(["a", "b"]))
    assert third.path.name == "a"
    second.remove()
    third.remove()


def test_without_locks_nothing_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int, __: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)
    held = temporary_folders.hold(tmp_path, iter(["a"]))
    temporary_folders.sweep(tmp_path, "")
    assert held.path.exists()
    held.remove()
    assert os.listdir(tmp_path) == []
