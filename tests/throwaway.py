"""A PostgreSQL server that lives as long as a block of code."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def _programs() -> Path:
    """The newest PostgreSQL installed; Debian keeps its server programs off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    assert initdb, "PostgreSQL is not installed; `make test` installs it"
    return Path(initdb).parent


class Postgres:
    """A server with a folder of its own; it can be stopped and started again."""

    def __init__(self, folder: Path, durable: bool) -> None:
        self.url = f"postgresql+psycopg://ladder@/{{name}}?host={folder}"
        """With `{name}` in place of the database."""
        self._folder = folder
        self._data = str(folder / "data")
        self._as_user: list[str] = []
        if os.geteuid() == 0:  # it refuses to run as root
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            ids = [f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
            self._as_user = ["setpriv", *ids]
        self._options = f"-k {folder} -c listen_addresses= -c fsync={'on' if durable else 'off'}"
        auth = ("-A", "trust", "-U", "ladder", "-E", "UTF8", "--no-sync")
        self._run("initdb", "-D", self._data, *auth)
        self.start()

    def _run(self, program: str, *args: str) -> None:
        command = [*self._as_user, str(_programs() / program), *args]
        subprocess.run(command, check=True, cwd=self._folder, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        log = str(self._folder / "log")
        self._run("pg_ctl", "-D", self._data, "-w", "-o", self._options, "-l", log, "start")

    def stop(self) -> None:
        """Stop it at once, like a failure of its machine."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "stop")

    def kill(self) -> None:
        """Kill all of its processes with -9 at once."""
        note = self._folder / "data/postmaster.pid"
        first = note.read_text().split()[0]
        os.kill(int(first), signal.SIGSTOP)  # so that it cannot fork again
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in (first, *children):
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        while any(_runs(pid) for pid in (first, *children)):
            time.sleep(0.01)
        # The next server would take a process that is dead but not reaped for a running server.
        for lock in (note, *self._folder.glob(".s.PGSQL.*.lock")):
            lock.unlink()


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def postgres_cluster(durable: bool = False) -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="ladder-pg-"))
    server = Postgres(folder, durable)
    try:
        yield server
    finally:
        try:
            server.stop()
        finally:
            shutil.rmtree(folder)


@contextmanager
def postgres_server(durable: bool = False) -> Iterator[str]:
    """Yields its URL with `{name}` in place of the database."""
    with postgres_cluster(durable) as server:
        yield server.url
