"""Games of other packages: found, reported if refused, and compiled separately."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from plugin_folder import UNCOMPILED, ask, install, install_samples, run

from engines.games import BUILT_IN

BAD = """
from engines.competition import Competition, Division
from own_games.pig import Pig

class Taken(Pig):
    name = "reversi"

class Alone(Pig):
    name, seats, ladder_seats = "alone", frozenset({1}), 1

class Homeless(Pig):
    name = "homeless"
    house_bots = {}

class Broken(Pig):
    name = "broken"
    @property
    def house_bots(self):
        raise RuntimeError("no bots today")

class Unshowable(Pig):
    name, house_bots = "unshowable", {"a/b": None.__class__}

class Bots(Pig):
    name, house_bots = "bots", ["gambler"]

class Doubles(Pig):
    name, house_bots = "doubles", dict.fromkeys(("Max", "max"), str)

class Divided(Pig):
    name, divisions = "divided", ("small",)

class Opened(Pig):
    name, divisions = "opened", (Division("open", "statements", 9),)

class Weighed(Pig):
    name, divisions = "weighed", (Division("light", "grams", 9),)

class Long(Pig):
    name = "long" * 11

class Kindless(Competition):
    name = "kindless"
    house_bots = starter = None

TAKEN, ALONE, HOMELESS, BROKEN, KINDLESS = Taken(), Alone(), Homeless(), Broken(), Kindless()
UNSHOWABLE, BOTS, DOUBLES, LONG = Unshowable(), Bots(), Doubles(), Long()
DIVIDED, OPENED, WEIGHED = Divided(), Opened(), Weighed()
NO_GAME, NOTHING, TWINS = "chess", (), (Pig(), Pig())
"""

REASONS = {
    "raises": "it cannot be imported: ZeroDivisionError: division by zero",
    "exits": "its import tried to exit the process (SystemExit: 3)",
    "misspelt": "it cannot be imported: ModuleNotFoundError: No module named 'no_such_module'",
    "absent": "it cannot be imported: AttributeError: module 'bad_games' has no attribute 'CHESS'",
    "syntax": "it cannot be imported: SyntaxError: ",
    "odd": "it cannot be imported: Odd: no Exception",
    "taken": "the name reversi is taken: choose another one",
    "alone": "alone is played by 1: a match needs at least 2 seats to be rated",
    "homeless": "homeless has no house bot",
    "broken": "its check fails: RuntimeError: no bots today",
    "unshowable": "unshowable: 'a/b' cannot name a house bot: use at most 40 letters",
    "bots": "bots: house_bots must map names to functions of a seed",
    "doubles": "doubles: the names of two house bots differ only in case",
    "divided": "divided: divisions must be Division objects, not 'small'",
    "opened": "opened: 'open' cannot name a division: use at most 20 of a-z",
    "weighed": "weighed: the division light needs a limit of at least 1, measured in statements or",
    "long": "the name longlonglong",
    "kindless": "Kindless must be derived from Game, Simulation or Puzzle",
    "no-game": "'chess' is not a game: derive it from Game, Simulation or Puzzle",
    "nothing": "it names no game: name one, or a tuple of games",
    "twins": "the name pig is taken: choose another one",
}


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample games, and with a plug-in for each way to be refused."""
    folder = tmp_path_factory.mktemp("bad")
    install_samples(folder)
    (folder / "bad_games.py").write_text(BAD)
    (folder / "raises.py").write_text("1 / 0")
    (folder / "exits.py").write_text("import sys; sys.exit(3)")
    (folder / "syntax.py").write_text("def")
    (folder / "odd.py").write_text("class Odd(BaseException): pass\nraise Odd('no Exception')")
    points = {name: f"bad_games:{name.replace('-', '_').upper()}" for name in REASONS} | {
        "raises": "raises:GAME",
        "exits": "exits:GAME",
        "syntax": "syntax:GAME",
        "odd": "odd:GAME",
        "misspelt": "no_such_module:GAME",
        "absent": "bad_games:CHESS",
    }
    install(folder, "bad_games", points)
    return folder


GAMES = """
import json
from engines.games import GAMES, LEFT_OUT
told = [[game.name for game in GAMES], {one.plugin.split(" ")[0]: one.reason for one in LEFT_OUT}]
print(json.dumps(told))
"""


def test_each_bad_plugin_is_left_out_with_a_reason_and_the_others_are_played(bad: Path) -> None:
    games, reasons = ask(bad, GAMES)
    own, _ = ask(None, GAMES)
    # `twins` is refused as a whole, and `pig` of the samples is played.
    assert games == [*own, "lights-out", "lone-number", "pig", "three-in-a-row"]
    assert reasons.keys() == REASONS.keys()
    for name, start in REASONS.items():
        assert reasons[name].startswith(start)
        assert "\n" not in reasons[name]


