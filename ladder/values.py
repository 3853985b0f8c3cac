"""Plain values that every layer of the ladder may use. No I/O, no SQL, no HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

MAX_LINE_BYTES = 64 * 1024
"""Longest line that either side may write on the wire."""

STDERR_KEPT_BYTES = 64 * 1024
"""Last bytes of a bot's stderr that are kept for its owner."""

OPEN_DIVISION = "open"
"""The division that every bot belongs to."""


HOUSE = "house"
"""The account that owns the house bots; nobody holds a token for it."""


def full_name(owner: str, bot: str) -> str:
    """The name of a bot with that of its owner, since names are unique per owner; house bots have
    plain names.
    """
    return bot if owner == HOUSE else f"{owner}/{bot}"


def distinct_names(bots: Sequence[tuple[str, str]]) -> list[str]:
    """Names for bots (owner and name) that are told apart among themselves: full names where bots
    of several owners have the same one.
    """
    owners: dict[str, set[str]] = {}
    for owner, bot in bots:
        owners.setdefault(bot, set()).add(owner)
    return [full_name(owner, bot) if len(owners[bot]) > 1 else bot for owner, bot in bots]


class Role(StrEnum):
    MEMBER = "member"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of an account. Settings apply to all accounts; admins may change single ones."""

    uploads_per_hour: int = 60
    uploads_per_day: int = 500
    bots: int = 200
    """Over all games."""
    stored_mb: int = 500
    """Of uploads, all versions together."""
    challenges_per_day: int = 100
    uploads_waiting: int = 20
    """Uploads whose validation has not begun."""


@dataclass(frozen=True, slots=True)
class Retention:
    """The limits of kept replays and logs; 0: no limit."""

    days: int = 0
    megabytes: int = 0
    """When all replays take more, the oldest go early; those of tournaments do not."""
    tournament_days: int = 0
    house_megabytes: int = 0
    """Of matches between house bots alone."""
    percent: int = 0
    """Of the space on the disk that is free or taken by replays. When all replays take more, the
    oldest go early: first those between house bots, last those of tournaments."""

    @property
    def keeps_all(self) -> bool:
        return self == Retention()


class Interest(StrEnum):
    """The reason for which a replay is kept, the weakest first."""

    HOUSE = "house"
    """A match of house bots alone, which can be played again at any time."""
    LADDER = "ladder"
    TOURNAMENT = "tournament"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a replay in a pack."""

    pack_id: int
    offset: int
    bytes: int
    """Of the document, without its header."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack to which replays were appended."""

    id: int
    interest: Interest
    bytes: int
    """Its size with them."""
    replays: int
    """The number of those that were appended."""


@dataclass(frozen=True, slots=True)
class LogQuota:
    """The number of kept logs of matches, newest first; each has at most `STDERR_KEPT_BYTES`."""

    per_bot: int = 200
    per_account: int = 2_000


@dataclass(frozen=True, slots=True)
class BoardFilter:
    """Which rows of a leaderboard are shown; all of them if nothing is set."""

    kind: Kind | None = None
    name: str = ""
    """A part of the bot's name; empty: any name."""

    def __bool__(self) -> bool:
        return self.kind is not None or bool(self.name)


class TokenUse(StrEnum):
    API = "api"
    SESSION = "session"
    """Set as a cookie when a browser signs in; expires."""


class Kind(StrEnum):
    """The ways to run a version."""

    HOUSE = "house"
    PYTHON = "python"
    PROGRAM = "program"
    """Trees that the game's own interpreter runs: data, not code."""
    WASM = "wasm"
    """A WebAssembly module that speaks the protocol."""
    NATIVE = "native"
    """A Linux program that speaks the protocol."""

    @property
    def sandboxed(self) -> bool:
        """Whether it is uploaded code, which runs only in a sandbox."""
        return self in (Kind.PYTHON, Kind.WASM, Kind.NATIVE)

    def runs_in(self, tier: str | None) -> bool:
        """Whether a server with this sandbox tier runs it; None: it has no sandbox."""
        if tier == "C":
            return self not in (Kind.PYTHON, Kind.NATIVE)
        return tier is not None or not self.sandboxed


