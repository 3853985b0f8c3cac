"""Events for live readers; boards of every day, the latest results and the course of a rating

Revision: 0004, after 0003
"""

import sqlalchemy as sa
from alembic import op

import ladder.models

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Time = ladder.models.UTCDateTime(timezone=True)


def upgrade() -> None:
    # SQLite would take the other one for a text.
    no_bytes = sa.text("x''" if op.get_bind().dialect.name == "sqlite" else "''")
    op.create_table(
        "events",
        sa.Column("id", Id, nullable=False),
        sa.Column("topics", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "board_days",
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("division", sa.String(20), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("taken_at", Time, nullable=False),
        sa.Column("places", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("game", "division", "day", name="pk_board_days"),
    )
    # Empty until the next match of each version, or until `ladder rerate`.
    op.add_column("ratings", sa.Column("latest", sa.String(10), nullable=False, server_default=""))
    op.add_column(
        "ratings",
        sa.Column("course", sa.LargeBinary(), nullable=False, server_default=no_bytes),
    )
    op.add_column(
        "leagues", sa.Column("paused", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    op.drop_column("leagues", "paused")
    op.drop_column("ratings", "course")
    op.drop_column("ratings", "latest")
    op.drop_table("board_days")
    op.drop_table("events")
