"""Games, their leaderboards, bots, versions and ratings."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from ladder.values import Kind, MatchStatus, VersionStatus


@dataclass(frozen=True, slots=True)
class SizeLimit:
    division: str
    measure: str
    """`statements` or `bytecode_bytes`."""
    most: int


@dataclass(frozen=True, slots=True)
class GameView:
    name: str
    title: str
    seats: list[int]
    """The possible numbers of bots in a match."""
    divisions: list[str]
    """Each is a ladder of its own; every bot is in `open`."""
    size_limits: list[SizeLimit]
    """The limit of a division by code size; a bot is in all whose limit it meets."""
    house_bots: list[str]
    column_titles: dict[str, str] = field(default_factory=dict)
    """Headings for the `columns` of its leaderboard, by name."""
    ladder_seats: int = 2
    """The number of bots in a match of the ladder."""
    headline: str = "wins"
    """The result that sums up a bot beside its rating: `wins` (won, drawn, lost), or `aps` where
    scores are shares of points."""


@dataclass(frozen=True, slots=True)
class RatingView:
    mu: float
    sigma: float
    score: float
    """mu - 3 sigma, by which the leaderboard is sorted."""
    rank: int | None
    """None when the version is not on the board."""
    matches: int
    wins: int
    draws: int
    losses: int
    """With more than two seats every place but the first; `places` says more."""
    aps: float | None = None
    """Mean over the house bots of its average score against each; null if it has met none."""
    aps_opponents: int = 0
    """The number of house bots in that mean."""
    mean_place: float | None = None
    """In matches of more than two seats; null in other games."""
    places: list[int] = field(default_factory=list)
    """How often it took each place, the first place first; empty in games of two seats."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    rank: int
    bot: str
    bot_id: int
    version: int
    owner: str
    kind: Kind
    mu: float
    sigma: float
    score: float
    matches: int
    wins: int
    draws: int
    losses: int
    average_score: float | None
    """Mean score of its rated matches against all opponents; null before the first."""
    columns: dict[str, float]
    """Means per rated match of other values that the game counts; empty for most games."""
    aps: float | None = None
    """Mean over the house bots of its average score against each; null if it has met none."""
    aps_opponents: int = 0
    """The number of house bots in that mean."""
    mean_place: float | None = None
    """In matches of more than two seats; null in other games."""
    places: list[int] = field(default_factory=list)
    """How often it took each place, the first place first; empty in games of two seats."""


@dataclass(frozen=True, slots=True)
class BoardPage:
    game: str
    division: str
    rows: list[BoardRow]
    next: str | None
    """Pass as `after` for the rows that follow; null on the last page."""


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]

_Word = Annotated[str, msgspec.Meta(max_length=300)]


class LineageGuide(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An opponent that an evolved version was bred against, or a program that it descends from."""

    name: _Word
    bot: _Word | _Count | None = None
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")] | None = None


class Lineage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The origin of an evolved version, as its uploader claims.

    Empty fields of later releases are left out, because earlier releases read these rows.
    """

    run: _Word | _Count
    domain: _Word
    seed: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
    guides: Annotated[list[LineageGuide], msgspec.Meta(max_length=100)]
    generation: _Count
    """The generation of the champion."""
    generations: _Count
    population: _Count
    founders: Annotated[list[LineageGuide], msgspec.Meta(max_length=100)] = []
    """The programs that the first generation began with."""


@dataclass(frozen=True, slots=True)
class VersionView:
    number: int
    sha256: str
    kind: Kind
    size_bytes: int
    status: VersionStatus
    created_at: datetime
    decided_at: datetime | None
    reason: str | None = None
    """Reason of its rejection or suspension; only for its owner and admins, unless it retired."""
    validation_match: int | None = None
    """Its validation match; none for house bots."""
    rating: RatingView | None = None
    """In the open division."""
    divisions: list[str] = field(default_factory=list)
    """The divisions that it was accepted into."""
    size: dict[str, int] | None = None
    """Sizes of its code (`statements`, `bytecode_bytes`) where the game has divisions by them."""
    open_only: str | None = None
    """The reason why it is in no division by code size; shown to its owner and admins."""
    lineage: Lineage | None = None
    """The origin of an evolved version, as its uploader claims."""
    evolution_run: int | None = None
    """The run of evolution on this server whose champion it is."""
    retired: bool = False
    """Whether its owner has retired it."""


class CheckState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of a bot's source around the one that failed."""

    file: str
    """Its name in an archive; empty for a program."""
    line: int
    column: int | None
    """The column in the line, from 1, if it is known."""
    lines: list[ExcerptLine]


@dataclass(frozen=True, slots=True)
class ValidationView:
    """The progress of the validation of a version."""

    bot: str
    bot_id: int
    game: str
    owner: str
    owner_id: int
    version: VersionView
    version_id: int
    """The id of the version among those of all bots; live events use it."""
    match_id: int | None
    """The validation match; none for house bots."""
    match_status: MatchStatus | None
    before: int
    """Matches that are played first, while it waits."""
    opponents: list[str]
    loads: CheckState
    """Whether it could be loaded."""
    plays: CheckState
    """Whether it played a whole match by the rules and within its limits."""
    excerpt: Excerpt | None
    """The lines where it failed; for its owner and admins only."""
    stderr: str
    """The stderr of a rejected version in its match; for its owner and admins only."""
    owner_banned: bool = False
    """Whether its owner is banned: it plays no more."""


@dataclass(frozen=True, slots=True)
class VersionUse:
    bot: str
    bot_id: int
    game: str
    version: VersionView
    owner: str = ""


@dataclass(frozen=True, slots=True)
class VersionList:
    versions: list[VersionUse]


@dataclass(frozen=True, slots=True)
class SubmittedVersion:
    number: int
    sha256: str
    status: VersionStatus


@dataclass(frozen=True, slots=True)
class Submission:
    """The answer to an upload."""

    id: int
    name: str
    game: str
    version: SubmittedVersion
    unchanged: bool = False
    """Whether the file is that of the version that plays or is being validated, which stays; there
    is no new version then."""


@dataclass(frozen=True, slots=True)
class BotView:
    id: int
    name: str
    game: str
    owner: str
    owner_id: int
    kind: Kind
    created_at: datetime
    current_version: int | None
    """Number of the newest accepted version."""
    versions: list[VersionView]
    """Newest first."""
    rating: RatingView | None
    """Of the current version in the open division."""
    divisions: dict[str, RatingView] = field(default_factory=dict)
    """Ratings of the current version in all its divisions."""
    owner_banned: bool = False
    """Whether its owner is banned: it is on no board and plays no more."""


@dataclass(frozen=True, slots=True)
class BotRef:
    id: int
    name: str
    game: str
    kind: Kind
    status: VersionStatus
    """Of its newest version."""


@dataclass(frozen=True, slots=True)
class RatingPoint:
    number: int
    """Place of the match in the log of rated matches."""
    match_id: int
    version: int
    mu: float
    sigma: float
    score: float


@dataclass(frozen=True, slots=True)
class HistoryPage:
    rows: list[RatingPoint]
    """Newest first."""
    next: str | None


@dataclass(frozen=True, slots=True)
class GameList:
    games: list[GameView]