class VersionStatus(StrEnum):
    VALIDATING = "validating"
    """Waiting for, or playing, its validation match."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    """Failed its validation match; `reason` says how."""
    SUSPENDED = "suspended"
    """Accepted once, then at fault too often in a row."""


VERSION_TRANSITIONS: Mapping[VersionStatus, frozenset[VersionStatus]] = {
    VersionStatus.VALIDATING: frozenset({VersionStatus.ACCEPTED, VersionStatus.REJECTED}),
    VersionStatus.ACCEPTED: frozenset({VersionStatus.SUSPENDED}),
    VersionStatus.REJECTED: frozenset(),
    VersionStatus.SUSPENDED: frozenset(),
}


class MatchStatus(StrEnum):
    QUEUED = "queued"
    LEASED = "leased"
    """A worker with a lease plays it."""
    FINISHED = "finished"
    PARKED = "parked"
    """Failed repeatedly through our fault; waits for an admin and rates nobody."""

    CANCELLED = "cancelled"
    """Removed from the queue unplayed: a bot of it was suspended, or an admin dropped it."""


MATCH_TRANSITIONS: Mapping[MatchStatus, frozenset[MatchStatus]] = {
    MatchStatus.QUEUED: frozenset({MatchStatus.LEASED, MatchStatus.CANCELLED}),
    MatchStatus.LEASED: frozenset({MatchStatus.QUEUED, MatchStatus.FINISHED, MatchStatus.PARKED}),
    MatchStatus.FINISHED: frozenset(),
    MatchStatus.PARKED: frozenset({MatchStatus.QUEUED, MatchStatus.CANCELLED}),
    MatchStatus.CANCELLED: frozenset(),
}
"""The steps of a match; the store makes no other (`ladder.store.match_moves`)."""


class Purpose(StrEnum):
    """The reasons to play a match; earlier ones are leased first."""

    VALIDATION = "validation"
    PLACEMENT = "placement"
    """The first matches of a newcomer on the ladder: they are few, and tournaments may be long."""
    TOURNAMENT = "tournament"
    """Of a tournament that an admin created and that people wait for."""
    LEAGUE = "league"
    CHALLENGE = "challenge"
    """Asked for by an author, and never rated."""
    LADDER = "ladder"


NEWCOMERS = (Purpose.VALIDATION, Purpose.PLACEMENT)
"""Matches for which authors wait after an upload: see `ladder.matches.leasing`."""


class TournamentStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class EvolutionStatus(StrEnum):
    QUEUED = "queued"
    """Waiting for a server to run it, or to go on with it."""
    RUNNING = "running"
    """Leased by the server whose child process breeds."""
    FINISHED = "finished"
    """Its champion has been entered."""
    FAILED = "failed"
    """Given up; `trouble` says why."""
    CANCELLED = "cancelled"
    """Stopped by an admin."""


EVOLUTION_TRANSITIONS: Mapping[EvolutionStatus, frozenset[EvolutionStatus]] = {
    EvolutionStatus.QUEUED: frozenset({EvolutionStatus.RUNNING, EvolutionStatus.CANCELLED}),
    EvolutionStatus.RUNNING: frozenset(
        {
            EvolutionStatus.QUEUED,
            EvolutionStatus.FINISHED,
            EvolutionStatus.FAILED,
            EvolutionStatus.CANCELLED,
        }
    ),
    EvolutionStatus.FINISHED: frozenset(),
    EvolutionStatus.FAILED: frozenset(),
    EvolutionStatus.CANCELLED: frozenset(),
}
"""The steps of a run of evolution; the store makes no other."""


TOURNAMENT_TRANSITIONS: Mapping[TournamentStatus, frozenset[TournamentStatus]] = {
    TournamentStatus.PENDING: frozenset({TournamentStatus.RUNNING, TournamentStatus.CANCELLED}),
    TournamentStatus.RUNNING: frozenset(
        {TournamentStatus.PAUSED, TournamentStatus.FINISHED, TournamentStatus.CANCELLED}
    ),
    TournamentStatus.PAUSED: frozenset({TournamentStatus.RUNNING, TournamentStatus.CANCELLED}),
    # An admin may have a match or a round of a finished one played again.
    TournamentStatus.FINISHED: frozenset({TournamentStatus.RUNNING}),
    TournamentStatus.CANCELLED: frozenset(),
}


class Fault(StrEnum):
    """The causes of failed attempts to play a match.

    A bot's fault is an `Ending` and counts; these are ours, and the match is played again.
    """

    WORKER = "worker"
    """A process or machine died or stopped answering, or could not set up the sandbox."""
    REFEREE = "referee"
    """The code that plays the match, its rules or a house bot failed."""


class Ending(StrEnum):
    """The endings of matches. All but the first are faults of the seats in `Verdict.at_fault`."""

    COMPLETED = "completed"
    """The rules of the game ended it."""
    START_FAILED = "start-failed"
    """The bot could not be loaded: it does not parse, has no agent, or raised while loading."""
    ILLEGAL_MOVE = "illegal-move"
    BAD_REPLY = "bad-reply"
    """The reply was not one JSON line of the protocol."""
    OUTPUT_FLOOD = "output-flood"
    """The reply was longer than the wire allows, or the bot wrote while it was loaded."""
    MOVE_TIMEOUT = "move-timeout"
    MATCH_TIMEOUT = "match-timeout"
    CRASHED = "crashed"
    """The agent raised, or the process exited or was killed by a signal."""
    OUT_OF_MEMORY = "out-of-memory"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one seat. Clocks count the bot's own CPU time."""

    move_ms: int = 1_000
    match_ms: int = 60_000
    memory_mb: int = 256
    start_ms: int = 5_000
    """CPU time to load the bot, before its clocks run."""
    wall_factor: float = 3.0
    """A move may take this many times `move_ms` of wall time, plus a second: machines are busy."""

    @property
    def idle_ms(self) -> int:
        """Wall time in which a bot may be asked, and not work, in a whole match: 15 s by default.

        It covers the wall time of one slow move and a twentieth of the CPU time of a match, each
        times `wall_factor`, and three seconds, as loading, starting and a move have one each.
        Honest bots need milliseconds, while they read modules from the disk; time in which they
        wait for a processor does not count. So a bot that sleeps delays a match by less than one
        that uses up its CPU time.
        """
        return round((self.move_ms + self.match_ms / 20) * self.wall_factor) + 3_000


