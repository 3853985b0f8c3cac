"""Kinds of damage to replay files on a disk."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import msgspec
from replay_files import own_file

from ladder.matches.replays import ReplayStore
from ladder.runner.replay import decode, encode
from ladder.store import Database


def other_document(data: bytes) -> bytes:
    """The document of a match with another seed."""
    return encode(msgspec.structs.replace(decode(data), seed=12345))


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda data: None,
    "empty": lambda data: b"",
    "cut short": lambda data: data[:-20],
    "flipped": lambda data: data[:60] + bytes(byte ^ 0xFF for byte in data[60:90]) + data[90:],
    "not gzip": lambda data: b"not gzip",
    "not JSON": lambda data: gzip.compress(b"not JSON"),
    "not a document": lambda data: gzip.compress(b"[]"),
    "another match": other_document,
}


def damage(db: Database, replays: ReplayStore, match_id: int, kind: str) -> None:
    path = own_file(db, replays, match_id)
    data = DAMAGES[kind](path.read_bytes())
    path.unlink()
    if data is not None:
        path.write_bytes(data)
