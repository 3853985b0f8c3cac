"""The log as JSON objects, and without secrets."""

from __future__ import annotations

import json
import logging

import pytest

from ladder.errors import Unavailable
from ladder.host import logs
from ladder.host.failures import log_failure
from ladder.settings import BadSetting, Settings

TOKEN = "lad_0123456789abcdefghij-_KLMNOPQRSTUVWXYZabcd"


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> object:
    """A function that returns the lines logged since its last call."""
    root = logging.getLogger()
    before = root.handlers[:], root.level

    def read() -> list[str]:
        return capsys.readouterr().err.splitlines()

    yield read
    root.handlers[:], level = before
    root.setLevel(level)


def test_a_line_is_an_object_with_its_facts(lines: object) -> None:
    assert callable(lines)
    logs.configure("json")
    log = logging.getLogger("ladder.test")
    log.info("match %d of \N{SNOWMAN}\nbegins", 7, extra={"match": 7, "game": "reversi"})
    (line,) = map(json.loads, lines())
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "logger": "ladder.test",
        "event": "match 7 of \N{SNOWMAN}\nbegins",
        "match": 7,
        "game": "reversi",
    }
    log_failure(log, "league 3 failed", ValueError("no \N{SNOWMAN}"), league=3)
    (line,) = map(json.loads, lines())
    assert (line["level"], line["league"]) == ("error", 3)
    assert (line["error"]["type"], line["error"]["message"]) == ("ValueError", "no \N{SNOWMAN}")
    log_failure(log, "league 3 failed", Unavailable("the database is away"))
    (line,) = map(json.loads, lines())
    assert "error" not in line, "a temporary failure is logged without a traceback"
    log.info("odd: %s", "half \ud800 pair", extra={"match": object()})
    assert len(lines()) == 1
    logs.configure("text")
    log.warning("match %d", 8)
    (text,) = lines()
    assert text.endswith(" WARNING ladder.test: match 8")


@pytest.mark.parametrize("form", logs.FORMATS)
def test_tokens_and_passwords_are_concealed_everywhere(form: str, lines: object) -> None:
    assert callable(lines)
    logs.configure(form)
    log = logging.getLogger("ladder.test")
    secrets = (TOKEN, "hunter2")
    url = "postgresql+psycopg://ladder:hunter2@db.example/ladder"
    log.error("cannot use %s with %s", url, TOKEN)
    try:
        raise RuntimeError(f"cannot use {url} with {TOKEN}")
    except RuntimeError as error:
        log_failure(log, f"it failed for {TOKEN}", error)
    text = "\n".join(lines())
    assert text.count("db.example") >= 3
    assert not [secret for secret in secrets if secret in text]


def test_other_formats_are_refused() -> None:
    with pytest.raises(BadSetting, match="text or json"):
        Settings(log_format="xml")
