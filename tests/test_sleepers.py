"""A server on which one account's bots sleep still answers the uploads of another.

`prove.sleepers` does the same with more of both.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from prove.sleepers import SLEEPERS, WITHIN_SECONDS, SleeperServer, measure


@pytest.mark.slow
def test_uploads_do_not_wait_for_sleepers() -> None:
    with tempfile.TemporaryDirectory(prefix="ladder-sleepers-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # bots with other user ids must have access
        site = SleeperServer(folder, workers=2)
        try:
            waits = measure(site, sleepers=2 * len(SLEEPERS), uploads=2, pause=10)
            assert not site.failures()
        finally:
            site.part.stop()
        assert max(waits.rated) < WITHIN_SECONDS
