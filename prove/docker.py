"""Builds the image, runs the compose file with a real Docker engine, and checks the result.

    python -m prove.docker [--source FOLDER]

It needs root on Debian. It installs only tools from Debian, and removes the engine with all its
images at the end. Two worker containers play bots that start threads: each bot must have its own
user id. Containers are killed, and their successors must remove the leftovers in the volume.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from prove.harness.engine import Engine, NoEngine, engine

ROOT = Path(__file__).parent.parent
TOOLS = ("mmdebstrap", "runc", "iptables", "slirp4netns")
PASSWORD = "a/b@c:d%e#f?g"
IMAGE = "evoladder"
WORKERS = 2
BOTS = 6
WATCH_SECONDS = 40
SWEEP_SECONDS = 60
THREADS = 12
"""Threads of one bot: two bots with the same user id would exceed the limit of 16."""

BOT = f"""
import threading, time
stop = threading.Event()
def agent(observation, configuration):
    while threading.active_count() <= {THREADS}:
        threading.Thread(target=stop.wait, daemon=True).start()
    time.sleep(0.03)
    return observation["legal"][0]
"""
FETCH = """
import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())
"""
# Reads all processes of the engine; prints the user ids of bots with threads by container, and the
# most containers at one moment.
WATCH = """
import json, sys, time
from pathlib import Path
seconds, first_uid, threads = map(int, sys.argv[1:])
pairs, most, shared = set(), 0, set()
end = time.monotonic() + seconds
while time.monotonic() < end:
    now = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            lines = (folder / "status").read_text().splitlines()
            status = dict(line.split(":", 1) for line in lines)
            uid, count = int(status["Uid"].split()[0]), int(status["Threads"])
            if uid >= first_uid and count > threads:
                now.add((uid, (folder / "cgroup").read_text().rpartition("/")[2].strip()))
        except (OSError, KeyError):
            continue
    uids = [uid for uid, _ in now]
    shared |= {uid for uid in uids if uids.count(uid) > 1}
    most = max(most, len({container for _, container in now}))
    pairs |= now
    time.sleep(0.02)
print(json.dumps({"bots": len(pairs), "containers": most, "shared": sorted(shared)}))
"""
FIRST_UID = 0x40000000
# Prints the folders of bots that nobody holds a lock on: their owners have died.
ABANDONED = """
import fcntl
from pathlib import Path
for lock in Path("/data/bots").glob(".cage-*.lock"):
    try:
        with lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            print(lock.stem)
    except (BlockingIOError, FileNotFoundError):
        pass
