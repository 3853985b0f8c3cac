"""The route table of the pages and their forms."""

from __future__ import annotations

from ladder.values import Kind
from ladder.web.http.auth import Access
from ladder.web.http.bodies import UploadForm
from ladder.web.http.endpoint import Page
from ladder.web.http.inputs import (
    AFTER_NUMBER,
    AFTER_PLACE,
    BOT,
    DIVISION,
    OTHER,
    TOP,
    VERSION,
    Param,
    id_filter_param,
    id_param,
    row_param,
    text_param,
    whole_number,
)
from ladder.web.pages import (
    account,
    admin,
    boards,
    bots,
    contests,
    evolution,
    matches,
    new_tournament,
    reference,
    rivalries,
    sessions,
    uploads,
)
from ladder.web.pictures.replays import MOST_PICTURES

_ANY_GAME = text_param("game", "path", "", "[a-z0-9-]{1,40}")
_ROUND = Param("round", "query", "", {}, whole_number(0, 10**6), default=0)
_PLACE = tuple(
    Param(name, "query", "", {}, whole_number(0, MOST_PICTURES))
    for name in ("ply", "frame", "instance", "step")
)
_NEXT = text_param("next", "query", "", ".{0,500}", "")

PAGES = (
    Page("GET", "/", boards.home, cached=True),
    Page(
        "GET",
        "/games/{game}",
        boards.leaderboard,
        params=(
            _ANY_GAME,
            DIVISION,
            AFTER_PLACE,
            text_param("kind", "query", "", f"({'|'.join(Kind)})?", ""),
            text_param("search", "query", "", ".{0,90}", ""),
            text_param("on", "query", "", "([0-9]{4}-[0-9]{2}-[0-9]{2})?", ""),
            Param("place", "query", "", {}, whole_number(1, 10**6), default=1),
        ),
        cached=True,
    ),
    Page(
        "GET",
        "/games/{game}/matrix",
        rivalries.matrix,
        params=(_ANY_GAME, DIVISION, TOP),
        cached=True,
    ),
    Page("GET", "/bots/{id}", bots.bot, params=(id_param("bot"), DIVISION)),
    Page(
        "GET",
        "/bots/{id}/against/{other}",
        rivalries.against,
        params=(id_param("bot"), OTHER, AFTER_NUMBER),
        cached=True,
    ),
    Page(
        "GET",
        "/bots/{id}/versions/{version}",
        uploads.version,
        params=(id_param("bot"), VERSION, text_param("unchanged", "query", "", "1?", "")),
    ),
    Page(
        "GET",
        "/bots/{id}/versions/{version}/source",
        bots.source,
        access=Access.MEMBER,
        params=(id_param("bot"), VERSION),
    ),
    Page(
        "POST",
        "/bots/{id}/retire",
        bots.retire,
        access=Access.MEMBER,
        params=(id_param("bot"),),
        form=("csrf",),
    ),
    Page(
        "GET",
        "/matches",
        matches.match_list,
        params=(text_param("game", "query", "", "[a-z0-9-]{0,40}"), BOT, AFTER_NUMBER),
        cached=True,
    ),
    Page("GET", "/matches/{id}", matches.match, params=(id_param("match"), *_PLACE)),
    Page("GET", "/matches/{id}/embed", matches.embed, params=(id_param("match"), *_PLACE)),
    Page(
        "GET",
        "/evolution",
        evolution.runs,
        params=(text_param("game", "query", "", "[a-z0-9-]{0,40}"), AFTER_NUMBER),
        cached=True,
    ),
    Page("GET", "/evolution/{id}", evolution.run, params=(id_param("run"),), cached=True),
    Page("GET", "/leagues", contests.league_list, cached=True),
    Page("GET", "/leagues/{id}", contests.league, params=(id_param("league"),), cached=True),
    Page(
        "POST",
        "/leagues/{id}/run",
        contests.run_league,
        access=Access.MEMBER,
        params=(id_param("league"),),
        form=("csrf",),
    ),
    Page(
        "GET",
        "/tournaments",
        contests.tournament_list,
        params=(text_param("game", "query", "", "[a-z0-9-]{0,40}"), AFTER_NUMBER),
        cached=True,
    ),
    Page(
        "GET",
        "/tournaments/new",
        new_tournament.new_tournament,
        access=Access.MEMBER,
        params=(
            text_param("game", "query", "", "[a-z0-9-]{0,40}", ""),
            text_param("format", "query", "", "[a-z-]{0,40}", ""),
        ),
    ),
    Page(
        "POST",
        "/tournaments/new",
        new_tournament.create_tournament,
        access=Access.MEMBER,
        form=new_tournament.FIELDS,
    ),
    Page(
        "GET",
        "/tournaments/{id}",
        contests.tournament,
        params=(id_param("tournament"), row_param(), _ROUND),
        cached=True,
    ),
    Page(
        "POST",
        "/tournaments/{id}/act",
        contests.act_on_tournament,
        access=Access.MEMBER,
        params=(id_param("tournament"),),
        form=("csrf", "action", "round", "bot"),
    ),
    Page(
        "POST",
        "/challenge",
        contests.challenge,
        access=Access.MEMBER,
        form=("csrf", "game", "bot", "opponent"),
    ),
    Page("GET", "/troubles", contests.troubles, access=Access.MEMBER),
    Page(
        "POST",
        "/troubles",
        contests.act_on_trouble,
        access=Access.MEMBER,
        form=("csrf", "action", "match", "worker"),
    ),
    Page("GET", "/admin", admin.overview, access=Access.ADMIN),
    Page(
        "GET",
        "/admin/actions",
        admin.audit_log,
        access=Access.ADMIN,
        params=(id_filter_param("after", ""),),
    ),
    Page(
        "GET",
        "/admin/accounts",
        admin.account_list,
        access=Access.ADMIN,
        params=(
            text_param("after", "query", "", ".{0,80}", ""),
            text_param("banned", "query", "", "1?", ""),
            text_param("name", "query", "", ".{0,40}", ""),
        ),
    ),
    Page(
        "POST",
        "/admin/accounts",
        admin.act_on_account,
        access=Access.ADMIN,
        form=admin.ACCOUNT_FIELDS,
    ),
    Page("GET", "/admin/leagues", admin.league_list, access=Access.ADMIN),
    Page(
        "POST", "/admin/leagues", admin.act_on_league, access=Access.ADMIN, form=admin.LEAGUE_FIELDS
    ),
    Page("GET", "/api", reference.api_page, cached=True),
    Page("GET", "/me", account.me, access=Access.MEMBER),
    Page(
        "GET",
        "/upload",
        uploads.upload_form,
        params=(
            text_param("game", "query", "", "[a-z0-9-]{0,40}", ""),
            text_param("name", "query", "", ".{0,40}", ""),
        ),
    ),
    Page("POST", "/upload", uploads.upload, form=UploadForm),
    Page("GET", "/signin", sessions.sign_in_form, params=(_NEXT,)),
    Page("POST", "/signin", sessions.sign_in, form=("token", "next")),
    Page("POST", "/register", sessions.register, form=("name", "invite", "next")),
    Page("POST", "/token", sessions.replace_token, access=Access.MEMBER, form=("csrf",)),
    Page("POST", "/signout", sessions.sign_out, access=Access.MEMBER, form=("csrf",)),
)
