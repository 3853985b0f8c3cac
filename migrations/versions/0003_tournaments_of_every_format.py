"""Tournaments of every format, leagues that use them, challenges, and the record of our own faults

Revision: 0003
"""

import sqlalchemy as sa
from alembic import op

import ladder.models

revision = "0003"
down_revision = "0001"
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
