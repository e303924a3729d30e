"""`tidings demo flights` on the screen: real positions through every part of the product."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tidings.apps.demo_service import DemoService
from tidings.apps.flights.samples import Loss, Position, as_event, losses
from tidings.client.connecting import connect
from tidings.errors import ArchiveNotFound, TidingsError
from tidings.terminal import render

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidings.client.client import Client
    from tidings.client.subscription import Subscription
    from tidings.events.structured import StructuredEvent

# Fast and low: of interest to an approach controller.
CONSTRAINT: Final = "$altitude < 10000 and $groundspeed > 250 and $onground == FALSE"

_AT_ONCE: Final = 1_000
_SEALED_WITHIN: Final = 180.0
_WARNED_WITHIN: Final = 30.0


class _Account(NamedTuple):
    """A count, and its expected value."""

    what: str
    found: int
    expected: int

    @property
    def is_right(self) -> bool:
        return self.found == self.expected


class FlightsShow:
    """One run; `positions` are published in order of time."""

    def __init__(self, folder: Path, positions: Sequence[Position]) -> None:
        self._folder = folder
        self._archive = folder / "archive"
        self._positions = positions
        self._service = DemoService(
            folder,
            {"TIDINGS_ARCHIVE__DIR": str(self._archive), "TIDINGS_ARCHIVE__SEAL_AFTER": "2s"},
        )
        self._expected = losses(positions)
        self._accounts: list[_Account] = []

    def _count(self, what: str, found: int, expected: int) -> None:
        self._accounts.append(_Account(what, found, expected))

    def play(self, spark: SparkSession) -> bool:
        """Run the demo; return whether every count is as expected."""
        asyncio.run(self._play(spark))
        render.heading("The accounts")
        rows = [
            (one.what, f"{one.found:,}", f"{one.expected:,}", "" if one.is_right else "WRONG")
            for one in self._accounts
        ]
        render.table(("what", "found", "expected", ""), rows, (1, 2))
        return all(one.is_right for one in self._accounts)

    async def _play(self, spark: SparkSession) -> None:
        async with self._service:
            await self._service.start()
            async with await connect(self._service.url) as client:
                for name in ("positions", "warnings"):
                    await client.create_channel(name, persistent=True)
                tower = await client.subscribe("warnings", name="tower")
                await self._publish(client)
                await self._sealed()
                await asyncio.to_thread(self._pipeline, spark)
                await self._heard(tower)
            await self._service.stop()

    async def _publish(self, client: Client) -> None:
        render.heading(f"{len(self._positions):,} positions into the channel «positions»")
        begun = time.perf_counter()
        accepted = 0
        async with await client.publisher("positions", producer="receiver") as publisher:
            for start in range(0, len(self._positions), _AT_ONCE):
                some = self._positions[start : start + _AT_ONCE]
                receipts = await publisher.publish_many(map(as_event, some))
                refused = [one for one in receipts if isinstance(one, TidingsError)]
                if refused:
                    raise refused[0]
                accepted += len(receipts)
        taken = time.perf_counter() - begun
        rate = accepted / taken
        render.say(f"accepted, each on the disk, in {taken:.1f} s: {rate:,.0f} a second")
        self._count("accepted by the service", accepted, len(self._positions))

    async def _sealed(self) -> None:
        """Wait until the archive has all events."""
        begun = time.perf_counter()
        while (archived := self._archived()) < len(self._positions):
            if time.perf_counter() - begun > _SEALED_WITHIN:
                break
            await asyncio.sleep(0.1)
        waited = time.perf_counter() - begun
        render.say(f"the archive has {archived:,} of them {waited:.1f} s later")
        self._count("rows in the archive", archived, len(self._positions))

    def _archived(self) -> int:
        from tidings.pipeline.archive import Archive

        try:
            manifest = Archive(str(self._archive)).manifest()
        except ArchiveNotFound:
            return 0
        return sum(file.rows for file in manifest.select("events", channels=["positions"]))

    def _pipeline(self, spark: SparkSession) -> None:
        """Run lake, backtest and separation warnings on Spark."""
        self._fill_lake(spark)
        self._backtest(spark)
        self._warn(spark)

    def _fill_lake(self, spark: SparkSession) -> None:
        from tidings.pipeline.lake import LakeOptions, read_lake, run_lake

        render.heading("The lake: one typed table for each event type")
        lake = str(self._folder / "lake")
        run_lake(spark, LakeOptions(str(self._archive), lake), _quiet)
        rows = read_lake(spark, lake, "types/Surveillance/Position").count()
        render.say(f"{rows:,} rows in types/Surveillance/Position")
        self._count("rows in the lake", rows, len(self._positions))

    def _backtest(self, spark: SparkSession) -> None:
        from tidings.pipeline.backtest import BacktestOptions, run_backtest

        render.heading(f"Backtest: {CONSTRAINT}")
        found = run_backtest(spark, BacktestOptions(str(self._archive), CONSTRAINT), _quiet)
        render.say(f"would have matched {found.matched:,} of {found.events:,} events; {found.how}")
        expected = sum(map(_is_fast_and_low, self._positions))
        self._count("matches of the constraint", found.matched, expected)

    def _warn(self, spark: SparkSession) -> None:
        from tidings.pipeline import examples
        from tidings.pipeline.derive import RunOptions, load_queries, run_queries

        render.heading("Losses of separation, derived and published into «warnings»")
        [folder] = examples.__path__
        queries = load_queries(Path(folder) / "separation.py")
        options = RunOptions(str(self._archive), self._service.url, self._folder / "queries")
        [result] = run_queries(spark, queries, options, _quiet).queries
        render.say(
            f"{result.published} warnings from {result.events:,} events in {result.batches} batches"
        )
        self._count("warnings derived", result.published, len(self._expected))

    async def _heard(self, tower: Subscription) -> None:
        """Compare the warnings that the tower's subscription received."""
        heard: list[Loss] = []
        while len(heard) < len(self._expected):
            delivery = await tower.next(_WARNED_WITHIN)
            if delivery is None:
                break
            heard.append(_loss_of(delivery.event))
            delivery.ack()
        right = len(self._expected.intersection(heard))
        self._count("warnings the tower got", len(heard), len(self._expected))
        self._count("of these, the right ones", right, len(self._expected))


def _is_fast_and_low(one: Position) -> bool:
    if one.altitude is None or one.groundspeed is None or one.onground is None:
        return False
    return one.altitude < 10_000 and one.groundspeed > 250 and not one.onground


def _loss_of(warning: StructuredEvent) -> Loss:
    data = warning.data
    at = data["at"]
    assert isinstance(at, int)
    return str(data["one"]), str(data["two"]), at // 60_000_000


def _quiet(what: str, share: float) -> None:
    """Ignore progress: the demo prints its own lines."""
