"""Commands of bot authors: play, submit, challenge."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.status import Status
from rich.table import Table

from engines.competition import Competition, listed
from engines.compiling import warmup
from engines.games import find_game
from ladder import client
from ladder.errors import Refusal
from ladder.host import temporary_folders
from ladder.runner import play_job
from ladder.runner.selftest import choose_tier
from ladder.runner.uploads import check_upload
from ladder.settings import Settings, add_flags, load
from ladder.terminal import plain, say
from ladder.values import HOUSE, Entrant, Kind, Limits, MatchJob, MatchReport

GAME_FLAGS = ["move_ms", "match_ms", "memory_mb", "sandbox"]
STDERR_SHOWN = 2_000


def _add_play(play: argparse.ArgumentParser) -> None:
    play.add_argument("game")
    play.add_argument("bots", nargs="+", metavar="BOT", help="a file, or a house bot")
    play.add_argument("--games", type=int, default=10, metavar="N", help="default: 10")
    play.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    play.add_argument("--log", action="store_true", help="show what the bots print")
    about = "save the replays and what the bots print here"
    play.add_argument("--save", type=Path, metavar="FOLDER", help=about)
    add_flags(play, GAME_FLAGS)
    play.set_defaults(run=_play)


def _add_submit(submit: argparse.ArgumentParser) -> None:
    submit.add_argument("file", type=Path)
    submit.add_argument("--game", required=True)
    submit.add_argument("--name", required=True)
    submit.add_argument("--no-wait", action="store_true", help="do not wait for the first rating")
    submit.set_defaults(run=_submit)


def _add_challenge(challenge: argparse.ArgumentParser) -> None:
    challenge.add_argument("game")
    challenge.add_argument(
        "bots", nargs="+", metavar="BOT", help="names, owner/name or numbers, one yours"
    )
    challenge.add_argument("--games", type=int, default=2, metavar="N", help="default: 2")
    challenge.add_argument("--seed", type=int, metavar="N", help="of the first game")
    challenge.set_defaults(run=_challenge)


ARGUMENTS = {
    "play": _add_play,
    "submit": _add_submit,
    "challenge": _add_challenge,
}


@dataclass(slots=True)
class _Record:
    """The results of one bot over all games."""

    outcomes: Counter[str] = field(default_factory=Counter)
    score: float = 0.0
    slowest_ms: float = 0.0


def _play(flags: argparse.Namespace) -> int:
    game = find_game(flags.game)
    if len(flags.bots) not in game.seats:
        allowed = listed(game.seats)
        raise Refusal(f"{game.name} is played by {allowed} bots, not {len(flags.bots)}")
    if not 1 <= flags.games <= 100_000:
        raise Refusal("--games must lie between 1 and 100,000")
    settings = load(vars(flags))
    entrants = [entrant(name, game) for name in flags.bots]
    with temporary_folders.scratch("ladder-play-") as scratch:
        tier = tier_for(settings, scratch, entrants)
        warmup.warm(game)  # otherwise the first move of a house bot would seem slow
        series = _Series(flags, settings.limits, entrants, tier, scratch)
        faults = 0
        with Console(stderr=True).status("playing") as status:
            for number in range(flags.games):
                status.update(f"game {number + 1} of {flags.games}")
                faults += series.play(number)
    _print_records(flags.bots, series.records)
    return 1 if faults else 0


def entrant(name: str, game: Competition) -> Entrant:
    plain_name = name.removeprefix(f"{HOUSE}/")
    if plain_name in game.house_bots:
        return Entrant(plain_name, Kind.HOUSE, "")
    path = Path(name)
    if not path.is_file():
        house = ", ".join(game.house_bots)
        raise Refusal(f"{name!r} is neither a file nor a house bot; those are {house}")
    data = path.read_bytes()
    kind = check_upload(game, data)
    return Entrant(path.name, kind, hashlib.sha256(data).hexdigest(), data)


def tier_for(settings: Settings, data: Path, entrants: list[Entrant]) -> str | None:
    if not any(entrant.kind.sandboxed for entrant in entrants):
        return None
    return choose_tier(data, None if settings.sandbox == "auto" else settings.sandbox)


@dataclass(slots=True)
class _Series:
    """Games of the same entrants, one after the other."""

    flags: argparse.Namespace
    limits: Limits
    entrants: list[Entrant]
    tier: str | None
    scratch: Path
    records: list[_Record] = field(init=False)

    def __post_init__(self) -> None:
        self.records = [_Record() for _ in self.entrants]

    def play(self, number: int) -> int:
        """Play game `number`, add it to the records, and return how many seats were at fault."""
        # The same seed once per rotation of the seats, as on the ladder.
        turn = number % len(self.entrants)
        order = [*range(turn, len(self.entrants)), *range(turn)]
        job = MatchJob(
            match_id=number + 1,
            attempt=1,
            game=self.flags.game,
            seed=self.flags.seed + number // len(self.entrants),
            entrants=tuple(self.entrants[place] for place in order),
            limits=self.limits,
        )
        report = play_job(job, self.scratch, self.tier)
        for seat, place in enumerate(order):
            self._count(job, report, seat, self.records[place])
        if self.flags.log:
            _print_logs(job, report)
        if self.flags.save:
            _save(self.flags.save, job, report)
        return len(report.verdict.at_fault)

    def _count(self, job: MatchJob, report: MatchReport, seat: int, record: _Record) -> None:
        verdict, told = report.verdict, report.seats[seat]
        rank, sole = verdict.ranks[seat], verdict.ranks.count(1) == 1
        record.outcomes["loss" if rank > 1 else "win" if sole else "draw"] += 1
        record.score += verdict.scores[seat]
        record.slowest_ms = max(record.slowest_ms, told.slowest_move_ms)
        if seat in verdict.at_fault:
            record.outcomes["fault"] += 1
        if told.complaint and job.entrants[seat].kind is not Kind.HOUSE:
            record.outcomes["complaint"] += 1
            if record.outcomes["complaint"] == 1:
                _print_complaint(job, report, seat, logged=self.flags.log)


def _print_logs(job: MatchJob, report: MatchReport) -> None:
    """Print what the bots wrote to stdout and stderr in a game; of long texts, the end."""
    for seat, told in enumerate(report.seats):
        if told.stderr:
            say(f"--- game {job.match_id}, seat {seat}, {job.entrants[seat].name}:", sys.stderr)
            say(told.stderr.rstrip("\n"), sys.stderr)


def _save(folder: Path, job: MatchJob, report: MatchReport) -> None:
    """Save the replay of a game, and a log of each bot that printed something."""
    name = f"{job.game}-{job.match_id}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json.gz").write_bytes(report.replay)
        for seat, told in enumerate(report.seats):
            if told.stderr:
                (folder / f"{name}-seat{seat}.log").write_text(told.stderr, encoding="utf-8")
    except OSError as error:
        raise Refusal(
            f"cannot save the match in {folder}: {error.strerror}; name another folder with --save"
        ) from error


def _print_complaint(job: MatchJob, report: MatchReport, seat: int, *, logged: bool) -> None:
    told = report.seats[seat]
    say(f"{job.entrants[seat].name}: {told.complaint}", file=sys.stderr)
    if told.stderr and not logged:
        say(told.stderr[-STDERR_SHOWN:].rstrip(), file=sys.stderr)


def _print_records(names: list[str], records: list[_Record]) -> None:
    table = Table()
    for title in ("bot", "wins", "draws", "losses", "score", "faults", "slowest move"):
        table.add_column(title, justify="left" if title == "bot" else "right")
    for name, record in zip(names, records, strict=True):
        won, drawn, lost, fault = (record.outcomes[k] for k in ("win", "draw", "loss", "fault"))
        table.add_row(
            plain(Path(name).name),
            str(won),
            str(drawn),
            str(lost),
            f"{record.score:g}",
            str(fault),
            f"{record.slowest_ms:.1f} ms",
        )
    Console().print(table, markup=False)


def _submit(flags: argparse.Namespace) -> int:
    try:
        data = flags.file.read_bytes()
    except OSError as error:
        raise Refusal(f"cannot read {flags.file}: {error.strerror}") from error
    server = client.from_environment()
    bot = server.submit(flags.game, flags.name, data)
    number = bot["version"]["number"]
    told = f"version {number} is uploaded"
    if bot.get("unchanged"):
        told = f"is unchanged, this is version {number}"
    say(f"{bot['name']} {told}: {server.url}/bots/{bot['id']}")
    if flags.no_wait:
        return 0
    with Console(stderr=True).status("validating") as status:
        return _await_rating(server, bot["id"], number, status)


def _challenge(flags: argparse.Namespace) -> int:
    server = client.from_environment()
    made = server.challenge(flags.game, flags.bots, flags.games, flags.seed)
    for match_id in made["matches"]:
        say(f"match {match_id} is queued: {server.url}/matches/{match_id}")
    return 0


def _await_rating(server: client.Client, bot: int, number: int, status: Status) -> int:
    while True:
        view = server.bot(bot)
        version = next(v for v in view["versions"] if v["number"] == number)
        rating = version["rating"]
        if version["status"] in ("rejected", "suspended"):
            say(f"{version['status']}: {version['reason']}", file=sys.stderr)
            return 1
        if version["status"] == "accepted" and rating and rating["matches"]:
            say(
                f"accepted and rated: {rating['score']:.2f} "
                f"({rating['mu']:.1f} ± {rating['sigma']:.1f}), rank {rating['rank']}"
            )
            if version["size"] is not None:
                sizes = ", ".join(f"{count} {name}" for name, count in version["size"].items())
                say(f"divisions: {', '.join(version['divisions'])} ({sizes})")
            return 0
        if version["status"] == "accepted" and rating is None:
            say("accepted, but a later version has taken its place")
            return 0
        status.update(f"{version['status']}; waiting for the first rating")
        time.sleep(0.5)
