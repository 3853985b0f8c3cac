"""The first schema

Revision: 0001
"""

import sqlalchemy as sa
from alembic import op

import ladder.models

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column(
            "role",
            sa.Enum("member", "admin", name="role", native_enum=False, length=24),
            nullable=False,
        ),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name_key", name=op.f("uq_accounts_name_key")),
    )
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_blobs")),
    )
    op.create_table(
        "invites",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_invites")),
    )
    op.create_table(
        "leagues",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("division", sa.String(length=20), nullable=False),
        sa.Column("cron", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leagues")),
        sa.UniqueConstraint("game", "name_key", name=op.f("uq_leagues_game_name_key")),
    )
    op.create_table(
        "bots",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["accounts.id"], name=op.f("fk_bots_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("game", "name_key", name=op.f("uq_bots_game_name_key")),
    )
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bots_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column(
            "account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "use",
            sa.Enum("api", "session", name="tokenuse", native_enum=False, length=24),
            nullable=False,
        ),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.Column("expires_at", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_tokens_account_id")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_tokens")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tokens_account_id"), ["account_id"], unique=False)

    op.create_table(
        "tournaments",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "league_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("division", sa.String(length=20), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "pending",
                "running",
                "paused",
                "finished",
                "cancelled",
                name="tournamentstatus",
                native_enum=False,
                length=24,
            ),
            nullable=False,
        ),
        sa.Column("scheduled_for", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.Column("finished_at", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_tournaments_league_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournaments")),
        sa.UniqueConstraint(
            "league_id", "scheduled_for", name=op.f("uq_tournaments_league_id_scheduled_for")
        ),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column(
            "purpose",
            sa.Enum(
                "validation",
                "placement",
                "league",
                "ladder",
                name="purpose",
                native_enum=False,
                length=24,
            ),
            nullable=False,
        ),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "queued",
                "leased",
                "finished",
                "parked",
                "cancelled",
                name="matchstatus",
                native_enum=False,
                length=24,
            ),
            nullable=False,
        ),
        sa.Column(
            "tournament_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.Column("referee", sa.Integer(), nullable=True),
        sa.Column(
            "ending",
            sa.Enum(
                "completed",
                "start-failed",
                "illegal-move",
                "bad-reply",
                "output-flood",
                "move-timeout",
                "match-timeout",
                "crashed",
                "out-of-memory",
                name="ending",
                native_enum=False,
                length=24,
            ),
            nullable=True,
        ),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=True),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.Column("finished_at", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_matches_tournament_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
    )
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_matches_game_status_id"), ["game", "status", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_matches_status_priority_id"), ["status", "priority", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_matches_tournament_id_status"), ["tournament_id", "status"], unique=False
        )

    op.create_table(
        "results",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_results_match_id")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_results")),
        sa.UniqueConstraint("match_id", name=op.f("uq_results_match_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "seat_logs",
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("complaint", sa.Text(), nullable=False),
        sa.Column("stderr", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seat_logs_match_id")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seat_logs")),
    )
    op.create_table(
        "versions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("bot_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column(
            "kind",
            sa.Enum("house", "python", name="kind", native_enum=False, length=24),
            nullable=False,
        ),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "validating",
                "accepted",
                "rejected",
                "suspended",
                name="versionstatus",
                native_enum=False,
                length=24,
            ),
            nullable=False,
        ),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("measures", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("open_only", sa.Text(), nullable=False),
        sa.Column("divisions", sa.JSON(none_as_null=True), nullable=True),
        sa.Column(
            "validation_match_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column("faults_in_row", sa.Integer(), nullable=False),
        sa.Column("created_at", ladder.models.UTCDateTime(timezone=True), nullable=False),
        sa.Column("decided_at", ladder.models.UTCDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_versions_bot_id")),
        sa.ForeignKeyConstraint(
            ["validation_match_id"], ["matches.id"], name=op.f("fk_versions_validation_match_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_versions_bot_id_number")),
    )
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_versions_sha256"), ["sha256"], unique=False)

    op.create_table(
        "entries",
        sa.Column(
            "tournament_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("seeding", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_entries_tournament_id")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_entries_version_id")
        ),
        sa.PrimaryKeyConstraint("tournament_id", "version_id", name=op.f("pk_entries")),
    )
    op.create_table(
        "rating_changes",
        sa.Column("bot_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("division", sa.String(length=20), nullable=False),
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("mu_before", sa.Float(), nullable=False),
        sa.Column("sigma_before", sa.Float(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_rating_changes_bot_id")),
        sa.ForeignKeyConstraint(
            ["number"], ["results.number"], name=op.f("fk_rating_changes_number")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_rating_changes_version_id")
        ),
        sa.PrimaryKeyConstraint("bot_id", "division", "number", name=op.f("pk_rating_changes")),
    )
    op.create_table(
        "ratings",
        sa.Column(
            "version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("division", sa.String(length=20), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column(
            "predecessor_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("share_sum", sa.Float(), nullable=False),
        sa.Column("columns", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("on_board", sa.Boolean(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["predecessor_id"], ["versions.id"], name=op.f("fk_ratings_predecessor_id")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_ratings_version_id")
        ),
        sa.PrimaryKeyConstraint("version_id", "division", name=op.f("pk_ratings")),
    )
    with op.batch_alter_table("ratings", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_ratings_game_division_on_board_last_number"),
            ["game", "division", "on_board", "last_number"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_ratings_game_division_on_board_mu"),
            ["game", "division", "on_board", "mu"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_ratings_game_division_on_board_score_version_id"),
            ["game", "division", "on_board", "score", "version_id"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_ratings_game_division_on_board_sigma"),
            ["game", "division", "on_board", "sigma"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_ratings_predecessor_id"), ["predecessor_id"], unique=False
        )

    op.create_table(
        "seats",
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column(
            "version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("bot_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("at_fault", sa.Boolean(), nullable=False),
        sa.Column("cpu_ms", sa.Float(), nullable=True),
        sa.Column("slowest_move_ms", sa.Float(), nullable=True),
        sa.Column("columns", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_seats_bot_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seats_match_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_seats_version_id")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seats")),
    )
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_seats_bot_id_match_id"), ["bot_id", "match_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_seats_version_id_match_id"), ["version_id", "match_id"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_seats_version_id_match_id"))
        batch_op.drop_index(batch_op.f("ix_seats_bot_id_match_id"))

    op.drop_table("seats")
    with op.batch_alter_table("ratings", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_ratings_predecessor_id"))
        batch_op.drop_index(batch_op.f("ix_ratings_game_division_on_board_sigma"))
        batch_op.drop_index(batch_op.f("ix_ratings_game_division_on_board_score_version_id"))
        batch_op.drop_index(batch_op.f("ix_ratings_game_division_on_board_mu"))
        batch_op.drop_index(batch_op.f("ix_ratings_game_division_on_board_last_number"))

    op.drop_table("ratings")
    op.drop_table("rating_changes")
    op.drop_table("entries")
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_versions_sha256"))

    op.drop_table("versions")
    op.drop_table("seat_logs")
    op.drop_table("results")
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_matches_tournament_id_status"))
        batch_op.drop_index(batch_op.f("ix_matches_status_priority_id"))
        batch_op.drop_index(batch_op.f("ix_matches_game_status_id"))

    op.drop_table("matches")
    op.drop_table("tournaments")
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tokens_account_id"))

    op.drop_table("tokens")
    with op.batch_alter_table("bots", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bots_owner_id"))

    op.drop_table("bots")
    op.drop_table("leagues")
    op.drop_table("invites")
    op.drop_table("blobs")
    op.drop_table("accounts")
