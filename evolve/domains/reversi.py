"""Reversi.

After section 3.3.5 of Sipper, "Evolved to Win".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from evolve.domains.chapter3 import BOOK, GUIDED, QUICK, Chapter3

# 1. Program architecture: one tree that values a position for the side to move, at the leaves of
#    an alpha-beta search of a given depth.
# 2. Terminals: Tables 3.1 to 3.3, in `engines.games.reversi`.
# 3. Functions: Table 3.4, with the explicit introns NullJ and NOTG (`engines.programs.board`).
# 4. Fitness: co-play of 40 games on each side ("40Co" in Table 3.12); with guides, first 20 games
#    against each of them.
# 5. Control parameters: section 3.2.11, in `Chapter3`.
# 6. Result designation and termination: the best in 1,000 games against searchers of depths 5 and 7
#    that count discs; a fixed number of generations.


@dataclass(frozen=True, kw_only=True)
class ReversiDomain(Chapter3):
    game: ClassVar[str] = "reversi"
    depth: int = 4
    coplay: int = 40
    benchmark: str = "house:alphabeta-5,house:alphabeta-7"
    holdout: str = "house:random,house:greedy,house:alphabeta-3,house:expert-3"


PARAMETERS = ReversiDomain

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "quick": {
        **QUICK,
        "mutation": 0.4,
        "local_ratio": 0.3,
        "constant_ratio": 0.5,
        "benchmark": "house:alphabeta-3",
        "holdout": "house:random,house:greedy,house:alphabeta-2,house:alphabeta-5",
        "final_games": 400,
    },
    # Table 3.12.
    "book": BOOK,
    # The same table, with section 3.3.3. With random openings, co-play distinguishes small steps.
    "expanded": {
        "depth": 2,
        "population": 300,
        "generations": 120,
        "coplay": 20,
        "crossover": 0.5,
        "mutation": 0.5,
        "local_ratio": 0.3,
        "constant_ratio": 0.3,
        "tournament": 3,
        "elites": 2,
        "finalists": 20,
        "qualifying_games": 0,
        "choosing_games": 40,
        "final_depth": 4,
        "final_varied": False,
    },
    # The same table, with guides. Games against each guide hardly differ, so few are enough.
    "guided": {
        **GUIDED,
        "population": 200,
        "generations": 60,
        "first_depth": 7,
        "guides": "house:alphabeta-5,house:alphabeta-7",
        "guide_rounds": 4,
        "guide_games": 2,
        "cutoff": 1.5,
        "same_games": True,
        "qualifying_games": 20,
        "choosing_games": 100,
    },
}
