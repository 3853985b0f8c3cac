"""Types of columns, and the base of all tables."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Enum, Integer, MetaData, Text, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase

from ladder.values import (
    Ending,
    EvolutionStatus,
    Fault,
    Interest,
    Kind,
    MatchStatus,
    Purpose,
    Role,
    TokenUse,
    TournamentStatus,
    VersionStatus,
)


class UTCDateTime(TypeDecorator[datetime]):
    """An aware UTC time on every database; SQLite alone would forget the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("times in the database are aware; this one has no zone")
        return value and value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if not isinstance(value, datetime):
            return None
        return value if value.tzinfo else value.replace(tzinfo=UTC)


def one_of(values: type[StrEnum]) -> Enum:
    """A text column that holds the value of an enum member."""
    # Native PostgreSQL enums survive downgrades and are missed by autogenerate.
    return Enum(
        values, native_enum=False, length=24, values_callable=lambda e: [m.value for m in e]
    )


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        datetime: UTCDateTime(),
        str: Text(),
        dict[str, int]: JSON(none_as_null=True),
        dict[str, float]: JSON(none_as_null=True),
        dict[str, list[float]]: JSON(none_as_null=True),
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
        list[int]: JSON(none_as_null=True),
        dict[str, Any]: JSON(none_as_null=True),
        Role: one_of(Role),
        Kind: one_of(Kind),
        TokenUse: one_of(TokenUse),
        VersionStatus: one_of(VersionStatus),
        MatchStatus: one_of(MatchStatus),
        Purpose: one_of(Purpose),
        Ending: one_of(Ending),
        TournamentStatus: one_of(TournamentStatus),
        EvolutionStatus: one_of(EvolutionStatus),
        Fault: one_of(Fault),
        Interest: one_of(Interest),
    }


# SQLite counts only in columns that are declared exactly INTEGER PRIMARY KEY.
Id = BigInteger().with_variant(Integer(), "sqlite")
