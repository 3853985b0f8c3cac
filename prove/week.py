"""Shows that an untouched server of all games takes less than a gigabyte in a week.

    python -m prove.week [--days 7] [--samples 3]

The clock is simulated. First some matches of house bots of each game are really played, which gives
the sizes of replays and the seconds that a match takes. Then the real matchmaking, recording of
results, packs and retention run on a real database for a week of simulated time, with the nightly
leagues. The results are drawn from the order of the house bots, the replays from those that were
played; nothing is uploaded. At the end the files in the data folder are counted.
"""

from __future__ import annotations

import argparse
import heapq
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engines.competition import Competition
from engines.games import GAMES
from ladder.admin.retention import Retained
from ladder.contests import leagues
from ladder.matches import leasing, pairing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.runner import play_job
from ladder.server.dispatcher import REST_SECONDS
from ladder.settings import Settings
from ladder.store import Database, migrate
from ladder.uploads import submissions
from ladder.uploads.submissions import house_digest
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob, MatchReport, Verdict

DAY = 86_400.0
MOST_BYTES = 1 << 30
WORKERS = 2
NIGHT = 3 * 3600.0
"""The time of day of the nightly leagues."""
BATCH = 50
NOISE = 1.5
"""Standard deviation of a bot's performance, in places of the order of the house bots."""
QUIET_PAIRINGS = 30
"""Most pairings of a game on the last day: near nothing."""
IDLE_SECONDS = 600.0
OWNER = "week:1"


@dataclass(frozen=True, slots=True)
class Sample:
    """Matches of a game that were really played."""

    reports: Sequence[MatchReport]
    seconds: float
    """Of one match."""


def sample(game: Competition, count: int, rng: random.Random, scratch: Path) -> Sample:
    names = list(game.house_bots)
    seats = min(game.ladder_seats, len(names))
    reports = []
    began = 0.0
    for number in range(count + 1):
        if number == 1:  # the first one compiles
            began = time.perf_counter()
        entrants = tuple(
            Entrant(name, Kind.HOUSE, house_digest(game, name), None)
            for name in rng.sample(names, seats)
        )
        job = MatchJob(number, 1, game.name, rng.randrange(2**40), entrants, Limits())
        reports.append(play_job(job, scratch, None))
    return Sample(reports, (time.perf_counter() - began) / count)


