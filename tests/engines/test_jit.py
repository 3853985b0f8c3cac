"""The disk cache: filled once, found by later processes, cleared when sources change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.compiling import jit

PLAY = """
import sys
from engines.alphabeta import kernels
from engines.alphabeta.contests import contest
from engines.game import Game
from engines.games import GAMES
from engines.alphabeta.search import negamax
boards = [game for game in GAMES if isinstance(game, Game)][: int(sys.argv[1])]
for game in boards:
    # Use all kernels except those of counting: both kinds of leaves, and chance.
    text = f"(program {game.name} (depth 1) (tree value (IFT (LowerEqual 1.0 2.0) 3.0 4.0)))"
    game.programs.player(text, 0).choose(game.start(0), 0)
    print(len(contest(game, [game.searchers[name] for name in ("greedy", "random")], 3).moves))
print(kernels.perft(boards[0].start(0), 3, 1, kernels.new_stack(), 0))
if hasattr(negamax, "signatures"):
    # Code from the disk adds no signature. A literal argument would add one per value.
    assert len(negamax.signatures) <= len(boards)
    print(kernels.perft.stats.cache_hits)
else:
    print("interpreted")
"""

COUNT = """
from engines.alphabeta import kernels
from engines.games import GAMES
print(kernels.perft(GAMES[0].start(0), 5, 1, kernels.new_stack(), 0))
"""


def run(script: str, *arguments: str, **environment: str) -> list[str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("LADDER_CACHE", "NUMBA_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *arguments],
        cwd=Path(jit.SOURCES).parent,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def folders(cache: Path) -> list[str]:
    return [path.name for path in cache.iterdir()]


def test_a_second_process_plays_from_the_disk(tmp_path: Path) -> None:
    older = tmp_path / f"{jit._family()}0123456789abcdef"
    older.mkdir()
    (older / "stale.nbc").write_bytes(b"code of earlier sources")
    foreign = tmp_path / "engines-elsewhere-0123456789abcdef"
    foreign.mkdir()
    *results, hits = run(PLAY, "1", LADDER_CACHE=str(tmp_path))
    assert hits == "Counter()"
    assert not older.exists()
    assert foreign.exists()
    assert len(folders(tmp_path)) == 2
    again = run(PLAY, "1", LADDER_CACHE=str(tmp_path))
    assert again[: len(results)] == results
    assert any("ReversiState" in word for word in again[len(results) :])


def test_all_games_play_alike_from_the_disk_and_without_a_compiler() -> None:
    """Code that this test compiles serves the other tests, too."""
    here = str(jit.cache_folder().parent)
    run(PLAY, "5", LADDER_CACHE=here)
    *results, _, word = run(PLAY, "5", NUMBA_DISABLE_JIT="1")
    assert (len(results), word) == (5, "interpreted")
    assert run(PLAY, "5", LADDER_CACHE=here)[:5] == results


def test_an_unwritable_cache_costs_only_time(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("a file where a folder should be")
    assert run(COUNT, LADDER_CACHE=str(nowhere)) == ["1396"]


@pytest.mark.parametrize(
    ("environment", "root"),
    [
        ({"LADDER_CACHE": "a", "NUMBA_CACHE_DIR": "b"}, "a"),
        ({"NUMBA_CACHE_DIR": "b", "XDG_CACHE_HOME": "c"}, "b"),
        ({"XDG_CACHE_HOME": "c"}, "c/evoladder"),
        ({"HOME": "d"}, "d/.cache/evoladder"),
    ],
)
def test_the_environment_chooses_the_folder(
    environment: dict[str, str], root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LADDER_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert jit.cache_folder.__wrapped__().parent == Path(root)


def test_importing_writes_nothing(tmp_path: Path) -> None:
    run(
        "import engines.games, engines.alphabeta.search, engines.compiling.warmup",
        LADDER_CACHE=str(tmp_path),
    )
    assert folders(tmp_path) == []
