"""`ladder uci`: a bot as a UCI engine, for programs in which people and engines play.

Every house bot, program and bot file becomes an engine: the bot is asked once for each `go`, behind
the walls and clocks of a match. Times and depths of `go` are not passed on, since bots have the
limits of the ladder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.competition import BadPosition, IllegalMove
from engines.compiling import warmup
from engines.game import Game
from engines.games import GAMES, find_game
from ladder.cli.bots import GAME_FLAGS, entrant, tier_for
from ladder.errors import Refusal
from ladder.host import temporary_folders
from ladder.runner.bot_process import BotFault, one_line
from ladder.runner.gameplay import view
from ladder.runner.sandbox import Sandbox
from ladder.runner.seats import PlayingSeat, take_seat
from ladder.runner.selftest import BOTS_FOLDER, sandbox_of
from ladder.settings import add_flags, load
from ladder.terminal import say
from ladder.values import Entrant, Limits, MatchJob

MOVES = " moves "


def _add_uci(uci: argparse.ArgumentParser) -> None:
    uci.add_argument("--game", required=True)
    uci.add_argument("--bot", required=True, help="a file, or a house bot")
    uci.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    add_flags(uci, GAME_FLAGS)
    uci.set_defaults(run=_uci)


ARGUMENTS = {"uci": _add_uci}


def _uci(flags: argparse.Namespace) -> int:
    game = find_game(flags.game)
    if not isinstance(game, Game) or not game.uci:
        known = ", ".join(one.name for one in GAMES if isinstance(one, Game) and one.uci)
        raise Refusal(f"{game.name} is not played by UCI; these games are: {known}")
    settings = load(vars(flags))
    chosen = entrant(flags.bot, game)
    with temporary_folders.scratch("ladder-uci-") as scratch:
        tier = tier_for(settings, scratch, [chosen])
        warmup.warm(game)
        sandbox = sandbox_of(tier) if tier is not None else None
        engine = _Engine(game, chosen, settings.limits, flags.seed, sandbox, scratch)
        try:
            engine.serve(line.rstrip("\r\n") for line in sys.stdin)
        finally:
            engine.close()
    return 0


@dataclass(slots=True)
class _Engine:
    """The bot, and the game that it is told to play."""

    game: Game[Any, Any]
    entrant: Entrant
    limits: Limits
    seed: int
    sandbox: Sandbox | None
    scratch: Path
    _state: Any = None
    _history: list[str] = field(default_factory=list)
    _seat: PlayingSeat | None = None
    _side: int = -1

    def serve(self, lines: Iterator[str]) -> None:
        """Answer commands until `quit` or the end of the input."""
        self._state = self.game.start(self.seed, 2)
        for line in lines:
            words = line.split()
            match words[:1]:
                case ["uci"]:
                    _tell(f"id name Evoladder {self.entrant.name}", "id author Evoladder", "uciok")
                case ["isready"]:
                    _tell("readyok")
                case ["ucinewgame"]:
                    self.close()
                case ["position"]:
                    self._place(" ".join(words[1:]))
                case ["go"]:
                    best = self._choose()
                    if "infinite" in words or "ponder" in words:
                        _wait(lines)
                    _tell(f"bestmove {best}")
                case ["quit"]:
                    return
                case [] | ["stop" | "ponderhit" | "setoption" | "debug" | "register"]:
                    pass
                case _:
                    _tell(f"info string {words[0]!a} is not a command of UCI that is known here")

    def close(self) -> None:
        """End the bot; the next `go` starts it again."""
        if self._seat is not None:
            self._seat.close()
        self._seat = None

    def _place(self, text: str) -> None:
        """Set the position of `startpos` or `fen FEN`, and the moves after it."""
        game = self.game
        where, _, line = text.partition(MOVES)
        try:
            if where == "startpos":
                state = game.start(self.seed, 2)
            elif where.startswith("fen "):
                state = game.from_position(where.removeprefix("fen "))
            else:
                raise BadPosition("write 'position startpos' or 'position fen FEN', then 'moves'")
            history = line.split()
            for move in history:
                state = game.play(state, game.parse(state, move))
        except (BadPosition, IllegalMove) as error:
            _tell(f"info string the position is not set: {error}")
        else:
            self._state, self._history = state, history

    def _choose(self) -> str:
        """The bot's move, or `(none)` with a reason."""
        game, state = self.game, self._state
        outcome = game.outcome(state)
        if outcome is not None:
            _tell(f"info string the game is over: {outcome.reason}")
            return "(none)"
        side = game.to_move(state)
        if side != self._side:
            self.close()
        self._side = side
        seat = self._ready(side)
        clocks = [self.limits.match_ms] * 2
        if isinstance(seat, BotFault):
            move: Any = seat
        else:
            move = seat.move(state, lambda: view(game, state, side, self._history, clocks))
        if isinstance(move, BotFault):
            _tell(f"info string {one_line(move.complaint)}")
            self.close()
            return "(none)"
        return game.format(state, move)

    def _ready(self, side: int) -> PlayingSeat | BotFault:
        """The bot of that side, loaded."""
        if self._seat is None:
            job = MatchJob(
                match_id=1,
                attempt=1,
                game=self.game.name,
                seed=self.seed,
                entrants=(self.entrant, self.entrant),
                limits=self.limits,
            )
            bots = self.scratch / BOTS_FOLDER
            seat = take_seat(self.game, job, side, self.sandbox, bots)
            self._seat = seat
            fault = seat.load()
            if fault is not None:
                return fault
        return self._seat


def _wait(lines: Iterator[str]) -> None:
    """Wait until an endless search is stopped."""
    for line in lines:
        if line.split()[:1] in (["stop"], ["ponderhit"], ["quit"]):
            return
        if line.split()[:1] == ["isready"]:
            _tell("readyok")


def _tell(*lines: str) -> None:
    for line in lines:
        say(line)
    sys.stdout.flush()
