"""The account of a newcomer's match, and its turn in the queue

Revision: 0007, after 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WAIT = sa.text("status = 'queued' AND priority < 2")
INDEXES = {
    "ix_matches_newcomers_turn": ["status", "priority", "turn", "id"],
    "ix_matches_newcomers_account": ["account_id", "status", "priority", "turn"],
}


def upgrade() -> None:
    op.add_column("matches", sa.Column("account_id", Id))
    op.add_column("matches", sa.Column("turn", sa.Integer(), nullable=False, server_default="0"))
    for name, columns in INDEXES.items():
        op.create_index(name, "matches", columns, sqlite_where=WAIT, postgresql_where=WAIT)


def downgrade() -> None:
    for name in INDEXES:
        op.drop_index(name, "matches")
    for name in ("turn", "account_id"):
        op.drop_column("matches", name)
