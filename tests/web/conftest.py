from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_site import LiveSite, Serving, make_site, seed

from ladder.contests import leagues
from ladder.matches.replays import ReplayStore
from ladder.people import accounts
from ladder.runner.selftest import choose_tier
from ladder.settings import Settings
from ladder.store import Database
from ladder.store.migrate import upgrade
from ladder.uploads import submissions
from ladder.values import Role


@pytest.fixture(scope="session")
def seeded_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with house bots, a few played matches and a finished league."""
    folder = tmp_path_factory.mktemp("seeded")
    settings = Settings(data=folder)
    db = Database(settings.database_url)
    upgrade(db)
    seed(db, ReplayStore(settings.replays))
    leagues.ensure_leagues(db, settings)
    db.close()
    return folder


@pytest.fixture
def folder(seeded_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(seeded_folder, tmp_path / "data"))


@pytest.fixture
def site(folder: Path) -> Iterator[LiveSite]:
    live = make_site(folder)
    with Serving(live.app) as live.url:
        yield live
    live.db.close()


@pytest.fixture(scope="session")
def shared_site(
    seeded_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveSite]:
    """One site for all tests that change nothing."""
    folder = tmp_path_factory.mktemp("shared") / "data"
    live = make_site(Path(shutil.copytree(seeded_folder, folder)))
    with Serving(live.app) as live.url:
        yield live
    live.db.close()


@pytest.fixture
def admin(site: LiveSite) -> str:
    """The token of an admin."""
    return accounts.create(site.db, "root", Role.ADMIN).token


@pytest.fixture
def token(site: LiveSite) -> str:
    """The token of a member called ada."""
    return site.account("ada")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site with house bots and nothing played yet."""
    live = make_site(tmp_path_factory.mktemp("fresh"), uploads_per_hour=100)
    upgrade(live.db)
    submissions.seed_house_bots(live.db)
    with Serving(live.app) as live.url:
        yield live
    live.db.close()


@pytest.fixture(scope="module")
def tier(fresh: LiveSite) -> str:
    return str(choose_tier(fresh.settings.data))
