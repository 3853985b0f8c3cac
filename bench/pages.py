"""Every page on a large ladder: the time of its HTML, and the bytes of a first visit.

10,000 bots and 1,000,000 matches on SQLite, with tournaments and a run of evolution. No
answer comes from the cache: each request names the site differently, as the cache keys by that.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import itertools
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.web import GAME, MANY, BenchServer, fill, server
from ladder import evolution
from ladder.contests import leagues, tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.evolution import breeding
from ladder.matches import leasing, results
from ladder.matches.replays import ReplayStore
from ladder.people import accounts
from ladder.runner.referee import play
from ladder.runner.replay import Replay, ReplayEntrant, ReplayVerdict, encode
from ladder.settings import Settings
from ladder.store import Database, ratings
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import (
    Allowance,
    Ending,
    Kind,
    MatchJob,
    MatchReport,
    Role,
    SeatReport,
    TokenUse,
)
from ladder.values import Verdict as Result
from ladder.views import GenerationView
from ladder.web.pages.routes import PAGES

LIMIT_MS, LIMIT_BYTES = 60.0, 100_000
ROUNDS = 40
WORKER = "bench"
BOT = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"


@dataclass(frozen=True)
class Stock:
    """The filled ladder, and the pages to measure."""

    token: str
    paths: dict[str, list[str]]
    """The URLs by the path of their route."""


def stock(folder: Path) -> Stock:
    """Add contests, a real replay, an evolved champion and an author's bot to the plain fill."""
    settings = Settings(data=folder)
    db, replays = Database(settings.database_url), ReplayStore(settings.replays)
    submissions.seed_house_bots(db)
    admin = accounts.create(db, "bench admin", Role.ADMIN)
    reader = accounts.authenticate(db, admin.token, TokenUse.API)
    assert reader is not None
    replayed = [_duel(db, replays, settings, game) for game in (GAME, "tanks")]
    runs = [
        tournaments.create(
            db,
            tournaments.NewTournament(GAME, form, Selection(top=top), FormatOptions(seed=2)),
            actor=WORKER,
        ).id
        for form, top in (("single-elimination", 64), ("round-robin", 40), ("swiss", 200))
    ]
    leagues.ensure_leagues(db, settings)
    runs.append(leagues.run_league(db, 1, actor=WORKER).id)
    while jobs := leasing.lease(db, WORKER, 600, 50, leasing.Playable(tuple(Kind))):
        finished = [results.Finished(_toss(job), job.attempt) for job in jobs]
        results.finish(db, replays, WORKER, finished)
    mine = submissions.submit(db, reader, Upload(GAME, "of the bench", BOT), Allowance())
    run = evolution.start(db, evolution.RunRequest("tanks"), seed=1).run.id
    bred = breeding.lease(db, WORKER, 600, 1)
    assert bred is not None
    breeding.record(db, bred, 600, [_generation(number) for number in range(500)])
    db.close()
    return Stock(
        admin.token,
        {
            "/games/{game}": [
                f"/games/{GAME}{query}"
                for query in ("", "?kind=house", "?kind=python", "?search=99", "?search=nobody")
            ]
            + ["/games/tanks?division=nano"],
            "/bots/{id}": [f"/bots/{bot}" for bot in (1, 5_000, 10_000)],
            "/bots/{id}/versions/{version}": [f"/bots/{mine.id}/versions/1"],
            "/matches": ["/matches", f"/matches?game={GAME}", "/matches?bot=5000"],
            "/matches/{id}": [f"/matches/{one}" for one in (7, *replayed)],
            "/matches/{id}/embed": [f"/matches/{one}/embed" for one in replayed],
            "/games/{game}/matrix": [f"/games/{GAME}/matrix", f"/games/{GAME}/matrix?top=50"],
            "/bots/{id}/against/{other}": ["/bots/1/against/51"],
            "/bots/{id}/versions/{version}/source": [],  # a download
            "/evolution/{id}": [f"/evolution/{run}"],
            "/leagues/{id}": ["/leagues/1"],
            "/tournaments/{id}": [f"/tournaments/{one}" for one in runs],
        },
    )


def _duel(db: Database, replays: ReplayStore, settings: Settings, game: str) -> int:
    """Play a real match of two house bots; returns its id."""
    with db.read() as c:
        bots = ratings.validators(c, game, Kind.HOUSE)
    tournaments.create(
        db,
        tournaments.NewTournament(
            game,
            "single-elimination",
            Selection([bot.bot_id for bot in bots[:2]]),
            FormatOptions(seed=1, best_of=1),
        ),
        actor=WORKER,
    )
    (job,) = leasing.lease(db, WORKER, 600, 1, leasing.Playable((Kind.HOUSE,)))
    report = play(job, None, settings.data)
    results.finish(db, replays, WORKER, [results.Finished(report, job.attempt)])
    return job.match_id


