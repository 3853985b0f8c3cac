"""Native bots that speak UCI: good ones, and each way in which an engine can go wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.games import find_game
from ladder.errors import BadUpload
from ladder.runner.native import PROGRAM, read_native
from ladder.runner.referee import play
from ladder.runner.sandbox import Sandbox
from ladder.runner.uploads import check_upload
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob
from tests.hostile.archives import pack
from tests.runner.test_native import build, sandbox

__all__ = ["sandbox"]

CHESS = find_game("chess")
LIMITS = Limits(move_ms=400, match_ms=4_000, memory_mb=64)

ENGINE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char mode[32], line[65536], last[65536];
static int is(const char *name) { return strcmp(mode, name) == 0; }
int main(void) {
    FILE *data = fopen("mode", "r");
    if (data) fscanf(data, "%31s", mode);
    setvbuf(stdout, 0, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!strcmp(line, "uci")) {
            if (is("xboard")) { puts("Error (unknown command): uci"); continue; }
            puts("id name Test\noption name Hash type spin default 16\nuciok");
        } else if (!strcmp(line, "isready")) {
            if (is("network")) {
                puts("info string ERROR: The network file net.nnue was not loaded.");
                return 1;
            }
            puts("readyok");
        } else if (!strncmp(line, "position", 8)) {
            strcpy(last, line);
        } else if (!strncmp(line, "go", 2)) {
            puts("info depth 1 score cp 13 pv e2e4");
            while (is("endless")) {}
            while (is("silent")) fgets(line, sizeof line, stdin);
            while (is("floods")) puts("info string la la la la la la la la la la la la la la la");
            if (is("none")) puts("bestmove (none)");
            else if (is("resigns")) puts("bestmove resign");
            else if (is("bare")) puts("bestmove");
            else if (is("san")) puts("bestmove Nf3");
            else if (is("illegal")) puts("bestmove a1h8");
            else if (is("crashes")) abort();
            else if (is("ponders")) puts("bestmove a1a1 ponder e7e5");
            else {
                /* The script knows the first moves of each side from the last row of the board. */
                fputs("bestmove ", stdout);
                fputs(strstr(last, " b ") ? "a7a6" : "a2a3", stdout);
                puts(" ponder h7h6\ninfo string after the move");
            }
        }
    }
}
"""


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build("bot.c", ENGINE, tmp_path_factory.mktemp("uci"))


def match(engine: bytes, mode: str, limits: Limits = LIMITS) -> MatchJob:
    code = pack({"bot": engine, "protocol": b"uci\n", "mode": mode.encode()})
    assert check_upload(CHESS, code) is Kind.NATIVE
    entrants = Entrant("engine", Kind.NATIVE, "", code), Entrant("random", Kind.HOUSE, "")
    return MatchJob(1, 1, CHESS.name, 5, entrants, limits)


WRONG = {
    "xboard": (Ending.MATCH_TIMEOUT, "waited for uciok after uci"),
    "network": (Ending.START_FAILED, "The network file net.nnue was not loaded"),
    "endless": (Ending.MOVE_TIMEOUT, "waited for bestmove after go movetime 100"),
    "silent": (Ending.MATCH_TIMEOUT, "waited for bestmove after go movetime 100"),
    "floods": (Ending.OUTPUT_FLOOD, "more than 1024 KiB for one answer"),
    "none": (Ending.ILLEGAL_MOVE, "bestmove (none), although it has a legal move"),
    "resigns": (Ending.ILLEGAL_MOVE, "bestmove resign, although it has a legal move"),
    "bare": (Ending.BAD_REPLY, "bestmove without a move"),
    "san": (Ending.ILLEGAL_MOVE, "write moves like e2e4"),
    "illegal": (Ending.ILLEGAL_MOVE, "'a1h8' is illegal"),
    "crashes": (Ending.START_FAILED, "The bot was killed by SIG"),
    "ponders": (Ending.ILLEGAL_MOVE, "'a1a1' is illegal"),
}


@pytest.mark.parametrize("mode", WRONG)
def test_engines_that_go_wrong_are_told_why(
    mode: str, engine: bytes, sandbox: Sandbox, bots: Path
) -> None:
    report = play(match(engine, mode), sandbox, bots)
    ending, words = WRONG[mode]
    assert words in report.seats[0].complaint
    assert report.verdict.ending is ending
    assert report.verdict.at_fault == (0,)


def test_an_engine_plays_until_its_script_ends(engine: bytes, sandbox: Sandbox, bots: Path) -> None:
    report = play(match(engine, "plays"), sandbox, bots)
    assert report.seats[0].moves >= 1
    assert "a2a3" in report.seats[0].complaint


def test_the_marker_is_checked(engine: bytes) -> None:
    with pytest.raises(BadUpload, match="must have the word uci"):
        check_upload(CHESS, pack({"bot": engine, "protocol": b"xboard"}))
    uci = pack({"bot": engine, "protocol": b"uci"})
    assert PROGRAM in read_native(uci)
    with pytest.raises(BadUpload, match="Reversi is not played by UCI"):
        check_upload(find_game("reversi"), uci)
