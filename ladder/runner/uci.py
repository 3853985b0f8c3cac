"""Speaks UCI, the protocol of chess engines, with a native bot that chose it.

Walls and clocks are those of every native bot. The engine is told the position and a time for its
search; it must stop by itself. It cannot ponder, since bots are stopped between their moves.
"""

from __future__ import annotations

from ladder.runner.bot_process import BotFault, BotProcess
from ladder.values import Ending, Limits

MOVES_LEFT = 40
"""The engine gets this part of the time that its clock still has, so that it never runs out."""
SHARE = 0.6
"""At most this part of the limit of a move: engines look at their clocks only now and then."""

_HANDSHAKE = ((b"uci\n", b"uciok"), (b"ucinewgame\nisready\n", b"readyok"))
_NO_MOVE = ("(none)", "0000", "null", "resign")


class UciDialogue:
    def __init__(self, process: BotProcess, limits: Limits) -> None:
        self._process = process
        self._move_ms = limits.move_ms
        self._greeted = False

    def ask(self, position: str) -> str | BotFault:
        """The engine's move in a position, as text; or its fault."""
        time_ms = max(1, int(min(self._move_ms * SHARE, self._process.clock_ms / MOVES_LEFT)))
        request = f"position fen {position}\ngo movetime {time_ms}\n".encode()
        steps: tuple[tuple[bytes, bytes], ...] = ((request, b"bestmove"),)
        if not self._greeted:
            self._greeted = True
            steps = (*_HANDSHAKE, *steps)
        reply = self._process.converse(steps)
        if isinstance(reply, BotFault):
            return reply
        words = reply.decode(errors="replace").split()
        if len(words) < 2:
            return BotFault(Ending.BAD_REPLY, "The engine wrote bestmove without a move.")
        if words[1].lower() in _NO_MOVE:
            return BotFault(
                Ending.ILLEGAL_MOVE,
                f"The engine answered bestmove {words[1]}, although it has a legal move.",
            )
        return words[1]
