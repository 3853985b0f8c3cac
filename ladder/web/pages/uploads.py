"""The upload page, and the page of a version with its validation."""

from __future__ import annotations

from dataclasses import replace

from engines.games import UnknownGame, find_game
from ladder.boards import ladders
from ladder.errors import BadUpload, NotFound, Refusal, TooMany, Unauthorized
from ladder.matches import listing
from ladder.people.names import check_name
from ladder.uploads import submissions, validations
from ladder.uploads.excerpts import find_excerpt, read_source
from ladder.uploads.submissions import Upload
from ladder.values import Purpose
from ladder.views import NewAccount, ValidationView
from ladder.web import intake
from ladder.web.http import problems
from ladder.web.http.bodies import UploadForm
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.rendering import show
from ladder.web.pages.sessions import sign_in_by_token

FIRST_MATCHES = 8


def upload_form(request: Request, game: str, name: str) -> Response:
    """The form holds the newest source of the named bot for its owner, else the starter."""
    known = [one.name for one in ladders.games().games]
    game = game if game in known else known[0]
    own = b""
    if name and request.reader is not None:
        own = submissions.source_of(request.site.db, game, name, request.reader)
    return _upload_page(
        request, UploadForm(game, name, code=read_source(own) or find_game(game).starter)
    )


def upload(request: Request, form: UploadForm) -> Response:
    """Submit the bot and lead to its validation, or show the form again with the refusal.

    A reader who is not signed in signs in with a token, or gets an account after the file has
    passed its check.
    """
    form = replace(form, code=form.code.replace("\r\n", "\n"))
    data = form.file or form.code.encode()
    made: NewAccount | None = None
    stranger = request.reader is None
    try:
        if not data.strip():
            raise BadUpload("the upload is empty; choose a file, or write the bot into the page")
        upload = Upload(form.game, form.name, data, form.lineage)
        with intake.metered(request):
            check_name(form.name, "a bot name")
            if stranger:
                upload.check()
                made = None if form.token.strip() else _make_account(request, form)
                request = _sign_in_by_token(request, made.token if made else form.token)
            submission = intake.enter(request, upload)
    except (Refusal, UnknownGame) as error:
        refusal = error if isinstance(error, Refusal) else NotFound(str(error))
        response = _upload_page(request, form, refusal, made, data)
    else:
        path = f"/bots/{submission.id}/versions/{submission.version.number}"
        if submission.unchanged:
            path += "?unchanged=1"
        if made is None:
            response = see_other(path)
        else:
            response = show(
                request,
                "token.html",
                201,
                account=made,
                new_account=True,
                submitted=submission,
                validation_path=path,
            )
    return replace(response, session=request.session) if stranger and request.reader else response


def _make_account(request: Request, form: UploadForm) -> NewAccount:
    if not form.account.strip():
        raise Unauthorized("choose a name for your new account, or enter your token")
    return intake.register(request, form.account, form.invite or None)


def _sign_in_by_token(request: Request, token: str) -> Request:
    try:
        return sign_in_by_token(request, token)
    except Unauthorized:
        request.site.failures.take(request.address, "bad tokens from your address")
        raise


def _upload_page(
    request: Request,
    form: UploadForm,
    error: Refusal | None = None,
    made: NewAccount | None = None,
    data: bytes = b"",
) -> Response:
    if isinstance(error, TooMany) and request.reader is None:
        raise error
    page = show(
        request,
        "upload.html",
        error.status if error else 200,
        games=ladders.games().games,
        form=form,
        error=error,
        excerpt=find_excerpt(str(error), data) if isinstance(error, BadUpload) else None,
        account=made,
    )
    # The form asks to sign in, so that the response needs no WWW-Authenticate header.
    headers = problems.from_error(error)[1] if error and error.status != 401 else {}
    return replace(page, headers=headers)


def version(request: Request, id: int, version: int, unchanged: str) -> Response:
    found = validations.validation(request.site.db, id, version, request.reader)
    if found.match_id is None:
        raise NotFound(f"version {version} of {found.bot} came with the game and has no validation")
    return show(
        request,
        "version.html",
        view=found,
        note=request.site.notes().get(found.game, ""),
        version=found.version,
        game=ladders.kept_game(found.game),
        mine=request.reader is not None and request.reader.id == found.owner_id,
        first=_first_matches(request, found),
        unchanged=bool(unchanged),
    )


def _first_matches(request: Request, view: ValidationView) -> list[object]:
    """The matches of a version on the ladder, while they are among the latest of its bot."""

    rows = listing.page(
        request.site.db, game=None, bot_id=view.bot_id, after=None, limit=FIRST_MATCHES
    ).rows
    return [
        match
        for match in rows
        if match.purpose is not Purpose.VALIDATION
        and any(s.bot_id == view.bot_id and s.version == view.version.number for s in match.seats)
    ]
