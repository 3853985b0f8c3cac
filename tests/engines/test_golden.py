"""Rules and exact searches against data from other engines.

Every file under `tests/data/board` with a known schema in its header is checked, under any name;
others are skipped with a warning. The quick test omits slow records; the slow test runs all
feasible ones.
"""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.alphabeta import kernels
from engines.alphabeta.search import MAX_DEPTH, WIN, Search, Switches
from engines.game import Game
from engines.games.backgammon import rules
from engines.games.backgammon.board import BackgammonState, make, unpack
from engines.games.backgammon.evaluation import PUBEVAL
from engines.games.backgammon.pubeval import pubeval
from engines.games.checkers import AMERICAN, LARGE, LOSING
from engines.games.chess.evaluation import WHOLE
from engines.games.chess.game import CHESS
from engines.games.chess.perft import perft as chess_perft
from engines.games.chess.solver import begins_mate, shortest_mate
from engines.games.connect_four import CELLS, CONNECT_FOUR
from engines.games.reversi import REVERSI

DATA = Path(__file__).parent.parent / "data" / "board"
FILES = sorted(path for path in DATA.iterdir() if path.is_file() and path.suffix != ".json")
"""Lists of records; a JSON file belongs to the test of its game."""

GAMES = {
    "othello": REVERSI,
    "connect4": CONNECT_FOUR,
    "checkers8": AMERICAN,
    "checkers10": LARGE,
}
"""Games by their names in perft records."""

Records = list[dict[str, Any]]


