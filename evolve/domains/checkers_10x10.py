"""American checkers on a board of 10 x 10.

After section 3.3.5 of Sipper, "Evolved to Win".
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
# 4. Fitness: co-play of 50 games on each side ("50Co" in Table 3.11); with guides, first 20 games
#    against each of them.
# 5. Control parameters: section 3.2.11, in `Chapter3`.
# 6. Result designation and termination: the best in 1,000 games against a searcher of depth 3 that
#    counts pieces; a fixed number of generations.


@dataclass(frozen=True, kw_only=True)
class LargeCheckers(Chapter3):
    game: ClassVar[str] = "checkers-10x10"
    benchmark: str = "house:alphabeta-3"
    holdout: str = "house:random,house:greedy,house:alphabeta-2,house:alphabeta-5"


PARAMETERS = LargeCheckers

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "quick": QUICK,
    # Runs 84 and 85 of Table 3.11, and runs 92 to 95.
    "book": BOOK,
    "book-depth-2": {**BOOK, "depth": 2, "coplay": 25},
    # The same table, with a guide.
    "guided": {
        **GUIDED,
        "population": 200,
        "generations": 40,
        "guides": "house:alphabeta-3",
    },
}
