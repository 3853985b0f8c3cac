"""Pages of bots against each other: two of them head to head, and the best of a game."""

from __future__ import annotations

from markupsafe import Markup

from ladder.boards import ladders
from ladder.reports import rivalries
from ladder.views import Matrix, Tally
from ladder.web.http.site import Request, Response
from ladder.web.pages.rendering import show
from ladder.web.pictures import charts

MATCH_ROWS = 20
TABLE_SIZES = (10, 20, 50)


def against(request: Request, id: int, other: int, after: str | None) -> Response:
    found = rivalries.head_to_head(request.site.db, id, other, after, MATCH_ROWS)
    return show(
        request, "against.html", rivalry=found, game=ladders.kept_game(found.game), after=after
    )


def matrix(request: Request, game: str, division: str, top: int) -> Response:
    found = ladders.game(game)
    table = rivalries.matrix(request.site.db, game, division, top)
    return show(
        request,
        "matrix.html",
        game=found,
        table=table,
        cells=_cells(table),
        top=top,
        sizes=TABLE_SIZES,
    )


def _cells(table: Matrix) -> list[Markup]:
    """The cells of each row. They are not made by a template, which would be far slower for 2500
    cells, and need no escaping, since they hold only numbers."""
    others = [row.bot_id for row in table.rows]
    return [
        Markup("".join(_cell(row.bot_id, *pair) for pair in zip(others, row.cells, strict=True)))
        for row in table.rows
    ]


def _cell(bot_id: int, other: int, cell: Tally) -> str:
    share = cell.share
    if bot_id == other:
        return '<td class="self"></td>'
    if share is None:
        return '<td class="heat-none"></td>'
    return (
        f'<td class="num {charts.heat(share)}"><a href="/bots/{bot_id}/against/{other}" '
        f'title="{cell.wins}/{cell.draws}/{cell.losses}">{100 * share:.0f} '
        f"<small>{cell.games}</small></a></td>"
    )
