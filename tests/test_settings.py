from __future__ import annotations

from pathlib import Path

import pytest

from engines.games import GAMES
from ladder.settings import BadSetting, Settings, load


def test_flags_come_before_variables_before_defaults() -> None:
    environment = {"LADDER_PORT": "9000", "LADDER_HOST": "0.0.0.0", "PORT": "1"}
    settings = load({"port": "9001", "host": None}, environment)
    assert (settings.port, settings.host, settings.data) == (9001, "0.0.0.0", Path.cwd() / "var")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("PORT", "x", "whole number"),
        ("PORT", "70000", "between 0 and 65535"),
        ("WORKERS", "-1", "workers"),
        ("SANDBOX", "D", "auto, A, B or C"),
        ("REGISTRATION", "closed", "open or invite"),
        ("LEAGUE_CRON", "at night", "cron"),
        ("LEAGUE_TIMEZONE", "Mars", "time zone"),
        ("SECURE_COOKIES", "maybe", "true or false"),
        ("MEMORY_MB", "1", "memory_mb"),
        ("ONLY_GAMES", "shogi, go", "only_games names none of those that are installed: reversi"),
    ],
)
def test_a_bad_value_is_named(name: str, value: str, told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        load({}, {f"LADDER_{name}": value})


@pytest.mark.parametrize(
    ("host", "open_by_default"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("a.b", False)],
)
def test_registration_is_open_on_loopback_only(host: str, open_by_default: bool) -> None:
    assert Settings(host=host).open_registration is open_by_default
    assert Settings(host=host, registration="open").open_registration
    assert not Settings(host=host, registration="invite").open_registration


def test_the_default_database_lies_in_the_data_folder(tmp_path: Path) -> None:
    assert Settings(data=tmp_path).database_url == f"sqlite:///{tmp_path}/ladder.db"
    assert Settings(database="postgresql+psycopg://x/y").database_url.startswith("postgresql")


def test_games_that_are_played_here() -> None:
    assert Settings().played == GAMES
    settings = Settings(only_games="tanks, reversi,go")
    assert [game.name for game in settings.played] == ["reversi", "tanks"]
    assert settings.missing_games == ("go",)
