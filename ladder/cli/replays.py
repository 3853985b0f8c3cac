"""Commands about replays, of matches by number or in files: replay show, page, verify."""

from __future__ import annotations

import argparse
from pathlib import Path

from engines.game import Game
from ladder.cli.bots import GAME_FLAGS, tier_for
from ladder.cli.opening import existing_database
from ladder.errors import NotFound, Refusal
from ladder.host import temporary_folders
from ladder.matches import leasing, listing
from ladder.matches.replays import ReplayStore
from ladder.runner import play_job
from ladder.runner.pictures import Pictures, guarded
from ladder.runner.replay import (
    MAX_DOCUMENT_BYTES,
    BadReplay,
    Replay,
    decode,
    game_of,
    positions,
    verify,
)
from ladder.settings import add_flags, load
from ladder.terminal import plain, say
from ladder.values import MatchStatus


def _add_replay(replay: argparse.ArgumentParser) -> None:
    actions = replay.add_subparsers(metavar="ACTION", required=True)
    show = actions.add_parser("show", help="print the moves of a match")
    page = actions.add_parser(
        "page", help="write a match as a page for a browser, without a server"
    )
    for action, run in ((show, _show), (page, _page)):
        about = "a replay that was saved, or the number of a match of the ladder here"
        action.add_argument("replay", metavar="FILE", help=about)
        add_flags(action, ["data", "database"])
        action.set_defaults(run=run)
    about = "the page (default: the name of the replay with .html)"
    page.add_argument("--out", type=Path, metavar="FILE", help=about)
    check = actions.add_parser("verify", help="play a match again and compare every move")
    check.add_argument("match", type=int)
    add_flags(check, ["data", "database", *GAME_FLAGS])
    check.set_defaults(run=_verify)


ARGUMENTS = {"replay": _add_replay}


def _read(flags: argparse.Namespace) -> Replay:
    """The replay in a file, or of a match."""
    name: str = flags.replay
    if name.isascii() and name.isdecimal():
        settings = load(vars(flags))
        db = existing_database(settings)
        return decode(listing.replay(db, ReplayStore(settings.replays), int(name)))
    try:
        with open(name, "rb") as file:
            data = file.read(MAX_DOCUMENT_BYTES + 1)
    except OSError as error:
        raise NotFound(
            f"cannot read {name}: {error.strerror}; name a file that `ladder play --save` wrote, "
            "or the number of a match"
        ) from error
    document = decode(data)
    if len(document.verdict.scores) != len(document.entrants):
        raise BadReplay("The replay contradicts itself: it has not a score for each bot.")
    return document


def _show(flags: argparse.Namespace) -> int:
    document = _read(flags)
    game = game_of(document)
    _line(f"{document.game}, seed {document.seed}")
    scores = document.verdict.scores
    for seat, entrant in enumerate(document.entrants):
        columns = document.columns[seat] if seat < len(document.columns) else {}
        counted = "".join(f", {name} {value:g}" for name, value in columns.items())
        fault = ", at fault" if seat in document.verdict.at_fault else ""
        _line(
            f"seat {seat}: {entrant.name} ({entrant.kind}), score {scores[seat]:g}{counted}{fault}"
        )
    if isinstance(game, Game):
        with guarded():
            for at in positions(document):
                _line(f"{at.ply:4} {at.text or '':8} {game.position(at.state)}")
    for number in range(len(document.answers)):
        _show_instance(document, number)
    _line(document.explanation)
    return 0


def _line(text: str) -> None:
    """Print text of a replay: a line break of its author must not begin a line of ours."""
    say(plain(text).replace("\n", "\\n"))


def _show_instance(document: Replay, number: int) -> None:
    pictures = Pictures(document, number)
    _line(f"instance {number + 1}: {pictures.text}")
    for seat, (answer, solved) in enumerate(
        zip(document.answers[number], pictures.solved, strict=True)
    ):
        if answer.solved:
            told = f"solved in {answer.moves}: {' '.join(solved.steps)}"
        else:
            told = answer.ending or "not solved"
        _line(f"  seat {seat}: {told}")


def _page(flags: argparse.Namespace) -> int:
    from ladder.web.pages.saved_replays import saved_page  # few commands need the web framework

    document = _read(flags)
    out = flags.out or Path(f"{Path(flags.replay).name.removesuffix('.json.gz')}.html")
    if out.suffix.lower() not in (".html", ".htm"):
        raise Refusal(f"--out must end in .html, so that browsers open it; {out} does not")
    page = saved_page(document)
    try:
        out.write_bytes(page)
    except OSError as error:
        raise Refusal(f"cannot write {out}: {error.strerror}") from error
    say(f"{out}: {len(page) / 2**20:.1f} MB; open it in a browser")
    return 0


def _verify(flags: argparse.Namespace) -> int:
    settings = load(vars(flags))
    db = existing_database(settings)
    if listing.get(db, flags.match).status is not MatchStatus.FINISHED:
        raise NotFound(f"match {flags.match} is not finished")
    document = decode(listing.replay(db, ReplayStore(settings.replays), flags.match))
    job = leasing.job_again(db, flags.match, settings.limits)
    with temporary_folders.scratch("ladder-verify-") as scratch:
        tier = tier_for(settings, scratch, list(job.entrants))
        difference = verify(document, play_job(job, scratch, tier))
    if difference is not None:
        say(f"match {flags.match} differs: {difference}")
        return 1
    same = (
        f"{len(document.answers)} instances" if document.answers else f"{len(document.moves)} moves"
    )
    say(f"match {flags.match} is the same: {same}, same verdict")
    return 0
