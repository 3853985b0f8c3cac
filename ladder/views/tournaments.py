"""Tournaments, leagues and their standings."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ladder.values import Kind, TournamentStatus


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
    """The sole winner; null before the end, and when the first place is shared."""
    winner_owner: str | None = None


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
    """The number of the best bots that are entered."""
    format: str
    options: dict[str, Any]
    per_owner: int | None
    """Most bots of one owner that are entered."""
    rated: bool
    next_run: datetime | None
    """None while it is paused."""
    runs: list[TournamentRef] = field(default_factory=list)
    """The latest runs, newest first."""
    champions: list[Champion] = field(default_factory=list)
    """The winners of its runs, most titles first."""
    paused: bool = False


@dataclass(frozen=True, slots=True)
class LeagueList:
    leagues: list[LeagueView]


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
    """Whether it has left: its opponents win its games from then on."""


@dataclass(frozen=True, slots=True)
class Standing:
    place: int
    """Entries that are equal in points and all tie-breaks share a place."""
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
    """The reason of the decision if not points: bye, walkover, extra games, higher score, …"""
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
    """The score of one entry against another, over the matches so far."""

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
    """Rounds that have been paired; a round robin is paired as a whole when it begins."""
    rounds_planned: int
    """The number of rounds, as far as it is known."""
    matches: int
    matches_finished: int
    parked: list[int]
    """Matches that failed through our own fault and wait for an admin."""
    entries: list[EntryView]
    rounds: list[RoundView]
    """The latest rounds; all of them unless there are very many pairings."""
    standings: list[Standing]
    tie_breaks: str
    """The criteria for places, in this order."""
    prizes: list[Prize]
    """The best of every division, where the game has divisions."""
    crosstable: list[CrossRow]
    """In the order of the standings; empty when there are more than 100 entries."""
    grid: list[str]
    """The whole crosstable, a character a cell, in the order of the standings: `+` won, `=` drawn,
    `-` lost, `.` not met, `#` oneself."""
    winner: str | None
    winner_owner: str | None = None
    champion: int | None = None
    """Seeding of the bot that runs the gauntlet; null in other formats."""
    current_round: int = 0
    """The first round with matches to play, and at the end the last one."""
