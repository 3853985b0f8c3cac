"""Kills workers, servers and PostgreSQL at random while matches and a bracket are played.

    python -m prove.chaos [--matches 2000] [--bots 64] [--every 3] [--seed 1] [--database sqlite]

All bots are deterministic. The same matches are first played calmly, one after the other; then the
ladder plays them with a server and a second process of workers, and every few seconds a process is
killed with -9. Meanwhile an account uploads bots that sleep, or stall after some time. At the end
every match must be recorded once with the same result, ratings must equal those of a rerate, the
bracket must equal the calm one, and no process and no temporary file may be left.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engines.games import GAMES
from ladder.boards import ladders
from ladder.contests import tournaments
from ladder.errors import LadderError
from ladder.matches import listing
from ladder.matches.replays import ReplayStore
from ladder.models import Failure, Match, Rating, RatingChange, Result, Seat
from ladder.runner import close_reserves
from ladder.runner.selftest import choose_tier
from ladder.store import Database
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import MatchStatus, TournamentStatus
from prove.harness.bots import (
    GAME,
    PATIENT_FLAGS,
    account_of,
    create_bracket,
    enter_bots,
    play_all,
    queue_matches,
)
from prove.harness.processes import LadderProcess
from tests.throwaway import Postgres, postgres_cluster

SANDBOXED = 8
SLEEPERS = 12
SLEEPER = """
import time
def agent(observation, configuration):
    if observation["turn"] >= {turn}:
        time.sleep({seconds})
    return observation["legal"][0]
