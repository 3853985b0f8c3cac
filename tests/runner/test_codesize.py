"""The size of code, measured by the rules that docs/bots.md tells to authors."""

from __future__ import annotations

import io
import sys
import types
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engines.competition import BYTECODE_BYTES, STATEMENTS
from engines.games.tanks import TANKS
from ladder.runner import codesize, measuring, play_job
from ladder.runner.sandbox import Sandbox
from ladder.values import CodeSize, Entrant, Kind, MatchJob

BOT = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"
PLAIN = b"def agent(observation, configuration):\n    return [['set_ahead', 100]]\n"


def _size(*sources: str, **files: bytes) -> dict[str, int]:
    """Measures of a bot whose size counts; `files` are by name, with `__` for a dot."""
    told = _told({"bot.py": "\n".join(sources).encode(), **_named(files)})
    assert told["open_only"] == ""
    return told["measures"]  # type: ignore[no-any-return]


def _named(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name.replace("__", "."): data for name, data in files.items()}


def _told(files: dict[str, bytes]) -> dict[str, object]:
    return codesize.measure(files, ["tanks"])


def _statements(source: str) -> int:
    return _size(source)[STATEMENTS]


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("'''Words.'''\nimport math\nfrom tanks import Robot\nclass A(Robot):\n    'Words.'\n", 0),
        ("def f(a):\n    'Words.'\n    global b\n    pass\n", 0),
        ("agent = Mine.agent", 0),
        ("agent = Mine.agent()", 1),
        ("x = 1; y = 2; z = 3", 3),
        ("x = y = z = 1", 3),
        ("x, y = 1, 2", 3),
        ("if a: b()\nelif c: d()\nelse: e()", 5),
        ("while a:\n    b()\n    break", 3),
        ("x = a if b else c", 2),
        ("x = a and b or c", 3),
        ("a < b < c", 2),
        ("f(g(h(x)))", 3),
        ("f(x).g(y).h(z)", 3),
        ("f(), g(), h()", 5),
        ("(f() or g()) if h() else i()", 6),
        ("x = [f(y) for y in z if y if w]", 4),
        ("f = lambda x: g(x)", 2),
        ("def f(x=1, *, y=2): pass", 2),
        ("def f(x=g(1)): pass", 2),
        ("@one\n@two(3)\ndef f(): pass", 3),
        ("class A(B, metaclass=C): pass", 1),
        ("if (n := f(x)): pass", 2),
        ("with a() as b, c() as d: pass", 3),
        ("try: a()\nexcept E: b()\nfinally: c()", 5),
        ("match x:\n    case 1: a()\n    case {'k': v}: b()", 6),
        ("x = {'a': 1, 'b': 2, 'c': 3}", 3),
        ("def f():\n    yield 1\n    return (yield)", 4),
        ("f(a, b, c, d)", 1),
        ("import math\nx = math.sin(abs(max(y, 1))) + math.cos(f(y))", 1),
        ("from math import sin as s\nx = s(s(s(y)))", 1),
        ("from tanks import normal_relative_angle as n\nself.set_fire(n(n(x)))", 1),
        ("from tanks import Robot\nRobot(Robot())", 2),
        ("x = max(a, b, key=f) + f(1)", 2),
    ],
)
def test_statements_are_counted(source: str, count: int) -> None:
    assert _statements(source) == count


@pytest.mark.parametrize(
    "source",
    [
        "abs = f\nx = abs(abs(abs(1)))",
        "def abs(x): pass\nabs(abs(abs(1)))\nx = 1",
        "import math\nmath.sin = f\nx = math.sin(math.sin(1))",
        "import math\nm = math\nm.sin = f\nmath.sin(math.sin(1))",
        "import math as abs\nx = abs(abs(abs(1)))",
        "from own import *\nx = abs(abs(abs(1)))",
        "from own import f as max\nx = max(max(max(1)))",
        "for abs in fs: abs(abs(1))",
    ],
)
def test_only_the_real_functions_of_numbers_are_arithmetic(source: str) -> None:
    told = _told({"bot.py": source.encode(), "own.py": b""})
    assert told["measures"][STATEMENTS] >= 3  # type: ignore[index]


def test_an_own_math_is_not_arithmetic() -> None:
    source = b"import math\nx = math.sin(math.sin(math.sin(1)))"
    told = _told({"bot.py": source, "math.py": b"from bot import f as sin"})
    assert told["measures"][STATEMENTS] == 3  # type: ignore[index]


