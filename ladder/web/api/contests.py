"""Operations of the API: tournaments, leagues, challenges and failed matches."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from ladder.admin import repairs
from ladder.contests import leagues, tournaments
from ladder.contests.formats import FORMATS, FormatOptions
from ladder.contests.formats.meetings import MOST_ENTRIES
from ladder.contests.tournaments import Selection
from ladder.matches import listing
from ladder.people import bot_names
from ladder.values import OPEN_DIVISION
from ladder.views import (
    ActionList,
    ChallengeView,
    LeagueList,
    LeagueView,
    MatchView,
    TournamentPage,
    TournamentRef,
    TournamentView,
    Troubles,
)
from ladder.web import intake
from ladder.web.http.inputs import ANY_TEXT, MAX_ID, NAME_SCHEMA
from ladder.web.http.site import Request

BotId = Annotated[int, msgspec.Meta(ge=1, le=MAX_ID)]
BotName = Annotated[str, msgspec.Meta(min_length=1, max_length=bot_names.LONGEST, pattern=ANY_TEXT)]
"""`owner/name`, or `name` where only one bot of the game has it."""
GameName = Annotated[str, msgspec.Meta(max_length=40)]
FormatName = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(FORMATS)})]
DivisionName = Annotated[str, msgspec.Meta(max_length=20)]
Name = Annotated[str, msgspec.Meta(extra_json_schema=NAME_SCHEMA)]


class LeagueBody(msgspec.Struct, forbid_unknown_fields=True):
    game: GameName
    name: Name
    division: DivisionName = OPEN_DIVISION
    cron: Annotated[str, msgspec.Meta(max_length=200, pattern=ANY_TEXT)] | None = None
    timezone: Annotated[str, msgspec.Meta(max_length=80, pattern=ANY_TEXT)] | None = None
    size: Annotated[int, msgspec.Meta(ge=2, le=MOST_ENTRIES)] | None = None
    format: FormatName | None = None
    options: FormatOptions = FormatOptions()
    per_owner: Annotated[int, msgspec.Meta(ge=1, le=MOST_ENTRIES)] | None = None
    rated: bool = True


class TournamentBody(msgspec.Struct, forbid_unknown_fields=True):
    game: GameName
    format: FormatName
    bots: Annotated[list[BotId | BotName], msgspec.Meta(max_length=MOST_ENTRIES)] | None = None
    """The bots to enter: numbers, names, or owner and name such as `ada/mybot`."""
    top: Annotated[int, msgspec.Meta(ge=1, le=MOST_ENTRIES)] | None = None
    """Without `bots`: the number of the best bots to enter; all of them if null."""
    division: DivisionName = OPEN_DIVISION
    per_owner: Annotated[int, msgspec.Meta(ge=1, le=MOST_ENTRIES)] | None = None
    """Without `bots`: most bots of one owner."""
    options: FormatOptions = FormatOptions()
    name: Annotated[str, msgspec.Meta(max_length=200, pattern=ANY_TEXT)] = ""
    rated: bool = True
    starts_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    """The time of its start, with a time zone; now if null."""
    house_bots: bool = True
    """Without `bots`: whether house bots are entered."""


class ChallengeBody(msgspec.Struct, forbid_unknown_fields=True):
    game: GameName
    bots: Annotated[list[BotId | BotName], msgspec.Meta(min_length=1, max_length=100)]
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] | None = None
    games: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1


class RoundBody(msgspec.Struct, forbid_unknown_fields=True):
    round: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]


class BotBody(msgspec.Struct, forbid_unknown_fields=True):
    bot: BotId | BotName


def create_challenge(request: Request, body: ChallengeBody) -> ChallengeView:
    bots = bot_names.find_bots(request.site.db, body.game, body.bots)
    return intake.challenge(request, body.game, bots, body.seed, body.games)


def show_troubles(request: Request) -> Troubles:
    return repairs.troubles(request.site.db)


def list_actions(request: Request) -> ActionList:
    return repairs.latest_actions(request.site.db)


def requeue_match(request: Request, id: int) -> MatchView:
    repairs.requeue(request.site.db, id, request.member.name)
    return listing.get(request.site.db, id)


def drop_match(request: Request, id: int) -> MatchView:
    repairs.drop(request.site.db, id, request.member.name)
    return listing.get(request.site.db, id)


def list_leagues(request: Request) -> LeagueList:
    return leagues.all_leagues(request.site.db)


def show_league(request: Request, id: int) -> LeagueView:
    return leagues.league(request.site.db, id)


def create_league(request: Request, body: LeagueBody) -> LeagueView:
    settings = request.site.settings
    return leagues.create_league(
        request.site.db,
        leagues.NewLeague(
            body.game,
            body.name,
            body.division,
            body.cron or settings.league_cron,
            body.timezone or settings.league_timezone,
            body.size or settings.league_size,
            format=body.format,
            options=body.options,
            per_owner=body.per_owner,
            rated=body.rated,
        ),
        actor=request.member.name,
    )


def run_league(request: Request, id: int) -> TournamentRef:
    return leagues.run_league(request.site.db, id, actor=request.member.name)


def list_tournaments(
    request: Request, game: str | None, after: str | None, limit: int
) -> TournamentPage:
    return tournaments.page(request.site.db, game, after, limit)


def show_tournament(request: Request, id: int) -> TournamentView:
    return tournaments.tournament(request.site.db, id)


def create_tournament(request: Request, body: TournamentBody) -> TournamentRef:
    return tournaments.create(
        request.site.db,
        tournaments.NewTournament(
            body.game,
            body.format,
            Selection(body.bots, body.top, body.division, body.per_owner, body.house_bots),
            body.options,
            name=body.name,
            rated=body.rated,
            starts_at=body.starts_at,
        ),
        actor=request.member.name,
    )


def pause_tournament(request: Request, id: int) -> TournamentRef:
    return tournaments.pause(request.site.db, id, request.member.name)


def resume_tournament(request: Request, id: int) -> TournamentRef:
    return tournaments.resume(request.site.db, id, request.member.name)


def cancel_tournament(request: Request, id: int) -> TournamentRef:
    return tournaments.cancel(request.site.db, id, request.member.name)


def requeue_round(request: Request, id: int, body: RoundBody) -> TournamentRef:
    return tournaments.requeue_round(request.site.db, id, body.round, request.member.name)


def withdraw_bot(request: Request, id: int, body: BotBody) -> TournamentRef:
    game = tournaments.tournament(request.site.db, id).game
    (bot,) = bot_names.find_bots(request.site.db, game, [body.bot])
    return tournaments.withdraw(request.site.db, id, bot, request.member.name)


def tournament_actions(request: Request, id: int) -> ActionList:
    return tournaments.audit_log(request.site.db, id)