"""
"""From some turn on it sleeps: a little, for most of the move limit, or forever."""
LONGEST_SECONDS = 3600
START_SECONDS = 60
UP = "Ctrl-C stops it"
"""The messages of servers and workers after their start."""


@dataclass
class PreparedLadder:
    """A database with bots, and its queued matches."""

    db: Database
    data: Path
    matches: list[int] = field(default_factory=list)
    bracket: int = 0

    @classmethod
    def prepare(
        cls, url: str, data: Path, options: argparse.Namespace, tier: str
    ) -> PreparedLadder:
        """Create the same ladder every time, down to the ids of matches."""
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(0o755)  # bots with other user ids must have access
        db = Database(url)
        enter_bots(db, data, options.bots, SANDBOXED, tier)
        made = cls(db, data)
        made.bracket = create_bracket(db, options.bots)
        made.matches = queue_matches(db, options.matches, random.Random(options.seed))
        close_reserves()  # the sandboxes of this process must not count as leftovers
        return made

    def scores(self) -> dict[int, list[float | None]]:
        """The scores of the queued matches, by id."""
        query = sa.select(Seat.match_id, Seat.score).order_by(Seat.match_id, Seat.seat)
        ours, found = set(self.matches), dict[int, list[float | None]]()
        with self.db.read() as c:
            for match_id, score in c.execute(query):
                if match_id in ours:
                    found.setdefault(match_id, []).append(score)
        return found

    def drawn_bracket(self) -> Any:
        """The part of the bracket that does not depend on times."""
        view = tournaments.tournament(self.db, self.bracket)
        rounds = [
            [(p.entrants, p.points, p.winner, p.note, len(p.matches)) for p in one.pairings]
            for one in view.rounds
        ]
        return rounds, view.standings, view.winner

    def left(self) -> int:
        """The number of unfinished matches; at least 1 until the bracket is finished."""
        open_ones = sa.select(sa.func.count()).where(
            Match.id.between(self.matches[0], self.matches[-1]),
            Match.status != MatchStatus.FINISHED,
        )
        with self.db.read() as c:
            count = c.scalar(open_ones) or 0
        view = tournaments.tournament(self.db, self.bracket)
        return count + (view.status is not TournamentStatus.FINISHED)


class Chaos:
    """The processes of a ladder, which it kills at random."""

    def __init__(
        self, ladder: PreparedLadder, server: Postgres | None, options: argparse.Namespace
    ):
        self.ladder = ladder
        self.postgres = server
        self.every: float = options.every
        self.rng = random.Random(options.seed)
        self.kills: Counter[str] = Counter()
        self._known = len(ladder.matches) + 1
        self.sleepers = 0
        self._sleepy = account_of(ladder.db, "sleepy")
        self.exits = 0
        """The number of processes that exited by themselves; these are restarted, too."""
        url = ladder.db.url.render_as_string(hide_password=False)
        common = ("--database", url, "--data", str(ladder.data), "--lease-seconds", "3")
        play = (*common, "--workers", "2", *PATIENT_FLAGS)
        folder = ladder.data.parent
        self.parts = {
            "server": LadderProcess(folder, "server", "serve", "--port", "0", *play),
            "workers": LadderProcess(folder, "workers", "worker", *play),
        }

    def rage(self) -> None:
        """Kill processes until all matches are played."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while left := self._left():
            assert time.monotonic() < deadline, f"{left} matches were never finished"
            self._keep_going()
            self._upload_sleeper()
            # On a slow machine no process would ever finish its start: most kills wait until
            # matches are played again.
            if not self.rng.randrange(5) or self._played_since(left):
                time.sleep(self.rng.uniform(0, 2 * self.every))
                victims = ["worker process", *self.parts]
                self._kill(self.rng.choice([*victims, "PostgreSQL"] if self.postgres else victims))

    def _played_since(self, left: int) -> bool:
        """Whether a match is played within some time."""
        patience = time.monotonic() + START_SECONDS
        while time.monotonic() < patience:
            if self._left() < left:
                return True
            self._keep_going()
            time.sleep(0.2)
        return False

    def _keep_going(self) -> None:
        """Restart exited processes, like a service manager."""
        for part in self.parts.values():
            if not part.runs:
                self.exits += part.process.returncode != -signal.SIGKILL
                part.start()

    def _upload_sleeper(self) -> None:
        """Upload one more from another account, within its limits."""
        if self.sleepers >= SLEEPERS:
            return
        number = self.sleepers
        code = SLEEPER.format(turn=(0, 8)[number % 2], seconds=(1, 8, 3600)[number % 3])
        with suppress(LadderError):
            name = f"sleeper {number}"
            submissions.submit(self.ladder.db, self._sleepy, Upload(GAME, name, code.encode()))
            self.sleepers += 1

    def _left(self) -> int:
        with suppress(LadderError):  # the database may be down at this moment
            self._known = self.ladder.left()
        return self._known

    def _kill(self, victim: str) -> None:
        if victim == "PostgreSQL":
            assert self.postgres is not None
            self.postgres.kill()
            time.sleep(self.rng.uniform(0, 2))
            self.postgres.start()
        elif victim in self.parts:
            self.parts[victim].kill()
        else:
            playing = self.rng.choice([*self.parts.values()]).workers()
            if not playing:
                return
            with suppress(ProcessLookupError):
                os.kill(self.rng.choice(playing), signal.SIGKILL)
        self.kills[victim] += 1

    def end(self) -> list[str]:
        """Stop all processes normally; returns problems as sentences."""
        told = []
        self._keep_going()  # the last kill may coincide with the last match
        for part in self.parts.values():
            part.await_words(UP)  # a signal interrupts a process that is starting
        for part in self.parts.values():
            if (status := part.stop()) != 0:
                told.append(f"{part.name} ended with {status}")
            if left := part.left_over():
                told.append(f"processes of {part.name} are left: {left}")
        return told


def check(ladder: PreparedLadder, calm: PreparedLadder) -> list[str]:
    """All problems, as sentences."""
    wrong = []
    db = ladder.db
    with db.read() as c:
        finished = sa.select(sa.func.count()).where(Match.status == MatchStatus.FINISHED)
        rated = c.scalar(finished.where(Match.rated)) or 0
        logged = c.scalar(sa.select(sa.func.count()).select_from(Result)) or 0
        if rated != logged:
            wrong.append(f"{rated} rated matches are finished, {logged} are in the log")
        ids = list(c.scalars(sa.select(Match.id).where(Match.status == MatchStatus.FINISHED)))
    if ladder.scores() != calm.scores():
        wrong.append("matches ended otherwise than the calm ones")
    if ladder.drawn_bracket() != calm.drawn_bracket():
        wrong.append("the bracket is not the calm one")
    before = ratings_of(db)
    for game in GAMES:
        ladders.rerate(db, game.name)
    if ratings_of(db) != before:
        wrong.append("a rerate gives other ratings")
    replays = ReplayStore(ladder.data / "replays")
    for match_id in ids:
        listing.checked_replay(db, replays, match_id)
    scratch = [ladder.data.parent / "tmp", ladder.data / "bots", ladder.data / "replays"]
    left = [path for folder in scratch for path in folder.rglob("*") if is_leftover(path)]
    if left:
        wrong.append(f"{len(left)} temporary files are left, such as {left[0]}")
    return wrong


