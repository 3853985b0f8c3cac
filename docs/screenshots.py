"""Makes the pictures in docs/images: `make screenshots`.

A real server plays a ladder of its own in a temporary folder, until there is something to see:
matches of every game, tournaments, and a run of evolution. Then a browser looks at the pages.
"""

from __future__ import annotations

import argparse
import base64
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
WIDE, PHONE = {"width": 1200, "height": 780}, {"width": 390, "height": 780}
PATIENCE = 1800
"""Seconds to wait for matches."""

BOT = """
def agent(observation, configuration):
    corners = {"a1", "a8", "h1", "h8"}
    return max(observation["legal"], key=lambda move: move in corners)
"""
BROKEN = BOT.replace("configuration):", "configuration)")


class Ladder:
    """A running server, and an admin's token for it."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token

    def get(self, path: str) -> Any:
        return self._ask("GET", path)

    def post(self, path: str, **options: Any) -> Any:
        return self._ask("POST", path, **options)

    def _ask(self, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = requests.request(
            method, self.url + "/api/v1" + path, headers=headers, timeout=60, **options
        )
        answer.raise_for_status()
        return answer.json()

    def upload(self, name: str, source: str) -> int:
        fields = {"game": "reversi", "name": name}
        return int(self.post("/bots", data=fields, files={"file": source})["id"])


def wait_for(what: str, done: Callable[[], Any]) -> Any:
    print(f"waiting for {what}", flush=True)
    for _ in range(PATIENCE):
        if found := done():
            return found
        time.sleep(1)
    raise SystemExit(f"no {what} within {PATIENCE} s")


@contextmanager
def serving(data: Path) -> Iterator[Ladder]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ladder.cli"]
    here = ("--data", str(data))
    server = subprocess.Popen([*command, "serve", *here, "--port", str(port)])
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for("the server", lambda: answers(url))
        made = subprocess.run(
            [*command, "account", "create", "ada", "--admin", *here],
            check=True,
            capture_output=True,
            text=True,
        )
        token = next(word for word in made.stdout.split() if word.startswith("lad_"))
        yield Ladder(url, token)
    finally:
        server.terminate()
        server.wait(60)


def answers(url: str) -> bool:
    try:
        return requests.get(url + "/healthz", timeout=5).ok
    except requests.ConnectionError:
        return False


def fill(ladder: Ladder, data: Path, matches: int) -> dict[str, str]:
    """Play matches; returns the address of each picture by its name."""
    mine, broken = ladder.upload("corners", BOT), ladder.upload("first try", BROKEN)
    evolve = ["evolution", "start", "tanks", "--population", "60", "--generations", "15"]
    subprocess.run(
        [sys.executable, "-m", "ladder.cli", *evolve, "--final-games", "60", "--data", str(data)],
        check=True,
    )
    for game in ("reversi", "tanks"):
        page = f"/matches?game={game}&limit=200"
        most = min(matches, 200)
        wait_for(f"matches of {game}", lambda p=page, m=most: len(ladder.get(p)["rows"]) >= m)
    runs = [
        ladder.post("/tournaments", json={"game": "reversi", "format": form, **options})["id"]
        for form, options in (
            ("single-elimination", {"top": 7, "options": {"third_place": True}}),
            ("round-robin", {"top": 8}),
        )
    ]
    for run in runs:
        path = f"/tournaments/{run}"
        wait_for("a tournament", lambda p=path: ladder.get(p)["status"] == "finished")
    wait_for("evolution", lambda: ladder.get("/evolution/1")["run"]["status"] == "finished")
    board, tanks = (latest(ladder, game) for game in ("reversi", "tanks"))
    return {
        "home": "/",
        "leaderboard": "/games/reversi",
        "bot": f"/bots/{mine}",
        "replay": f"/matches/{board}?ply=34",
        "tanks": f"/matches/{tanks}",
        "bracket": f"/tournaments/{runs[0]}",
        "crosstable": f"/tournaments/{runs[1]}",
        "evolution": "/evolution/1",
        "upload": "/upload",
        "validation": f"/bots/{broken}/versions/1",
        "matrix": "/games/reversi/matrix",
        "admin": "/admin",
    }


def latest(ladder: Ladder, game: str) -> int:
    rows = ladder.get(f"/matches?game={game}&limit=100")["rows"]
    return next(row["id"] for row in rows if row["ending"] == "completed" and row["rated"])


def take(ladder: Ladder, addresses: dict[str, str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=WIDE)
        page.goto(ladder.url + "/signin")
        page.locator("#token").fill(ladder.token)
        page.get_by_role("button", name="Sign in").click()
        for name, address in addresses.items():
            shoot(page, ladder.url + address, name)
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size(PHONE)
        shoot(page, ladder.url + addresses["leaderboard"], "phone")
        browser.close()


def shoot(page: Page, address: str, name: str) -> None:
    answer = page.goto(address)
    if answer is None or not answer.ok:
        raise SystemExit(f"{address} cannot be shown")
    if page.locator("canvas.field").count():
        page.wait_for_timeout(4000)  # the tanks have begun to move
    picture = IMAGES / f"{name}.webp"
    camera = page.context.new_cdp_session(page)  # the library itself takes no WebP
    shot = camera.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    picture.write_bytes(base64.b64decode(shot["data"]))
    print(f"{picture.name}: {picture.stat().st_size // 1024} KiB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=150, help="of each game before the pictures")
    chosen = parser.parse_args()
    os.environ.setdefault("LADDER_LOG_LEVEL", "warning")
    with tempfile.TemporaryDirectory(prefix="ladder-demo-") as folder, serving(Path(folder)) as one:
        take(one, fill(one, Path(folder), chosen.matches))


if __name__ == "__main__":
    main()
