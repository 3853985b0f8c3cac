"""Accounts, and what a new one is told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ladder.values import Role


@dataclass(frozen=True, slots=True)
class AccountView:
    id: int
    name: str
    role: Role
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewAccount:
    id: int
    name: str
    role: Role
    token: str
    """Shown once; only its hash is stored."""
