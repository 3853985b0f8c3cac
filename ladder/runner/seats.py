"""The players of a match behind one interface: house bots and programs in this process, uploaded
code in sandboxes.

A seat is asked for moves and answers with a move of the game or a `BotFault`; it knows how to reach
its kind of player and the time used, and nothing else of the match.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec

from engines.competition import Competition, IllegalMove, Player
from engines.game import Game
from engines.puzzle import Puzzle
from engines.simulation import Simulation
from ladder.errors import LadderError, RefereeFailure, Refusal, RunnerFailure
from ladder.runner.bot_process import BotFault, BotProcess, Usage, one_line
from ladder.runner.native import PROGRAM, read_native, speaks_uci
from ladder.runner.package import read_package
from ladder.runner.sandbox import Reserve, Sandbox
from ladder.runner.sandbox.walls import BOTKIT, NATIVEKIT, WASMKIT
from ladder.runner.uci import UciDialogue
from ladder.runner.uploads import program_player
from ladder.values import Ending, Kind, Limits, MatchJob, SeatReport

PROTOCOL = 1

View = Callable[[], dict[str, Any]]
"""Makes the observation, if needed: house bots read the state itself."""


class PlayingSeat(Protocol):
    @property
    def clock_ms(self) -> int:
        """The rest of its time for the match."""
        ...

    @property
    def last_ms(self) -> float:
        """CPU time of its last move."""
        ...

    @property
    def last_idle_ms(self) -> float:
        """Time in which it was asked for its last move, but did not work."""
        ...

    @property
    def idle_ms(self) -> float:
        """The same over all of its moves, and while it was loaded."""
        ...

    @property
    def load_ms(self) -> float:
        """CPU time to load it, for which its clock did not run."""
        ...

    def load(self) -> BotFault | None:
        """Make it ready to play."""
        ...

    def move(self, state: Any, view: View) -> Any | BotFault:
        """A legal move (of a `Simulation` an order, of a `Puzzle` an answer), or a fault.

        A house bot or program answers a puzzle with a solution or None, a bot with any JSON value.
        """
        ...

    def close(self) -> None:
        """Let go of everything. May be called again."""
        ...

    def report(self, fault: BotFault | None) -> SeatReport: ...


def seat_seed(match_seed: int, seat: int) -> int:
    """The seed that a seat is given. It fits into a JSON number of any language."""
    digest = hashlib.sha256(f"seat {seat} of match {match_seed}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


def take_seat(
    game: Competition, job: MatchJob, seat: int, sandbox: Sandbox | Reserve | None, bots: Path
) -> PlayingSeat:
    """The seat of one entrant, started but not loaded; raises `RunnerFailure`."""
    entrant = job.entrants[seat]
    if entrant.kind is Kind.HOUSE:
        try:
            player = game.house_bots[entrant.name](seat_seed(job.seed, seat))
        except KeyError:
            raise RunnerFailure(f"{game.name} has no house bot {entrant.name}") from None
        return HouseSeat(player, seat, job.limits)
    if entrant.code is None:
        raise RunnerFailure(f"the code of {entrant.name} is missing")
    if entrant.kind is Kind.PROGRAM:
        player = program_player(game, entrant.code, seat_seed(job.seed, seat))
        return HouseSeat(player, seat, job.limits)
    if sandbox is None:
        raise RunnerFailure("there is no sandbox to run uploaded bots in")
    hello, limits = _hello(job, seat), job.limits
    if entrant.kind is Kind.WASM:
        cage = sandbox.launch(bots, limits, WASMKIT)
        return BotSeat(game, BotProcess(cage, hello, limits, entrant.code), seat)
    native, uci = entrant.kind is Kind.NATIVE, False
    try:
        if native:
            files = read_native(entrant.code)
            uci = speaks_uci(files)
        else:
            files = _with_modules(game, read_package(entrant.code))
    except Refusal as error:
        # Uploads were checked on arrival, but perhaps by an earlier release with other rules. As a
        # failure of ours, every match of this bot would also fail for its opponents.
        return RefusedSeat(
            BotFault(Ending.START_FAILED, one_line(f"Upload it again: {error}")), limits
        )
    cage = sandbox.launch(bots, limits, NATIVEKIT if native else BOTKIT)
    try:
        cage.furnish(files, PROGRAM if native else "")
    except (LadderError, OSError) as error:
        cage.close()
        raise RunnerFailure(f"the code of {entrant.name} cannot be unpacked: {error}") from error
    process = BotProcess(cage, hello, limits, native=native)
    return BotSeat(game, process, seat, UciDialogue(process, limits) if uci else None)


def _with_modules(game: Competition, files: dict[str, bytes]) -> dict[str, bytes]:
    """A bot's files, and the modules of the game, unless the bot has its own of that name."""
    taken = {name.partition("/")[0] for name in files}
    modules = {f"{name}.py": path for name, path in game.bot_modules.items()}
    return files | {n: path.read_bytes() for n, path in modules.items() if n not in taken}


