"""The pages of evolution: its runs and schedules, and one run with its curves and champion."""

from __future__ import annotations

from ladder import boards, evolution, matches, submissions
from ladder.evolution import schedules
from ladder.values import EvolutionStatus
from ladder.web.drawing import draw_program
from ladder.web.pages import LATEST_MATCHES
from ladder.web.rendering import show
from ladder.web.site import Ask, Reply

RUN_ROWS = 50
LINE_ROWS = 20


def runs(ask: Ask, game: str | None, after: str | None) -> Reply:
    page = evolution.page(ask.site.db, game=game or None, after=after, limit=RUN_ROWS)
    return show(
        ask,
        "evolution.html",
        page=page,
        game=game,
        after=after,
        games=boards.games().games,
        schedules=schedules.schedules(ask.site.db),
        evolvable=evolution.evolvable(),
    )


def run(ask: Ask, id: int) -> Reply:
    db = ask.site.db
    found = evolution.run(db, id)
    text = submissions.program(db, found.sha256) if found.sha256 else b""
    bot_id = found.run.bot_id
    latest = None
    if bot_id is not None:
        latest = matches.page(db, game=None, bot_id=bot_id, after=None, limit=LATEST_MATCHES).rows
    return show(
        ask,
        "evolution_run.html",
        view=found,
        run=found.run,
        game=boards.kept_game(found.run.game),
        open=found.run.status in (EvolutionStatus.QUEUED, EvolutionStatus.RUNNING),
        text=text.decode(),
        trees=draw_program(found.run.game, text) if text else [],
        simplified=draw_program(found.run.game, found.simplified.encode()),
        line=evolution.line_of(db, found.run, LINE_ROWS),
        guide_bots={guide.name: guide.bot_id for guide in found.guides},
        latest=latest,
    )
