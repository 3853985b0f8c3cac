"""Every statement that Evoladder sends to its database, and nothing else.

Functions here take an open `Connection` and hold no rules of their own; use cases decide what a
transaction is.
"""

from ladder.store.database import Connection, Database

__all__ = ["Connection", "Database"]
