"""The table of the API's routes, from which its OpenAPI document is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ladder import views
from ladder.events import news
from ladder.runner.pictures import MOST_FRAMES
from ladder.web.api import bots, contests, operations, replays
from ladder.web.http import live, metrics
from ladder.web.http.auth import Access
from ladder.web.http.bodies import UploadForm
from ladder.web.http.endpoint import Route
from ladder.web.http.inputs import (
    AFTER_NUMBER,
    AFTER_PLACE,
    BOT,
    DIVISION,
    MAX_ID,
    OTHER,
    TOP,
    VERSION,
    Param,
    a_game,
    a_limit,
    a_number,
    a_text,
    an_id,
    whole_number,
)
from ladder.web.http.site import BYTES, CSV, JSON, TEXT
from ladder.web.pictures.replays import MOST_PICTURES

_SHA256 = a_text("sha256", "path", "SHA-256 of the uploaded file.", "[0-9a-f]{64}")
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

_FRAMES = (
    a_number("first", "Number of the first picture.", 0, MOST_PICTURES, 0),
    a_number("count", "How many pictures at most.", 1, MOST_FRAMES, MOST_FRAMES),
    a_number("stride", "From the number of a picture to that of the next.", 1, MOST_PICTURES, 1),
    a_number("instance", "Of a puzzle: which instance, from 0.", 0, MOST_PICTURES, 0),
)


def api_routes(games: Sequence[str]) -> tuple[Route, ...]:
    """The whole API, for the games that are played here."""
    game = a_game("path", games)
    v1 = "/api/v1"
    return (
        Route("GET", f"{v1}/openapi.json", operations.openapi, "This document", JSON),
        Route(
            *("POST", f"{v1}/accounts", operations.create_account, "Create an account"),
            answer=views.NewAccount,
            body=operations.AccountBody,
            status=201,
            problems=(403, 409, 429),
        ),
        Route(
            *("GET", f"{v1}/account", operations.who_am_i, "Whose token this is"),
            answer=views.AccountView,
            access=Access.MEMBER,
        ),
        Route(
            *(
                "POST",
                f"{v1}/account/token",
                operations.replace_token,
                "A new token for all your old ones",
            ),
            answer=views.NewAccount,
            access=Access.MEMBER,
            status=201,
        ),
        Route("GET", f"{v1}/games", operations.list_games, "The games", views.GameList),
        Route(
            *(
                "GET",
                f"{v1}/games/{{game}}/leaderboard",
                operations.leaderboard,
                "Bots, best first",
            ),
            answer=views.BoardPage,
            params=(game, DIVISION, AFTER_PLACE, a_limit(100)),
            fresh=True,
        ),
        Route(
            *(
                "GET",
                f"{v1}/games/{{game}}/ratings.csv",
                operations.ratings_csv,
                "The whole leaderboard",
            ),
            answer=CSV,
            params=(game, DIVISION),
        ),
        Route(
            *(
                "GET",
                f"{v1}/games/{{game}}/results.csv",
                operations.results_csv,
                "All finished matches",
            ),
            answer=CSV,
            params=(game,),
        ),
        Route(
            *(
                "POST",
                f"{v1}/bots",
                operations.submit_bot,
                "Upload a bot, or a new version of yours",
            ),
            answer=views.Submission,
            access=Access.MEMBER,
            body=UploadForm,
            status=202,
            problems=(404, 409, 422, 429, 503),
        ),
        Route(
            *("GET", f"{v1}/bots", operations.my_bots, "Your bots"),
            answer=operations.BotList,
            access=Access.MEMBER,
        ),
        Route(
            *(
                "GET",
                f"{v1}/bots/{{id}}",
                operations.show_bot,
                "A bot, its versions and its rating",
            ),
            answer=views.BotView,
            access=Access.READER,
            params=(an_id("bot"),),
        ),
        Route(
            *("GET", f"{v1}/bots/{{id}}/versions/{{version}}", operations.show_validation),
            summary="How the validation of a version goes",
            answer=views.ValidationView,
            access=Access.READER,
            params=(an_id("bot"), VERSION),
        ),
        Route(
            *(
                "GET",
                f"{v1}/bots/{{id}}/history",
                operations.bot_history,
                "How its rating came to be",
            ),
            answer=views.HistoryPage,
            params=(an_id("bot"), DIVISION, AFTER_NUMBER, a_limit(100)),
        ),
        *_rivalry_routes(v1, game),
        Route(
            *(
                "GET",
                f"{v1}/versions/{{sha256}}",
                operations.show_versions,
                "Who entered this file",
            ),
            answer=views.VersionList,
            access=Access.READER,
            params=(_SHA256,),
        ),
        Route(
            *(
                "GET",
                f"{v1}/versions/{{sha256}}/program",
                operations.show_program,
                "The text of a program",
            ),
            answer=TEXT,
            params=(_SHA256,),
        ),
        Route(
            *("GET", f"{v1}/matches", operations.list_matches, "Matches, newest first"),
            answer=views.MatchPage,
            params=(a_game("query", games), BOT, AFTER_NUMBER, a_limit(50)),
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
            *("GET", f"{v1}/matches/{{id}}", operations.show_match, "A match"),
            answer=views.MatchView,
            params=(an_id("match"),),
        ),
        Route(
            *(
                "GET",
                f"{v1}/matches/{{id}}/replay",
                operations.match_replay,
                "Its course, once finished",
            ),
            answer=JSON,
            params=(an_id("match"),),
            problems=(304, 410),
        ),
        Route(
            *("GET", f"{v1}/matches/{{id}}/frames", replays.frames, "Its course, drawn"),
            answer=views.FrameList,
            params=(an_id("match"), *_FRAMES),
            problems=(304, 410, 422),
        ),
        Route(
            *("GET", f"{v1}/matches/{{id}}/record", replays.record, "A file for other programs"),
            answer=TEXT,
            params=(an_id("match"),),
            problems=(410, 422),
        ),
        Route(
            *(
                "GET",
                f"{v1}/matches/{{id}}/logs",
                operations.match_logs,
                "What your bots left behind",
            ),
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
            *(
                "GET",
                f"{v1}/evolution",
                operations.list_evolution,
                "Runs of evolution, newest first",
            ),
            answer=views.EvolutionPage,
            params=(a_game("query", games), AFTER_NUMBER, a_limit(50)),
        ),
        Route(
            *("GET", f"{v1}/evolution/{{id}}", operations.show_evolution, "A run of evolution"),
            answer=views.EvolutionView,
            params=(an_id("run"),),
        ),
        *_tournament_routes(v1, games),
        Route(
            *("GET", "/live", live.follow, "What happens, as server-sent events"),
            answer=live.MEDIA,
            params=(_TOPICS, _SINCE),
            streams=news.KINDS,
        ),
        Route("GET", "/healthz", operations.health, "Whether all is well", views.Health),
        Route("GET", "/metrics", operations.show_metrics, "Counters for Prometheus", metrics.MEDIA),
    )


def _rivalry_routes(v1: str, game: Param) -> tuple[Route, ...]:
    one = f"{v1}/bots/{{id}}"
    return (
        Route(
            *("GET", f"{v1}/games/{{game}}/matrix", bots.matrix, "The best against each other"),
            answer=views.Matrix,
            params=(game, DIVISION, TOP),
            problems=(404,),
            fresh=True,
        ),
        Route(
            *("GET", f"{one}/career", bots.career, "What a bot did in its latest matches"),
            answer=views.Career,
            params=(an_id("bot"), DIVISION),
        ),
        Route(
            *("GET", f"{one}/against/{{other}}", bots.against, "Two bots head to head"),
            answer=views.HeadToHead,
            params=(an_id("bot"), OTHER, AFTER_NUMBER, a_limit(50)),
        ),
        Route(
            *("GET", f"{one}/versions/{{version}}/source", bots.version_source, "Your upload"),
            answer=BYTES,
            access=Access.MEMBER,
            params=(an_id("bot"), VERSION),
            problems=(403,),
        ),
        Route(
            *("POST", f"{one}/retire", bots.retire, "Take a bot of yours off the board"),
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
            params=(a_game("query", games), AFTER_NUMBER, a_limit(50)),
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
