"""A temporary Docker engine in its own namespaces and folder, which leaves no traces.

The engine comes from Debian's packages, unpacked and not installed. No image registry is needed:
the base images are stand-ins made from Debian's packages (`images/`).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

IMAGES = Path(__file__).with_name("images")
STAND_INS = {"python": "python:3.12-slim-bookworm", "postgres": "postgres:16-bookworm"}
BASE = "debian-with-python"
RELEASE, ENGINE_RELEASE = "bookworm", "trixie"
"""Release of Debian; the older one has no Docker Compose."""
ENGINE_PACKAGES = (
    "docker.io",
    "docker-cli",
    "docker-compose",
    "docker-buildx",
    "containerd",
    "tini",
)
BASE_PACKAGES = "ca-certificates,netbase,tzdata,python3,python3-pip,python3-venv"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
START_SECONDS = 60

# The first process of the namespaces. It waits for the network, which is created outside.
_BOX = """
ip link set lo up
mount -t tmpfs tmpfs /run
until ip -4 addr show tap0 2>/dev/null | grep -q inet; do sleep 0.1; done
exec dockerd --data-root "$1/data" --exec-root /run/docker-exec --pidfile /run/dockerd.pid \\
    -H unix:///run/docker.sock --storage-driver overlay2
"""
_CUSTOMISE = """
cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
printf '[global]\\ncert = /etc/ssl/certs/ca-certificates.crt\\n' >"$1/etc/pip.conf"
printf 'Dir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n' >"$1/etc/apt/apt.conf.d/no-cache"
rm -f "$1"/usr/lib/python3*/EXTERNALLY-MANAGED
"""


class NoEngine(Exception):
    """An engine cannot run here; the message says why."""


class Engine:
    """A running engine; commands run in its namespaces, and see the files of this machine."""

    def __init__(self, folder: Path, process: int) -> None:
        self._enter = ["nsenter", f"--target={process}", "--net", "--mount", "--pid", "--"]
        programs = f"{folder}/engine/usr/sbin:{folder}/engine/usr/bin"
        self._variables = {
            **os.environ,
            "PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin",
            "DOCKER_HOST": "unix:///run/docker.sock",
            "DOCKER_CONFIG": str(folder / "config"),
        }

    def run(
        self, *words: str, cwd: Path | None = None, check: bool = True, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; raises `AssertionError` with its output if it fails."""
        done = subprocess.run(
            [*self._enter, "env", f"--chdir={cwd or '/'}", *words],
            env=self._variables | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        said = f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        assert not check or done.returncode == 0, f"{' '.join(words)}: {said}"
        return done


@contextmanager
def engine() -> Iterator[Engine]:
    """An engine with the base images."""
    if os.getuid() != 0 or shutil.which("apt-get") is None:
        raise NoEngine("a Docker engine needs root, and Debian for its packages")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="ladder-docker-"))
        stack.callback(_remove, folder)
        mirror = _mirror()
        _unpack_engine(folder, mirror)
        log = stack.enter_context((folder / "engine.log").open("wb"))
        started = _start(folder, log.fileno(), stack)
        running = Engine(folder, started)
        _wait(running, folder)
        _make_images(running, folder, mirror)
        yield running


def _mirror() -> str:
    """The address of Debian's mirror that this machine uses."""
    sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").iterdir()]
    text = "\n".join(file.read_text() for file in sources if file.is_file())
    found = re.findall(r"^URIs:\s*(\S+)|^deb (?:\[[^]]*\] )?(\S+)", text, re.MULTILINE)
    for address in (str(first or second) for first, second in found):
        # There may be other mirrors, for security updates and for third-party packages.
        if address.rstrip("/").endswith("/debian"):
            return address
    raise NoEngine("apt has no mirror of Debian in its sources")


