"""The rows of the API's route table about leagues, tournaments and the work of admins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ladder import views
from ladder.web.api import contests
from ladder.web.http.auth import Access
from ladder.web.http.endpoint import Route
from ladder.web.http.inputs import AFTER_NUMBER, game_param, id_param, limit_param


def contest_routes(v1: str, games: Sequence[str]) -> tuple[Route, ...]:
    return (
        Route("GET", f"{v1}/leagues", contests.list_leagues, "The leagues", views.LeagueList),
        Route(
            "POST",
            f"{v1}/leagues",
            contests.create_league,
            "Create a league",
            answer=views.LeagueView,
            access=Access.ADMIN,
            body=contests.LeagueBody,
            status=201,
            problems=(404, 409),
        ),
        Route(
            "GET",
            f"{v1}/leagues/{{id}}",
            contests.show_league,
            "A league and its latest runs",
            answer=views.LeagueView,
            params=(id_param("league"),),
        ),
        Route(
            "POST",
            f"{v1}/leagues/{{id}}/run",
            contests.run_league,
            "Run a league now",
            answer=views.TournamentRef,
            access=Access.ADMIN,
            params=(id_param("league"),),
            status=202,
            problems=(409,),
        ),
        *_tournament_routes(v1, games),
    )


def _tournament_routes(v1: str, games: Sequence[str]) -> tuple[Route, ...]:
    one = f"{v1}/tournaments/{{id}}"
    tournament = (id_param("tournament"),)
    by_admin: dict[str, Any] = {
        "answer": views.TournamentRef,
        "access": Access.ADMIN,
        "params": tournament,
        "problems": (409,),
    }
    return (
        Route(
            "GET",
            f"{v1}/tournaments",
            contests.list_tournaments,
            "Tournaments, newest first",
            answer=views.TournamentPage,
            params=(game_param("query", games), AFTER_NUMBER, limit_param(50)),
        ),
        Route(
            "POST",
            f"{v1}/tournaments",
            contests.create_tournament,
            "Create a tournament",
            answer=views.TournamentRef,
            access=Access.ADMIN,
            body=contests.TournamentBody,
            status=201,
            problems=(404,),
        ),
        Route(
            "GET",
            one,
            contests.show_tournament,
            "A tournament with rounds, standings and crosstable",
            answer=views.TournamentView,
            params=tournament,
        ),
        Route(
            "GET",
            f"{one}/actions",
            contests.tournament_actions,
            "Actions of admins on a tournament",
            answer=views.ActionList,
            access=Access.ADMIN,
            params=tournament,
        ),
        Route(
            "POST",
            f"{one}/pause",
            contests.pause_tournament,
            "Pause a tournament",
            **by_admin,
        ),
        Route(
            "POST", f"{one}/resume", contests.resume_tournament, "Resume a tournament", **by_admin
        ),
        Route(
            "POST",
            f"{one}/cancel",
            contests.cancel_tournament,
            "End a tournament without a winner",
            **by_admin,
        ),
        Route(
            "POST",
            f"{one}/requeue",
            contests.requeue_round,
            "Play a round again",
            body=contests.RoundBody,
            **by_admin,
        ),
        Route(
            "POST",
            f"{one}/withdraw",
            contests.withdraw_bot,
            "Withdraw a bot from a tournament",
            body=contests.BotBody,
            **by_admin,
        ),
        Route(
            "POST",
            f"{v1}/matches/{{id}}/requeue",
            contests.requeue_match,
            "Play a failed match again",
            answer=views.MatchView,
            access=Access.ADMIN,
            params=(id_param("match"),),
            problems=(409,),
        ),
        Route(
            "POST",
            f"{v1}/matches/{{id}}/drop",
            contests.drop_match,
            "Give a failed match up",
            answer=views.MatchView,
            access=Access.ADMIN,
            params=(id_param("match"),),
            problems=(409,),
        ),
        Route(
            "GET",
            f"{v1}/troubles",
            contests.show_troubles,
            "Matches that failed through our fault",
            answer=views.Troubles,
            access=Access.ADMIN,
        ),
        Route(
            "GET",
            f"{v1}/actions",
            contests.list_actions,
            "Latest actions of admins",
            answer=views.ActionList,
            access=Access.ADMIN,
        ),
    )
