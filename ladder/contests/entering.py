"""Finds the bots that a tournament enters by their names or numbers."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import msgspec

from ladder.contests.formats import FormatOptions
from ladder.errors import Refusal
from ladder.people.names import check_name
from ladder.store import Connection, bots

CLOSE_NAMES = 3
"""Names that a refusal suggests."""


def find_bots(c: Connection, game: str, wanted: Sequence[int | str]) -> list[int]:
    """The numbers of bots that are given by number, `name` or `owner/name`; raises `Refusal`."""
    return [one if isinstance(one, int) else _find(c, game, one) for one in wanted]


def with_champion(c: Connection, game: str, options: FormatOptions) -> FormatOptions:
    """The options with the number of a champion that is given by name."""
    if options.champion is None:
        return options
    (number,) = find_bots(c, game, [options.champion])
    return msgspec.structs.replace(options, champion=number)


def _find(c: Connection, game: str, text: str) -> int:
    owner, slash, name = text.strip().rpartition("/")
    key = check_name(name.strip(), "the name of a bot")[1]
    owner_key = check_name(owner.strip(), "the name of an owner")[1] if slash else None
    found = bots.bots_called(c, game, key, owner_key)
    if len(found) > 1:
        choices = " or ".join(f"{one.owner}/{one.name}" for one in found)
        raise Refusal(f"{game} has several bots called {name.strip()}; write {choices}")
    if not found:
        known = {one.casefold(): one for one in bots.names_of_game(c, game)}
        close = difflib.get_close_matches(name.strip().casefold(), known, CLOSE_NAMES)
        hint = f"; did you mean {' or '.join(known[one] for one in close)}?" if close else ""
        raise Refusal(f"{game} has no bot called {text.strip()[:80]}{hint}")
    return int(found[0].id)