def _hello(job: MatchJob, seat: int) -> dict[str, Any]:
    limits = job.limits
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": job.game,
        "seat": seat,
        "seats": len(job.entrants),
        "seed": seat_seed(job.seed, seat),
        "options": job.options,
        "limits": {
            "move_ms": limits.move_ms,
            "match_ms": limits.match_ms,
            "memory_mb": limits.memory_mb,
        },
    }


class HouseSeat:
    """A player in this process: a reference player of the game, or a program.

    Its code is ours, and always ends: it has no limits, and cannot be at fault.
    """

    def __init__(self, player: Player, seat: int, limits: Limits) -> None:
        self._player = player
        self._seat = seat
        self._limits = limits
        self._usage = Usage()

    @property
    def clock_ms(self) -> int:
        return self._limits.match_ms

    @property
    def last_ms(self) -> float:
        return self._usage.last_ns / 1e6

    @property
    def last_idle_ms(self) -> float:
        return 0.0

    @property
    def idle_ms(self) -> float:
        return 0.0

    @property
    def load_ms(self) -> float:
        return 0.0

    def load(self) -> BotFault | None:
        return None

    def move(self, state: Any, view: View) -> Any | BotFault:
        before = time.thread_time_ns()
        try:
            return self._player.choose(state, self._seat)
        except Exception as error:
            raise RefereeFailure(f"our player failed: {type(error).__name__}: {error}") from error
        finally:
            self._usage.charge(time.thread_time_ns() - before)

    def close(self) -> None:
        pass

    def report(self, fault: BotFault | None) -> SeatReport:
        return _report(self._usage, fault, "")


class RefusedSeat:
    """An upload that cannot be unpacked: it loses before the match begins. None of it runs."""

    last_ms = last_idle_ms = idle_ms = load_ms = 0.0

    def __init__(self, fault: BotFault, limits: Limits) -> None:
        self._fault = fault
        self.clock_ms = limits.match_ms

    def load(self) -> BotFault | None:
        return self._fault

    def move(self, state: Any, view: View) -> Any | BotFault:
        return self._fault

    def close(self) -> None:
        pass

    def report(self, fault: BotFault | None) -> SeatReport:
        return _report(Usage(), fault, "")


class BotSeat:
    """An uploaded bot in its sandbox."""

    def __init__(
        self,
        game: Competition,
        process: BotProcess,
        seat: int,
        uci: UciDialogue | None = None,
    ) -> None:
        self._process = process
        self._uci = uci
        # Asking an object for its protocol takes longer than asking a bot for its move.
        self._text = isinstance(game, Game)
        self._read = _reader(game, seat)

    @property
    def clock_ms(self) -> int:
        return self._process.clock_ms

    @property
    def last_ms(self) -> float:
        return self._process.usage.last_ns / 1e6

    @property
    def last_idle_ms(self) -> float:
        return self._process.usage.last_idle_ns / 1e6

    @property
    def idle_ms(self) -> float:
        return self._process.usage.idle_ns / 1e6

    @property
    def load_ms(self) -> float:
        return self._process.usage.load_ns / 1e6

    def load(self) -> BotFault | None:
        return self._process.load()

    def move(self, state: Any, view: View) -> Any | BotFault:
        if self._uci is not None:
            reply = self._uci.ask(view()["position"])
            return reply if isinstance(reply, BotFault) else self._accept(state, reply)
        request = msgspec.json.encode({"type": "move", "observation": view()}) + b"\n"
        reply = self._process.ask(request, self._text)
        return reply if isinstance(reply, BotFault) else self._accept(state, reply)

    def _accept(self, state: Any, reply: Any) -> Any | BotFault:
        try:
            return self._read(state, reply)
        except IllegalMove as error:
            reason = str(error)
        except Exception as error:
            # A reply that crashes the parser is also illegal. As a failure of ours, bots could use
            # it to escape a lost match.
            reason = f"{type(error).__name__}: {error}"
        return BotFault(
            Ending.ILLEGAL_MOVE, one_line(f"The move {reply!a:.80} is illegal: {reason}")
        )

    def close(self) -> None:
        self._process.close()

    def report(self, fault: BotFault | None) -> SeatReport:
        return _report(self._process.usage, fault, self._process.stderr)


def _reader(game: Competition, seat: int) -> Callable[[Any, Any], Any]:
    """The function that makes a move or an order of a state and a reply."""
    if isinstance(game, Simulation):
        order = game.order
        return lambda state, reply: order(state, seat, reply)
    if isinstance(game, Puzzle):
        return lambda instance, reply: reply  # a wrong answer is no fault: `puzzles` checks it
    assert isinstance(game, Game)
    return game.parse


def _report(usage: Usage, fault: BotFault | None, stderr: str) -> SeatReport:
    return SeatReport(
        cpu_ms=usage.cpu_ns / 1e6,
        slowest_move_ms=usage.slowest_ns / 1e6,
        moves=usage.moves,
        complaint=fault.complaint if fault else "",
        stderr=stderr,
    )
