"""The `ladder` command. Each module of this package adds the commands of one kind of user."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ladder.cli import authors, breeders, contests, keepers, organisers, researchers, servers
from ladder.errors import LadderError, Unavailable


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="ladder", description="A ladder for programs that play against each other."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (servers, authors, organisers, contests, keepers, breeders, researchers):
        module.add_commands(commands)
    flags = parser.parse_args(argv)
    try:
        code: int | None = flags.run(flags)
    except LadderError as error:
        print(f"ladder: {error}", file=sys.stderr)
        if isinstance(error, Unavailable) and error.__cause__ is not None:
            print(f"  {str(error.__cause__).splitlines()[0]}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    return code or 0
