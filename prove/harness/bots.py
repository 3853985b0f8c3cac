"""A ladder of deterministic bots: house bots, programs, and a few in sandboxes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from bench.contests import grow
from engines.games import find_game
from engines.programs.text import write
from engines.programs.trees import Program
from engines.programs.types import Type
from ladder.contests import tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.matches import leasing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.models import Bot, Rating, Version
from ladder.people import accounts
from ladder.runner import play_job
from ladder.seeds import SEED_BITS
from ladder.store import Database, migrate, queue
from ladder.store.database import now
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import Kind, Limits, Purpose, TokenUse
from ladder.views import AccountView
from tests.ladder_steps import PLENTY

GAME = "connect-four"
OWNER = "calm:1:1"
PATIENT = Limits(move_ms=10_000, match_ms=100_000)
"""Large limits, so that no bot times out in only one of two runs on a busy machine; but a bot that
sleeps forever must time out."""
PATIENT_FLAGS = ("--move-ms", "10000", "--match-ms", "100000")

_PYTHON = """
def agent(observation, configuration):
    legal = observation["legal"]
    return legal[{number} % len(legal)]
"""
_NAPPER = """
import time
def agent(observation, configuration):
    time.sleep(0.05)
    return observation["legal"][-1]
"""


def account_of(db: Database, name: str) -> AccountView:
    """A new account."""
    found = accounts.authenticate(db, accounts.create(db, name).token, TokenUse.API)
    assert found is not None
    return found


def enter_bots(db: Database, data: Path, bots: int, sandboxed: int, tier: str | None) -> None:
    """Enter the same bots every time, some of them in sandboxes, and validate them."""
    migrate.upgrade(db)
    submissions.seed_house_bots(db)
    owner = account_of(db, "field")
    with db.read() as c:
        entered = sa.select(sa.func.count()).select_from(Bot).where(Bot.game == GAME)
        house = c.scalar(entered) or 0
    codes: list[bytes] = [_PYTHON.format(number=n).encode() for n in range(sandboxed)]
    codes[:1] = [_NAPPER.encode()] if sandboxed else []
    codes += _programs(bots - house - sandboxed)
    for number, code in enumerate(codes):
        submissions.submit(db, owner, Upload(GAME, f"bot {number}", code), PLENTY)
    play_all(db, data, tier)


def _programs(count: int) -> list[bytes]:
    rng = np.random.default_rng(2026)
    game: Any = find_game(GAME)
    texts: list[bytes] = []
    while len(texts) < count:
        tree = grow(game, rng, Type.FLOAT, 12, strict=False)
        program = Program(game.programs.architecture, (tree,), {"depth": 1 + len(texts) % 3})
        if (text := write(program).encode()) not in texts:
            texts.append(text)
    return texts


def play_all(db: Database, data: Path, tier: str | None) -> int:
    """Play the whole queue in this process, match after match; returns their number."""
    replays, played = ReplayStore(data / "replays"), 0
    while jobs := leasing.lease(db, OWNER, 600, 20, leasing.Playable(tuple(Kind), limits=PATIENT)):
        finished = [Finished(play_job(job, data, tier), job.attempt) for job in jobs]
        played += len(results.finish(db, replays, OWNER, finished))
    return played


def versions_of(db: Database, kinds: Sequence[Kind] = tuple(Kind)) -> list[tuple[int, int]]:
    """Version and bot of each board row, in the order of their entry."""
    query = (
        sa.select(Rating.version_id, Version.bot_id)
        .join(Version, Version.id == Rating.version_id)
        .where(Rating.game == GAME, Rating.division == "open", Rating.on_board.is_(True))
        .where(Version.kind.in_(kinds))
        .order_by(Rating.version_id)
    )
    with db.read() as c:
        return [(row[0], row[1]) for row in c.execute(query)]


def queue_matches(
    db: Database, count: int, rng: random.Random, kinds: Sequence[Kind] = tuple(Kind)
) -> list[int]:
    """Queue `count` rated matches between the bots, every seed from both sides."""
    seats, at, ids = versions_of(db, kinds), now(), list[int]()
    with db.write() as c:
        while len(ids) < count:
            pair, seed = rng.sample(seats, 2), rng.getrandbits(SEED_BITS)
            for order in (pair, pair[::-1]):
                ids.append(queue.insert_match(c, queue.NewMatch(GAME, seed, Purpose.PLACEMENT), at))
                queue.insert_seats(c, ids[-1], order)
    return ids


def create_bracket(db: Database, bots: int) -> int:
    run = tournaments.create(
        db,
        tournaments.NewTournament(
            GAME,
            "single-elimination",
            Selection(top=bots),
            FormatOptions(seed=2026, third_place=True, best_of=3),
        ),
        actor="the proof",
    )
    return run.id