@dataclass(frozen=True, slots=True)
class Entrant:
    """The bot in one seat: a house bot by name, or uploaded code."""

    name: str
    kind: Kind
    sha256: str
    code: bytes | None = field(default=None, repr=False)
    """The upload (a `.py`, `.zip`, `.wasm` or `.lisp` file); None for a house bot."""


@dataclass(frozen=True, slots=True)
class MatchJob:
    """Everything that determines a match: deterministic bots repeat their moves when it is played
    again.
    """

    match_id: int
    attempt: int
    """The number of its leases; a report for an earlier lease is not recorded."""
    game: str
    seed: int
    entrants: tuple[Entrant, ...]
    limits: Limits = Limits()
    options: dict[str, Any] = field(default_factory=dict)
    measured: tuple[int, ...] = ()
    """The seats whose code size is wanted: the newcomer's, where the game has divisions by it."""
    purpose: Purpose = Purpose.LADDER
    waited_s: float = 0.0
    """Seconds that it waited in the queue, if this is its first attempt."""
    account_id: int | None = None
    """The account of the newcomer that it is played for; none for other purposes."""
    reserved: bool = False
    """Whether it is played in a slot that is reserved for newcomers."""


@dataclass(frozen=True, slots=True)
class CodeSize:
    """The size of a version's code, by every measure that divisions use."""

    measures: dict[str, int] = field(default_factory=dict)
    """Empty when it could not be measured."""
    open_only: str = ""
    """The reason why it is in the open division only, in one sentence for its author; or empty."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a match: a score per seat (more is better), how it ended, and whose fault."""

    scores: tuple[float, ...]
    ending: Ending
    at_fault: tuple[int, ...] = ()

    @property
    def ranks(self) -> tuple[int, ...]:
        """Rank per seat from 1; equal scores tie."""
        best_first = sorted(self.scores, reverse=True)
        return tuple([1 + best_first.index(score) for score in self.scores])


@dataclass(frozen=True, slots=True)
class SeatReport:
    """The result of one seat, for its owner."""

    cpu_ms: float
    slowest_move_ms: float
    moves: int
    complaint: str = ""
    """One sentence for the author about the fault; empty without a fault."""
    stderr: str = ""
    columns: dict[str, float] = field(default_factory=dict)
    """Other values that the game counts, such as damage dealt; most games count none."""
    size: CodeSize | None = None
    """Of its code, where the job asked for it."""


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The answer of a worker to a job."""

    match_id: int
    verdict: Verdict
    explanation: str
    """The verdict in one sentence, such as `Black has more discs, 40 to 24`."""
    seats: tuple[SeatReport, ...]
    plies: int
    replay: bytes = field(repr=False)
    """The replay document, compressed."""
    rules: str = ""
    """Fingerprint of the rules that it was played by; empty where that is not known."""
