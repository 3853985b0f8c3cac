"""The pictures of a replay, each drawn only when it is asked for.

Their numbers count from 0 the moves of a `Game`, or the steps of the solutions of one instance of a
`Puzzle`; a `Simulation` numbers its frames itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engines.competition import Competition
from engines.game import Game
from engines.puzzle import Puzzle
from engines.simulation import Simulation
from ladder.errors import NotFound
from ladder.runner.puzzles import read_answer
from ladder.runner.replay import BadReplay, Replay, game_of, positions

MOST_FRAMES = 1500
"""Most pictures of one request; a longer replay needs several, or a stride."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a replay."""

    number: int
    seat: int | None
    """Of a game: the seat that made the last move. Of a puzzle: the seat whose solution it shows.
    """
    move: str | None
    """The move or step that led here; None at the start."""
    position: str
    """The position, or the instance; empty for simulations."""
    svg: str


@dataclass(frozen=True, slots=True)
class Solved:
    """The solution of one seat."""

    solution: Any | None
    """None where the instance is not solved."""
    steps: tuple[str, ...]


class Pictures:
    """The pictures of one replay; of a puzzle, those of one instance."""

    def __init__(
        self, document: Replay, instance: int = 0, game: Competition | None = None
    ) -> None:
        """Raises `BadReplay`; `game` is needed only for games that are not in the catalogue."""
        self._document = document
        self._game = game if game is not None else game_of(document)
        self._instance: Any = None
        self.text = ""
        """Puzzles: the instance."""
        self.solved: tuple[Solved, ...] = ()
        """Puzzles: the solution of each seat."""
        with guarded():
            self.last = self._open(instance)
            """The number of the last picture."""

    def _open(self, instance: int) -> int:
        document, game = self._document, self._game
        if isinstance(game, Puzzle):
            self._read_instance(game, instance)
            return max(len(one.steps) for one in self.solved)
        if isinstance(game, Simulation):
            if document.data is None:
                raise BadReplay("The replay has no course to draw.")
            return game.frame_count(document.data) - 1
        return len(document.moves)

    def _read_instance(self, game: Puzzle[Any, Any], number: int) -> None:
        if number >= len(self._document.answers):
            raise NotFound(f"there are {len(self._document.answers)} instances, counted from 0")
        self._instance = instance = game.instances(self._document.seed)[number]
        self.text = game.text(instance)
        solved = []
        for recorded in self._document.answers[number]:
            solution: Any = None
            steps: tuple[str, ...] = ()
            if recorded.solved:
                solution = game.solution(instance, read_answer(recorded))
                steps = tuple(game.steps(instance, solution))
            solved.append(Solved(solution, steps))
        self.solved = tuple(solved)

    def draw(self, numbers: range, seat: int | None = None) -> Iterator[Frame]:
        """The existing pictures with these numbers; raises `BadReplay`.

        Of a puzzle, those of one seat or of all.
        """
        with guarded():
            if isinstance(self._game, Puzzle):
                yield from self._draw_solutions(self._game, numbers, seat)
            elif isinstance(self._game, Simulation):
                assert self._document.data is not None
                for number in numbers:
                    if number <= self.last:
                        svg = self._game.frame(self._document.data, number)
                        yield Frame(number, None, None, "", svg)
            elif isinstance(self._game, Game):
                yield from self._draw_positions(self._game, numbers)

    def _draw_positions(self, game: Game[Any, Any], numbers: range) -> Iterator[Frame]:
        for at in positions(self._document, game):
            if at.ply in numbers:
                svg = game.svg(at.state, at.move)
                yield Frame(at.ply, at.seat, at.text, game.position(at.state), svg)
            if not numbers or at.ply >= numbers[-1]:
                return

    def _draw_solutions(
        self, game: Puzzle[Any, Any], numbers: range, only: int | None
    ) -> Iterator[Frame]:
        """For each number the pictures of all seats whose solution is long enough."""
        for number in numbers:
            for seat, one in enumerate(self.solved):
                if only in (None, seat) and number <= len(one.steps):
                    step = one.steps[number - 1] if number else None
                    svg = game.svg(self._instance, one.solution, number)
                    yield Frame(number, seat, step, self.text, svg)


@contextmanager
def guarded() -> Iterator[None]:
    """The rules may have changed since: a game may raise anything about an old document."""
    try:
        yield
    except (BadReplay, NotFound):
        raise
    except Exception as error:
        raise BadReplay(f"The current rules cannot show this replay: {error}.") from error
