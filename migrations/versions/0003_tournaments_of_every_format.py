"""Tournaments of every format, leagues that use them, challenges, and the record of our own faults

Revision: 0003, after 0002
"""

import sys
from array import array
from itertools import groupby

import sqlalchemy as sa
from alembic import op

import ladder.models

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Time = ladder.models.UTCDateTime(timezone=True)


def upgrade() -> None:
    # New columns of the largest table are added without rebuilding it.
    op.add_column("matches", sa.Column("round", sa.Integer()))
    op.add_column("matches", sa.Column("board", sa.Integer()))
    op.add_column("matches", sa.Column("leg", sa.Integer()))
    op.add_column("matches", sa.Column("worker", sa.Text()))
    op.create_index(
        "ix_matches_tournament_id_round_board", "matches", ["tournament_id", "round", "board"]
    )
    with op.batch_alter_table("leagues") as leagues:
        leagues.add_column(
            sa.Column("format", sa.String(24), nullable=False, server_default="round-robin")
        )
        leagues.add_column(sa.Column("options", sa.JSON(), nullable=False, server_default="{}"))
        leagues.add_column(sa.Column("per_owner", sa.Integer()))
        leagues.add_column(
            sa.Column("rated", sa.Boolean(), nullable=False, server_default=sa.true())
        )
    with op.batch_alter_table("tournaments") as tournaments:
        tournaments.alter_column("league_id", existing_type=Id, nullable=True)
        tournaments.add_column(sa.Column("name", sa.Text(), nullable=False, server_default=""))
        tournaments.add_column(
            sa.Column("format", sa.String(24), nullable=False, server_default="round-robin")
        )
        tournaments.add_column(sa.Column("options", sa.JSON(), nullable=False, server_default="{}"))
        tournaments.add_column(
            sa.Column("seed", sa.BigInteger(), nullable=False, server_default="0")
        )
        tournaments.add_column(
            sa.Column("rated", sa.Boolean(), nullable=False, server_default=sa.true())
        )
        tournaments.add_column(
            sa.Column("rounds_made", sa.Integer(), nullable=False, server_default="0")
        )
        tournaments.add_column(sa.Column("winner", sa.Integer()))
        tournaments.create_index("ix_tournaments_status", ["status"])
    with op.batch_alter_table("entries") as entries:
        entries.add_column(sa.Column("withdrawn", sa.Integer()))
        entries.add_column(sa.Column("points", sa.Float(), nullable=False, server_default="0"))
        for name in ("wins", "draws", "losses", "byes", "lean"):
            entries.add_column(sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
        for name in ("halves", "met"):
            entries.add_column(sa.Column(name, sa.LargeBinary(), nullable=False, server_default=""))
        entries.create_index("ix_entries_version_id", ["version_id"])
    op.create_table(
        "pairings",
        sa.Column("tournament_id", Id, nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("entrants", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("tally", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("decided", sa.Boolean(), nullable=False),
        sa.Column("winner", sa.Integer()),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_pairings_tournament_id"
        ),
        sa.PrimaryKeyConstraint("tournament_id", "round", "board", name="pk_pairings"),
    )
    op.create_index("ix_pairings_tournament_id_decided", "pairings", ["tournament_id", "decided"])
    op.create_table(
        "admin_actions",
        sa.Column("id", Id, nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.String(24), nullable=False),
        sa.Column("target", sa.String(24), nullable=False),
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_admin_actions"),
    )
    op.create_index("ix_admin_actions_target_target_id", "admin_actions", ["target", "target_id"])
    op.create_table(
        "challenges",
        sa.Column("match_id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_challenges_match_id"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_challenges_account_id"),
        sa.PrimaryKeyConstraint("match_id", name="pk_challenges"),
    )
    op.create_index(
        "ix_challenges_account_id_created_at", "challenges", ["account_id", "created_at"]
    )
    op.create_table(
        "failures",
        sa.Column("match_id", Id, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column(
            "fault",
            sa.Enum("worker", "referee", name="fault", native_enum=False, length=24),
            nullable=False,
        ),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_failures_match_id"),
        sa.PrimaryKeyConstraint("match_id", "attempt", "at", name="pk_failures"),
    )
    op.create_table(
        "quarantines",
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("since", Time, nullable=False),
        sa.Column("match_id", Id, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_quarantines_match_id"),
        sa.PrimaryKeyConstraint("worker", name="pk_quarantines"),
    )
    _count_what_was_played(op.get_bind())


def _count_what_was_played(c: sa.Connection) -> None:
    """Give the existing double round robins their pairings, tallies and records."""
    tournaments = c.execute(sa.text("SELECT id, status FROM tournaments ORDER BY id")).all()
    for tournament_id, status in tournaments:
        entered = c.execute(
            sa.text("SELECT version_id, seeding FROM entries WHERE tournament_id = :t"),
            {"t": tournament_id},
        )
        seedings = {row[0]: row[1] for row in entered}
        boards = _meetings(c, tournament_id, seedings)
        records = {s: _Record(len(seedings)) for s in seedings.values()}
        for board, (pair, games) in enumerate(sorted(boards.items())):
            _store_pairing(c, tournament_id, board, pair, games, records)
        for seeding, record in records.items():
            c.execute(
                sa.text(
                    "UPDATE entries SET points = :p, wins = :w, draws = :d, losses = :l, "
                    "halves = :halves, met = :met WHERE tournament_id = :t AND seeding = :s"
                ),
                {"t": tournament_id, "s": seeding, **record.values()},
            )
        best = max((r.key for r in records.values()), default=None)
        first = [s for s, r in records.items() if r.key == best]
        winner = first[0] if status == "finished" and len(first) == 1 else None
        count = len(seedings)
        c.execute(
            sa.text("UPDATE tournaments SET rounds_made = :r, winner = :w WHERE id = :t"),
            {"r": count - 1 + count % 2 if count > 1 else 0, "w": winner, "t": tournament_id},
        )


class _Record:
    def __init__(self, count: int) -> None:
        self.halves, self.met = array("H", bytes(2 * count)), array("H", bytes(2 * count))
        self.outcomes = [0, 0, 0]  # losses, draws, wins

    @property
    def key(self) -> tuple[float, int]:
        return sum(self.halves) / 2, self.outcomes[2]

    def values(self) -> dict[str, object]:
        if sys.byteorder == "big":
            self.halves.byteswap()
            self.met.byteswap()
        losses, draws, wins = self.outcomes
        return {
            "p": wins + draws / 2,
            "w": wins,
            "d": draws,
            "l": losses,
            "halves": self.halves.tobytes(),
            "met": self.met.tobytes(),
        }


def _meetings(
    c: sa.Connection, tournament_id: int, seedings: dict[int, int]
) -> dict[tuple[int, int], list[tuple[int, str, list[tuple[int, int]]]]]:
    """By pair of seedings the matches: id, status, and seeding and rank by seat."""
    rows = c.execute(
        sa.text(
            "SELECT m.id, m.status, s.version_id, s.rank FROM matches m "
            "JOIN seats s ON s.match_id = m.id WHERE m.tournament_id = :t ORDER BY m.id, s.seat"
        ),
        {"t": tournament_id},
    )
    boards: dict[tuple[int, int], list[tuple[int, str, list[tuple[int, int]]]]] = {}
    for (match_id, status), seats in groupby(rows, key=lambda row: (row[0], row[1])):
        sides = [(seedings[row[2]], row[3]) for row in seats]
        low, high = sorted(side[0] for side in sides)
        boards.setdefault((low, high), []).append((match_id, status, sides))
    return boards


def _store_pairing(
    c: sa.Connection,
    tournament_id: int,
    board: int,
    pair: tuple[int, int],
    games: list[tuple[int, str, list[tuple[int, int]]]],
    records: dict[int, _Record],
) -> None:
    outcomes = {seeding: [0, 0, 0] for seeding in pair}
    played = 0
    for leg, (match_id, status, sides) in enumerate(games):
        c.execute(
            sa.text("UPDATE matches SET round = 1, board = :b, leg = :leg WHERE id = :m"),
            {"b": board, "leg": leg, "m": match_id},
        )
        if status == "finished":
            played += 1
            (one, rank), (two, other) = sides
            outcomes[one][1 + (rank < other) - (rank > other)] += 1
            outcomes[two][1 + (other < rank) - (other > rank)] += 1
    halves = {seeding: 2 * outcomes[seeding][2] + outcomes[seeding][1] for seeding in pair}
    low, high = pair
    for own, rival in ((low, high), (high, low)):
        records[own].halves[rival - 1] = halves[own]
        records[own].met[rival - 1] = played
        for i in range(3):
            records[own].outcomes[i] += outcomes[own][i]
    decided = not any(status in ("queued", "leased", "parked") for _, status, _ in games)
    leader = low if halves[low] > halves[high] else high
    tally = {
        "games": played,
        "halves": [[0, halves[low]], [halves[high], 0]],
        "wins": [outcomes[s][2] for s in pair],
        "draws": [outcomes[s][1] for s in pair],
        "losses": [outcomes[s][0] for s in pair],
        "lean": [0, 0],
    }
    c.execute(
        _PAIRINGS.insert().values(
            tournament_id=tournament_id,
            round=1,
            board=board,
            entrants=list(pair),
            games=len(games),
            tally=tally,
            decided=decided,
            winner=leader if decided and halves[low] != halves[high] else None,
            note="",
        )
    )


_PAIRINGS = sa.table(
    "pairings",
    *(sa.column(name, sa.Integer()) for name in ("tournament_id", "round", "board", "games")),
    sa.column("entrants", sa.JSON()),
    sa.column("tally", sa.JSON()),
    sa.column("decided", sa.Boolean()),
    sa.column("winner", sa.Integer()),
    sa.column("note", sa.Text()),
)


def downgrade() -> None:
    for name in ("quarantines", "failures", "challenges", "admin_actions", "pairings"):
        op.drop_table(name)
    op.execute(
        "UPDATE matches SET tournament_id = NULL WHERE tournament_id IN "
        "(SELECT id FROM tournaments WHERE league_id IS NULL)"
    )
    op.execute(
        "DELETE FROM entries WHERE tournament_id IN "
        "(SELECT id FROM tournaments WHERE league_id IS NULL)"
    )
    op.execute("DELETE FROM tournaments WHERE league_id IS NULL")
    with op.batch_alter_table("entries") as entries:
        entries.drop_index("ix_entries_version_id")
        for name in (
            *("withdrawn", "points", "wins", "draws", "losses", "byes", "lean", "halves", "met"),
        ):
            entries.drop_column(name)
    with op.batch_alter_table("tournaments") as tournaments:
        tournaments.drop_index("ix_tournaments_status")
        for name in ("winner", "rounds_made", "rated", "seed", "options", "format", "name"):
            tournaments.drop_column(name)
        tournaments.alter_column("league_id", existing_type=Id, nullable=False)
    with op.batch_alter_table("leagues") as leagues:
        for name in ("rated", "per_owner", "options", "format"):
            leagues.drop_column(name)
    with op.batch_alter_table("matches") as matches:
        matches.drop_index("ix_matches_tournament_id_round_board")
        for name in ("worker", "leg", "board", "round"):
            matches.drop_column(name)
