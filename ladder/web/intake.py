"""New accounts, uploads and challenges, under the limits of the site, for forms and the API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ladder.errors import Forbidden, LadderError, NoSandbox, NoSpace, Refusal, TooMany
from ladder.host import disk_space
from ladder.matches import challenges
from ladder.people import accounts
from ladder.reports import careers
from ladder.runner.uploads import kind_of
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import Kind
from ladder.views import ChallengeView, NewAccount, Submission
from ladder.web.http.site import BYTES, Request, Response


def register(request: Request, name: str, invite: str | None) -> NewAccount:
    """Create an account, unless the address has created too many."""
    site = request.site
    give_back = site.registrations.take(request.address, "new accounts from your address")
    try:
        return accounts.register(
            site.db, name, invite=invite, open_registration=site.settings.open_registration
        )
    except Forbidden:
        raise  # a wrong invite code counts, or codes could be guessed
    except LadderError:
        give_back()
        raise


@contextmanager
def metered(request: Request) -> Iterator[None]:
    """Count an upload that is refused, since its check costs as much as that of an accepted one.

    Raises `TooMany`, before the check, when too many were refused.
    """
    uploader = request.address if request.reader is None else f"account {request.reader.id}"
    # It counts from the start, so that many uploads at once cannot exceed the limit.
    give_back = request.site.refusals.take(
        uploader, "of your uploads were refused; correct the bot first"
    )
    try:
        yield
    except (TooMany, NoSandbox):
        give_back()  # it was not checked
        raise
    except Refusal:
        raise
    except BaseException:
        give_back()  # the server is at fault
        raise
    give_back()


def enter(request: Request, upload: Upload) -> Submission:
    """Store an upload of a member, if this server can run it and has disk space for it."""
    site = request.site
    kind = kind_of(upload.data)
    if kind is Kind.NATIVE and not site.settings.native_bots:
        raise Forbidden("this server takes no native bots; upload Python or WebAssembly instead")
    if kind not in str(site.status().get("kinds", "")).split():
        raise NoSandbox(
            f"this server cannot run uploaded code of the kind {kind} safely; "
            "its admin finds the reason with `ladder doctor`"
        )
    if disk_space.is_low(site.settings.data):
        raise NoSpace("the disk of this server is nearly full; try again later, or tell its admin")
    return submissions.submit(site.db, request.member, upload, site.settings.allowance)


def challenge(
    request: Request, game: str, bots: Sequence[int], seed: int | None = None, games: int = 1
) -> ChallengeView:
    """Queue unrated matches with a bot of the member."""
    allowance = request.site.settings.allowance
    return challenges.challenge(
        request.site.db, request.member, game, bots, seed=seed, games=games, allowance=allowance
    )


def source(request: Request, id: int, version: int) -> Response:
    """The uploaded file of a version, for its owner."""

    data, extension = careers.source(request.site.db, id, version, request.member)
    headers = {
        "Cache-Control": "private, no-store",
        "Content-Disposition": f'attachment; filename="bot-{id}-v{version}.{extension}"',
        "Vary": "Cookie",
    }
    return Response(data, BYTES, 200, headers)
