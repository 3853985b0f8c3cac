"""The hostile corpus: one folder per attack below `attacks`, and the upload that each makes.

A folder has an `attack.toml` (see `Attack`) and one of

    attack.py   a function `attack` that raises if it is stopped; `inside/probe.py` plays around it
    bot.py      a whole bot
    reply.py    the bytes `REPLY`, with which a script answers its first request
    upload.py   a function `build` that makes the upload
    bot.wat     a WebAssembly bot as text
    attack.c    a function `attack` that returns a negative number, with `errno`, if it is stopped;
                `inside/native.h` plays around it
"""

from __future__ import annotations

import importlib.util
import json
import platform
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import wasmtime

from ladder.runner.sandbox.runtime import own_python
from tests.hostile.archives import pack

HERE = Path(__file__).parent
ATTACKS = HERE / "attacks"


class Attack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tries: str
    """The attack in words, to follow "A bot that ..." or "An upload that ..."."""
    family: str
    stopped_by: tuple[str, ...]
    """Each of these layers alone stops it, in the order in which they are met."""
    ending: tuple[str, ...] = ()
    """Possible endings of its match; several if that depends on the interpreter or the machine."""
    refused: tuple[str, ...] = ()
    """For uploads that are refused: the refusal contains one of these texts."""
    bites: bool = False
    """Whether it succeeds in a process without walls, under an ordinary user."""
    tiers: tuple[str, ...] = ("A", "B")
    """The tiers that stop it."""
    threads: bool = False
    """Whether it needs threads, which some machines do not allow to bots."""
    waits: bool = False
    """Whether it ends by wall time; the test then sets a short limit."""
    game: str = "connect-four"
    name: str = ""
    form: str = ""
    """The file that makes the attack."""

    @property
    def folder(self) -> Path:
        return ATTACKS / self.name

    @property
    def text(self) -> str:
        return (self.folder / self.form).read_text()

    @property
    def possible_here(self) -> bool:
        """Whether this machine can run it: system calls use the numbers of x86_64."""
        return platform.machine() == "x86_64" or not (
            "call(" in self.text or self.form == "attack.c"
        )

    def upload(self, targets: Mapping[str, Any]) -> bytes:
        """The upload that makes this attack."""
        code = self.text.encode()
        match self.form:
            case "attack.py":
                told = "".join(f"{name} = {value!r}\n" for name, value in targets.items())
                files = {"bot.py": inside("probe"), "means.py": inside("means")}
                return pack(files | {"attack.py": code, "targets.py": told.encode()})
            case "attack.c":
                program = compiled(self.folder / self.form, tuple(sorted(targets.items())))
                return pack({"bot": program, "data": program})
            case "reply.py":
                return pack({"bot.py": inside("script"), "reply.py": code})
            case "upload.py":
                return built(self.folder / self.form)()
            case "bot.wat":
                head = (HERE / "inside" / "head.wat").read_text()
                return bytes(wasmtime.wat2wasm(f"(module {head} {self.text})"))
            case _:
                return code


def inside(name: str) -> bytes:
    return (HERE / "inside" / f"{name}.py").read_bytes()


@cache
def compiled(path: Path, targets: tuple[tuple[str, Any], ...]) -> bytes:
    """A static program around an attack in C."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "bot")
        words = ["gcc", "-O1", "-w", "-static", "-s", "-o", str(program), "-include", "native.h"]
        words += ["-I", str(HERE / "inside"), f"-DPYTHON={json.dumps(own_python())}"]
        words += [f"-D{name}={json.dumps(value)}" for name, value in targets]
        subprocess.run([*words, str(path)], check=True, cwd=folder)
        return program.read_bytes()


def built(path: Path) -> Callable[[], bytes]:
    spec = importlib.util.spec_from_file_location(f"upload_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    build: Callable[[], bytes] = module.build
    return build


def read(folder: Path) -> Attack:
    facts = tomllib.loads((folder / "attack.toml").read_text())
    (form,) = (path.name for path in folder.iterdir() if path.name in FORMS)
    return msgspec.convert(facts | {"name": folder.name, "form": form}, Attack)


FORMS = ("attack.py", "attack.c", "bot.py", "reply.py", "upload.py", "bot.wat")
CORPUS = tuple(read(path.parent) for path in sorted(ATTACKS.glob("*/attack.toml")))
