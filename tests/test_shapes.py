"""Messages about values that have not the shape of a body, an option or a lineage."""

from __future__ import annotations

import argparse
import re
from typing import Any

import pytest

from ladder.cli import contests as commands
from ladder.contests.formats import FormatOptions, read_options
from ladder.errors import BadUpload, Refusal
from ladder.settings import BadSetting, check_schedule
from ladder.shapes import WrongShape, read
from ladder.uploads.submissions import read_lineage
from ladder.web.api.contests import ChallengeBody, LeagueBody, TournamentBody
from ladder.web.api.operations import AccountBody
from ladder.web.http.inputs import (
    AFTER_NUMBER,
    DIVISION,
    Param,
    read_json,
    read_params,
    text_param,
)

CHALLENGE = {"game": "reversi"}
TOURNAMENT = {"game": "reversi", "format": "swiss"}
LIBRARY = re.compile(r"Expected `|got `|at `\$|Object (contains|missing)|RFC3339|`(int|str|null)")


@pytest.mark.parametrize(
    ("shape", "value", "told"),
    [
        (FormatOptions, {"legs": 99}, "legs must be at most 16 games, not 99"),
        (FormatOptions, {"legs": 0}, "legs must be at least 1 game, not 0"),
        (FormatOptions, {"legs": "x"}, "legs must be a whole number from 1 to 16, not 'x'"),
        (FormatOptions, {"legs": 2.5}, "legs must be a whole number from 1 to 16, not 2.5"),
        (FormatOptions, {"third_place": 3}, "third_place must be true or false, not 3"),
        (FormatOptions, {"foo": 3}, "there is no field 'foo'; the fields are legs, rounds"),
        (ChallengeBody, CHALLENGE, "the field bots is missing; it must be a list of 1 to 100"),
        (ChallengeBody, CHALLENGE | {"bots": []}, "bots must be a list of 1 to 100 items, not"),
        (ChallengeBody, CHALLENGE | {"bots": "a"}, "bots must be a list of 1 to 100 items, not 'a"),
        (ChallengeBody, CHALLENGE | {"bots": [3, 0]}, "bots[1] must be at least 1 or text"),
        (ChallengeBody, CHALLENGE | {"bots": [None]}, "bots[0] must be a whole number or text"),
        (ChallengeBody, CHALLENGE | {"bots": [1], "games": 101}, "games must be at most 100, not"),
        (TournamentBody, TOURNAMENT | {"options": {"legs": 33}}, "options.legs must be at most 16"),
        (TournamentBody, TOURNAMENT | {"options": {"x": 1}}, "no field 'x' of options; the fields"),
        (TournamentBody, TOURNAMENT | {"rated": None}, "rated must be true or false, not null"),
        (
            TournamentBody,
            TOURNAMENT | {"starts_at": "soon"},
            "starts_at must be a time with a",
        ),
        (LeagueBody, {"game": "g", "name": "n", "cron": "\0"}, "cron must be text without NUL"),
        (LeagueBody, [], "it must be an object, not a list of 0"),
        (AccountBody, {"name": None}, "name must be text, not null"),
        (AccountBody, {"name": "a", "invite": "b" * 300}, "invite must be text without NUL char"),
    ],
)
def test_a_message_names_the_field_and_what_is_allowed(shape: Any, value: Any, told: str) -> None:
    with pytest.raises(WrongShape) as caught:
        read(value, shape)
    assert told in str(caught.value)
    assert not LIBRARY.search(str(caught.value))
    assert len(str(caught.value)) < 400


def test_right_values_are_read() -> None:
    assert read({"legs": 4}, FormatOptions) == FormatOptions(legs=4)


def test_options_of_tournaments_by_page_and_command() -> None:
    with pytest.raises(Refusal, match="best_of must be at most 15 games, not 99"):
        read_options({"best_of": 99})
    parser = argparse.ArgumentParser()
    commands.ARGUMENTS["tournament"](parser)
    flags = parser.parse_args(["create", "reversi", "--format", "swiss", "--legs", "77"])
    with pytest.raises(Refusal, match="legs must be at most 16 games, not 77"):
        commands._options(flags)


def test_bodies_of_the_api() -> None:
    with pytest.raises(Refusal, match="the body is wrong: games must be at most 100, not 101"):
        read_json(b'{"game": "reversi", "bots": [1], "games": 101.0}', ChallengeBody)
    assert read_json(b'{"game": "reversi", "bots": [7.0, "a"]}', ChallengeBody).bots == [7, "a"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('"run": 1.5', "run must be text of at most 300 characters or a whole number"),
        ('"guides": [{}]', "the field name of guides[0] is missing"),
        ('"guides": [{"name": "n", "sha256": "zz"}]', "guides[0].sha256 must be text of the form"),
        ('"generation": -1', "generation must be at least 0, not -1"),
    ],
)
def test_lineages(change: str, told: str) -> None:
    fields = {
        "run": "1",
        "domain": '"tanks"',
        "seed": "1",
        "guides": "[]",
        "generation": "1",
        "generations": "1",
        "population": "1",
    }
    name = change.split('"')[1]
    rest = ", ".join(f'"{key}": {value}' for key, value in fields.items() if key != name)
    with pytest.raises(BadUpload) as caught:
        read_lineage(f"{{{change}, {rest}}}")
    assert told in str(caught.value)
    assert not LIBRARY.search(str(caught.value))


@pytest.mark.parametrize("cron", ["soon", "99 * * * *", "* * * * * * *"])
def test_schedules(cron: str) -> None:
    with pytest.raises(BadSetting, match="write minute, hour, day of the month"):
        check_schedule(cron, "UTC")


@pytest.mark.parametrize(
    ("param", "text", "told"),
    [
        (AFTER_NUMBER, "x", "after must be the `next` of an earlier page, not 'x'"),
        (DIVISION, "A!", "division must be the name of a division, such as open, not 'A!'"),
        (text_param("name", "query", "", ".{0,40}"), "x" * 41, "name must be text of at most 40"),
    ],
)
def test_query_parameters(param: Param, text: str, told: str) -> None:
    with pytest.raises(Refusal) as caught:
        read_params([param], {}, [(param.name, text)], strict=True)
    assert told in str(caught.value)
