"""The real application on a real database and a real port, for tests of the web side."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import requests
from aiohttp import web

from engines.games import find_game
from ladder import store
from ladder.matches import leasing, pairing, results
from ladder.matches.replays import ReplayStore
from ladder.runner import play_job, referee
from ladder.runner.replay import Replay, ReplayEntrant, ReplayMove, ReplayVerdict, encode
from ladder.settings import Settings
from ladder.store import Database
from ladder.store.database import now
from ladder.uploads import submissions
from ladder.values import (
    Ending,
    Kind,
    MatchJob,
    MatchReport,
    Purpose,
    SeatReport,
    Verdict,
)
from ladder.web.app import make_app
from ladder.web.http.endpoint import SITE
from ladder.web.http.listen import listening

BOT = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"
KINDS = " ".join(Kind)
EVERYBODY = (Kind.HOUSE, Kind.PYTHON)
WORKER = "the worker of the tests"


@dataclass
class LiveSite:
    settings: Settings
    db: Database
    replays: ReplayStore
    app: web.Application
    url: str = ""
    status: dict[str, Any] = field(
        default_factory=lambda: {"sandbox": "A", "kinds": KINDS, "running": 0}
    )

    def get(self, path: str, token: str = "", **options: Any) -> requests.Response:
        return self.request("GET", path, token, **options)

    def post(self, path: str, token: str = "", **options: Any) -> requests.Response:
        return self.request("POST", path, token, **options)

    def request(self, method: str, path: str, token: str = "", **options: Any) -> requests.Response:
        headers = dict(options.pop("headers", {}))
        if token:
            headers["Authorization"] = f"Bearer {token}"
        options.setdefault("allow_redirects", False)
        return requests.request(method, self.url + path, headers=headers, timeout=30, **options)

    def account(self, name: str) -> str:
        """The token of a new account."""
        return str(self.post("/api/v1/accounts", json={"name": name}).json()["token"])

    def upload(
        self, token: str, name: str = "mine", game: str = "reversi", file: bytes = BOT
    ) -> requests.Response:
        return self.post(
            "/api/v1/bots", token, data={"game": game, "name": name}, files={"file": file}
        )

    def browser(self, name: str) -> Browser:
        """A signed-in member."""
        browser = Browser(self.url)
        answer = browser.post("/register", data={"name": name, "invite": ""})
        assert answer.status_code == 201, answer.text
        return browser


class Browser:
    """A client with cookies and forms, without a real browser."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()

    def get(self, path: str, **options: Any) -> requests.Response:
        return self.session.get(self.url + path, timeout=30, allow_redirects=False, **options)

    def post(self, path: str, **options: Any) -> requests.Response:
        return self.session.post(self.url + path, timeout=30, allow_redirects=False, **options)

    def csrf(self) -> str:
        text = self.get("/upload").text
        return text.split('name="csrf" value="')[1].split('"')[0]


