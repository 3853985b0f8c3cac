"""The tables of routes. The API's is also its OpenAPI document; pages have their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ladder import news, views
from ladder.rivalries import MOST_ROWS
from ladder.values import OPEN_DIVISION, Kind
from ladder.web import (
    admin_pages,
    api,
    board_pages,
    bot_api,
    bot_pages,
    contest_pages,
    contests,
    evolution_pages,
    forms,
    live,
    match_pages,
    metrics,
    pages,
    replay_api,
    rivalry_pages,
    upload_pages,
)
from ladder.web.auth import Access
from ladder.web.bodies import UploadForm
from ladder.web.endpoint import Page, Route
from ladder.web.inputs import (
    MAX_ID,
    Param,
    a_game,
    a_limit,
    a_row,
    a_text,
    an_id,
    id_filter,
    whole_number,
)
from ladder.web.site import BYTES, CSV, JSON, TEXT

_AFTER_PLACE = a_text("after", "query", "The `next` of an earlier page.", "[A-Za-z0-9_-]{32}")
_AFTER_NUMBER = a_text("after", "query", "The `next` of an earlier page.", "[0-9]{1,18}")
_DIVISION = a_text(
    "division", "query", "Class of bots by code size.", "[a-z0-9-]{1,20}", OPEN_DIVISION
)
_SHA256 = a_text("sha256", "path", "SHA-256 of the uploaded file.", "[0-9a-f]{64}")
_OTHER = replace(an_id("other bot"), name="other")
_VERSION = replace(an_id("version"), name="version")
_TOP = Param(
    *("top", "query", "How many bots, the best first."),
    {"type": "integer", "minimum": 2, "maximum": MOST_ROWS, "default": 20},
    whole_number(2, MOST_ROWS),
    default=20,
)
_TOPICS = a_text(
    *("topics", "query"),
    "What to be told of, such as `matches`, `tournaments`, `evolution`, `game:reversi`, `bot:12`, "
    "`match:7`, `tournament:3`, `league:1`, `version:9`, `owner:2`; with commas between.",
    f"{live.TOPIC}(,{live.TOPIC}){{0,{live.MOST_TOPICS - 1}}}",
    news.MATCHES,
)
_SINCE = Param(
    *("since", "query"),
    "The last event that is known already; the header `Last-Event-ID` goes before it.",
    {"type": "integer", "minimum": 0, "maximum": MAX_ID},
    whole_number(0, MAX_ID),
)
_BOT = id_filter("bot", "Only matches of the bot with this number.")


def api_routes(games: Sequence[str]) -> tuple[Route, ...]:
    """The whole API, for the games that are played here."""
    game = a_game("path", games)
    v1 = "/api/v1"
    return (
        Route("GET", f"{v1}/openapi.json", api.openapi, "This document", JSON),
        Route(
            *("POST", f"{v1}/accounts", api.create_account, "Create an account"),
            answer=views.NewAccount,
            body=api.AccountBody,
            status=201,
            problems=(403, 409, 429),
        ),
        Route(
            *("GET", f"{v1}/account", api.who_am_i, "Whose token this is"),
            answer=views.AccountView,
            access=Access.MEMBER,
        ),
        Route(
            *(
                "POST",
                f"{v1}/account/token",
                api.replace_token,
                "A new token for all your old ones",
            ),
            answer=views.NewAccount,
            access=Access.MEMBER,
            status=201,
        ),
        Route("GET", f"{v1}/games", api.list_games, "The games", views.GameList),
        Route(
            *("GET", f"{v1}/games/{{game}}/leaderboard", api.leaderboard, "Bots, best first"),
            answer=views.BoardPage,
            params=(game, _DIVISION, _AFTER_PLACE, a_limit(100)),
            fresh=True,
        ),
        Route(
            *("GET", f"{v1}/games/{{game}}/ratings.csv", api.ratings_csv, "The whole leaderboard"),
            answer=CSV,
            params=(game, _DIVISION),
        ),
        Route(
            *("GET", f"{v1}/games/{{game}}/results.csv", api.results_csv, "All finished matches"),
            answer=CSV,
            params=(game,),
        ),
        Route(
            *("POST", f"{v1}/bots", api.submit_bot, "Upload a bot, or a new version of yours"),
            answer=views.Submission,
            access=Access.MEMBER,
            body=UploadForm,
            status=202,
            problems=(404, 409, 422, 429, 503),
        ),
        Route(
            *("GET", f"{v1}/bots", api.my_bots, "Your bots"),
            answer=api.BotList,
            access=Access.MEMBER,
        ),
        Route(
            *("GET", f"{v1}/bots/{{id}}", api.show_bot, "A bot, its versions and its rating"),
            answer=views.BotView,
            access=Access.READER,
            params=(an_id("bot"),),
        ),
        Route(
            *("GET", f"{v1}/bots/{{id}}/versions/{{version}}", api.show_validation),
            summary="How the validation of a version goes",
            answer=views.ValidationView,
            access=Access.READER,
            params=(an_id("bot"), _VERSION),
        ),
        Route(
            *("GET", f"{v1}/bots/{{id}}/history", api.bot_history, "How its rating came to be"),
            answer=views.HistoryPage,
            params=(an_id("bot"), _DIVISION, _AFTER_NUMBER, a_limit(100)),
        ),
        *_rivalry_routes(v1, game),
        Route(
            *("GET", f"{v1}/versions/{{sha256}}", api.show_versions, "Who entered this file"),
            answer=views.VersionList,
            access=Access.READER,
            params=(_SHA256,),
        ),
        Route(
            *(
                "GET",
                f"{v1}/versions/{{sha256}}/program",
                api.show_program,
                "The text of a program",
            ),
            answer=TEXT,
            params=(_SHA256,),
        ),
        Route(
            *("GET", f"{v1}/matches", api.list_matches, "Matches, newest first"),
            answer=views.MatchPage,
            params=(a_game("query", games), _BOT, _AFTER_NUMBER, a_limit(50)),
            problems=(404,),
        ),
        Route(
            *("POST", f"{v1}/matches", contests.create_challenge, "Ask for unrated matches"),
            answer=views.ChallengeView,
            access=Access.MEMBER,
            body=contests.ChallengeBody,
            status=202,
            problems=(403, 404, 429),
        ),
        Route(
            *("GET", f"{v1}/matches/{{id}}", api.show_match, "A match"),
            answer=views.MatchView,
            params=(an_id("match"),),
        ),
        Route(
            *("GET", f"{v1}/matches/{{id}}/replay", api.match_replay, "Its course, once finished"),
            answer=JSON,
            params=(an_id("match"),),
            problems=(304, 410),
        ),
        Route(
            *("GET", f"{v1}/matches/{{id}}/frames", replay_api.frames, "Its positions, drawn"),
            answer=views.FrameList,
            params=(an_id("match"),),
            problems=(304, 422),
        ),
        Route(
            *("GET", f"{v1}/matches/{{id}}/record", replay_api.record, "A file for other programs"),
            answer=TEXT,
            params=(an_id("match"),),
            problems=(422,),
        ),
        Route(
            *("GET", f"{v1}/matches/{{id}}/logs", api.match_logs, "What your bots left behind"),
            answer=views.MatchLogs,
            access=Access.MEMBER,
            params=(an_id("match"),),
            problems=(403, 410),
        ),
        Route("GET", f"{v1}/leagues", contests.list_leagues, "The leagues", views.LeagueList),
        Route(
            *("POST", f"{v1}/leagues", contests.create_league, "Create a league"),
            answer=views.LeagueView,
            access=Access.ADMIN,
            body=contests.LeagueBody,
            status=201,
            problems=(404, 409),
        ),
        Route(
            *("GET", f"{v1}/leagues/{{id}}", contests.show_league, "A league and its latest runs"),
            answer=views.LeagueView,
            params=(an_id("league"),),
        ),
        Route(
            *("POST", f"{v1}/leagues/{{id}}/run", contests.run_league, "Run a league now"),
            answer=views.TournamentRef,
            access=Access.ADMIN,
            params=(an_id("league"),),
            status=202,
            problems=(409,),
        ),
        Route(
            *("GET", f"{v1}/evolution", api.list_evolution, "Runs of evolution, newest first"),
            answer=views.EvolutionPage,
            params=(a_game("query", games), _AFTER_NUMBER, a_limit(50)),
        ),
        Route(
            *("GET", f"{v1}/evolution/{{id}}", api.show_evolution, "A run of evolution"),
            answer=views.EvolutionView,
            params=(an_id("run"),),
        ),
        *_tournament_routes(v1, games),
        Route(
            *("GET", "/live", live.follow, "What happens, as server-sent events"),
            answer=live.MEDIA,
            params=(_TOPICS, _SINCE),
            streams=True,
        ),
        Route("GET", "/healthz", api.health, "Whether all is well", views.Health),
        Route("GET", "/metrics", api.show_metrics, "Counters for Prometheus", metrics.MEDIA),
    )


def _rivalry_routes(v1: str, game: Param) -> tuple[Route, ...]:
    one = f"{v1}/bots/{{id}}"
    return (
        Route(
            *("GET", f"{v1}/games/{{game}}/matrix", bot_api.matrix, "The best against each other"),
            answer=views.Matrix,
            params=(game, _DIVISION, _TOP),
            problems=(404,),
            fresh=True,
        ),
        Route(
            *("GET", f"{one}/career", bot_api.career, "What a bot did in its latest matches"),
            answer=views.Career,
            params=(an_id("bot"), _DIVISION),
        ),
        Route(
            *("GET", f"{one}/against/{{other}}", bot_api.against, "Two bots head to head"),
            answer=views.HeadToHead,
            params=(an_id("bot"), _OTHER, _AFTER_NUMBER, a_limit(50)),
        ),
        Route(
            *("GET", f"{one}/versions/{{version}}/source", bot_api.version_source, "Your upload"),
            answer=BYTES,
            access=Access.MEMBER,
            params=(an_id("bot"), _VERSION),
            problems=(403,),
        ),
        Route(
            *("POST", f"{one}/retire", bot_api.retire, "Take a bot of yours off the board"),
            answer=views.BotView,
            access=Access.MEMBER,
            params=(an_id("bot"),),
            problems=(403, 409),
        ),
    )


def _tournament_routes(v1: str, games: Sequence[str]) -> tuple[Route, ...]:
    one = f"{v1}/tournaments/{{id}}"
    tournament = (an_id("tournament"),)
    by_admin: dict[str, Any] = {
        "answer": views.TournamentRef,
        "access": Access.ADMIN,
        "params": tournament,
        "problems": (409,),
    }
    return (
        Route(
            *("GET", f"{v1}/tournaments", contests.list_tournaments, "Tournaments, newest first"),
            answer=views.TournamentPage,
            params=(a_game("query", games), _AFTER_NUMBER, a_limit(50)),
        ),
        Route(
            *("POST", f"{v1}/tournaments", contests.create_tournament, "Create a tournament"),
            answer=views.TournamentRef,
            access=Access.ADMIN,
            body=contests.TournamentBody,
            status=201,
            problems=(404,),
        ),
        Route(
            *("GET", one, contests.show_tournament, "Its rounds, standings and crosstable"),
            answer=views.TournamentView,
            params=tournament,
        ),
        Route(
            *("GET", f"{one}/actions", contests.tournament_actions, "What admins did to it"),
            answer=views.ActionList,
            access=Access.ADMIN,
            params=tournament,
        ),
        Route(
            *("POST", f"{one}/pause", contests.pause_tournament, "Start no more of its matches"),
            **by_admin,
        ),
        Route(*("POST", f"{one}/resume", contests.resume_tournament, "Go on with it"), **by_admin),
        Route(
            *("POST", f"{one}/cancel", contests.cancel_tournament, "End it without a winner"),
            **by_admin,
        ),
        Route(
            *("POST", f"{one}/requeue", contests.requeue_round, "Play a round again"),
            body=contests.RoundBody,
            **by_admin,
        ),
        Route(
            *("POST", f"{one}/withdraw", contests.withdraw_bot, "Let a bot leave it"),
            body=contests.BotBody,
            **by_admin,
        ),
        Route(
            *("POST", f"{v1}/matches/{{id}}/requeue", contests.requeue_match, "Play it again"),
            answer=views.MatchView,
            access=Access.ADMIN,
            params=(an_id("match"),),
            problems=(409,),
        ),
        Route(
            *("POST", f"{v1}/matches/{{id}}/drop", contests.drop_match, "Give it up"),
            answer=views.MatchView,
            access=Access.ADMIN,
            params=(an_id("match"),),
            problems=(409,),
        ),
        Route(
            *("GET", f"{v1}/troubles", contests.show_troubles, "What failed through our fault"),
            answer=views.Troubles,
            access=Access.ADMIN,
        ),
        Route(
            *("GET", f"{v1}/actions", contests.list_actions, "What admins did by hand"),
            answer=views.ActionList,
            access=Access.ADMIN,
        ),
    )


_ANY_GAME = a_text("game", "path", "", "[a-z0-9-]{1,40}")
_ROUND = Param("round", "query", "", {}, whole_number(0, 10**6), default=0)
_PLY = Param("ply", "query", "", {}, whole_number(0, 10**6))
_NEXT = a_text("next", "query", "", ".{0,200}", "")

PAGES = (
    Page("GET", "/", board_pages.home, fresh=True),
    Page(
        *("GET", "/games/{game}", board_pages.leaderboard),
        params=(
            *(_ANY_GAME, _DIVISION, _AFTER_PLACE),
            a_text("kind", "query", "", f"({'|'.join(Kind)})?", ""),
            a_text("search", "query", "", ".{0,40}", ""),
            a_text("on", "query", "", "([0-9]{4}-[0-9]{2}-[0-9]{2})?", ""),
            Param("place", "query", "", {}, whole_number(1, 10**6), default=1),
        ),
        fresh=True,
    ),
    Page(
        *("GET", "/games/{game}/matrix", rivalry_pages.matrix),
        params=(_ANY_GAME, _DIVISION, _TOP),
        fresh=True,
    ),
    Page("GET", "/bots/{id}", bot_pages.bot, params=(an_id("bot"), _DIVISION)),
    Page(
        *("GET", "/bots/{id}/against/{other}", rivalry_pages.against),
        params=(an_id("bot"), _OTHER, _AFTER_NUMBER),
        fresh=True,
    ),
    Page(
        *("GET", "/bots/{id}/versions/{version}", upload_pages.version),
        params=(an_id("bot"), _VERSION),
    ),
    Page(
        *("GET", "/bots/{id}/versions/{version}/source", bot_pages.source),
        access=Access.MEMBER,
        params=(an_id("bot"), _VERSION),
    ),
    Page(
        *("POST", "/bots/{id}/retire", bot_pages.retire),
        access=Access.MEMBER,
        params=(an_id("bot"),),
        form=("csrf",),
    ),
    Page(
        *("GET", "/matches", match_pages.match_list),
        params=(a_text("game", "query", "", "[a-z0-9-]{0,40}"), _BOT, _AFTER_NUMBER),
        fresh=True,
    ),
    Page("GET", "/matches/{id}", match_pages.match, params=(an_id("match"), _PLY)),
    Page("GET", "/matches/{id}/embed", match_pages.embed, params=(an_id("match"), _PLY)),
    Page(
        *("GET", "/evolution", evolution_pages.runs),
        params=(a_text("game", "query", "", "[a-z0-9-]{0,40}"), _AFTER_NUMBER),
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
        params=(a_text("game", "query", "", "[a-z0-9-]{0,40}"), _AFTER_NUMBER),
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
