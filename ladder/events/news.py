"""The events for readers of live pages, and their topics.

An event is noted in the transaction that causes it. Its topics say what it is about, such as
`game:reversi` or `bot:12`; a page follows the topics that it shows something of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from ladder.scoring.skill import Skill
from ladder.store import Connection, events
from ladder.store.database import Row
from ladder.values import EvolutionStatus, MatchReport, Purpose, TournamentStatus, VersionStatus

MATCHES, TOURNAMENTS, EVOLUTION = "matches", "tournaments", "evolution"
"""Topics of all events of a kind."""


@dataclass(frozen=True, slots=True)
class SeatNews:
    bot: str
    bot_id: int
    score: float
    rank: int
    at_fault: bool
    before: float | None
    """Its open score (mu - 3 sigma) before and after; none if it was not rated."""
    after: float | None
    owner: str = ""


@dataclass(frozen=True, slots=True)
class MatchNews:
    """A match is over."""

    id: int
    game: str
    purpose: Purpose
    explanation: str
    tournament_id: int | None
    seats: list[SeatNews]
    kind: Literal["match"] = "match"


@dataclass(frozen=True, slots=True)
class VersionNews:
    """A version was uploaded, is being validated, or was accepted or rejected."""

    bot: str
    bot_id: int
    game: str
    version: int
    status: VersionStatus
    playing: bool = False
    """Whether its validation match has begun."""
    kind: Literal["version"] = "version"


@dataclass(frozen=True, slots=True)
class TournamentNews:
    """A tournament was created, began, was paused or is over."""

    id: int
    game: str
    league_id: int | None
    status: TournamentStatus
    kind: Literal["tournament"] = "tournament"


@dataclass(frozen=True, slots=True)
class EvolutionNews:
    """A run of evolution has moved on."""

    id: int
    status: EvolutionStatus
    generation: int | None = None
    """The newest one, if one has ended."""
    kind: Literal["evolution"] = "evolution"


@dataclass(frozen=True, slots=True)
class Reload:
    """The reader missed more events than are kept: its page may be out of date."""

    kind: Literal["reload"] = "reload"


KINDS = (MatchNews, VersionNews, TournamentNews, EvolutionNews, Reload)
"""All kinds of events."""


def _note(c: Connection, topics: Sequence[str], data: Any) -> None:
    events.note(c, topics, msgspec.json.encode(data).decode())


def match_over(
    c: Connection,
    match: Row,
    report: MatchReport,
    seats: Sequence[Row],
    skills: Mapping[int, tuple[Skill, Skill]],
) -> None:
    """`skills`: before and after of the versions that were rated, on the open ladder."""
    verdict, ranks = report.verdict, report.verdict.ranks
    told = []
    for seat in seats:
        before, after = skills.get(seat.version_id, (None, None))
        told.append(
            SeatNews(
                bot=seat.bot,
                bot_id=seat.bot_id,
                score=round(verdict.scores[seat.seat], 3),
                rank=ranks[seat.seat],
                at_fault=seat.seat in verdict.at_fault,
                before=None if before is None else round(before.score, 3),
                after=None if after is None else round(after.score, 3),
                owner=seat.owner,
            )
        )
    topics = [MATCHES, f"game:{match.game}", f"match:{match.id}"]
    topics += sorted({f"bot:{seat.bot_id}" for seat in seats})
    if match.tournament_id is not None:
        topics.append(f"tournament:{match.tournament_id}")
    news = MatchNews(
        match.id, match.game, match.purpose, report.explanation, match.tournament_id, told
    )
    _note(c, topics, news)


def version_moved(
    c: Connection,
    version: Row,
    status: VersionStatus,
    playing: bool = False,
) -> None:
    """`version`: with the name, the game and the owner of its bot."""
    topics = [f"bot:{version.bot_id}", f"version:{version.id}", f"owner:{version.owner_id}"]
    if status is not VersionStatus.VALIDATING:
        topics.append(f"game:{version.game}")  # its boards change
    if version.validation_match_id is not None:
        topics.append(f"match:{version.validation_match_id}")
    _note(
        c,
        topics,
        VersionNews(version.name, version.bot_id, version.game, version.number, status, playing),
    )


def tournament_moved(c: Connection, tournament: Row, status: TournamentStatus) -> None:
    topics = [TOURNAMENTS, f"tournament:{tournament.id}", f"game:{tournament.game}"]
    if tournament.league_id is not None:
        topics.append(f"league:{tournament.league_id}")
    news = TournamentNews(tournament.id, tournament.game, tournament.league_id, status)
    _note(c, topics, news)


def run_moved(
    c: Connection, run_id: int, status: EvolutionStatus, generation: int | None = None
) -> None:
    _note(c, [EVOLUTION, f"evolution:{run_id}"], EvolutionNews(run_id, status, generation))
