"""Results of bots against each other: head to head, the table of the best, latest results."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.values import Ending, Kind
from ladder.views.matches import MatchView


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of one bot against another."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float | None:
        """Share of the points, a draw being half of one; None before the first game."""
        return (self.wins + self.draws / 2) / self.games if self.games else None


@dataclass(frozen=True, slots=True)
class RivalView:
    """A bot and the rating of its current version."""

    bot_id: int
    bot: str
    owner: str
    kind: Kind
    version: int | None
    """Its current version; null when none is accepted."""
    mu: float | None
    sigma: float | None


@dataclass(frozen=True, slots=True)
class VersionTally:
    version: int
    opponent_version: int
    tally: Tally


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """All rated matches of two bots, as the first one sees them."""

    game: str
    bot: RivalView
    opponent: RivalView
    total: Tally
    before: Tally
    """The matches in which it sat before the other, in games of two: moved first."""
    after: Tally
    expected: float | None
    """Expected share of the points by the current ratings; null while one of them is unrated."""
    mean_plies: float | None
    versions: list[VersionTally]
    """By the versions that played, the newest first; the latest hundred of them."""
    rows: list[MatchView]
    """The matches of both, rated or not, newest first."""
    next: str | None


@dataclass(frozen=True, slots=True)
class MatrixRow:
    rank: int
    bot_id: int
    bot: str
    version: int
    mu: float
    sigma: float
    score: float
    nash_weight: float
    """Its weight in the mixture that no bot beats."""
    nash_score: float
    """Share of the points it takes from that mixture; at most one half."""
    cells: list[Tally]
    """Its results against each of the rows, in their order."""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class CycleView:
    """Each of the three beats the next one, and the last the first."""

    bots: list[int]
    """Places in `rows`, from 0."""
    strength: float
    """The least of the three shares of the points; ratings count as two games of each pair."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The results of the best bots of a game against each other, with their current versions."""

    game: str
    division: str
    rows: list[MatrixRow]
    """Best first."""
    cycles: list[CycleView]
    """The clearest first."""
    cyclic: int
    """The number of triples in a cycle, among those that have all met."""
    triples: int


@dataclass(frozen=True, slots=True)
class OpponentLine:
    """Latest results against one opponent."""

    bot_id: int
    bot: str
    tally: Tally
    share: float
    expected: float
    """The mean expectation by the ratings just before each match."""
    latest_match: int
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Surprise:
    """A win or a loss that the ratings did not predict."""

    match_id: int
    bot_id: int
    bot: str
    expected: float
    """Share of the points that was expected."""
    opponent_mu: float
    ending: Ending
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """Matches whose slowest move took less than `below_ms`, and no less than the bar before."""

    below_ms: float | None
    """Null for the last bar, which is open."""
    matches: int


@dataclass(frozen=True, slots=True)
class Career:
    """The latest rated matches of a bot in a division, all versions together."""

    matches: int
    opponents: list[OpponentLine]
    """Most games first."""
    best_wins: list[Surprise]
    worst_losses: list[Surprise]
    faults: dict[Ending, int]
    move_times: list[Bar]
    """The slowest move of each match; empty for house bots, whose time is not measured."""