def read(path: Path) -> tuple[str, Records]:
    """Schema and records of a file; no schema if the file is of another kind."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            header, *records = [json.loads(line) for line in lines]
        return header["schema"], records
    except (OSError, ValueError, LookupError, TypeError):
        return "", []


def exact_score(game: Game, state: Any, plies: int) -> int:
    """Margin of the mover with best play, all the way to the end."""
    outcome = kernels.result(state) if kernels.over(state) else None
    if outcome is not None:
        return int(outcome)
    solver = Search(0, Switches.ALL & ~Switches.DEEPENING, table_bits=18)
    value = solver.find(state, game.legal(state), min(plies, MAX_DEPTH)).value
    return value - WIN if value > 0 else value + WIN if value < 0 else 0


def check_perft(records: Records, full: bool) -> None:
    most = 1_500_000_000 if full else 10_000_000
    stack = kernels.new_stack()
    for record in records:
        game = GAMES.get(record["game"])
        if record["game"] == "chess":
            check_chess_perft(record, most)
        if game is None:
            continue
        start = record["pos"] == ["start"]
        state = game.start(0) if start else game.from_position(" ".join(record["pos"]))
        for depth, expected in enumerate(record["perft"], start=1):
            if expected <= most:
                finished = record.get("finished") or 0
                assert kernels.perft(state, depth, finished, stack, 0) == expected, record


def check_chess_perft(record: dict[str, Any], most: int) -> None:
    """By convention draws do not end a line there, so chess counts by a function of its own."""
    stack = kernels.new_stack()
    board = CHESS.from_position(record["pos"][0]).board
    for depth, expected in enumerate(record["perft"], start=1):
        if expected <= most:
            assert chess_perft(board, depth, stack, 0) == expected, record


def check_chess_traces(records: Records, full: bool) -> None:
    """The other engine plays on after our draws, so each position is read by itself as well."""
    for record in records if full else records[::8]:
        board = None
        for fen, moves, played in record["plies"]:
            state = CHESS.from_position(fen)
            assert CHESS.fen(state) == fen
            assert board in (None, state.board), fen
            legal = CHESS.legal(state)
            texts = [CHESS.format(state, move) for move in legal]
            if texts:
                assert " ".join(texts) == moves
                board = kernels.play(state.board, CHESS.parse(state, played))
            else:
                assert CHESS.outcome(state) is not None
                board = None


def check_chess_positions(records: Records, full: bool) -> None:
    for record in records:
        state = CHESS.from_position(record["fen"])
        legal = CHESS.legal(state)
        texts = [CHESS.format(state, move) for move in legal]
        outcome = CHESS.outcome(state)
        assert (outcome is None) == (record["state"] == "open"), record
        assert bool(state.board.checkers) == record["check"]
        if outcome is None:
            assert " ".join(texts) == record["moves"]
            stack = kernels.new_stack()
            mates = [
                text
                for move, text in zip(legal, texts, strict=True)
                if begins_mate(state.board, move, 1, stack)
            ]
            assert mates == record["mate1"]


def check_chess_mates(records: Records, full: bool) -> None:
    stack = kernels.new_stack()
    for record in records:
        moves = record["mate"]
        if moves > (4 if full else 3) or not record["proved"]:
            continue
        board = CHESS.from_position(record["fen"]).board
        assert shortest_mate(board, moves) == moves, record
        if record["pv"]:
            state = CHESS.from_position(record["fen"])
            assert begins_mate(board, CHESS.parse(state, record["pv"][0]), moves, stack), record


def check_chess_tables(records: Records, full: bool) -> None:
    """A search never finds a win or a loss where perfect play has none."""
    search = Search(WHOLE)
    for record in records:
        state = CHESS.from_position(record["fen"])
        if CHESS.outcome(state) is None:
            found = search.find(state.board, CHESS.legal(state), 7 if full else 4).value
            assert found < WIN or record["wdl"] == 2, record
            assert found > -WIN or record["wdl"] == -2, record


def check_othello_traces(records: Records, full: bool) -> None:
    for record in records:
        state = REVERSI.start(0)
        for board, side, moves, played in record["plies"]:
            assert REVERSI.position(state) == f"{board} {side}"
            legal = REVERSI.legal(state)
            assert sorted(REVERSI.format(state, move) for move in legal) == moves
            state = REVERSI.play(state, REVERSI.parse(state, moves[played]))
        assert REVERSI.position(state)[:64] == record["final"]
        outcome = REVERSI.outcome(state)
        assert outcome is not None
        black, white = record["discs"]
        assert outcome.scores[0] == (black > white) + 0.5 * (black == white)


def check_othello_endgames(records: Records, full: bool) -> None:
    for record in records:
        empties = record["empties"]
        if empties > (16 if full else 9):
            continue
        state = REVERSI.from_position(f"{record['pos']} {record['side']}")
        assert exact_score(REVERSI, state, 2 * empties) == record["best"], record
        for text, expected in (record["scores"] or {}).items():
            after = REVERSI.play(state, REVERSI.parse(state, text))
            assert -exact_score(REVERSI, after, 2 * empties) == expected, (record, text)


def check_connect_four_traces(records: Records, full: bool) -> None:
    for record in records:
        state = CONNECT_FOUR.start(0)
        for column, legal in zip(record["moves"], record["legal"], strict=True):
            texts = [CONNECT_FOUR.format(state, move) for move in CONNECT_FOUR.legal(state)]
            assert texts == [str(int(column) + 1) for column in legal]
            state = CONNECT_FOUR.play(state, CONNECT_FOUR.parse(state, str(int(column) + 1)))
        assert CONNECT_FOUR.position(state)[:CELLS] == record["final"]
        outcome = CONNECT_FOUR.outcome(state)
        assert outcome is not None
        assert outcome.scores == {"x": (1, 0), "o": (0, 1)}.get(record["result"], (0.5, 0.5))


def check_connect_four_scores(records: Records, full: bool) -> None:
    for record in records:
        played = len(record["moves"])
        if played < (18 if full else 20):
            continue
        state = CONNECT_FOUR.start(0)
        for column in record["moves"]:
            state = CONNECT_FOUR.play(state, int(column))
        assert exact_score(CONNECT_FOUR, state, CELLS - played) == record["value"], record
        for column, expected in record["scores"].items() if full or played >= 24 else ():
            after = CONNECT_FOUR.play(state, int(column))
            assert -exact_score(CONNECT_FOUR, after, CELLS - played) == expected, record


def check_checkers_traces(records: Records, full: bool) -> None:
    """The other engine's draw rule is stricter, so every trace is a legal game here."""
    for record in records:
        game = AMERICAN if len(record["final"][0]) == 32 else LARGE
        state, losing = game.start(0), LOSING.start(0)
        for board, side, moves, played in record["plies"]:
            assert game.position(state).split()[:2] == [board, side]
            legal = {game.format(state, move): move for move in game.legal(state)}
            assert list(legal) == moves
            state = game.play(state, legal[moves[played]])
            if game is AMERICAN:
                losing = LOSING.play(losing, legal[moves[played]])
        assert game.position(state).split()[:2] == record["final"]
        outcome = game.outcome(state)
        assert (outcome is not None) == (record["end"] == "no_legal_move")
        if outcome is not None:
            assert outcome.scores[state.seat] == 0
            opposite = LOSING.outcome(losing)
            assert game is LARGE or (opposite and opposite.scores == outcome.scores[::-1])


