"""The traffic of the source, end to end: cars, monitors, a SIENA server and a service (FES 9).

All are processes of their own. What must be reported is computed here by plain arithmetic in
metres, from the cars' own logs.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import can
import pytest

from tests.real.docs.pages import blocks, page
from tidings.apps.traffic_monitoring.city import CARS, REACH, ROADS, SECONDS, drive
from tidings.apps.traffic_monitoring.replay import Line
from tidings.apps.traffic_monitoring.show import TrafficShow
from tidings.apps.traffic_monitoring.traffic import Traffic

pytestmark = pytest.mark.slow

PLACES = {road.name: road.place for road in ROADS}
LICENCES = {car.licence: car.name for car in CARS}
# What the scene changes: from which second on which limit applies.
LIMITS = {
    "road-1": [(0, 50), (28, 30)],
    "road-2": [(0, 50), (3, 80), (14, 60), (28, 30)],
    "road-3": [(0, 50), (14, 60), (28, 30)],
}


class Played(NamedTuple):
    """A scene that was played, and what it has shown."""

    traffic: Traffic
    lines: list[Line]
    holds: bool
    shown: str
    folder: Path

    def of(self, word: str) -> list[Line]:
        return [line for line in self.lines if line.word == word]


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory, record_real_part: Callable[[str, str], None]
) -> Played:
    folder = tmp_path_factory.mktemp("traffic")
    show = TrafficShow(folder)
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        holds = show.play()
    record_real_part("python-can", can.__version__)
    return Played(show.traffic, show.traffic.log.lines(), holds, shown.getvalue(), folder)


def limit(road: str, second: int) -> int:
    return [limit for since, limit in LIMITS[road] if since <= second][-1]


def test_exactly_the_offences_are_reported_that_should_be(played: Played) -> None:
    expected = Counter(
        (line.second, line.about["licence"], road, line.about["rate"], limit(road, line.second))
        for line in played.of("drove")
        for road, place in PLACES.items()
        if math.dist((line.about["x"], line.about["y"]), place) <= REACH
        and line.about["rate"] > limit(road, line.second)
    )
    assert Counter(map(tuple, played.traffic.room.offences)) == expected
    assert {road for _, _, road, _, _ in expected} == set(PLACES)
    logged = (played.folder / "offenders.txt").read_text().splitlines()
    assert len(logged) == expected.total()
    assert logged[0] == "05D1001 57 km/h at road-1, limit 50"


def test_limits_take_effect_on_the_fly_and_the_signs_show_them(played: Played) -> None:
    shown: dict[str, list[float]] = {road: [] for road in PLACES}
    for line in played.of("shows"):
        shown[line.entity].append(line.about["limit"])
    assert shown == {road: [limit for _, limit in limits] for road, limits in LIMITS.items()}
    # The same car at the same speed at the same monitor, before a change and after it.
    reported = {(one.second, one.licence) for one in played.traffic.room.offences}
    for licence, change, later in (("04D3003", 14, True), ("06D2002", 28, True)):
        assert ((change - 1, licence) in reported, (change, licence) in reported) == (False, later)


def test_radios_reach_whoever_is_near_and_nobody_else(played: Played) -> None:
    where = {
        (line.second, line.entity): (line.about["x"], line.about["y"])
        for line in played.of("drove")
    }
    heard = Counter(
        (line.second, line.about["license_no"], line.entity)
        for line in played.of("heard")
        if line.about["subject"] == "Location"
    )
    expected = Counter(
        (second, licence, hearer)
        for second in range(SECONDS)
        for licence, name in LICENCES.items()
        for hearer in (*PLACES, *LICENCES.values())
        if hearer != name
        and math.dist(where[second, name], PLACES.get(hearer) or where[second, hearer]) <= REACH
    )
    assert heard == expected
    assert {hearer for _, _, hearer in expected} == {"car-1", "car-4", *PLACES}


def test_each_car_publishes_every_second_and_says_when_it_brakes(played: Played) -> None:
    drove = Counter((line.entity, line.second) for line in played.of("drove"))
    assert drove == Counter((car.name, second) for car in CARS for second in range(SECONDS))
    for line in played.of("drove"):
        car = next(car for car in CARS if car.name == line.entity)
        assert line.about["rate"] == drive(car, line.second).rate
    brakes = [line for line in played.lines if line.about.get("subject") == "Brake"]
    assert [
        (line.entity, line.second, line.about["license_no"], line.about["brakes"])
        for line in sorted(brakes, key=lambda line: (line.entity, line.second))
    ] == [
        (hearer, second, "05D1001", brakes)
        for hearer in ("car-4", "road-1")
        for second, brakes in ((12, 1), (13, 0))
    ]


def test_offenders_are_fined_once(played: Played) -> None:
    fined = [
        (fine.offence.licence, fine.offence.road, fine.offence.second, fine.euros)
        for fine in played.traffic.room.fines
    ]
    assert fined == [
        ("05D1001", "road-1", 0, 30),
        ("04D3003", "road-2", 14, 60),
        ("06D2002", "road-3", 28, 60),
    ]


def test_all_are_processes_of_their_own_and_their_logs_are_one(played: Played) -> None:
    assert len({process.pid for process in played.traffic.processes}) == 8
    times = [line.time for line in played.lines]
    assert times == sorted(times)
    assert all(one.second <= other.second for one, other in pairwise(played.of("drove")))
    assert {line.entity for line in played.lines} == {
        *PLACES, *LICENCES.values(), "control-room",
    }  # fmt: skip


def test_the_demo_says_what_its_page_shows(played: Played) -> None:
    assert played.holds
    told = [one.text for one in blocks(page("docs/traffic.md")) if one.language == "text"]
    assert len(told) == 2
    for text in told:
        assert text in played.shown
