"""Pairings over a real database: who meets whom, and how often."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import sqlalchemy as sa
from ladder_steps import OWNER, account, lease, report, upload

from engines.competition import BYTECODE_BYTES, STATEMENTS
from engines.games import find_game
from ladder.matches import pairing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.models import Rating
from ladder.scoring.matchmaking import MOST_CERTAIN_MEETINGS, MOST_MEETINGS
from ladder.store import Database, encounters, ratings
from ladder.values import CodeSize, MatchJob

GAME = find_game("tanks")
TINY = CodeSize({STATEMENTS: 4, BYTECODE_BYTES: 250})


def play(db: Database, replays: ReplayStore, jobs: list[MatchJob], order: list[str]) -> None:
    """The bot that is named later in `order` always wins."""
    for job in jobs:
        ranks = [order.index(entrant.name) for entrant in job.entrants]
        scores = [float(rank == max(ranks)) for rank in ranks]
        told = report(job, scores)
        seats = (replace(told.seats[0], size=TINY), *told.seats[1:])
        ended = Finished(replace(told, seats=seats), job.attempt)
        assert results.finish(db, replays, OWNER, [ended])


def test_two_small_bots_of_one_owner_do_not_loop(sqlite_db: Database, replays: ReplayStore) -> None:
    """They are alone in the small divisions, and one always beats the other. They met in 296 of 336
    matches once.
    """
    ada = account(sqlite_db)
    order = [*GAME.house_bots, "small one", "small two"]
    for name in order[-2:]:
        upload(sqlite_db, ada, name, game="tanks")
        play(sqlite_db, replays, lease(sqlite_db), [*reversed(order)])
    rng = random.Random(1)
    met = Counter[frozenset[str]]()
    for _ in range(220):
        assert pairing.pair(sqlite_db, GAME, rng) is not None
        jobs = lease(sqlite_db, 9)
        met.update(frozenset(entrant.name for entrant in job.entrants) for job in jobs)
        play(sqlite_db, replays, jobs, order)
    assert met.total() == 440
    assert max(met.values()) <= MOST_MEETINGS
    assert met[frozenset(order[-2:])] <= MOST_CERTAIN_MEETINGS
    for own in order[-2:]:
        assert all(met[frozenset({own, house})] for house in GAME.house_bots), "the whole field"


def test_bots_that_have_met_all_others_are_not_tried_again(
    sqlite_db: Database, replays: ReplayStore
) -> None:
    """They would hold up the others, and cost queries."""
    game = find_game("connect-four")
    order, rng = list(game.house_bots), random.Random(2)
    spent: pairing.Spent = set()
    while pairing.pair(sqlite_db, game, rng, spent=spent) is not None:
        play(sqlite_db, replays, lease(sqlite_db, 9), order)
    for _ in range(9):
        assert pairing.pair(sqlite_db, game, rng, spent=spent) is None
    with sqlite_db.read() as c:
        everybody = {row.version_id for row in ratings.longest_idle(c, game.name, "open", 99)}
    assert spent == {("open", version_id) for version_id in everybody}
    asked: list[str] = []
    sa.event.listen(sqlite_db.engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    assert pairing.pair(sqlite_db, game, rng, spent=spent) is None
    assert len([one for one in asked if one.startswith("SELECT")]) <= 5
    upload(sqlite_db, account(sqlite_db), "fresh", game=game.name)
    play(sqlite_db, replays, lease(sqlite_db), ["fresh", *order])
    assert pairing.pair(sqlite_db, game, rng, settled=False, spent=spent) == pairing.Paired(0.0)


def test_meetings_are_read_off_the_encounters(db: Database, replays: ReplayStore) -> None:
    game = find_game("reversi")
    rng = random.Random(3)
    order = list(game.house_bots)
    for _ in range(30):
        pairing.pair(db, game, rng)
        play(db, replays, lease(db, 9), order)
    pairing.pair(db, game, rng)
    with db.read() as c:
        everybody = [
            pairing.Contender(*row) for row in ratings.longest_idle(c, "reversi", "open", 20)
        ]
        for focus in everybody:
            met = pairing._meetings(c, focus, everybody)
            won = sum(one.wins for one in met.values())
            lost = sum(one.losses for one in met.values())
            held = c.execute(sa.select(Rating).where(Rating.version_id == focus.version_id)).one()
            assert (won, lost) == (held.wins, held.losses)
            assert focus.matches == won + lost
        assert (
            sum(
                one.waiting
                for focus in everybody
                for one in pairing._meetings(c, focus, everybody).values()
            )
            == 4
        ), "two open matches, seen from either side"


def test_the_meetings_of_two_versions_are_keys_of_an_index(sqlite_db: Database) -> None:
    """So the cost does not grow with history."""
    plans: list[str] = []

    def explain(connection: sa.Connection, _: object, statement: str, given: object, *__: object):
        rows = connection.connection.cursor().execute("EXPLAIN QUERY PLAN " + statement, given)
        plans.extend(str(row[-1]) for row in rows.fetchall())

    with sqlite_db.read() as c:
        sa.event.listen(sqlite_db.engine, "before_cursor_execute", explain)
        encounters.of_version(c, 3, 3, {1: 1, 5: 5})
    assert len(plans) == 2
    assert all("SEARCH" in plan and "bot_id=? AND opponent_id=?" in plan for plan in plans)
