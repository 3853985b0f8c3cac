"""Use cases of ladders: games, leaderboards, exports, and rebuilding every rating."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engines.game import AnyGame
from engines.games import GAMES
from ladder.cursors import read_place, write_place
from ladder.errors import NotFound
from ladder.ratings import Rating as Skill
from ladder.ratings import rate, unrated
from ladder.store import Connection, Database, matches, ratings
from ladder.store.database import Row
from ladder.store.ratings import Change
from ladder.values import OPEN_DIVISION
from ladder.views import BoardPage, BoardRow, GameList, GameView, RatingView

_EXPORT_ROWS = 5_000
_REBUILD_ROWS = 20_000


def game_named(name: str) -> AnyGame:
    for game in GAMES:
        if game.name == name:
            return game
    known = ", ".join(game.name for game in GAMES)
    raise NotFound(f"there is no game {name[:80]!r}; the games are {known}")


def check_division(game: str, division: str) -> None:
    game_named(game)
    if division != OPEN_DIVISION:
        raise NotFound(f"{game} has no division {division[:80]!r}; it has {OPEN_DIVISION}")


def games() -> GameList:
    return GameList(
        [
            GameView(
                name=game.name,
                title=game.title,
                seats=list(game.seats),
                divisions=[OPEN_DIVISION],
                house_bots=list(game.house_bots),
            )
            for game in GAMES
        ]
    )


def page(db: Database, game: str, division: str, after: str | None, limit: int) -> BoardPage:
    """Rows of a leaderboard, best first."""
    check_division(game, division)
    place = read_place(after)
    with db.read() as c:
        rows = ratings.board(c, game, division, place and place[:2], limit)
    first = place[2] + 1 if place else 1
    shown = [
        BoardRow(
            rank=rank,
            bot=row.bot,
            bot_id=row.bot_id,
            version=row.version,
            owner=row.owner,
            kind=row.kind,
            mu=row.mu,
            sigma=row.sigma,
            score=row.score,
            matches=row.matches,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
        )
        for rank, row in enumerate(rows, start=first)
    ]
    more = len(rows) == limit
    end = write_place(rows[-1].score, rows[-1].version_id, shown[-1].rank) if more else None
    return BoardPage(game, division, shown, end)


def rating_view(row: Row, rank: int | None) -> RatingView:
    return RatingView(
        mu=row.mu,
        sigma=row.sigma,
        score=row.score,
        rank=rank,
        matches=row.matches,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
    )


def _csv_line(values: list[object]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(values)
    return text.getvalue()


def ratings_csv(db: Database, game: str) -> Iterator[str]:
    """The whole leaderboard as lines of CSV."""
    columns = [
        *("rank", "bot", "version", "owner", "kind", "mu", "sigma", "score"),
        *("matches", "wins", "draws", "losses"),
    ]
    game_named(game)
    yield _csv_line(list(columns))
    after = None
    while True:
        rows = page(db, game, OPEN_DIVISION, after, _EXPORT_ROWS)
        for row in rows.rows:
            yield _csv_line([getattr(row, column) for column in columns])
        if rows.next is None:
            return
        after = rows.next


def results_csv(db: Database, game: str) -> Iterator[str]:
    """Every finished match, one line a seat, oldest first."""
    game_named(game)
    columns = [
        *("id", "finished_at", "purpose", "rated", "ending", "seat", "bot", "version"),
        *("owner", "score", "rank", "at_fault", "cpu_ms"),
    ]
    yield _csv_line(["match", *columns[1:]])
    above = 0
    while True:
        with db.read() as c:
            rows = list(matches.results(c, game, above, _EXPORT_ROWS))
        if not rows:
            return
        for row in rows:
            yield _csv_line([getattr(row, column) for column in columns])
        above = rows[-1].id


def rerate(db: Database, game: str) -> int:
    """Rebuild every rating of a game from the log of results; the number of matches in it."""
    with db.write() as c:
        ratings.lock_ladder(c, game)
        ratings.clear_changes(c, game)
        ladders = ratings.predecessors_by_division(c, game)
        rebuilt = {division: _Rebuilt({}, {}) for division in ladders}
        count = _fold(c, game, ladders, rebuilt)
        for division, predecessors in ladders.items():
            skills, numbers = rebuilt[division].skills, rebuilt[division].numbers
            for version_id, before in predecessors.items():
                if version_id not in skills:
                    skills[version_id] = unrated(skills.get(before) if before else None)
            ratings.write_ratings(
                c, division, {v: (numbers.get(v, 0), skill) for v, skill in skills.items()}
            )
        return count


class _Rebuilt(NamedTuple):
    """One ladder as far as the log has been read: skill and last log number of each version."""

    skills: dict[int, Skill]
    numbers: dict[int, int]


def _fold(
    c: Connection,
    game: str,
    ladders: Mapping[str, Mapping[int, int | None]],
    rebuilt: Mapping[str, _Rebuilt],
) -> int:
    draw_probability = game_named(game).draw_probability
    count = 0
    changes: list[tuple[int, Change]] = []
    for number, seats in ratings.log_of(c, game):
        count += 1
        bot_of = {placing.version_id: bot_id for bot_id, placing in seats}
        for division, (skills, numbers) in rebuilt.items():
            if not bot_of.keys() <= ladders[division].keys():
                continue
            rated = rate(skills, [placing for _, placing in seats], draw_probability)
            for version_id, (old, new) in rated.items():
                skills[version_id], numbers[version_id] = new, number
                change = Change(bot_of[version_id], version_id, division, old, new)
                changes.append((number, change))
        if len(changes) >= _REBUILD_ROWS:
            ratings.insert_changes(c, changes)
            changes = []
    ratings.insert_changes(c, changes)
    return count
