"""Warming up covers every game, of either kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines import warmup
from engines.games import GAMES
from engines.warmup import families, is_warm, note_warm, warm
from tests.engines.toys import DICE_RACE, TUG_OF_WAR


def test_every_game_can_be_warmed() -> None:
    for game in (*GAMES, DICE_RACE, TUG_OF_WAR):
        warm(game)


def test_each_game_is_in_one_family() -> None:
    named = [game.name for family in families() for game in family]
    assert sorted(named) == sorted(game.name for game in GAMES)


def test_what_is_warm_is_known_for_this_machine_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmup, "cache_folder", lambda: tmp_path)
    assert not is_warm()
    note_warm()
    assert is_warm()
    monkeypatch.setattr(warmup, "_machine", lambda: "another processor")
    assert not is_warm()
    monkeypatch.setattr(warmup, "cache_folder", lambda: tmp_path / "nowhere")
    note_warm()
    assert not is_warm()
