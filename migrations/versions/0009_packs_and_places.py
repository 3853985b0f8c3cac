"""Replays in packs; places in matches of many seats, and scores against each house bot

Revision: 0009, after 0008
"""

import json
from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "replay_packs",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("interest", sa.String(24), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("replays", sa.Integer(), nullable=False),
        sa.Column("newest_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_replay_packs"),
    )
    op.add_column("matches", sa.Column("pack_id", sa.BigInteger()))
    op.add_column("matches", sa.Column("pack_offset", sa.BigInteger()))
    op.add_column("ratings", sa.Column("places", sa.JSON()))
    op.add_column("ratings", sa.Column("field", sa.JSON()))
    _fold()


_LOG = """
    SELECT x.number, s.version_id, s.bot_id, s.rank, s.score, s.at_fault, v.kind
    FROM results x JOIN seats s ON s.match_id = x.match_id JOIN versions v ON v.id = s.version_id
    ORDER BY x.number, s.seat
"""


def _fold() -> None:
    """Fill the columns by one pass over the log, as ratings are folded from it."""
    c = op.get_bind()
    ladders: dict = {}
    for version_id, division in c.execute(sa.text("SELECT version_id, division FROM ratings")):
        ladders.setdefault(version_id, set()).add(division)
    places: dict = {}
    fields: dict = {}
    log = c.execute(sa.text(_LOG), execution_options={"yield_per": 10_000})
    for _, group in groupby(log, key=lambda row: row.number):
        seats = list(group)
        shared = set.intersection(*(ladders.get(seat.version_id, set()) for seat in seats))
        for key, seat in (((seat.version_id, d), seat) for d in shared for seat in seats):
            if len(seats) > 2 and seat.rank:
                counts = places.setdefault(key, [])
                counts += [0] * (seat.rank - len(counts))
                counts[seat.rank - 1] += 1
            share = 0.0 if seat.at_fault else seat.score or 0.0
            for other in seats:
                if other.kind == "house" and other.bot_id != seat.bot_id:
                    sums = fields.setdefault(key, {}).setdefault(str(other.bot_id), [0, 0.0])
                    sums[0] += 1
                    sums[1] += share
    rows = [
        {
            "v": key[0],
            "d": key[1],
            "p": json.dumps(places[key]) if key in places else None,
            "f": json.dumps(fields[key]) if key in fields else None,
        }
        for key in places.keys() | fields.keys()
    ]
    json_of = "CAST(:{} AS JSON)" if c.dialect.name == "postgresql" else ":{}"
    if rows:
        c.execute(
            sa.text(
                f"UPDATE ratings SET places = {json_of.format('p')}, field = {json_of.format('f')}"
                " WHERE version_id = :v AND division = :d"
            ),
            rows,
        )


def downgrade() -> None:
    for name in ("field", "places"):
        op.drop_column("ratings", name)
    for name in ("pack_offset", "pack_id"):
        op.drop_column("matches", name)
    op.drop_table("replay_packs")
