"""Accounts, and the answer to a new one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ladder.values import Allowance, Role


@dataclass(frozen=True, slots=True)
class AccountView:
    id: int
    name: str
    role: Role
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AccountStanding:
    """An account as admins see it."""

    id: int
    name: str
    role: Role
    created_at: datetime
    banned_at: datetime | None
    ban_reason: str | None
    own_limits: dict[str, int]
    """Its own limits, as set by admins."""


@dataclass(frozen=True, slots=True)
class AccountUse:
    """The used part of an account's allowance."""

    account: AccountStanding
    allowance: Allowance
    uploads_this_hour: int
    uploads_today: int
    bots: int
    stored_bytes: int
    challenges_today: int
    uploads_waiting: int


@dataclass(frozen=True, slots=True)
class AccountPage:
    accounts: list[AccountStanding]
    """In the order of their names."""
    next: str | None
    """Pass as `after` for the next accounts."""


@dataclass(frozen=True, slots=True)
class NewAccount:
    id: int
    name: str
    role: Role
    token: str
    """Shown once; only its hash is stored."""