def _toss(job: MatchJob) -> MatchReport:
    """The report of a match with a result that follows from its id."""
    winner = job.match_id * 7919 % 3 % 2
    verdict = Result((1.0 - winner, float(winner)), Ending.COMPLETED)
    document = Replay(
        game=job.game,
        seed=job.seed,
        options={},
        entrants=tuple(ReplayEntrant(e.name, e.sha256, e.kind) for e in job.entrants),
        opening=0,
        moves=(),
        verdict=ReplayVerdict(verdict.scores, verdict.ending, ()),
        explanation="The toss of a coin decides.",
    )
    seats = tuple(SeatReport(30.0, 2.0, 30) for _ in job.entrants)
    return MatchReport(job.match_id, verdict, document.explanation, seats, 60, encode(document))


def _generation(number: int) -> GenerationView:
    return GenerationView(
        generation=number,
        best=0.9 - 1 / (number + 2),
        mean=0.4,
        stdev=0.1,
        worst=0.1,
        size_mean=40.0,
        size_best=60.0,
        depth_mean=6.0,
        diversity=0.8,
        games=10,
        instructions=1,
    )


class Visitor:
    """One connection that requests pages, signed in or not."""

    def __init__(self, target: BenchServer, token: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=120)
        self._names = (f"bench-{i}" for i in itertools.count())
        self._cookie = ""
        if token:
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            self._connection.request("POST", "/signin", f"token={token}&next=", form)
            answer = self._connection.getresponse()
            answer.read()
            self._cookie = answer.headers["Set-Cookie"].partition(";")[0]

    def fetch(self, path: str) -> tuple[bytes, int, float]:
        """The body, its length on the wire, and the milliseconds that it took."""
        headers = {"Accept-Encoding": "gzip", "Cookie": self._cookie, "Host": next(self._names)}
        self._connection.close()  # the idle connection may have timed out
        self._connection.connect()
        start = time.perf_counter()
        self._connection.request("GET", path, headers=headers)
        answer = self._connection.getresponse()
        body = answer.read()
        took = 1000 * (time.perf_counter() - start)
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:300]!r}")
        plain = gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body
        return plain, len(body), took

    def weigh(self, html: bytes) -> tuple[int, int]:
        """Bytes of styles and scripts of a page, and its number of render-blocking requests."""
        text = html.decode()
        scripts = re.findall(r'<script[^>]* src="([^"]+)"', text)
        sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)"', text)
        waits = len(sheets) + len(re.findall(r"<script(?![^>]* (?:defer|type=.module))", text))
        todo, seen, total = [*sheets, *scripts], set[str](), 0
        while todo:
            path = todo.pop()
            if path in seen:
                continue
            seen.add(path)
            body, length, _ = self.fetch(path)
            total += length
            if path.partition("?")[0].endswith(".js"):
                todo += [f"/static/{n}" for n in re.findall(r'from "\./([^"]+)"', body.decode())]
        return total, waits


def visits(goods: Stock) -> Iterator[tuple[str, bool]]:
    """Every page, and whether only members may see it."""
    for page in PAGES:
        if page.method == "GET":
            paths = goods.paths.get(page.path, [page.path])
            if "{" in "".join(paths):
                raise SystemExit(f"give {page.path} an example in bench/pages.py")
            for path in paths:
                yield path, page.access.name in ("MEMBER", "ADMIN")


def percentile(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def main(folder: Path) -> bool:
    start = time.perf_counter()
    fill(folder, MANY)
    goods = stock(folder)
    print(f"{MANY} matches: filled in {time.perf_counter() - start:.0f} s")
    print(
        f"{'page':36} {'CPU':>8} {'median':>8} {'p95':>8} {'HTML':>8} {'with all':>8}  before paint"
    )
    good = True
    with server("--data", str(folder)) as target:
        reader, member = Visitor(target), Visitor(target, goods.token)
        for path, private in visits(goods):
            visitor = member if private else reader
            html, length, _ = visitor.fetch(path)
            extra, waits = reader.weigh(html)
            used = target.cpu_seconds()
            times = [visitor.fetch(path)[2] for _ in range(ROUNDS)]
            used = 1000 * (target.cpu_seconds() - used) / ROUNDS
            late, total = percentile(times), length + extra
            fits = late <= LIMIT_MS and total <= LIMIT_BYTES and waits <= 1
            good &= fits
            print(
                f"{path:36} {used:5.1f} ms {statistics.median(times):5.1f} ms {late:5.1f} ms "
                f"{length:8} {total:8}  {waits} {'' if fits else '← too much'}"
            )
    print(f"wanted: p95 at most {LIMIT_MS:.0f} ms, {LIMIT_BYTES} bytes in all, one request")
    return good


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="keep the ladder in this empty folder")
    chosen = parser.parse_args()
    if chosen.data is not None:
        chosen.data.mkdir(parents=True)
        main(chosen.data)
    else:
        with tempfile.TemporaryDirectory(prefix="ladder-pages-") as temporary:
            main(Path(temporary))
