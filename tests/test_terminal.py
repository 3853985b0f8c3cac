"""Texts of others never reach a terminal or a log with control characters."""

from __future__ import annotations

import ast
import logging
from pathlib import Path

import pytest

import ladder
from ladder.cli import main
from ladder.host.logs import TextFormat
from ladder.terminal import plain

EVIL = """
import sys
sys.stderr.write("\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202egnp.exe\\r\\x08 caf\u00e9")
def agent(observation, configuration):
    raise ValueError("\\x1b[31mred")
"""
CONTROLS = ("\x1b", "\x07", "\x9b", "\r", "\x08", "\u202e")


def test_control_characters_are_spelled_out() -> None:
    assert plain("caf\u00e9\tand\nmore") == "caf\u00e9\tand\nmore"
    assert plain("\x1b[2J\u202e\0") == "\\x1b[2J\\u202e\\x00"


def test_play_shows_no_escape_of_a_bot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "evil\x1b[31m.py"
    bot.write_text(EVIL)
    assert main(["play", "connect-four", str(bot), "random", "--games", "1"]) == 1
    told = capsys.readouterr()
    shown = told.out + told.err
    assert "caf\u00e9" in shown, "the log of the bot is shown"
    assert "\\x1b]0;owned" in shown
    for control in CONTROLS:
        assert control not in shown


def test_commands_print_in_one_way_only() -> None:
    """`say` spells control characters out; a bare `print` would not."""
    assert ladder.__file__ is not None
    for path in (Path(ladder.__file__).parent / "cli").glob("*.py"):
        calls = (
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        )
        names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
        assert "print" not in names, path.name


def test_lines_of_the_log_hold_no_escapes() -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, "from %s", ("\x1b[31mred",), None)
    assert "\x1b" not in TextFormat().format(record)
