"""Use cases of tournaments: creating, controlling and showing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import msgspec

from engines.competition import listed
from engines.games import find_game
from ladder.boards.ladders import check_division
from ladder.contests import tables
from ladder.contests.formats import FORMATS, Format, FormatOptions
from ladder.contests.formats.meetings import MOST_ENTRIES
from ladder.contests.rounds import ORDERS, Play, champion_of, options_of, rank
from ladder.contests.standings import ALL, Order
from ladder.cursors import read_number
from ladder.errors import Conflict, NotFound, Refusal
from ladder.people.bot_names import find_bots_in
from ladder.people.names import check_name
from ladder.seeds import new_seed
from ladder.store import Connection, Database, actions, leagues, pairings, tournaments
from ladder.store.database import Row, now
from ladder.values import OPEN_DIVISION, MatchStatus, TournamentStatus
from ladder.views import (
    ActionList,
    ActionView,
    TournamentPage,
    TournamentRef,
    TournamentView,
)

PAIRINGS_SHOWN = 1_100
"""Enough for a bracket of a thousand bots; of a large round robin only the latest rounds."""

CELLS_SHOWN = 100
"""Entries up to which the crosstable is given cell by cell."""

TARGET = "tournament"
"""The target of the admin actions recorded here."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The bots to enter: these, or the best of a division; all of it unless `top` is set.

    Only the newest accepted version of a bot can be entered, and no suspended one.
    """

    bots: Sequence[int | str] | None = None
    """By number, name, or owner and name, such as `ada/mybot`."""
    top: int | None = None
    division: str = OPEN_DIVISION
    per_owner: int | None = None
    """Most bots of one owner; the best ones are entered."""
    house_bots: bool = True
    """Whether house bots are entered. Like `per_owner`, for the best of a division."""


def check_format(game: str, name: str, options: FormatOptions) -> Format:
    """The format; raises `Refusal` if it does not fit the game or the options."""
    form = FORMATS.get(name)
    if form is None:
        raise Refusal(f"there is no format {name[:40]!r}; the formats are {', '.join(FORMATS)}")
    seats = find_game(game).seats
    if form.many_seats and max(seats) < 3:
        raise Refusal(f"a {name} needs a game of more than two seats, which {game} is not")
    if not form.many_seats and 2 not in seats:
        raise Refusal(f"a {name} needs a game for two, which {game} is not; try melee")
    for option in msgspec.to_builtins(options):
        if option not in (*form.options, "seed"):
            known = ", ".join(form.options)
            raise Refusal(
                f"the format {name} has no option {option}; its options are {known}, seed"
            )
    if options.seats is not None and options.seats not in seats:
        raise Refusal(f"{game} is played by {listed(seats)} bots")
    return form


@dataclass(frozen=True, slots=True)
class NewTournament:
    game: str
    format: str
    entered: Selection
    options: FormatOptions = field(default_factory=FormatOptions)
    name: str = ""
    rated: bool = True
    starts_at: datetime | None = None
    """None: now."""


def create(db: Database, new: NewTournament, *, actor: str) -> TournamentRef:
    """Enter bots and queue the first matches, or wait for the start."""
    seats = find_game(new.game).seats
    least = min(seats) if check_format(new.game, new.format, new.options).many_seats else 2
    chosen = new.entered.bots
    if chosen is not None and len(chosen) < least:
        raise Refusal(
            f"{new.game} is played by {listed(seats)} bots; enter at least {least}, "
            f"not {len(chosen)}"
        )
    if new.name:
        new = replace(new, name=check_name(new.name, "a tournament name")[0])
    with db.write() as c:
        row = insert(c, new)
        assert row is not None
        detail = f"{new.format} of {new.game}"
        actions.insert_action(c, actor, "create", TARGET, row.id, detail)
        return ref(c, row.id)


def with_champion(c: Connection, game: str, options: FormatOptions) -> FormatOptions:
    """The options with the number of a champion that is given by name."""
    if options.champion is None:
        return options
    (number,) = find_bots_in(c, game, [options.champion])
    return msgspec.structs.replace(options, champion=number)


def insert(c: Connection, new: NewTournament, league_id: int | None = None) -> Row | None:
    """A new tournament, started if its time has come; None if its league has had that run."""
    options, scheduled_for = with_champion(c, new.game, new.options), new.starts_at or now()
    entered = _choose(c, new.game, new.entered, options)
    seed = options.seed if options.seed is not None else new_seed()
    tournament_id = tournaments.insert_tournament(
        c,
        {
            "name": new.name,
            "league_id": league_id,
            "rated": new.rated,
            "game": new.game,
            "division": new.entered.division,
            "format": new.format,
            "options": msgspec.to_builtins(options),
            "seed": seed,
            "status": TournamentStatus.PENDING,
            "scheduled_for": scheduled_for,
            "created_at": now(),
        },
    )
    if tournament_id is None:
        return None
    tournaments.insert_entries(c, tournament_id, entered)
    row = tournaments.lock(c, tournament_id)
    assert row is not None
    play = Play(c, row)
    if scheduled_for <= now():
        play.start()
    else:
        play.move_to(TournamentStatus.PENDING)
    return row


def _choose(c: Connection, game: str, wanted: Selection, options: FormatOptions) -> list[int]:
    """The versions to enter, best first."""
    check_division(game, wanted.division)
    if wanted.bots is None:
        most = min(wanted.top or MOST_ENTRIES, MOST_ENTRIES)
        chosen = leagues.best(c, game, wanted.division, most, wanted.per_owner, wanted.house_bots)
        if options.champion is None:
            return chosen
        on_board = leagues.standing(
            c, game, wanted.division, find_bots_in(c, game, [options.champion])
        )
        if not set(on_board.values()) & set(chosen):
            raise Refusal(f"bot {options.champion} is not among the entered bots")
        return chosen
    if len(wanted.bots) > MOST_ENTRIES:
        raise Refusal(f"a tournament has at most {MOST_ENTRIES} entries")
    numbers = find_bots_in(c, game, wanted.bots)
    if len(set(numbers)) != len(numbers):
        raise Refusal("a bot can be entered only once")
    found = leagues.standing(c, game, wanted.division, numbers)
    missing = [one for bot, one in zip(numbers, wanted.bots, strict=True) if bot not in found]
    if missing:
        where = "" if wanted.division == OPEN_DIVISION else f" {wanted.division} division"
        raise Refusal(f"bot {missing[0]} has no accepted version in the{where} ladder of {game}")
    if options.champion is not None and options.champion not in found:
        raise Refusal(f"bot {options.champion} is not among the entered bots")
    return list(found.values())


# By hand


def pause(db: Database, tournament_id: int, actor: str) -> TournamentRef:
    """Start none of its matches; running ones are still recorded."""
    return _act(db, tournament_id, actor, "pause")


def resume(db: Database, tournament_id: int, actor: str) -> TournamentRef:
    return _act(db, tournament_id, actor, "resume")


def cancel(db: Database, tournament_id: int, actor: str) -> TournamentRef:
    """End it without a winner; its played matches stay on record."""
    return _act(db, tournament_id, actor, "cancel")


_BECOMES = {
    "pause": TournamentStatus.PAUSED,
    "resume": TournamentStatus.RUNNING,
    "cancel": TournamentStatus.CANCELLED,
}


def _act(db: Database, tournament_id: int, actor: str, action: str) -> TournamentRef:
    with db.write() as c:
        play = _open(c, tournament_id)
        status = _BECOMES[action]
        fits = play.status is TournamentStatus.PAUSED or action != "resume"
        if not fits or not tournaments.set_status(c, tournament_id, status):
            raise Conflict(f"tournament {tournament_id} is {play.status}; it cannot {action}")
        play.move_to(status)
        if action == "cancel":
            pairings.cancel_games(c, tournament_id)
        elif action == "resume":
            play.carry_on(pairings.open_keys(c, tournament_id))
        actions.insert_action(c, actor, action, TARGET, tournament_id)
        return ref(c, tournament_id)


def requeue_round(db: Database, tournament_id: int, number: int, actor: str) -> TournamentRef:
    """Play a round again, and in formats that pair by results all later rounds."""
    with db.write() as c:
        play = _open(c, tournament_id)
        if play.status is TournamentStatus.CANCELLED:
            raise Conflict(f"tournament {tournament_id} is cancelled")
        rows = pairings.round_of(c, tournament_id, number)
        if not rows:
            raise NotFound(f"tournament {tournament_id} has no round {number}")
        play.play_again([(row.round, row.board) for row in rows])
        play.advance()
        actions.insert_action(c, actor, "requeue", TARGET, tournament_id, f"round {number}")
        return ref(c, tournament_id)


def withdraw(db: Database, tournament_id: int, bot_id: int, actor: str) -> TournamentRef:
    """Withdraw a bot; its opponents win its remaining games."""
    with db.write() as c:
        play = _open(c, tournament_id)
        if play.status in (TournamentStatus.FINISHED, TournamentStatus.CANCELLED):
            raise Conflict(f"tournament {tournament_id} is {play.status}")
        seedings = [
            seeding
            for seeding, (_, bot) in tournaments.seated(c, tournament_id).items()
            if bot == bot_id
        ]
        if not seedings:
            raise NotFound(f"bot {bot_id} is not entered in tournament {tournament_id}")
        play.withdraw(seedings)
        actions.insert_action(c, actor, "withdraw", TARGET, tournament_id, f"bot {bot_id}")
        return ref(c, tournament_id)


def _open(c: Connection, tournament_id: int) -> Play:
    row = tournaments.lock(c, tournament_id)
    if row is None:
        raise NotFound(f"there is no tournament {tournament_id}")
    return Play(c, row)


def carry_on(db: Database, at: datetime | None = None) -> list[int]:
    """Start due tournaments and advance running ones; any server may do so at any time.

    Results advance a tournament by themselves; this handles everything else.
    """
    with db.read() as c:
        due = tournaments.due(c, at or now())
        running = tournaments.running(c)
        leftovers = pairings.leftovers(c)
    if leftovers:
        with db.write() as c:
            pairings.cancel_queued(c, leftovers)
    for tournament_id in due:
        with db.write() as c:
            play = _open(c, tournament_id)
            if play.status is TournamentStatus.PENDING and play.installed:
                play.start()
    for tournament_id in running:
        with db.write() as c:
            play = _open(c, tournament_id)
            if play.status is TournamentStatus.RUNNING and play.installed:
                play.carry_on()
    return due


def is_stuck(db: Database, tournament_id: int) -> bool:
    """Whether all its remaining games wait for an admin."""
    with db.read() as c:
        counts = pairings.count_matches(c, tournament_id)
    waits = counts.get(MatchStatus.QUEUED, 0) + counts.get(MatchStatus.LEASED, 0)
    return not waits and counts.get(MatchStatus.PARKED, 0) > 0


# Showing


def page(db: Database, game: str | None, after: str | None, limit: int) -> TournamentPage:
    if game is not None:
        find_game(game)
    with db.read() as c:
        rows = tournaments.page(c, game, read_number(after), limit)
    refs = [replace(_ref(row), winner=row.won_by, winner_owner=row.won_by_owner) for row in rows]
    return TournamentPage(refs, str(refs[-1].id) if len(refs) == limit else None)


def ref(c: Connection, tournament_id: int) -> TournamentRef:
    row = tournaments.tournament(c, tournament_id)
    assert row is not None
    return _ref(row)


def _ref(row: Row) -> TournamentRef:
    return TournamentRef(
        id=row.id,
        status=row.status,
        scheduled_for=row.scheduled_for,
        finished_at=row.finished_at,
        name=title(row),
        game=row.game,
        format=row.format,
        league_id=row.league_id,
    )


def title(row: Row) -> str:
    """The name that people see."""
    return str(row.name or row.league or row.format)


def audit_log(db: Database, tournament_id: int) -> ActionList:
    """The admin actions on a tournament."""
    with db.read() as c:
        if tournaments.tournament(c, tournament_id) is None:
            raise NotFound(f"there is no tournament {tournament_id}")
        rows = actions.actions(c, TARGET, tournament_id)
    return ActionList([action_view(row) for row in rows])


def action_view(row: Row) -> ActionView:
    return ActionView(row.at, row.actor, row.action, row.target, row.target_id, row.detail)


def tournament(
    db: Database, tournament_id: int, rows: slice = ALL, round: int | None = None
) -> TournamentView:
    """A tournament in full; `rows` limits the rows of the grid.

    With `round` that round alone (0: the latest), unless the standings need all of them.
    """
    with db.read() as c:
        row = tournaments.tournament(c, tournament_id)
        if row is None:
            raise NotFound(f"there is no tournament {tournament_id}")
        entries = tournaments.entries(c, tournament_id)
        counts = pairings.count_matches(c, tournament_id)
        above = max(0, row.rounds_made - PAIRINGS_SHOWN // max(1, len(entries) // 2))
        last = None
        if round is not None and not _all(row):
            last = round or row.rounds_made
            above = last - 1
        above = 0 if _all(row) else above
        boards = pairings.pairings(c, tournament_id, above=above, last=last)
        lowest = boards[0].round if boards else 0
        match_ids = pairings.match_ids(c, tournament_id, lowest, last)
        parked = pairings.parked(c, tournament_id)
        open_round = pairings.first_open_round(c, tournament_id)
    form, options = FORMATS[row.format], options_of(row)
    records = [tournaments.read_record(entry, len(entries)) for entry in entries]
    table = rank(row, records, boards)
    standings = [tables.standing(line, entries) for line in table.lines]
    made = sum(counts.values()) - counts.get(MatchStatus.CANCELLED, 0)
    planned = form.games(len(entries), options) or 0
    over = row.status in (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
    winner = next((e for e in entries if e.seeding == row.winner), None)
    return TournamentView(
        id=row.id,
        name=title(row),
        league_id=row.league_id,
        league=row.league,
        game=row.game,
        division=row.division,
        format=row.format,
        options=row.options,
        rated=row.rated,
        status=row.status,
        scheduled_for=row.scheduled_for,
        finished_at=row.finished_at,
        rounds_made=row.rounds_made,
        rounds_planned=form.rounds(len(entries), options),
        matches=made if over else max(made, planned),
        matches_finished=counts.get(MatchStatus.FINISHED, 0),
        parked=parked,
        entries=[tables.entry_view(entry) for entry in entries],
        rounds=tables.round_views(boards, match_ids),
        standings=standings,
        tie_breaks=_tie_breaks(row.format, form),
        prizes=tables.prizes(row.game, standings, entries),
        crosstable=tables.crosstable(table) if len(entries) <= CELLS_SHOWN else [],
        grid=table.grid(rows),
        winner=winner.bot if winner else None,
        winner_owner=winner.owner if winner else None,
        champion=_champion(row.format, options, entries),
        current_round=open_round or row.rounds_made,
    )


def _champion(form: str, options: FormatOptions, entries: Sequence[Row]) -> int | None:
    """The seeding of the bot that meets all others, in a format that has such a bot."""
    if "champion" not in FORMATS[form].options or not entries:
        return None
    return champion_of({entry.bot_id: entry.seeding for entry in entries}, options)


def _all(row: Row) -> bool:
    """Whether the standings need all rounds."""
    return FORMATS[row.format].knockout


def _tie_breaks(name: str, form: Format) -> str:
    if form.knockout:
        return "the round reached"
    return str(ORDERS.get(name, Order.POINTS).value)
