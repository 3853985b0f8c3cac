"""Use cases of ladders: games, leaderboards, exports, and rebuilding every rating."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from engines.competition import Competition
from engines.games import GAMES, find_game
from ladder.cursors import read_place, write_place
from ladder.errors import NotFound
from ladder.scoring.skill import LadderSkills, average_over, mean_place, rate, unrated
from ladder.store import Connection, Database, encounters, matches, ratings, standing
from ladder.store.database import Row
from ladder.store.ratings import Change
from ladder.values import OPEN_DIVISION, CodeSize
from ladder.views import BoardPage, BoardRow, GameList, GameView, RatingView, SizeLimit

_EXPORT_ROWS = 5_000
_REBUILD_ROWS = 20_000


def installed(name: str) -> Competition | None:
    """The game of a stored row; None if it is a plug-in that is not installed now."""
    return next((game for game in GAMES if game.name == name), None)


def missing_note(name: str) -> str:
    """A sentence about the game of a stored row if it is not installed; empty if it is."""
    if installed(name) is not None:
        return ""
    return (
        f"The game {name} is not installed on this server now. Its bots and results are kept, and "
        "its matches go on when it is installed again."
    )


def kept_game(name: str) -> GameView:
    """The game of a stored row, which may be a plug-in that is not installed now."""
    if installed(name) is not None:
        return game(name)
    return GameView(
        name=name,
        title=name,
        seats=[],
        divisions=divisions_kept(name),
        size_limits=[],
        house_bots=[],
    )


def divisions_kept(game: str) -> list[str]:
    """As `divisions`, also for the rows of a game that is not installed now."""
    return divisions(game) if installed(game) else [OPEN_DIVISION]


def divisions(game: str) -> list[str]:
    """The names of a game's divisions, the widest first."""
    return [OPEN_DIVISION, *(division.name for division in find_game(game).divisions)]


def check_division(game: str, division: str) -> None:
    _check_division(game, division, divisions(game))


def check_kept_division(game: str, division: str) -> None:
    """As `check_division`, also for the rows of a game that is not installed now."""
    _check_division(game, division, divisions_kept(game))


def _check_division(game: str, division: str, known: Sequence[str]) -> None:
    if division not in known:
        raise NotFound(f"{game} has no division {division[:80]!r}; it has {', '.join(known)}")


def divisions_for(game: str, size: CodeSize | None) -> list[str]:
    """The divisions that a bot of this size belongs to: all whose limit it meets."""
    if size is None or size.open_only:
        return [OPEN_DIVISION]
    measures = size.measures
    return [OPEN_DIVISION] + [
        division.name
        for division in find_game(game).divisions
        if division.measure in measures and measures[division.measure] <= division.limit
    ]


def games() -> GameList:
    return GameList([_game_view(game) for game in GAMES])


def game(name: str) -> GameView:
    return _game_view(find_game(name))


def _game_view(game: Competition) -> GameView:
    return GameView(
        name=game.name,
        title=game.title,
        seats=sorted(game.seats),
        divisions=divisions(game.name),
        size_limits=[SizeLimit(d.name, d.measure, d.limit) for d in game.divisions],
        house_bots=list(game.house_bots),
        column_titles=dict(game.column_titles),
        ladder_seats=game.ladder_seats,
        headline="aps" if game.shares_points else "wins",
    )


def page(db: Database, game: str, division: str, after: str | None, limit: int) -> BoardPage:
    """Rows of a leaderboard, best first."""
    check_division(game, division)
    place = read_place(after)
    with db.read() as c:
        rows = standing.board(c, game, division, place and place[:2], limit)
    first = place[2] + 1 if place else 1
    shown = [board_row(rank, row) for rank, row in enumerate(rows, start=first)]
    more = len(rows) == limit
    end = write_place(rows[-1].score, rows[-1].version_id, shown[-1].rank) if more else None
    return BoardPage(game, division, shown, end)


def board_row(rank: int, row: Row) -> BoardRow:
    return BoardRow(
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
        average_score=row.share_sum / row.matches if row.matches else None,
        columns={name: total / row.matches for name, total in (row.columns or {}).items()},
        aps=average_over(row.field),
        aps_opponents=len(row.field or {}),
        mean_place=mean_place(row.places),
        places=row.places or [],
    )


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
        aps=average_over(row.field),
        aps_opponents=len(row.field or {}),
        mean_place=mean_place(row.places),
        places=row.places or [],
    )


def _csv_line(values: list[object]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(values)
    return text.getvalue()


def ratings_csv(db: Database, game: str, division: str = OPEN_DIVISION) -> Iterator[str]:
    """The whole leaderboard as lines of CSV."""
    columns = [
        *("rank", "bot", "version", "owner", "kind", "mu", "sigma", "score"),
        *("matches", "wins", "draws", "losses", "average_score"),
    ]
    added = ["aps", "aps_opponents", "mean_place"]
    rows = page(db, game, division, None, _EXPORT_ROWS)
    counted = column_names(rows.rows)
    yield _csv_line([*columns, *counted, *added])
    while True:
        for row in rows.rows:
            own = [getattr(row, column) for column in columns]
            last = [getattr(row, column) for column in added]
            yield _csv_line([*own, *(row.columns.get(name) for name in counted), *last])
        if rows.next is None:
            return
        rows = page(db, game, division, rows.next, _EXPORT_ROWS)


def column_names(rows: Sequence[BoardRow]) -> list[str]:
    """The values that the game counts besides the score, in its own order."""
    return list(dict.fromkeys(name for row in rows for name in row.columns))


def results_csv(db: Database, game: str) -> Iterator[str]:
    """Every finished match, one line per seat, oldest first."""
    find_game(game)
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
    """Rebuild every rating of a game from the log of results; return the number of matches."""
    with db.write() as c:
        ratings.lock_ladder(c, game)
        ratings.clear_changes(c, game)
        encounters.rebuild(c, game)
        ladders = ratings.unrated_ladders(c, game)
        last: dict[str, dict[int, int]] = {division: {} for division in ladders}
        count = _fold(c, game, ladders, last)
        for division, ladder in ladders.items():
            rated = dict(ladder.skills)
            for version_id, before in ladder.predecessors.items():
                if version_id not in rated:
                    skill = unrated(rated.get(before) if before else None)
                    ladder.skills[version_id] = skill
            numbers = last[division]
            ratings.write_ratings(
                c, division, {v: (numbers.get(v, 0), skill) for v, skill in ladder.skills.items()}
            )
        return count


def _fold(
    c: Connection,
    game: str,
    ladders: Mapping[str, LadderSkills],
    last: Mapping[str, dict[int, int]],
) -> int:
    """Rate all matches of the log on `ladders`, and note the last log number of each version."""
    draw_probability = find_game(game).draw_probability
    count = 0
    changes: list[tuple[int, Change]] = []
    for number, seats in ratings.log_of(c, game):
        count += 1
        placings = [placing for _, placing in seats]
        bot_of = {placing.version_id: bot_id for bot_id, placing in seats}
        for division, ladder in ladders.items():
            if not ladder.counts(placings):
                continue
            for version_id, (old, new) in rate(ladder, placings, draw_probability).items():
                ladder.skills[version_id], last[division][version_id] = new, number
                change = Change(bot_of[version_id], version_id, division, old, new)
                changes.append((number, change))
        if len(changes) >= _REBUILD_ROWS:
            ratings.insert_changes(c, changes)
            changes = []
    ratings.insert_changes(c, changes)
    return count
