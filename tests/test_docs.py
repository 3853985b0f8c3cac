"""Documentation is executed: every bot in it plays, and what it lists is complete."""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from engines.games import GAMES
from ladder.runner import codesize, play_job
from ladder.runner.selftest import choose_tier
from ladder.settings import Settings
from ladder.values import Ending, Entrant, Kind, MatchJob

ROOT = Path(__file__).parent.parent
BOT_BLOCK = re.compile(r"```python\n(# bot: (\S+)\n.*?)```", re.DOTALL)


def _bots() -> list[tuple[str, str, str]]:
    found = []
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for number, (code, game) in enumerate(BOT_BLOCK.findall(page.read_text())):
            found.append((f"{page.stem}-{number}", game, code))
    return found


def test_there_are_bots_to_try() -> None:
    assert {game for _, game, _ in _bots()} == {game.name for game in GAMES}


@pytest.mark.parametrize(("name", "game", "code"), _bots())
def test_the_bots_in_the_pages_play(name: str, game: str, code: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    tier = choose_tier(tmp_path)
    bot = Entrant(name, Kind.PYTHON, "", code.encode())
    house = Entrant("random", Kind.HOUSE, "")
    wins = 0.0
    for seed in range(4):
        job = MatchJob(seed + 1, 1, game, seed, (bot, house))
        report = play_job(job, tmp_path, tier)
        assert report.verdict.ending is Ending.COMPLETED, report.seats[0]
        wins += report.verdict.scores[0]
    assert wins >= 1, "it beats the random bot now and then"


def test_every_setting_is_documented_with_its_default() -> None:
    page = (ROOT / "docs/operations.md").read_text()
    for setting in fields(Settings):
        default = f"`{setting.default}`" if setting.default != "" else ""
        assert f"| `{setting.name}` | {default} |".replace("|  |", "| |") in page, setting.name


def test_every_ending_is_documented() -> None:
    for page in ("docs/bots.md", "docs/protocol.md"):
        text = (ROOT / page).read_text()
        missing = [e for e in Ending if f"`{e}`" not in text and e is not Ending.COMPLETED]
        assert not missing


def test_the_size_of_the_small_bot_is_right() -> None:
    text = (ROOT / "docs/bots.md").read_text()
    ((statements, size, code),) = re.findall(
        r"```python\n# size: (\d+) statements, (\d+) bytes\n(.*?)```", text, re.DOTALL
    )
    told = codesize.measure({"bot.py": code.encode()})
    assert told["open_only"] == ""
    assert told["measures"]["statements"] == int(statements)
    if sys.version_info[:2] == (3, 11):
        assert told["measures"]["bytecode_bytes"] == int(size)
    for name in codesize.MODULES | codesize.PURE_BUILTINS | codesize._DUNDERS:
        assert f"`{name}`" in text or name == "__future__"


def test_links_lead_somewhere() -> None:
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
