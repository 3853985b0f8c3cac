"""The two racing games through the ladder's contract, and parts that no recording covers."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from engines.competition import IllegalMove
from engines.compiling.jit import njit
from engines.games.racing import drivers, entry, lookahead, race, recording, tracks
from engines.games.racing.layout import WORLD
from engines.games.racing.line import ideal_line
from engines.games.racing.program import compile_text, new_seat_programs
from engines.games.racing.scoring import points
from engines.games.racing.simulation import RACING, TIME_TRIAL, Race, Racing, track_length
from engines.games.racing.trial import new_worlds, time_trial
from engines.simulation import Simulation

CIRCLER = """
(program time-trial
  (tree speed (IfGreater AH 0.4 0.7 0.3))
  (tree steering (Sub (Add (Mul 0.6 AA) (Mul 0.5 (Sub TL TR))) (Mul 0.8 NV))))
"""


def play(game: Racing, names: list[str], seed: int, **options: Any) -> Race:
    """A race of house drivers through the contract."""
    players = [game.house_bots[name](0) for name in names]
    state = game.start(seed, len(names), options)
    while game.outcome(state) is None:
        state = game.step(state, [player.choose(state, i) for i, player in enumerate(players)])
    return state


@pytest.mark.parametrize("game", [RACING, TIME_TRIAL], ids=lambda game: game.name)
def test_contract(game: Racing) -> None:
    assert isinstance(game, Simulation)
    assert len(game.house_bots) >= 8
    assert game.ladder_seats in game.seats


def test_steps_and_kernel_play_the_same() -> None:
    names = ["Commuter", "Rally", "Planner"]
    state = play(TIME_TRIAL, names, 11, track="clkwis", laps=2)
    whole = time_trial(names, "clkwis", 11, 2)
    ours = [car["lap_times"][: car["laps"]].tolist() for car in state.worlds["cars"][0, :3]]
    assert ours == [list(result.lap_times) for result in whole]


def test_cars_in_a_time_trial_do_not_meet() -> None:
    (alone,) = time_trial(["Rally"], "oval2", 5)
    among = time_trial(["LaneKeeper", "Planner", "Rally"], "oval2", 5)
    # A faster car goes on after its last lap, while slower ones still drive.
    assert among[2].lap_times[:1] == alone.lap_times


def test_the_friction_follows_from_the_seed() -> None:
    laps = {seed: time_trial(["Courier"], "oval2", seed)[0].lap_times[0] for seed in (1, 1, 2)}
    assert laps[1] == time_trial(["Courier"], "oval2", 1)[0].lap_times[0]
    assert laps[1] != laps[2]


@pytest.mark.parametrize("track", ["sepang", "monaco", "v01"])
def test_house_drivers_are_weakest_first(track: str) -> None:
    kinds = ["LaneKeeper", "Commuter", "Tourist", "Courier", "Rally", "Surveyor", "Planner"]
    assert [name for name in drivers.DRIVERS if name in kinds] == kinds
    times = [result.lap_times[0] for result in time_trial(kinds, track, 3)]
    assert times == sorted(times, reverse=True)


def test_a_state_is_a_value() -> None:
    state = RACING.start(5, 2, {})
    order = RACING.order(state, 0, {"alpha": 0.01, "vc": 60})
    first, again = (RACING.step(state, [order, order]) for _ in range(2))
    seen = [[RACING.observe(one, seat) for seat in (0, 1)] for one in (first, again)]
    assert seen[0] == seen[1]
    assert RACING.turns(state) == 0


def test_a_late_bot_keeps_its_last_order() -> None:
    state = TIME_TRIAL.start(5, 2, {"track": "sepang"})
    order = TIME_TRIAL.order(state, 0, {"vc": 60})
    state = TIME_TRIAL.step(state, [order, order])
    late = TIME_TRIAL.step(state, [None, order])
    told = [TIME_TRIAL.observe(late, seat) for seat in (0, 1)]
    assert told[0] is not None
    assert told[0]["vc"] > 20
    assert told[0] == {**(told[1] or {}), "my_ID": 0, "position": told[0]["position"]}


def test_the_first_observation_has_the_track() -> None:
    state = RACING.start(1, 3, {"track": "sepang"})
    seen = RACING.observe(state, 2)
    assert seen is not None
    assert len(seen["track"]["segments"]) == 33
    assert seen["starting"]
    assert {other["who"] for other in seen["nearby"]} == {0, 1}
    assert json.loads(json.dumps(seen)) == seen
    after = RACING.step(state, [None, None, None])
    assert "track" not in (RACING.observe(after, 2) or {})


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (7, "an object such as"),
        ([0.1, 50], "an object such as"),
        ({"speed": 1}, "it has alpha, vc"),
        ({"alpha": "left"}, "alpha must be a number"),
        ({"vc": math.nan}, "vc must be a number"),
        ({"vc": 1e300}, "vc must be a number"),
    ],
)
def test_refused_orders(reply: Any, said: str) -> None:
    with pytest.raises(IllegalMove, match=said):
        RACING.order(RACING.start(1, 2, {}), 0, reply)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"track": "nowhere"}, "the name of a track"),
        ({"laps": 0}, "1 to 100"),
        ({"laps": True}, "1 to 100"),
        ({"surface": 3}, "0 to 2"),
        ({"random_motion": 1}, "true or false"),
        ({"rounds": 2}, "there are: track, laps"),
    ],
)
def test_refused_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RACING.start(1, 2, options)


def test_every_track_can_be_named() -> None:
    drawn = {RACING.start(seed, 2, {}).track for seed in range(30)}
    assert len(drawn) > 10
    assert all(track_length(name) <= 18_000 for name in drawn)
    assert RACING.start(1, 12, {"track": "longrand"}).track == "longrand"


def test_points_are_indycar_s() -> None:
    world = np.zeros(1, WORLD)
    world["count"] = 3
    world["cars"]["position"][0, :3] = 2, 0, 1
    world["cars"]["laps_led"][0, :3] = 0, 4, 4
    assert points(world[0]) == [14, 21, 17]


def test_a_race_of_twelve() -> None:
    names = [*drivers.DRIVERS, "Racer", "Planner", "Courier"]
    state = play(RACING, names, 4, track="clkwis", laps=4)
    outcome = RACING.outcome(state)
    assert outcome is not None
    assert "4 laps of clkwis" in outcome.reason
    columns = RACING.columns(state)
    assert sorted(car["points"] for car in columns)[-1] >= 20
    assert sum(car["wins"] for car in columns) == 1
    assert sum(car["lapsLed"] for car in columns) == max(car["laps"] for car in columns)
    header, cars = recording.unpack(RACING.replay(state))
    assert header["names"] == names
    assert cars.shape == (header["frames"], 12, len(recording.COLUMNS))
    assert sorted(cars[-1, :, 7].tolist()) == list(range(12))
    assert [len(laps) for laps in header["lap_times"]] == [car["laps"] for car in columns]


def test_a_damaged_racer_stops_in_the_pits() -> None:
    worlds = new_worlds(1, laps=8, alone=True)
    worlds["cars"]["driver"][0, 0] = drivers.DRIVERS["Racer"]
    entry.begin(worlds, tracks.load("oval2"), 1)
    car = worlds["cars"][0, 0]
    car["damage"], car["fuel"] = 25_000, 40.0
    line, programs = ideal_line("oval2"), new_seat_programs([])
    entry.drive_on(worlds, tracks.load("oval2"), line, programs, 1e9)
    assert car["pit_stops"] == 1
    assert car["damage"] < 25_000
    assert car["fuel"] > 120
    # A stop takes 125 seconds of repair; a lap takes less than 40.
    laps = car["lap_times"][:8].tolist()
    assert [125 < lap < 200 for lap in laps].count(True) == 1
    assert car["laps"] >= 8


def test_a_car_without_fuel_leaves_the_road() -> None:
    worlds = new_worlds(1, laps=3, alone=True)
    worlds["cars"]["driver"][0, 0] = drivers.DRIVERS["Planner"]
    entry.begin(worlds, tracks.load("oval2"), 1)
    worlds["cars"]["fuel"] = 0.5
    programs = new_seat_programs([])
    entry.drive_on(worlds, tracks.load("oval2"), ideal_line("oval2"), programs, 1e9)
    assert worlds["cars"]["out"][0, 0]
    assert worlds["over"][0]


def test_who_rolls_back_over_the_line_has_not_driven_a_lap() -> None:
    code = compile_text(
        "(program time-trial (tree speed (IfGreater TE 2.0 0.5 (Neg One))) (tree steering Zero))"
    )
    (result,) = time_trial([code], "sepang", 1, seconds=250)
    assert result.way < 2_000


def test_a_program_drives_a_lap() -> None:
    (result,) = time_trial([compile_text(CIRCLER)], "sepang", 1)
    assert len(result.lap_times) == 1
    assert result.instructions > 0


@njit
def _look(worlds: Any, track: Any) -> Any:
    return lookahead.look(track[0], worlds[0].cars[0])


@njit
def _observe(worlds: Any, track: Any) -> None:
    race.observe_all(worlds[0], track[0])


@pytest.mark.parametrize("name", ["sepang", "figure8", "monaco"])
def test_the_shoulder_ahead_is_where_a_car_leaves_the_road(name: str) -> None:
    """AH agrees with driving straight on in small steps, until the car is off the road."""
    track = tracks.load(name)
    random = np.random.default_rng(3)
    worlds = new_worlds(1, laps=1, alone=True)
    car = worlds["cars"][0, 0]
    checked = 0
    for _ in range(30):
        entry.begin(worlds, track, 1)
        x, y = tracks.path(name)[random.integers(len(tracks.path(name)))]
        # Put the car there: its segment is the one whose end lies ahead of it.
        car["seg"] = 0
        places = [_segment(worlds, track, seg, x, y) for seg in range(track[0]["count"])]
        if True not in places:
            continue
        car["seg"] = places.index(True)
        heading = car["ang"] + random.uniform(-0.5, 0.5)
        car["xdot"], car["ydot"] = 30 * math.cos(heading), 30 * math.sin(heading)
        _observe(worlds, track)
        ahead, angle = _look(worlds, track)
        if ahead >= lookahead.FARTHEST:
            continue
        car["x"] += (ahead - 0.5) * math.cos(heading)
        car["y"] += (ahead - 0.5) * math.sin(heading)
        _observe(worlds, track)
        assert min(car["to_lft"], car["to_rgt"]) > -0.01
        car["x"] += 1.5 * math.cos(heading)
        car["y"] += 1.5 * math.sin(heading)
        _observe(worlds, track)
        assert min(car["to_lft"], car["to_rgt"]) < 1.0
        assert abs(angle) <= math.pi
        checked += 1
    assert checked > 10


def _segment(worlds: Any, track: Any, seg: int, x: float, y: float) -> bool:
    """Whether a place lies on this segment of the road; leaves the car there, along the road."""
    car = worlds["cars"][0, 0]
    segment = track[0]["segments"][seg]
    car["seg"], car["x"], car["y"] = seg, x, y
    if segment["right"] == 0:
        heading = segment["begin"]
    else:
        angle = math.atan2(y - segment["centre_y"], x - segment["centre_x"])
        heading = angle + math.copysign(math.pi / 2, segment["right"])
    car["ang"] = heading
    car["xdot"], car["ydot"] = 30 * math.cos(heading), 30 * math.sin(heading)
    _observe(worlds, track)
    inside = car["to_lft"] > 0 and car["to_rgt"] > 0
    return bool(car["seg"] == seg and inside and car["to_end"] < segment["length"])
