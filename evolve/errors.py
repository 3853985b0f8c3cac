"""What can be wrong with what users ask for. Each message says what, and what to do instead."""

from __future__ import annotations


class EvolveError(Exception):
    """The root: a message for the user, not a fault of ours."""


class BadParameter(EvolveError):
    """A parameter that no run can have."""


class UnknownDomain(EvolveError):
    """No such domain, or one that cannot be rebuilt from its name."""


class BadGuide(EvolveError):
    """A guide that there is not, or that cannot play here."""


class LadderUnreachable(EvolveError):
    """The ladder does not answer, or refuses."""


class ClusterUnreachable(EvolveError):
    """The hub of a cluster, or whoever could work for it, is not there."""


class BadCheckpoint(EvolveError):
    """A file of a run that is damaged or belongs to something else."""


class GuideFailed(EvolveError):
    """A guide that broke off while it played. The run replaces it and goes on."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the guide {name} failed: {reason}")
        self.name = name
        self.reason = reason

    def __reduce__(self) -> tuple[type[GuideFailed], tuple[str, str]]:
        return GuideFailed, (self.name, self.reason)
