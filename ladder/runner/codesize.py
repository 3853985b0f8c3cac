"""Counts how large the code of a bot is. It runs inside the sandbox, where no code of the bot does.

Stdlib only. Source is parsed and compiled here and nowhere else on the server, because crafted
source can crash the interpreter. The output can be trusted, because the bot's code never runs in
the same process. docs/bots.md tells authors the rules: keep the two equal.

Everything in the upload counts. Bots that could make code or data out of something uncounted
(files, packed modules, other people's code, names looked up by text) are not in any division by
code size.
"""

from __future__ import annotations

import ast
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any, NoReturn

MAX_SOURCE_BYTES = 256 << 10
"""Larger bots are not measured: it would take long, and few of them are small."""

FREE_TEXT_BYTES = 128
"""Texts and data that cost nothing: keys of observations, names of commands."""
STATEMENT_TEXT_BYTES = 16
"""Further texts that count as a statement."""
NUMBER_BYTES = 8
"""The size of a number in a table, and the longest integer that counts as one."""
FREE_NAME_BYTES = 32
"""Names may be this long; the excess counts as text."""

MODULES = frozenset(
    {"__future__", "bisect", "cmath", "collections", "heapq", "itertools", "math", "random"}
)
"""Modules of the standard library that small bots may import: they neither read nor run anything
and do not lead to others that do."""

PURE_MODULES = frozenset({"cmath", "math"})
PURE_BUILTINS = frozenset({"abs", "bool", "float", "int", "len", "max", "min", "pow", "round"})
"""Functions of numbers. Calling them is arithmetic, not a statement."""

_DUNDERS = frozenset({"__init__", "__name__", "__slots__"})
_FORBIDDEN = frozenset(
    {
        # They run text as code, read files, or look names up by text.
        *("breakpoint", "compile", "delattr", "dir", "eval", "exec", "format", "format_map"),
        *("getattr", "globals", "locals", "open", "setattr", "vars"),
        # The way from generators and tracebacks to other people's globals.
        *("ag_code", "ag_frame", "cr_code", "cr_frame", "gi_code", "gi_frame", "tb_frame"),
        *("tb_next", "f_back", "f_builtins", "f_code", "f_globals", "f_locals"),
    }
)
_FORBIDDEN_MODULES = frozenset(
    {
        *("base64", "binascii", "botkit", "builtins", "bz2", "codecs", "ctypes", "gc", "gzip"),
        *("imp", "importlib", "inspect", "io", "json", "linecache", "lzma", "marshal", "operator"),
        *("os", "pathlib", "pickle", "pkgutil", "posix", "runpy", "shelve", "string", "struct"),
        *("subprocess", "sys", "tokenize", "types", "zipfile", "zipimport", "zlib"),
    }
)
"""They cannot be imported, and so they may not be reached through other modules either."""

_SCAFFOLDING = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Pass, ast.Global, ast.Nonlocal),
)
"""Statements that do nothing themselves; their defaults and decorators count."""

