"""Encounters follow from the log of results, and statistics of them agree with the matches."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
import sqlalchemy as sa
from ladder_steps import accept, account, finish, lease, upload

from engines.games import find_game
from ladder.boards import ladders
from ladder.errors import NotFound
from ladder.matches import pairing
from ladder.matches.replays import ReplayStore
from ladder.models import Encounter, Match, Result, Seat
from ladder.reports import rivalries
from ladder.store import Database, migrate


def counted(db: Database) -> dict[tuple[int, ...], tuple[int, ...]]:
    with db.read() as c:
        return {tuple(row[:4]): tuple(row[4:]) for row in c.execute(sa.select(Encounter))}


def recounted(db: Database) -> dict[tuple[int, ...], tuple[int, ...]]:
    """The same counts, one rated match at a time."""
    with db.read() as c:
        rated = {row.match_id for row in c.execute(sa.select(Result))}
        plies = dict(c.execute(sa.select(Match.id, Match.plies)).all())
        seats: dict[int, list[sa.Row[tuple[Seat]]]] = {}
        for seat in c.execute(sa.select(Seat).order_by(Seat.match_id, Seat.seat)):
            seats.setdefault(seat.match_id, []).append(seat)
    found: dict[tuple[int, ...], list[int]] = {}
    for match_id in rated:
        for pair in combinations(seats[match_id], 2):
            a, b = sorted(pair, key=lambda seat: seat.bot_id)
            row = found.setdefault((a.bot_id, b.bot_id, a.version_id, b.version_id), [0] * 7)
            row[3 * (a.seat > b.seat) + 1 + (a.rank > b.rank) - (a.rank < b.rank)] += 1
            row[6] += plies[match_id]
    return {key: tuple(row) for key, row in found.items()}


def test_encounters_follow_the_log(db: Database, tmp_path: Path) -> None:
    replays = ReplayStore(tmp_path / "replays")
    rng = random.Random(3)
    ada = account(db)
    for version in range(2):
        accept(db, replays, upload(db, ada, code=b"# %d" % version))
        for _ in range(6):
            pairing.pair(db, find_game("reversi"), rng)
        for job in lease(db, 100):
            score = rng.choice((0, 0.5, 1))
            finish(db, replays, job, (score, 1 - score), at_fault=[0] * (rng.random() < 0.1))
    melee = find_game("tanks-melee")
    pairing.pair(db, melee, rng)
    for job in lease(db, 100):
        finish(db, replays, job, [rng.randrange(4) for _ in job.entrants])
    kept = counted(db)
    assert kept == recounted(db)
    assert sum(sum(row[:6]) for row in kept.values()) > 24 + 10 * 45 - 1
    with db.write() as c:  # lose and damage rows, which a rerate must restore
        c.execute(sa.delete(Encounter).where(Encounter.bot_id % 2 == 0))
        c.execute(sa.update(Encounter).values(wins_before=77))
    for game in ladders.games().games:
        ladders.rerate(db, game.name)
    assert counted(db) == kept
    migrate.downgrade(db, "0005")
    migrate.upgrade(db)  # counts the earlier matches
    assert counted(db) == kept

    check_head_to_head(db)
    check_matrix(db)


def check_head_to_head(db: Database) -> None:
    """Check the pair of Reversi with the most matches, from both sides."""
    players = {row.bot_id for row in ladders.page(db, "reversi", "open", None, 99).rows}
    pairs: Counter[tuple[int, int]] = Counter()
    for (one, other, *_), row in counted(db).items():
        pairs[one, other] += sum(row[:6]) * (one in players)
    (one, other), games = pairs.most_common(1)[0]
    there = rivalries.head_to_head(db, one, other, None, 100)
    back = rivalries.head_to_head(db, other, one, None, 100)
    assert there.total.games == games == len([row for row in there.rows if row.rated])
    assert (there.total.wins, there.total.draws) == (back.total.losses, back.total.draws)
    assert (there.before.wins, there.after.wins) == (back.after.losses, back.before.losses)
    assert there.expected is not None
    assert back.expected == pytest.approx(1 - there.expected)
    assert there.mean_plies == 60
    assert sum(line.tally.wins for line in there.versions) == there.total.wins
    mine = [seat for row in there.rows for seat in row.seats if seat.bot_id == one and row.rated]
    assert sum(seat.rank == 1 for seat in mine) - there.total.wins == there.total.draws
    assert sum(seat.seat == 0 for seat in mine) == there.before.games
    few = rivalries.head_to_head(db, one, other, None, 1)
    rest = rivalries.head_to_head(db, one, other, few.next, 100)
    assert [row.id for row in (*few.rows, *rest.rows)] == [row.id for row in there.rows]
    assert [row.id for row in there.rows] == sorted((r.id for r in there.rows), reverse=True)
    with pytest.raises(NotFound):
        rivalries.head_to_head(db, one, 10**9, None, 9)
    with pytest.raises(NotFound, match="two"):
        rivalries.head_to_head(db, one, one, None, 9)
    with db.read() as c:
        elsewhere = c.scalar(sa.text("SELECT id FROM bots WHERE game = 'connect-four' LIMIT 1"))
    with pytest.raises(NotFound, match="plays"):
        rivalries.head_to_head(db, one, int(elsewhere or 0), None, 9)


def check_matrix(db: Database) -> None:
    table = rivalries.matrix(db, "reversi", "open", 50)
    assert [row.rank for row in table.rows] == list(range(1, len(table.rows) + 1))
    assert sum(row.nash_weight for row in table.rows) == pytest.approx(1, abs=1e-2)
    assert max(row.nash_score for row in table.rows) <= 0.501
    for i, row in enumerate(table.rows):
        assert row.cells[i].games == 0
        for j, cell in enumerate(row.cells):
            back = table.rows[j].cells[i]
            assert (cell.wins, cell.draws, cell.losses) == (back.losses, back.draws, back.wins)
    with db.read() as c:
        shown = {
            version_id
            for (version_id,) in c.execute(
                sa.text("SELECT version_id FROM ratings WHERE game = 'reversi' AND on_board")
            )
        }
    played = sum(sum(row[:6]) for key, row in counted(db).items() if {*key[2:]} <= shown)
    assert sum(cell.games for row in table.rows for cell in row.cells) == 2 * played > 0
    assert len(rivalries.matrix(db, "reversi", "open", 3).rows) == 3
    with pytest.raises(NotFound):
        rivalries.matrix(db, "reversi", "no such", 3)
    idle = rivalries.matrix(db, "checkers", "open", 20)
    assert not idle.cycles
    assert idle.triples == 0
    assert len({row.nash_weight for row in idle.rows}) == 1, "without matches all weights are equal"
