"""Results of versions against each other

Revision: 0006, after 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "encounters",
        sa.Column("bot_id", Id, sa.ForeignKey("bots.id", name="fk_encounters_bot_id")),
        sa.Column("opponent_id", Id, sa.ForeignKey("bots.id", name="fk_encounters_opponent_id")),
        sa.Column("version_id", Id, sa.ForeignKey("versions.id", name="fk_encounters_version_id")),
        sa.Column(
            "opponent_version_id",
            Id,
            sa.ForeignKey("versions.id", name="fk_encounters_opponent_version_id"),
        ),
        sa.Column("wins_before", sa.Integer(), nullable=False),
        sa.Column("draws_before", sa.Integer(), nullable=False),
        sa.Column("losses_before", sa.Integer(), nullable=False),
        sa.Column("wins_after", sa.Integer(), nullable=False),
        sa.Column("draws_after", sa.Integer(), nullable=False),
        sa.Column("losses_after", sa.Integer(), nullable=False),
        sa.Column("plies", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "bot_id",
            "opponent_id",
            "version_id",
            "opponent_version_id",
            name="pk_encounters",
        ),
    )
    counts = ", ".join(
        f"SUM(CASE WHEN a.rank {outcome} b.rank AND a.seat {order} b.seat THEN 1 ELSE 0 END)"
        for order in "<>"
        for outcome in "<=>"
    )
    # Count the earlier matches by one scan of all results.
    op.execute(
        "INSERT INTO encounters (bot_id, opponent_id, version_id, opponent_version_id,"
        " wins_before, draws_before, losses_before, wins_after, draws_after, losses_after, plies)"
        f" SELECT a.bot_id, b.bot_id, a.version_id, b.version_id, {counts},"
        " SUM(COALESCE(m.plies, 0))"
        " FROM results r JOIN matches m ON m.id = r.match_id"
        " JOIN seats a ON a.match_id = m.id"
        " JOIN seats b ON b.match_id = m.id AND b.bot_id > a.bot_id"
        " GROUP BY a.bot_id, b.bot_id, a.version_id, b.version_id"
    )


def downgrade() -> None:
    op.drop_table("encounters")
