"""Every game, and the toys, pass the conformance test; broken games do not."""

from __future__ import annotations

from typing import Any

import pytest

from engines.competition import Competition, Outcome
from engines.conformance import Violation, check_game
from engines.games import GAMES, UnknownGame, find_game
from tests.engines import toys
from tests.engines.toys import DiceRace, Sums, TugOfWar
from tests.engines.toys.compiled import Doubles, Ring, Stones


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("game", [*GAMES, *toys.ALL], ids=lambda game: game.name)
def test_game_conforms(game: Competition, seed: int) -> None:
    check_game(game, seed)


class NamedBadly(DiceRace):
    name = "Dice Race"


class ForgetsPot(DiceRace):
    def position(self, state: Any) -> str:
        return super().position(state._replace(pot=0))


class LoadedDice(DiceRace):
    def chances(self, state: Any) -> Any:
        return (0.5,) * 6 if state.rolling else ()


class TakesAnything(DiceRace):
    def parse(self, state: Any, text: str) -> Any:
        return next((m for m in self.legal(state) if str(m) == text), self.legal(state)[0])


class TwoScores(DiceRace):
    def outcome(self, state: Any) -> Outcome | None:
        outcome = super().outcome(state)
        return outcome and Outcome(outcome.scores[:2], outcome.reason)


class ScriptedGame(DiceRace):
    def svg(self, state: Any, last: Any | None = None) -> str:
        return super().svg(state).replace("</svg>", "<script>alert(1)</script></svg>")


class OpensIllegally(DiceRace):
    def opening(self, seed: int, seats: int = 3) -> Any:
        return ("hold",)


class LooseOptions(TugOfWar):
    def start(self, seed: int, seats: int, options: Any) -> Any:
        return super().start(seed, seats, {})


class RefusesNull(TugOfWar):
    def order(self, state: Any, seat: int, reply: Any) -> Any:
        return super().order(state, seat, {"no": "order"} if reply is None else reply)


class Blank(TugOfWar):
    def frame_count(self, replay: bytes) -> int:
        return 0


class Lonely(DiceRace):
    seats = frozenset({1, 2})


class FiveToo(Stones):
    """It allows five seats and cannot seat the fifth."""

    seats = frozenset({2, 3, 5})

    def start(self, seed: int, seats: int = 2) -> Any:
        return super().start(seed, min(seats, 4))


class TitlesNothing(TugOfWar):
    column_titles = {"distance": "Distance"}  # noqa: RUF012 - it has no such column


class ForgetsThePast(Ring):
    def position(self, state: Any) -> str:
        return f"{super().position(state).partition(' moves')[0]} moves"


class LoadedDie(Doubles):
    def chances(self, state: Any) -> Any:
        return (0.5, 0.5, 0.5) if super().chances(state) else ()


class KernelsDiffer(Doubles):
    def legal(self, state: Any) -> Any:
        return super().legal(state)[:1]


class TakesAnySum(Sums):
    def solution(self, instance: Any, answer: Any) -> Any:
        return tuple(answer) if isinstance(answer, list) else super().solution(instance, answer)


class OtherInstances(Sums):
    """Each seat gets different instances."""

    count = 0

    def instances(self, seed: int) -> Any:
        self.count += 1
        return super().instances(seed + self.count)


class NobodySolves(Sums):
    @property
    def house_bots(self) -> Any:
        return {"gives-up": super().house_bots["gives-up"]}


@pytest.mark.parametrize(
    "broken",
    [
        NamedBadly,
        ForgetsPot,
        LoadedDice,
        TakesAnything,
        TwoScores,
        ScriptedGame,
        OpensIllegally,
        LooseOptions,
        RefusesNull,
        Blank,
        Lonely,
        FiveToo,
        TitlesNothing,
        ForgetsThePast,
        LoadedDie,
        KernelsDiffer,
        TakesAnySum,
        OtherInstances,
        NobodySolves,
    ],
)
def test_broken_games_are_found_out(broken: type) -> None:
    with pytest.raises(Violation):
        check_game(broken(), 1)


def test_games_are_found_by_name() -> None:
    assert {find_game(game.name) for game in GAMES} == set(GAMES)
    with pytest.raises(UnknownGame, match="reversi"):
        find_game("no such game")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_house_bots_are_at_least_six(game: Competition) -> None:
    assert len(game.house_bots) >= 6
