"""Every attack of the corpus, in every tier, is stopped, harms nobody, and leaves no traces."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engines.games import find_game
from ladder.errors import BadUpload, TooLarge
from ladder.runner.referee import play
from ladder.runner.sandbox import Sandbox, Tier
from ladder.runner.selftest import BOTS_FOLDER
from ladder.runner.uploads import check_upload
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob, MatchReport
from tests.hostile.conftest import Field, sandbox_in
from tests.hostile.corpus import CORPUS, Attack, inside
from tests.runner.conftest import has_threads

LIMITS = Limits(move_ms=250, match_ms=1000, memory_mb=64, start_ms=2_000, wall_factor=8.0)
WASM_LIMITS = dataclasses.replace(LIMITS, move_ms=50, match_ms=300, start_ms=300)
MOST_MEMORY_KIB = 48 << 10
"""Memory that a bot may cost the referee: some lines and a log. Uploads may unpack to 8 MiB."""

REFUSED = [attack for attack in CORPUS if attack.refused]
WASM = [attack for attack in CORPUS if attack.family == "webassembly" and attack.ending]
PLAYED = [attack for attack in CORPUS if attack.ending]


HONEST = Entrant("honest", Kind.PYTHON, "1" * 64, inside("honest"))


def job(
    code: bytes,
    kind: Kind = Kind.PYTHON,
    limits: Limits = LIMITS,
    opponent: Entrant = HONEST,
    game: str = "connect-four",
) -> MatchJob:
    entrants = (Entrant("attacker", kind, "0" * 64, code), opponent)
    return MatchJob(1, 1, game, 11, entrants, limits)


@cache
def honest_match(sandbox: Sandbox, bots: Path) -> MatchReport:
    """The match without an attack: all bots here play the first legal move."""
    return play(job(inside("honest")), sandbox, bots)


def peak_kib() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def forget_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return peak_kib()


def test_the_corpus_is_complete() -> None:
    assert len(CORPUS) >= 120
    assert {attack.name for attack in CORPUS} == {a.name for a in (*REFUSED, *PLAYED)}
    assert all(set(attack.ending) <= set(Ending) for attack in PLAYED)
    families = {"files", "network", "processes", "privileges", "scheduling", "memory", "time"}
    assert {attack.family for attack in CORPUS} >= families | {"crashes", "wire", "uploads"}


@pytest.mark.parametrize("attack", REFUSED, ids=lambda attack: attack.name)
def test_refused(attack: Attack, place: Field) -> None:
    data = attack.upload(place.targets)
    before = forget_peak()
    with pytest.raises((BadUpload, TooLarge)) as refusal:
        check_upload(find_game(attack.game), data)
    assert any(part in str(refusal.value) for part in attack.refused)
    assert len(str(refusal.value)) < 500
    assert peak_kib() - before < MOST_MEMORY_KIB


def cases() -> Iterator[Any]:
    for tier in ("A", "B"):
        for attack in PLAYED:
            # All tiers have the same referee and wasmkit, so the quick tests use one tier.
            again = tier == "B" and (attack.form == "reply.py" or attack in WASM)
            marks = pytest.mark.slow if again else ()
            yield pytest.param(tier, attack, id=f"{tier}-{attack.name}", marks=marks)


@pytest.mark.parametrize(("tier", "attack"), list(cases()))
def test_contained(tier: str, attack: Attack, place: Field, holding: dict[Tier, str]) -> None:
    check_contained(attack, sandbox_in(tier, holding), place, HONEST)


@pytest.mark.parametrize("attack", WASM, ids=lambda attack: attack.name)
def test_contained_in_tier_c(attack: Attack, place: Field, holding: dict[Tier, str]) -> None:
    """Only WebAssembly runs there, so the opponent is a house bot."""
    house = Entrant("random", Kind.HOUSE, "1" * 64)
    check_contained(attack, sandbox_in("C", holding), place, house)


def check_contained(attack: Attack, sandbox: Sandbox, place: Field, opponent: Entrant) -> None:
    tier = sandbox.tier
    if tier not in attack.tiers and attack not in WASM:
        pytest.skip("documented as possible in this tier")
    if not attack.possible_here or (attack.threads and not has_threads(sandbox)):
        pytest.skip("not possible here")
    bots = place.data / BOTS_FOLDER
    code = attack.upload(place.targets)
    kind = check_upload(find_game(attack.game), code)
    before, memory = place.traces(), forget_peak()

    limits = WASM_LIMITS if kind is Kind.WASM else LIMITS
    if attack.waits:
        limits = dataclasses.replace(limits, wall_factor=0.0)
    if opponent is HONEST and attack.game != "connect-four":
        opponent = Entrant(next(iter(find_game(attack.game).house_bots)), Kind.HOUSE, "1" * 64)
    report = play(job(code, kind, limits, opponent, attack.game), sandbox, bots)

    attacker, other = report.seats
    assert report.verdict.ending in attack.ending, attacker
    if report.verdict.ending is Ending.COMPLETED:
        assert report.verdict == honest_match(sandbox, bots).verdict
        assert "stopped: " in attacker.stderr or attack.form == "upload.py"
    else:
        assert report.verdict.at_fault == (0,)
        assert report.verdict.scores == (0.0, 1.0)
    assert "BREACH" not in attacker.stderr
    assert other.complaint == ""
    assert set(other.stderr.split()) <= {"honest"}
    assert place.traces() == before
    assert peak_kib() - memory < MOST_MEMORY_KIB
