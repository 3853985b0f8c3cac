"""Every game, and the toys, pass the conformance test; broken games do not."""

from __future__ import annotations

from typing import Any

import pytest

from engines.conformance import Violation, check_game
from engines.game import AnyGame, Game, Outcome, Simulation
from engines.games import GAMES, by_name
from tests.engines.toys import DICE_RACE, TUG_OF_WAR, DiceRace, TugOfWar


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("game", [*GAMES, DICE_RACE, TUG_OF_WAR], ids=lambda game: game.name)
def test_game_conforms(game: AnyGame, seed: int) -> None:
    check_game(game, seed)


def test_toys_are_what_they_say() -> None:
    assert isinstance(DICE_RACE, Game)
    assert not isinstance(DICE_RACE, Simulation)
    assert isinstance(TUG_OF_WAR, Simulation)
    assert not isinstance(TUG_OF_WAR, Game)


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


class Scripted(DiceRace):
    def svg(self, state: Any, last: Any | None = None) -> str:
        return super().svg(state).replace("</svg>", "<script>alert(1)</script></svg>")


class OpensIllegally(DiceRace):
    def opening(self, seed: int, seats: int = 3) -> Any:
        return ("hold",)


class LooseOptions(TugOfWar):
    def start(self, seed: int, seats: int, options: Any) -> Any:
        return super().start(seed, seats, {})


@pytest.mark.parametrize(
    "broken",
    [
        NamedBadly,
        ForgetsPot,
        LoadedDice,
        TakesAnything,
        TwoScores,
        Scripted,
        OpensIllegally,
        LooseOptions,
    ],
)
def test_broken_games_are_found_out(broken: type) -> None:
    with pytest.raises(Violation):
        check_game(broken(), 1)


def test_games_are_found_by_name() -> None:
    assert {by_name(game.name) for game in GAMES} == set(GAMES)
    with pytest.raises(LookupError, match="reversi"):
        by_name("no such game")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_house_bots_are_at_least_six(game: AnyGame) -> None:
    names = list(game.house_bots)
    assert len(names) >= 6
    if isinstance(game, Game):
        assert names[0] == "random"
        assert {"greedy", "alphabeta-3"} <= set(names)
