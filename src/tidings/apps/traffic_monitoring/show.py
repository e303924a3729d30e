"""`tidings demo traffic --bounded`: a scene that checks itself, and the same from its archive."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tidings.apps.child_process import unless_one_ends
from tidings.apps.demo_service import DemoService
from tidings.apps.traffic_monitoring.city import CARS, CHANGES, FIRST_LIMIT, ROADS, SECONDS, at
from tidings.apps.traffic_monitoring.control_room import DERIVED
from tidings.apps.traffic_monitoring.offences import Check, Fine, compared
from tidings.apps.traffic_monitoring.traffic import Traffic, Verdict, verdict
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.errors import TidingsError
from tidings.terminal import render

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_SECONDS: Final = 300.0
"""After so long the scene has failed."""
_MOST_SHOWN: Final = 10


class TrafficShow:
    """One bounded scene; its data is in `folder`.

    Attributes:
        archive: The folder of the archive.
        traffic: The scene.
    """

    def __init__(self, folder: Path) -> None:
        self.archive = folder / "archive"
        self._folder = folder
        # The end of the service seals the archive: one segment is enough.
        self._service = DemoService(
            folder,
            {"TIDINGS_ARCHIVE__DIR": str(self.archive), "TIDINGS_ARCHIVE__SEAL_AFTER": "5min"},
        )
        self.traffic = Traffic(folder, self._service)

    def play(self) -> bool:
        """Play the scene; return whether its logs agree. Raises TidingsError on a timeout."""
        return asyncio.run(self.played())

    async def played(self) -> bool:
        """Play the scene; return whether its logs agree."""
        try:
            async with asyncio.timeout(MOST_SECONDS), self.traffic as traffic:
                await unless_one_ends(self._story(), traffic.processes)
                await self._service.stop()
        except TimeoutError as error:
            raise TidingsError(f"the scene has not ended within {MOST_SECONDS:.0f} s") from error
        found = verdict(traffic.log.lines(), traffic.room)
        self._show(found)
        return found.holds and not traffic.missing

    @property
    def fines(self) -> list[Fine]:
        """Return the fines of the control room."""
        return self.traffic.room.fines

    async def _story(self) -> None:
        traffic = self.traffic
        await traffic.begin()
        self._who()
        render.heading(f"{SECONDS} seconds, with the limit {FIRST_LIMIT} everywhere")
        for second in range(SECONDS):
            for change in CHANGES:
                if change.second == second:
                    await traffic.set_limit(change.targets, change.limit)
                    render.say(f"{second:2} s  {change.targets}: limit {change.limit}")
            known = len(traffic.room.fines)
            await traffic.next_second()
            for fine in traffic.room.fines[known:]:
                render.say(f"{second:2} s  {fine_text(fine)}")
        await traffic.end()

    def _who(self) -> None:
        traffic = self.traffic
        render.heading("Who is where")
        rows = [("tidings serve", str(self._service.pid), "the channel traffic, with an archive")]
        rows.append(("SIENA server", str(traffic.siena.pid), "siena-m, the office"))
        for car in CARS:
            what = f"{car.licence}: CAN bus cosmic-{car.number}, gateway, radio steam-{car.number}"
            rows.append((car.name, str(traffic.cars[car.name].pid), what))
        for road in ROADS:
            what = f"monitor, gateway {road.name} to siena-m, sign"
            rows.append((road.name, str(traffic.roads[road.name].pid), what))
        render.table(("program", "process", ""), rows)

    def _show(self, found: Verdict) -> None:
        render.heading("The check: the cars' own logs against what became of them")
        checks = (
            ("received by radio, within reach alone", found.radio),
            ("offences reported to the control room", found.offences),
            ("fines", found.fines),
        )
        show_checks(checks)
        for one in self.traffic.missing[:_MOST_SHOWN]:
            render.say(f"not in time: {one}")
        render.say(
            f"Had no limit changed, {found.decided} readings would have been judged otherwise."
        )

    def derive(self, spark: SparkSession) -> bool:
        """Derive the fines from the archive on Spark; return whether they are the same."""
        return asyncio.run(self._derived(spark))

    async def _derived(self, spark: SparkSession) -> bool:
        async with self._service:
            await self._service.start()
            async with await connect(self._service.url) as client:
                read = await asyncio.to_thread(self._query, spark)
                found = await derived_fines(client)
        render.say(f"{read} of {self.traffic.kept} events of the channel are in the archive.")
        check = derived_check(found, self.fines)
        show_checks((("fines derived from the archive", check),))
        return check.holds and read == self.traffic.kept

    def _query(self, spark: SparkSession) -> int:
        """Derive the fines; return how many events of the channel were read."""
        from tidings.pipeline import examples
        from tidings.pipeline.derive import RunOptions, load_queries, run_queries

        [folder] = examples.__path__
        queries = load_queries(Path(folder) / "speeding.py")
        options = RunOptions(str(self.archive), self._service.url, self._folder / "queries")
        [result] = run_queries(spark, queries, options, lambda what, share: None).queries
        return result.events


def fine_text(fine: Fine) -> str:
    """Return a fine in words."""
    one = fine.offence
    return (
        f"{one.licence} is fined {fine.euros} euros: {one.rate} km/h at {one.road}, "
        f"limit {one.limit}"
    )


def show_checks(checks: Sequence[tuple[str, Check]]) -> None:
    """Show how many were found of each, and what differs."""
    rows = [
        (what, f"{one.found:,}", str(len(one.missing)), str(len(one.surplus)),
         "" if one.holds else "DOES NOT HOLD")
        for what, one in checks
    ]  # fmt: skip
    render.table(("what", "found", "missing", "surplus", ""), rows, (1, 2, 3))
    for what, one in checks:
        for kind, items in (("missing", one.missing), ("surplus", one.surplus)):
            for item in items[:_MOST_SHOWN]:
                render.say(f"{what}: {kind}: {item}")


async def derived_fines(client: Client) -> list[tuple[object, ...]]:
    """Return the offences in the channel that Spark publishes into."""
    found = [one.event.data async for one in client.history(DERIVED)]
    return [
        tuple(data[name] for name in ("licence", "area", "rate", "limit", "at")) for data in found
    ]


def derived_check(found: Sequence[object], fined: Iterable[Fine]) -> Check:
    """Compare what Spark derived with the fines of the control room."""
    expected = [
        (one.licence, one.road, one.rate, one.limit, at(one.second))
        for one in (fine.offence for fine in fined)
    ]
    return compared(found, expected)
