"""The hostile corpus: one folder per attack below `attacks`, and the upload that each makes.

A folder has an `attack.toml` (see `Attack`) and one of

    attack.py   a function `attack` that raises if it is stopped; `inside/probe.py` plays around it
    bot.py      a whole bot
    reply.py    the bytes `REPLY`, with which a script answers its first request
    upload.py   a function `build` that makes the upload
    bot.wat     a WebAssembly bot as text
"""

from __future__ import annotations

import importlib.util
import platform
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import wasmtime

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
        return platform.machine() == "x86_64" or "call(" not in self.text

    def upload(self, targets: Mapping[str, Any]) -> bytes:
        """The upload that makes this attack."""
        code = self.text.encode()
        match self.form:
            case "attack.py":
                told = "".join(f"{name} = {value!r}\n" for name, value in targets.items())
                files = {"bot.py": inside("probe"), "means.py": inside("means")}
                return pack(files | {"attack.py": code, "targets.py": told.encode()})
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


FORMS = ("attack.py", "bot.py", "reply.py", "upload.py", "bot.wat")
CORPUS = tuple(read(path.parent) for path in sorted(ATTACKS.glob("*/attack.toml")))