class Week:
    """A ladder whose clock is simulated."""

    def __init__(self, folder: Path, samples: dict[str, Sample], rng: random.Random) -> None:
        self.settings = Settings(data=folder)
        self.db = Database(self.settings.database_url)
        migrate.upgrade(self.db)
        submissions.seed_house_bots(self.db)
        leagues.ensure_leagues(self.db, self.settings)
        self.replays = ReplayStore(self.settings.replays)
        self.retained = Retained(self.db, self.replays, self.settings.retention)
        self.samples = samples
        self.rng = rng
        self.place = {
            (game.name, name): place for game in GAMES for place, name in enumerate(game.house_bots)
        }
        self.matches = Counter[str]()
        self.pairings = Counter[tuple[int, str]]()
        """By day and game."""
        self.spent: dict[str, pairing.Spent] = {}
        self.removed = 0
        self.removed_bytes = 0

    def run(self, days: int) -> None:
        """Pair each game when the dispatcher would, and run the leagues at night."""
        due = [(0.0, game.name) for game in GAMES]
        heapq.heapify(due)
        games = {game.name: game for game in GAMES}
        night, day_ends = NIGHT, DAY
        while due[0][0] < days * DAY:
            at, name = due[0]
            if night <= at:
                self._play_leagues()
                night += DAY
            elif day_ends <= at:
                self._tell(int(day_ends // DAY))
                day_ends += DAY
            else:
                heapq.heapreplace(due, (at + self._pair(games[name], int(at // DAY)), name))
        self._tell(days)

    def _pair(self, game: Competition, day: int) -> float:
        """Seconds until the game is looked at again."""
        spent = self.spent.setdefault(game.name, set())
        paired = pairing.pair(self.db, game, self.rng, spent=spent)
        if paired is None:
            # A server looks again after two seconds, but only an upload or a league changes that.
            spent.clear()
            return IDLE_SECONDS
        self.pairings[day, game.name] += 1
        played = self._play_queue()
        if self.pairings.total() % BATCH == 0:
            self._tidy()
        busy = played * self.samples[game.name].seconds / WORKERS
        return max(busy, paired.pause_s and max(REST_SECONDS, paired.pause_s))

    def _play_leagues(self) -> None:
        for league in leagues.all_leagues(self.db).leagues:
            leagues.run_league(self.db, league.id)
            self._play_queue()
            self._tidy()

    def _play_queue(self) -> int:
        count = 0
        playable = leasing.Playable(tuple(Kind))
        while jobs := leasing.lease(self.db, OWNER, 3600, BATCH, playable):
            ended = [Finished(self._report(job), job.attempt) for job in jobs]
            results.finish(self.db, self.replays, OWNER, ended)
            self.matches.update(job.game for job in jobs)
            count += len(jobs)
        return count

    def _report(self, job: MatchJob) -> MatchReport:
        """A real report of a match of this game, with scores for these bots."""
        real = self.rng.choice(self.samples[job.game].reports)
        shown = {
            seat: self.place[job.game, entrant.name] + self.rng.gauss(0, NOISE)
            for seat, entrant in enumerate(job.entrants)
        }
        # The scores that were really reached, the best for the best performance.
        best_first = sorted(shown, key=lambda seat: -shown[seat])
        scores = [0.0] * len(shown)
        given = sorted(real.verdict.scores, reverse=True)
        for seat, score in zip(best_first, given, strict=False):
            scores[seat] = score
        seats = tuple(real.seats[seat % len(real.seats)] for seat in shown)
        verdict = Verdict(tuple(scores), Ending.COMPLETED, ())
        return replace(real, match_id=job.match_id, verdict=verdict, seats=seats)

    def _tidy(self) -> None:
        while (removed := self.retained.remove_some(self.retained.excess())).matches:
            self.removed += removed.matches
            self.removed_bytes += removed.bytes

    def _tell(self, day: int) -> None:
        paired = {game.name: self.pairings[day - 1, game.name] for game in GAMES}
        print(
            f"day {day}: {self.matches.total()} matches so far, on this day"
            f" {sum(paired.values())} pairings (most of {max(paired, key=lambda n: paired[n])}:"
            f" {max(paired.values())}); database {self.database_bytes() / 2**20:.1f} MB,"
            f" replays {taken(self.settings.replays) / 2**20:.1f} MB",
            flush=True,
        )

    def database_bytes(self) -> int:
        return sum(blocks(path) for path in self.settings.data.glob("ladder.db*"))


def taken(folder: Path) -> int:
    """Bytes on the disk of all files in a folder."""
    return sum(blocks(path) for path in folder.rglob("*") if path.is_file())


def blocks(path: Path) -> int:
    return path.stat().st_blocks * 512


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.days < 1 or options.samples < 1:
        parser.error("--days and --samples must be at least 1")
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        samples = {}
        for game in GAMES:
            found = sample(game, options.samples, rng, Path(name))
            samples[game.name] = found
            size = sum(len(one.replay) for one in found.reports) / len(found.reports)
            print(f"{game.name}: {size:.0f} bytes a replay, {found.seconds:.2f} s a match")
        began = time.monotonic()
        folder = Path(name) / "var"
        folder.mkdir()
        week = Week(folder, samples, rng)
        week.run(options.days)
        total = taken(folder)
        week.db.close()
    print(f"retention removed {week.removed} replays, {week.removed_bytes / 2**20:.1f} MB")
    print(
        f"{options.days} days: {week.matches.total()} matches, {total / 2**20:.1f} MB in all"
        f" ({time.monotonic() - began:.0f} s)"
    )
    last = max(week.pairings[options.days - 1, game.name] for game in GAMES)
    if options.days > 1 and last > QUIET_PAIRINGS:
        raise SystemExit(f"a game was paired {last} times on the last day, not {QUIET_PAIRINGS}")
    if total >= MOST_BYTES:
        raise SystemExit(f"{total} bytes are a gigabyte or more")


if __name__ == "__main__":
    main()
