"""Runs of evolution, and the lineage of versions

Revision: 0002, after 0001
"""

import sqlalchemy as sa
from alembic import op

import ladder.models

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "evolution_schedules",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("bot_name", sa.Text(), nullable=False),
        sa.Column("bot_key", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("league_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("cron", sa.Text(), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("guides", sa.Text(), nullable=False),
        sa.Column("settings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_evolution_schedules_league_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["accounts.id"], name=op.f("fk_evolution_schedules_owner_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evolution_schedules")),
        sa.UniqueConstraint("game", "bot_key", name=op.f("uq_evolution_schedules_game_bot_key")),
    )
    op.create_table(
        "evolution_runs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "schedule_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("scheduled_for", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("domain", sa.String(length=40), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "queued",
                "running",
                "finished",
                "failed",
                "cancelled",
                name="evolutionstatus",
                native_enum=False,
                length=24,
            ),
            nullable=False,
        ),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("settings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("bot_name", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("report", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("simplified", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.Column("started_at", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.Column("ended_at", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["accounts.id"], name=op.f("fk_evolution_runs_owner_id")
        ),
        sa.ForeignKeyConstraint(
            ["schedule_id"],
            ["evolution_schedules.id"],
            name=op.f("fk_evolution_runs_schedule_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_evolution_runs_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evolution_runs")),
        sa.UniqueConstraint(
            "schedule_id", "scheduled_for", name=op.f("uq_evolution_runs_schedule_id_scheduled_for")
        ),
    )
    with op.batch_alter_table("evolution_runs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_evolution_runs_game_id"), ["game", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_evolution_runs_status_id"), ["status", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_evolution_runs_version_id"), ["version_id"], unique=False
        )

    op.create_table(
        "evolution_generations",
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("best", sa.Float(), nullable=False),
        sa.Column("mean", sa.Float(), nullable=False),
        sa.Column("stdev", sa.Float(), nullable=False),
        sa.Column("worst", sa.Float(), nullable=False),
        sa.Column("size_mean", sa.Float(), nullable=False),
        sa.Column("size_best", sa.Float(), nullable=False),
        sa.Column("depth_mean", sa.Float(), nullable=False),
        sa.Column("diversity", sa.Float(), nullable=True),
        sa.Column("games", sa.BigInteger(), nullable=False),
        sa.Column("instructions", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["evolution_runs.id"], name=op.f("fk_evolution_generations_run_id")
        ),
        sa.PrimaryKeyConstraint("run_id", "generation", name=op.f("pk_evolution_generations")),
    )
    op.create_table(
        "evolution_guides",
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column(
            "version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["evolution_runs.id"], name=op.f("fk_evolution_guides_run_id")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_evolution_guides_version_id")
        ),
        sa.PrimaryKeyConstraint("run_id", "place", name=op.f("pk_evolution_guides")),
    )
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("lineage", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.drop_column("lineage")

    op.drop_table("evolution_guides")
    op.drop_table("evolution_generations")
    with op.batch_alter_table("evolution_runs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_evolution_runs_version_id"))
        batch_op.drop_index(batch_op.f("ix_evolution_runs_status_id"))
        batch_op.drop_index(batch_op.f("ix_evolution_runs_game_id"))

    op.drop_table("evolution_runs")
    op.drop_table("evolution_schedules")
