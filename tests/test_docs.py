"""Documentation is executed: every bot in it plays, and its lists are complete."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from engines.game import Game
from engines.games import GAMES, find_game
from engines.programs.primitives import Operation
from ladder.runner import codesize, play_job
from ladder.runner.selftest import choose_tier
from ladder.settings import Settings
from ladder.values import Ending, Entrant, Kind, MatchJob

ROOT = Path(__file__).parent.parent
PROGRAM_BLOCK = re.compile(r"```lisp\n(\(program (\S+)\n.*?)```", re.DOTALL)
BOT_BLOCK = re.compile(r"```python\n(# bot: (\S+)\n.*?)```", re.DOTALL)


def _bots() -> list[tuple[str, str, str]]:
    found = []
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for number, (code, game) in enumerate(BOT_BLOCK.findall(page.read_text())):
            found.append((f"{page.stem}-{number}", game, code))
    return found


@pytest.mark.parametrize(
    "page", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")], ids=lambda p: p.name
)
def test_pages_are_whole(page: Path) -> None:
    """No page contains conflict markers of a merge, and every link leads to a file."""
    text = page.read_text()
    assert not re.search(r"^(<{7}|={7}|>{7})", text, re.MULTILINE)
    for target in re.findall(r"\]\(([^)#: ]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_there_are_bots_to_try() -> None:
    assert {game for _, game, _ in _bots()} == {game.name for game in GAMES}


@pytest.mark.parametrize(("name", "game", "code"), _bots())
def test_the_bots_in_the_pages_play(name: str, game: str, code: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    tier = choose_tier(tmp_path)
    bot = Entrant(name, Kind.PYTHON, "", code.encode())
    house = Entrant(next(iter(find_game(game).house_bots)), Kind.HOUSE, "")
    matches = 4 if isinstance(find_game(game), Game) else 1
    wins = 0.0
    for seed in range(matches):
        job = MatchJob(seed + 1, 1, game, seed, (bot, house))
        report = play_job(job, tmp_path, tier)
        assert report.verdict.ending is Ending.COMPLETED, report.seats[0]
        wins += report.verdict.scores[0]
    assert wins >= matches / 4, "it beats the weakest house bot now and then"


def test_the_tank_in_the_pages_beats_a_sitting_duck(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    code = next(code for _, game, code in _bots() if game == "tanks")
    statements = [line for line in code.splitlines()[1:] if line.strip()]
    assert len(statements) <= 12, "ten lines, an import and the agent"
    bot = Entrant("hunter", Kind.PYTHON, "", code.encode())
    job = MatchJob(1, 1, "tanks", 7, (bot, Entrant("SittingDuck", Kind.HOUSE, "")))
    report = play_job(job, tmp_path, choose_tier(tmp_path))
    assert report.seats[0].columns["firsts"] == 10, report.seats[0]


def test_the_programs_in_the_pages_play(tmp_path: Path) -> None:
    found = PROGRAM_BLOCK.findall((ROOT / "docs/bots.md").read_text())
    assert found
    for text, game in found:
        program = Entrant("program", Kind.PROGRAM, "", text.encode())
        weakest = Entrant(next(iter(find_game(game).house_bots)), Kind.HOUSE, "")
        report = play_job(MatchJob(1, 1, game, 1, (program, weakest)), tmp_path, None)
        assert report.verdict.scores[0] > 0.9


def test_every_primitive_is_documented() -> None:
    page = "".join((ROOT / f"docs/{name}.md").read_text() for name in ("bots", "games"))
    for game in GAMES:
        programs = game.programs
        for slot in programs.architecture.slots if programs else ():
            for name, primitive in slot.primitives.by_name.items():
                shown = "a number" if primitive.operation is Operation.NUMBER else name
                assert re.search(rf"[`(]{shown}[`) ]|\| {shown} \|", page), name


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


def _named_modules(text: str) -> set[str]:
    """Dotted names of our packages in code spans."""
    return set(re.findall(r"`((?:engines|evolve|ladder)(?:\.\w+)+)`", text))


def _exists(name: str) -> bool:
    """Whether a dotted name is a module, or a name that a module defines, without importing it."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:length])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if file.exists():
            return _defines(ast.parse(file.read_text()).body, parts[length:])
    return False


def _defines(body: list[ast.stmt], names: list[str]) -> bool:
    if not names:
        return True
    for one in body:
        if isinstance(one, ast.ClassDef) and one.name == names[0]:
            return _defines(one.body, names[1:])
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and [one.name] == names:
            return True
    return False


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_paths_and_modules_in_the_pages_for_developers_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    tops = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "."}
    paths = set(re.findall(r"`([\w.-]+/[\w./-]*)`", text))
    paths = {path for path in paths if path.partition("/")[0] in tops and "NAME" not in path}
    names = _named_modules(text)
    assert len(paths) >= 10
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
    assert [name for name in sorted(names) if not _exists(name)] == []
    if page == "ARCHITECTURE.md":
        assert len(names) >= 30


def test_the_folders_are_in_the_architecture() -> None:
    table = (ROOT / "ARCHITECTURE.md").read_text().partition("## Folders")[2]
    listed = set(re.findall(r"^\| `([\w./]+)/` \|", table, re.MULTILINE))
    packages = {
        str(file.parent.relative_to(ROOT))
        for top in ("ladder", "evolve", "engines")
        for file in (ROOT / top).rglob("*/__init__.py")
        if file.parent.parent.name != "games"
    }
    assert len(packages) > 25
    assert packages - listed == set()


def test_modules_in_the_import_contracts_exist() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    names = list(contracts["root_packages"])
    for contract in contracts["contracts"]:
        names += contract.get("source_modules", [])
        for layer in contract.get("layers", []):
            for module in re.split(r"[|:]", layer):
                names += [f"{one}.{module.strip()}" for one in contract["containers"]]
        for ignored in contract.get("ignore_imports", []):
            names += ignored.split(" -> ")
        forbidden = contract.get("forbidden_modules", [])
        names += [one for one in forbidden if one.split(".")[0] in contracts["root_packages"]]
    assert len(names) > 50
    assert [name for name in names if not _exists(name)] == []


def test_the_layers_in_the_architecture_are_those_of_the_import_contracts() -> None:
    told = (ROOT / "ARCHITECTURE.md").read_text().partition("## Layers")[2].partition("## Walks")[0]
    paragraphs = re.split(r"\n\d\. ", told.split("\nOnly ")[0])
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layered = [contract for contract in contracts["contracts"] if "layers" in contract]
    assert len(layered) == 3
    for contract in layered:
        (container,) = contract["containers"]
        (paragraph,) = [
            one for one in paragraphs if one.startswith(f"`{container.replace('.', '/')}`")
        ]
        order = re.findall(r"`(\w+)`", paragraph.partition("from the top")[2])
        names = [name for layer in contract["layers"] for name in re.findall(r"\w+", layer)]
        assert order == [name for name in names if name != "__main__"]


def test_unknown_names_do_not_exist() -> None:
    assert _exists("ladder.web.http.site.Request.by_token")
    assert not _exists("ladder.web.doors")
    assert not _exists("ladder.web.http.site.Reply")
