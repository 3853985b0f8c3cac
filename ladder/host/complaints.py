"""How a long-running process says that something went wrong, and that it goes on."""

from __future__ import annotations

import logging

from ladder.errors import Unavailable


def complain(log: logging.Logger, what: str, error: Exception, **about: int | str) -> None:
    """In a line when it passes by itself (the database is away), else with all that is known.

    `about`: what it concerns, by the names of `ladder.host.logs.FIELDS`.
    """
    passing = isinstance(error, (Unavailable, OSError))
    log.error("%s (%s)", what, error, exc_info=None if passing else error, extra=about)
