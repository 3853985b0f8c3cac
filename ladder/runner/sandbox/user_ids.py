"""The user ids that bots get where the server is root.

The kernel counts the threads of a user over the whole machine, so no two bots that run at the same
time may share an id. Process ids do not help: each container has its own. Ids are random, and the
name of the bot's folder is its id, so no other server with the same data folder uses it. Ladders
with other data folders draw from 2**28 ids.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

FIRST_BOT_UID = 0x40000000
"""Far above the ids of people and services."""
LAST_BOT_UID = FIRST_BOT_UID + 2**28 - 1


def candidates() -> Iterator[int]:
    """Ids to try, one after the other."""
    while True:
        yield FIRST_BOT_UID + secrets.randbelow(LAST_BOT_UID - FIRST_BOT_UID + 1)
