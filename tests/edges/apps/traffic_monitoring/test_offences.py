"""What limits and drives lead to: requests, offences, fines, and what is compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.apps.traffic_monitoring.city import ROADS, Road, at
from tidings.apps.traffic_monitoring.offences import (
    Fine,
    Heard,
    LimitSet,
    Offence,
    Reading,
    Step,
    changed,
    compared,
    due,
    fines,
    limit_at,
    limit_filter,
    limits_now,
    named,
    radio_due,
)
from tidings.apps.traffic_monitoring.show import derived_check
from tidings.federation.notes import Notes
from tidings.federation.records import Note

NAMES = [road.name for road in ROADS]
LISTS = ("road-*", "road-?", "*", "road-1", "road-2, road-3", "road-3", "road-1, road-3")


def test_a_limit_is_changed_as_in_the_source() -> None:
    """Un-subscribe the old filter at the monitor, subscribe the new one there."""
    steps, standing = changed({"road-2": 50}, NAMES, "road-2", 80)
    assert steps == [
        Step(False, "subject = Speed and rate > 50", "road-2"),
        Step(True, "subject = Speed and rate > 80", "road-2"),
    ]
    assert standing == {"road-2": 80}


def test_the_rest_of_a_list_is_asked_for_before_the_list_is_taken_back() -> None:
    steps, standing = changed({"road-*": 50}, NAMES, "road-2", 80)
    assert steps == [
        Step(True, limit_filter(50), "road-1, road-3"),
        Step(False, limit_filter(50), "road-*"),
        Step(True, limit_filter(80), "road-2"),
    ]
    assert standing == {"road-1, road-3": 50, "road-2": 80}


def test_the_same_limit_again_asks_for_nothing() -> None:
    assert changed({"road-*": 50}, NAMES, "road-*", 50) == ([], {"road-*": 50})


CHANGES = st.lists(st.tuples(st.sampled_from(LISTS), st.sampled_from((30, 50, 80))), max_size=12)


@given(CHANGES)
def test_each_monitor_has_one_filter_and_it_is_that_of_its_limit(
    changes: list[tuple[str, int]],
) -> None:
    """As the gateways count standing requests, after every change; and never none meanwhile."""
    standing: dict[str, int] = {}
    notes: list[Note] = []
    expected: dict[str, int] = {}
    for targets, limit in changes:
        meant = named(targets, NAMES)
        steps, standing = changed(standing, NAMES, targets, limit)
        for subscribes, text, where in steps:
            notes.append(Note(False, text, "siena-m", where, 1 if subscribes else -1))
            for road in set(expected).difference(meant):
                assert Notes(notes).at(road), "a monitor that keeps its limit is never without"
        expected |= dict.fromkeys(meant, limit)
        for road in NAMES:
            found = [one.what for one in Notes(notes).at(road)]
            assert found == ([limit_filter(expected[road])] if road in expected else [])
        assert limits_now(standing, NAMES) == expected


ROAD = Road("road-1", (0.0, 0.0))
OTHER = Road("road-2", (1_000.0, 0.0))
NEAR, FAR = (100.0, 0.0), (500.0, 0.0)
LIMITS = [LimitSet(0, "road-1", 50), LimitSet(5, "road-2", 70), LimitSet(6, "road-1", 80)]


def reading(second: int, rate: int, place: tuple[float, float] = NEAR, car: int = 1) -> Reading:
    return Reading(second, f"car-{car}", f"00X000{car}", rate, place, brakes=False)


@pytest.mark.parametrize(
    ("one", "limit"),
    [
        (reading(0, 51), 50),
        (reading(0, 50), None),  # not faster than the limit
        (reading(0, 51, FAR), None),  # nobody is there
        (reading(5, 51), 50),
        (reading(6, 51), None),  # the new limit
        (reading(6, 81), 80),
    ],
)
def test_an_offence_is_a_reading_in_reach_above_the_limit_then(
    one: Reading, limit: int | None
) -> None:
    expected = set() if limit is None else {(one.second, one.licence, "road-1", one.rate, limit)}
    assert due([one], LIMITS, [ROAD, OTHER]) == expected


def test_before_the_first_limit_nobody_is_too_fast() -> None:
    assert limit_at(LIMITS, "road-2", 4) is None
    near_other = (1_000.0, 50.0)
    assert due([reading(4, 200, near_other)], LIMITS, [ROAD, OTHER]) == set()
    assert len(due([reading(5, 200, near_other)], LIMITS, [ROAD, OTHER])) == 1


def test_speeds_are_for_monitors_and_the_rest_for_all_in_reach() -> None:
    cars = [reading(0, 60), reading(0, 60, (200.0, 0.0), 2), reading(0, 60, FAR, 3)]
    assert radio_due(cars, [ROAD, OTHER]) == {
        Heard(0, "road-1", "Speed", "00X0001"),
        Heard(0, "road-1", "Location", "00X0001"),
        Heard(0, "car-2", "Location", "00X0001"),
        Heard(0, "car-1", "Location", "00X0002"),
    }


def test_braking_is_broadcast_when_it_begins_and_when_it_ends() -> None:
    pattern = (False, True, True, False, False)
    drives = [reading(n, 60)._replace(brakes=brakes) for n, brakes in enumerate(pattern)]
    found = {one.second for one in radio_due(drives, [ROAD]) if one.subject == "Brake"}
    assert found == {1, 3}


def offence(second: int, rate: int = 60, road: str = "road-1", licence: str = "00X0001") -> Offence:
    return Offence(second, licence, road, rate, 50)


def test_a_car_is_fined_once_at_a_monitor_in_ten_minutes_for_the_first_offence() -> None:
    given_ = [offence(3, 90), offence(2), offence(4, road="road-2"), offence(599), offence(600)]
    given_.append(offence(2, licence="00X0002"))
    assert [one.offence for one in fines(given_)] == [
        offence(2), offence(2, licence="00X0002"), offence(4, road="road-2"), offence(600),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rate", "costs"), [(51, 30), (60, 30), (61, 60), (71, 120), (90, 120), (91, 300)]
)
def test_the_faster_the_dearer(rate: int, costs: int) -> None:
    assert fines([offence(0, rate)]) == [Fine(offence(0, rate), costs)]


def test_what_differs_is_found() -> None:
    assert compared(["a", "b"], ["b", "a"]).holds
    assert compared(["a", "c", "c"], ["a", "b", "c"])[1:] == (["b"], ["c"])
    assert not compared([], ["a"]).holds
    assert not compared(["a"], []).holds


def test_fines_that_spark_has_not_derived_are_missing() -> None:
    fined = fines([offence(2), offence(3, road="road-2")])
    found = [
        ("00X0001", road, 60.0, 50.0, at(second)) for road, second in (("road-1", 2), ("road-2", 3))
    ]
    assert derived_check(found, fined).holds
    assert derived_check(found[1:], fined).missing == [("00X0001", "road-1", 60, 50, at(2))]
    assert len(derived_check(found, fined[1:]).surplus) == 1
    other = [found[0], ("00X0001", "road-2", 60.0, 49.0, at(3))]
    assert not derived_check(other, fined).holds
