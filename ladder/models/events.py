"""What live readers are told."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from ladder.models.base import Base, Id


class Event(Base):
    """Something that happened, written in the transaction in which it did; old ones are deleted."""

    __tablename__ = "events"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    """In the order in which the transactions were committed, and never given twice."""
    topics: Mapped[str]
    """What it is about, such as `game:reversi bot:12`."""
    data: Mapped[str]
    """What is sent, as JSON."""