class Serving:
    """Serves an application from a thread with its own event loop."""

    def __init__(self, app: web.Application) -> None:
        self._app = app
        self._open = AsyncExitStack()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        return asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(30)

    async def _start(self) -> str:
        return await self._open.enter_async_context(listening(self._app, "127.0.0.1", 0))

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._open.aclose(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()


def make_site(folder: Path, status: Mapping[str, Any] | None = None, **settings: Any) -> LiveSite:
    chosen = Settings(data=folder, **settings)
    db = Database(chosen.database_url)
    replays = ReplayStore(chosen.replays)
    shown = {"sandbox": "A", "kinds": KINDS, "running": 0, **(status or {})}
    app = make_app(chosen, db, replays, lambda: shown)
    app[SITE].cache._seconds = 0.0  # a test may play whole tournaments in a second
    return LiveSite(chosen, db, replays, app, status=shown)


def play_queue(db: Database, replays: ReplayStore, seed: int = 1) -> int:
    """Play every queued match with random moves, as a worker would."""
    rng = random.Random(seed)
    played = 0
    while jobs := leasing.lease(db, WORKER, 60, 50, leasing.Playable(EVERYBODY)):
        for job in jobs:
            record(db, replays, job, played_out(job, rng))
            played += 1
    return played


def play_in_sandboxes(site: LiveSite, tier: str) -> int:
    """Play the queue, as a worker does; returns the number of matches."""
    played = 0
    while jobs := leasing.lease(site.db, WORKER, 60, 10, leasing.Playable(tuple(Kind))):
        for job in jobs:
            report = play_job(job, site.settings.data, tier)
            results.finish(site.db, site.replays, WORKER, [results.Finished(report, job.attempt)])
            played += 1
    return played


def record(db: Database, replays: ReplayStore, job: MatchJob, report: MatchReport) -> None:
    done = results.finish(db, replays, WORKER, [results.Finished(report, job.attempt)])
    assert done == {job.match_id}


def pair_and_play(db: Database, replays: ReplayStore, game: str, pairings: int) -> None:
    rng = random.Random(1)
    for _ in range(pairings):
        pairing.pair(db, find_game(game), rng)
        play_queue(db, replays, rng.getrandbits(32))


def fight(site: LiveSite, game: str, names: Sequence[str], **options: Any) -> int:
    """Play one match of house bots in a simulation; returns its id."""
    match_id = queue_fight(site, game, names)
    play_fight(site, match_id, **options)
    return match_id


def queue_fight(site: LiveSite, game: str, names: Sequence[str]) -> int:
    with site.db.write() as c:
        match_id = store.queue.insert_match(c, store.queue.NewMatch(game, 7, Purpose.LADDER), now())
        entered = [store.bots.bots_called(c, game, name.lower())[0] for name in names]
        newest = [store.bots.newest_version(c, bot.id) for bot in entered]
        seats = [(version.id, version.bot_id) for version in newest if version]
        store.queue.insert_seats(c, match_id, seats)
    return match_id


def play_fight(site: LiveSite, match_id: int, **options: Any) -> None:
    (job,) = leasing.lease(site.db, WORKER, 60, 1, leasing.Playable(EVERYBODY))
    assert job.match_id == match_id
    told = referee.play(replace(job, options=options), None, site.settings.data)
    record(site.db, site.replays, job, told)


def played_out(job: MatchJob, rng: random.Random) -> MatchReport:
    """The report of a match of random moves."""
    game = find_game(job.game)
    state: Any = game.start(job.seed, 2)  # type: ignore[union-attr, call-arg]
    moves = []
    opening = list(game.opening(job.seed, 2))  # type: ignore[union-attr]
    while (outcome := game.outcome(state)) is None:
        move = opening.pop(0) if opening else rng.choice(list(game.legal(state)))  # type: ignore[union-attr]
        moves.append(ReplayMove(game.to_move(state), game.format(state, move), 1.5))  # type: ignore[union-attr]
        state = game.play(state, move)  # type: ignore[union-attr]
    verdict = Verdict(tuple(outcome.scores), Ending.COMPLETED)
    return report(job, verdict, outcome.reason, tuple(moves))


def at_fault(job: MatchJob, seat: int, complaint: str, stderr: str = "") -> MatchReport:
    """The report of a match that a seat lost at once by an illegal move."""
    scores = tuple(0.0 if i == seat else 1.0 for i in range(len(job.entrants)))
    verdict = Verdict(scores, Ending.ILLEGAL_MOVE, (seat,))
    explanation = f"{job.entrants[seat].name} made an illegal move"
    return report(job, verdict, explanation, (), {seat: (complaint, stderr)})


def report(
    job: MatchJob,
    verdict: Verdict,
    explanation: str,
    moves: tuple[ReplayMove, ...],
    logs: Mapping[int, tuple[str, str]] | None = None,
) -> MatchReport:
    document = Replay(
        game=job.game,
        seed=job.seed,
        options={},
        entrants=tuple(ReplayEntrant(e.name, e.sha256, e.kind) for e in job.entrants),
        opening=min(4, len(moves)),
        moves=moves,
        verdict=ReplayVerdict(verdict.scores, verdict.ending, verdict.at_fault),
        explanation=explanation,
    )
    logs = logs or {}
    seats = tuple(
        SeatReport(12.5, 2.5, len(moves), *logs.get(i, ("", ""))) for i in range(len(job.entrants))
    )
    return MatchReport(job.match_id, verdict, explanation, seats, len(moves), encode(document))


def seed(db: Database, replays: ReplayStore) -> None:
    submissions.seed_house_bots(db)
    pair_and_play(db, replays, "reversi", 12)
