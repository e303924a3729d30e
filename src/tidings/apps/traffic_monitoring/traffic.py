"""The scene at work: processes for cars and monitors, a SIENA server, a service, a control room.

A second of the scene is two steps: all cars move, then all publish. The next one begins when what
must have been heard was heard, so that no line of a log is in the wrong second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import msgspec

from tidings.apps.child_process import ChildProcess, Happening
from tidings.apps.demo_service import DemoService
from tidings.apps.traffic_monitoring.city import CARS, ROADS, drive
from tidings.apps.traffic_monitoring.control_room import ControlRoom
from tidings.apps.traffic_monitoring.entity import Job
from tidings.apps.traffic_monitoring.offences import (
    Check,
    Heard,
    Reading,
    compared,
    due,
    fines,
    radio_due,
)
from tidings.apps.traffic_monitoring.replay import Line, MergedLog
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.names import new_handle

PATIENCE: Final = 60.0
"""Seconds after which what was not heard counts as missing."""

# As many as one second can have.
_MOST_OFFENCES: Final = len(CARS) * len(ROADS)
_MODULE: Final = "tidings.apps.traffic_monitoring.process"


class Traffic:
    """All of it, while used as a context.

    Attributes:
        log: The logs of all entities, merged.
        second: The latest second of the scene.
        missing: What was not heard in time.
        shown: What the signs show.
        kept: Events in the channel.
        room: The control room.
        client: A client of the service.
    """

    room: ControlRoom
    client: Client

    def __init__(self, folder: Path, service: DemoService, *, patience: float = PATIENCE) -> None:
        self.log = MergedLog()
        self.second = -1
        self.missing: list[object] = []
        self.shown: dict[str, float] = {}
        self.kept = 0
        self.service = service
        self._folder = folder
        self._patience = patience
        self._network = f"city-{new_handle()}"
        self._lines: list[Line] = []
        self._news = asyncio.Event()
        self._turn = asyncio.Lock()
        self._office = ""
        self.siena = self._process("siena")
        self.cars = {car.name: self._process(car.name) for car in CARS}
        self.roads = {road.name: self._process(road.name) for road in ROADS}
        self._stack = AsyncExitStack()

    def _process(self, name: str) -> ChildProcess:
        return ChildProcess(_MODULE, name, self._folder, self._heard)

    @property
    def processes(self) -> list[ChildProcess]:
        """Return the processes of the scene, without the service."""
        return [self.siena, *self.cars.values(), *self.roads.values()]

    async def __aenter__(self) -> Self:
        try:
            await self._stack.enter_async_context(self.service)
            for process in self.processes:
                await self._stack.enter_async_context(process)
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def begin(self) -> None:
        """Have everybody connected, and the first limit shown."""
        await asyncio.gather(
            self.service.start(),
            self.siena.order(Job("siena", "siena")),
            *(one.order(self._job("car", name)) for name, one in self.cars.items()),
        )
        await asyncio.gather(
            *(one.order(self._job("road", name)) for name, one in self.roads.items())
        )
        await self._order(self.roads, "meet", 0)
        self.client = await self._stack.enter_async_context(await connect(self.service.url))
        room = ControlRoom(self._office, self.client, self._folder, self._add)
        self.room = await self._stack.enter_async_context(room)
        await self._signs_show()

    def _job(self, part: str, name: str) -> Job:
        return Job(part, name, self._network, self._office, str(self._folder))

    async def _order(self, whom: dict[str, ChildProcess], order: str, second: int) -> None:
        given = {"order": order, "second": second}
        await asyncio.gather(*(one.order(given) for one in whom.values()))

    def _heard(self, happening: Happening) -> None:
        if happening.word == "listens":
            self._office = happening.about["url"]
        else:
            self._add(msgspec.convert(happening.about, Line))

    def _add(self, line: Line) -> None:
        self._lines.append(line)
        if line.word == "shows":
            self.shown[line.entity] = line.about["limit"]
        self._news.set()

    async def set_limit(self, targets: str, limit: int) -> list[str]:
        """Set a limit between two seconds; return the monitors where it is in force and shown."""
        async with self._turn:
            self.room.second = self.second + 1
            roads = await self.room.set_limit(targets, limit)
            await self._signs_show()
            return roads

    async def _signs_show(self) -> None:
        """Wait until every sign shows the limit."""
        await self._until(lambda: set(self.room.limits_now().items()) - set(self.shown.items()))

    async def next_second(self) -> None:
        """Have all cars drive for a second, and publish."""
        async with self._turn:
            await self._next_second()

    async def _next_second(self) -> None:
        self.second += 1
        now = self.room.second = self.second
        await self._order(self.cars | self.roads, "move", now)
        await self._order(self.cars, "publish", now)
        drives = [one for second in (now - 1, now) if second >= 0 for one in _planned(second)]
        hearings = {one for one in radio_due(drives, ROADS) if one.second == now}
        offences = {one for one in due(drives, self.room.limits, ROADS) if one.second == now}
        await self._until(
            lambda: (
                hearings.difference(heard(self._lines))
                | offences.difference(self.room.offences[-_MOST_OFFENCES:])
            )
        )
        self.kept += await self.room.keep(self._close_second())

    async def end(self) -> None:
        """Wait until nothing is on its way any more, such as an offence too many."""
        await self._order(self.roads, "drain", self.second)
        await self.room.settle()
        self._close_second()

    def _close_second(self) -> list[Line]:
        """Merge what the logs have from this second."""
        lines = list(self._lines)
        self._lines.clear()
        self.log.add(lines)
        return lines

    async def _until(self, lacking: Callable[[], set[Any]]) -> None:
        """Wait until nothing is lacking; what still is after a while counts as missing."""
        try:
            async with asyncio.timeout(self._patience):
                while lacking():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            self.missing += lacking()


def _planned(second: int) -> list[Reading]:
    """Return what all cars will do in a second."""
    found = []
    for car in CARS:
        now = drive(car, second)
        found.append(Reading(second, car.name, car.licence, now.rate, now.place, now.brakes))
    return found


# What the logs say.


def driven(lines: Iterable[Line]) -> list[Reading]:
    """Return what the cars did, by their own logs."""
    return [
        Reading(
            line.second, line.entity, line.about["licence"], line.about["rate"],
            (line.about["x"], line.about["y"]), line.about["brakes"],
        )
        for line in lines if line.word == "drove"
    ]  # fmt: skip


def heard(lines: Iterable[Line]) -> list[Heard]:
    """Return what cars and monitors received by radio."""
    return [
        Heard(line.second, line.entity, line.about["subject"], line.about["license_no"])
        for line in lines
        if line.word == "heard"
    ]


class Verdict(NamedTuple):
    """What the logs of a scene show.

    Attributes:
        radio: What was received by radio, against who was within reach.
        offences: What was reported to the control room, against what the cars drove.
        fines: What was fined, against the offences.
        decided: How many readings are an offence, or none, since a limit was changed.
    """

    radio: Check
    offences: Check
    fines: Check
    decided: int

    @property
    def holds(self) -> bool:
        """Whether all is as it must be."""
        return self.radio.holds and self.offences.holds and self.fines.holds


def verdict(lines: Sequence[Line], room: ControlRoom) -> Verdict:
    """Compare what was received, reported and fined with what the cars' own logs say."""
    readings = driven(lines)
    expected = due(readings, room.limits, ROADS)
    first = [one for one in room.limits if one.second == 0]
    unchanged = {one[:4] for one in due(readings, first, ROADS)}
    return Verdict(
        compared(heard(lines), radio_due(readings, ROADS)),
        compared(room.offences, expected),
        compared(room.fines, fines(expected)),
        len(unchanged.symmetric_difference(one[:4] for one in expected)),
    )
