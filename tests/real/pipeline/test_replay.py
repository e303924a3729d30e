"""History back into a channel of a real service: whole, in order, each event once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.real.pipeline.archives import FIRST_US, SECOND, ArchiveMaker, Row, cars
from tests.real.pipeline.services import Service, service
from tidings import event
from tidings.errors import ChannelNotFound, InvalidUsage, TidingsError
from tidings.pipeline import replay as replaying
from tidings.pipeline.replay import (
    STAMP_ARRIVAL,
    STAMP_ORIGIN,
    STAMP_SEQ,
    ReplayOptions,
    ReplayResult,
    run_replay,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

OTHER = "f" * 32


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("service")) as made:
        yield made


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two channels; the clock of one was set back in the middle."""
    folder = tmp_path_factory.mktemp("history")
    maker = ArchiveMaker(folder)
    maker.seal(cars(1, 30))
    back = [replace_arrival(row, FIRST_US) for row in cars(31, 10)]
    maker.seal(back)
    rain = [
        Row(seq, event("Weather", "Rain", f"rain-{seq}", header={"Priority": 4}, data={"mm": seq}),
            "weather", FIRST_US + (2 * seq + 1) * SECOND // 2, OTHER)
        for seq in (5, 9)
    ]  # fmt: skip
    maker.seal(rain)
    maker.close()
    return folder


def replace_arrival(row: Row, arrival_us: int) -> Row:
    return row._replace(arrival_us=arrival_us)


def replayed(
    spark: SparkSession, running: Service, archive: Path, into: str, **given: Any
) -> ReplayResult:
    options = ReplayOptions(str(archive), into, running.url, **{"speed": None} | given)
    return run_replay(spark, options, lambda step, done: None)


def test_all_of_it_in_the_order_of_each_channel(
    spark: SparkSession, running: Service, archive: Path
) -> None:
    into = running.channel("all")
    found = replayed(spark, running, archive, into, stamp=True, run="first")
    assert (found.selected, found.accepted, found.before, found.refused) == (42, 42, 0, 0)
    assert found.how == "native"
    events = running.events(into)
    cars_seen = [one.event.name for one in events if one.event.type == "Speed"]
    assert cars_seen == [f"car-{seq}" for seq in range(1, 41)]
    names = [one.event.name for one in events]
    assert names.index("car-5") < names.index("rain-5") < names.index("car-6")
    [rain] = [one for one in events if one.event.name == "rain-9"]
    assert rain.event.header["Priority"] == 4
    assert rain.event.header[STAMP_ORIGIN] == OTHER
    assert rain.event.header[STAMP_SEQ] == 9
    assert rain.event.header[STAMP_ARRIVAL] == FIRST_US + 19 * SECOND // 2
    assert rain.mark is not None
    assert (rain.mark.producer, rain.mark.number) == (f"replay/{OTHER}/first", 9)

    again = replayed(spark, running, archive, into, stamp=True, run="first")
    assert (again.before, again.accepted) == (42, 0)
    assert len(running.events(into)) == 42


def test_a_part_of_it(spark: SparkSession, running: Service, archive: Path) -> None:
    into = running.channel("part")
    found = replayed(
        spark, running, archive, into, constraint="$rate >= 8", types=("Traffic::*",),
        channels=("traffic",), since_us=FIRST_US + SECOND, until_us=FIRST_US + 13 * SECOND,
    )  # fmt: skip
    assert running.names(into) == ["car-8", "car-9", "car-10", "car-11", "car-12"]
    assert (found.selected, found.accepted) == (5, 5)
    assert found.run
    assert not any(STAMP_SEQ in one.event.header for one in running.events(into))


def test_a_broken_replay_goes_on(
    spark: SparkSession, running: Service, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = running.channel("broken")
    monkeypatch.setattr(replaying, "AT_ONCE", 7)
    sent = 0
    push = replaying._Run._send

    async def breaks(self: Any, events: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent == 3:
            raise TidingsError("the line is cut")
        return await push(self, events)

    with monkeypatch.context() as patched:
        patched.setattr(replaying._Run, "_send", breaks)
        with pytest.raises(TidingsError, match="cut"):
            replayed(spark, running, archive, into, run="one")
    assert len(running.events(into)) == 14
    found = replayed(spark, running, archive, into, run="one")
    assert (found.before, found.accepted) == (14, 28)
    names = running.names(into)
    assert len(set(names)) == len(names) == 42
    other = replayed(spark, running, archive, into, run="two", channels=("weather",))
    assert (other.before, other.accepted) == (0, 2)


def test_the_pauses_are_kept(spark: SparkSession, running: Service, archive: Path) -> None:
    into = running.channel("paced")
    found = replayed(spark, running, archive, into, channels=("weather",), speed=20.0, run="paced")
    first, last = (one.arrival for one in running.events(into))
    assert last - first >= 4 * SECOND // 20 - 20_000  # four seconds, twenty times as fast
    assert found.accepted == 2


def test_what_is_refused_is_counted_and_the_rest_goes_on(
    spark: SparkSession, running: Service, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = running.channel("refusing")
    event_of = replaying._Run._event

    def spoils(self: Any, past: Any) -> Any:
        return event_of(self, past._replace(raw=b"{") if past.seq == 3 else past)

    monkeypatch.setattr(replaying._Run, "_event", spoils)
    found = replayed(spark, running, archive, into, channels=("traffic",))
    assert (found.accepted, found.refused) == (39, 1)
    assert found.reasons[0].startswith("event 3 of ")


def test_what_cannot_be(spark: SparkSession, running: Service, archive: Path) -> None:
    with pytest.raises(ChannelNotFound):
        replayed(spark, running, archive, "nowhere")
    into = running.channel("unused")
    options = ReplayOptions(str(archive), into, running.url)
    for speed in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidUsage, match="speed is a number above 0"):
            run_replay(spark, replace(options, speed=speed), lambda step, done: None)
