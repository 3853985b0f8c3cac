"""Commands of bot authors: play, submit, challenge, replay."""

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
from engines.game import Game
from engines.games import find_game
from ladder import client
from ladder.errors import NotFound, Refusal
from ladder.host import temporary_folders
from ladder.matches import leasing, listing
from ladder.matches.replays import ReplayStore
from ladder.runner import play_job
from ladder.runner.pictures import Pictures
from ladder.runner.replay import Replay, decode, positions, verify
from ladder.runner.selftest import choose_tier
from ladder.runner.uploads import check_upload
from ladder.settings import Settings, add_flags, load
from ladder.store import Database
from ladder.terminal import plain, say
from ladder.values import Entrant, Kind, Limits, MatchJob, MatchReport, MatchStatus

GAME_FLAGS = ["move_ms", "match_ms", "memory_mb", "sandbox"]
STDERR_SHOWN = 2_000


def _add_play(play: argparse.ArgumentParser) -> None:
    play.add_argument("game")
    play.add_argument("bots", nargs="+", metavar="BOT", help="a file, or a house bot")
    play.add_argument("--games", type=int, default=10, metavar="N", help="default: 10")
    play.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    play.add_argument("--save", type=Path, metavar="FOLDER", help="save the replays here")
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
    challenge.add_argument("bots", nargs="+", metavar="BOT", help="names or numbers, one yours")
    challenge.add_argument("--games", type=int, default=2, metavar="N", help="default: 2")
    challenge.add_argument("--seed", type=int, metavar="N", help="of the first game")
    challenge.set_defaults(run=_challenge)


def _add_replay(replay: argparse.ArgumentParser) -> None:
    actions = replay.add_subparsers(metavar="ACTION", required=True)
    for name, run, text in (
        ("show", _show_replay, "print the moves of a match"),
        ("verify", _verify_replay, "play a match again and compare every move"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("match", type=int)
        add_flags(action, ["data", "database", *GAME_FLAGS])
        action.set_defaults(run=run)


ARGUMENTS = {
    "play": _add_play,
    "submit": _add_submit,
    "challenge": _add_challenge,
    "replay": _add_replay,
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
    entrants = [_entrant(name, game) for name in flags.bots]
    with temporary_folders.scratch("ladder-play-") as scratch:
        tier = _tier(settings, scratch, entrants)
        warmup.warm(game)  # otherwise the first move of a house bot would seem slow
        series = _Series(flags, settings.limits, entrants, tier, scratch)
        faults = 0
        with Console(stderr=True).status("playing") as status:
            for number in range(flags.games):
                status.update(f"game {number + 1} of {flags.games}")
                faults += series.play(number)
    _print_records(flags.bots, series.records)
    return 1 if faults else 0


def _entrant(name: str, game: Competition) -> Entrant:
    if name in game.house_bots:
        return Entrant(name, Kind.HOUSE, "")
    path = Path(name)
    if not path.is_file():
        house = ", ".join(game.house_bots)
        raise Refusal(f"{name!r} is neither a file nor a house bot; those are {house}")
    data = path.read_bytes()
    kind = check_upload(game, data)
    return Entrant(path.name, kind, hashlib.sha256(data).hexdigest(), data)


def _tier(settings: Settings, data: Path, entrants: list[Entrant]) -> str | None:
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
        folder: Path | None = self.flags.save
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{job.game}-{number + 1}.json.gz").write_bytes(report.replay)
        return len(report.verdict.at_fault)

    @staticmethod
    def _count(job: MatchJob, report: MatchReport, seat: int, record: _Record) -> None:
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
                _print_complaint(job, report, seat)


def _print_complaint(job: MatchJob, report: MatchReport, seat: int) -> None:
    told = report.seats[seat]
    say(f"{job.entrants[seat].name}: {told.complaint}", file=sys.stderr)
    if told.stderr:
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
    say(f"{bot['name']} version {number} is uploaded: {server.url}/bots/{bot['id']}")
    if flags.no_wait:
        return 0
    with Console(stderr=True).status("validating") as status:
        return _await_rating(server, bot["id"], number, status)


def _challenge(flags: argparse.Namespace) -> int:
    server = client.from_environment()
    bots = [server.bot_number(flags.game, name) for name in flags.bots]
    made = server.challenge(flags.game, bots, flags.games, flags.seed)
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


def _show_replay(flags: argparse.Namespace) -> int:
    settings = load(vars(flags))
    db = Database(settings.database_url)
    document = decode(listing.replay(db, ReplayStore(settings.replays), flags.match))
    say(f"{document.game}, seed {document.seed}")
    for seat, entrant in enumerate(document.entrants):
        say(f"seat {seat}: {entrant.name} ({entrant.kind})")
    game = find_game(document.game)
    if isinstance(game, Game):
        for at in positions(document):
            say(f"{at.ply:4} {at.text or '':8} {game.position(at.state)}")
    for number in range(len(document.answers)):
        _show_instance(document, number)
    say(document.explanation)
    return 0


def _show_instance(document: Replay, number: int) -> None:
    pictures = Pictures(document, number)
    say(f"instance {number + 1}: {pictures.text}")
    for seat, (answer, solved) in enumerate(
        zip(document.answers[number], pictures.solved, strict=True)
    ):
        if answer.solved:
            told = f"solved in {answer.moves}: {' '.join(solved.steps)}"
        else:
            told = answer.ending or "not solved"
        say(f"  seat {seat}: {told}")


def _verify_replay(flags: argparse.Namespace) -> int:
    settings = load(vars(flags))
    db = Database(settings.database_url)
    if listing.get(db, flags.match).status is not MatchStatus.FINISHED:
        raise NotFound(f"match {flags.match} is not finished")
    document = decode(listing.replay(db, ReplayStore(settings.replays), flags.match))
    job = leasing.job_again(db, flags.match, settings.limits)
    with temporary_folders.scratch("ladder-verify-") as scratch:
        tier = _tier(settings, scratch, list(job.entrants))
        difference = verify(document, play_job(job, scratch, tier))
    if difference is not None:
        say(f"match {flags.match} differs: {difference}")
        return 1
    same = (
        f"{len(document.answers)} instances" if document.answers else f"{len(document.moves)} moves"
    )
    say(f"match {flags.match} is the same: {same}, same verdict")
    return 0
