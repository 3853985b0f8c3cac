"""The tables. Facts (versions, matches, results) never change once decided; ratings are a pure
function of the log of results. Statements live in `ladder.store`, not here.
"""

from ladder.models.base import Base, Id, UTCDateTime, one_of
from ladder.models.bots import Account, Blob, BoardDay, Bot, Invite, Rating, Token, Version
from ladder.models.events import LiveEvent
from ladder.models.evolution import (
    EvolutionGeneration,
    EvolutionGuide,
    EvolutionRun,
    EvolutionSchedule,
)
from ladder.models.matches import (
    Challenge,
    Encounter,
    Failure,
    Match,
    Quarantine,
    RatingChange,
    ReplayPack,
    Result,
    Seat,
    SeatLog,
)
from ladder.models.tournaments import AdminAction, Entry, League, Pairing, Tournament

__all__ = [
    "Account",
    "AdminAction",
    "Base",
    "Blob",
    "BoardDay",
    "Bot",
    "Challenge",
    "Encounter",
    "Entry",
    "EvolutionGeneration",
    "EvolutionGuide",
    "EvolutionRun",
    "EvolutionSchedule",
    "Failure",
    "Id",
    "Invite",
    "League",
    "LiveEvent",
    "Match",
    "Pairing",
    "Quarantine",
    "Rating",
    "RatingChange",
    "ReplayPack",
    "Result",
    "Seat",
    "SeatLog",
    "Token",
    "Tournament",
    "UTCDateTime",
    "Version",
    "one_of",
]
