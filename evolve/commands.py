"""The commands of `evolve`."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from engines.games import find_game
from engines.programs.primitives import BadPrimitives
from engines.programs.text import game_of, parse
from engines.programs.trees import BadProgram
from evolve import bench, domains
from evolve.errors import BadParameter, EvolveError
from evolve.export import export
from evolve.runs import inspection
from evolve.runs.progress import TerminalWatcher
from evolve.runs.run import Interrupted, Run, StartOptions, resume, start


def carry_out(flags: argparse.Namespace) -> int:
    """Run the command that the flags name, and return the exit code."""
    try:
        return COMMANDS[flags.command](flags)
    except Interrupted as pause:
        print(f"evolve: {pause}", file=sys.stderr)
        return 128 + signal.SIGTERM
    except (EvolveError, BadPrimitives) as error:
        print(f"evolve: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader closed our output, such as `head`
        sys.stderr.close()
        return 0
    except OSError as error:
        print(f"evolve: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _run(flags: argparse.Namespace) -> int:
    parameters = _assignments(flags.set)
    for name in ("generations", "population", "final_games", "minutes", "plateau"):
        if getattr(flags, name) is not None:
            parameters[name] = getattr(flags, name)
    domain = domains.make(flags.domain, flags.preset, parameters)
    guides = None if flags.guides is None else _listed(flags.guides)
    founders = [Path(name) for name in _listed(flags.founders or "")]
    folder = flags.out or Path("runs") / f"{domain.name}-{flags.seed}"
    workers = _workers(flags.workers)
    options = StartOptions(guides, founders, flags.preset, flags.submit)
    run = start(domain, folder, flags.seed, options)
    return _go(run, workers, flags)


def _resume(flags: argparse.Namespace) -> int:
    run = resume(flags.dir)
    if run.report is not None and (run.plan.submit is None or "submitted" in run.report):
        print(f"{flags.dir}: finished")
    return _go(run, _workers(flags.workers), flags)


def _show(flags: argparse.Namespace) -> int:
    print(inspection.show(resume(flags.dir)), end="")
    return 0


def _export(flags: argparse.Namespace) -> int:
    if flags.dir.is_file():
        text = flags.dir.read_text()
        try:
            known = find_game(game_of(text)).programs
            if known is None:
                raise BadParameter(f"programs cannot play {game_of(text)}")
            program = parse(text, known.architecture)
        except (BadProgram, LookupError) as error:
            raise BadParameter(f"{flags.dir} is not a program: {error}") from error
    else:
        program = inspection.champion_of(resume(flags.dir))
    print(export(program, flags.to, flags.name), end="")
    return 0


def _analyze(flags: argparse.Namespace) -> int:
    if flags.games < 1:
        raise BadParameter("--games must be at least 1")
    found = inspection.analyze(resume(flags.dir), flags.games, _workers(flags.workers))
    introns = found["introns"]
    print(f"size grew {found['size_growth']:.2f} times, depth {found['depth_growth']:.2f} times")
    print(f"introns: {introns['explicit']:.1%} explicit, {introns['removable']:.1%} removable")
    if "kendall_tau" in found:
        tau = found["kendall_tau"]
        print(
            f"Kendall's tau: mean {tau['mean']:.3f}, {tau['alike']:.1%} of pairs alike, "
            f"spread of the others {tau['spread']:.3f}"
        )
        print(f"{'terminal':22} {'single':>8} {'disabled':>9}")
        for row in found["terminals"]:
            single, disabled = (
                "-" if row[what] is None else f"{row[what]:+.3f}" for what in ("single", "disabled")
            )
            print(f"{row['terminal']:22} {single:>8} {disabled:>9}")
    print(f"pictures and figures are in {flags.dir / 'analysis'}")
    return 0


def _bench(flags: argparse.Namespace) -> int:
    for line in bench.figures():
        print(line, flush=True)
    return 0


COMMANDS = {
    "run": _run,
    "resume": _resume,
    "show": _show,
    "export": _export,
    "analyze": _analyze,
    "bench": _bench,
}


def _workers(workers: int | None) -> int:
    if workers is not None and workers < 1:
        raise BadParameter("--workers must be at least 1")
    return workers or os.cpu_count() or 1


def _go(run: Run, workers: int, flags: argparse.Namespace) -> int:
    stopping = False

    def stop(number: int, frame: object) -> None:
        nonlocal stopping
        stopping = True

    before = signal.signal(signal.SIGTERM, stop)
    try:
        with _executor(flags, run) as executor, TerminalWatcher(run.domain.name) as watcher:
            report = run.go(workers, executor, watcher, lambda: stopping)
    finally:
        signal.signal(signal.SIGTERM, before)
    _print_report(run.folder, report)
    return 0


def _executor(flags: argparse.Namespace, run: Run) -> AbstractContextManager[Executor | None]:
    """The workers that measure islands; None for threads of this process."""
    if not flags.executor:
        return nullcontext()
    # Both are slow to import, and rarely needed.
    from evolve.runs.cluster import connected
    from ladder.hub_address import HubAddress

    address = HubAddress(flags.executor, flags.tls_ca, flags.tls_cert, flags.tls_key)
    return connected(address, run.domain.game)


def _print_report(folder: Path, report: dict[str, Any]) -> None:
    champion = report["champion"]
    print(
        f"{folder / 'champion.lisp'}: generation {champion['generation']}, "
        f"{champion['size']} nodes, {report['games']:,} games"
    )
    for part, rows in report["finals"].items():
        for row in rows:
            print(
                f"  {part:8} {row['opponent']:24} {row['share']:6.1%} "
                f"[{row['low']:.1%}, {row['high']:.1%}]  of {row['games']} games"
            )


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _assignments(texts: Sequence[str]) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for text in texts:
        name, found, value = text.partition("=")
        if not found:
            raise BadParameter(f"--set takes NAME=VALUE, not {text!r}")
        try:
            parameters[name.replace("-", "_")] = json.loads(value)
        except ValueError:
            parameters[name.replace("-", "_")] = value
    return parameters
