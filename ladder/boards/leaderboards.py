"""Use cases of the leaderboard for people: movement, close neighbours, earlier days.

`ladder.boards.ladders` has the bare list that programs read.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import islice, pairwise

from ladder.boards.ladders import board_row, check_division, divisions
from ladder.boards.ladders import games as all_games
from ladder.cursors import read_place, write_place
from ladder.errors import NotFound
from ladder.scoring.skill import Skill, chance_of_being_better, read_course
from ladder.store import Database, board_days, standing
from ladder.store.board_days import DayRank
from ladder.store.database import Row, now
from ladder.values import BoardFilter
from ladder.views import BoardRow


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One bot on the leaderboard."""

    row: BoardRow
    latest: str
    """Its last results, newest last: w, d, l, a digit for a place in a match of many seats, and x
    for a loss by a fault of its own."""
    course: list[float]
    """Its score from its first match on, thinned."""
    moved: int | None = None
    """Places gained since the day began; none where it was not on the board, or that is unknown."""
    is_new: bool = False
    """Whether it was not on the board when the day began."""
    overtaken: float | None = None
    """The probability that the bot one place below is better."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    game: str
    division: str
    lines: list[BoardLine]
    next: str | None
    """The start of the next page."""
    taken_at: datetime | None = None
    """The time of an earlier board; none for the current one."""


def page(
    db: Database,
    game: str,
    division: str,
    after: str | None,
    limit: int,
    wanted: BoardFilter = BoardFilter(),  # noqa: B008 - frozen
) -> Leaderboard:
    """Lines of the current leaderboard that pass the filter, best first."""
    check_division(game, division)
    place = read_place(after)
    wanted = replace(wanted, name=_key(wanted.name))
    with db.read() as c:
        key = place and place[:2]
        if not wanted:
            # One more than is shown: the last row needs its neighbour below.
            rows = standing.board(c, game, division, key, limit + 1)
            first = place[2] + 1 if place else 1
            ranked = list(enumerate(rows, start=first))
        else:
            ranked = standing.search(c, game, division, wanted, key, limit + 1)
        today = board_days.latest(c, game, division, _day(now()))
    before = board_days.read_ranks(today.places) if today else None
    shown = ranked[:limit]
    more = len(ranked) > limit
    end = write_place(shown[-1][1].score, shown[-1][1].version_id, shown[-1][0]) if more else None
    # Neighbours in a search are not neighbours on the board.
    chances = _chances([row for _, row in ranked]) if not wanted else []
    lines = [
        _line(rank, row, before, chances[i] if i < len(chances) else None)
        for i, (rank, row) in enumerate(shown)
    ]
    return Leaderboard(game, division, lines, end)


def _key(search: str) -> str:
    """A part of a name, as names are compared."""
    return unicodedata.normalize("NFKC", search.strip()).casefold()


def _day(at: datetime) -> str:
    return at.date().isoformat()


def _chances(rows: Sequence[Row]) -> list[float]:
    """For each row but the last, the probability that the next one is better."""
    skills = [Skill(row.mu, row.sigma) for row in rows]
    return [chance_of_being_better(below, above) for above, below in pairwise(skills)]


def _line(rank: int, row: Row, before: dict[int, int] | None, chance: float | None) -> BoardLine:
    was = before.get(row.bot_id) if before is not None else None
    return BoardLine(
        row=board_row(rank, row),
        latest=row.latest,
        course=[*read_course(row.course), row.score],
        moved=was - rank if was is not None else None,
        is_new=before is not None and was is None,
        overtaken=chance,
    )


def on_day(
    db: Database, game: str, division: str, day: date, first: int, limit: int
) -> Leaderboard:
    """The board at the start of a day, from a rank on; raises `NotFound` if none is that old."""
    check_division(game, division)
    with db.read() as c:
        kept = board_days.latest(c, game, division, day.isoformat())
        if kept is None:
            raise NotFound(f"no board of {game} is stored for {day} or earlier")
        places = list(islice(board_days.read_places(kept.places), first - 1, first + limit))
        names = board_days.versions(c, [place.version_id for place in places])
    skills = [Skill(place.mu, place.sigma) for place in places]
    chances = [chance_of_being_better(below, above) for above, below in pairwise(skills)]
    lines = [
        BoardLine(
            row=_past_row(first + i, place, names[place.version_id]),
            latest="",
            course=[],
            overtaken=chances[i] if i < len(chances) else None,
        )
        for i, place in enumerate(places[:limit])
    ]
    end = str(first + limit) if len(places) > limit else None
    return Leaderboard(game, division, lines, end, kept.taken_at)


def _past_row(rank: int, place: DayRank, name: Row) -> BoardRow:
    return BoardRow(
        rank=rank,
        bot=name.bot,
        bot_id=place.bot_id,
        version=name.number,
        owner=name.owner,
        kind=name.kind,
        mu=place.mu,
        sigma=place.sigma,
        score=place.mu - 3 * place.sigma,
        matches=place.matches,
        wins=place.wins,
        draws=place.draws,
        losses=place.matches - place.wins - place.draws,
        average_score=None,
        columns={},
    )


def keep_day(db: Database, at: datetime | None = None) -> int:
    """Store every board for this day unless it is stored; return how many were stored.

    Any number of servers may call this at any time.
    """
    at = at or now()
    day = _day(at)
    with db.read() as c:
        kept = board_days.kept(c, day)
    count = 0
    for game, division in _ladders():
        if (game, division) in kept:
            continue
        with db.read() as c:
            places = board_days.standing(c, game, division)
        if places:
            with db.write() as c:
                count += board_days.insert(c, game, division, day, at, places)
    return count


def _ladders() -> Iterator[tuple[str, str]]:
    for game in all_games().games:
        for division in divisions(game.name):
            yield game.name, division
