"""Refusals and failures. Each class carries the HTTP status it is rendered with, in one place."""

from __future__ import annotations


class LadderError(Exception):
    """Root of everything the ladder raises on purpose; the message is written for its reader."""

    status = 500
    title = "Internal error"


class Refusal(LadderError):
    """The request cannot be carried out as it is; the message says what to do."""

    status = 400
    title = "Bad request"


class Unauthorized(Refusal):
    status = 401
    title = "Not signed in"


class Forbidden(Refusal):
    status = 403
    title = "Not allowed"


class NotFound(Refusal):
    status = 404
    title = "Not found"


class Gone(NotFound):
    """It existed once, and will not come back."""

    status = 410
    title = "Gone"


class Conflict(Refusal):
    status = 409
    title = "Conflict"


class TooLarge(Refusal):
    status = 413
    title = "Too large"


class BadUpload(Refusal):
    """The uploaded file cannot be a bot."""

    status = 422
    title = "Upload refused"


class TooMany(Refusal):
    """The limit is used up; `retry_after` is the number of seconds until the next try."""

    status = 429
    title = "Too many requests"

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(LadderError):
    """The server cannot do it now but can later; the request is not at fault."""

    status = 503
    title = "Not available now"
    retry_after = 5


class DamagedReplay(Unavailable):
    """The replay file of a match cannot be read, or is of another match; an audit repairs it."""

    title = "Damaged replay"
    retry_after = 3600


class ReadOnlyDatabase(Unavailable):
    """Nothing can be stored until somebody makes the database writable again."""

    title = "Database is read-only"
    retry_after = 60


class NoSpace(Unavailable):
    status = 507
    title = "No space left"
    retry_after = 60


class RunnerFailure(LadderError):
    """A match could not be played through no fault of a bot: it is requeued and rates nobody.

    This one is the fault of the worker: its process, its machine or its sandbox.
    """

    title = "The match could not be played"


class Shortage(RunnerFailure):
    """This machine ran out of disk space, memory or descriptors; the attempt does not count."""


class RefereeFailure(RunnerFailure):
    """The fault of our own code: the referee, the rules, or a house bot."""


class Overdue(RefereeFailure):
    """The match lasted longer than the limits of its bots allow, and these did not end it."""


class NoSandbox(Refusal):
    """This machine cannot run uploaded code safely; `ladder doctor` says what is missing."""

    status = 503
    title = "No sandbox"
