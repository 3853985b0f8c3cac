"""The route table of the API. Its OpenAPI document is made from it."""

from __future__ import annotations

from collections.abc import Sequence

from ladder import views
from ladder.events import news
from ladder.runner.pictures import MOST_FRAMES
from ladder.web.api import bots, contests, operations, replays
from ladder.web.api.contest_routes import contest_routes
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
    game_param,
    id_param,
    limit_param,
    number_param,
    text_param,
    whole_number,
)
from ladder.web.http.site import BYTES, CSV, JSON, TEXT
from ladder.web.pictures.replays import MOST_PICTURES

_SHA256 = text_param("sha256", "path", "SHA-256 of the uploaded file.", "[0-9a-f]{64}")
_TOPICS = text_param(
    "topics",
    "query",
    "Topics to follow, such as `matches`, `tournaments`, `evolution`, `game:reversi`, `bot:12`, "
    "`match:7`, `tournament:3`, `league:1`, `version:9`, `owner:2`; separated by commas.",
    f"{live.TOPIC}(,{live.TOPIC}){{0,{live.MOST_TOPICS - 1}}}",
    news.MATCHES,
)
_SINCE = Param(
    "since",
    "query",
    "Number of the last event that you have; the header `Last-Event-ID` takes precedence.",
    {"type": "integer", "minimum": 0, "maximum": MAX_ID},
    whole_number(0, MAX_ID),
)

_FRAMES = (
    number_param("first", "Number of the first picture.", 0, MOST_PICTURES, 0),
    number_param("count", "The most pictures to return.", 1, MOST_FRAMES, MOST_FRAMES),
    number_param("stride", "Step between the numbers of two pictures.", 1, MOST_PICTURES, 1),
    number_param("instance", "Number of a puzzle's instance, from 0.", 0, MOST_PICTURES, 0),
)