def _unpack_engine(folder: Path, mirror: str) -> None:
    for name in ("lists/partial", "cache/archives/partial", "debs"):
        (folder / "apt" / name).mkdir(parents=True)
    sources = folder / "apt/sources.list"
    sources.write_text(f"deb [signed-by={KEYRING}] {mirror} {ENGINE_RELEASE} main\n")
    options = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": folder / "apt/lists",
        "Dir::Cache": folder / "apt/cache",
        "APT::Sandbox::User": "root",
        "APT::Update::Error-Mode": "any",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    debs = folder / "apt/debs"
    _call([*apt, "update"], debs)
    _call([*apt, "download", *ENGINE_PACKAGES], debs)
    for deb in debs.glob("*.deb"):
        _call(["dpkg", "-x", str(deb), str(folder / "engine")], debs)
    shutil.rmtree(folder / "apt")
    plugins = folder / "config/cli-plugins"
    plugins.mkdir(parents=True)
    for plugin in (folder / "engine/usr/libexec/docker/cli-plugins").iterdir():
        (plugins / plugin.name).symlink_to(plugin)


def _start(folder: Path, log: int, stack: ExitStack) -> int:
    """Start the engine and its network to the machine; returns the process to enter."""
    path = f"{folder}/engine/usr/sbin:{folder}/engine/usr/bin:{os.environ['PATH']}"
    box = subprocess.Popen(
        [
            "unshare",
            "--net",
            "--mount",
            "--pid",
            "--fork",
            "--mount-proc",
            "--kill-child",
            "sh",
            "-euc",
            _BOX,
            "box",
            str(folder),
        ],
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )
    stack.callback(_end, box)
    children = Path(f"/proc/{box.pid}/task/{box.pid}/children")
    deadline = time.monotonic() + START_SECONDS
    while not (found := children.read_text().split()):
        assert time.monotonic() < deadline, "the namespaces were not made"
        time.sleep(0.05)
    network = subprocess.Popen(
        ["slirp4netns", "--configure", "--disable-host-loopback", found[0], "tap0"],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )
    stack.callback(_end, network)
    return int(found[0])


def _wait(running: Engine, folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while running.run("docker", "info", check=False).returncode:
        if time.monotonic() > deadline:
            raise NoEngine((folder / "engine.log").read_text()[-2000:])
        time.sleep(0.2)


def _make_images(running: Engine, folder: Path, mirror: str) -> None:
    system, images = folder / "base.tar", folder / "images"
    hook = folder / "customise.sh"
    hook.write_text(_CUSTOMISE)
    _call(
        [
            "mmdebstrap",
            "--quiet",
            "--variant=minbase",
            f"--include={BASE_PACKAGES}",
            f'--customize-hook=sh {hook} "$1"',
            RELEASE,
            str(system),
            mirror,
        ],
        folder,
    )
    path = "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    running.run("docker", "import", "--change", path, str(system), BASE)
    system.unlink()
    shutil.copytree(IMAGES, images)
    interpreter = images / "python/interpreter"
    _call(["gcc", "-o", str(interpreter), f"{interpreter}.c", str(_stub(images))], folder)
    for name, image in STAND_INS.items():
        running.run("docker", "build", "--quiet", "--tag", image, str(images / name))


def _stub(images: Path) -> Path:
    """A library for linking, with the name of the library that is found at run time."""
    stub = images / "libpython3.11.so.1.0"
    source = "int Py_BytesMain(int count, char **words) { return 1; }"
    command = ["gcc", "-shared", f"-Wl,-soname,{stub.name}", "-o", str(stub), "-x", "c", "-"]
    subprocess.run(command, input=source.encode(), check=True)
    return stub


def _call(command: Sequence[str], cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoEngine(f"{command[0]}: {done.stderr[-2000:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def _remove(folder: Path) -> None:
    # The kernel needs a moment to end the processes of the namespaces and their mounts.
    deadline = time.monotonic() + START_SECONDS
    while folder.exists() and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.2)