def test_commands_name_what_is_left_out_and_go_on(bad: Path) -> None:
    played = run(bad, "-m", "ladder.cli", "play", "pig", "holds-at-20", "gambler", **UNCOMPILED)
    assert played.returncode == 0, played.stderr
    assert "holds-at-20" in played.stdout
    for name, reason in REASONS.items():
        assert f"the plug-in {name} = " in played.stderr
        assert f"is left out: {reason}" in played.stderr


def test_the_doctor_names_what_is_left_out(bad: Path) -> None:
    told = run(bad, "-m", "ladder.cli", "doctor", "--sandbox", "C", **UNCOMPILED)
    assert f"games: {len(BUILT_IN)} of Evoladder and 4 of plug-ins" in told.stdout
    line = "BAD the plug-in taken = bad_games:TAKEN is left out: the name reversi is taken"
    assert told.stdout.count(line) == 1
    assert "left out" not in told.stderr


FINGERPRINTS = """
import json
from engines.games import GAMES
from ladder.runner.fingerprint import rules_fingerprint
print(json.dumps({game.name: rules_fingerprint(game) for game in GAMES}))
"""


def test_the_rules_of_a_plugin_are_its_own_sources_in_any_folder(tmp_path: Path) -> None:
    install_samples(tmp_path / "here")
    before = ask(tmp_path / "here", FINGERPRINTS)
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    assert ask(tmp_path / "there", FINGERPRINTS) == before
    with (tmp_path / "there/own_games/pig.py").open("a") as file:
        file.write("# a change\n")
    after = ask(tmp_path / "there", FINGERPRINTS)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"lights-out", "lone-number", "pig", "three-in-a-row"}


def test_the_rules_of_a_variant_of_our_game_include_the_sources_that_set_it_up(
    tmp_path: Path,
) -> None:
    source = "from engines.games.reversi import Reversi\nGAME = Reversi()\nGAME.name = 'mine'\n"
    seen = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        install(folder, "variant", {"mine": "variant:GAME"})
        (folder / "variant.py").write_text(f"{source}# {number}\n")
        seen.append(ask(folder, FINGERPRINTS))
    assert seen[0]["mine"] != seen[1]["mine"]
    assert seen[0]["reversi"] == seen[1]["reversi"]


# The disk cache of compiled code.

COUNT = """
import json, sys
from engines.alphabeta import kernels
from engines.games import GAMES, find_game
found = {}
for name in sys.argv[1:]:
    state = find_game(name).start(0)
    count = kernels.perft(state, 3, 1, kernels.new_stack(), 0)
    found[name] = int(count)
hits = kernels.perft.stats.cache_hits
print(json.dumps([found, sorted(str(signature[0]).split("(")[0] for signature in hits)]))
"""


def count(folder: Path | None, cache: Path, *games: str) -> tuple[dict[str, int], list[str]]:
    """Positions after three plies, and the state types whose code came from the disk."""
    done = run(folder, "-c", COUNT, *games, LADDER_CACHE=str(cache))
    assert done.returncode == 0, done.stderr
    found, hits = json.loads(done.stdout)
    return found, hits


def test_only_the_code_of_an_edited_plugin_is_compiled_again(tmp_path: Path) -> None:
    folder, cache = tmp_path / "plugins", tmp_path / "cache"
    install_samples(folder)
    both = ("reversi", "three-in-a-row")
    counted = {"reversi": 56, "three-in-a-row": 504}
    assert count(folder, cache, *both) == (counted, [])
    assert count(folder, cache, *both) == (counted, ["Discs", "ReversiState"])

    # A process without the plug-in can still read the code of the engines.
    assert count(None, cache, "reversi") == ({"reversi": 56}, ["ReversiState"])

    module = folder / "own_games/three_in_a_row.py"
    module.write_text(
        module.read_text().replace("for square in range(9)", "for square in range(8)")
    )
    fewer = {"reversi": 56, "three-in-a-row": 8 * 7 * 7}
    found, hits = count(folder, cache, *both)
    assert hits == ["ReversiState"]
    assert found == fewer
    assert count(folder, cache, *both) == (fewer, ["Discs", "ReversiState"])

    (ours,) = [path for path in cache.iterdir() if path.name.startswith("engines-")]
    kept = [path.name for path in ours.iterdir() if path.name.startswith("other-")]
    assert len(kept) == 1, "the code of the earlier sources is gone"
