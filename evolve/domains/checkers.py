"""American checkers.

After chapter 3 of Sipper, "Evolved to Win"; its programs know nothing specific to lose checkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from evolve.domains.chapter3 import BOOK, QUICK, Chapter3

# 1. Program architecture: one tree that values a position for the side to move, at the leaves of
#    an alpha-beta search of a given depth.
# 2. Terminals: Tables 3.1 to 3.3, in `engines.games.checkers.programs`.
# 3. Functions: Table 3.4, with the explicit introns NullJ and NOTG (`engines.programs.board`).
# 4. Fitness: co-play of 50 games on each side; with guides, first 20 games against each of them.
# 5. Control parameters: section 3.2.11, in `Chapter3`.
# 6. Result designation and termination: the best in 1,000 games against a searcher of the same
#    depth that counts pieces; a fixed number of generations.


@dataclass(frozen=True, kw_only=True)
class Checkers(Chapter3):
    game: ClassVar[str] = "checkers"
    benchmark: str = "house:alphabeta-3"
    holdout: str = "house:random,house:greedy,house:alphabeta-2,house:alphabeta-5"


PARAMETERS = Checkers

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "quick": {**QUICK, "population": 80, "generations": 60, "coplay": 20},
    "book": BOOK,
}
