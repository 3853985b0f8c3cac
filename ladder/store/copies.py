"""Reads whole tables as plain rows from one state of a database, and writes them into another.

The columns come from the database, not from `ladder.models`, so a copy of any revision can be made
and loaded. Cells are values of JSON: times are ISO texts in UTC, bytes base64.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from ladder.errors import Refusal
from ladder.store.database import Connection

_FETCHED = 1_000
_VERSION_TABLE = "alembic_version"

Cell = Callable[[Any], Any]
Table = sa.Table


def tables(c: Connection) -> list[Table]:
    """The ladder's tables; a table comes before those that refer to it."""
    found = sa.MetaData()
    found.reflect(c)
    for table in found.tables.values():
        for column in table.columns:
            if isinstance(column.type, sa.JSON):
                column.type = sa.JSON(none_as_null=True)
    return [table for table in found.sorted_tables if table.name != _VERSION_TABLE]


def rows(c: Connection, table: Table) -> Iterator[list[Any]]:
    """All rows in the order of their keys, read as they are asked for."""
    query = sa.select(table).order_by(*table.primary_key.columns)
    reading = [_reading(column) for column in table.columns]
    for row in c.execute(query, execution_options={"yield_per": _FETCHED}):
        yield [
            cell if cell is None or read is None else read(cell)
            for cell, read in zip(row, reading, strict=True)
        ]


def load(c: Connection, table: Table, columns: Sequence[str], cells: list[list[Any]]) -> None:
    """Insert rows; `Refusal` if they do not fit into the table."""
    missing = set(columns) ^ set(table.columns.keys())
    if missing:
        raise Refusal(f"its table {table.name} has other columns: {', '.join(sorted(missing))}")
    writing = [_writing(table.columns[name]) for name in columns]
    try:
        values = [
            {
                name: cell if cell is None or write is None else write(cell)
                for name, cell, write in zip(columns, row, writing, strict=True)
            }
            for row in cells
        ]
        c.execute(sa.insert(table), values)
    except (ValueError, TypeError, AttributeError) as error:
        raise Refusal(f"its table {table.name} has a row that it cannot hold") from error
    except (sa.exc.IntegrityError, sa.exc.DataError, sa.exc.ProgrammingError) as error:
        raise Refusal(f"its table {table.name} contradicts itself") from error


def has_rows(c: Connection, found: Sequence[Table]) -> bool:
    return any(c.execute(sa.select(sa.literal(1)).select_from(t).limit(1)).first() for t in found)


def reset_counters(c: Connection, found: Sequence[Table]) -> None:
    """Number new rows after the highest loaded one; SQLite does so by itself."""
    if c.dialect.name != "postgresql":
        return
    for table in found:
        for column in table.primary_key.columns:
            name = sa.func.pg_get_serial_sequence(table.name, column.name)
            sequence = c.scalar(sa.select(name))
            highest = c.scalar(sa.select(sa.func.max(column))) if sequence else None
            if highest is not None:
                c.execute(sa.select(sa.func.setval(sequence, highest)))


def finished(c: Connection) -> Iterator[int]:
    """The ids of all finished matches that may have replays of their own."""
    columns = {column["name"] for column in sa.inspect(c).get_columns("matches")}
    single = " AND pack_id IS NULL" if "pack_id" in columns else ""  # not in earlier schemas
    query = sa.text(f"SELECT id FROM matches WHERE status = 'finished'{single} ORDER BY id")
    yield from c.execute(query, execution_options={"yield_per": _FETCHED}).scalars()


def packs(c: Connection) -> list[tuple[int, int, int]]:
    """The number, size and count of replays of each pack."""
    if not sa.inspect(c).has_table("replay_packs"):
        return []
    query = sa.text("SELECT id, bytes, replays FROM replay_packs ORDER BY id")
    return [(row[0], row[1], row[2]) for row in c.execute(query)]


def _reading(column: sa.Column[Any]) -> Cell | None:
    if isinstance(column.type, sa.LargeBinary):
        return lambda cell: base64.b64encode(cell).decode()
    if isinstance(column.type, sa.DateTime):
        return _write_time
    return None


def _writing(column: sa.Column[Any]) -> Cell | None:
    if isinstance(column.type, sa.LargeBinary):
        return lambda cell: base64.b64decode(cell, validate=True)
    if isinstance(column.type, sa.DateTime):
        return lambda cell: datetime.fromisoformat(cell).astimezone(UTC)
    if isinstance(column.type, sa.String):
        return lambda cell: cell.replace("\0", "\N{REPLACEMENT CHARACTER}")  # not in PostgreSQL
    return None


def _write_time(at: datetime) -> str:
    return (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)).isoformat()
