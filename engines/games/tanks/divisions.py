"""The divisions of the Robocode leagues, by the size of a robot's code."""

from __future__ import annotations

from engines.competition import BYTECODE_BYTES, STATEMENTS, Division

DIVISIONS = (
    Division("mini", BYTECODE_BYTES, 1500),
    Division("micro", BYTECODE_BYTES, 750),
    Division("nano", BYTECODE_BYTES, 250),
    Division("sonnet", STATEMENTS, 14),
    Division("haiku", STATEMENTS, 4),
)
