"""Evolution and the ladder over real HTTP: leaders as guides, champions entered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ladder_steps import finish, lease
from live_site import LiveSite

from evolve import cli, domains
from evolve.domains.tanks import TankArena
from evolve.errors import LadderUnreachable
from evolve.fitness.guides import pin, seat
from evolve.ladder_client import LadderClient
from evolve.runs.run import StartOptions, start
from ladder.uploads import submissions

CHASER = Path(__file__).parents[2] / "prove" / "chaser.lisp"


def test_leaders_are_pinned_to_their_versions(site: LiveSite, token: str) -> None:
    sent = site.upload(token, "chaser", "tanks", CHASER.read_bytes()).json()
    submission = submissions.bot(site.db, sent["id"], None)
    assert submission.versions[0].sha256 == sent["version"]["sha256"]
    ladder = LadderClient(site.url)
    leaders = ladder.leaders("tanks", 5)
    assert [leader.rank for leader in leaders] == sorted(leader.rank for leader in leaders)
    guides, skipped = pin(["ladder:5"], TankArena(), ladder)
    assert skipped == []
    assert [guide.bot for guide in guides] == [leader.bot for leader in leaders]
    assert all(guide.sha256 for guide in guides)
    assert all(seat(guide, TankArena()).name == guide.name for guide in guides)


def test_programs_are_guides_and_other_code_is_named_and_skipped(
    site: LiveSite, token: str
) -> None:
    site.upload(token, "chaser", "tanks", CHASER.read_bytes())
    _accept(site)
    site.upload(token, "script", "tanks", b"def agent(observation, configuration): return {}\n")
    _accept(site)
    guides, skipped = pin(["ladder:100"], TankArena(), LadderClient(site.url))
    by_bot = {guide.bot: guide for guide in guides}
    assert by_bot["chaser"].kind == "program"
    assert by_bot["chaser"].text == CHASER.read_text()
    assert by_bot["Walls"].kind == "house"
    assert [(one.bot, one.kind) for one in skipped] == [("script", "python")]
    assert "only in runs on the ladder's server" in skipped[0].reason


def _accept(site: LiveSite) -> None:
    """Finish all waiting matches with a win for the first seat."""
    while jobs := lease(site.db):
        for job in jobs:
            assert finish(site.db, site.replays, job, (1.0, 0.0))


def test_a_champion_is_submitted_once(
    site: LiveSite, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LADDER_URL", site.url)
    monkeypatch.setenv("LADDER_TOKEN", token)
    out = tmp_path / "run"
    words = ["run", "tanks", "--preset", "quick", "--generations", "1", "--population", "4"]
    options = ["--final-games", "2", "--workers", "1", "--submit", "bred", "--out", str(out)]
    assert cli.main([*words, *options, "--guides", "house:Walls"]) == 0
    report = json.loads((out / "report.json").read_text())
    bot = submissions.bot(site.db, report["submitted"]["id"], None)
    assert (bot.name, bot.game, bot.kind) == ("bred", "tanks", "program")
    assert bot.versions[0].sha256 == report["champion"]["sha256"]
    assert cli.main(["resume", str(out)]) == 0
    assert len(submissions.bot(site.db, bot.id, None).versions) == 1


def test_a_champion_that_cannot_be_submitted_is_refused_before_the_run(
    site: LiveSite, tmp_path: Path
) -> None:
    domain = domains.make("tanks", "quick")
    for ladder, complaint in (
        (LadderClient(site.url), "LADDER_TOKEN"),
        (LadderClient(site.url, "nonsense"), "refused"),
        (LadderClient("http://127.0.0.1:9", "x"), "does not answer"),
    ):
        with pytest.raises(LadderUnreachable, match=complaint):
            start(domain, tmp_path / "run", options=StartOptions(submit="bred"), ladder=ladder)
    with pytest.raises(LadderUnreachable, match="http"):
        LadderClient("ftp://somewhere")
    with pytest.raises(LadderUnreachable, match="refused"):
        LadderClient(site.url).leaders("no-such-game", 3)
    assert not (tmp_path / "run").exists()
