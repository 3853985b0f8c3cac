"""Use cases of bots against each other: two of them head to head, and the table of the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ladder.boards import ladders
from ladder.cursors import read_number
from ladder.errors import NotFound
from ladder.matches import listing
from ladder.scoring.equilibria import Table, count_cycles, cycles, nash_average
from ladder.scoring.skill import Skill, win_probability
from ladder.store import Connection, Database, bots, encounters, standing
from ladder.store.database import Row
from ladder.values import OPEN_DIVISION, VersionStatus
from ladder.views import (
    CycleView,
    HeadToHead,
    Matrix,
    MatrixRow,
    RivalView,
    Tally,
    VersionTally,
)

MOST_ROWS = 50
CYCLES_SHOWN = 20
VERSIONS_SHOWN = 100
SCANNED_MATCHES = 20_000
"""Matches that one page scans for those of two bots, which takes about ten milliseconds."""

PRIOR_GAMES = 2
"""In the mixture that nobody beats, the ratings count as this number of games of each pair: two
wins of two prove little, and bots that have not met are not equal.
"""


def head_to_head(
    db: Database, bot_id: int, opponent_id: int, after: str | None, limit: int
) -> HeadToHead:
    """All matches of two bots of a game against each other."""
    if bot_id == opponent_id:
        raise NotFound("a bot does not play against itself; name two different bots")
    below = read_number(after)
    with db.read() as c:
        one, other = _rival(c, bot_id), _rival(c, opponent_id)
        if one[0] != other[0]:
            raise NotFound(f"{one[1].bot} plays {one[0]}, and {other[1].bot} plays {other[0]}")
        turned = bot_id > opponent_id
        total = encounters.total(c, bot_id, opponent_id)
        versions = encounters.between(c, bot_id, opponent_id, VERSIONS_SHOWN)
        rarer, common = sorted((bot_id, opponent_id), key=lambda one: bots.matches_of(c, one))
        found, end = encounters.matches_between(c, rarer, common, below, limit, SCANNED_MATCHES)
        rows = listing.views(c, found)
    before, sat_after = _tally(total, "before", turned), _tally(total, "after", turned)
    if turned:
        before, sat_after = sat_after, before
    both = _sum(before, sat_after)
    return HeadToHead(
        game=one[0],
        bot=one[1],
        opponent=other[1],
        total=both,
        before=before,
        after=sat_after,
        expected=_expected(one[1], other[1]),
        mean_plies=total.plies / both.games if both.games else None,
        versions=[
            VersionTally(
                version=row.opponent_version if turned else row.version,
                opponent_version=row.version if turned else row.opponent_version,
                tally=_sum(_tally(row, "before", turned), _tally(row, "after", turned)),
            )
            for row in versions
        ],
        rows=rows,
        next=None if end is None else str(end),
    )


def _rival(c: Connection, bot_id: int) -> tuple[str, RivalView]:
    """The game of a bot, and the rating of its current version."""
    row = bots.bot(c, bot_id)
    if row is None:
        raise NotFound(f"there is no bot {bot_id}")
    current = bots.newest_version(c, bot_id, VersionStatus.ACCEPTED)
    shown = current or bots.newest_version(c, bot_id)
    assert shown is not None
    held = standing.ratings_of(c, [shown.id]).get(shown.id, {}).get(OPEN_DIVISION)
    return row.game, RivalView(
        bot_id=bot_id,
        bot=row.name,
        owner=row.owner,
        kind=shown.kind,
        version=current.number if current else None,
        mu=held.mu if held else None,
        sigma=held.sigma if held else None,
    )


def _expected(one: RivalView, other: RivalView) -> float | None:
    if one.mu is None or one.sigma is None or other.mu is None or other.sigma is None:
        return None
    return win_probability(Skill(one.mu, one.sigma), Skill(other.mu, other.sigma))


def _tally(row: Row, order: str, turned: bool) -> Tally:
    """Results of the requested bot; `turned` if the row has the other one first."""
    wins, draws, losses = (getattr(row, f"{name}_{order}") for name in ("wins", "draws", "losses"))
    return Tally(losses, draws, wins) if turned else Tally(wins, draws, losses)


def _sum(*tallies: Tally) -> Tally:
    return Tally(
        sum(t.wins for t in tallies), sum(t.draws for t in tallies), sum(t.losses for t in tallies)
    )


def matrix(db: Database, game: str, division: str, top: int) -> Matrix:
    """The current versions of the best bots against each other."""
    ladders.check_division(game, division)
    with db.read() as c:
        board = standing.board(c, game, division, None, min(top, MOST_ROWS))
        cells = _cells(c, board)
    shares = _shares(board, cells)
    met = np.array([[cell.games > 0 for cell in row] for row in cells], dtype=bool)
    met = met.reshape(shares.shape)  # also of an empty board
    weights = nash_average(shares)
    against = shares @ weights
    cyclic, triples = count_cycles(shares, met)
    return Matrix(
        game=game,
        division=division,
        rows=[
            MatrixRow(
                rank=place + 1,
                bot_id=row.bot_id,
                bot=row.bot,
                version=row.version,
                mu=row.mu,
                sigma=row.sigma,
                score=row.score,
                nash_weight=round(float(weights[place]), 4),
                nash_score=round(float(against[place]), 4),
                cells=cells[place],
                owner=row.owner,
            )
            for place, row in enumerate(board)
        ],
        cycles=[
            CycleView([first, second, third], round(strength, 4))
            for first, second, third, strength in cycles(shares, met, CYCLES_SHOWN)
        ],
        cyclic=cyclic,
        triples=triples,
    )


def _cells(c: Connection, board: Sequence[Row]) -> list[list[Tally]]:
    """Tallies of each row of a board against each, by their current versions."""
    place = {row.version_id: index for index, row in enumerate(board)}
    cells = [[Tally(0, 0, 0)] * len(board) for _ in board]
    for one, other, wins, draws, losses in encounters.among(c, [row.bot_id for row in board]):
        i, j = place.get(one), place.get(other)
        if i is not None and j is not None:
            cells[i][j], cells[j][i] = Tally(wins, draws, losses), Tally(losses, draws, wins)
    return cells


def _shares(board: Sequence[Row], cells: Sequence[Sequence[Tally]]) -> Table:
    """Share of the points that each takes from each, the ratings counted as `PRIOR_GAMES`."""
    shares = np.full((len(board), len(board)), 0.5)
    skills = [Skill(row.mu, row.sigma) for row in board]
    for i, row in enumerate(cells):
        for j, cell in enumerate(row[:i]):
            promised = win_probability(skills[i], skills[j]) * PRIOR_GAMES
            points = cell.wins + cell.draws / 2
            shares[i, j] = (points + promised) / (cell.games + PRIOR_GAMES)
            shares[j, i] = 1 - shares[i, j]
    return shares
