"""Lose checkers: a side without pieces or without a move wins.

After chapter 3 of Sipper, "Evolved to Win". A good position is hard to describe by hand, so the
guides evaluate leaves at random.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from evolve.domains.chapter3 import BOOK, GUIDED, QUICK, Chapter3

# 1. Program architecture: one tree that values a position for the side to move, at the leaves of
#    an alpha-beta search of a given depth.
# 2. Terminals: Tables 3.1 to 3.3, in `engines.games.checkers.programs`.
# 3. Functions: Table 3.4, with the explicit introns NullJ and NOTG (`engines.programs.board`).
# 4. Fitness: co-play of 50 games on each side ("50Co" in Table 3.7); with guides, first 20 games
#    against each of them.
# 5. Control parameters: section 3.2.11, in `Chapter3`.
# 6. Result designation and termination: the best in 1,000 games against a searcher of the same
#    depth with random values; a fixed number of generations.


@dataclass(frozen=True, kw_only=True)
class LoseCheckers(Chapter3):
    game: ClassVar[str] = "lose-checkers"
    benchmark: str = "house:alphabeta-3"
    holdout: str = "house:random,house:alphabeta-2,house:alphabeta-4,house:alphabeta-6"


PARAMETERS = LoseCheckers

DEPTH_4: Mapping[str, Any] = {
    "depth": 4,
    "guides": "house:alphabeta-5",
    "benchmark": "house:alphabeta-5",
    "holdout": "house:alphabeta-3,house:alphabeta-4,house:alphabeta-6,house:alphabeta-8",
}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "quick": {**QUICK, "population": 80, "generations": 60, "coplay": 20, "final_games": 400},
    # Table 3.7.
    "book": BOOK,
    # Table 3.10: 20 games against alpha-beta 5, and 20 of co-play.
    "book-depth-4": {**BOOK, **DEPTH_4, "population": 50, "generations": 70, "coplay": 20},
    # Table 3.7, with a guide.
    "guided": {
        **GUIDED,
        "population": 200,
        "generations": 80,
        "guides": "house:alphabeta-3",
        "guide_rounds": 6,
        "guide_games": 40,
        "cutoff": 7.0,
        "elites": 4,
    },
    # Table 3.10, with weights only.
    "weights-depth-4": {
        **DEPTH_4,
        "varied": False,
        "coplay": 0,
        "terms": "ERC,Mobility,FriendlyManCount,FriendlyKingCount,EnemyManCount,EnemyKingCount,"
        "IsFriendlyPiece",
        "grown": 40,
        "cooling": 0.975,
        "stride": 8.0,
        "population": 500,
        "generations": 80,
        "guide_games": 6,
        "qualifying_games": 0,
        "choosing_games": 500,
    },
}
