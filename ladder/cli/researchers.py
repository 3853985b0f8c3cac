"""Commands of who studies players: bench."""

from __future__ import annotations

import argparse
from typing import Any

from engines import search_table
from ladder.errors import Refusal

MOST_DEPTH = 10


def add_commands(commands: Any) -> None:
    bench = commands.add_parser("bench", help="measure the engines")
    subjects = bench.add_subparsers(metavar="SUBJECT", required=True)
    search = subjects.add_parser("search", help="what each improvement of the search saves")
    search.add_argument(
        "--depths", type=int, nargs="+", default=list(search_table.DEPTHS), metavar="N"
    )
    search.set_defaults(run=_bench_search)


def _bench_search(flags: argparse.Namespace) -> None:
    if not all(1 <= depth <= MOST_DEPTH for depth in flags.depths):
        raise Refusal(f"minimax takes for ever beyond {MOST_DEPTH} plies: choose 1 to {MOST_DEPTH}")
    print(search_table.render(list(search_table.measure(flags.depths))))