def test_bytecode_is_two_bytes_an_instruction_without_caches() -> None:
    # RESUME, LOAD_CONST, RETURN_VALUE, or RESUME and RETURN_CONST
    empty = _size("")[BYTECODE_BYTES]
    assert empty in (4, 6)
    one = _size("x = 1.5")[BYTECODE_BYTES]
    assert one == empty + 4
    assert _size("x = y")[BYTECODE_BYTES] == one, "caches are no code"
    assert _size("'''Words.'''\nx = 1.5  # words")[BYTECODE_BYTES] == one


def test_text_beyond_an_allowance_counts() -> None:
    free = "x = '" + "a" * codesize.FREE_TEXT_BYTES + "'"
    base = _size(free)
    assert _size("x = ''") == base
    longer = free[:-1] + "a" * 160 + "'"
    assert _size(longer)[BYTECODE_BYTES] == base[BYTECODE_BYTES] + 160
    assert _size(longer)[STATEMENTS] == base[STATEMENTS] + 10
    assert _size(longer, longer)[STATEMENTS] == 2 + 10, "the same text counts once"


@pytest.mark.parametrize(
    "source",
    [
        "x = 'ä' * 0 or '" + "ä" * 500 + "'",
        "x = b'" + "a" * 1000 + "'",
        "x = " + " + ".join(f"'{n:031}'" for n in range(30)),
        "x = ('" + "a" * 500 + "', '" + "b" * 500 + "')",
        "x = 'ab' * 500",
        "x = 0x" + "f" * 2000,
        "x = -0x" + "f" * 2000,
        "f'" + "a" * 1000 + "{x}'",
        "f(" + ", ".join(f"{'k' * 30}{n}=0" for n in range(40)) + ")",
        "x." + "a" * 1200,
        "def f(x: '" + "a" * 1000 + "'): pass",
        "match x:\n    case '" + "a" * 1000 + "': pass",
    ],
)
def test_data_cannot_hide(source: str) -> None:
    size = _size(source)
    assert size[BYTECODE_BYTES] > 750
    assert size[STATEMENTS] > 40


def test_tables_of_numbers_count() -> None:
    table = "x = (" + ", ".join(f"{n}.5" for n in range(100)) + ")"
    assert _size(table)[BYTECODE_BYTES] > 800
    assert _size(table)[STATEMENTS] == 100
    # Python 3.15 makes a list item by item, of two instructions each.
    least = 800 if sys.version_info < (3, 15) else 400
    assert _size(table.replace("(", "[").replace(")", "]"))[BYTECODE_BYTES] > least
    assert _size(f"if y in {{{table[5:-1]}}}: pass")[BYTECODE_BYTES] > 800


def test_all_files_count() -> None:
    alone = _size("import own", own__py=b"")
    more = _size("import own", own__py=b"def f(x):\n    a(x)\n    b(x)\n")
    assert more[STATEMENTS] == alone[STATEMENTS] + 2
    assert more[BYTECODE_BYTES] > alone[BYTECODE_BYTES] + 20
    assert _size("", weights__bin=bytes(1128))[BYTECODE_BYTES] > 1000
    broken = _size("import own", own__py=b"def" * 400)
    assert broken[BYTECODE_BYTES] > 1000, "files that do not compile count as data"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("exec('x')", "line 1 uses exec"),
        ("x = 1\ne = eval", "line 2 uses eval"),
        ("ｅval('1')", "uses eval"),  # noqa: RUF001 - Python takes it for eval
        ("compile('', '', 'exec')", "uses compile"),
        ("__import__('os')", "uses __import__"),
        ("import zlib", "imports zlib"),
        ("import own, base64 as b", "imports base64"),
        ("from importlib import import_module", "imports importlib"),
        ("import ctypes", "imports ctypes"),
        ("def f():\n    import pickle", "imports pickle"),
        ("import os.path", "imports os"),
        ("import typing", "imports typing"),
        ("import robocode", "imports robocode"),
        ("import botkit", "imports botkit"),
        ("import __main__", "imports __main__"),
        ("from random import _os", "imports _os"),
        ("import random\nrandom._os.system", "uses _os"),
        ("import tanks\ntanks.sys.modules", "uses sys"),
        ("from tanks import *\nos.getcwd()", "uses os"),
        ("open('bot.py')", "uses open"),
        ("getattr(f, 'x')", "uses getattr"),
        ("'{0.__doc__}'.format(f)", "uses format"),
        ("f.__globals__", "uses __globals__"),
        ("(x for x in y).gi_frame.f_builtins", "uses f_builtins"),
        ("__builtins__['exec']", "uses __builtins__"),
        ("__doc__", "uses __doc__"),
        ("class A:\n    __match_args__ = ('gi_frame',)", "uses __match_args__"),
        ("match g:\n    case A(x): pass", "matches attributes"),
        ("match g:\n    case A(gi_frame=x): pass", "matches attributes"),
    ],
)
def test_bots_in_open_alone(source: str, says: str) -> None:
    told = _told({"bot.py": source.encode(), "own.py": b""})
    assert says in str(told["open_only"])
    assert told["measures"]


