"""Places for bots: each cage of a worker has a number, and as root a user id, of its own."""

from __future__ import annotations

from ladder.errors import RunnerFailure

FIRST_SLOT_UID = 0x40000000
SLOTS_PER_WORKER = 64
"""Cages that one worker may have at a time."""
LAST_SLOT_UID = FIRST_SLOT_UID + SLOTS_PER_WORKER * 2**22 - 1
"""Linux has at most 2**22 process ids."""

_taken: set[int] = set()


def slot_uid(worker_pid: int, slot: int) -> int:
    """The user id of a bot when the server is root: no two running bots of a machine share one."""
    return FIRST_SLOT_UID + worker_pid * SLOTS_PER_WORKER + slot


def take_slot() -> int:
    """The first free slot of this process; raises `RunnerFailure` when there is none."""
    slot = next((n for n in range(SLOTS_PER_WORKER) if n not in _taken), None)
    if slot is None:
        raise RunnerFailure(f"a worker runs at most {SLOTS_PER_WORKER} bots at a time")
    _taken.add(slot)
    return slot


def free_slot(slot: int) -> None:
    _taken.discard(slot)