"""


@dataclass(frozen=True)
class Project:
    """The compose project of one source tree."""

    engine: Engine
    source: Path

    def compose(self, *words: str) -> str:
        folder = self.source / "docker"
        command = ("docker", "compose", *words)
        return self.engine.run(*command, cwd=folder, POSTGRES_PASSWORD=PASSWORD).stdout

    def ladder(self, *words: str, **variables: str) -> str:
        """Run a command in the container of the server."""
        given = (word for name, value in variables.items() for word in ("-e", f"{name}={value}"))
        return self.compose("exec", "-T", *given, "server", "ladder", *words).strip()

    def write_bot(self) -> None:
        write = f"open('/tmp/bot.py', 'w').write({BOT!r})"
        self.compose("exec", "-T", "server", "python", "-c", write)

    def query(self, statement: str) -> list[str]:
        psql = ("psql", "-h", "127.0.0.1", "-U", "ladder", "-At", "-c", statement)
        given = ("-e", f"PGPASSWORD={PASSWORD}", "database")
        return self.compose("exec", "-T", *given, *psql).split()

    def abandoned(self) -> set[str]:
        return set(self.compose("exec", "-T", "server", "python", "-c", ABANDONED).split())

    def doctor(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = ("docker", "run", "--rm", "--tmpfs", "/tmp", *options, IMAGE, "doctor")
        return self.engine.run(*command, check=False)


def build(project: Project) -> list[str]:
    project.compose("config", "--quiet")
    began = time.monotonic()
    project.compose("build")
    cold = time.monotonic() - began
    changed = project.source / "ladder/__init__.py"
    changed.write_text(changed.read_text() + "# one line more\n")
    began = time.monotonic()
    project.compose("build")
    again = time.monotonic() - began
    print(f"built in {cold:.0f} s; after a change of one line in {again:.1f} s")
    return ["a change of one line compiles the games again"] if again > cold / 3 else []


def start(project: Project) -> list[str]:
    began = time.monotonic()
    project.compose("up", "--detach", "--wait", "--scale", f"worker={WORKERS}")
    health = project.engine.run(sys.executable, "-c", FETCH, "http://127.0.0.1:8080/healthz").stdout
    print(f"up and healthy after {time.monotonic() - began:.0f} s: {health.strip()}")
    told = project.ladder("doctor").splitlines()
    wanted = ("uploaded bots run in tier B", "native bots: run in tier B")
    return [] if set(wanted) <= set(told) else told


def play_threads(project: Project) -> list[str]:
    """Play bots with threads in all containers at once; they must not disturb each other."""
    token = project.ladder("account", "create", "ada").splitlines()[-1]
    project.write_bot()
    for number in range(BOTS):
        words = ("submit", "/tmp/bot.py", "--game", "connect-four", "--no-wait")
        project.ladder(*words, "--name", f"threads{number}", LADDER_TOKEN=token)
    numbers = map(str, (WATCH_SECONDS, FIRST_UID, THREADS))
    seen = json.loads(project.engine.run(sys.executable, "-c", WATCH, *numbers).stdout)
    endings = project.query(
        "SELECT ending, count(*) FROM matches WHERE status = 'finished' GROUP BY ending"
    )
    most = seen["containers"]
    print(f"{seen['bots']} bots with threads, in {most} containers at once; {endings}")
    wrong = [f"user id {uid} was in two containers" for uid in seen["shared"]]
    if most < WORKERS:
        wrong.append("bots with threads did not run in two containers at once")
    if any(not ending.startswith("completed") for ending in endings):
        wrong.append(f"bots failed: {endings}")
    return wrong


def play_by_hand(project: Project) -> list[str]:
    project.ladder("play", "connect-four", "/tmp/bot.py", "random", "--games", "2")
    (match,) = project.query(
        "SELECT max(matches.id) FROM matches JOIN seats ON match_id = matches.id "
        "JOIN bots ON bots.id = bot_id WHERE status = 'finished' AND name LIKE 'threads%'"
    )
    print(project.ladder("replay", "verify", match))
    return []


def kill_workers(project: Project) -> list[str]:
    project.compose("kill", "--signal", "KILL", "worker")
    # Not all folders in the volume: the server keeps some ready for later bots, for minutes.
    if not (dead := project.abandoned()):
        return ["killed workers left no folders, so nothing shows that they are removed"]
    project.compose("up", "--detach", "--force-recreate", "--scale", f"worker={WORKERS}", "worker")
    deadline = time.monotonic() + SWEEP_SECONDS
    while left := project.abandoned() & dead:
        if time.monotonic() > deadline:
            return [f"killed workers left {len(left)} folders for ever"]
        time.sleep(1)
    print(f"killed workers left {len(dead)} folders in the volume; all are gone")
    return []


def consult_doctor(project: Project) -> list[str]:
    wrong = []
    whole = project.doctor("--privileged")
    if "uploaded bots run in tier A" not in whole.stdout:
        wrong.append(f"privileged: {whole.stdout[-500:]}")
    capabilities = ("SETUID", "SETGID", "KILL", "CHOWN")
    few = project.doctor("--cap-drop=ALL", *(f"--cap-add={name}" for name in capabilities))
    if few.returncode != 1 or "DAC_OVERRIDE" not in few.stdout or "Traceback" in few.stderr:
        wrong.append(f"without DAC_OVERRIDE: {few.stdout[-500:]} {few.stderr[-500:]}")
    return wrong


def stop(project: Project) -> list[str]:
    began = time.monotonic()
    project.compose("stop")
    states = project.compose("ps", "--all", "--format", "{{.Name}} {{.ExitCode}}").splitlines()
    sizes = project.engine.run("docker", "images", "--format", "{{.Repository}} {{.Size}}").stdout
    print(f"stopped in {time.monotonic() - began:.0f} s; {', '.join(sizes.splitlines())}")
    return [f"{state} is its exit status" for state in states if not state.endswith(" 0")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=ROOT, help="a tree with a docker/ folder")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    subprocess.run([ROOT / "setup/apt.sh", *TOOLS], check=True)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="ladder-source-") as name:
        source = Path(name) / "source"
        ignored = shutil.ignore_patterns(".git", ".venv", "var", "tests", "prove", "docs", "bench")
        shutil.copytree(options.source, source, ignore=ignored)
        try:
            with engine() as running:
                project = Project(running, source)
                for part in (
                    build,
                    start,
                    play_threads,
                    play_by_hand,
                    kill_workers,
                    consult_doctor,
                    stop,
                ):
                    wrong += part(project)
        except NoEngine as error:
            wrong = [f"a Docker engine cannot be run here: {error}"]
    if wrong:
        raise SystemExit("\n".join(wrong))
    print("the containers work as they should")


if __name__ == "__main__":
    main()
