"""A site with something on every page: matches, tournaments of all formats, a bred champion, bots
that were accepted and rejected, and troubles for the admin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from live_site import (
    BOT,
    EVERYBODY,
    WORKER,
    LiveSite,
    at_fault,
    fight,
    make_site,
    pair_and_play,
    play_queue,
    record,
)
from test_evolution_pages import CHAMPION, bred

from ladder import evolution
from ladder.contests import leagues, tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.matches import leasing
from ladder.people import accounts
from ladder.store.migrate import upgrade
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import Allowance, Fault, Kind, Role, TokenUse

FORMATS = {
    "single-elimination": {"top": 6, "third_place": True},
    "round-robin": {"top": 6},
    "swiss": {"top": 6, "rounds": 3},
}
BROKEN = b"def agent(observation, configuration):\n    return observation['legal'][0]\n\n\nif\n"


@dataclass
class FullSite:
    site: LiveSite
    admin: str
    """A token of an admin, who also owns the bots."""
    paths: dict[str, list[str]]
    """Addresses of pages by the path of their route."""


def make_full_site(folder: Path) -> FullSite:
    site = make_site(folder)
    db, replays = site.db, site.replays
    upgrade(db)
    submissions.seed_house_bots(db)
    admin = accounts.create(db, "root", Role.ADMIN)
    reader = accounts.authenticate(db, admin.token, TokenUse.API)
    assert reader is not None
    pair_and_play(db, replays, "reversi", 6)
    runs = [
        tournaments.create(
            db,
            tournaments.NewTournament(
                "reversi",
                name,
                Selection(top=int(options["top"])),
                FormatOptions(seed=3, **{k: v for k, v in options.items() if k != "top"}),
            ),
            actor="root",
        ).id
        for name, options in FORMATS.items()
    ]
    leagues.ensure_leagues(db, site.settings)
    leagues.run_league(db, 1)
    play_queue(db, replays)
    open_run = tournaments.create(
        db,
        tournaments.NewTournament("reversi", "swiss", Selection(top=4), FormatOptions(seed=1)),
        actor="root",
    ).id
    tournaments.pause(db, open_run, "root")
    entered = submissions.submit(db, reader, Upload("reversi", "sound", BOT), Allowance())
    play_queue(db, replays)
    pair_and_play(db, replays, "reversi", 2)
    duel = fight(site, "tanks", ["Crazy", "SpinBot"], rounds=1)
    broken = submissions.submit(db, reader, Upload("reversi", "broken", BROKEN), Allowance())
    (job,) = leasing.lease(db, WORKER, 60, 1, leasing.Playable(EVERYBODY))
    complaint = "The bot cannot be loaded: bot.py line 5 column 3: SyntaxError: invalid syntax"
    record(db, replays, job, at_fault(job, 0, complaint, "Traceback …\n"))
    waiting = submissions.submit(
        db, reader, Upload("reversi", "waiting", BOT + b"#\n"), Allowance()
    )
    champion = bred(site, simplified=CHAMPION.decode())
    queued = evolution.start(db, evolution.RunRequest("tanks"), seed=8).run.id
    parked = _park(site)
    bots = [entered.id, broken.id, waiting.id, 1]
    paths = {
        "/games/{game}": ["/games/reversi", "/games/tanks?division=nano", "/games/checkers"],
        "/bots/{id}": [f"/bots/{bot}" for bot in bots],
        "/bots/{id}/versions/{version}/source": [],  # a download
        "/bots/{id}/versions/{version}": [f"/bots/{bot}/versions/1" for bot in bots[:3]],
        "/matches/{id}": [f"/matches/{one}" for one in (1, job.match_id, duel, parked)],
        "/matches/{id}/embed": [f"/matches/{one}/embed" for one in (1, duel)],
        "/games/{game}/matrix": ["/games/reversi/matrix", "/games/tanks/matrix"],
        "/bots/{id}/against/{other}": ["/bots/1/against/2"],
        "/evolution/{id}": [f"/evolution/{champion}", f"/evolution/{queued}"],
        "/leagues/{id}": ["/leagues/1", "/leagues/2"],
        "/tournaments/new": [
            "/tournaments/new",
            "/tournaments/new?game=tanks&format=gauntlet",
            "/tournaments/new?game=reversi&format=single-elimination",
        ],
        "/tournaments/{id}": [f"/tournaments/{run}" for run in [*runs, open_run]],
    }
    return FullSite(site, admin.token, paths)


def _park(site: LiveSite) -> int:
    """Let a match fail by the server's fault until it is parked; returns its id."""
    tournaments.create(
        site.db,
        tournaments.NewTournament(
            "connect-four", "round-robin", Selection(top=2), FormatOptions(seed=1)
        ),
        actor="root",
    )
    for _ in range(leasing.MOST_FAILURES[Fault.WORKER]):
        (job,) = leasing.lease(site.db, WORKER, 60, 1, leasing.Playable((Kind.HOUSE,)))
        leasing.give_up(site.db, WORKER, job, "the power failed", Fault.WORKER)
    return job.match_id
