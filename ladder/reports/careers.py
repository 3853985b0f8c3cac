"""Use cases of one bot's career: its latest results for everybody, and details for its owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ladder.boards import ladders
from ladder.contests import rounds
from ladder.errors import Conflict, Forbidden, NotFound
from ladder.scoring.skill import Skill, win_probability
from ladder.store import Connection, Database, bots, careers
from ladder.store.database import Row
from ladder.uploads import submissions
from ladder.values import Ending, Kind, Role, VersionStatus
from ladder.views import AccountView, Bar, BotView, Career, OpponentLine, Surprise, Tally

LATEST_MATCHES = 200
LATEST_OF_MANY = 40
"""Matches with more than two seats: each of them counts as many encounters."""
OPPONENTS_SHOWN = 20
SURPRISES_SHOWN = 5
LOGS_SHOWN = 10
REPORTS_SHOWN = 10
TIME_STEPS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def career(db: Database, bot_id: int, division: str) -> Career:
    """A bot's latest rated matches of a division, added up."""
    with db.read() as c:
        bot = _bot(c, bot_id)
        ladders.check_kept_division(bot.game, division)
        game = ladders.installed(bot.game)
        duels = game is None or 2 in game.seats
        seats = careers.latest(c, bot_id, division, LATEST_MATCHES if duels else LATEST_OF_MANY)
    meetings: list[_Meeting] = []
    faults: Counter[Ending] = Counter()
    slowest: list[float] = []
    matches = 0
    for _, group in groupby(seats, key=lambda seat: seat.match_id):
        rows = list(group)
        own = next(row for row in rows if row.bot_id == bot_id)
        others = [row for row in rows if row.bot_id != bot_id]
        meetings += [_meeting(own, other, duel=len(others) == 1) for other in others]
        matches += 1
        if own.at_fault:
            faults[own.ending] += 1
        if own.slowest_move_ms:
            slowest.append(own.slowest_move_ms)
    duels_won = [m for m in meetings if m.duel and m.points == 1]
    duels_lost = [m for m in meetings if m.duel and m.points == 0]
    return Career(
        matches=matches,
        opponents=_opponents(meetings),
        best_wins=_surprises(sorted(duels_won, key=lambda m: m.expected)),
        worst_losses=_surprises(sorted(duels_lost, key=lambda m: -m.expected)),
        faults=dict(faults.most_common()),
        move_times=_bars(slowest),
    )


@dataclass(frozen=True, slots=True)
class _Meeting:
    """One opponent in one match."""

    other: Row
    points: float
    expected: float
    duel: bool


def _meeting(own: Row, other: Row, duel: bool) -> _Meeting:
    points = 0.5 if own.rank == other.rank else float(own.rank < other.rank)
    mine = Skill(own.mu_before, own.sigma_before)
    theirs = Skill(other.mu_before, other.sigma_before)
    return _Meeting(other, points, win_probability(mine, theirs), duel)


def _opponents(meetings: Sequence[_Meeting]) -> list[OpponentLine]:
    """The opponents met most often; the latest first among equals."""
    by_bot: dict[int, list[_Meeting]] = {}
    for meeting in meetings:
        by_bot.setdefault(meeting.other.bot_id, []).append(meeting)
    often = sorted(by_bot.values(), key=len, reverse=True)[:OPPONENTS_SHOWN]
    return [
        OpponentLine(
            bot_id=met[0].other.bot_id,
            bot=met[0].other.name,
            tally=Tally(
                wins=sum(m.points == 1 for m in met),
                draws=sum(m.points == 0.5 for m in met),
                losses=sum(m.points == 0 for m in met),
            ),
            share=sum(m.points for m in met) / len(met),
            expected=sum(m.expected for m in met) / len(met),
            latest_match=met[0].other.match_id,
            owner=met[0].other.owner,
        )
        for met in often
    ]


def _surprises(meetings: Sequence[_Meeting]) -> list[Surprise]:
    return [
        Surprise(
            match_id=meeting.other.match_id,
            bot_id=meeting.other.bot_id,
            bot=meeting.other.name,
            expected=meeting.expected,
            opponent_mu=meeting.other.mu_before,
            ending=meeting.other.ending,
            owner=meeting.other.owner,
        )
        for meeting in meetings[:SURPRISES_SHOWN]
    ]


def _bars(times_ms: Sequence[float]) -> list[Bar]:
    if not times_ms:
        return []
    counts = Counter(sum(time >= step for step in TIME_STEPS_MS) for time in times_ms)
    return [
        Bar(below, counts[index]) for index, below in enumerate((*map(float, TIME_STEPS_MS), None))
    ]


@dataclass(frozen=True, slots=True)
class PrivateReport:
    """The private data of a bot, for its owner."""

    logs: Sequence[Row]
    """Logs of the latest matches that have one."""
    validations: dict[int, Row]
    """By match."""


def private_report(db: Database, bot: BotView) -> PrivateReport:
    """Logs and validation reports; the caller checks that the reader may see them."""
    asked = [v.validation_match for v in bot.versions if v.validation_match is not None]
    with db.read() as c:
        return PrivateReport(
            careers.logged(c, bot.id, LATEST_MATCHES, LOGS_SHOWN),
            careers.validations(c, asked[:REPORTS_SHOWN]),
        )


def source(db: Database, bot_id: int, number: int, reader: AccountView) -> tuple[bytes, str]:
    """The uploaded file of a version, for its owner, and the suffix of its name."""
    with db.read() as c:
        _own(c, bot_id, reader)
        version = bots.version_numbered(c, bot_id, number)
        if version is None or version.kind is Kind.HOUSE:
            raise NotFound(f"bot {bot_id} has no uploaded version {number}")
        data = bots.blobs(c, [version.sha256])[version.sha256]
    extension = {Kind.WASM: "wasm", Kind.PROGRAM: "lisp", Kind.NATIVE: "elf"}.get(
        version.kind, "py"
    )
    return data, "zip" if data.startswith(b"PK\x03\x04") else extension


def retire(db: Database, bot_id: int, reader: AccountView) -> None:
    """Retire a bot: take it off the board and out of all unplayed matches."""
    with db.write() as c:
        row = _own(c, bot_id, reader)
        bots.lock_bot(c, bot_id)
        versions = bots.versions_of(c, bot_id, None)
        if versions[0].kind is Kind.HOUSE:
            raise Conflict(f"{row.name} is a house bot, and stays")
        if any(version.status is VersionStatus.VALIDATING for version in versions):
            raise Conflict("a version is being validated; wait until that is decided")
        playing = [v.id for v in versions if v.status is VersionStatus.ACCEPTED]
        for version_id in sorted(playing):
            bots.take_off_board(c, version_id)  # locks ratings first, as results do
        for version_id in playing:
            submissions.suspend(c, version_id, submissions.RETIRED)
        rounds.count_results(c, [], playing)


def _bot(c: Connection, bot_id: int) -> Row:
    row = bots.bot(c, bot_id)
    if row is None:
        raise NotFound(f"there is no bot {bot_id}")
    return row


def _own(c: Connection, bot_id: int, reader: AccountView) -> Row:
    row = _bot(c, bot_id)
    if reader.role is not Role.ADMIN and reader.id != row.owner_id:
        raise Forbidden(f"{row.name} belongs to another account")
    return row
