"""Use cases of evolution: starting, stopping and showing runs.

schedules   asks for runs at their times     breeder     runs them, a child process for each
breeding    leases, progress, champions      run_folder  input and output of the child
child       the process that breeds          sandboxed   uploaded code as its opponent

Only this package knows `evolve`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import msgspec

from engines.games import GAMES, find_game
from engines.programs.text import parse, write
from engines.programs.trees import BadProgram
from ladder.cursors import read_number
from ladder.errors import Conflict, NotFound, Refusal
from ladder.events import news
from ladder.people.accounts import lock_in_good_standing
from ladder.people.names import check_name
from ladder.seeds import new_seed
from ladder.store import Connection, Database, accounts, bots, evolution, ratings
from ladder.store.database import Row, now
from ladder.uploads.submissions import own_bot
from ladder.values import HOUSE, OPEN_DIVISION, EvolutionStatus, Role
from ladder.views import (
    EvolutionPage,
    EvolutionRef,
    EvolutionReport,
    EvolutionView,
    GenerationView,
    GuideView,
)

OWNER = "evolve"
"""The account that owns the champions of runs without another owner."""

BOT_NAME = "evolved"
GUIDES = "ladder:3"
MOST_GUIDES = 50
_OPENING = 0xE701
"""A lock: servers that start together make the account one after the other."""

_LIMITS = {
    "generations": 100_000,
    "population": 100_000,
    "final_games": 1_000_000,
    "minutes": 100_000,
}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The settings of a run; None is the domain's default."""

    preset: str | None = None
    generations: int | None = None
    population: int | None = None
    final_games: int | None = None
    minutes: float | None = None
    """After which no further generation is begun."""

    def __post_init__(self) -> None:
        for name, most in _LIMITS.items():
            value = getattr(self, name)
            least = 1 if isinstance(value, int) else 0.01
            if value is not None and not least <= value <= most:
                raise Refusal(f"{name.replace('_', ' ')} must lie between {least} and {most:,}")
        if self.preset is not None and not re.fullmatch(r"[a-z0-9-]{1,40}", self.preset):
            raise Refusal("a preset must be a short name such as quick")

    @property
    def given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


def ensure_account(db: Database) -> None:
    """Make the account of champions, to reserve its name."""
    with db.write(alone=_OPENING) as c:
        find_account(c, OWNER)


