"""The `ladder` command. Each module of this package has the commands of one subject.

The table below suffices for `ladder --help`; only the module of the wanted command is imported,
since the database and the compiled games take a second to load.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from ladder.errors import LadderError, Unavailable
from ladder.terminal import say

COMMANDS = {
    "serve": ("server", "migrate, seed the house bots, and run web, scheduler and workers"),
    "worker": ("server", "play the matches of a database, or with --executor those of a cluster"),
    "hub": ("server", "pass matches on from servers to workers elsewhere"),
    "migrate": ("server", "bring the database to the newest schema"),
    "warmup": ("server", "compile the games, which happens once"),
    "doctor": ("server", "say whether this machine can run uploaded bots"),
    "play": ("bots", "play bots against each other here, without a server"),
    "uci": ("uci", "let a chess program play against a bot, as a UCI engine"),
    "submit": ("bots", "upload a bot to the server at LADDER_URL with LADDER_TOKEN"),
    "challenge": ("bots", "ask the server at LADDER_URL for unrated matches of a bot of yours"),
    "replay": ("replays", "show a match, write it as a page, or play it again to check it"),
    "account": ("accounts", "create accounts, tokens and invite codes"),
    "board": ("accounts", "print a leaderboard"),
    "rerate": ("accounts", "rebuild every rating from the log of results"),
    "league": ("contests", "create or run leagues, or show them"),
    "tournament": ("contests", "create and look after tournaments"),
    "match": ("contests", "look after matches that could not be played"),
    "audit": ("contests", "play finished matches again and compare"),
    "backup": ("backups", "copy the ladder into a file, while it runs"),
    "restore": ("backups", "fill an empty database from a backup"),
    "evolution": ("evolution", "breed bots against the leaders of a ladder"),
}
"""Each command with its module and its description."""


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    flags = _parser(words[0] if words else "").parse_args(words)
    from engines.games import LEFT_OUT, UnknownGame

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
    except BrokenPipeError:  # the reader of our output has closed the pipe
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    return code or 0


def _parser(wanted: str) -> argparse.ArgumentParser:
    """The parser; only the requested command has its arguments."""
    parser = argparse.ArgumentParser(
        prog="ladder", description="A ladder for programs that play against each other."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (module, about) in COMMANDS.items():
        command = commands.add_parser(name, help=about)
        if name == wanted:
            import_module(f"ladder.cli.{module}").ARGUMENTS[name](command)
    return parser
