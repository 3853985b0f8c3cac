"""Runs `bot.py` inside the sandbox and speaks the wire protocol for bots that define `agent`.

Stdlib only; it is loaded before the walls stand and runs behind them. A bot can imitate it, but
only to its own harm: every exit status here is a fault of the bot.

The referee can trust the lines before bot code runs (`MODULE` or `SCRIPT`), but not `LOADED`: a bot
that writes it early only starts its move clock early.
"""

from __future__ import annotations

import _json  # importing `json` itself would take a third of the start
import os
import sys
from types import CodeType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` would take longer than the rest
    from collections.abc import Callable
    from typing import Any, NoReturn

MODULE = b"module\n"
"""bot.py names `agent` at its top level: it is loaded now, and `LOADED` follows."""
SCRIPT = b"script\n"
"""bot.py speaks the protocol itself: it is started when the first request arrives."""
LOADED = b"loaded\n"
MARKER_BYTES = 7
"""All three, and the jail's own, have the same length, so that no more than one is read."""

EXIT_NOT_LOADED = 80
EXIT_NO_AGENT = 81
EXIT_RAISED = 82
EXIT_NOT_JSON = 83
EXIT_NO_MEMORY = 84
EXIT_MOVE_FUEL = 85
EXIT_MATCH_FUEL = 86
"""The fuel of a move, or of all moves, is burnt: the `wasmkit` says so."""

_READ_BYTES = 1 << 14
"""Enough for most requests; libc would map and unmap a buffer of the longest for each of them."""


def run(folder: str) -> NoReturn:
    """Load the bot in `folder`, the current directory, and serve it until the referee hangs up."""
    await_bot()
    sys.path.insert(0, folder)
    code = _guard(EXIT_NOT_LOADED, _compile)
    if "agent" in code.co_names:
        os.write(1, MODULE)
        wire_in, wire_out = _hide_wire()
        agent = _guard(EXIT_NOT_LOADED, lambda: _load(code, "bot"))
        os.write(wire_out, LOADED)
    else:
        os.write(1, SCRIPT)
        await_input()
        wire_in, wire_out = 0, 1
        agent = _guard(EXIT_RAISED, lambda: _load(code, "__main__"))
        sys.stdout.flush()
    _guard(EXIT_RAISED, lambda: _serve(agent, wire_in, wire_out))
    _leave(0)


def await_bot() -> int:
    """Wait for the line that says that the bot is there, and how many bytes of it follow."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"\n", b""):
        line += byte
    if not byte:
        _leave(0)  # this cage was not needed
    return int(line)


def _compile() -> CodeType:
    with open("bot.py", "rb") as file:
        source = file.read()
    return compile(source, "bot.py", "exec", dont_inherit=True)


def _hide_wire() -> tuple[int, int]:
    """Keep the wire to ourselves, so that prints of the bot go to stderr and `input` ends."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    read_end, write_end = os.pipe()
    os.close(write_end)
    os.dup2(read_end, 0)
    os.close(read_end)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # which writes out every line at once
    return wire_in, wire_out


def await_input() -> None:
    # A script starts within its first move, never before: its output is then always an answer, and
    # its loading is measured.
    import select

    poll = select.poll()
    poll.register(0, select.POLLIN)
    poll.poll()


def _load(code: CodeType, name: str) -> Callable[..., Any]:
    """Execute bot.py as the module `name` and return its agent."""
    module = ModuleType(name)
    module.__file__ = "bot.py"
    sys.modules[name] = module
    exec(code, module.__dict__)
    agent = module.__dict__.get("agent")
    if not callable(agent):
        _leave(EXIT_NO_AGENT)
    return agent  # type: ignore[no-any-return]


def _serve(agent: Callable[..., Any], wire_in: int, wire_out: int) -> None:
    call = _adapt(agent)
    scan = _json.make_scanner(_ScannerSettings)  # type: ignore[arg-type]
    encode_text = _json.encode_basestring_ascii
    read, write = os.read, os.write
    configuration: dict[str, Any] = {}
    pending = b""
    while chunk := read(wire_in, _READ_BYTES):
        if chunk[-1] != 10:
            pending += chunk
            continue
        text, pending, place = (pending + chunk).decode(), b"", 0
        while place < len(text):
            message, place = scan(text, place)
            place += 1  # the newline
            if message["type"] != "move":
                configuration = message
                continue
            move = call(message["observation"], configuration)
            reply = encode_text(move) if type(move) is str else _encode_value(move)
            write(wire_out, b'{"move":%b}\n' % reply.encode())


def _adapt(agent: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Agents may take the observation alone."""
    code = getattr(agent, "__code__", None)
    takes_varargs = code is not None and code.co_flags & 0x04
    if code is not None and code.co_argcount == 1 and not takes_varargs:
        return lambda observation, configuration: agent(observation)
    return agent


class _ScannerSettings:
    """The settings that the C parser of `json` reads from its decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    array_hook = None  # from Python 3.15 on
    parse_float = parse_constant = float
    parse_int = int


def _encode_value(value: Any) -> str:
    try:
        return _encoder()(value)
    except (TypeError, ValueError, RecursionError):
        os.write(2, f"the agent returned a {type(value).__name__} that is no JSON\n".encode())
        _leave(EXIT_NOT_JSON)


def _encoder() -> Callable[[Any], str]:
    """The encoder of any value, made for the first reply that is not a string."""
    global _encode
    if _encode is None:
        import json

        _encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
    return _encode


_encode: Callable[[Any], str] | None = None


def _guard(status: int, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except BaseException as error:
        _report(error, status)


def _report(error: BaseException, status: int) -> NoReturn:
    """Tell the owner what was raised, its last line being one sentence for the complaint."""
    if isinstance(error, MemoryError):
        _leave(EXIT_NO_MEMORY)
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        _leave(code & 0xFF)
    try:
        import traceback

        text = "".join(traceback.format_exception(error))
        for folder in (sys.path[0], os.path.dirname(__file__)):
            text = text.replace(folder + os.sep, "")  # it contains a path of the server
        sys.stderr.write(text)
        sys.stderr.flush()
        os.write(2, f"\n{_sentence(error)}\n".encode("utf-8", "replace"))
    except MemoryError:
        _leave(EXIT_NO_MEMORY)
    except BaseException:
        # The bot may have broken stderr, or raised something that cannot even be printed.
        os.write(2, f"\n{type(error).__name__}\n".encode("utf-8", "replace"))
    _leave(status)


def _sentence(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{_place(error)}{type(error).__name__}: {text}".replace("\n", " ")


def _place(error: BaseException) -> str:
    """The innermost line of the bot's own code that was running."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        column = f" column {error.offset}" if error.offset and error.offset > 0 else ""
        return f"{os.path.basename(error.filename)} line {error.lineno}{column}: "
    place, step = "", error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        # Modules that came with the game mark themselves: no author can mend a line of theirs.
        own = "__tracebackhide__" not in step.tb_frame.f_globals
        if own and (file == "bot.py" or file.startswith(sys.path[0] + "/")):
            place = f"{os.path.basename(file)} line {step.tb_lineno}: "
        step = step.tb_next
    return place


def _leave(status: int) -> NoReturn:
    # No clean-up: exit handlers of the bot must not run.
    os._exit(status)