@pytest.mark.parametrize(
    "name",
    [
        "own.pyc",
        "__pycache__/own.cpython-311.pyc",
        "own.SO",
        "lib/own.so",
        "zlib/data",
        "marshal.py",
    ],
)
def test_import_tricks(name: str) -> None:
    own = name.partition("/")[0].partition(".")[0]
    source = f"import {own}" if own != "__pycache__" else "import own"
    files = {"bot.py": source.encode(), "own.py": b"", name: b""}
    assert _told(files)["open_only"]


def test_ordinary_small_bots_are_counted() -> None:
    for source in (
        "import math, random, itertools\nfrom collections import deque\n",
        "class A:\n    __slots__ = ('x',)\n    def __init__(self):\n        super().__init__()\n",
        "if __name__ == '__main__': pass",
        "def f(string, types, site):\n    self._os_count = string\n    self.__x = 1",
        "from __future__ import annotations",
        "from .own import f",
    ):
        assert _told({"bot.py": source.encode()})["open_only"] == "", source


def test_the_allowed_modules_lead_to_no_others() -> None:
    """Walk every object that a bot can reach from them without a forbidden name."""
    seen: set[int] = set()
    waiting = [(name, __import__(name)) for name in codesize.MODULES]
    while waiting:
        path, thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        for name in dir(thing):
            if codesize._is_bad(name) or not isinstance(thing, (types.ModuleType, type)):
                continue
            value = getattr(thing, name, None)
            where = f"{path}.{name}"
            if isinstance(value, types.ModuleType):
                own = value.__name__.partition(".")[0]
                assert own.lstrip("_") in {*codesize.MODULES, "weakref", "collections_abc"}, where
            assert value not in (exec, eval, compile, open, getattr, __import__), where
            waiting.append((where, value))
    assert len(seen) > 100


def test_it_is_measured_behind_walls(sandbox: Sandbox, bots: Path) -> None:
    def measured(code: bytes) -> CodeSize | None:
        return measuring.measure(Entrant("a", Kind.PYTHON, "", code), TANKS, sandbox, bots)

    assert measured(PLAIN) == CodeSize(**codesize.measure({"bot.py": PLAIN}))  # type: ignore[arg-type]
    deep = b"x = " + b"-" * 100_000 + b"1\n" + PLAIN
    attributes = b"x = a" + b".b" * 100_000 + b"\n" + PLAIN
    for code in (deep, attributes, b"# " + b"x" * 300_000 + b"\n" + PLAIN):
        size = measured(code)
        assert size is not None
        assert size.open_only, "code that cannot be measured is in open alone"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", PLAIN)
        archive.writestr("own/weights.bin", bytes(1000))
    size = measured(packed.getvalue())
    assert size is not None
    assert size.measures[BYTECODE_BYTES] > 900


def test_a_worker_measures_the_seats_that_the_job_names(sandbox: Sandbox, data: Path) -> None:
    newcomer = Entrant("newcomer", Kind.PYTHON, "", BOT)
    job = MatchJob(1, 1, "reversi", 1, (newcomer, Entrant("random", Kind.HOUSE, "")))
    asked = replace(job, measured=(0,))
    assert play_job(job, data, sandbox.tier).seats[0].size is None
    told = play_job(asked, data, sandbox.tier)
    assert told.seats[0].size == CodeSize(**codesize.measure({"bot.py": BOT}))  # type: ignore[arg-type]
    assert told.seats[1].size is None
    broken = replace(asked, entrants=(replace(newcomer, code=b"agent = 1"), job.entrants[1]))
    assert play_job(broken, data, sandbox.tier).seats[0].size is None


def test_house_bots_have_no_size(bots: Path) -> None:
    assert measuring.measure(Entrant("walls", Kind.HOUSE, ""), TANKS, None, bots) is None
