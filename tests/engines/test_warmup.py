"""Warming up covers every game of every kind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engines.compiling import warmup
from engines.compiling.warmup import families, is_warm, warm
from engines.games import GAMES
from tests.engines.toys import DICE_RACE, TUG_OF_WAR


def test_every_game_can_be_warmed() -> None:
    for game in (*GAMES, DICE_RACE, TUG_OF_WAR):
        warm(game)


def test_each_game_is_in_one_family() -> None:
    named = [game.name for family in families() for game in family]
    assert sorted(named) == sorted(game.name for game in GAMES)


def test_compiled_games_are_known_per_machine_and_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmup, "cache_folder", lambda: tmp_path)
    assert not is_warm(DICE_RACE)
    warm(DICE_RACE)
    assert is_warm(DICE_RACE)
    assert not is_warm(TUG_OF_WAR)
    with monkeypatch.context() as changed:
        changed.setattr(warmup, "_machine", lambda: "another processor")
        assert not is_warm(DICE_RACE)
    with monkeypatch.context() as changed:
        changed.setattr(sys.implementation, "cache_tag", "cpython-399")
        assert not is_warm(DICE_RACE)
    with monkeypatch.context() as changed:
        changed.setattr(warmup, "package_digest", lambda package: "other sources")
        assert not is_warm(DICE_RACE)
    assert is_warm(DICE_RACE)
    (tmp_path / "file").touch()
    monkeypatch.setattr(warmup, "cache_folder", lambda: tmp_path / "file")
    warm(DICE_RACE)
    assert not is_warm(DICE_RACE), "the disk keeps nothing"


def test_without_a_compiler_all_is_warm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(warmup, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warmup.config, "DISABLE_JIT", 1)
    assert is_warm(DICE_RACE)
    warm(DICE_RACE)
    assert not list(tmp_path.iterdir()), "a later compiler must not take the game as compiled"
