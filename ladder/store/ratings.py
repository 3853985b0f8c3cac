"""Statements about ratings: their changes, and the candidates of matchmaking."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from ladder.models import Bot, Match, Rating, RatingChange, Result, Seat, Version
from ladder.scoring.skill import LadderSkills, Placing
from ladder.scoring.skill import Skill as Skill
from ladder.store.database import Connection, Row
from ladder.values import Kind, MatchStatus, VersionStatus

_SKILL = (
    Rating.mu,
    Rating.sigma,
    Rating.matches,
    Rating.wins,
    Rating.draws,
    Rating.losses,
    Rating.share_sum,
    Rating.columns,
    Rating.latest,
    Rating.course,
    Rating.places,
    Rating.field,
)


def insert_rating(
    c: Connection,
    version_id: int,
    division: str,
    game: str,
    predecessor_id: int | None,
    skill: Skill,
) -> None:
    c.execute(
        sa.insert(Rating).values(
            version_id=version_id,
            division=division,
            game=game,
            predecessor_id=predecessor_id,
            on_board=True,
            last_number=0,
            **_columns(skill),
        )
    )


def _columns(skill: Skill) -> dict[str, Any]:
    return {
        "mu": skill.mu,
        "sigma": skill.sigma,
        "score": skill.score,
        "matches": skill.matches,
        "wins": skill.wins,
        "draws": skill.draws,
        "losses": skill.losses,
        "share_sum": skill.share_sum,
        "columns": skill.columns,
        "latest": skill.latest,
        "course": skill.course,
        "places": skill.places,
        "field": skill.field,
    }


_IDS = Rating.version_id.in_(sa.bindparam("ids", expanding=True))
_LOCKED: sa.Select[*tuple[Any, ...]] = (
    sa.select(
        Rating.version_id,
        Rating.division,
        Rating.on_board,
        Rating.predecessor_id,
        *_SKILL,
    )
    .where(
        Rating.version_id.in_(
            sa.union(
                sa.select(Rating.version_id).where(_IDS),
                sa.select(Rating.predecessor_id).where(_IDS, Rating.matches == 0),
            )
        )
    )
    .order_by(Rating.version_id, Rating.division)
    .with_for_update()
)


def lock_ladders(
    c: Connection, version_ids: Sequence[int]
) -> tuple[dict[str, LadderSkills], set[int]]:
    """The ratings of versions by ladder, and the versions that have left the board.

    The rows of the versions and of the predecessors of new ones stay locked; they are taken in
    the order of their ids, so that no two transactions wait for each other.
    """
    found: dict[str, LadderSkills] = {}
    gone: set[int] = set()
    for row in c.execute(_LOCKED, {"ids": list(version_ids)}):
        ladder = found.setdefault(row[1], LadderSkills())
        ladder.predecessors[row[0]] = row[3]
        ladder.skills[row[0]] = Skill(*row[4:])
        if not row[2]:
            gone.add(row[0])
    return found, gone


def lock_predecessor(c: Connection, bot_id: int, division: str) -> Row | None:
    """The rating of a bot's newest accepted version with rated matches on a ladder."""
    query = (
        sa.select(Rating.version_id, *_SKILL)
        .join(Version, Version.id == Rating.version_id)
        .where(
            Version.bot_id == bot_id,
            Version.status == VersionStatus.ACCEPTED,
            Rating.division == division,
            Rating.matches > 0,
        )
        .order_by(Version.number.desc())
        .limit(1)
        .with_for_update(of=Rating)
    )
    return c.execute(query).one_or_none()


def set_unrated(c: Connection, predecessor_id: int, division: str, skill: Skill) -> None:
    """Set the ratings of a version's successors that have no rated match."""
    c.execute(
        sa.update(Rating)
        .where(
            Rating.predecessor_id == predecessor_id,
            Rating.division == division,
            Rating.matches == 0,
        )
        .values(**_columns(skill))
    )


_LOG = sa.insert(Result).returning(Result.number, sort_by_parameter_order=True)


