"""Bans and allowances of accounts, the rules a match was played by, and which replays are kept

Revision: 0005, after 0004
"""

import sqlalchemy as sa
from alembic import op

import ladder.models

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

KEPT = {"ladder": "tournament_id IS NULL", "tournament": "tournament_id IS NOT NULL"}


def upgrade() -> None:
    op.add_column("accounts", sa.Column("banned_at", ladder.models.UTCDateTime(timezone=True)))
    op.add_column("accounts", sa.Column("ban_reason", sa.Text()))
    op.add_column("accounts", sa.Column("allowance", sa.JSON(none_as_null=True)))
    op.add_column("matches", sa.Column("rules", sa.String(16)))
    op.add_column("matches", sa.Column("replay_bytes", sa.Integer()))
    op.add_column(
        "matches",
        sa.Column("replay_removed", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    for of, where in KEPT.items():
        condition = sa.text(f"status = 'finished' AND NOT replay_removed AND {where}")
        op.create_index(
            f"ix_matches_{of}_replays",
            "matches",
            ["finished_at", "id", "replay_bytes"],
            sqlite_where=condition,
            postgresql_where=condition,
        )


def downgrade() -> None:
    for of in KEPT:
        op.drop_index(f"ix_matches_{of}_replays", "matches")
    for name in ("replay_removed", "replay_bytes", "rules"):
        op.drop_column("matches", name)
    for name in ("allowance", "ban_reason", "banned_at"):
        op.drop_column("accounts", name)
