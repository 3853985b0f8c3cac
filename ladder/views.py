"""What the ladder shows to people and programs: the bodies of the JSON API, and what pages draw.

The OpenAPI document is made from these classes, so a field is documented where it is declared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

import msgspec

from ladder.values import (
    Ending,
    EvolutionStatus,
    Fault,
    Kind,
    MatchStatus,
    Purpose,
    Role,
    TournamentStatus,
    VersionStatus,
)


@dataclass(frozen=True, slots=True)
class AccountView:
    id: int
    name: str
    role: Role
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewAccount:
    id: int
    name: str
    role: Role
    token: str
    """Shown once; only its hash is stored."""


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
    """The numbers of bots a match may have."""
    divisions: list[str]
    """Each is a ladder of its own; every bot is in `open`."""
    size_limits: list[SizeLimit]
    """What code may have to be in a division; a bot is in all whose limit it meets."""
    house_bots: list[str]


@dataclass(frozen=True, slots=True)
class RatingView:
    mu: float
    sigma: float
    score: float
    """mu - 3 sigma, what the leaderboard is sorted by."""
    rank: int | None
    """None when the version is not on the board."""
    matches: int
    wins: int
    draws: int
    losses: int


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
    """Mean score of its rated matches, in tanks the score share; null before the first."""
    columns: dict[str, float]
    """Means per rated match of what the game counts besides the score; empty for most games."""


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
    """An opponent that an evolved version was bred against."""

    name: _Word
    bot: _Word | _Count | None = None
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")] | None = None


class Lineage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an evolved version comes from, as whoever uploaded it says."""

    run: _Word | _Count
    domain: _Word
    seed: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
    guides: Annotated[list[LineageGuide], msgspec.Meta(max_length=100)]
    generation: _Count
    """The one that the champion is of."""
    generations: _Count
    population: _Count


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
    """Why it was rejected or suspended; shown to its owner and admins alone."""
    validation_match: int | None = None
    """The match that decided over it; none for house bots."""
    rating: RatingView | None = None
    """In the open division."""
    divisions: list[str] = field(default_factory=list)
    """Those that it was accepted into."""
    size: dict[str, int] | None = None
    """Sizes of its code (`statements`, `bytecode_bytes`) where the game has divisions by them."""
    open_only: str | None = None
    """Why it is in no division by code size whatever its sizes; shown to its owner and admins."""
    lineage: Lineage | None = None
    """Where an evolved version comes from, as whoever uploaded it says."""
    evolution_run: int | None = None
    """The run of evolution on this server whose champion it is."""


@dataclass(frozen=True, slots=True)
class VersionUse:
    bot: str
    bot_id: int
    game: str
    version: VersionView


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
class SeatView:
    seat: int
    bot: str
    bot_id: int
    owner: str
    version: int
    kind: Kind
    score: float | None
    rank: int | None
    at_fault: bool
    cpu_ms: float | None = None
    slowest_move_ms: float | None = None
    columns: dict[str, float] = field(default_factory=dict)
    """What the game counted besides the score."""
    mu_before: float | None = None
    sigma_before: float | None = None
    mu_after: float | None = None
    sigma_after: float | None = None


@dataclass(frozen=True, slots=True)
class MatchView:
    id: int
    game: str
    status: MatchStatus
    purpose: Purpose
    rated: bool
    seed: int
    ending: Ending | None
    explanation: str
    plies: int | None
    tournament_id: int | None
    created_at: datetime
    finished_at: datetime | None
    seats: list[SeatView]


@dataclass(frozen=True, slots=True)
class MatchPage:
    rows: list[MatchView]
    """Newest first."""
    next: str | None


@dataclass(frozen=True, slots=True)
class SeatLogView:
    seat: int
    bot: str
    complaint: str
    """One sentence on what went wrong; empty when nothing did."""
    stderr: str


@dataclass(frozen=True, slots=True)
class MatchLogs:
    match_id: int
    logs: list[SeatLogView]
    """Only of the seats that the reader owns; all for an admin."""


@dataclass(frozen=True, slots=True)
class TournamentRef:
    id: int
    status: TournamentStatus
    scheduled_for: datetime
    finished_at: datetime | None
    name: str = ""
    game: str = ""
    format: str = ""
    league_id: int | None = None
    winner: str | None = None
    """Who won it alone; null before the end, and when the first place is shared."""


@dataclass(frozen=True, slots=True)
class TournamentPage:
    rows: list[TournamentRef]
    """Newest first."""
    next: str | None