def append_results(c: Connection, match_ids: Sequence[int]) -> list[int]:
    """Log rated matches in this order; their numbers.

    Their rating rows must be locked, so that the order of the log is the order of rating.
    """
    return list(c.scalars(_LOG, [{"match_id": match_id} for match_id in match_ids]))


def last_number(c: Connection) -> int:
    """The number of matches rated so far."""
    return int(c.scalar(sa.select(sa.func.max(Result.number))) or 0)


_UPDATE = (
    sa.update(Rating)
    .where(Rating.version_id == sa.bindparam("v"), Rating.division == sa.bindparam("d"))
    .values(
        {
            name: sa.bindparam(name)
            for name in (
                *("mu", "sigma", "score", "matches", "wins", "draws", "losses"),
                *("share_sum", "columns", "latest", "course", "last_number"),
                *("places", "field"),
            )
        }
    )
)
_CHANGE = sa.insert(RatingChange)


class Change(NamedTuple):
    """One version's step on one ladder."""

    bot_id: int
    version_id: int
    division: str
    before: Skill
    after: Skill


def insert_changes(c: Connection, rows: Sequence[tuple[int, Change]]) -> None:
    if rows:
        c.execute(
            _CHANGE,
            [
                {
                    "bot_id": change.bot_id,
                    "version_id": change.version_id,
                    "division": change.division,
                    "number": number,
                    "mu_before": change.before.mu,
                    "sigma_before": change.before.sigma,
                    "mu": change.after.mu,
                    "sigma": change.after.sigma,
                }
                for number, change in rows
            ],
        )


# Candidates of matchmaking. Each list is short and read from an index, for any number of bots.

_CONTENDER = (
    sa.select(
        Rating.version_id,
        Version.bot_id,
        Rating.mu,
        Rating.sigma,
        Rating.matches,
        Bot.owner_id,
        (Version.kind == Kind.HOUSE).label("house"),
    )
    .join(Version, Version.id == Rating.version_id)
    .join(Bot, Bot.id == Version.bot_id)
)


def _contenders(game: str, division: str) -> sa.Select[*tuple[Any, ...]]:
    return _CONTENDER.where(
        Rating.game == game, Rating.division == division, Rating.on_board.is_(True)
    )


def unsettled(
    c: Connection, game: str, division: str, *, above: float, below: int, limit: int
) -> Sequence[Row]:
    """Those with a sigma above and fewer matches than a limit, the most uncertain first."""
    query = _contenders(game, division).where(Rating.sigma > above, Rating.matches < below)
    return c.execute(query.order_by(Rating.sigma.desc()).limit(limit)).all()


def contenders(c: Connection, division: str, version_ids: Collection[int]) -> Sequence[Row]:
    """Those of these versions that are on a board of the division."""
    query = _CONTENDER.where(
        Rating.version_id.in_(version_ids),
        Rating.division == division,
        Rating.on_board.is_(True),
    )
    return c.execute(query).all()


def unplayed(c: Connection, game: str, division: str, limit: int) -> Sequence[Row]:
    """Those without a rated match; house bots left out."""
    query = _contenders(game, division).where(Rating.last_number == 0, Version.kind != Kind.HOUSE)
    return c.execute(query.limit(limit)).all()


def longest_idle(c: Connection, game: str, division: str, limit: int) -> Sequence[Row]:
    query = _contenders(game, division).order_by(Rating.last_number)
    return c.execute(query.limit(limit)).all()


def leaders(c: Connection, game: str, division: str, limit: int) -> Sequence[Row]:
    query = _contenders(game, division).order_by(Rating.score.desc(), Rating.version_id.desc())
    return c.execute(query.limit(limit)).all()


def neighbours(c: Connection, game: str, division: str, mu: float, limit: int) -> Sequence[Row]:
    """Those with the nearest mu, up to `limit` on either side."""
    base = _contenders(game, division)
    above = base.where(Rating.mu >= mu).order_by(Rating.mu).limit(limit)
    below = base.where(Rating.mu < mu).order_by(Rating.mu.desc()).limit(limit)
    return [*c.execute(above).all(), *c.execute(below).all()]


