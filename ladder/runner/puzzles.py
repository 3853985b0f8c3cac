"""Matches of puzzles: every seat solves the same instances, alone, under the same clock.

A fault costs the instance it happens in, not the match: the bot is then started again in a new
sandbox for the next instance, with the time that is left to it. A seat is at fault in the verdict
only if each of its instances ended in a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from engines.competition import IllegalMove, Outcome
from engines.puzzle import Puzzle
from ladder.runner.bot_process import BotFault, one_line
from ladder.runner.gameplay import MatchInPlay, MatchRecord
from ladder.runner.replay import BadReplay, Replay, ReplayAnswer
from ladder.runner.seats import PlayingSeat, View
from ladder.values import STDERR_KEPT_BYTES, Ending, Limits, SeatReport

_ANSWERS_BYTES = 8 << 20
"""All recorded answers of a match: a replay of twice their size can still be read."""

_NAMED = 3
"""The number of seats, the best ones, that the explanation of a result names."""

_NO_TIME = "The bot has no time left for the match."
_UNRECORDABLE = "The answer cannot be recorded: a number is too large, or the nesting too deep."
_TOO_LONG = "The answers of the match are longer than its record allows."


class PuzzleSeat:
    """A seat that is restarted after a fault, with the rest of its time for the match."""

    def __init__(self, start: Callable[[Limits], PlayingSeat], limits: Limits) -> None:
        """`start` makes a seat with given limits; the first one is started at once."""
        self._start = start
        self._limits = limits
        self._seat = start(limits)
        self._running = True
        self._broken: BotFault | None = None
        """The fault by which it cannot be started again."""
        self._before: list[SeatReport] = []
        """Of the processes that have ended."""
        self._idle_before_ms = 0.0
        """Of these processes, too."""
        self._again = False
        """Whether it was started again."""

    @property
    def clock_ms(self) -> int:
        # Only the first start is free: one for each instance would add up to any time.
        loaded_ms = self._seat.load_ms if self._again else 0.0
        return max(0, int(self._seat.clock_ms - loaded_ms))

    @property
    def last_ms(self) -> float:
        return self._seat.last_ms

    @property
    def last_idle_ms(self) -> float:
        return self._seat.last_idle_ms

    @property
    def idle_ms(self) -> float:
        running_ms = self._seat.idle_ms if self._running else 0.0
        return self._idle_before_ms + running_ms

    @property
    def load_ms(self) -> float:
        return self._seat.load_ms

    def load(self) -> BotFault | None:
        self._broken = self._seat.load()
        return self._broken

    def move(self, state: Any, view: View) -> Any | BotFault:
        if not self._running and self._broken is None:
            self._restart()
        if self._broken is not None:
            return self._broken
        answer = self._seat.move(state, view)
        if isinstance(answer, BotFault):
            if self._has_idled:
                self._broken = self._used_up(f"{self._limits.idle_ms} ms of idle time")
            elif answer.ending is Ending.MATCH_TIMEOUT:
                # The process knows only the rest at its start.
                self._broken = self._used_up(f"{self._limits.match_ms} ms")
        return self._broken or answer

    @property
    def _has_idled(self) -> bool:
        return self.idle_ms > self._limits.idle_ms

    def _used_up(self, what: str) -> BotFault:
        return BotFault(Ending.MATCH_TIMEOUT, f"The bot used up its {what} for the match.")

    def end(self) -> None:
        """End the bot after a fault; the next `move` starts it again."""
        if self._running:
            self._idle_before_ms = self.idle_ms
            self._running = False
            self._seat.close()  # first: its stderr is complete then
            self._before.append(self._seat.report(None))

    def _restart(self) -> None:
        left_ms = self.clock_ms
        if left_ms <= 0:
            self._broken = BotFault(Ending.MATCH_TIMEOUT, _NO_TIME)
            return
        self._seat = self._start(replace(self._limits, match_ms=left_ms))
        self._running = self._again = True
        # A bot that cannot be loaded now will not load later.
        self._broken = self._seat.load()
        if self._broken is None and self._has_idled:
            self._broken = self._used_up(f"{self._limits.idle_ms} ms of idle time")

    def close(self) -> None:
        self._seat.close()

    def report(self, fault: BotFault | None) -> SeatReport:
        parts = [*self._before, self._seat.report(None)] if self._running else self._before
        return SeatReport(
            cpu_ms=sum(part.cpu_ms for part in parts),
            slowest_move_ms=max(part.slowest_move_ms for part in parts),
            moves=sum(part.moves for part in parts),
            complaint=fault.complaint if fault else "",
            stderr="".join(part.stderr for part in parts)[-STDERR_KEPT_BYTES:],
        )


@dataclass(frozen=True, slots=True)
class PuzzleScore:
    """The result of a seat over all instances."""

    solved: int
    moves: int
    """Of the solved instances."""
    at_fault: bool
    """Whether every instance ended in a fault."""

    @property
    def columns(self) -> dict[str, float]:
        return {"solved": float(self.solved), "moves": float(self.moves)}


def tally(answers: Sequence[ReplayAnswer]) -> PuzzleScore:
    """Of one seat, over all instances."""
    return PuzzleScore(
        solved=sum(answer.solved for answer in answers),
        moves=sum(answer.moves for answer in answers),
        at_fault=all(answer.ending is not None for answer in answers),
    )


def puzzle_scores(tallies: Sequence[PuzzleScore]) -> tuple[float, ...]:
    """Per seat the mean over the others: 1 for each that it beats, 0.5 for each that did as well.

    A seat at fault scores 0 and loses to all that are not.
    """
    places = [(not one.at_fault, one.solved, -one.moves) for one in tallies]
    return tuple(0.0 if not place[0] else _mean_result(places, place) for place in places)


def _mean_result(places: Sequence[tuple[bool, int, int]], own: tuple[bool, int, int]) -> float:
    points = sum(1.0 if own > other else 0.5 if own == other else 0.0 for other in places)
    return (points - 0.5) / (len(places) - 1)  # without the draw against itself


def play_puzzle(game: Puzzle[Any, Any], match: MatchInPlay) -> MatchRecord:
    """Let every seat solve all instances, one seat after the other."""
    instances = game.instances(match.job.seed)
    tries = [_Try(game, match, seat, instances) for seat in range(len(match.seats))]
    for one in tries:
        one.solve_all()
    tallies = [tally(one.answers) for one in tries]
    for seat, done in enumerate(tallies):
        if done.at_fault and seat not in match.faults:
            match.note(seat, tries[seat].faults[0])
    return MatchRecord(
        plies=sum(one.moves for one in tallies),
        outcome=Outcome(puzzle_scores(tallies), _explain(match, tallies, len(instances))),
        places_faults=True,
        answers=list(zip(*(one.answers for one in tries), strict=True)),
        complaints=[one.complaint for one in tries],
        columns=[one.columns for one in tallies],
    )


def _explain(match: MatchInPlay, tallies: Sequence[PuzzleScore], instances: int) -> str:
    best = sorted(range(len(tallies)), key=lambda s: (-tallies[s].solved, tallies[s].moves))
    told = [
        f"{match.job.entrants[seat].name} solved {tallies[seat].solved} of {instances}"
        + (f" in {_counted(tallies[seat].moves, 'move')}" if tallies[seat].solved else "")
        for seat in best[:_NAMED]
    ]
    return ", ".join(told) + (", …" if len(best) > _NAMED else "")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class _Try:
    """One seat at all instances."""

    def __init__(
        self, game: Puzzle[Any, Any], match: MatchInPlay, seat: int, instances: Sequence[Any]
    ) -> None:
        self.answers: list[ReplayAnswer] = []
        self.faults: list[BotFault] = []
        self.complaint = ""
        """For the author: the first fault, or else the error of the first wrong answer."""
        self._game = game
        self._seat = match.seats[seat]
        self._number = seat
        self._instances = instances
        self._sandboxed = match.job.entrants[seat].kind.sandboxed
        self._left_bytes = _ANSWERS_BYTES // len(match.seats)

    def solve_all(self) -> None:
        wrong = ""
        for number, instance in enumerate(self._instances):
            answer = self._ask(number, instance)
            cpu_ms = round(self._seat.last_ms, 3)
            if isinstance(answer, BotFault):
                self.answers.append(ReplayAnswer(None, ending=answer.ending, cpu_ms=cpu_ms))
                self.faults.append(answer)
                assert isinstance(self._seat, PuzzleSeat)
                self._seat.end()
                continue
            text = msgspec.json.encode(answer).decode()
            moves, reason = check_answer(self._game, instance, answer)
            solved = moves is not None
            self.answers.append(ReplayAnswer(text, solved, moves or 0, cpu_ms=cpu_ms))
            if not solved and not wrong:
                # Quoted as JSON: the `repr` of a deep value may need more stack than there is.
                by = "" if answer is None else f" by {text:.80}"
                wrong = one_line(f"Instance {number + 1} is not solved{by}: {reason}.")
        self.complaint = self.faults[0].complaint if self.faults else wrong

    def _ask(self, number: int, instance: Any) -> Any | BotFault:
        """The answer of the seat, as JSON."""
        answer = self._seat.move(instance, lambda: self._view(number, instance))
        if not isinstance(answer, BotFault):
            if not self._sandboxed and answer is not None:
                answer = self._game.answer(instance, answer)
            answer = self._recordable(answer)
        if isinstance(answer, BotFault) and answer.ending is not Ending.START_FAILED:
            return replace(answer, complaint=f"Instance {number + 1}: {answer.complaint}")
        return answer

    def _recordable(self, answer: Any) -> Any | BotFault:
        """The answer, if it fits into the replay."""
        try:
            self._left_bytes -= len(msgspec.json.encode(answer))
        except (ValueError, TypeError, OverflowError, RecursionError):
            return BotFault(Ending.BAD_REPLY, _UNRECORDABLE)
        return answer if self._left_bytes >= 0 else BotFault(Ending.OUTPUT_FLOOD, _TOO_LONG)

    def _view(self, number: int, instance: Any) -> dict[str, Any]:
        return self._game.observation(instance) | {
            "game": self._game.name,
            "seat": self._number,
            "number": number,
            "instances": len(self._instances),
            "instance": self._game.text(instance),
            "clock_ms": self._seat.clock_ms,
        }


def check_answer(game: Puzzle[Any, Any], instance: Any, answer: Any) -> tuple[int | None, str]:
    """The number of moves of the answer; None and the reason if it does not solve the instance."""
    if answer is None:
        return None, "the bot gave up with null, or None in Python; is a return missing?"
    try:
        return len(game.steps(instance, game.solution(instance, answer))), ""
    except IllegalMove as error:
        return None, str(error)
    except Exception as error:
        # An answer that crashes the checker is also wrong. As a failure of ours, bots could use it
        # to escape a lost match.
        return None, f"{type(error).__name__}: {error}"


def check_record(document: Replay, game: Puzzle[Any, Any]) -> None:
    """Raise `BadReplay` unless the recorded answers are right and give the recorded result."""
    instances = game.instances(document.seed)
    seats = len(document.entrants)
    if len(document.answers) != len(instances) or any(len(a) != seats for a in document.answers):
        raise BadReplay("The replay does not have an answer of each seat to each instance.")
    for number, (instance, answers) in enumerate(zip(instances, document.answers, strict=True), 1):
        for seat, recorded in enumerate(answers):
            if (recorded.answer is None) != (recorded.ending is not None):
                raise BadReplay(f"Seat {seat} has an answer and a fault in instance {number}.")
            moves, _ = check_answer(game, instance, read_answer(recorded))
            if (recorded.solved, recorded.moves) != (moves is not None, moves or 0):
                raise BadReplay(f"The answer of seat {seat} to instance {number} is misjudged.")
    tallies = [tally(answers) for answers in zip(*document.answers, strict=True)]
    at_fault = tuple(seat for seat, one in enumerate(tallies) if one.at_fault)
    told = (document.verdict.scores, document.verdict.at_fault, document.columns)
    if told != (puzzle_scores(tallies), at_fault, tuple(one.columns for one in tallies)):
        raise BadReplay("Its answers give another result.")


def read_answer(recorded: ReplayAnswer) -> Any:
    """The JSON value of a recorded answer; None if there is none. Raises `BadReplay`."""
    try:
        return msgspec.json.decode(recorded.answer) if recorded.answer is not None else None
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadReplay("A recorded answer is no JSON.") from error
