"""Pictures of replays of every kind: drawn one at a time, by number."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engines.competition import Competition
from ladder.errors import NotFound
from ladder.runner.pictures import Frame, Pictures
from ladder.runner.referee import play
from ladder.runner.replay import BadReplay, Replay, decode
from ladder.values import Entrant, Kind, MatchJob
from tests.engines.toys import DICE_RACE, SUMS, TUG_OF_WAR


def played(game: Competition, *names: str, bots: Path) -> Replay:
    seats = tuple(Entrant(name, Kind.HOUSE, "") for name in names)
    return decode(play(MatchJob(1, 1, game.name, 3, seats), None, bots, game).replay)


def drawn(pictures: Pictures, *numbers: int) -> list[Frame]:
    return [frame for number in numbers for frame in pictures.draw(range(number, number + 1))]


def test_a_game_is_drawn_after_each_move(bots: Path) -> None:
    document = played(DICE_RACE, "random", "holds-at-8", bots=bots)
    pictures = Pictures(document, game=DICE_RACE)
    frames = list(pictures.draw(range(10**6)))
    assert pictures.last == len(document.moves)
    assert [frame.number for frame in frames] == list(range(pictures.last + 1))
    assert [frame.move for frame in frames[1:]] == [move.move for move in document.moves]
    assert list(pictures.draw(range(3, 20, 5))) == frames[3:20:5]
    assert list(pictures.draw(range(10**6, 10**6 + 5))) == []


@pytest.mark.parametrize("number", [0, 7, 10**6])
def test_one_position_is_one_picture(bots: Path, number: int) -> None:
    """It used to be one for each move before it."""
    document = played(DICE_RACE, "random", "holds-at-8", bots=bots)
    drawings: Counter[str] = Counter()

    class Counting(type(DICE_RACE)):  # type: ignore[misc]
        def svg(self, state: Any, last: Any = None) -> str:
            drawings["svg"] += 1
            return super().svg(state, last)  # type: ignore[no-any-return]

    pictures = Pictures(document, game=Counting())
    assert len(drawn(pictures, min(number, pictures.last))) == 1
    assert drawings["svg"] == 1


def test_a_simulation_has_its_frames(bots: Path) -> None:
    pictures = Pictures(played(TUG_OF_WAR, "steady", "hasty", bots=bots), game=TUG_OF_WAR)
    assert pictures.last == 12
    first, seventh = drawn(pictures, 0, 7)
    assert (first.number, first.seat, first.move, first.position) == (0, None, None, "")
    assert "after 7 steps" in seventh.svg
    assert drawn(pictures, 13) == []


def test_a_puzzle_has_a_picture_per_seat_as_long_as_its_solution_goes_on(bots: Path) -> None:
    document = played(SUMS, "gives-up", "singles", "pairs", bots=bots)
    first, second = (Pictures(document, number, SUMS) for number in (0, 1))
    assert [len(one.steps) for one in first.solved] == [0, 1, 1]
    assert [len(one.steps) for one in second.solved] == [0, 0, 2]
    assert second.last == 2
    frames = list(second.draw(range(10)))
    assert [(frame.number, frame.seat) for frame in frames] == [
        *((0, 0), (0, 1), (0, 2), (1, 2), (2, 2))
    ]
    assert [frame.move for frame in frames[2:]] == [None, *second.solved[2].steps]
    assert all(frame.position == second.text for frame in frames)
    with pytest.raises(NotFound, match="3 instances"):
        Pictures(document, 3, SUMS)


def test_documents_that_the_rules_cannot_show(bots: Path) -> None:
    document = played(SUMS, "singles", "pairs", bots=bots)
    (one, other), *rest = document.answers
    edit = msgspec.structs.replace
    for answer in ("[5, 5]", "nonsense", "[" * 5000):
        wrong = edit(document, answers=((edit(one, answer=answer, solved=True), other), *rest))
        with pytest.raises(BadReplay):
            Pictures(wrong, game=SUMS)
    tug = played(TUG_OF_WAR, "steady", "hasty", bots=bots)
    for data in (None, b"", b"[1"):
        with pytest.raises(BadReplay):
            Pictures(edit(tug, data=data), game=TUG_OF_WAR)
    with pytest.raises(BadReplay, match="unknown"):
        Pictures(edit(tug, game="gone"))
