"""The table of savings by each improvement: its values agree, and its claim holds."""

from __future__ import annotations

import pytest

from bench.search_table import CHECKERS, CHESS, MINIMAX, OPENING, DepthRow, measure, render

COLUMNS, POSITIONS = CHECKERS.columns, CHECKERS.positions


@pytest.fixture(scope="module")
def rows() -> list[DepthRow]:
    return list(measure())


def test_values_agree_with_minimax(rows: list[DepthRow]) -> None:
    for row in rows:
        assert list(row.cells) == list(COLUMNS)
        plain = [row.cells[column].value for column in (MINIMAX, "alpha-beta", "+ ordering")]
        assert len(set(plain)) == 1
        quiet = [cell.value for cell in list(row.cells.values())[3:]]
        assert len(set(quiet)) == 1


def test_alpha_beta_saves_ninety_nine_percent(rows: list[DepthRow]) -> None:
    deepest = next(row for row in rows if row.position == OPENING and row.depth == 8)
    assert deepest.leaves == 845_931
    for column in COLUMNS[1:]:
        assert deepest.cells[column].nodes < 0.01 * deepest.cells[MINIMAX].nodes
    assert deepest.cells["+ transpositions"].nodes < 4 * deepest.least_leaves


def test_the_table_is_text(rows: list[DepthRow]) -> None:
    text = render(rows)
    for word in (*POSITIONS, *COLUMNS, "nodes", "milliseconds", "saved", "845,931 leaves"):
        assert word in text


def test_the_improvements_of_chess_save_nodes() -> None:
    for row in measure([4], CHESS):
        plain, *_, best = (row.cells[column].nodes for column in CHESS.columns)
        assert best < plain / 5