def is_leftover(path: Path) -> bool:
    return (path.is_file() and path.suffix != ".pack") or path.name.startswith(".cage-")


def ratings_of(db: Database) -> list[Any]:
    """Every rating and every step that led to it."""
    columns = (RatingChange.number, RatingChange.bot_id, RatingChange.division)
    with db.read() as c:
        now = c.execute(sa.select(Rating).order_by(Rating.version_id, Rating.division)).all()
        steps = c.execute(sa.select(RatingChange).order_by(*columns)).all()
    return [*now, *steps]


def count_of(db: Database, query: Any) -> int:
    with db.read() as c:
        return c.scalar(query) or 0


def run(
    ladder: PreparedLadder,
    calm: PreparedLadder,
    server: Postgres | None,
    options: argparse.Namespace,
) -> list[str]:
    began = time.monotonic()
    chaos = Chaos(ladder, server, options)
    try:
        chaos.rage()
        raged = time.monotonic() - began
        wrong = chaos.end()
    finally:
        for part in chaos.parts.values():
            if part.runs:
                part.kill()
    wrong += check(ladder, calm)
    gone = sa.select(sa.func.count()).select_from(Failure)
    failed = count_of(ladder.db, gone)
    done = sa.select(sa.func.count()).where(Match.status == MatchStatus.FINISHED)
    killed = ", ".join(f"{name} {count}" for name, count in sorted(chaos.kills.items()))
    print(
        f"{ladder.db.url.get_backend_name()}: {options.matches} matches and a bracket of "
        f"{options.bots} in {raged:.0f} s, {count_of(ladder.db, done)} matches in all; "
        f"{sum(chaos.kills.values())} times killed -9 ({killed}); {chaos.exits} times a process "
        f"gave up while the database was away; {failed} attempts to play failed and were "
        f"repeated; beside {chaos.sleepers} uploads that sleep",
        flush=True,
    )
    return wrong


@contextmanager
def databases(kinds: list[str], folder: Path) -> Iterator[list[tuple[str, str, Postgres | None]]]:
    """Name, URL and server of each kind of database."""
    with ExitStack() as stack:
        found: list[tuple[str, str, Postgres | None]] = []
        for kind in kinds:
            if kind == "sqlite":
                found.append((kind, f"sqlite:///{folder}/sqlite/data/ladder.db", None))
            else:
                server = stack.enter_context(postgres_cluster(durable=True))
                found.append((kind, server.url.format(name="postgres"), server))
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--bots", type=int, default=64)
    parser.add_argument("--every", type=float, default=3.0, help="seconds between kills, about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=("sqlite", "postgresql"))
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ladder-chaos-"))
    folder.chmod(0o755)
    kinds = [options.database] if options.database else ["sqlite", "postgresql"]
    wrong: list[str] = []
    try:
        tier = choose_tier(folder, None)
        began = time.monotonic()
        calm = PreparedLadder.prepare(
            f"sqlite:///{folder}/calm/ladder.db", folder / "calm", options, tier
        )
        played = play_all(calm.db, calm.data, tier)
        print(f"calmly, one at a time: {played} matches in {time.monotonic() - began:.0f} s")
        with databases(kinds, folder) as found:
            for kind, url, server in found:
                ladder = PreparedLadder.prepare(url, folder / kind / "data", options, tier)
                assert ladder.matches == calm.matches
                wrong += [f"{kind}: {one}" for one in run(ladder, calm, server, options)]
                ladder.db.close()
        calm.db.close()
    finally:
        close_reserves()
        if wrong:
            print(f"the data of the failed run is in {folder}")
        else:
            shutil.rmtree(folder)
    if wrong:
        raise SystemExit("\n".join(wrong))
    print("every match was recorded once, and nothing is left behind")


if __name__ == "__main__":
    main()