def api_routes(games: Sequence[str]) -> tuple[Route, ...]:
    """The whole API, for the games of this server."""
    game = game_param("path", games)
    v1 = "/api/v1"
    return (
        Route("GET", f"{v1}/openapi.json", operations.openapi, "This document", JSON),
        Route(
            "POST",
            f"{v1}/accounts",
            operations.create_account,
            "Create an account",
            answer=views.NewAccount,
            body=operations.AccountBody,
            status=201,
            problems=(403, 409, 429),
        ),
        Route(
            "GET",
            f"{v1}/account",
            operations.who_am_i,
            "The account of your token",
            answer=views.AccountView,
            access=Access.MEMBER,
        ),
        Route(
            "POST",
            f"{v1}/account/token",
            operations.replace_token,
            "Replace all your tokens by a new one",
            answer=views.NewAccount,
            access=Access.MEMBER,
            status=201,
        ),
        Route("GET", f"{v1}/games", operations.list_games, "The games", views.GameList),
        Route(
            "GET",
            f"{v1}/games/{{game}}/leaderboard",
            operations.leaderboard,
            "Bots, best first",
            answer=views.BoardPage,
            params=(game, DIVISION, AFTER_PLACE, limit_param(100)),
            cached=True,
        ),
        Route(
            "GET",
            f"{v1}/games/{{game}}/ratings.csv",
            operations.ratings_csv,
            "The whole leaderboard",
            answer=CSV,
            params=(game, DIVISION),
        ),
        Route(
            "GET",
            f"{v1}/games/{{game}}/results.csv",
            operations.results_csv,
            "All finished matches",
            answer=CSV,
            params=(game,),
        ),
        Route(
            "POST",
            f"{v1}/bots",
            operations.submit_bot,
            "Upload a bot, or a new version of yours",
            answer=views.Submission,
            access=Access.MEMBER,
            body=UploadForm,
            status=202,
            problems=(404, 409, 422, 429, 503),
        ),
        Route(
            "GET",
            f"{v1}/bots",
            operations.my_bots,
            "Your bots",
            answer=operations.BotList,
            access=Access.MEMBER,
        ),
        Route(
            "GET",
            f"{v1}/bots/{{id}}",
            operations.show_bot,
            "A bot, its versions and its rating",
            answer=views.BotView,
            access=Access.READER,
            params=(id_param("bot"),),
        ),
        Route(
            "GET",
            f"{v1}/bots/{{id}}/versions/{{version}}",
            operations.show_validation,
            summary="A version and its validation",
            answer=views.ValidationView,
            access=Access.READER,
            params=(id_param("bot"), VERSION),
        ),
        Route(
            "GET",
            f"{v1}/bots/{{id}}/history",
            operations.bot_history,
            "The rating after each match",
            answer=views.HistoryPage,
            params=(id_param("bot"), DIVISION, AFTER_NUMBER, limit_param(100)),
        ),
        *_rivalry_routes(v1, game),
        Route(
            "GET",
            f"{v1}/versions/{{sha256}}",
            operations.show_versions,
            "The versions with this file",
            answer=views.VersionList,
            access=Access.READER,
            params=(_SHA256,),
        ),
        Route(
            "GET",
            f"{v1}/versions/{{sha256}}/program",
            operations.show_program,
            "The text of a program",
            answer=TEXT,
            params=(_SHA256,),
        ),
        Route(
            "GET",
            f"{v1}/matches",
            operations.list_matches,
            "Matches, newest first",
            answer=views.MatchPage,
            params=(game_param("query", games), BOT, AFTER_NUMBER, limit_param(50)),
            problems=(404,),
        ),
        Route(
            "POST",
            f"{v1}/matches",
            contests.create_challenge,
            "Ask for unrated matches",
            answer=views.ChallengeView,
            access=Access.MEMBER,
            body=contests.ChallengeBody,
            status=202,
            problems=(403, 404, 429),
        ),
        Route(
            "GET",
            f"{v1}/matches/{{id}}",
            operations.show_match,
            "A match",
            answer=views.MatchView,
            params=(id_param("match"),),
        ),
        Route(
            "GET",
            f"{v1}/matches/{{id}}/replay",
            operations.match_replay,
            "The replay of a finished match",
            answer=JSON,
            params=(id_param("match"),),
            problems=(304, 410),
        ),
        Route(
            "GET",
            f"{v1}/matches/{{id}}/frames",
            replays.frames,
            "Pictures of a match",
            answer=views.FrameList,
            params=(id_param("match"), *_FRAMES),
            problems=(304, 410, 422),
        ),
        Route(
            "GET",
            f"{v1}/matches/{{id}}/record",
            replays.record,
            "A file for other programs",
            answer=TEXT,
            params=(id_param("match"),),
            problems=(410, 422),
        ),
        Route(
            "GET",
            f"{v1}/matches/{{id}}/logs",
            operations.match_logs,
            "Standard error and complaints of your bots",
            answer=views.MatchLogs,
            access=Access.MEMBER,
            params=(id_param("match"),),
            problems=(403, 410),
        ),
        Route(
            "GET",
            f"{v1}/evolution",
            operations.list_evolution,
            "Runs of evolution, newest first",
            answer=views.EvolutionPage,
            params=(game_param("query", games), AFTER_NUMBER, limit_param(50)),
        ),
        Route(
            "GET",
            f"{v1}/evolution/{{id}}",
            operations.show_evolution,
            "A run of evolution",
            answer=views.EvolutionView,
            params=(id_param("run"),),
        ),
        *contest_routes(v1, games),
        Route(
            "GET",
            "/live",
            live.follow,
            "Live events, as server-sent events",
            answer=live.MEDIA,
            params=(_TOPICS, _SINCE),
            streams=news.KINDS,
        ),
        Route("GET", "/healthz", operations.health, "The health of the server", views.Health),
        Route("GET", "/metrics", operations.show_metrics, "Counters for Prometheus", metrics.MEDIA),
    )


def _rivalry_routes(v1: str, game: Param) -> tuple[Route, ...]:
    one = f"{v1}/bots/{{id}}"
    return (
        Route(
            "GET",
            f"{v1}/games/{{game}}/matrix",
            bots.matrix,
            "The best against each other",
            answer=views.Matrix,
            params=(game, DIVISION, TOP),
            problems=(404,),
            cached=True,
        ),
        Route(
            "GET",
            f"{one}/career",
            bots.career,
            "The latest matches of a bot",
            answer=views.Career,
            params=(id_param("bot"), DIVISION),
        ),
        Route(
            "GET",
            f"{one}/against/{{other}}",
            bots.against,
            "Two bots head to head",
            answer=views.HeadToHead,
            params=(id_param("bot"), OTHER, AFTER_NUMBER, limit_param(50)),
        ),
        Route(
            "GET",
            f"{one}/versions/{{version}}/source",
            bots.version_source,
            "Your upload",
            answer=BYTES,
            access=Access.MEMBER,
            params=(id_param("bot"), VERSION),
            problems=(403,),
        ),
        Route(
            "POST",
            f"{one}/retire",
            bots.retire,
            "Take a bot of yours off the board",
            answer=views.BotView,
            access=Access.MEMBER,
            params=(id_param("bot"),),
            problems=(403, 409),
        ),
    )
