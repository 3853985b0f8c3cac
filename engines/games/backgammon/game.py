"""Backgammon for the ladder: a match of several games, without the doubling cube."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import NO_OPENING, RANDOM_MOVER, Searcher
from engines.alphabeta.history import Series
from engines.competition import BadPosition, Outcome
from engines.display.notation import quoted
from engines.display.records import GameRecord
from engines.games.backgammon import identity, notation, rules
from engines.games.backgammon.board import (
    BAR,
    MEN,
    OPENING,
    START_POSITION,
    TO_ROLL,
    BackgammonState,
    make,
    unpack,
)
from engines.games.backgammon.evaluation import BOTH, BUILDER, CAUTIOUS, PIPS, PUBEVAL
from engines.games.backgammon.features import pips
from engines.games.backgammon.picture import draw
from engines.games.backgammon.programs import BackgammonPrograms
from engines.games.backgammon.record import MAT, RecordedGame, write_mat

GOAL = 5
"""The points that win a match. The better of two neighbours wins as few as 58 of 100 single games,
but 70 of 100 such matches (`docs/games.md`)."""

NAMES = ("White", "Black")
SIDES = "wb"
WORDS = {rules.NORMAL: "a single game", rules.GAMMON: "a gammon", rules.BACKGAMMON: "a backgammon"}


class Backgammon(BoardGame[Series]):
    name = "backgammon"
    title = "Backgammon"
    draw_probability = 0.01
    sides = NAMES
    opening_rule = NO_OPENING
    record_format = MAT
    column_titles = MappingProxyType({"points": "Points"})
    programs = BackgammonPrograms()
    searchers = MappingProxyType(
        {
            "random": RANDOM_MOVER,
            "pip-count": Searcher(1, PIPS),
            "cautious": Searcher(1, CAUTIOUS),
            "builder": Searcher(1, BUILDER),
            "pubeval": Searcher(1, PUBEVAL),
            "pubeval-2": Searcher(2, BOTH),
        }
    )

    def start(self, seed: int, seats: int = 2) -> Series:
        return Series(START_POSITION, (0, 0))

    def legal(self, state: Series) -> Sequence[int]:
        return rules.legal(state.board)

    def play(self, state: Series, move: int) -> Series:
        after = rules.play(state.board, move)
        if not kernels.over(after):
            return Series(after, state.points)
        points = list(state.points)
        points[1 - after.seat] += -kernels.result(after)
        if max(points) >= GOAL:
            return Series(after, (points[0], points[1]))
        return Series(START_POSITION, (points[0], points[1]), after)

    def outcome(self, state: Series) -> Outcome | None:
        if max(state.points) < GOAL:
            return None
        winner = state.points.index(max(state.points))
        told = " to ".join(str(points) for points in sorted(state.points, reverse=True))
        return Outcome((1.0 - winner, float(winner)), f"{NAMES[winner]} wins the match {told}")

    def columns(self, state: Series) -> Sequence[Mapping[str, float]]:
        return [{"points": float(points)} for points in state.points]

    def format(self, state: Series, move: int) -> str:
        if kernels.chance(state.board):
            return notation.write_roll(move)
        return notation.write(state.board, move)

    def parse(self, state: Series, text: str) -> int:
        if kernels.chance(state.board):
            return notation.read_roll(state.board, text)
        return notation.read(state.board, text)

    def position(self, state: Series) -> str:
        """The GNU position ID, the side to move, the dice, and the points of White and Black."""
        board = state.board
        dice = {OPENING: "opening", TO_ROLL: "-"}.get(board.dice, notation.write_roll(board.dice))
        return f"{_identity(board)} {SIDES[board.seat]} {dice} {state.points[0]}-{state.points[1]}"

    def from_position(self, text: str) -> Series:
        """Read a position. All but the position ID may be missing: then White rolls at 0-0."""
        words = text.split(" ") if isinstance(text, str) and len(text) < 60 else []
        if not 1 <= len(words) <= 4:
            raise BadPosition(
                f"{quoted(text)} is not a position: write a position ID of GNU Backgammon, the side"
                " (w or b), the dice (such as 31, - before a roll, or opening) and the points (0-0)"
            )
        name, side, dice, points = (*words, *("", "w", "-", "0-0")[len(words) :])
        own, their = identity.read(name)
        if side not in ("w", "b"):
            raise BadPosition(f"the side is w or b, not {quoted(side)}")
        rolled = _read_dice(dice)
        match = Series(make(own, their, SIDES.index(side), rolled), _read_points(points))
        return _checked(match)

    def observation(self, state: Series, seat: int) -> dict[str, Any]:
        board = state.board
        sides = [unpack(*board[:2]), unpack(*board[2:4])]
        own, their = sides if seat == board.seat else sides[::-1]
        counted = [pips(*board[:2]), pips(*board[2:4])]
        return {
            "board": [own[point] - their[25 - point] for point in range(1, 25)],
            "bar": [own[BAR], their[BAR]],
            "off": [MEN - sum(own), MEN - sum(their)],
            "pips": [int(n) for n in (counted if seat == board.seat else counted[::-1])],
            "dice": [board.dice >> 3, board.dice & 7] if board.dice > OPENING else [],
            "points": [state.points[seat], state.points[1 - seat]],
            "goal": GOAL,
        }

    def svg(self, state: Series, last: int | None = None) -> str:
        board = state.finished or state.board
        ended = kernels.over(board)
        told = f"{NAMES[board.seat]} to " + ("play" if board.dice > OPENING else "roll")
        if ended:
            told = f"{NAMES[1 - board.seat]} wins {WORDS[-kernels.result(board)]}"
        elif board.dice == OPENING:
            told = "the opening roll"
        elif board.dice > OPENING:
            told += f" {notation.write_roll(board.dice)}"
        points = f"White {state.points[0]}, Black {state.points[1]} of {GOAL} points"
        return draw(board, last, f"Backgammon, {told}: {points}")

    def write_record(self, record: GameRecord) -> str:
        state = self.start(0)
        games = [RecordedGame(state.points)]
        roll = ""
        for move in record.moves:
            before = state
            known = self.parse(state, move.text)
            state = self.play(state, known)
            if kernels.chance(before.board):
                roll = notation.write_roll(state.board.dice)
                continue
            game = games[-1]
            game.turns.append(
                (before.seat, f"{roll}: {notation.write_numbered(before.board, known)}")
            )
            if state.points != before.points:
                game.winner = before.seat
                game.points = sum(state.points) - sum(before.points)
                if self.outcome(state) is None:
                    games.append(RecordedGame(state.points))
        return write_mat(record, games, GOAL)


def _identity(board: BackgammonState) -> str:
    return identity.write(unpack(*board[:2]), unpack(*board[2:4]))


def _read_dice(text: str) -> int:
    if text in ("opening", "-"):
        return OPENING if text == "opening" else TO_ROLL
    if len(text) == 2 and set(text) <= set("123456"):
        larger, smaller = sorted((int(face) for face in text), reverse=True)
        return 8 * larger + smaller
    raise BadPosition(f"the dice are two digits such as 31, - or opening, not {quoted(text)}")


def _read_points(text: str) -> tuple[int, int]:
    points = text.split("-")
    if len(points) != 2 or not all(one.isascii() and one.isdigit() for one in points):
        raise BadPosition(f"the points are two numbers such as 0-3, not {quoted(text)}")
    found = (int(points[0]), int(points[1]))
    most = GOAL - 1 + rules.BACKGAMMON
    if max(found) > most or min(found) >= GOAL:
        raise BadPosition(f"the points are below {GOAL}, and those of a winner at most {most}")
    return found


def _checked(state: Series) -> Series:
    """Raise `BadPosition` unless the position fits the points and the dice."""
    board = state.board
    own, their = unpack(*board[:2]), unpack(*board[2:4])
    if not any(own):
        raise BadPosition("the side to move has borne all men off: the other one must be to roll")
    ended = max(state.points) >= GOAL
    if (not any(their)) != ended:
        raise BadPosition(
            f"a side has borne all men off exactly when it has {GOAL} points or more: the next"
            " game begins at once otherwise"
        )
    if ended and (board.dice != TO_ROLL or state.points[1 - board.seat] < GOAL):
        raise BadPosition("the match is over: the loser is to roll, and the dice are -")
    if board.dice == OPENING and board != START_POSITION:
        raise BadPosition("the opening roll is made from the first position, with side w")
    return state


BACKGAMMON = Backgammon()
