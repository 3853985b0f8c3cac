"""The store changes the status of a match in the steps of `MATCH_TRANSITIONS` alone."""

import itertools

import pytest

from ladder.store.match_moves import move
from ladder.values import MATCH_TRANSITIONS, MatchStatus


@pytest.mark.parametrize(("old", "new"), list(itertools.product(MatchStatus, MatchStatus)))
def test_only_the_steps_of_the_table_are_made(old: MatchStatus, new: MatchStatus) -> None:
    if new in MATCH_TRANSITIONS[old]:
        assert "matches.status = " in str(move(old, to=new).whereclause)
    else:
        with pytest.raises(ValueError, match="cannot go"):
            move(old, to=new)


def test_every_old_status_must_allow_the_step() -> None:
    with pytest.raises(ValueError, match="from finished to cancelled"):
        move(MatchStatus.QUEUED, MatchStatus.FINISHED, to=MatchStatus.CANCELLED)
