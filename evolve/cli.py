"""The arguments of the `evolve` command.

`evolve.commands` carries the commands out. It is imported when one of them runs, since the compiled
games take most of a second to load and `evolve --help` does not need them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from evolve import domains


def main(argv: Sequence[str] | None = None) -> int:
    flags = _parser().parse_args(argv)
    from evolve import commands

    return commands.carry_out(flags)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="evolve", description="Breeds programs that play games against each other and guides."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    run = commands.add_parser("run", help="evolve a champion")
    run.add_argument("domain", metavar="DOMAIN", help=f"one of {', '.join(domains.NAMES)}")
    run.add_argument("--preset", help="a named set of parameters; `quick` takes a few minutes")
    run.add_argument("--guides", help="comma-separated: house:NAME, file:PATH, ladder:N")
    run.add_argument(
        "--founders", help="comma-separated files of programs, or folders of runs, to begin with"
    )
    run.add_argument("--generations", type=int)
    run.add_argument("--population", type=int, help="of each island")
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--workers", type=int, help="threads; all cores by default")
    run.add_argument("--final-games", type=int, help="of the champion against each opponent")
    run.add_argument("--out", type=Path, help="folder of the run; runs/DOMAIN-SEED by default")
    run.add_argument("--submit", metavar="NAME", help="enter the champion on the ladder")
    run.add_argument(
        "--minutes", type=float, help="stop after the generation in which this time ends"
    )
    run.add_argument(
        "--plateau", type=int, help="stop after this many generations without progress"
    )
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="any other parameter"
    )
    _add_cluster(run)
    run.set_defaults(command="run")
    again = commands.add_parser("resume", help="continue a run")
    again.add_argument("dir", type=Path, metavar="DIR")
    again.add_argument("--workers", type=int)
    _add_cluster(again)
    again.set_defaults(command="resume")
    show = commands.add_parser("show", help="statistics, and the champion simplified")
    show.add_argument("dir", type=Path, metavar="DIR")
    show.set_defaults(command="show")
    export = commands.add_parser("export", help="the champion in another form")
    export.add_argument("dir", type=Path, metavar="DIR", help="a run, or a .lisp file")
    export.add_argument("--to", required=True, help="lisp, python, or a form of the game")
    export.add_argument(
        "--name", default="Champion", help="name of the class, in forms with classes"
    )
    export.set_defaults(command="export")
    analyze = commands.add_parser("analyze", help="terminals, introns, diversity; with pictures")
    analyze.add_argument("dir", type=Path, metavar="DIR")
    analyze.add_argument("--games", type=int, default=40, help="per terminal and opponent")
    analyze.add_argument("--workers", type=int)
    analyze.set_defaults(command="analyze")
    speed = commands.add_parser("bench", help="how fast trees, games and runs are on this machine")
    speed.set_defaults(command="bench")
    return parser


def _add_cluster(command: argparse.ArgumentParser) -> None:
    """The same options and environment variables as for `ladder worker`."""
    for name, about in {
        "executor": "hub of a cluster that measures the islands, tls://host:port",
        "tls_ca": "certificate of the authority that the cluster trusts (PEM)",
        "tls_cert": "certificate of this machine in the cluster (PEM)",
        "tls_key": "key of that certificate (PEM)",
    }.items():
        command.add_argument(
            f"--{name.replace('_', '-')}",
            default=os.environ.get(f"LADDER_{name.upper()}", ""),
            help=about,
        )
