"""The pages of evolution: the runs and schedules, and one run with its curves and champion."""

from __future__ import annotations

from ladder import evolution
from ladder.boards import ladders
from ladder.evolution import schedules
from ladder.matches import listing
from ladder.uploads import submissions
from ladder.values import EvolutionStatus
from ladder.web.http.site import Request, Response
from ladder.web.pages.rendering import LATEST_MATCHES, show
from ladder.web.pictures.trees import draw_program

RUN_ROWS = 50
LINE_ROWS = 20


def runs(request: Request, game: str | None, after: str | None) -> Response:
    page = evolution.page(request.site.db, game=game or None, after=after, limit=RUN_ROWS)
    return show(
        request,
        "evolution.html",
        page=page,
        game=game,
        after=after,
        games=ladders.games().games,
        schedules=schedules.schedules(request.site.db),
        evolvable=evolution.evolvable(),
    )


def run(request: Request, id: int) -> Response:
    db = request.site.db
    found = evolution.run(db, id)
    text = submissions.program(db, found.sha256) if found.sha256 else b""
    bot_id = found.run.bot_id
    latest = None
    if bot_id is not None:
        latest = listing.page(db, game=None, bot_id=bot_id, after=None, limit=LATEST_MATCHES).rows
    return show(
        request,
        "evolution_run.html",
        view=found,
        run=found.run,
        game=ladders.kept_game(found.run.game),
        open=found.run.status in (EvolutionStatus.QUEUED, EvolutionStatus.RUNNING),
        text=text.decode(),
        trees=draw_program(found.run.game, text) if text else [],
        simplified=draw_program(found.run.game, found.simplified.encode()),
        line=evolution.line_of(db, found.run, LINE_ROWS),
        guide_bots={guide.name: guide.bot_id for guide in found.guides},
        latest=latest,
    )
