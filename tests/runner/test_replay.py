"""The replay document: equal bytes for equal matches, and no trust in bytes from elsewhere."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from ladder.runner import play_job, replay
from ladder.values import Entrant, Kind, MatchJob, MatchReport


@pytest.fixture
def report(data: Path) -> MatchReport:
    seat = Entrant("random", Kind.HOUSE, "1" * 64)
    return play_job(MatchJob(1, 1, "connect-four", 5, (seat, seat)), data, None)


def test_round_trip(report: MatchReport) -> None:
    document = replay.decode(report.replay)
    assert replay.encode(document) == report.replay
    assert document.verdict.scores == report.verdict.scores
    assert document.explanation == report.explanation


def test_positions_lead_through_every_move(report: MatchReport) -> None:
    document = replay.decode(report.replay)
    positions = list(replay.positions(document))
    assert [at.ply for at in positions] == list(range(report.plies + 1))
    assert [at.text for at in positions[1:]] == [record.move for record in document.moves]
    assert replay.replayed_outcome(document) == report.verdict.scores


def test_verify_names_the_first_difference(report: MatchReport) -> None:
    document = replay.decode(report.replay)
    first = document.moves[0]
    other = msgspec.structs.replace(first, move="9")
    changed = msgspec.structs.replace(document, moves=(other, *document.moves[1:]))
    assert replay.verify(changed, report) == f"Move 1 was 9 and is now {first.move}."
    shorter = msgspec.structs.replace(document, moves=document.moves[:-1])
    assert "moves" in (replay.verify(shorter, report) or "")
    slower = msgspec.structs.replace(first, cpu_ms=99.0)
    late = msgspec.structs.replace(document, moves=(slower, *document.moves[1:]))
    assert replay.verify(late, report) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not gzip",
        gzip.compress(b"{}", mtime=0),
        gzip.compress(b"\xff", mtime=0),
        gzip.compress(bytes(replay.MAX_DOCUMENT_BYTES + 1), mtime=0),
        gzip.compress(b"{}", mtime=0)[:-5],
    ],
)
def test_bad_documents(data: bytes) -> None:
    with pytest.raises(replay.BadReplay):
        replay.decode(data)


def test_illegal_documents(report: MatchReport) -> None:
    document = replay.decode(report.replay)
    twice = msgspec.structs.replace(document, moves=(document.moves[0],) * 2)
    with pytest.raises(replay.BadReplay, match="not the turn"):
        list(replay.positions(twice))
    wrong = msgspec.structs.replace(document.moves[0], move="x")
    with pytest.raises(replay.BadReplay, match="not legal"):
        list(replay.positions(msgspec.structs.replace(document, moves=(wrong,))))
