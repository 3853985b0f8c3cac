"""The formats of the log: text for people, or one JSON object per line for programs."""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

from ladder.terminal import plain

FORMATS = ("text", "json")
FIELDS = ("match", "matches", "game", "tournament", "league", "run", "schedule", "worker")
"""The subjects of a log line, given as `extra` to the logger."""

_SECRETS = re.compile(r"\blad_[\w-]{8,}|(?<=://)[^\s/@:]*:[^\s/@]*(?=@)")
"""Tokens, and names and passwords in the URLs of databases."""


def conceal(text: str) -> str:
    """The text without tokens and passwords, in case one is logged by mistake."""
    return _SECRETS.sub("***", text)


class TextFormat(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return plain(conceal(super().format(record)))


class JsonFormat(logging.Formatter):
    """One object per line: `time`, `level`, `logger`, `event`, subjects by name, and `error`."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": at.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": conceal(record.getMessage()),
        }
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            trace = "".join(traceback.format_exception(error))
            line["error"] = {
                "type": type(error).__name__,
                "message": conceal(str(error)),
                "trace": conceal(trace),
            }
        return json.dumps(line, default=str)  # in ASCII: every stream can write it


def configure(form: str, level: int = logging.INFO) -> None:
    """Send the log of this process to stderr in one of the `FORMATS`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormat() if form == "json" else TextFormat())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for chatty in ("apscheduler", "alembic", "distributed"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
