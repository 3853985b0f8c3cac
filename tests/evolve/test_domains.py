import json
from dataclasses import replace
from pathlib import Path

import pytest

from engines.games import find_game
from engines.programs.text import parse
from engines.programs.trees import Program
from evolve import cli, domains
from evolve.errors import BadParameter
from evolve.fitness.boards import BoardArena
from evolve.fitness.guides import pin, seat
from evolve.fitness.measures import FractionalScore, ProgramMeasure, SingleElimination
from evolve.fitness.meetings import GameArena
from evolve.operators.growth import TreeLimits, ramped
from evolve.operators.sums import names_of
from evolve.runs.evolution import Evolution, Participants
from evolve.streams import stream

BOARDS = [name for name in domains.NAMES if isinstance(domains.make(name).arena, BoardArena)]
PARTS = (
    "Program architecture",
    "Terminals",
    "Functions",
    "Fitness",
    "Control parameters",
    "Result designation and termination",
)


@pytest.mark.parametrize("name", domains.NAMES)
def test_domains_state_six_parts_in_order(name: str) -> None:
    file = Path(domains.__file__).with_name(f"{name.replace('-', '_')}.py")
    text = file.read_text()
    places = [text.index(f"{number}. {part}") for number, part in enumerate(PARTS, 1)]
    assert places == sorted(places)


@pytest.mark.parametrize("name", domains.NAMES)
def test_domains_and_presets_are_whole(name: str) -> None:
    presets = domains.presets(name)
    assert "quick" in presets
    for preset in (None, *presets):
        made = domains.make(name, preset)
        assert made.name == made.game == name
        arena = made.arena
        assert arena is not None
        seen = {*made.guides, *made.designation.judges}
        assert not seen & set(made.designation.holdout)
        pinned, skipped = pin([*sorted(seen), *made.designation.holdout], arena)
        assert not skipped
        assert all(seat(one, arena).name == one.name for one in pinned)
    assert domains.make(name.replace("-", "_")).name == name


def test_the_books_parameters_are_the_defaults() -> None:
    tanks = domains.make("tanks").control
    assert (tanks.population, tanks.limits.depth) == (256, 10)
    assert (tanks.breeding.crossover, tanks.breeding.mutation) == (0.95, 0.05)  # type: ignore[attr-defined]
    assert (tanks.breeding.tournament, tanks.breeding.elites) == (5, 2)  # type: ignore[attr-defined]
    losing = domains.make("lose-checkers").control
    assert (losing.population, losing.generations, losing.limits.depth) == (100, 100, 13)
    assert (losing.breeding.crossover, losing.breeding.mutation) == (0.8, 0.1)  # type: ignore[attr-defined]
    deeper = domains.make("lose-checkers", "book-depth-4")
    assert (deeper.control.population, deeper.control.generations) == (50, 70)
    assert deeper.control.limits.depth == 10
    assert deeper.options == {"depth": 4}
    assert BoardArena("lose-checkers", varied=False) == deeper.arena


def test_pubeval_in_terms_plays_nearly_as_well_as_pubeval() -> None:
    domain = domains.make("backgammon", "quick", {"first_spread": 1e-9})
    known = set(domain.control.breeding.start)  # type: ignore[attr-defined]
    first = next(iter(Evolution(replace(domain, fitness=ProgramMeasure(len_of)), 1)))
    program = first.best.program
    assert known <= set(names_of(program.trees))
    arena = BoardArena("backgammon")
    met = arena.meet([arena.player(program), arena.house_player("pubeval")], 1, 400)
    assert 0.35 < met.share() < 0.6


def len_of(program: Program) -> float:
    return float(program.size)


def test_the_books_backgammon_is_the_default() -> None:
    made = domains.make("backgammon", "book-external")
    assert (made.control.population, made.control.generations) == (128, 500)
    assert made.guides == ("house:pubeval",)
    assert made.fitness == FractionalScore(100, 0.0)
    assert made.options == {"depth": 1}
    alone = domains.make("backgammon", "book-coevolution")
    assert (alone.fitness, alone.guides) == (SingleElimination(50), ())
    islands = domains.make("backgammon", "book-islands").control.islands
    assert (islands.count, islands.start, islands.stride) == (50, 10, 10)
    assert (islands.migrants, islands.neighbours) == (4, 3)


