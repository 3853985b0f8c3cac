"""Where bots find their files, and what becomes of those that nobody needs any more."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.runner.sandbox.lodgings import furnish, make_lodging, remove_lodging, sweep


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_writable_by_none(tmp_path: Path) -> None:
    folder = make_lodging(tmp_path / "bots", None)
    before = os.umask(0o077)
    try:
        furnish(folder, {"bot.py": b"code", "lib/deep/a.py": b"x = 1", "lib/b.py": b""})
    finally:
        os.umask(before)
    assert (folder / "lib" / "deep" / "a.py").read_bytes() == b"x = 1"
    assert mode(folder) == 0o700
    assert mode(folder / "bot.py") == 0o444
    assert mode(folder / "lib" / "deep") == 0o755
    remove_lodging(folder)
    assert os.listdir(tmp_path / "bots") == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives folders away")
def test_a_folder_belongs_to_its_bot(tmp_path: Path) -> None:
    folder = make_lodging(tmp_path, 0x40000001)
    assert (folder.stat().st_uid, folder.stat().st_gid) == (0x40000001, 0x40000001)


def test_what_a_dead_worker_left_is_swept(tmp_path: Path) -> None:
    make = "from ladder.runner.sandbox.lodgings import *\nfrom pathlib import Path\nimport sys\n"
    make += "furnish(make_lodging(Path(sys.argv[1]), None), {'bot.py': b'code'})"
    subprocess.run([sys.executable, "-c", make, str(tmp_path)], check=True)
    ours = make_lodging(tmp_path, None)
    (tmp_path / ".cage-another_machine-99999999-x").mkdir()
    assert len(os.listdir(tmp_path)) == 3
    sweep(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([ours.name, ".cage-another_machine-99999999-x"])
