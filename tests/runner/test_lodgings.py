"""The folders of bots: their files and owners, and their removal."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ladder.errors import RunnerFailure
from ladder.runner.sandbox import user_ids
from ladder.runner.sandbox.identity import acting_as
from ladder.runner.sandbox.lodgings import furnish, make_lodging, sweep


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_writable_by_none(tmp_path: Path) -> None:
    lodging = make_lodging(tmp_path / "bots", own_user=False)
    folder = lodging.folder
    before = os.umask(0o077)
    try:
        furnish(folder, {"bot.py": b"code", "lib/deep/a.py": b"x = 1", "lib/b.py": b""})
    finally:
        os.umask(before)
    assert (folder / "lib" / "deep" / "a.py").read_bytes() == b"x = 1"
    assert mode(folder) == 0o700
    assert mode(folder / "bot.py") == 0o444
    assert mode(folder / "lib" / "deep") == 0o755
    lodging.remove()
    assert os.listdir(tmp_path / "bots") == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give folders to others")
def test_a_folder_belongs_to_its_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = user_ids.FIRST_BOT_UID + 5, user_ids.LAST_BOT_UID
    monkeypatch.setattr(user_ids, "candidates", lambda: iter((first, first, second)))
    lodgings = [make_lodging(tmp_path, own_user=True) for _ in range(2)]
    assert [lodging.uid for lodging in lodgings] == [first, second], "no user id is given twice"
    for lodging in lodgings:
        found = lodging.folder.stat()
        assert (found.st_uid, found.st_gid) == (lodging.uid, lodging.uid)
        lodging.remove()
    assert os.listdir(tmp_path) == []


SLOT = user_ids.FIRST_BOT_UID + 1


def lodging(tmp_path: Path) -> Path:
    """An empty folder of a bot, inside a folder of ours."""
    tmp_path.chmod(0o755)
    bots = tmp_path / "bots"
    bots.mkdir()
    folder = bots / "cage"
    folder.mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(folder, SLOT, SLOT)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "..",
        "a/../../x",
        "a/..",
        "/etc/x",
        "/",
        "",
        ".",
        "./x",
        "a//x",
        "a/",
        "a\0b",
        "lib/..",
    ],
)
def test_a_file_without_a_plain_name_is_not_written(name: str, tmp_path: Path) -> None:
    folder = lodging(tmp_path)
    with pytest.raises(RunnerFailure, match="no plain name"):
        furnish(folder, {"bot.py": b"code", name: b"evil"})
    assert os.listdir(folder) == []
    assert os.listdir(tmp_path) == ["bots"]


@pytest.mark.parametrize("name", ["lib", "lib/x", "lib/deep/x"])
def test_no_link_is_followed(name: str, tmp_path: Path) -> None:
    folder = lodging(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    outside.chmod(0o777)
    (folder / "lib").symlink_to(outside if "/" in name else outside / "x")
    with pytest.raises(FileExistsError):
        furnish(folder, {name: b"evil"})
    assert os.listdir(outside) == []


def test_the_folder_itself_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(lodging(tmp_path))
    with pytest.raises(OSError, match="link"):
        furnish(tmp_path / "link", {"bot.py": b"code"})


@pytest.mark.skipif(os.getuid() != 0, reason="only root acts as somebody else")
def test_files_belong_to_the_bot(tmp_path: Path) -> None:
    folder = lodging(tmp_path)
    furnish(folder, {"bot.py": b"code", "lib/a.py": b""})
    for path in (folder / "bot.py", folder / "lib", folder / "lib" / "a.py"):
        assert (path.stat().st_uid, path.stat().st_gid) == (SLOT, SLOT)


@pytest.mark.skipif(os.getuid() != 0, reason="only root acts as somebody else")
def test_acting_as_a_bot_has_no_rights_of_root_and_ends(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "ours").mkdir(mode=0o755)
    with pytest.raises(PermissionError), acting_as(SLOT, SLOT):
        (tmp_path / "ours" / "x").touch()
    assert os.listdir(tmp_path / "ours") == []
    (tmp_path / "ours" / "x").touch()
    assert (tmp_path / "ours" / "x").stat().st_uid == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root acts as somebody else")
def test_only_the_thread_that_acts_is_changed(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # starts the thread
        with acting_as(SLOT, SLOT):
            pool.submit((tmp_path / "x").touch).result()
    assert (tmp_path / "x").stat().st_uid == 0


MAKE = """
import os, signal, sys
from pathlib import Path
from ladder.runner.sandbox.lodgings import furnish, make_lodging
lodging = make_lodging(Path(sys.argv[1]), own_user=False)
furnish(lodging.folder, {"bot.py": b"code"})
print(lodging.folder.name, flush=True)
sys.stdin.read()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_folders_of_dead_workers_are_swept(tmp_path: Path) -> None:
    """Also folders of other containers, which have other host names and process ids."""
    container = ["unshare", "--uts", "--pid", "--fork"] if os.getuid() == 0 else []
    rename = "import socket, os; os.getuid() or socket.sethostname('another')\n"
    workers = [
        subprocess.Popen(
            [*container, sys.executable, "-c", rename + MAKE, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    dead, alive = (worker.stdout.readline().strip() for worker in workers if worker.stdout)
    ours = make_lodging(tmp_path, own_user=False)
    workers[0].communicate()
    assert len(os.listdir(tmp_path)) == 6  # folders and their locks
    sweep(tmp_path)
    assert not (tmp_path / dead).exists()
    assert (tmp_path / alive / "bot.py").read_bytes() == b"code"
    assert ours.folder.exists()
    ours.remove()
    workers[1].communicate()
    sweep(tmp_path)
    assert os.listdir(tmp_path) == []
