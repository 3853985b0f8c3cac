"""Turns rows of a tournament into the views of pages and the API."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ladder.boards.ladders import divisions_kept
from ladder.contests.standings import StandingLine, Standings
from ladder.scoring.tallies import read_tally
from ladder.store.database import Row
from ladder.views import (
    CrossCell,
    CrossRow,
    EntryView,
    PairingView,
    Prize,
    RoundView,
    Standing,
)


def entry_view(row: Row) -> EntryView:
    return EntryView(
        seeding=row.seeding,
        bot=row.bot,
        bot_id=row.bot_id,
        version=row.version,
        owner=row.owner,
        kind=row.kind,
        withdrawn=row.withdrawn is not None,
    )


def standing(line: StandingLine, entries: Sequence[Row]) -> Standing:
    record = line.record
    entry = entries[record.seeding - 1]
    return Standing(
        place=line.place,
        seeding=record.seeding,
        bot=entry.bot,
        bot_id=entry.bot_id,
        version=entry.version,
        owner=entry.owner,
        points=round(record.points, 6),
        played=record.played,
        wins=record.wins,
        draws=record.draws,
        losses=record.losses,
        byes=record.byes,
        buchholz=round(line.buchholz, 6),
        sonneborn_berger=round(line.sonneborn_berger, 6),
        direct=line.direct,
        withdrawn=entry.withdrawn is not None,
    )


def prizes(game: str, standings: Sequence[Standing], entries: Sequence[Row]) -> list[Prize]:
    """The best of every division; empty for games with one division."""
    names = divisions_kept(game)
    if len(names) < 2:
        return []
    of = {entry.seeding: entry.divisions or [] for entry in entries}
    prizes = []
    for division in names:
        best = next((line for line in standings if division in of[line.seeding]), None)
        if best is not None:
            prizes.append(Prize(division, best.place, best.bot, best.bot_id, best.owner))
    return prizes


def round_views(
    boards: Sequence[Row], match_ids: dict[tuple[int, int], list[int]]
) -> list[RoundView]:
    return [
        RoundView(
            number,
            [
                PairingView(
                    board=row.board,
                    entrants=row.entrants,
                    points=[round(p, 6) for p in read_tally(row.tally, len(row.entrants)).points],
                    decided=row.decided,
                    winner=row.winner,
                    note=row.note,
                    matches=match_ids.get((number, row.board), []),
                )
                for row in group
            ],
        )
        for number, group in groupby(boards, key=lambda row: row.round)
    ]


def crosstable(table: Standings) -> list[CrossRow]:
    order = [line.record.seeding for line in table.lines]
    halves, met = table.halves.tolist(), table.met.tolist()
    return [
        CrossRow(
            own,
            [
                CrossCell(other, halves[own - 1][other - 1] / 2, met[own - 1][other - 1])
                for other in order
                if other != own
            ],
        )
        for own in order
    ]
