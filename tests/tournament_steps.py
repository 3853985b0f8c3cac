"""Tournaments for the tests: bots that exist on the board only, and referees with fixed results."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from ladder_steps import OWNER, lease, report

from engines.games import find_game
from ladder.contests import rounds, tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.matches import results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.scoring.tallies import add_up, read_tally
from ladder.store import Database, accounts, bots, pairings
from ladder.store import tournaments as stored
from ladder.store.database import now
from ladder.uploads import submissions
from ladder.values import Kind, MatchJob
from ladder.views import TournamentRef, TournamentView

HOUSE = len(find_game("reversi").house_bots)
ADMIN = "root"

Referee = Callable[[MatchJob], Sequence[float]]


def add_bots(db: Database, count: int, game: str = "reversi") -> list[int]:
    """Bots that exist on the board only; their matches are not really played."""
    made = []
    with db.write() as c:
        house = accounts.account_named(c, "house")
        assert house is not None
        for number in range(count):
            name = f"extra{number:04d}"
            bot_id = bots.insert_bot(c, game, name, name, house.id, now())
            version, _ = bots.insert_version(
                c, bots.NewVersion(bot_id, f"{number:064x}", Kind.HOUSE, 0), now()
            )
            submissions.accept(c, bots.version(c, version))
            made.append(bot_id)
    return made


def create(db: Database, form: str, game: str = "reversi", **options: object) -> TournamentRef:
    wanted = Selection(top=options.pop("top", None), bots=options.pop("bots", None))  # type: ignore[arg-type]
    rated = bool(options.pop("rated", True))
    return tournaments.create(
        db,
        tournaments.NewTournament(
            game, form, wanted, FormatOptions(seed=7, **options), rated=rated
        ),
        actor=ADMIN,
    )


def by_strength(view: TournamentView) -> Referee:
    """The better seed wins every game."""
    seeding = {entry.bot: entry.seeding for entry in view.entries}
    return lambda job: [-float(seeding[e.name]) for e in job.entrants]


def by_chance(job: MatchJob) -> Sequence[float]:
    """The same game always ends in the same way."""
    names = ",".join(e.name for e in job.entrants)
    rng = random.Random(f"{job.seed} {names}")
    return [float(rng.randrange(3)) for _ in job.entrants]


def play_out(
    db: Database, replays: ReplayStore, referee: Referee, most: int = 10**6, batch: int = 20
) -> int:
    played = 0
    while played < most and (jobs := lease(db, min(batch, most - played))):
        done = [Finished(report(job, referee(job)), job.attempt) for job in jobs]
        assert len(results.finish(db, replays, OWNER, done)) == len(jobs)
        played += len(jobs)
    return played


def check_records(db: Database, tournament_id: int) -> None:
    """The sums of the entries equal those of their matches, counted from the start."""
    with db.read() as c:
        count = stored.count_entries(c, tournament_id)
        kept = stored.records(c, tournament_id, count)
        halves = np.zeros((count, count), dtype=np.int64)
        points = np.zeros(count)
        gone = stored.gone(c, tournament_id)
        rows = pairings.pairings(c, tournament_id)
        games = pairings.games(c, tournament_id, [(row.round, row.board) for row in rows])
        for row in rows:
            tally = read_tally(row.tally, len(row.entrants))
            if games[row.round, row.board]:
                played = rounds._results(row.entrants, games[row.round, row.board], gone)
                assert tally == add_up(played, len(row.entrants))
            for place, entry in enumerate(row.entrants):
                points[entry - 1] += tally.points[place]
                for other, rival in enumerate(row.entrants):
                    halves[entry - 1, rival - 1] += tally.halves[place][other]
    for seeding, record in kept.items():
        assert record.points == pytest.approx(points[seeding - 1])
        assert record.halves.tolist() == halves[seeding - 1].tolist()
