"""The games of docs/own-games.md, installed as plug-ins: played, shown, removed and put back."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
import requests
import sqlalchemy as sa
from plugin_folder import ROOT, SAMPLES, UNCOMPILED, install_samples, run
from processes import descendants, still_alive, wait_until
from server_process import Server

from engines.conformance import check_game
from ladder.models import Match, Rating
from ladder.people import accounts
from ladder.values import MatchStatus, Role

PAGE = (ROOT / "docs/own-games.md").read_text()
MODULES = ("three_in_a_row", "pig", "lone_number", "lights_out")
NAMES = tuple(sorted(name.replace("_", "-") for name in MODULES))


HOUSE_PAGE = "/admin/accounts?name=house"
"""Admins cannot change the account of the house bots."""


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugins")
    assert tuple(install_samples(folder)) == NAMES
    return folder


def test_the_page_shows_the_files() -> None:
    shown = re.findall(r"```(?:python|toml)\n# file: (\S+)\n(.*?)```", PAGE, re.DOTALL)
    files = ["pyproject.toml", *(f"own_games/{name}.py" for name in MODULES)]
    assert [name for name, _ in shown] == files
    for name, text in shown:
        assert text == (SAMPLES / name).read_text(), f"{name} differs from the page"


@pytest.mark.parametrize("name", NAMES)
def test_the_samples_keep_the_contract(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SAMPLES))
    module = __import__(f"own_games.{name.replace('-', '_')}", fromlist=["*"])
    game = getattr(module, name.replace("-", "_").upper())
    for seed in range(3):
        check_game(game, seed)


STARTER = """
from engines.games import find_game
print(find_game("{name}").starter)
"""


@pytest.mark.parametrize("name", NAMES)
def test_a_first_bot_plays_each_sample_without_a_server(
    name: str, plugins: Path, tmp_path: Path
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(run(plugins, "-c", STARTER.format(name=name)).stdout)
    weakest = re.search(r"house bots are `([\w-]+)`", _section(name))
    assert weakest
    command = ["play", name, str(bot), weakest[1], "--games", "2"]
    played = run(plugins, "-m", "ladder.cli", *command, **UNCOMPILED)
    assert played.returncode == 0, played.stderr
    assert "│ bot.py" in played.stdout


def _section(name: str) -> str:
    """The part of the page that builds a game."""
    (found,) = [
        part
        for part in PAGE.split("\n## ")
        if f"own_games/{name.replace('-', '_')}.py" in part and "```python" in part
    ]
    return found


class Site:
    """A server with or without the plug-ins, on one data folder."""

    def __init__(self, data: Path, plugins: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
        if plugins is None:
            monkeypatch.delenv("PYTHONPATH", raising=False)
        else:
            monkeypatch.setenv("PYTHONPATH", str(plugins))
        # Without a compiler our own board games would be too slow.
        names = ",".join(["connect-four", *NAMES] if plugins is None else NAMES)
        self.server = Server(data, "--only-games", names)

    def __enter__(self) -> Server:
        return self.server

    def __exit__(self, *_: object) -> None:
        process = self.server.process
        below = descendants(process.pid)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            assert process.wait(60) == 0, self.server.log.read_text()
        wait_until(lambda: not still_alive(below), 60, "the end of all processes")


def crawl(url: str, token: str = "") -> dict[str, requests.Response]:
    """Every page that a reader can reach by links, by path."""
    session = requests.Session()
    if token:
        session.post(f"{url}/signin", data={"token": token}, timeout=30)
    found: dict[str, requests.Response] = {}
    open_paths = ["/"]
    while open_paths:
        path = open_paths.pop()
        kind = re.sub(r"\d+", "N", path)
        # Read a few pages of each kind, because bots and matches are many.
        if path in found or sum(re.sub(r"\d+", "N", p) == kind for p in found) >= 12:
            continue
        found[path] = answer = session.get(url + path, timeout=60, allow_redirects=True)
        if "text/html" in answer.headers["Content-Type"]:
            links = re.findall(r'href="(/[^"#]*)', answer.text)
            open_paths += [link.replace("&amp;", "&") for link in links if "/static/" not in link]
    return found


def _rated(server: Server, game: str) -> int:
    with server.database().read() as c:
        query = sa.select(sa.func.count()).where(Match.game == game, Match.rated)
        return c.scalar(query.where(Match.status == MatchStatus.FINISHED)) or 0


BOT = (
    b"def agent(observation, configuration):\n    return (observation.get('legal') or [None])[0]\n"
)


@pytest.mark.slow
def test_plugins_are_played_shown_removed_and_put_back(
    plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with Site(data, plugins, monkeypatch) as server:
        db = server.database()
        token = accounts.create(db, "root", Role.ADMIN).token
        client = server.client("ada")
        for game in NAMES:
            client.submit(game, "mine", BOT)
        wait_until(
            lambda: all(_rated(server, game) > 5 for game in NAMES), 120, "matches of all games"
        )
        played = run(plugins, *_cli("league", "run", "pig", data=data), "--queue-only")
        assert played.returncode == 0, played.stderr
        pages = crawl(server.url, token)
        bad = {path for path, a in pages.items() if a.status_code != 200}
        assert bad <= {HOUSE_PAGE}
        for game in NAMES:
            assert f"/games/{game}" in pages
        assert any("/matches/" in path and "<svg" in a.text for path, a in pages.items())
        leagues = [a.text for path, a in pages.items() if path.startswith("/leagues/")]
        assert any("Pig, nightly league" in text for text in leagues)

    kept = _kept(server)
    with Site(data, None, monkeypatch) as server:
        for game in NAMES:
            assert f"only_games names {game}, which is not installed" in server.log.read_text()
        pages = crawl(server.url, token)
        bad = {p: a for p, a in pages.items() if a.status_code != 200 and p != HOUSE_PAGE}
        for path, answer in bad.items():
            # Only the pages of the games themselves are missing, and they say so.
            assert answer.status_code == 404, (path, answer.text)
            assert re.search(r"^/games/|game=|/api/v1/games/", path), path
            assert "there is no game of this name" in answer.text.lower(), answer.text
        told = [
            a.text for path, a in pages.items() if "is not installed on this server now" in a.text
        ]
        assert len(told) > 10
        audited = run(
            None, *_cli("audit", data=data), "--game", "pig", "--sample", "0.2", **UNCOMPILED
        )
        assert re.search(r"\d+ matches: \d+ skipped", audited.stdout), audited.stderr
        rerated = run(None, *_cli("rerate", data=data))
        assert rerated.returncode == 0, rerated.stderr
        refused = run(None, *_cli("rerate", "pig", data=data))
        assert refused.returncode == 1
        assert refused.stderr.startswith("ladder: there is no game of this name; there are: ")
        log = server.log.read_text()
        assert "Traceback" not in log, log
        assert "ERROR" not in log, log
    assert _kept(server) == kept, "nothing is lost"

    with Site(data, plugins, monkeypatch) as server:
        before = {game: _rated(server, game) for game in NAMES}
        client = server.client("bob")  # without a new bot, all pairs may have met often enough
        for game in NAMES:
            client.submit(game, "his", BOT)
        wait_until(
            lambda: all(_rated(server, game) > before[game] for game in NAMES), 120, "more matches"
        )
        assert "Traceback" not in server.log.read_text()


def _cli(*words: str, data: Path) -> list[str]:
    return ["-m", "ladder.cli", *words, "--data", str(data)]


def _kept(server: Server) -> list[tuple[object, ...]]:
    """All ratings of the games that come and go."""
    columns = (Rating.version_id, Rating.division, Rating.mu, Rating.sigma, Rating.matches)
    with server.database().read() as c:
        query = sa.select(*columns).where(Rating.game.in_(NAMES)).order_by(*columns[:2])
        return [tuple(row) for row in c.execute(query)]
