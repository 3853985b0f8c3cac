"""Errors for users. Each message says what is wrong, and what to do instead."""

from __future__ import annotations


class EvolveError(Exception):
    """The root: a message for the user, not a fault of this program."""


class BadParameter(EvolveError):
    """An impossible parameter of a run."""


class UnknownDomain(EvolveError):
    """An unknown domain, or one that cannot be rebuilt from its name."""


class BadGuide(EvolveError):
    """An unknown guide, or one that cannot play here."""


class LadderUnreachable(EvolveError):
    """The ladder does not answer, or refuses a request."""


class ClusterUnreachable(EvolveError):
    """The hub of a cluster or its workers cannot be reached."""


class BadCheckpoint(EvolveError):
    """A file of a run that is damaged or does not belong to it."""


class GuideFailed(EvolveError):
    """A guide that failed during a game. The run replaces it and continues."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the guide {name} failed: {reason}")
        self.name = name
        self.reason = reason

    def __reduce__(self) -> tuple[type[GuideFailed], tuple[str, str]]:
        return GuideFailed, (self.name, self.reason)
