"""Finds bots by the names that people type: `ada/mybot`, `mybot`, or a number."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from engines.games import find_game
from ladder.errors import NotFound, Refusal
from ladder.people.names import check_name
from ladder.store import Connection, Database, bots
from ladder.values import HOUSE, full_name

CANDIDATES = 10
"""Most bots that a refusal names."""
LONGEST = 100
"""Longest `owner/name`."""
SUGGESTIONS = 3
"""Most names that a refusal suggests."""
SUGGESTED_FROM = 2_000
"""The newest bots of a game, whose names may be suggested."""


def find_bots(db: Database, game: str, wanted: Sequence[int | str]) -> list[int]:
    """The numbers of bots, in the same order; raises `NotFound` and `Refusal`.

    Numbers are returned as they are; the caller checks them.
    """
    with db.read() as c:
        return find_bots_in(c, game, wanted)


def find_bots_in(c: Connection, game: str, wanted: Sequence[int | str]) -> list[int]:
    """Like `find_bots`, in a transaction of the caller."""
    find_game(game)
    return [_find(c, game, one.strip() if isinstance(one, str) else one) for one in wanted]


def _find(c: Connection, game: str, wanted: int | str) -> int:
    if isinstance(wanted, int):
        return wanted
    if re.fullmatch(r"[0-9]{1,18}", wanted):  # longer ones do not fit into the database
        return int(wanted)
    owner, slash, name = wanted.rpartition("/")
    try:
        key = check_name(name, "a bot name")[1]
        owner_key = check_name(owner, "an account name")[1] if slash else None
        found = bots.bots_called(c, game, key, owner_key, CANDIDATES + 1)
    except Refusal:
        found = []  # there is no bot of a name that is not allowed
    if not slash and found and found[0].owner == HOUSE:
        found = found[:1]  # a plain name means the house bot, if there is one
    if not found:
        raise NotFound(f"{game} has no bot {wanted[:LONGEST]!r}; {_advice(c, game, name)}")
    if len(found) > 1:
        names = [repr(full_name(row.owner, row.name)) for row in found[:CANDIDATES]]
        more = " and others" if len(found) > CANDIDATES else ""
        raise Refusal(
            f"{game} has several bots {wanted[:LONGEST]!r}: {', '.join(names)}{more}; "
            "write the owner as well"
        )
    return int(found[0].id)


def _advice(c: Connection, game: str, name: str) -> str:
    known = {one.casefold(): one for one in bots.names_of_game(c, game, SUGGESTED_FROM)}
    close = difflib.get_close_matches(name[:LONGEST].casefold(), known, SUGGESTIONS)
    if close:
        return f"did you mean {' or '.join(repr(known[one]) for one in close)}?"
    return "write its name, its owner and its name as in 'ada/mybot', or its number"


def is_reserved(game: str, key: str) -> bool:
    """Whether a name is that of a house bot, which nobody else may use."""
    return key in {check_name(name, "a bot name")[1] for name in find_game(game).house_bots}