def check_checkers_positions(records: Records, full: bool) -> None:
    for record in records:
        game = AMERICAN if len(record["pos"]) == 32 else LARGE
        state = game.from_position(f"{record['pos']} {record['side']}")
        legal = {game.format(state, move): move for move in game.legal(state)}
        assert list(legal) == record["moves"]
        assert kernels.mobility(state) == len(legal)
        after = [game.position(game.play(state, move)).split()[0] for move in legal.values()]
        assert after == record.get("after", after)


def read_men(text: str, dice: list[int], race: int = 0) -> BackgammonState:
    """A backgammon position of 50 hex digits: 25 places of the mover, then of the other side."""
    men = [int(digit, 16) for digit in text]
    larger, smaller = sorted(dice, reverse=True) if dice else (0, 0)
    return make([0, *men[:25]], [0, *men[25:]], dice=8 * larger + smaller)._replace(race=race)


def write_men(after: BackgammonState) -> str:
    """The text of a position after a turn, from the view of the side that has moved."""
    own, their = unpack(*after[2:4]), unpack(*after[:2])
    return "".join(f"{men:x}" for men in (*own[1:], *their[1:]))


def check_backgammon_traces(records: Records, full: bool) -> None:
    for record in records:
        swapped = ""
        for men, one, two, played, results, chosen in record["plies"]:
            # A side that cannot move is left out.
            assert swapped in ("", men) or men == swapped[25:] + swapped[:25]
            state = read_men(men, [one, two])
            legal = rules.legal(state)
            after = [rules.play(state, move) for move in legal]
            assert sorted(map(write_men, after)) == results, (men, one, two)
            assert {len(rules.steps(move)) for move in legal} == {played}
            swapped = results[chosen][25:] + results[chosen][:25]
        end = read_men(swapped, [])
        assert kernels.over(end)
        assert kernels.result(end) == -record["points"]


def check_pubeval_vectors(records: Records, full: bool) -> None:
    for record in records:
        men = record["after"]
        value = pubeval(read_men(men[25:] + men[:25], [], record["race"]))
        assert abs(value - record["score"]) < max(1e-4, 1e-7 * abs(record["score"])), record


def check_pubeval_choices(records: Records, full: bool) -> None:
    for record in records:
        state = read_men(record["pos"], record["dice"])
        after = [rules.play(state, move) for move in rules.legal(state)]
        assert write_men(max(after, key=pubeval)) == record["best"], record
        # The search has whole numbers, for the side that rolls next.
        found = min(after, key=lambda one: kernels.evaluate(one, PUBEVAL))
        assert write_men(found) == record["best"], record


CHECKS: dict[str, Callable[[Records, bool], None]] = {
    "perft-1": check_perft,
    "othello-trace-1": check_othello_traces,
    "othello-endgame-1": check_othello_endgames,
    "connect4-trace-1": check_connect_four_traces,
    "connect4-scores-1": check_connect_four_scores,
    "chess-trace-1": check_chess_traces,
    "chess-positions-1": check_chess_positions,
    "chess-mate-1": check_chess_mates,
    "chess-syzygy-1": check_chess_tables,
    "checkers-trace-1": check_checkers_traces,
    "checkers-positions-1": check_checkers_positions,
    "backgammon-trace-1": check_backgammon_traces,
    "pubeval-vector-1": check_pubeval_vectors,
    "pubeval-choice-1": check_pubeval_choices,
}


def check_file(path: Path, full: bool) -> None:
    schema, records = read(path)
    if schema not in CHECKS:
        warnings.warn(f"no test reads the kind of file of {path.name}", stacklevel=2)
        pytest.skip("unknown kind of file")
    assert records
    CHECKS[schema](records, full)


def names() -> Iterator[str]:
    return (path.name.split(".")[0] for path in FILES)


@pytest.mark.golden
@pytest.mark.parametrize("path", FILES, ids=list(names()))
def test_golden(path: Path) -> None:
    check_file(path, full=False)


@pytest.mark.golden
@pytest.mark.proof
@pytest.mark.parametrize("path", FILES, ids=list(names()))
def test_golden_in_full(path: Path) -> None:
    check_file(path, full=True)


def test_unknown_files_are_skipped_with_a_warning(tmp_path: Path) -> None:
    for name, content in (("odd.jsonl", '{"schema": "odd-1"}\n{}'), ("odd.bin", "\0")):
        (tmp_path / name).write_text(content)
        with pytest.warns(UserWarning, match=name), pytest.raises(pytest.skip.Exception):
            check_file(tmp_path / name, full=False)
