"""A replay as one HTML file, which a browser opens without a server.

It has the styles, the scripts and the pictures of the site inside, and may load nothing else.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime

import msgspec

from engines.simulation import Simulation
from ladder.runner.pictures import MOST_FRAMES, Pictures
from ladder.runner.replay import BadReplay, Replay, game_of
from ladder.settings import Settings
from ladder.values import HOUSE, MatchStatus, Purpose, Verdict
from ladder.views import FrameView, MatchView, SeatView
from ladder.web.http.static_files import static_files
from ladder.web.pages.rendering import environment
from ladder.web.pictures.replays import Moment, ShownReplay, show_replay

_IMPORTED = re.compile(r'"\./([a-z0-9-]+\.js)"')
"""Modules import each other by their files, which a page alone does not have."""


def saved_page(document: Replay) -> bytes:
    """The page of a replay; raises `BadReplay` if it cannot be shown here."""
    game = game_of(document)
    files = {path.rpartition("/")[2]: file for path, file in static_files().items()}
    scripts = {name: file.body.decode() for name, file in files.items() if name.endswith(".js")}
    viewer = f"viewer-{document.viewer}.js"
    has_viewer = document.viewer is not None and viewer in scripts
    env = environment(Settings(), static_files())
    page = env.get_template("saved-replay.html").render(
        match=_match(document),
        title=game.title,
        style=files["style.css"].body.decode(),
        shown=[show_replay(document, Moment())] if has_viewer else _shown(document),
        address=_data_address("application/json", _json(document)) if has_viewer else "",
        modules=_import_map(viewer, scripts) if has_viewer else "",
        scripts=[f'import "{viewer}";'] if has_viewer else [scripts[s] for s in _SCRIPTS],
    )
    return page.encode()


_SCRIPTS = ("board.js", "saved-page.js")


def _shown(document: Replay) -> list[ShownReplay]:
    """The pictures of the match; of a puzzle, those of each instance."""
    found = []
    for number in range(max(1, len(document.answers))):
        shown = show_replay(document, Moment(instance=number))
        if not shown.pictures:
            raise BadReplay("The rules that are installed here cannot show this replay.")
        pictures, step = Pictures(document, number), 1
        if isinstance(game_of(document), Simulation):
            step = 1 + pictures.last // MOST_FRAMES
        frames = [
            FrameView(frame.number // step, frame.seat, frame.move, frame.position, frame.svg)
            for frame in pictures.draw(range(0, pictures.last + 1, step))
        ]
        data = msgspec.json.encode({"frames": frames})
        found.append(
            replace(
                shown,
                at=shown.at // step,
                last=pictures.last // step,
                query=f"#{shown.noun}=",
                frames=_data_address("application/json", data),
                to_instance="#instance=",
            )
        )
    return found


def _import_map(entry: str, scripts: dict[str, str]) -> str:
    """An import map with a module and all that it imports."""
    found: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in found:
            code = scripts[name]
            waiting += _IMPORTED.findall(code)
            bare = _IMPORTED.sub(r'"\1"', code)
            found[name] = _data_address("text/javascript", bare.encode())
    return json.dumps({"imports": found})


def _data_address(media: str, data: bytes) -> str:
    return f"data:{media};base64,{b64encode(data).decode()}"


def _json(document: Replay) -> bytes:
    return msgspec.json.encode(document)


def _match(document: Replay) -> MatchView:
    """The facts of the document, with a score for each bot; names are shown as it has them."""
    verdict = document.verdict
    ranks = Verdict(verdict.scores, verdict.ending, verdict.at_fault).ranks
    at = datetime.fromtimestamp(0, UTC)
    return MatchView(
        id=0,
        game=document.game,
        status=MatchStatus.FINISHED,
        purpose=Purpose.CHALLENGE,
        rated=False,
        seed=document.seed,
        ending=verdict.ending,
        explanation=document.explanation,
        plies=len(document.moves),
        tournament_id=None,
        created_at=at,
        finished_at=at,
        replay_removed=False,
        seats=[
            SeatView(
                seat=seat,
                bot=entrant.name,
                bot_id=0,
                owner=HOUSE,  # so that no owner is added to a name that may have one
                version=1,
                kind=entrant.kind,
                score=verdict.scores[seat],
                rank=ranks[seat],
                at_fault=seat in verdict.at_fault,
            )
            for seat, entrant in enumerate(document.entrants)
        ],
    )
