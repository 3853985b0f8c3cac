"""The `ladder` command. Each module of this package adds the commands of one kind of user."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from engines.games import LEFT_OUT, UnknownGame
from ladder.cli import accounts, backups, bots, contests, evolution, server
from ladder.errors import LadderError, Unavailable
from ladder.terminal import say


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="ladder", description="A ladder for programs that play against each other."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (server, bots, accounts, contests, backups, evolution):
        module.add_commands(commands)
    flags = parser.parse_args(argv)
    if not getattr(flags, "tells_left_out", False):
        for one in LEFT_OUT:
            say(f"ladder: the plug-in {one.plugin} is left out: {one.reason}", file=sys.stderr)
    try:
        code: int | None = flags.run(flags)
    except (LadderError, UnknownGame) as error:
        say(f"ladder: {error}", file=sys.stderr)
        if isinstance(error, Unavailable) and error.__cause__ is not None:
            say(f"  {str(error.__cause__).splitlines()[0]}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    return code or 0