def find_account(c: Connection, name: str) -> int:
    """The account of that name; the default owner is made if it is missing."""
    key = check_name(name, "an account name")[1]
    found = accounts.account_named(c, key)
    if found is not None:
        return found.id
    made = accounts.insert_account(c, OWNER, OWNER, Role.MEMBER, now()) if key == OWNER else None
    if made is None:
        raise NotFound(f"there is no account {name!r}")
    return made


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run that somebody asks for, once or on a schedule."""

    game: str
    guides: str = GUIDES
    options: RunOptions = RunOptions()
    bot: str = BOT_NAME
    """The bot that the champion is the next version of."""
    owner: str = OWNER


def start(db: Database, wanted: RunRequest, *, seed: int | None = None) -> EvolutionView:
    """Queue a run against the guides as they are now; a `Refusal` changes nothing."""
    game = wanted.game
    check_domain(game, wanted.options)
    if seed is not None and not 0 <= seed < 2**53:
        raise Refusal("seed must lie between 0 and 2^53")
    with db.write() as c:
        owner_id = find_account(c, wanted.owner)
        shown = check_bot(c, game, wanted.bot, owner_id)[0]
        new = NewRun(game, shown, owner_id, wanted.guides, wanted.options.given, seed=seed)
        run_id = queue(c, new)
        assert run_id is not None
    return run(db, run_id)


def check_bot(c: Connection, game: str, name: str, owner_id: int) -> tuple[str, str]:
    """A bot name that this owner may use, as shown and as compared; raises `Refusal`, also for a
    banned owner.
    """
    lock_in_good_standing(c, owner_id)
    shown, key = check_name(name, "a bot name")
    own_bot(c, owner_id, game, shown, key)
    return shown, key


@dataclass(frozen=True, slots=True)
class NewRun:
    game: str
    bot: str
    owner_id: int
    guides: str
    settings: Mapping[str, Any]
    seed: int | None = None
    """None: a random one."""
    schedule_id: int | None = None
    scheduled_for: datetime | None = None


def queue(c: Connection, new: NewRun) -> int | None:
    """Fix the versions of the guides and queue a run.

    Return its id, or None when its schedule has had its run for that time.
    """
    pinned = _pin(c, new.game, new.guides)
    run_id = evolution.insert_run(
        c,
        {
            "schedule_id": new.schedule_id,
            "scheduled_for": new.scheduled_for,
            "game": new.game,
            "domain": new.game,
            "seed": new_seed() if new.seed is None else new.seed,
            "settings": dict(new.settings),
            "bot_name": new.bot,
            "owner_id": new.owner_id,
            "created_at": now(),
        },
    )
    if run_id is not None:
        evolution.insert_guides(c, run_id, pinned)
        news.run_moved(c, run_id, EvolutionStatus.QUEUED)
    return run_id


def _pin(c: Connection, game: str, guides: str) -> list[int]:
    """The current versions of the guides; raises `Refusal`."""
    found: list[int] = []
    for word in read_guides(game, guides):
        kind, _, name = word.partition(":")
        if kind == "ladder":
            best = ratings.leaders(c, game, OPEN_DIVISION, int(name))
            found += [one.version_id for one in best]
        else:
            owner = accounts.account_named(c, HOUSE)
            key = check_name(name, "a bot name")[1]
            row = bots.bot_of(c, owner.id, game, key) if owner else None
            newest = bots.newest_version(c, row.id) if row else None
            if newest is None:
                raise NotFound(f"the house bot {name} is not on the ladder; start the server once")
            found.append(newest.id)
    return list(dict.fromkeys(found))


def read_guides(game: str, guides: str) -> list[str]:
    """The words of a list such as `ladder:3,house:Walls`; raises `Refusal`."""
    words = [word.strip() for word in guides.split(",") if word.strip()]
    if not words:
        raise Refusal("name the guides, such as ladder:3 or house:NAME, with commas between")
    house = find_game(game).house_bots
    for word in words:
        kind, _, name = word.partition(":")
        if kind == "ladder" and re.fullmatch(r"[0-9]{1,3}", name):
            if not 1 <= int(name) <= MOST_GUIDES:
                raise Refusal(f"ladder:N takes 1 to {MOST_GUIDES} leaders")
        elif kind != "house":
            raise Refusal(f"a guide is ladder:N or house:NAME, not {word[:80]!r}")
        elif name not in house:
            raise Refusal(f"{game} has no house bot {name[:80]!r}; it has {', '.join(house)}")
    return words


def stop(db: Database, run_id: int) -> EvolutionView:
    """Cancel a waiting or running run; its server notices within seconds."""
    with db.write() as c:
        if evolution.run(c, run_id) is None:
            raise NotFound(f"there is no run {run_id}")
        if not evolution.move(c, run_id, EvolutionStatus.CANCELLED, ended_at=now()):
            raise Conflict(f"run {run_id} has ended already")
        news.run_moved(c, run_id, EvolutionStatus.CANCELLED)
    return run(db, run_id)


def page(db: Database, *, game: str | None, after: str | None, limit: int) -> EvolutionPage:
    below = read_number(after)
    if game is not None:
        find_game(game)
    with db.read() as c:
        rows = evolution.page(c, game, below, limit)
    end = str(rows[-1].id) if len(rows) == limit else None
    return EvolutionPage([_ref(row, row.generation, row.best) for row in rows], end)


def line_of(db: Database, run: EvolutionRef, limit: int) -> list[EvolutionRef]:
    """The latest runs for the same bot, newest first."""
    with db.read() as c:
        rows = evolution.page(c, run.game, None, limit, (run.owner, run.bot))
    return [_ref(row, row.generation, row.best) for row in rows]


def run(db: Database, run_id: int) -> EvolutionView:
    with db.read() as c:
        row = evolution.run(c, run_id)
        if row is None:
            raise NotFound(f"there is no run {run_id}")
        guides = evolution.guides(c, run_id)
        numbers = evolution.generations(c, run_id)
    generations = [GenerationView(*(getattr(n, name) for name in _NUMBERS)) for n in numbers]
    last = generations[-1] if generations else None
    return EvolutionView(
        run=_ref(row, last.generation if last else None, last.best if last else None),
        settings=row.settings,
        guides=[_guide_view(guide) for guide in guides],
        generations=generations,
        report=None if row.report is None else msgspec.convert(row.report, EvolutionReport),
        sha256=row.sha256,
        simplified=row.simplified,
        trouble=row.trouble,
    )


_NUMBERS = GenerationView.__match_args__


def _guide_view(row: Row) -> GuideView:
    return GuideView(
        name=row.name,
        bot_id=row.bot_id,
        version=row.number,
        owner=row.owner,
        kind=row.kind,
        sha256=row.sha256,
    )


def _ref(row: Row, generation: int | None, best: float | None) -> EvolutionRef:
    return EvolutionRef(
        id=row.id,
        game=row.game,
        domain=row.domain,
        status=row.status,
        seed=row.seed,
        owner=row.owner,
        bot=row.bot_name,
        bot_id=row.bot_id,
        version=row.version,
        generation=generation,
        best=best,
        scheduled_for=row.scheduled_for,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def simplify(domain: str, champion: bytes) -> str:
    """The champion without the parts that have no effect; empty where that is unknown."""
    from evolve.operators.simplification import (
        simplify as simplified,  # loaded only when needed: it is slow
    )

    known = find_game(domain).programs
    if known is None:
        return ""
    try:
        return write(simplified(parse(champion.decode(), known.architecture)))
    except (BadProgram, UnicodeDecodeError):
        return ""


def evolvable() -> list[str]:
    """The games in which bots can be bred."""
    from evolve.domains import NAMES

    return [game.name for game in GAMES if game.name in NAMES]


def check_domain(game: str, options: RunOptions) -> None:
    """Raise `Refusal` unless the domain exists and has these options."""
    from evolve import domains
    from evolve.errors import EvolveError

    if find_game(game).name not in evolvable():
        raise Refusal(f"{game} cannot be evolved; {', '.join(evolvable())} can")
    parameters = options.given
    preset = parameters.pop("preset", None)
    try:
        domains.make(game, preset, parameters)
    except EvolveError as error:
        raise Refusal(str(error)) from error