def open_meetings(c: Connection, version_id: int, matches: int) -> dict[int, int]:
    """The number of a version's open matches with each opponent, among its latest `matches`."""
    latest = (
        sa.select(Seat.match_id)
        .where(Seat.version_id == version_id)
        .order_by(Seat.match_id.desc())
        .limit(matches)
        .subquery()
    )
    query = (
        sa.select(Seat.version_id, sa.func.count())
        .join(latest, latest.c.match_id == Seat.match_id)
        .join(Match, Match.id == latest.c.match_id)
        .where(
            Seat.version_id != version_id,
            Match.status.in_((MatchStatus.QUEUED, MatchStatus.LEASED)),
        )
        .group_by(Seat.version_id)
    )
    return {row[0]: row[1] for row in c.execute(query)}


# Rebuilding all ratings from the log.


def log_of(c: Connection, game: str) -> Iterator[tuple[int, list[tuple[int, Placing]]]]:
    """Number and (bot, placing) per seat of every rated match, in log order."""
    query = (
        sa.select(
            Result.number,
            Seat.bot_id,
            Seat.version_id,
            Seat.rank,
            Seat.at_fault,
            Seat.score,
            Seat.columns,
            (Version.kind == Kind.HOUSE).label("house"),
        )
        .join(Match, Match.id == Result.match_id)
        .join(Seat, Seat.match_id == Match.id)
        .join(Version, Version.id == Seat.version_id)
        .where(Match.game == game)
        .order_by(Result.number, Seat.seat)
        .execution_options(yield_per=10_000)
    )
    for number, rows in groupby(c.execute(query), key=itemgetter(0)):
        yield (
            number,
            [
                (
                    row.bot_id,
                    Placing(
                        version_id=row.version_id,
                        rank=row.rank or 0,
                        share=0.0 if row.at_fault else row.score or 0.0,
                        columns=row.columns,
                        at_fault=row.at_fault,
                        bot_id=row.bot_id,
                        house=row.house,
                    ),
                )
                for row in rows
            ],
        )


def unrated_ladders(c: Connection, game: str) -> dict[str, LadderSkills]:
    """The ladders of a game by division, with their versions but without skills."""
    query = sa.select(Rating.division, Rating.version_id, Rating.predecessor_id)
    found: dict[str, LadderSkills] = {}
    for division, version_id, predecessor_id in c.execute(query.where(Rating.game == game)):
        found.setdefault(division, LadderSkills()).predecessors[version_id] = predecessor_id
    return found


def clear_changes(c: Connection, game: str) -> None:
    bots = sa.select(Bot.id).where(Bot.game == game)
    c.execute(sa.delete(RatingChange).where(RatingChange.bot_id.in_(bots)))


def write_ratings(c: Connection, division: str, skills: Mapping[int, tuple[int, Skill]]) -> None:
    """Set the ratings of versions in a division to (last log number, skill)."""
    if skills:
        c.execute(
            _UPDATE,
            [
                {"v": version_id, "d": division, "last_number": number, **_columns(skill)}
                for version_id, (number, skill) in skills.items()
            ],
        )


def lock_ladder(c: Connection, game: str) -> None:
    """Lock every rating of a game, so that no match of it is rated meanwhile."""
    query = sa.select(Rating.version_id).where(Rating.game == game)
    c.execute(query.order_by(Rating.version_id, Rating.division).with_for_update()).all()


def validators(c: Connection, game: str, kind: Kind) -> Sequence[Row]:
    """Accepted versions of a kind, oldest first."""
    query = (
        sa.select(Version.id, Version.bot_id, Bot.name)
        .join(Bot, Bot.id == Version.bot_id)
        .where(Bot.game == game, Version.kind == kind, Version.status == VersionStatus.ACCEPTED)
        .order_by(Version.id)
    )
    return c.execute(query).all()