@dataclass(frozen=True, slots=True)
class Champion:
    bot: str
    bot_id: int
    owner: str
    titles: int
    latest: datetime
    """The time of the run that it won last."""


@dataclass(frozen=True, slots=True)
class LeagueView:
    id: int
    game: str
    name: str
    division: str
    cron: str
    timezone: str
    size: int
    """How many of the best bots are entered."""
    format: str
    options: dict[str, Any]
    per_owner: int | None
    """How many bots of one owner are entered at most."""
    rated: bool
    next_run: datetime | None
    runs: list[TournamentRef] = field(default_factory=list)
    """The latest runs, newest first."""
    champions: list[Champion] = field(default_factory=list)
    """Who has won runs, those with most titles first."""


@dataclass(frozen=True, slots=True)
class LeagueList:
    leagues: list[LeagueView]


@dataclass(frozen=True, slots=True)
class GameList:
    games: list[GameView]


@dataclass(frozen=True, slots=True)
class EntryView:
    seeding: int
    """Place on the board when it was entered, from 1; entries are known by it."""
    bot: str
    bot_id: int
    version: int
    owner: str
    kind: Kind
    withdrawn: bool
    """Whether it has left: what it does not play from then on, its opponents win."""


@dataclass(frozen=True, slots=True)
class Standing:
    place: int
    """Who is equal in points and in all tie-breaks shares a place."""
    seeding: int
    bot: str
    bot_id: int
    version: int
    owner: str
    points: float
    played: int
    wins: int
    draws: int
    losses: int
    byes: int
    buchholz: float
    """Sum of the points of the opponents met."""
    sonneborn_berger: float
    """Sum over opponents of their points times the share of points taken from them."""
    direct: float
    """Points from the games among those with equal points."""
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class PairingView:
    """A meeting in one round. One entrant alone has a bye; none is an empty place."""

    board: int
    entrants: list[int]
    """Seedings, in the order of the seats of the first game."""
    points: list[float]
    decided: bool
    winner: int | None
    note: str
    """How it was decided if not by points: bye, walkover, extra games, higher score, …"""
    matches: list[int]


@dataclass(frozen=True, slots=True)
class RoundView:
    number: int
    pairings: list[PairingView]


@dataclass(frozen=True, slots=True)
class Prize:
    """The best of a division in the standings."""

    division: str
    place: int
    bot: str
    bot_id: int
    owner: str


@dataclass(frozen=True, slots=True)
class CrossCell:
    """What one entry scored against another, over the matches played so far."""

    opponent_seeding: int
    points: float
    played: int


@dataclass(frozen=True, slots=True)
class CrossRow:
    seeding: int
    cells: list[CrossCell]


@dataclass(frozen=True, slots=True)
class TournamentView:
    id: int
    name: str
    league_id: int | None
    league: str | None
    game: str
    division: str
    format: str
    options: dict[str, Any]
    rated: bool
    status: TournamentStatus
    scheduled_for: datetime
    finished_at: datetime | None
    rounds_made: int
    rounds_planned: int
    matches: int
    """How many it has, as far as that is known."""
    matches_finished: int
    parked: list[int]
    """Matches that failed through our own fault and wait for an admin."""
    entries: list[EntryView]
    rounds: list[RoundView]
    """The latest rounds; all of them unless there are very many pairings."""
    standings: list[Standing]
    tie_breaks: str
    """What decides over places, in this order."""
    prizes: list[Prize]
    """The best of every division, where the game has divisions."""
    crosstable: list[CrossRow]
    """In the order of the standings; empty when there are more than 100 entries."""
    grid: list[str]
    """The whole crosstable, a character a cell, in the order of the standings: `+` won, `=` drawn,
    `-` lost, `.` not met, `#` oneself."""
    winner: str | None


@dataclass(frozen=True, slots=True)
class EvolutionRef:
    """A run of evolution, in a list."""

    id: int
    game: str
    domain: str
    """The set of rules, primitives and parameters that it breeds by."""
    status: EvolutionStatus
    seed: int
    """Fixes the run, together with its settings and guides."""
    owner: str
    bot: str
    """Name of the bot whose next version its champion is."""
    bot_id: int | None
    """Null until the champion has been entered."""
    version: int | None
    generation: int | None
    """The latest that has ended; null before the first."""
    best: float | None
    """Best fitness in that generation."""
    scheduled_for: datetime | None
    """Null when somebody started it."""
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class EvolutionPage:
    rows: list[EvolutionRef]
    """Newest first."""
    next: str | None


