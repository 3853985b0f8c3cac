"""A program exported to C++ gives the orders that it gives here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engines.games.racing import rars
from engines.games.racing.program import ProgramDriver, architecture, compile_text
from engines.games.racing.simulation import TIME_TRIAL
from engines.games.racing.situation import situation
from engines.programs.text import parse

PROGRAM = """
(program time-trial
  (tree speed (IfGreater AH (Add 0.4 (Tan (Mul 0.1 (Abs CR)))) 0.9 (IfPositive NR 0.4 0.45)))
  (tree steering
    (times 0.9 (Sub (Add (Mul 0.6 AA) (Mul 0.5 (Sub TL TR))) (Mul 0.8 (Div NV V))))))
"""

FIELDS = (
    *("cur_rad", "nex_rad", "after_rad", "aftaft_rad"),
    *("cur_len", "nex_len", "after_len", "aftaft_len"),
    *("to_lft", "to_rgt", "to_end", "v", "vn"),
)

HEADER = f"""
struct con_vec {{ double alpha, vc; }};
static const con_vec CON_VEC_EMPTY = {{0, 0}};
enum {{ oBLUE }};
struct situation {{ double {", ".join(FIELDS)}; int backward; }};
class Driver {{
public:
    const char *m_sName, *m_sAuthor, *m_sBitmapName2D, *m_sModel3D;
    int m_iNoseColor, m_iTailColor;
    virtual con_vec drive(situation& s) = 0;
    virtual ~Driver() {{}}
}};
"""
"""As much of the simulator's interface as a robot needs."""

MAIN = f"""
#include <cstdio>
#include "Bred.cpp"
int main() {{
    Driver* driver = getBredInstance();
    situation s;
    while (scanf("{"%lf " * len(FIELDS)}%d", {", ".join(f"&s.{name}" for name in FIELDS)},
                 &s.backward) == {len(FIELDS) + 1}) {{
        con_vec order = driver->drive(s);
        printf("%.17g %.17g\\n", order.alpha, order.vc);
    }}
}}
"""


def test_the_robot_gives_the_same_orders(tmp_path: Path) -> None:
    state = TIME_TRIAL.start(1, 2, {"track": "sepang", "laps": 1})
    player = ProgramDriver(compile_text(PROGRAM))
    lines, ours = [], []
    for _ in range(1500):
        seen = situation(state.worlds, 0)
        state = TIME_TRIAL.step(state, [player, None])
        car = state.worlds["cars"][0, 0]
        ours.append((float(car["order_alpha"]), float(car["order_vc"])))
        lines.append(" ".join(repr(float(seen[name])) for name in FIELDS))
        lines[-1] += f" {int(seen['backward'])}"
    (tmp_path / "car.h").write_text(HEADER)
    (tmp_path / "Bred.cpp").write_text(
        rars.export(parse(PROGRAM, architecture("time-trial")), "Bred")
    )
    (tmp_path / "main.cpp").write_text(MAIN)
    # Zig first compiles the library of C++, which takes longer than all the rest.
    found = shutil.which("c++")
    compiler = [found] if found else [sys.executable, "-m", "ziglang", "c++"]
    options = ["-O1", "-Wall", "-Werror", "-o", "robot", "main.cpp"]
    subprocess.run([*compiler, *options], cwd=tmp_path, check=True)
    told = subprocess.run(
        [tmp_path / "robot"], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    theirs = [tuple(map(float, line.split())) for line in told.stdout.splitlines()]
    assert len(theirs) == len(ours)
    for mine, other in zip(ours, theirs, strict=True):
        assert other == pytest.approx(mine, abs=1e-6)
    assert len({round(vc) for _, vc in ours}) > 1


@pytest.mark.parametrize("name", ["", "bred", "A b", "Bred;", "X" * 40])
def test_names_are_checked(name: str) -> None:
    with pytest.raises(ValueError, match="first a capital"):
        rars.export(parse(PROGRAM, architecture("time-trial")), name)
