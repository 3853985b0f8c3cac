"""Guides by name: `house:NAME`, `file:PATH`, `ladder:N`; pinned when a run begins.

A pinned guide is data: a resumed run meets the same opponents even if the ladder has new leaders.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from engines.programs.text import MOST_CHARACTERS, parse
from engines.programs.trees import Architecture, BadProgram
from evolve.errors import BadGuide
from evolve.fitness.meetings import GameArena, InProcessOpponent
from evolve.ladder_client import LadderClient

MOST_LEADERS = 100


@dataclass(frozen=True)
class Pinned:
    """A guide or founder as a run records it."""

    name: str
    bot: str
    kind: str
    sha256: str | None = None
    """SHA-256 of its version; None for a house bot that was named directly."""
    revision: int | None = None
    """Revision of the game's house bots, for a house bot."""
    text: str | None = None
    """The text, if it is a program."""


@dataclass(frozen=True)
class Skipped:
    """A requested guide that cannot play here."""

    name: str
    bot: str
    kind: str
    reason: str


def pin(
    names: Sequence[str], arena: GameArena, ladder: LadderClient | None = None
) -> tuple[list[Pinned], list[Skipped]]:
    """Look up all guides; raises `BadGuide` or `LadderUnreachable`."""
    guides: list[Pinned] = []
    skipped: list[Skipped] = []
    for name in names:
        source, _, rest = name.strip().partition(":")
        if source == "house" and rest:
            guides.append(_house(rest, arena))
        elif source == "file" and rest:
            guides.append(pin_file(Path(rest), arena.architecture))
        elif source == "ladder" and rest.isascii() and rest.isdigit():
            found, left = _leaders(int(rest), arena, ladder or LadderClient.from_environment())
            guides += found
            skipped += left
        else:
            raise BadGuide(f"unknown guide {name!r}: use house:NAME, file:PATH or ladder:N")
    unique = {guide.name: guide for guide in guides}
    return list(unique.values()), skipped


def _house(bot: str, arena: GameArena) -> Pinned:
    if bot not in arena.house:
        near = get_close_matches(bot, arena.house, 1)
        hint = f"; did you mean house:{near[0]}?" if near else "."
        known = ", ".join(arena.house)
        raise BadGuide(f"{arena.game} has no house bot {bot!r}{hint} There are {known}")
    return Pinned(f"house:{bot}", bot, "house", None, arena.revision)


def pin_file(path: Path, architecture: Architecture) -> Pinned:
    """The program in a file; raises `BadGuide`."""
    try:
        with path.open() as file:
            text = file.read(MOST_CHARACTERS + 1)  # devices may be endless
        parse(text, architecture)
    except OSError as error:
        raise BadGuide(f"file:{path} cannot be read: {error.strerror}") from error
    except (BadProgram, UnicodeDecodeError) as error:
        raise BadGuide(f"file:{path} is not a program of {architecture.game}: {error}") from error
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Pinned(f"file:{path}", path.stem, "program", sha256, None, text)


def _leaders(
    count: int, arena: GameArena, ladder: LadderClient
) -> tuple[list[Pinned], list[Skipped]]:
    if not 1 <= count <= MOST_LEADERS:
        raise BadGuide(f"ladder:N needs N from 1 to {MOST_LEADERS}, not {count}")
    guides: list[Pinned] = []
    skipped: list[Skipped] = []
    for leader in ladder.leaders(arena.game, count):
        name = f"ladder:{leader.bot}"
        if leader.kind == "house" and leader.bot in arena.house:
            revision = arena.revision
            guides.append(Pinned(name, leader.bot, "house", leader.sha256, revision))
            continue
        reason = f"{leader.kind} bots can be guides only in runs on the ladder's server"
        if leader.text is not None:
            try:
                parse(leader.text, arena.architecture)
                guides.append(
                    Pinned(name, leader.bot, leader.kind, leader.sha256, None, leader.text)
                )
                continue
            except BadProgram as error:
                reason = f"its program cannot be read here: {error}"
        skipped.append(Skipped(name, leader.bot, leader.kind, reason))
    return guides, skipped


def seat(guide: Pinned, arena: GameArena) -> InProcessOpponent:
    """A pinned guide as an opponent that plays in-process."""
    if guide.kind == "house":
        if guide.revision is not None and guide.revision != arena.revision:
            raise BadGuide(
                f"{guide.name} is pinned to revision {guide.revision} of the house bots of "
                f"{arena.game}, but revision {arena.revision} is installed: start a new run"
            )
        player = arena.house_player(guide.bot)
    elif guide.text is not None:
        player = arena.player(parse(guide.text, arena.architecture))
    else:
        raise BadGuide(
            f"{guide.name} is a {guide.kind} bot: the caller must pass it as an opponent"
        )
    return InProcessOpponent(
        name=guide.name,
        bot=guide.bot,
        kind=guide.kind,
        sha256=guide.sha256,
        arena=arena,
        player=player,
        text=guide.text,
    )
