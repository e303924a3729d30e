"""The city and its scene: who is where, and what the scene is made to show."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from tidings.apps.traffic_monitoring.city import (
    CARS,
    CHANGES,
    FIRST_LIMIT,
    REACH,
    ROADS,
    SECONDS,
    Car,
    Leg,
    along,
    at,
    drive,
    driven,
    hearers,
    in_reach,
    position_of,
)
from tidings.apps.traffic_monitoring.offences import TEN_MINUTES
from tidings.federation.proximity import distance

SQUARE = ((0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0))
CAR = Car("car-9", "00X0000", SQUARE, 90.0, (Leg(2, 36), Leg(1, 18)))


@pytest.mark.parametrize(
    ("metres", "place"),
    [(0, (0, 0)), (30, (30, 0)), (130, (100, 30)), (250, (50, 100)), (430, (30, 0))],
)
def test_a_way_is_closed(metres: float, place: tuple[float, float]) -> None:
    assert along(SQUARE, metres) == pytest.approx(place)


def test_a_car_drives_its_legs_again_and_again() -> None:
    assert [driven(CAR, second) for second in range(5)] == pytest.approx([0, 10, 20, 25, 35])
    found = [drive(CAR, second) for second in range(4)]
    assert [one.rate for one in found] == [36, 36, 18, 36]
    assert [one.brakes for one in found] == [False, False, True, False]
    assert [one.place for one in found] == [
        pytest.approx(place) for place in ((90, 0), (100, 0), (100, 10), (100, 15))
    ]
    assert [one.heading for one in found] == [90, 0, 0, 0]


def test_places_on_the_earth_are_as_far_apart_as_in_the_city() -> None:
    for one, other in pairwise((*SQUARE, (1_200.0, 700.0))):
        found = distance(position_of(one), position_of(other))
        assert found == pytest.approx(math.dist(one, other), rel=1e-3)


def test_a_radio_reaches_so_far_and_no_farther() -> None:
    places = {"near": (REACH - 1, 0.0), "far": (REACH + 1, 0.0), "across": (120.0, 120.0)}
    assert hearers((0.0, 0.0), places) == {"near"}


def test_no_two_monitors_reach_each_other_or_one_car() -> None:
    for one in ROADS:
        for other in ROADS:
            assert one is other or math.dist(one.place, other.place) > 2 * REACH


def test_in_the_scene_nobody_is_at_the_edge_of_a_reach() -> None:
    """So that no rounding decides who hears whom."""
    for second in range(SECONDS):
        places = [drive(car, second).place for car in CARS]
        others = [*places, *(road.place for road in ROADS)]
        for one in places:
            for other in others:
                metres = distance(position_of(one), position_of(other))
                assert abs(metres - REACH) > 0.5


def test_the_scene_shows_what_it_is_made_for() -> None:
    """By plain arithmetic in metres: who is too fast where, and who is so out of reach."""
    limits = {road.name: FIRST_LIMIT for road in ROADS}
    first: dict[tuple[str, str], int] = {}
    fast_out_of_reach = set()
    for second in range(SECONDS):
        for change in CHANGES:
            if change.second == second:
                for name in limits:
                    if change.targets == "road-*" or name in change.targets:
                        limits[name] = change.limit
        for car in CARS:
            now = drive(car, second)
            near = [road.name for road in ROADS if math.dist(now.place, road.place) <= REACH]
            if not near and now.rate > max(limits.values()):
                fast_out_of_reach.add(car.name)
            for name in near:
                if now.rate > limits[name]:
                    first.setdefault((car.name, name), second)
    assert first == {("car-1", "road-1"): 0, ("car-3", "road-2"): 14, ("car-2", "road-3"): 28}
    assert "car-2" in fast_out_of_reach
    assert not any(in_reach(drive(CARS[1], second).place, ROADS[2].place) for second in range(20))


def test_the_scene_is_in_one_period_of_fines() -> None:
    assert at(0) // TEN_MINUTES == at(SECONDS) // TEN_MINUTES