@dataclass(frozen=True, slots=True)
class GuideView:
    """A version that a run is bred against."""

    name: str
    bot_id: int
    version: int
    owner: str
    kind: Kind
    sha256: str


@dataclass(frozen=True, slots=True)
class GenerationView:
    generation: int
    best: float
    mean: float
    stdev: float
    worst: float
    size_mean: float
    """Nodes of an individual."""
    size_best: float
    depth_mean: float
    diversity: float | None
    games: int
    instructions: int
    """Executed by the programs of this generation."""


@dataclass(frozen=True, slots=True)
class FinalLine:
    """What the champion scored against one opponent after evolution."""

    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    share: float
    """Of the points, from 0 to 1."""
    low: float
    """Lower end of the confidence interval of the share."""
    high: float


@dataclass(frozen=True, slots=True)
class Finals:
    guides: list[FinalLine]
    holdout: list[FinalLine]
    """Opponents that fitness never saw: where it does worse here, it has overfitted."""
    judges: list[FinalLine] = field(default_factory=list)
    """Opponents that helped to choose the champion among the finalists."""


@dataclass(frozen=True, slots=True)
class ChampionView:
    sha256: str
    generation: int
    size: int
    depth: int
    fitness: float
    island: int = 0


@dataclass(frozen=True, slots=True)
class EvolutionReport:
    """What a run says of itself at its end."""

    generations: int
    stopped: str
    """What ended it: `generations`, `time` or `plateau`."""
    games: int
    seconds: float
    champion: ChampionView
    finals: Finals
    settings: dict[str, Any] = field(default_factory=dict)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    """Guides that were asked for and could not play."""
    failed_guides: list[dict[str, Any]] = field(default_factory=list)
    """Guides that broke off, and who played instead."""


@dataclass(frozen=True, slots=True)
class EvolutionView:
    run: EvolutionRef
    settings: dict[str, Any]
    """What was asked of it; all else are the domain's defaults."""
    guides: list[GuideView]
    generations: list[GenerationView]
    report: EvolutionReport | None
    sha256: str | None
    """Of the champion; its text is at `/api/v1/versions/{sha256}/program`."""
    simplified: str
    """The champion without what has no effect; empty when that is not known."""
    trouble: str
    """What went wrong at the latest attempt."""


@dataclass(frozen=True, slots=True)
class EvolutionScheduleView:
    id: int
    game: str
    bot: str
    owner: str
    league: str | None
    """Runs after each tournament of this league; null with a cron expression."""
    cron: str | None
    timezone: str
    guides: str
    settings: dict[str, Any]
    next_run: datetime | None
    """Null when it follows a league."""


@dataclass(frozen=True, slots=True)
class ChallengeView:
    """The answer to a challenge."""

    id: int
    """Of the first match."""
    status: MatchStatus
    game: str
    seed: int
    matches: list[int]


@dataclass(frozen=True, slots=True)
class FailureView:
    """An attempt to play a match that came to nothing through our own fault."""

    attempt: int
    at: datetime
    worker: str
    fault: Fault
    """Whose: the worker's (process, machine, sandbox) or the referee's (our own code)."""
    trouble: str


@dataclass(frozen=True, slots=True)
class ParkedMatch:
    """A match that failed too often through our own fault, and waits for an admin."""

    id: int
    game: str
    purpose: Purpose
    tournament_id: int | None
    seed: int
    attempts: int
    created_at: datetime
    bots: list[str]
    failures: list[FailureView]
    """Oldest first."""


@dataclass(frozen=True, slots=True)
class QuarantineView:
    """A worker that gets no more matches, because its results cannot be repeated."""

    worker: str
    since: datetime
    match_id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Troubles:
    parked: list[ParkedMatch]
    quarantines: list[QuarantineView]


@dataclass(frozen=True, slots=True)
class ActionView:
    """What somebody with all rights did by hand."""

    at: datetime
    actor: str
    action: str
    target: str
    target_id: int
    detail: str


@dataclass(frozen=True, slots=True)
class ActionList:
    actions: list[ActionView]
    """Newest first."""


@dataclass(frozen=True, slots=True)
class Health:
    status: str
    version: str
    queue: int
    """Matches waiting for a worker."""
    running: int
    sandbox: str
    """The tier in which uploaded bots run, or `none`."""
