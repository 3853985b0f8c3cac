"""Logs a failure of a long-running process that continues."""

from __future__ import annotations

import logging

from ladder.errors import Unavailable


def log_failure(log: logging.Logger, what: str, error: Exception, **about: int | str) -> None:
    """One line for a temporary failure (the database is away), a traceback for any other.

    `about`: what it concerns, by the names of `ladder.host.logs.FIELDS`.
    """
    passing = isinstance(error, (Unavailable, OSError))
    log.error("%s (%s)", what, error, exc_info=None if passing else error, extra=about)
