"""The two tank games through the ladder's contract, and parts that no recording covers."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from engines.competition import IllegalMove
from engines.compiling.jit import njit
from engines.games.tanks import TANKS, TANKS_MELEE, entry, layout, random_stream, recording
from engines.games.tanks.battle import battle
from engines.games.tanks.roster import BOTS
from engines.games.tanks.simulation import Battle, Tanks
from engines.simulation import Simulation


def play(game: Tanks, names: list[str], seed: int, rounds: int) -> Battle:
    """A battle of house bots through the contract, a step at a time."""
    players = [game.house_bots[name](0) for name in names]
    state = game.start(seed, len(names), {"rounds": rounds})
    while game.outcome(state) is None:
        state = game.step(state, [player.choose(state, i) for i, player in enumerate(players)])
    return state


@pytest.mark.parametrize("game", [TANKS, TANKS_MELEE], ids=lambda game: game.name)
def test_contract(game: Tanks) -> None:
    assert isinstance(game, Simulation)
    assert list(game.house_bots) == list(BOTS)


@pytest.mark.parametrize(
    ("game", "names"),
    [
        (TANKS, ["Crazy", "SpinBot"]),
        (TANKS, ["Corners", "Fire"]),
        (TANKS_MELEE, ["RamFire", "Tracker", "Walls", "VelociRobot"]),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else value.name,
)
def test_steps_and_kernel_play_the_same(game: Tanks, names: list[str]) -> None:
    state = play(game, names, 11, 2)
    whole = battle(names, 11, 2, game.width, game.height)
    assert game.columns(state) == whole.columns
    assert game.turns(state) == sum(whole.turns)
    outcome = game.outcome(state)
    assert outcome is not None
    assert math.isclose(sum(outcome.scores), 1)


def test_a_state_is_a_value() -> None:
    state = TANKS.start(5, 2, {})
    order = TANKS.order(state, 0, [["set_ahead", 100], ["set_turn_right", 30]])
    first = TANKS.step(state, [order, order])
    again = TANKS.step(state, [order, order])
    assert [TANKS.observe(first, seat) for seat in (0, 1)] == [
        TANKS.observe(again, seat) for seat in (0, 1)
    ]
    assert TANKS.observe(state, 0) == TANKS.observe(TANKS.start(5, 2, {}), 0)
    further = TANKS.step(first, [None, None])
    assert TANKS.replay(first) == TANKS.replay(again)
    assert TANKS.turns(further) == 2


@pytest.mark.parametrize("game", [TANKS, TANKS_MELEE], ids=lambda game: game.name)
def test_a_copy_has_all_that_matters(game: Tanks, monkeypatch: pytest.MonkeyPatch) -> None:
    """The battle does not depend on the old content of the memory for copies."""
    seats = max(game.seats)
    names = list(BOTS)[-seats + 1 :]
    replays = []
    for byte in (0x00, 0xFF, 0x41):

        def blank(byte: int = byte) -> Any:
            return np.full(layout.WORLD.itemsize, byte, np.uint8).view(layout.WORLD)

        monkeypatch.setattr(layout, "blank_worlds", blank)
        state = game.start(4, seats, {"rounds": 2})
        spin = game.order(state, 0, [["set_turn_gun_right", 90], ["set_fire", 1], ["set_ahead", 9]])
        house = [game.house_bots[name](0) for name in names]
        while game.outcome(state) is None:
            game.observe(state, 0)
            state = game.step(state, [spin, *house])
        replays.append(game.replay(state))
    assert replays[0] == replays[1] == replays[2]


def test_observation_is_json_and_tells_what_happened() -> None:
    state = TANKS.start(1, 2, {"rounds": 1})
    kinds = set()
    order = TANKS.order(state, 0, [["set_ahead", "Infinity"], ["set_turn_radar_right", 360]])
    for _ in range(120):
        seen = TANKS.observe(state, 0)
        assert seen is not None
        assert json.loads(json.dumps(seen, allow_nan=False)) == seen
        kinds |= {event["event"] for event in seen["events"]}
        state = TANKS.step(state, [order, TANKS.house_bots["SittingDuck"](0)])
    assert seen["distance_remaining"] in ("Infinity", 0.0)
    assert {"hit_wall", "scanned_robot"} <= kinds


@pytest.mark.parametrize(
    "reply",
    [
        "set_ahead",
        {"set_ahead": 1},
        [["fly", 3]],
        [["set_ahead"]],
        [["set_ahead", 1, 2]],
        [["set_ahead", True]],
        [["set_ahead", None]],
        [["set_ahead", "far"]],
        [["set_ahead", [1]]],
        [["set_fire", 10**400]],
        [["set_stop", 1]],
        [["set_adjust_gun_for_robot_turn", 1]],
        [[]],
        [[7]],
        ["set_stop"],
        [["set_stop"]] * 10_001,
    ],
    ids=repr,
)
def test_bad_orders_are_refused(reply: Any) -> None:
    state = TANKS.start(5, 2, {})
    with pytest.raises(IllegalMove):
        TANKS.order(state, 0, reply)


ODD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, "NaN", "-Infinity"]
NUMERIC = [
    "set_ahead",
    "set_back",
    "set_turn_right",
    "set_turn_gun_left_radians",
    "set_turn_radar_right",
    "set_max_velocity",
    "set_max_turn_rate",
    "set_fire",
]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_odd_numbers_leave_the_battle_sound(value: Any) -> None:
    state = TANKS.start(9, 2, {"rounds": 1})
    order = TANKS.order(state, 0, [[name, value] for name in NUMERIC])
    quiet = TANKS.order(state, 1, [["set_turn_radar_right", 45]])
    for _ in range(80):
        state = TANKS.step(state, [order, quiet])
    for tank in state.worlds["tanks"][0, :2]:
        place = [float(tank[name]) for name in ("x", "y", "body", "gun", "radar", "energy")]
        assert all(math.isfinite(number) for number in place)
        assert 18 <= place[0] <= 782
        assert 18 <= place[1] <= 582


def test_orders_of_nan_move_nothing_and_fire_nothing() -> None:
    state = TANKS.start(9, 2, {"rounds": 1})
    still = TANKS.observe(state, 0)
    order = TANKS.order(state, 0, [[name, "NaN"] for name in NUMERIC])
    for _ in range(50):
        state = TANKS.step(state, [order, TANKS.order(state, 1, None)])
    seen = TANKS.observe(state, 0)
    assert still is not None
    assert seen is not None
    for name in ("x", "y", "heading_radians", "gun_heading_radians", "energy"):
        assert seen[name] == still[name]


def test_a_robot_that_misses_too_many_turns_leaves_the_round() -> None:
    state = TANKS.start(3, 2, {"rounds": 2})
    duck = TANKS.house_bots["SittingDuck"](0)
    turns = 0
    while TANKS.outcome(state) is None:
        turns += TANKS.observe(state, 0) is not None
        state = TANKS.step(state, [None, duck])
    assert turns == 62
    outcome = TANKS.outcome(state)
    assert outcome is not None
    assert outcome.scores == (0.0, 1.0)
    assert TANKS.columns(state)[1]["firsts"] == 2


def test_missed_turns_keep_old_orders() -> None:
    state = TANKS.start(3, 2, {})
    state = TANKS.step(state, [TANKS.order(state, 0, [["set_turn_right", 90]]), None])
    for _ in range(10):
        state = TANKS.step(state, [None, None])
    turned = state.worlds["tanks"]["turn"][0, 0]
    assert turned == 0


@pytest.mark.parametrize(
    "options",
    [
        {"gravity": 1},
        {"rounds": 0},
        {"rounds": True},
        {"width": 399},
        {"height": 700.5},
        {"cooling": 0.05},
        {"inactivity": -1},
    ],
    ids=repr,
)
def test_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="option"):
        TANKS.start(1, 2, options)


def test_seats() -> None:
    with pytest.raises(ValueError, match="seats"):
        TANKS.start(1, 3, {})
    TANKS_MELEE.start(1, 10, {})


def test_replay_is_small_and_complete() -> None:
    state = play(TANKS, ["Crazy", "SpinBot"], 2, 3)
    replay = TANKS.replay(state)
    header, rounds = recording.unpack(replay)
    assert header["names"] == ["Crazy", "SpinBot"]
    assert sum(len(tanks) for tanks, _ in rounds) == TANKS.turns(state)
    assert len(replay) < 100_000
    last, bullets = rounds[-1]
    assert abs(last[-1, 0, 0] / 10 - state.worlds["tanks"]["x"][0, 0]) <= 0.05
    assert set(bullets[:, 8].tolist()) <= {1, 2, 3, 4}


@njit
def _shuffled_and_skipped(worlds: Any, others: Any, times: int, count: int) -> None:
    world, other = worlds[0], others[0]
    for _ in range(times):
        random_stream.shuffle_range(world, world.bullet_order, count)
    random_stream.skip_shuffles(other, times, count)


@njit
def _first_numbers(worlds: Any, seed: int, numbers: Any) -> float:
    random_stream.seed_stream(worlds[0], seed)
    for place in range(len(numbers)):
        numbers[place] = random_stream.next_int(worlds[0], 100)
    return random_stream.next_double(worlds[0])


def _world() -> Any:
    return layout.new_worlds(2, 800, 600, 1, 0.1, 450)


def test_random_numbers_are_javas() -> None:
    numbers = np.zeros(5, np.int64)
    _first_numbers(_world(), 42, numbers)
    assert numbers.tolist() == [30, 63, 48, 84, 70]
    assert _first_numbers(_world(), 42, numbers[:0]) == 0.7275636800328681


@pytest.mark.parametrize("count", [1, 2, 3, 7, 10, 40])
def test_skipping_draws_what_shuffling_draws(count: int) -> None:
    worlds, others = _world(), _world()
    # A state whose next draw is one of the topmost, which Java draws again.
    before = (((1 << 48) - 1 - 0xB) * pow(0x5DEECE66D, -1, 1 << 48)) % (1 << 48)
    for state in (12345, before):
        worlds["random"] = others["random"] = state
        _shuffled_and_skipped(worlds, others, 3, count)
        assert worlds["random"] == others["random"]


def test_memory_of_a_battle() -> None:
    assert layout.WORLD.itemsize < 1_000_000


def test_inactivity_ends_a_battle_of_ducks() -> None:
    result = battle(["SittingDuck", "SittingDuck"], 1, 1)
    # The first zap falls in turn 452, a thousand of them empty a tank, one more kills it.
    assert result.turns == [452 + 1000 + 150]
    assert [row["firsts"] for row in result.columns] == [1, 1]


def test_events_wait_in_order_of_urgency() -> None:
    worlds = layout.new_worlds(2, 800, 600, 1, 0.1, 450)
    entry.begin(worlds, 1)
    queue = worlds["queues"][0, 0]
    kinds = [layout.SCANNED, layout.HIT_BY_WALL, layout.WIN, layout.SCANNED]
    for slot, kind in enumerate(kinds):
        queue[slot]["kind"] = kind
        queue[slot]["time"] = 0
        queue[slot]["distance"] = 300 - slot
    worlds["tanks"]["queued"][0, 0] = len(kinds)
    entry.open_queue(worlds, 0)
    assert queue["kind"][:4].tolist() == [
        layout.WIN,
        layout.HIT_BY_WALL,
        layout.SCANNED,
        layout.SCANNED,
    ]
    assert queue["distance"][2:4].tolist() == [297, 300]
