"""The `ladder` command as people type it, in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.games.connect_four import CONNECT_FOUR
from ladder.people import accounts
from ladder.store import Database
from ladder.values import Role, TokenUse

RANDOM_BOT = "def agent(observation, configuration):\n    return observation['legal'][-1]\n"


CHATTY_BOT = """print('loaded')

def agent(observation, configuration):
    print('\\x1b[2J', len(observation['legal']))
    return observation['legal'][-1]
"""


def ladder(*args: str | Path, cwd: Path, code: int = 0, **variables: str) -> str:
    """The output of the command; it must exit with `code`, and without a traceback."""
    environment = {**os.environ, "LADDER_DATA": str(cwd / "data"), **variables}
    done = subprocess.run(
        [sys.executable, "-m", "ladder.cli", *map(str, args)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback (most recent call last)" not in done.stderr.split("bot.py line")[0]
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def _database(folder: Path) -> Database:
    return Database(f"sqlite:///{folder}/data/ladder.db")


def test_the_last_line_of_account_create_is_the_token(tmp_path: Path) -> None:
    ladder("migrate", cwd=tmp_path)
    token = ladder("account", "create", "Ada", "--admin", cwd=tmp_path).splitlines()[-1]
    found = accounts.authenticate(_database(tmp_path), token, TokenUse.API)
    assert found is not None
    assert (found.name, found.role) == ("Ada", Role.ADMIN)
    assert "taken" in ladder("account", "create", "ada", cwd=tmp_path, code=1)
    second = ladder("account", "token", "ada", cwd=tmp_path).splitlines()[-1]
    assert accounts.authenticate(_database(tmp_path), second, TokenUse.API) == found
    third = ladder("account", "token", "ada", "--replace", cwd=tmp_path).splitlines()[-1]
    assert accounts.authenticate(_database(tmp_path), second, TokenUse.API) is None
    assert accounts.authenticate(_database(tmp_path), third, TokenUse.API) == found
    assert "revoked 1 tokens" in ladder("account", "revoke", "ada", cwd=tmp_path)
    assert accounts.authenticate(_database(tmp_path), third, TokenUse.API) is None


def test_a_database_that_is_away_is_named_without_its_password(tmp_path: Path) -> None:
    address = "postgresql+psycopg://ladder:hunter2@127.0.0.1:1/none"
    shown = ladder("board", "reversi", "--database", address, cwd=tmp_path, code=1)
    assert "the database does not answer" in shown
    assert "Connection refused" in shown
    assert "hunter2" not in shown


def test_a_class_gets_its_tokens_as_csv(tmp_path: Path) -> None:
    ladder("migrate", cwd=tmp_path)
    (tmp_path / "class.csv").write_bytes("\ufeffName;Group\r\nZoë;1\r\nBob;2\r\n".encode())
    command = [sys.executable, "-m", "ladder.cli", "account", "import", "class.csv"]
    environment = {**os.environ, "LADDER_DATA": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert b"\r" not in done.stdout
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "name,token,result,reason"
    assert [line.split(",")[0] for line in lines[1:]] == ["Zoë", "Bob"]
    assert done.stderr == b"2 created, 0 kept, 0 refused\n"
    again = ladder("account", "import", "class.csv", cwd=tmp_path)
    assert "Zoë,,kept,the account exists already" in again
    (tmp_path / "class.csv").write_text("name\nBob\nCarl\n???\n")
    mixed = ladder("account", "import", "class.csv", cwd=tmp_path, code=1)
    assert "1 created, 1 kept, 1 refused" in mixed
    assert "line 4, '???': an account name must begin" in mixed
    assert "cannot read" in ladder("account", "import", "no.csv", cwd=tmp_path, code=1)
    assert len(ladder("account", "invite", "--uses", "3", cwd=tmp_path).strip()) > 8


@pytest.mark.parametrize(
    "command",
    [
        "account create ada",
        "account list",
        "backup b",
        "board reversi",
        "evolution list",
        "league list",
        "match parked",
        "replay show 5",
        "replay verify 5",
        "rerate",
        "tournament list",
        "worker",
    ],
)
def test_a_command_in_the_wrong_folder_makes_no_ladder(tmp_path: Path, command: str) -> None:
    shown = ladder(*command.split(), cwd=tmp_path, code=1)
    assert f"there is no ladder in {tmp_path}/data" in shown
    assert "--data or LADDER_DATA" in shown
    assert "`ladder serve`" in shown
    assert list(tmp_path.iterdir()) == [], "not even a folder"


def test_a_database_without_a_ladder_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    for name in ("empty.db", "none.db"):
        url = f"sqlite:///{tmp_path}/{name}"
        shown = ladder("account", "create", "ada", "--database", url, cwd=tmp_path, code=1)
        assert f"there is no ladder in the database {tmp_path}/{name}" in shown
    assert not (tmp_path / "none.db").exists()


def test_migrate_makes_a_ladder_and_says_where(tmp_path: Path) -> None:
    assert f"made a new ladder in {tmp_path}/data" in ladder("migrate", cwd=tmp_path)
    assert "nothing to do" in ladder("migrate", cwd=tmp_path)
    assert "alphabeta-3" in ladder("board", "reversi", cwd=tmp_path), "with its house bots"


def test_board_and_rerate_work_without_a_server(tmp_path: Path) -> None:
    ladder("migrate", cwd=tmp_path)
    shown = ladder("board", "reversi", cwd=tmp_path)
    assert "alphabeta-3" in shown
    assert ladder("board", "reversi", cwd=tmp_path) == shown, "the output is stable"
    exported = ladder("board", "reversi", "--csv", "ratings", cwd=tmp_path)
    assert exported.startswith("rank,bot,version,owner,kind,mu,sigma,score")
    assert "reversi: 0 matches" in ladder("rerate", cwd=tmp_path)
    assert "there are: reversi" in ladder("board", "go", cwd=tmp_path, code=1)


def test_a_league_is_run_from_the_shell(tmp_path: Path) -> None:
    ladder("migrate", cwd=tmp_path)
    bots = len(CONNECT_FOUR.house_bots)
    shown = ladder("league", "run", "connect-four", "--workers", "2", cwd=tmp_path)
    assert f"{bots * (bots - 1)} matches queued" in shown
    assert "nightly league of connect-four, finished" in shown
    assert "matches queued" in ladder("league", "run", "reversi", "--queue-only", cwd=tmp_path)
    assert "reversi nightly: every night at 03:00 UTC" in ladder("league", "list", cwd=tmp_path)
    assert "no league called" in ladder(
        "league", "run", "reversi", "--name", "x", cwd=tmp_path, code=1
    )


def test_play_is_reproducible_and_saves_replays(tmp_path: Path) -> None:
    (tmp_path / "mybot.py").write_text(RANDOM_BOT)
    command = ["play", "connect-four", "mybot.py", "alphabeta-3", "--games", "4", "--seed", "7"]
    first = ladder(*command, "--save", "replays", cwd=tmp_path)
    assert "mybot.py" in first
    assert len(list((tmp_path / "replays").iterdir())) == 4
    again = ladder(*command, "--save", "again", cwd=tmp_path)
    (tmp_path / "taken").touch()
    refused = ladder(*command, "--save", "taken", cwd=tmp_path, code=1)
    assert "cannot save the match in taken: File exists; name another folder" in refused
    wins = [
        [line.split("│")[2:5] for line in text.splitlines() if "│" in line]
        for text in (first, again)
    ]
    assert wins[0] == wins[1]
    assert list(tmp_path.glob("data")) == [], "playing here needs no database"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["reversi", "nobody", "random"], "neither a file nor a house bot"),
        (["reversi", "random"], "played by 2 bots"),
        (["go", "random", "random"], "there is no game"),
        (["reversi", "random", "random", "--games", "0"], "--games"),
        (["reversi", "random", "random", "--move-ms", "soon"], "whole number"),
    ],
)
def test_play_explains_mistakes(tmp_path: Path, args: list[str], told: str) -> None:
    assert told in ladder("play", *args, cwd=tmp_path, code=1)


def test_play_shows_the_fault_of_a_broken_bot(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def agent(o, c):\n    return 1 / 0\n")
    shown = ladder("play", "reversi", "broken.py", "random", "--games", "2", cwd=tmp_path, code=1)
    assert "ZeroDivisionError" in shown
    assert "line 2" in shown


def test_play_works_in_tier_b(tmp_path: Path) -> None:
    """Run by root, its bots are other users, which must be able to read their files."""
    (tmp_path / "mybot.py").write_text(RANDOM_BOT)
    command = ["play", "connect-four", "mybot.py", "random", "--games", "1", "--sandbox", "B"]
    assert "mybot.py" in ladder(*command, cwd=tmp_path)


def test_doctor_names_the_tier(tmp_path: Path) -> None:
    shown = ladder("doctor", cwd=tmp_path)
    assert "uploaded bots run in tier A" in shown
    assert "BAD" not in shown
    assert "tier B: holds" in ladder("doctor", "--sandbox", "B", cwd=tmp_path)


def test_submit_needs_a_token_and_a_server(tmp_path: Path) -> None:
    (tmp_path / "mybot.py").write_text(RANDOM_BOT)
    command = ["submit", "mybot.py", "--game", "reversi", "--name", "mybot"]
    assert "LADDER_TOKEN" in ladder(*command, cwd=tmp_path, code=1, LADDER_TOKEN="")
    nowhere = {"LADDER_TOKEN": "lad_x", "LADDER_URL": "http://127.0.0.1:9"}
    assert "does not answer" in ladder(*command, cwd=tmp_path, code=1, **nowhere)
    nowhere["LADDER_URL"] = "ftp://x"
    assert "must begin with http" in ladder(*command, cwd=tmp_path, code=1, **nowhere)


def test_replays_that_do_not_exist(tmp_path: Path) -> None:
    ladder("migrate", cwd=tmp_path)
    assert "no replay" in ladder("replay", "show", "5", cwd=tmp_path, code=1)
    assert "no match 5" in ladder("replay", "verify", "5", cwd=tmp_path, code=1)


def test_evolution_is_asked_for_from_the_shell(tmp_path: Path) -> None:
    ladder("migrate", cwd=tmp_path)
    assert "ladder evolution start GAME" in ladder("evolution", "list", cwd=tmp_path)
    command = ["evolution", "start", "tanks", "--guides", "house:Walls", "--seed", "7"]
    shown = ladder(*command, "--preset", "quick", "--generations", "2", cwd=tmp_path)
    assert "run 1 of tanks is queued (seed 7)" in shown
    assert "Walls v1 (house)" in shown
    assert "queued" in ladder("evolution", "list", cwd=tmp_path)
    assert "run 1 is cancelled" in ladder("evolution", "stop", "1", cwd=tmp_path)
    assert "cancelled, seed 7" in ladder("evolution", "show", "1", cwd=tmp_path)
    assert "ended already" in ladder("evolution", "stop", "1", cwd=tmp_path, code=1)
    assert "no run 9" in ladder("evolution", "show", "9", cwd=tmp_path, code=1)
    bad = ["evolution", "start", "tanks", "--guides", "house:Nobody"]
    assert "no house bot 'Nobody'" in ladder(*bad, cwd=tmp_path, code=1)


def test_evolution_is_scheduled_from_the_shell(tmp_path: Path) -> None:
    ladder("migrate", cwd=tmp_path)
    schedule = ["evolution", "schedule", "tanks"]
    assert "start the server once" in ladder(*schedule, cwd=tmp_path, code=1)
    ladder("league", "run", "tanks", "--queue-only", cwd=tmp_path)
    assert "tanks evolved: after the nightly league" in ladder(*schedule, cwd=tmp_path)
    timed = ladder(*schedule, "--cron", "0 4 * * *", "--name", "night", cwd=tmp_path)
    assert "tanks night: 0 4 * * * (UTC)" in timed
    shown = ladder("evolution", "list", cwd=tmp_path)
    assert "tanks evolved: after the nightly league, against ladder:3, for evolve" in shown
    assert "no longer scheduled" in ladder(*schedule, "--off", cwd=tmp_path)
    assert "after the nightly" not in ladder("evolution", "list", cwd=tmp_path)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [("ladder.cli", ("--help",)), ("evolve.cli", ("--help",)), ("evolve.cli", ("run", "--help"))],
)
def test_help_needs_no_heavy_library(module: str, arguments: tuple[str, ...]) -> None:
    program = (
        f"import sys; from {module} import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print('MODULES', *sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    assert "usage:" in done.stdout
    loaded = set(done.stdout.partition("MODULES")[2].split())
    assert module in loaded
    assert loaded & {"numba", "numpy", "sqlalchemy", "aiohttp", "dask", "engines.games"} == set()


def test_prints_of_a_local_match_are_shown_and_saved(tmp_path: Path) -> None:
    (tmp_path / "mybot.py").write_text(CHATTY_BOT)
    command = ["play", "connect-four", "mybot.py", "random", "--games", "2", "--save", "out"]
    quiet = ladder(*command, cwd=tmp_path)
    assert "loaded" not in quiet
    log = (tmp_path / "out" / "connect-four-2-seat1.log").read_text()
    assert log.startswith("loaded\n")
    shown = ladder(*command, "--log", cwd=tmp_path)
    assert "--- game 2, seat 1, mybot.py:" in shown
    assert "\\x1b[2J 7" in shown
    assert "\x1b[2J" not in shown
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == [
        "connect-four-1-seat0.log",
        "connect-four-1.json.gz",
        "connect-four-2-seat1.log",
        "connect-four-2.json.gz",
    ]


def test_a_fault_is_not_shown_twice(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def agent(o, c):\n    pass\n")
    command = ["play", "reversi", "broken.py", "random", "--games", "1"]
    shown = ladder(*command, cwd=tmp_path, code=1)
    assert "broken.py: agent() returned None: is a return missing?" in shown
    (tmp_path / "broken.py").write_text("def agent(o, c):\n    return 1 / 0\n")
    assert ladder(*command, "--log", cwd=tmp_path, code=1).count("Traceback") == 1
