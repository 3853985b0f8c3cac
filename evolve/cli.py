"""The `evolve` command."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engines.programs.primitives import BadPrimitives
from evolve import domains
from evolve.errors import BadSetting, EvolveError
from evolve.progress import TerminalWatcher
from evolve.run import Interrupted, Run, resume, start


def main(argv: Sequence[str] | None = None) -> int:
    flags = _parser().parse_args(argv)
    try:
        code: int = flags.command(flags)
        return code
    except Interrupted as pause:
        print(f"evolve: {pause}", file=sys.stderr)
        return 128 + signal.SIGTERM
    except (EvolveError, BadPrimitives) as error:
        print(f"evolve: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="evolve", description="Breeds programs that play games against each other and guides."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    run = commands.add_parser("run", help="evolve a champion")
    run.add_argument("domain", metavar="DOMAIN", help=f"one of {', '.join(domains.NAMES)}")
    run.add_argument("--preset", help="a named set of parameters; `quick` takes a few minutes")
    run.add_argument("--guides", help="house:NAME, file:PATH, ladder:N, with commas between")
    run.add_argument("--generations", type=int)
    run.add_argument("--population", type=int, help="of each island")
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--workers", type=int, help="threads; all cores by default")
    run.add_argument("--final-games", type=int, help="of the champion against each opponent")
    run.add_argument("--out", type=Path, help="folder of the run; runs/DOMAIN-SEED by default")
    run.add_argument("--submit", metavar="NAME", help="enter the champion on the ladder")
    run.add_argument("--minutes", type=float, help="stop after the generation in which they end")
    run.add_argument("--plateau", type=int, help="stop after so many generations without progress")
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="any other parameter"
    )
    run.set_defaults(command=_run)
    again = commands.add_parser("resume", help="go on with a run")
    again.add_argument("dir", type=Path, metavar="DIR")
    again.add_argument("--workers", type=int)
    again.set_defaults(command=_resume)
    return parser


def _run(flags: argparse.Namespace) -> int:
    parameters = _assignments(flags.set)
    for name in ("generations", "population", "final_games", "minutes", "plateau"):
        if getattr(flags, name) is not None:
            parameters[name] = getattr(flags, name)
    domain = domains.make(flags.domain, flags.preset, parameters)
    guides = None
    if flags.guides is not None:
        guides = [name for name in flags.guides.split(",") if name.strip()]
    folder = flags.out or Path("runs") / f"{domain.name}-{flags.seed}"
    run = start(domain, folder, flags.seed, guides, (), flags.preset, flags.submit)
    return _go(run, flags.workers)


def _resume(flags: argparse.Namespace) -> int:
    run = resume(flags.dir)
    if run.report is not None and (run.plan.submit is None or "submitted" in run.report):
        print(f"{flags.dir}: finished")
    return _go(run, flags.workers)


def _go(run: Run, workers: int | None) -> int:
    if workers is not None and workers < 1:
        raise BadSetting("there is one worker or more")
    stopping = False

    def stop(number: int, frame: object) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, stop)
    with TerminalWatcher(run.domain.name) as watcher:
        report = run.go(workers or os.cpu_count() or 1, None, watcher, lambda: stopping)
    _print_report(run.folder, report)
    return 0


def _print_report(folder: Path, report: dict[str, Any]) -> None:
    champion = report["champion"]
    print(
        f"{folder / 'champion.lisp'}: of generation {champion['generation']}, "
        f"{champion['size']} nodes, {report['games']:,} games"
    )
    for part, rows in report["finals"].items():
        for row in rows:
            print(
                f"  {part:8} {row['opponent']:24} {row['share']:6.1%} "
                f"[{row['low']:.1%}, {row['high']:.1%}]  of {row['games']} games"
            )


def _assignments(texts: Sequence[str]) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for text in texts:
        name, found, value = text.partition("=")
        if not found:
            raise BadSetting(f"--set takes NAME=VALUE, not {text!r}")
        try:
            parameters[name.replace("-", "_")] = json.loads(value)
        except ValueError:
            parameters[name.replace("-", "_")] = value
    return parameters
