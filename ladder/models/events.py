"""Events for live readers."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from ladder.models.base import Base, Id


class LiveEvent(Base):
    """An event, written in the transaction of its change; old ones are deleted."""

    __tablename__ = "events"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    """In the order of the commits; never reused."""
    topics: Mapped[str]
    """Its topics, such as `game:reversi bot:12`."""
    data: Mapped[str]
    """The message, as JSON."""
