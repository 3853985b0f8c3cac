"""The table of the pages and the forms on them."""

from __future__ import annotations

from ladder.values import Kind
from ladder.web import (
    admin_pages,
    board_pages,
    bot_pages,
    contest_pages,
    evolution_pages,
    forms,
    match_pages,
    pages,
    rivalry_pages,
    upload_pages,
)
from ladder.web.auth import Access
from ladder.web.bodies import UploadForm
from ladder.web.courses import MOST_PICTURES
from ladder.web.endpoint import Page
from ladder.web.inputs import (
    AFTER_NUMBER,
    AFTER_PLACE,
    BOT,
    DIVISION,
    OTHER,
    TOP,
    VERSION,
    Param,
    a_row,
    a_text,
    an_id,
    id_filter,
    whole_number,
)

_ANY_GAME = a_text("game", "path", "", "[a-z0-9-]{1,40}")
_ROUND = Param("round", "query", "", {}, whole_number(0, 10**6), default=0)
_PLACE = tuple(
    Param(name, "query", "", {}, whole_number(0, MOST_PICTURES))
    for name in ("ply", "frame", "instance", "step")
)
_NEXT = a_text("next", "query", "", ".{0,200}", "")

PAGES = (
    Page("GET", "/", board_pages.home, fresh=True),
    Page(
        *("GET", "/games/{game}", board_pages.leaderboard),
        params=(
            *(_ANY_GAME, DIVISION, AFTER_PLACE),
            a_text("kind", "query", "", f"({'|'.join(Kind)})?", ""),
            a_text("search", "query", "", ".{0,40}", ""),
            a_text("on", "query", "", "([0-9]{4}-[0-9]{2}-[0-9]{2})?", ""),
            Param("place", "query", "", {}, whole_number(1, 10**6), default=1),
        ),
        fresh=True,
    ),
    Page(
        *("GET", "/games/{game}/matrix", rivalry_pages.matrix),
        params=(_ANY_GAME, DIVISION, TOP),
        fresh=True,
    ),
    Page("GET", "/bots/{id}", bot_pages.bot, params=(an_id("bot"), DIVISION)),
    Page(
        *("GET", "/bots/{id}/against/{other}", rivalry_pages.against),
        params=(an_id("bot"), OTHER, AFTER_NUMBER),
        fresh=True,
    ),
    Page(
        *("GET", "/bots/{id}/versions/{version}", upload_pages.version),
        params=(an_id("bot"), VERSION),
    ),
    Page(
        *("GET", "/bots/{id}/versions/{version}/source", bot_pages.source),
        access=Access.MEMBER,
        params=(an_id("bot"), VERSION),
    ),
    Page(
        *("POST", "/bots/{id}/retire", bot_pages.retire),
        access=Access.MEMBER,
        params=(an_id("bot"),),
        form=("csrf",),
    ),
    Page(
        *("GET", "/matches", match_pages.match_list),
        params=(a_text("game", "query", "", "[a-z0-9-]{0,40}"), BOT, AFTER_NUMBER),
        fresh=True,
    ),
    Page("GET", "/matches/{id}", match_pages.match, params=(an_id("match"), *_PLACE)),
    Page("GET", "/matches/{id}/embed", match_pages.embed, params=(an_id("match"), *_PLACE)),
    Page(
        *("GET", "/evolution", evolution_pages.runs),
        params=(a_text("game", "query", "", "[a-z0-9-]{0,40}"), AFTER_NUMBER),
        fresh=True,
    ),
    Page("GET", "/evolution/{id}", evolution_pages.run, params=(an_id("run"),), fresh=True),
    Page("GET", "/leagues", contest_pages.league_list, fresh=True),
    Page("GET", "/leagues/{id}", contest_pages.league, params=(an_id("league"),), fresh=True),
    Page(
        *("POST", "/leagues/{id}/run", contest_pages.run_league),
        access=Access.MEMBER,
        params=(an_id("league"),),
        form=("csrf",),
    ),
    Page(
        *("GET", "/tournaments", contest_pages.tournament_list),
        params=(a_text("game", "query", "", "[a-z0-9-]{0,40}"), AFTER_NUMBER),
        fresh=True,
    ),
    Page("GET", "/tournaments/new", contest_pages.new_tournament, access=Access.MEMBER),
    Page(
        *("POST", "/tournaments/new", contest_pages.create_tournament),
        access=Access.MEMBER,
        form=contest_pages.CREATE_FIELDS,
    ),
    Page(
        *("GET", "/tournaments/{id}", contest_pages.tournament),
        params=(an_id("tournament"), a_row(), _ROUND),
        fresh=True,
    ),
    Page(
        *("POST", "/tournaments/{id}/act", contest_pages.act_on_tournament),
        access=Access.MEMBER,
        params=(an_id("tournament"),),
        form=("csrf", "action", "round", "bot"),
    ),
    Page(
        *("POST", "/challenge", contest_pages.challenge),
        access=Access.MEMBER,
        form=("csrf", "game", "bot", "opponent"),
    ),
    Page("GET", "/troubles", contest_pages.troubles, access=Access.MEMBER),
    Page(
        *("POST", "/troubles", contest_pages.act_on_trouble),
        access=Access.MEMBER,
        form=("csrf", "action", "match", "worker"),
    ),
    Page("GET", "/admin", admin_pages.overview, access=Access.ADMIN),
    Page(
        *("GET", "/admin/actions", admin_pages.audit_log),
        access=Access.ADMIN,
        params=(id_filter("after", ""),),
    ),
    Page(
        *("GET", "/admin/accounts", admin_pages.account_list),
        access=Access.ADMIN,
        params=(
            a_text("after", "query", "", ".{0,80}", ""),
            a_text("banned", "query", "", "1?", ""),
            a_text("name", "query", "", ".{0,40}", ""),
        ),
    ),
    Page(
        *("POST", "/admin/accounts", admin_pages.act_on_account),
        access=Access.ADMIN,
        form=admin_pages.ACCOUNT_FIELDS,
    ),
    Page("GET", "/admin/leagues", admin_pages.league_list, access=Access.ADMIN),
    Page(
        *("POST", "/admin/leagues", admin_pages.act_on_league),
        access=Access.ADMIN,
        form=admin_pages.LEAGUE_FIELDS,
    ),
    Page("GET", "/me", pages.me, access=Access.MEMBER),
    Page(
        *("GET", "/upload", upload_pages.upload_form),
        params=(
            a_text("game", "query", "", "[a-z0-9-]{0,40}", ""),
            a_text("name", "query", "", ".{0,40}", ""),
        ),
    ),
    Page("POST", "/upload", upload_pages.upload, form=UploadForm),
    Page("GET", "/signin", forms.sign_in_form, params=(_NEXT,)),
    Page("POST", "/signin", forms.sign_in, form=("token", "next")),
    Page("POST", "/register", forms.register, form=("name", "invite")),
    Page("POST", "/token", forms.replace_token, access=Access.MEMBER, form=("csrf",)),
    Page("POST", "/signout", forms.sign_out, access=Access.MEMBER, form=("csrf",)),
)
