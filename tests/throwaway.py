"""A PostgreSQL server that lives as long as a block of code."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def _programs() -> Path:
    """The newest PostgreSQL installed; Debian keeps its server programs off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    assert initdb, "PostgreSQL is not installed; `make test` installs it"
    return Path(initdb).parent


@contextmanager
def postgres_server(durable: bool = False) -> Iterator[str]:
    """Yields its URL with `{name}` in place of the database."""
    folder = Path(tempfile.mkdtemp(prefix="ladder-pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:  # it refuses to run as root
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        ids = [f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
        as_user = ["setpriv", *ids]

    def run(program: str, *args: str) -> None:
        command = [*as_user, str(_programs() / program), *args]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)

    data = str(folder / "data")
    run("initdb", "-D", data, "-A", "trust", "-U", "ladder", "-E", "UTF8", "--no-sync")
    options = f"-k {folder} -c listen_addresses= -c fsync={'on' if durable else 'off'}"
    run("pg_ctl", "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start")
    try:
        yield f"postgresql+psycopg://ladder@/{{name}}?host={folder}"
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)
