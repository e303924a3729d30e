"""The worked examples, on what a real service has archived: offences and losses of separation."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.patience import PATIENCE
from tests.real.e2e.served import Served
from tidings.apps.flights.samples import Position, as_event, losses
from tidings.client.connecting import connect_sync
from tidings.client.sync import SyncClient
from tidings.errors import ArchiveNotFound
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.pipeline import examples
from tidings.pipeline.derive import QueryLog, RunOptions, RunResult, load_queries, run_queries
from tidings.stores.archive.manifest import read_manifest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

EXAMPLES = Path(examples.__file__).parent
MINUTE = 60_000_000
BEGINS = 1_700_000_000_000_000 // (10 * MINUTE) * (10 * MINUTE)


class Town:
    """A service with an archive, its client, and the queries that read it."""

    def __init__(self, service: Served, folder: Path, spark: SparkSession) -> None:
        self.client: SyncClient = connect_sync(service.url)
        self._archive = folder / "archive"
        self._options = RunOptions(str(self._archive), service.url, folder / "queries")
        self._spark = spark
        self._published = 0

    def publish(self, channel: str, events: Sequence[StructuredEvent]) -> None:
        """Publishes events, and waits until the archive has them."""
        with self.client.publisher(channel, producer="test") as publisher:
            publisher.publish_many(events)
        self._published += len(events)
        until = time.monotonic() + PATIENCE
        while self._archived(channel) < self._published:
            assert time.monotonic() < until
            time.sleep(0.05)

    def _archived(self, channel: str) -> int:
        try:
            manifest = read_manifest(self._archive)
        except ArchiveNotFound:  # nothing is sealed yet
            return 0
        return sum(file.rows for file in manifest.select("events", channels=[channel]))

    def run(self, example: str) -> RunResult:
        queries = load_queries(EXAMPLES / f"{example}.py")
        return run_queries(self._spark, queries, self._options, lambda what, share: None)

    def events(self, channel: str) -> list[StructuredEvent]:
        """What is in a channel."""
        return [message.event for message in self.client.peek(channel, most=1_000)]


@pytest.fixture
def town(tmp_path: Path, spark: SparkSession) -> Iterator[Town]:
    env = {
        "TIDINGS_ARCHIVE__DIR": str(tmp_path / "archive"),
        "TIDINGS_ARCHIVE__SEAL_AFTER": "0.2s",
    }
    service = Served(tmp_path, env=env).ready()
    made = Town(service, tmp_path, spark)
    try:
        yield made
    finally:
        made.client.close()
        service.process.kill()
        service.process.wait()


class Reading(NamedTuple):
    """A car's speed."""

    licence: str
    area: str
    rate: float
    at: int


def readings(rng: Random, since: int, cars: int = 12, each: int = 40) -> list[Reading]:
    """What cars report in twenty minutes, in the order of time."""
    found = [
        Reading(f"D-{car:03d}", rng.choice(["north", "south"]), rng.uniform(20, 80), since + at)
        for car in range(cars)
        for at in sorted(rng.sample(range(20 * MINUTE), each))
    ]
    return sorted(found, key=lambda one: one.at)


def limit(area: str, kmh: int, at: int) -> StructuredEvent:
    return event("Traffic", "SpeedLimit", area, {"area": area, "limit": kmh, "at": at})


def speed(one: Reading) -> StructuredEvent:
    return event("Traffic", "Speed", one.licence, one._asdict())


def offences(
    taken: Sequence[Reading], limits: Sequence[tuple[str, int, int]]
) -> dict[tuple[str, str, int], tuple[float, float, int]]:
    """By licence, area and ten minutes: rate, limit and time of the first reading too fast."""
    found: dict[tuple[str, str, int], tuple[float, float, int]] = {}
    for one in taken:
        held = [(at, kmh) for area, kmh, at in limits if area == one.area and at <= one.at]
        if held and one.rate > max(held)[1]:
            key = (one.licence, one.area, one.at // (10 * MINUTE))
            found.setdefault(key, (one.rate, float(max(held)[1]), one.at))
    return found


def whole(value: object) -> int:
    assert isinstance(value, int)
    return value


def seen(events: Sequence[StructuredEvent]) -> dict[tuple[str, str, int], tuple[float, float, int]]:
    found = {}
    for one in events:
        data = one.data
        key = (str(data["licence"]), str(data["area"]), whole(data["at"]) // (10 * MINUTE))
        found[key] = (data["rate"], data["limit"], data["at"])
    return found  # type: ignore[return-value]


LIMITS = [
    ("north", 50, BEGINS),
    ("south", 30, BEGINS),
    ("north", 70, BEGINS + 7 * MINUTE),
    ("south", 60, BEGINS + 25 * MINUTE),
]


def test_offences_follow_the_limit_that_held(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("traffic", "offences"):
        town.client.create_channel(name, persistent=True)
    rng = Random(7)
    first = readings(rng, BEGINS)
    # The second part begins inside ten minutes of the first: no second offence for these.
    second = readings(rng, BEGINS + 18 * MINUTE)
    town.publish("traffic", [limit(*one) for one in LIMITS])
    town.publish("traffic", [speed(one) for one in first])
    assert town.run("speeding").queries[0].published == len(offences(first, LIMITS))
    # Killed when all is published and nothing written down: the next run sends it all again.
    town.publish("traffic", [speed(one) for one in second])
    with monkeypatch.context() as killed:
        killed.setattr(QueryLog, "done", _killed)
        with pytest.raises(KeyboardInterrupt):
            town.run("speeding")
    town.run("speeding")
    events = town.events("offences")
    expected = offences([*first, *second], LIMITS)
    assert len(expected) > 30
    assert seen(events) == expected
    assert len(events) == len(expected)
    assert {one.header["Priority"] for one in events} == {0, 4}
    [again] = town.run("speeding").queries
    assert (again.batches, again.published) == (0, 0)


def _killed(log: object, published: int) -> None:
    raise KeyboardInterrupt


def flown(rng: Random, aircraft: int, seconds: int) -> list[Position]:
    """Aircraft on straight courses over a small area, so that some come close."""
    found: list[Position] = []
    for number in range(aircraft):
        latitude, longitude = 48.0 + rng.random() / 3, 2.0 + rng.random() / 3
        north, east = rng.uniform(-0.002, 0.002), rng.uniform(-0.002, 0.002)
        altitude = rng.choice([5_900.0, 6_000.0, 7_000.0, 7_500.0, 9_000.0])
        found += [
            Position(
                icao24=f"{number:06x}",
                timestamp=BEGINS // 1_000 + second * 1_000,
                callsign=f"TST{number}",
                latitude=None if rng.random() < 0.02 else latitude + second * north,
                longitude=longitude + second * east,
                altitude=altitude,
                onground=number == 0,
            )
            for second in range(seconds)
        ]
    return sorted(found, key=lambda one: (one.timestamp, one.icao24))


def test_losses_of_separation_are_found_once(town: Town) -> None:
    for name in ("positions", "warnings"):
        town.client.create_channel(name, persistent=True)
    positions = flown(Random(3), aircraft=14, seconds=200)
    # Seals cut through seconds and minutes.
    for start in range(0, len(positions), 997):
        town.publish("positions", [as_event(one) for one in positions[start : start + 997]])
    [result] = town.run("separation").queries
    assert result.events == len(positions)
    expected = losses(positions)
    assert len(expected) > 5
    found = [
        (str(one.data["one"]), str(one.data["two"]), whole(one.data["at"]) // MINUTE)
        for one in town.events("warnings")
    ]
    assert sorted(found) == sorted(expected)
