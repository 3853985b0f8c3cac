"""One bot in its sandbox: started, asked for moves, and charged for its CPU time.

A fault of the bot is returned as a `BotFault`; only our own failures raise (`RunnerFailure`).
The bot is stopped by SIGSTOP whenever it is not its turn, so it cannot think on the opponent's
time.

Clocks count CPU time, because wall time on a busy machine is not the bot's own. A generous wall
limit per move, and a budget of idle time per match, catch bots that wait instead of work. Idle time
is the wall time in which the bot was asked but neither ran nor wanted to run. A bot that passes a
limit is ended by the watchdog, while the referee waits for its reply.

WebAssembly bots have a clock of their own, which the `wasmkit` keeps: it counts executed
instructions: a match then takes the same time on every machine. CPU time is only its backstop.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ladder.errors import RunnerFailure
from ladder.runner import botkit
from ladder.runner.replies import BadReply, NotText, read_reply
from ladder.runner.sandbox import Cage, Exit
from ladder.runner.sandbox.jail import READY
from ladder.runner.watchdog import watchdog
from ladder.values import MAX_LINE_BYTES, STDERR_KEPT_BYTES, Ending, Limits

_MS = 1_000_000
"""Nanoseconds in a millisecond."""

_JAIL_WAIT_S = 30.0
"""The sandbox is ready within 50 ms on an idle machine; a machine slower than this is our fault."""

_EXIT_WAIT_S = 1.0
"""Seconds that a bot which closed its stdout may take to end."""

_CHUNK_BYTES = 4096
"""Enough for most replies. A buffer of the longest line would be allocated for each of them."""

MOST_TALK_BYTES = 1 << 20
"""Most output for one answer of `converse`. Engines write some kilobytes about their search."""
_TOLD = b"info string "
"""Lines in which engines say what is wrong, such as a missing file."""

_COMPLAINT_CHARACTERS = 300

_LONGEST_TICK_S = 0.1
"""Most time that is counted between two looks of the watchdog."""

_NOTED_IDLE_NS = 1 * _MS
"""Shorter waits are charged in full; for longer ones the kernel tells how much was a wait for a
processor. Asking takes longer than most moves.
"""

_FREE_DELAY_NS = 5 * _MS
"""Wait for a processor that is excused in a move, for any CPU time: one or two time slices of
others. Beyond that, `wall_factor` times its CPU time is excused: bots that give their processor
away, for example with `sched_yield`, seem to wait for it all the time.
"""

FUEL_SLACK = 4
"""The most CPU time per fuel time of a WebAssembly bot: waiting for memory costs no fuel."""

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

# Looking members of an enum up costs more than a system call.
_CONTINUE, _STOP, _KILL = int(signal.SIGCONT), int(signal.SIGSTOP), int(signal.SIGKILL)
_MOVE_TIMEOUT = Ending.MOVE_TIMEOUT
_wall_ns = time.monotonic_ns

_UNASKED = "The bot wrote to its standard output without being asked."
_NO_ANSWER = "The bot gave no answer in time, although it used little CPU time."
_NO_AGENT = (
    "bot.py defines no agent(observation, configuration) and ended without speaking the protocol."
)


@dataclass(frozen=True, slots=True)
class BotFault:
    """A fault of a bot: the ending of its match, and one sentence for its author."""

    ending: Ending
    complaint: str


@dataclass(slots=True)
class Usage:
    """The time that a seat has used so far."""

    cpu_ns: int = 0
    slowest_ns: int = 0
    moves: int = 0
    last_ns: int = 0
    idle_ns: int = 0
    """Wall time in which it was asked, but did not work."""
    last_idle_ns: int = 0
    load_ns: int = 0
    """CPU time to load the bot, for which its clock did not run."""

    def charge(self, spent_ns: int) -> None:
        self.cpu_ns += spent_ns
        if spent_ns > self.slowest_ns:
            self.slowest_ns = spent_ns
        self.last_ns = spent_ns
        self.moves += 1


class _Stopped(Exception):
    """Carries a fault out of the wait for a reply."""

    def __init__(self, fault: BotFault) -> None:
        self.fault = fault


class BotProcess:
    """A bot from its start to its end. Use it from one thread, and always `close` it."""

    def __init__(
        self,
        cage: Cage,
        hello: dict[str, Any],
        limits: Limits,
        module: bytes | None = None,
        native: bool = False,
    ) -> None:
        """Take over a cage that has the bot's files, or for which `module` is its WebAssembly.

        `native`: the bot is a program. Its address space is larger than its memory, which the
        watchdog therefore measures.
        """
        self.usage = Usage()
        self._limits = limits
        self._hello = msgspec.json.encode(hello) + b"\n"
        self._stderr = bytearray()
        self._loading = True
        self._is_script = False
        self._fuel_ns = 0
        self._cpu_ns = 0
        self._module = module
        self._seed = hello.get("seed", 0)
        self._fuelled = module is not None
        self._native = native
        slack = FUEL_SLACK if self._fuelled else 1
        self._start_ns = limits.start_ms * _MS * slack
        self._move_ns = limits.move_ms * _MS * slack
        self._match_ns = limits.match_ms * _MS * slack
        self._move_wall_s = self._wall_s(limits.move_ms * slack)
        self._working = False
        """Whether we wait for the bot. The watchdog looks at it only then."""
        self._waited_s = 0.0
        """Time for which the watchdog has seen it at this piece of work."""
        self._looked_s = 0.0
        self._delay_ns = 0
        """Its wait for a processor at the last question to the kernel."""
        self._idle_limit_ns = limits.idle_ms * _MS
        self._late: BotFault | None = None
        """The fault for which the watchdog has ended it."""
        self._cage = cage
        self._set_deadline(0, 0, Ending.START_FAILED)

    @property
    def pid(self) -> int:
        return self._cage.pid

    @property
    def clock_ms(self) -> int:
        """The rest of the bot's time for the match."""
        return max(0, self._limits.match_ms - self.usage.cpu_ns // _MS)

    @property
    def stderr(self) -> str:
        """The end of what the bot wrote to stderr; complete once it is closed."""
        text = bytes(self._stderr[-STDERR_KEPT_BYTES:]).decode(errors="replace")
        return text.replace("\x00", "\ufffd")  # PostgreSQL stores no NUL

    def load(self) -> BotFault | None:
        """Wait until the sandbox is ready and the bot has loaded, then stop it.

        Raises `RunnerFailure` when the sandbox cannot be started.
        """
        self._await_jail()
        self._cage.attach()
        self._cpu_ns = self._read_cpu_clock()
        self._delay_ns = self._read_delay()
        watchdog.add(self)
        wall_s = self._wall_s(self._limits.start_ms)
        self._set_deadline(self._limits.start_ms * _MS, wall_s, Ending.START_FAILED)
        before_ns, began_ns = self._cpu_ns, _wall_ns()
        try:
            self._write(self._arrival())
            self._is_script = self._read_line(botkit.MARKER_BYTES) == botkit.SCRIPT
            if not self._is_script and self._read_line(botkit.MARKER_BYTES) != botkit.LOADED:
                return BotFault(Ending.OUTPUT_FLOOD, _UNASKED)
        except _Stopped as stopped:
            return stopped.fault
        finally:
            self._working = False
        self._signal(_STOP)
        self._cpu_ns = self._read_cpu_clock()
        self.usage.load_ns = self._cpu_ns - before_ns
        self._charge_idle(_wall_ns() - began_ns, self.usage.load_ns)
        self._loading = False
        return None

    def ask(self, request: bytes, text: bool = True) -> Any | BotFault:
        """Send one request line and return the move of the reply, or the fault of the bot.

        The move is a string if `text`, else any JSON value. The bot may not be asked again after
        a fault.
        """
        if len(request) > MAX_LINE_BYTES:
            raise RunnerFailure(f"a request of {len(request)} bytes is longer than the wire allows")
        if self._hello:
            # It travels with the first request: see `botkit.await_input`.
            request, self._hello = self._hello + request, b""
        self._set_move_deadline()
        before_ns, began_ns = self._cpu_ns, _wall_ns()
        try:
            line = self._exchange(request)
            self._charge_idle(_wall_ns() - began_ns, self._cpu_ns - before_ns)
            if self._cpu_ns > self._cpu_deadline_ns:
                return self._late_fault()
            if self._fuelled:
                line = self._take_fuel(line)
            if line.find(b"\n") != len(line) - 1 or len(line) > MAX_LINE_BYTES:
                return _flood_fault(line)
            return read_reply(line, text)
        except _Stopped as stopped:
            self._charge_idle(_wall_ns() - began_ns, self._cpu_ns - before_ns)
            return stopped.fault
        except BadReply as error:
            return BotFault(Ending.BAD_REPLY, one_line(self._explain(error, line)))
        finally:
            self._working = False
            self._charge(before_ns)

    def converse(self, steps: Sequence[tuple[bytes, bytes]]) -> bytes | BotFault:
        """Talk to a bot of a protocol of many lines: one move, or the fault of the bot.

        Each step is what we send, and the first word of the line that ends its answer. Returns that
        line of the last step.
        """
        self._set_move_deadline()
        before_ns, began_ns = self._cpu_ns, _wall_ns()
        self._signal(_CONTINUE)
        sent, awaited = b"", b""
        try:
            for sent, awaited in steps:
                self._write(sent)
                line = self._read_until(awaited)
            return self._late_fault() if self._read_cpu_clock() > self._cpu_deadline_ns else line
        except _Stopped as stopped:
            fault = stopped.fault
            request = sent.rstrip().rpartition(b"\n")[2].decode()
            awaited_for = f" The referee waited for {awaited.decode()} after {request}."
            return BotFault(fault.ending, one_line(fault.complaint + awaited_for))
        finally:
            self._working = False
            self._signal(_STOP)
            self._cpu_ns = self._read_cpu_clock()
            self._charge_idle(_wall_ns() - began_ns, self._cpu_ns - before_ns)
            self._charge(before_ns)

    def _explain(self, error: BadReply, line: bytes) -> str:
        written_by_us = not (self._is_script or self._native or self._fuelled)
        if not written_by_us or not isinstance(error, NotText):
            return f"The reply {line[:60]!r} is wrong: {error}."
        if error.kind == "null":
            return "agent() returned None: is a return missing? A move is a string."
        return f"agent() returned {error.kind}; a move is a string."

    def close(self) -> None:
        """End the bot and its processes. May be called again."""
        if self._cage.closed:
            return
        watchdog.remove(self)
        try:
            self._cage.kill()
            self._drain_stderr()
        finally:
            self._cage.close()

    # Clocks

    def look(self, now_s: float) -> None:
        """End the bot if it has passed a limit. The watchdog calls this from its thread."""
        self._drain_stderr()
        if not self._working or self._late is not None:
            return
        # Time in which not even the watchdog ran is not the bot's: the machine was busy or asleep.
        self._waited_s += min(now_s - self._looked_s, _LONGEST_TICK_S) if self._looked_s else 0.0
        self._looked_s = now_s
        cpu_ns = self._read_cpu_clock()
        if cpu_ns > self._cpu_deadline_ns:
            self._end(self._late_fault())
        elif self._waited_s > self._wall_limit_s:
            ending = Ending.START_FAILED if self._loading else Ending.MOVE_TIMEOUT
            self._end(BotFault(ending, _NO_ANSWER))
        elif self._is_idler(cpu_ns - self._cpu_ns):
            self._end(self._idle_fault())
        elif self._native and self._read_resident_bytes() > self._limits.memory_mb << 20:
            self._end(self._memory_fault())

    def _is_idler(self, cpu_ns: int) -> bool:
        """Whether this wait, with this CPU time, uses up its idle time."""
        idle_ns = int(self._waited_s * 1e9) - cpu_ns
        left_ns = self._idle_limit_ns - self.usage.idle_ns
        if idle_ns <= left_ns:
            return False
        return idle_ns - self._excused(self._read_delay() - self._delay_ns, cpu_ns) > left_ns

    def _excused(self, delay_ns: int, cpu_ns: int) -> int:
        """The part of a wait for a processor that is excused with this CPU time."""
        return min(delay_ns, _FREE_DELAY_NS + int(cpu_ns * self._limits.wall_factor))

    def _charge_idle(self, wall_ns: int, cpu_ns: int) -> None:
        """Charge the part of a wait in which the bot did not work."""
        idle_ns = wall_ns - cpu_ns
        if idle_ns > _NOTED_IDLE_NS:
            # Only time that the watchdog saw is charged: see `look`.
            seen_ns = int((self._waited_s + _LONGEST_TICK_S) * 1e9) - cpu_ns
            delay_ns = self._read_delay()
            idle_ns = min(idle_ns, seen_ns) - self._excused(delay_ns - self._delay_ns, cpu_ns)
            self._delay_ns = delay_ns
        if idle_ns < 0:  # several threads use more CPU time than wall time
            idle_ns = 0
        usage = self.usage
        usage.last_idle_ns = idle_ns
        usage.idle_ns += idle_ns

    def _read_delay(self) -> int:
        """The time since its start in which its main thread was ready, but had no processor.

        Other threads do not count: many that wake at once would add up to any delay.
        """
        try:
            with open(f"/proc/{self._cage.pid}/schedstat", "rb") as file:
                return int(file.read().split()[1])
        except (OSError, ValueError, IndexError):
            return self._delay_ns  # it has ended, or this kernel lacks the file

    def _read_resident_bytes(self) -> int:
        """The memory that the bot has in use."""
        try:
            with open(f"/proc/{self._cage.pid}/statm", "rb") as file:
                return int(file.read().split()[1]) * _PAGE_BYTES
        except (OSError, IndexError):
            return 0  # it has ended

    def _end(self, fault: BotFault) -> None:
        self._late = fault
        self._cpu_ns = self._read_cpu_clock()
        self._signal(_KILL)

    def _read_cpu_clock(self) -> int:
        try:
            return time.clock_gettime_ns(self._cage.cpu_clock)
        except OSError:
            return self._cpu_ns  # a bot that has ended has no clock: the last value is kept

    def _set_deadline(self, cpu_ns: int, wall_s: float, ending: Ending) -> None:
        """From now on the bot is at work, and watched."""
        self._cpu_deadline_ns = self._cpu_ns + cpu_ns
        self._wall_limit_s = wall_s
        self._late_ending = ending
        self._waited_s = self._looked_s = 0.0
        self._working = True

    def _set_move_deadline(self) -> None:
        usage = self.usage
        left_ns = self._match_ns - usage.cpu_ns
        if self._is_script and not usage.moves:
            wall_s = self._wall_s(self._limits.start_ms) + self._move_wall_s
            limit_ns = self._start_ns + min(self._move_ns, left_ns)
            self._set_deadline(limit_ns, wall_s, _MOVE_TIMEOUT)
        elif left_ns < self._move_ns:
            self._set_deadline(max(0, left_ns), self._move_wall_s, Ending.MATCH_TIMEOUT)
        else:
            self._set_deadline(self._move_ns, self._move_wall_s, _MOVE_TIMEOUT)

    def _wall_s(self, cpu_ms: int) -> float:
        """The wall time that goes with a limit of CPU time."""
        return cpu_ms / 1000 * self._limits.wall_factor + 1

    def _charge(self, before_ns: int) -> None:
        """Charge a move, without the time that a script may use to load in its first one."""
        spent_ns = self._fuel_ns if self._fuelled else self._cpu_ns - before_ns
        if self._is_script and not self.usage.moves:
            free_ns = min(spent_ns, self._limits.start_ms * _MS)
            self.usage.load_ns += free_ns
            spent_ns -= free_ns
        self.usage.charge(spent_ns)

    def _idle_fault(self) -> BotFault:
        allowed_s = self._limits.idle_ms / 1000
        return BotFault(
            Ending.START_FAILED if self._loading else Ending.MATCH_TIMEOUT,
            f"The bot waited for more than {allowed_s:g} s instead of working; a match allows no "
            "more. Waiting, such as time.sleep, gains nothing here: leave it out.",
        )

    def _memory_fault(self) -> BotFault:
        complaint = f"The bot needs more than {self._limits.memory_mb} MiB of memory."
        return BotFault(Ending.OUT_OF_MEMORY, complaint)

    def _late_fault(self) -> BotFault:
        limits, clock = self._limits, "fuel time" if self._fuelled else "CPU time"
        match self._late_ending:
            case Ending.START_FAILED:
                complaint = f"The bot needs more than {limits.start_ms} ms of {clock} to load."
            case Ending.MATCH_TIMEOUT:
                complaint = f"The bot used up its {limits.match_ms} ms of {clock} for the match."
            case _:
                complaint = f"The bot used more than {limits.move_ms} ms of {clock} for one move."
        return BotFault(self._late_ending, complaint)

    # The wire

    def _arrival(self) -> bytes:
        """The line by which the guest of the cage learns about its bot: see `botkit.await_bot`."""
        if self._module is None:
            return b"0\n"
        names = ("start_ms", "move_ms", "match_ms", "memory_mb")
        told = {name: getattr(self._limits, name) for name in names} | {"seed": self._seed}
        settings = msgspec.json.encode(told) + b"\n"
        return b"%d\n%b%b" % (len(settings) + len(self._module), settings, self._module)

    def _take_fuel(self, line: bytes) -> bytes:
        """A reply without the prefix of the `wasmkit`, the time that the bot has used."""
        spent, separator, reply = line.partition(b" ")
        if not separator or not spent.isdigit() or len(spent) > 18:
            return b"?\n"  # only a bot that broke its kit could do that
        self._fuel_ns = int(spent)
        return reply

    def _exchange(self, request: bytes) -> bytes:
        """Let the bot go on, send it the request, take its reply, and stop it again.

        Most of a match is spent here, so it is system calls and little else.
        """
        self._signal(_CONTINUE)
        self._write(request)
        line = self._read_line(MAX_LINE_BYTES + 1)
        self._signal(_STOP)
        self._working = False
        self._cpu_ns = self._read_cpu_clock()
        return line

    def _signal(self, number: int) -> None:
        try:  # noqa: SIM105 - `suppress` takes longer than the call
            signal.pidfd_send_signal(self._cage.pidfd, number)
        except ProcessLookupError:
            pass  # it has ended; the next read finds that out

    def _await_jail(self) -> None:
        """Read the line that reports a ready sandbox; the bot cannot act before it."""
        give_up_s = time.monotonic() + _JAIL_WAIT_S
        poll = select.poll()
        poll.register(self._cage.from_bot, select.POLLIN)
        told = b""
        while told != READY:
            left_s = give_up_s - time.monotonic()
            chunk = b""
            if left_s > 0 and poll.poll(left_s * 1000):
                # Read this line only: the next output of the botkit stays in the pipe.
                chunk = os.read(self._cage.from_bot, len(READY) - len(told))
            told += chunk
            if not chunk or not READY.startswith(told):
                self._cage.kill()
                self._drain_stderr()
                reason = self._last_words() or "it gave no reason"
                raise RunnerFailure(one_line(f"the sandbox did not start: {reason}"))

    def _write(self, data: bytes) -> None:
        try:
            sent = os.write(self._cage.to_bot, data)
            while sent < len(data):
                sent += os.write(self._cage.to_bot, data[sent:])
        except BrokenPipeError:
            pass  # the bot has stopped reading: waiting for its reply shows why

    def _read_line(self, most: int) -> bytes:
        """Bytes of the bot up to a newline or `most`; raises `_Stopped` at any other fault."""
        line = b""
        while chunk := os.read(self._cage.from_bot, min(_CHUNK_BYTES, most - len(line))):
            line += chunk
            if b"\n" in chunk or len(line) >= most:
                return line
        self._cpu_ns = self._read_cpu_clock()  # while the process, though ended, still has one
        raise _Stopped(self._late or self._hang_up_fault())

    def _read_until(self, word: bytes) -> bytes:
        """The first line of the bot that starts with a word; raises `_Stopped` at any fault."""
        read, rest, told = 0, b"", b""
        while chunk := os.read(self._cage.from_bot, _CHUNK_BYTES):
            read += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if line.split(maxsplit=1)[:1] == [word]:
                    return line.strip()
                if line.startswith(_TOLD):
                    told = line
            if read > MOST_TALK_BYTES or len(rest) > MAX_LINE_BYTES:
                complaint = f"The bot wrote more than {MOST_TALK_BYTES >> 10} KiB for one answer."
                raise _Stopped(BotFault(Ending.OUTPUT_FLOOD, complaint))
        self._cpu_ns = self._read_cpu_clock()
        fault = self._late or self._hang_up_fault()
        if told:
            last = one_line(told[len(_TOLD) :].decode(errors="replace"))
            fault = BotFault(fault.ending, f"{fault.complaint} Before, it wrote: {last}.")
        raise _Stopped(fault)

    def _drain_stderr(self) -> None:
        """Read once: a bot that floods stderr waits for the next time."""
        try:
            self._stderr += os.read(self._cage.errors, STDERR_KEPT_BYTES)
        except BlockingIOError:
            return
        if len(self._stderr) > 4 * STDERR_KEPT_BYTES:
            del self._stderr[:-STDERR_KEPT_BYTES]

    # Faults

    def _hang_up_fault(self) -> BotFault:
        """The bot closed its end of the wire, most likely by ending."""
        ended = select.poll()
        ended.register(self._cage.pidfd, select.POLLIN)
        if not ended.poll(_EXIT_WAIT_S * 1000):
            return BotFault(Ending.BAD_REPLY, "The bot closed its standard output without a reply.")
        if self._late is not None:  # the watchdog was first
            return self._late
        return self._exit_fault(self._cage.wait(_EXIT_WAIT_S))

    def _exit_fault(self, end: Exit) -> BotFault:
        self._drain_stderr()
        words = self._last_words()
        starting = self._loading or (self._is_script and not self.usage.moves)
        ending = Ending.START_FAILED if starting else Ending.CRASHED
        if end.signal:
            hint = " (a forbidden system call)" if end.signal == signal.SIGSYS else ""
            return BotFault(ending, f"The bot was killed by {end.signal_name}{hint}.")
        match end.status:
            case _ if self._native and end.status != botkit.EXIT_NOT_LOADED:
                pass  # other statuses are its own
            case botkit.EXIT_NO_MEMORY:
                return self._memory_fault()
            case botkit.EXIT_NOT_JSON:
                return BotFault(Ending.BAD_REPLY, f"The agent returned no JSON value: {words}")
            case botkit.EXIT_NOT_LOADED | botkit.EXIT_RAISED if starting:
                return BotFault(Ending.START_FAILED, f"The bot cannot be loaded: {words}")
            case botkit.EXIT_MOVE_FUEL if self._fuelled:
                self._late_ending = Ending.START_FAILED if self._loading else _MOVE_TIMEOUT
                return self._late_fault()
            case botkit.EXIT_MATCH_FUEL if self._fuelled:
                self._late_ending = Ending.MATCH_TIMEOUT
                return self._late_fault()
            case botkit.EXIT_RAISED:
                return BotFault(Ending.CRASHED, f"The bot raised an exception: {words}")
            case botkit.EXIT_NO_AGENT if starting:
                return BotFault(Ending.START_FAILED, _NO_AGENT)
        when = "before its first reply" if starting else "during the match"
        return BotFault(ending, f"The bot ended {when}, with status {end.status}.")

    def _last_words(self) -> str:
        """The last line on stderr: the botkit ends with one sentence about what was raised."""
        lines = self.stderr.split("\n")
        return one_line(next((line for line in reversed(lines) if line.strip()), ""))


def _flood_fault(line: bytes) -> BotFault:
    if len(line) > MAX_LINE_BYTES:
        return BotFault(Ending.OUTPUT_FLOOD, f"The reply is longer than {MAX_LINE_BYTES} bytes.")
    complaint = "The bot wrote more than one line in reply to one request."
    return BotFault(Ending.OUTPUT_FLOOD, complaint)


def one_line(text: str) -> str:
    """Text of a bot made fit for a sentence: short, on one line, without control characters."""
    shown = "".join(c if c.isprintable() else " " for c in text[: 4 * _COMPLAINT_CHARACTERS])
    shown = shown.strip()
    if len(shown) <= _COMPLAINT_CHARACTERS:
        return shown
    return shown[: _COMPLAINT_CHARACTERS - 1] + "…"
