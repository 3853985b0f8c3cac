"""Advances a tournament: counts results, withdraws bots, pairs the next round, and ends it.

All of it happens in the transaction of the caller, under the lock of the tournament's row. The
consequences of a result are therefore stored together with it or not at all. The next step is a
pure function of the stored rows: a tournament that is interrupted anywhere continues to the same
end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from engines.games import find_game
from ladder.boards.ladders import installed
from ladder.contests.formats import FORMATS, Contestant, Format, FormatOptions, Meeting, Past, Stage
from ladder.contests.formats.elimination import best_of, first_games, judge
from ladder.contests.formats.round_robin import legs
from ladder.contests.standings import Order, Standings, bracket_places
from ladder.events import news
from ladder.scoring.tallies import (
    EntryRecord,
    GameResult,
    MeetingTally,
    add_up,
    nothing,
    read_tally,
    walkover,
)
from ladder.seeds import SEED_BITS
from ladder.store import Connection, pairings, tournaments
from ladder.store.database import Row, now
from ladder.store.pairings import OPEN_MATCHES, Key, NewGame, PlayedGame
from ladder.values import MatchStatus, TournamentStatus

AHEAD = 400
"""Open pairings up to which further rounds are paired, if these do not depend on results. Workers
then never wait for the end of a round, and a tournament of a thousand bots is not queued at once.
"""


ORDERS = {"swiss": Order.SWISS, "gauntlet": Order.SHARE}
"""Formats with other tie-breaks than points and then the games between equals."""


def options_of(row: Row) -> FormatOptions:
    """The options of a tournament or league."""
    return msgspec.convert(row.options, FormatOptions)


def champion_of(seedings: Mapping[int, int], options: FormatOptions) -> int:
    """Seeding of the bot that runs a gauntlet, from the seedings by bot: the best, unless named."""
    return seedings.get(options.champion, 1) if isinstance(options.champion, int) else 1


def count_results(c: Connection, match_ids: Sequence[int], suspended: Sequence[int] = ()) -> None:
    """Count finished matches and suspended versions in their tournaments."""
    touched = pairings.keys_of(c, match_ids) if match_ids else {}
    for tournament_id in sorted({*touched, *tournaments.entered_in(c, suspended)}):
        found = tournaments.lock(c, tournament_id)
        assert found is not None
        Play(c, found).carry_on(touched.get(tournament_id, []), check_fitness=bool(suspended))


class Play:
    """A tournament under its lock, inside one transaction."""

    def __init__(self, c: Connection, row: Row) -> None:
        self.c = c
        self.row = row
        self.id: int = row.id
        self.form: Format = FORMATS[row.format]
        self.options = options_of(row)
        self.count = tournaments.count_entries(c, row.id)
        self.status: TournamentStatus = row.status
        self.made: int = row.rounds_made
        self._seats: Mapping[int, tuple[int, int]] | None = None

    @property
    def installed(self) -> bool:
        """Whether its game is installed here; if not, the tournament waits."""
        return installed(self.row.game) is not None

    def carry_on(self, keys: Iterable[Key] = (), check_fitness: bool = True) -> None:
        """Count new results of these pairings, and pair further rounds."""
        changed = set(keys)
        if check_fitness and (unfit := tournaments.unfit(self.c, self.id)):
            changed |= self._leave(unfit)
        self.settle(changed)
        self.advance()

    def start(self) -> None:
        if tournaments.set_status(self.c, self.id, TournamentStatus.RUNNING):
            self.move_to(TournamentStatus.RUNNING)
            self.carry_on()

    def withdraw(self, seedings: Sequence[int]) -> None:
        """Withdraw entries; their opponents win their remaining games."""
        self.settle(self._leave(seedings))
        self.move_to(self.status)
        self.advance()

    def _leave(self, seedings: Sequence[int]) -> set[Key]:
        """The pairings that it may decide."""
        tournaments.withdraw(self.c, self.id, seedings, max(1, self.made))
        if not self.form.many_seats:
            seated = tournaments.seated(self.c, self.id)
            pairings.cancel_games(self.c, self.id, [seated[one][0] for one in seedings])
        return set(pairings.open_keys(self.c, self.id))

    # Counting

    def settle(self, keys: Iterable[Key]) -> None:
        """Update pairings, and the records of their entrants, to their current games."""
        wanted = sorted(keys)
        if not wanted:
            return
        gone = tournaments.gone(self.c, self.id)
        rows = pairings.pairings(self.c, self.id, wanted)
        games = pairings.games(self.c, self.id, wanted)
        entrants = {entry for row in rows for entry in row.entrants}
        records = tournaments.records(self.c, self.id, self.count, entrants)
        changed: list[dict[str, Any]] = []
        more: list[NewGame] = []
        for row in rows:
            if len(row.entrants) < 2:
                continue  # a bye is counted when it is paired
            played = games[row.round, row.board]
            results = _results(row.entrants, played, gone)
            tally = add_up(results, len(row.entrants))
            _move(records, row.entrants, read_tally(row.tally, len(row.entrants)), tally)
            ruling = self._rule(row, tally, results, played, gone)
            added = ruling.pop("more", 0)
            if added:
                meeting = Meeting(tuple(row.entrants), row.games + added)
                more += self._games(row.round, row.board, meeting, row.games)
            changed.append(
                {
                    "r": row.round,
                    "b": row.board,
                    "games": row.games + added,
                    "tally": tally.stored(),
                    **ruling,
                }
            )
        pairings.write_pairings(self.c, self.id, changed)
        tournaments.write_records(self.c, self.id, records.values())
        pairings.insert_games(self.c, self.row, more, now())

    def _rule(
        self,
        row: Row,
        tally: MeetingTally,
        results: Sequence[GameResult],
        played: Sequence[PlayedGame],
        gone: set[int],
    ) -> dict[str, Any]:
        """Decide a pairing: its winner and reason, or the games that it still needs."""
        waits = any(game.status in OPEN_MATCHES for game in played)
        points = tally.points
        best = max(points)
        leaders = [e for e, p in zip(row.entrants, points, strict=True) if p == best]
        if not self.form.knockout:
            winner = leaders[0] if len(leaders) == 1 and not waits else None
            return {"decided": not waits, "winner": winner, "note": row.note}
        if row.decided:
            return {"decided": True, "winner": row.winner, "note": row.note}
        staying = [entry for entry in row.entrants if entry not in gone]
        if len(staying) < 2:
            return {"decided": True, "winner": staying[0] if staying else None, "note": "walkover"}
        if waits:
            return {"decided": False, "winner": None, "note": ""}
        scores = [sum(g.scores[place] for g in results if g.scores) for place in (0, 1)]
        # Games that an admin dropped count as played: one of the two must advance.
        ruling = judge(points, scores, len(played), best_of(self.options), row.entrants)
        if ruling.winner is None:
            return {"decided": False, "winner": None, "note": "", "more": ruling.more}
        return {"decided": True, "winner": row.entrants[ruling.winner], "note": ruling.by}

    # Pairing

    def advance(self) -> None:
        """Pair the rounds that are due, or end the tournament."""
        rounds = self.form.rounds(self.count, self.options)
        while self.status is TournamentStatus.RUNNING:
            undecided = pairings.undecided(self.c, self.id)
            if undecided and (self.form.adaptive or undecided >= AHEAD):
                return
            if self.made < rounds:
                self._pair_next()
            elif undecided:
                return
            else:
                self._finish()

    def _pair_next(self) -> None:
        number = self.made + 1
        gone = tournaments.gone(self.c, self.id)
        records = (
            tournaments.records(self.c, self.id, self.count)
            if self.form.adaptive and not self.form.knockout
            else {}
        )
        stage = Stage(
            number,
            [_contestant(one, records, gone) for one in range(1, self.count + 1)],
            self.options,
            past_rounds(pairings.pairings(self.c, self.id)) if self.form.knockout else (),
            champion=self._champion(),
            seats=find_game(self.row.game).seats,
        )
        rows: list[dict[str, Any]] = []
        games: list[NewGame] = []
        for board, meeting in enumerate(self.form.pair(stage)):
            tally, note, winner = self._foregone(meeting, gone)
            if tally is None:
                games += self._games(number, board, meeting)
            elif meeting.entrants:
                self._count_foregone(meeting, tally)
            rows.append(
                {
                    "tournament_id": self.id,
                    "round": number,
                    "board": board,
                    "entrants": list(meeting.entrants),
                    "games": meeting.games if tally is None else 0,
                    "tally": tally.stored() if tally else {},
                    "decided": tally is not None,
                    "winner": winner,
                    "note": note,
                }
            )
        pairings.insert_pairings(self.c, rows)
        pairings.insert_games(self.c, self.row, games, now())
        self.made = number
        tournaments.set_rounds_made(self.c, self.id, number)

    def _foregone(
        self, meeting: Meeting, gone: set[int]
    ) -> tuple[MeetingTally | None, str, int | None]:
        """The tally, note and winner of a meeting without games; None if it needs games."""
        entrants = meeting.entrants
        if not entrants:
            return MeetingTally(), "empty", None
        if len(entrants) == 1:
            worth = float(legs(self.options)) if not self.form.knockout else 0.0
            return MeetingTally(halves=((0,),), bye=worth), "bye", entrants[0]
        if self.form.many_seats or not gone.intersection(entrants):
            return None, "", None
        tally = add_up([walkover([e in gone for e in entrants])] * meeting.games, len(entrants))
        left = [entry for entry in entrants if entry not in gone]
        return tally, "walkover", left[0] if len(left) == 1 else None

    def _count_foregone(self, meeting: Meeting, tally: MeetingTally) -> None:
        entrants = meeting.entrants
        records = tournaments.records(self.c, self.id, self.count, entrants)
        _move(records, entrants, nothing(len(entrants)), tally)
        if len(entrants) == 1:
            records[entrants[0]].byes += 1
        tournaments.write_records(self.c, self.id, records.values())

    def _games(self, number: int, board: int, meeting: Meeting, first: int = 0) -> list[NewGame]:
        """The games of a meeting from leg `first` on: each seed once from each side."""
        seated = self._seated()
        seats = [seated[entry] for entry in meeting.entrants]
        sides = len(seats)
        return [
            NewGame(
                number,
                board,
                leg,
                match_seed(self.row.seed, number, board, leg // sides),
                [*seats[leg % sides :], *seats[: leg % sides]],
            )
            for leg in range(first, meeting.games)
        ]

    def _seated(self) -> Mapping[int, tuple[int, int]]:
        if self._seats is None:
            self._seats = tournaments.seated(self.c, self.id)
        return self._seats

    def _champion(self) -> int:
        """Seeding of the bot that runs the gauntlet."""
        seedings = {bot_id: seeding for seeding, (_, bot_id) in self._seated().items()}
        return champion_of(seedings, self.options)

    def _finish(self) -> None:
        winner = standings_of(self.c, self.row, self.count).winner if self.count else None
        tournaments.set_status(
            self.c, self.id, TournamentStatus.FINISHED, finished_at=now(), winner=winner
        )
        self.move_to(TournamentStatus.FINISHED)

    def move_to(self, status: TournamentStatus) -> None:
        """Store a new status and note the event."""
        self.status = status
        news.tournament_moved(self.c, self.row, status)

    # By hand

    def play_again(self, keys: Sequence[Key]) -> None:
        """Play pairings again; in a format that pairs by results, all later rounds too."""
        first = min(number for number, _ in keys)
        if self.form.adaptive:
            later = pairings.pairings(self.c, self.id, above=first)
            self._uncount(later)
            pairings.set_aside(self.c, self.id, [(row.round, row.board) for row in later])
            pairings.delete_pairings(self.c, self.id, first)
            self.made = first
            tournaments.set_rounds_made(self.c, self.id, first)
        rows = [r for r in pairings.pairings(self.c, self.id, list(keys)) if r.games]
        self._uncount(rows)
        pairings.set_aside(self.c, self.id, [(row.round, row.board) for row in rows])
        games: list[NewGame] = []
        for row in rows:
            number = _first_games(self.form, self.options, row)
            games += self._games(row.round, row.board, Meeting(tuple(row.entrants), number))
        pairings.write_pairings(
            self.c,
            self.id,
            [
                {
                    "r": row.round,
                    "b": row.board,
                    "games": _first_games(self.form, self.options, row),
                    "tally": {},
                    "decided": False,
                    "winner": None,
                    "note": "",
                }
                for row in rows
            ],
        )
        pairings.insert_games(self.c, self.row, games, now())
        self.reopen()

    def play_leg_again(self, match: Row) -> None:
        """Play one finished game again; the old one stays on record, but no longer counts here."""
        pairings.set_aside_match(self.c, match.id)
        (row,) = pairings.pairings(self.c, self.id, [(match.round, match.board)])
        meeting = Meeting(tuple(row.entrants), match.leg + 1)
        game = self._games(match.round, match.board, meeting, match.leg)
        pairings.insert_games(self.c, self.row, game, now())
        pairings.write_pairings(
            self.c,
            self.id,
            [
                {
                    "r": row.round,
                    "b": row.board,
                    "games": row.games,
                    "tally": row.tally,
                    "decided": False,
                    "winner": None,
                    "note": "",
                }
            ],
        )
        self.settle([(row.round, row.board)])
        self.reopen()

    def _uncount(self, rows: Sequence[Row]) -> None:
        entrants = {entry for row in rows for entry in row.entrants}
        records = tournaments.records(self.c, self.id, self.count, entrants)
        for row in rows:
            count = len(row.entrants)
            _move(records, row.entrants, read_tally(row.tally, count), nothing(count))
            if count == 1:
                records[row.entrants[0]].byes -= 1
        tournaments.write_records(self.c, self.id, records.values())

    def reopen(self) -> None:
        """Reopen a finished tournament, because a game of it is played again."""
        if self.status is TournamentStatus.FINISHED:
            tournaments.set_status(
                self.c, self.id, TournamentStatus.RUNNING, finished_at=None, winner=None
            )
            self.move_to(TournamentStatus.RUNNING)


def _first_games(form: Format, options: FormatOptions, row: Row) -> int:
    """Games of a pairing that is played again: in an elimination only the fixed ones."""
    if not form.knockout:
        return int(row.games)
    return first_games(best_of(options))


def _results(
    entrants: Sequence[int], played: Sequence[PlayedGame], gone: set[int]
) -> list[GameResult]:
    """The results of a meeting by the places of its entrants; dropped games have none."""
    results = []
    for game in played:
        if game.status is MatchStatus.FINISHED:
            seat_of = {seat.seeding: seat for seat in game.seats}
            results.append(
                GameResult(
                    tuple(seat_of[entry].rank for entry in entrants),
                    entrants.index(game.seats[0].seeding),
                    tuple(seat_of[entry].score for entry in entrants),
                )
            )
        elif game.status is MatchStatus.CANCELLED and gone.intersection(entrants):
            results.append(walkover([entry in gone for entry in entrants]))
    return results


def _move(
    records: dict[int, EntryRecord], entrants: Sequence[int], old: MeetingTally, new: MeetingTally
) -> None:
    for place, entry in enumerate(entrants):
        records[entry].move(entrants, place, old, new)


def _contestant(seeding: int, records: Mapping[int, EntryRecord], gone: set[int]) -> Contestant:
    if seeding not in records:
        return Contestant(seeding, withdrawn=seeding in gone)
    record = records[seeding]
    met = {int(place) + 1: int(record.met[place]) for place in record.met.nonzero()[0]}
    return Contestant(
        seeding, record.points, record.byes, record.lean, met, withdrawn=seeding in gone
    )


def match_seed(tournament_seed: int, number: int, board: int, index: int) -> int:
    """The seed of a game, which depends only on its place in the tournament."""
    text = f"{tournament_seed}/{number}/{board}/{index}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8]) >> (64 - SEED_BITS)


def past_rounds(pairings: Sequence[Row]) -> list[list[Past]]:
    """The rounds of a bracket; an undecided meeting is an empty one."""
    return [
        [Past(tuple(row.entrants), row.winner) if row.decided else Past((), None) for row in boards]
        for _, boards in groupby(pairings, key=lambda row: row.round)
    ]


def standings_of(c: Connection, row: Row, count: int) -> Standings:
    """The current standings of a tournament."""
    records = tournaments.records(c, row.id, count)
    boards = pairings.pairings(c, row.id) if FORMATS[row.format].knockout else ()
    return rank(row, list(records.values()), boards)


def rank(row: Row, records: Sequence[EntryRecord], boards: Sequence[Row]) -> Standings:
    """The standings from the records; of an elimination, from all of its boards."""
    table = Standings(records, ORDERS.get(row.format, Order.POINTS))
    if FORMATS[row.format].knockout:
        table.put_in_order(bracket_places(len(records), past_rounds(boards)))
    return table