_ONE_MORE = (ast.Lambda, ast.IfExp, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_ONE_EACH = (ast.ExceptHandler, ast.pattern)


class OpenOnly(Exception):
    """The reason why a bot is in no division by code size; the message is for its author."""


def run(folder: str) -> NoReturn:
    """Measure the bot in `folder`: one line of settings comes in, one line of JSON goes out."""
    settings = json.loads(sys.stdin.buffer.readline())
    try:
        answer = measure(read_files(folder), settings["modules"])
    except OpenOnly as reason:
        answer = {"measures": {}, "open_only": str(reason)}
    except (MemoryError, RecursionError):
        answer = {"measures": {}, "open_only": "The code is too large or too deep to be measured."}
    os.write(1, json.dumps(answer).encode() + b"\n")
    os._exit(0)


def read_files(folder: str) -> dict[str, bytes]:
    """All files of a bot by their relative names."""
    files: dict[str, bytes] = {}
    left = MAX_SOURCE_BYTES
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                data = file.read(left + 1)
            left -= len(data)
            if left < 0:
                raise OpenOnly(f"More than {MAX_SOURCE_BYTES} bytes are not measured.")
            files[os.path.relpath(path, folder)] = data
    return files


def measure(files: dict[str, bytes], modules: Iterable[str] = ()) -> dict[str, Any]:
    """Sizes of a bot, and why they do not count if so; raises `OpenOnly` if there are none.

    `modules` are those that the game lays beside its bots.
    """
    sources = {name: data for name, data in files.items() if name.endswith(".py")}
    counted = [data for name, data in files.items() if name not in sources]
    trees: dict[str, ast.Module] = {}
    for name, data in sources.items():
        try:
            trees[name] = ast.parse(data)
            compile(data, name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            if name == "bot.py":
                raise OpenOnly("bot.py does not compile.") from None
            counted.append(data)  # it cannot be imported, but may be read
            trees.pop(name, None)
    reason = _why_open_only(files, trees, {*modules})
    for tree in trees.values():
        _drop_docstrings(tree)
    codes = [compile(tree, name, "exec", dont_inherit=True) for name, tree in trees.items()]
    every = [code for top in codes for code in _nested(top)]
    extra = max(0, _text_bytes(every) + sum(map(len, counted)) - FREE_TEXT_BYTES)
    pure = PURE_MODULES | {*modules}
    statements = sum(_statements(tree, _pure_names(tree, trees, pure)) for tree in trees.values())
    return {
        "measures": {
            "statements": statements + math.ceil(extra / STATEMENT_TEXT_BYTES),
            "bytecode_bytes": sum(map(_code_bytes, every)) + extra,
        },
        "open_only": reason,
    }


def _drop_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                del node.body[0]
            if not node.body and not isinstance(node, ast.Module):
                node.body.append(ast.Pass(lineno=node.lineno, col_offset=0))


# Statements


def _statements(tree: ast.Module, pure: set[str]) -> int:
    total = 0
    for statement in ast.walk(tree):
        if isinstance(statement, ast.stmt):
            calls, extra = 0, _packed(statement)
            for node in _own_nodes(statement):
                calls += isinstance(node, ast.Call) and not _is_pure(node, pure)
                extra += _packed(node)
            # The first call is part of its statement.
            total += max(0 if _is_scaffolding(statement) else 1, calls) + extra
    return total


def _is_scaffolding(statement: ast.stmt) -> bool:
    """Further scaffolding: `agent = MyRobot.agent`, which only names the entry point."""
    match statement:
        case ast.Assign(targets=[ast.Name(id="agent")], value=value):
            while isinstance(value, ast.Attribute):
                value = value.value
            return isinstance(value, ast.Name)
    return isinstance(statement, _SCAFFOLDING)


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """All below a statement that is not part of another statement inside it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if not isinstance(node, ast.stmt):
                waiting.append(node)
                yield node


def _packed(node: ast.AST) -> int:
    """The number of statements that a node could have been written as."""
    if isinstance(node, (*_ONE_MORE, *_ONE_EACH)):
        return 1
    match node:
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.Compare():
            return len(node.ops) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.Tuple() | ast.List() | ast.Set():
            return max(0, len(node.elts) - 1)
        case ast.Dict():
            return max(0, len(node.keys) - 1)
        case ast.Assign() | ast.Delete():
            return len(node.targets) - 1
        case ast.With() | ast.AsyncWith():
            return len(node.items) - 1
        case ast.arguments():
            return len(node.defaults) + sum(one is not None for one in node.kw_defaults)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return len(node.decorator_list)
        case ast.ClassDef():
            return len(node.decorator_list) + len(node.keywords)
    return 0


def _is_pure(call: ast.Call, pure: set[str]) -> bool:
    """Whether a call is arithmetic. A `key=` would call something else in turn."""
    function = call.func
    if call.keywords:
        return False
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}" in pure
    return isinstance(function, ast.Name) and function.id in pure


def _pure_names(
    tree: ast.Module, package: dict[str, ast.Module], modules: Iterable[str]
) -> set[str]:
    """The names by which a file reaches functions of numbers, and nothing else.

    `modules` have them: `math`, and those of the game, whose classes (in capitals) do more.
    """
    replaced = {
        node.attr
        for other in package.values()
        for node in ast.walk(other)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    }
    real = {name for name in modules if f"{name}.py" not in package}
    real -= {name.partition("/")[0] for name in package if "/" in name}
    found: dict[str, set[str]] = {name: {name} for name in PURE_BUILTINS}
    bound = list(_bindings(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in real & PURE_MODULES:
                    prefix = alias.asname or alias.name
                    bound.remove(prefix)
                    found[prefix] = {f"{prefix}.{name}" for name in dir(__import__(alias.name))}
        elif isinstance(node, ast.ImportFrom) and node.module in real and not node.level:
            for alias in node.names:
                if alias.name != "*" and alias.name.islower() and alias.name not in replaced:
                    bound.remove(alias.asname or alias.name)
                    found[alias.asname or alias.name] = {alias.asname or alias.name}
    if "*" in bound:
        return set()
    kept = (names for name, names in found.items() if name not in bound)
    return {name for names in kept for name in names if not replaced & {*name.split(".")}}


def _bindings(tree: ast.Module) -> Iterator[str]:
    """Every name that a file gives a meaning to, as often as it does; `*` for unknown ones."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) if not isinstance(node.ctx, ast.Load):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.alias():
                yield node.asname or node.name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name


# Bytecode


def _nested(code: CodeType) -> Iterator[CodeType]:
    waiting = [code]
    while waiting:
        yield (one := waiting.pop())
        waiting += [const for const in one.co_consts if isinstance(const, CodeType)]


def _code_bytes(code: CodeType) -> int:
    """Two bytes an instruction, the exception table, and the numbers of constant tables."""
    # Opcode 0 is a cache: room that the interpreter keeps for itself, not code.
    instructions = sum(opcode != 0 for opcode in code.co_code[::2])
    tables = sum(
        NUMBER_BYTES
        for const in code.co_consts
        if isinstance(const, (tuple, frozenset))
        for item in _flat(const)
        if isinstance(item, (int, float, complex)) and not isinstance(item, bool)
    )
    return 2 * instructions + len(code.co_exceptiontable) + tables


def _flat(const: Any) -> Iterator[Any]:
    waiting = [const]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (tuple, frozenset)):
            waiting += one
        else:
            yield one


def _text_bytes(codes: Iterable[CodeType]) -> int:
    """Bytes of all different texts, byte strings, long numbers and overlong names."""
    texts: set[tuple[type, Any]] = set()
    names: set[str] = set()
    for code in codes:
        for const in code.co_consts:
            texts |= {(type(item), item) for item in _flat(const) if _weight(item)}
        names |= {code.co_name, *code.co_names, *code.co_varnames, *code.co_freevars}
        names |= {*code.co_cellvars}
    excess = (max(0, len(name.encode()) - FREE_NAME_BYTES) for name in names)
    return sum(_weight(item) for _, item in texts) + sum(excess)


def _weight(const: Any) -> int:
    match const:
        case str():
            return len(const.encode("utf-8", "surrogatepass"))
        case bytes():
            return len(const)
        case int():
            return max(0, (const.bit_length() + 7) // 8 - NUMBER_BYTES)
    return 0


# Reasons against the divisions by code size


def _why_open_only(files: dict[str, bytes], trees: dict[str, ast.Module], modules: set[str]) -> str:
    """One sentence, or nothing when its size counts."""
    for name in files:
        parts = name.lower().split("/")
        if parts[-1].endswith((".pyc", ".pyo", ".so", ".pyd")) or "__pycache__" in parts:
            return f"{name[:80]} is compiled, so its code cannot be counted."
    importable = _own_modules(files) | MODULES | modules
    for name, tree in trees.items():
        stars = any(isinstance(node, ast.alias) and node.name == "*" for node in ast.walk(tree))
        for node in ast.walk(tree):
            if (what := _forbidden(node, importable, stars)) is not None:
                line = getattr(node, "lineno", 0)
                return f"{name[:80]} line {line} {what}, so its code cannot be counted."
    return ""


def _own_modules(files: dict[str, bytes]) -> set[str]:
    """Modules that an import finds in the bot's own files before anything else."""
    tops = {name.removesuffix(".py") for name in files if "/" not in name and name.endswith(".py")}
    tops |= {name.partition("/")[0] for name in files if name.endswith("/__init__.py")}
    return tops - sys.stdlib_module_names - {"botkit"}


def _forbidden(node: ast.AST, importable: set[str], stars: bool) -> str | None:
    """The fault of a node. `stars`: whether names may come from anywhere."""
    match node:
        case ast.Import():
            tops = {alias.name.partition(".")[0] for alias in node.names}
            if strange := tops - importable:
                return f"imports {min(strange)[:40]}"
        case ast.ImportFrom(level=0):
            if (top := str(node.module).partition(".")[0]) not in importable:
                return f"imports {top[:40]}"
        case ast.alias() if any(_is_bad(part) for part in node.name.split(".")):
            return f"imports {node.name[:40]}"
        case ast.Name() if _is_bad(node.id, modules=stars):
            return f"uses {node.id[:40]}"
        case ast.Attribute() if _is_bad(node.attr):
            return f"uses {node.attr[:40]}"
        case ast.MatchClass() if node.patterns or any(map(_is_bad, node.kwd_attrs)):
            return "matches attributes that it does not name"
    return None


def _is_bad(name: str, modules: bool = True) -> bool:
    if name.startswith("__") and name.endswith("__"):
        return name not in _DUNDERS
    bare = name.lstrip("_")
    return bare in _FORBIDDEN or (modules and bare in _FORBIDDEN_MODULES)
