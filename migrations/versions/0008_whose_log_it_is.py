"""The bot and the account of each log, since the number of logs of each is limited

Revision: 0008, after 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat_logs", sa.Column("bot_id", sa.BigInteger()))
    op.add_column("seat_logs", sa.Column("account_id", sa.BigInteger()))
    op.execute(
        "UPDATE seat_logs SET bot_id = (SELECT seats.bot_id FROM seats"
        " WHERE seats.match_id = seat_logs.match_id AND seats.seat = seat_logs.seat)"
    )
    op.execute(
        "UPDATE seat_logs SET account_id ="
        " (SELECT bots.owner_id FROM bots WHERE bots.id = seat_logs.bot_id)"
    )
    op.create_index("ix_seat_logs_bot_id_match_id", "seat_logs", ["bot_id", "match_id"])
    op.create_index("ix_seat_logs_account_id_match_id", "seat_logs", ["account_id", "match_id"])


def downgrade() -> None:
    op.drop_index("ix_seat_logs_account_id_match_id", "seat_logs")
    op.drop_index("ix_seat_logs_bot_id_match_id", "seat_logs")
    with op.batch_alter_table("seat_logs") as table:
        table.drop_column("account_id")
        table.drop_column("bot_id")