@pytest.mark.parametrize("parameters", [{"depth": 3}, {"final_depth": 0}, {"start": "gnubg"}])
def test_absurd_parameters_of_backgammon_are_refused(parameters: dict[str, object]) -> None:
    with pytest.raises(BadParameter):
        domains.make("backgammon", "quick", parameters)


def test_a_board_arena_without_variety_plays_the_same_game_again() -> None:
    arena = BoardArena("checkers", varied=False)
    limits = TreeLimits(6, 80)
    one, two = (
        arena.player(ramped(stream(3, place), arena.architecture, limits, place, range(3, 7)))
        for place in (3, 5)
    )
    assert arena.meet([one, two], 1, 4) == arena.meet([one, two], 99, 4)
    strong = arena.house_player("alphabeta-3")
    assert not strong.varied
    assert arena.meet([strong, arena.house_player("random")], 1, 6).points >= 5


@pytest.mark.parametrize("name", BOARDS)
def test_board_arenas_play_fair_and_alike(name: str) -> None:
    arena: GameArena = BoardArena(name)
    programs = [
        ramped(stream(3, place), arena.architecture, TreeLimits(6, 80), place, options={"depth": 1})
        for place in (3, 5)
    ]
    first, second = map(arena.player, programs)
    meeting = arena.meet([first, second], 11, 4)
    assert meeting == arena.meet([first, second], 11, 4)
    # The same openings with the sides exchanged: the other one sees the same in another order.
    other = arena.meet([second, first], 11, 4)
    order = (1, 0, 3, 2)
    assert meeting.own == tuple(other.others[place] for place in order)
    assert meeting.instructions == other.instructions[::-1]
    # A game has one winner, or a draw gives both the same.
    assert all(a == b or min(a, b) == 0 for a, b in zip(*meeting.scores, strict=True))
    weak, strong = (arena.house_player(arena.house[place]) for place in (0, 3))
    assert arena.meet([strong, weak], 5, 10).share() > 0.7
    told = arena.situations(stream(1), 5)
    assert told.shape == (5, arena.architecture.inputs)
    assert len({tuple(row) for row in told.tolist()}) == 5


def test_champions_search_as_deep_as_they_were_bred(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["run", "lose-checkers", "--preset", "quick", "--generations", "2", "--population", "6"]
    options = ["--set", "depth=2", "--set", "coplay=2", "--final-games", "4", "--seed", "5"]
    more = ["--set", "choosing-games=4", "--guides", "house:alphabeta-2"]
    assert cli.main([*words, *options, *more, "--out", str(out)]) == 0
    text = (out / "champion.lisp").read_text()
    programs = find_game("lose-checkers").programs  # type: ignore[attr-defined]
    assert parse(text, programs.architecture).option("depth") == 2
    report = json.loads((out / "report.json").read_text())
    assert [row["opponent"] for row in report["finals"]["guides"]] == ["house:alphabeta-2"]
    held_out = [row["opponent"] for row in report["finals"]["holdout"]]
    assert "house:alphabeta-2" not in held_out
    assert cli.main(["show", str(out)]) == 0
    assert cli.main(["analyze", str(out), "--games", "2"]) == 0
    terminals = json.loads((out / "analysis" / "analysis.json").read_text())["terminals"]
    assert {"Mobility", "IsEmptySquare", "PieceCount"} <= {row["terminal"] for row in terminals}
    assert all(row["single"] is not None for row in terminals)
    assert cli.main(["export", str(out), "--to", "python"]) == 0
    assert cli.main(["export", str(out), "--to", "java"]) == 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"depth": 0},
        {"depth": 99},
        {"coplay": 0, "guide_games": 0},
        {"tree_depth": 0},
        {"nodes": 10**6},
        {"mutation": 2.0},
        {"islands": 0},
        {"depth": "deep"},
        {"population": True},
        {"cutoff": -1.0},
    ],
)
def test_absurd_parameters_of_domains_are_refused(parameters: dict[str, object]) -> None:
    with pytest.raises(BadParameter):
        domains.make("lose-checkers", None, parameters)


def test_algorithm_3_2_with_and_without_guides() -> None:
    domain = domains.make(
        "lose-checkers",
        None,
        {"population": 4, "generations": 1, "coplay": 1, "guide_games": 2, "depth": 1},
    )
    assert domain.arena is not None
    guides = [seat(one, domain.arena) for one in pin(["house:random"], domain.arena)[0]]
    alone, guided = (
        next(iter(Evolution(domain, 1, Participants(using)))) for using in ((), guides)
    )
    assert alone.games == 4
    assert guided.games == 4 + 4 * 2
