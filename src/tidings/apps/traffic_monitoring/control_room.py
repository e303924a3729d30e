"""The control room: a client of SIENA that knows of the federation.

It sets limits by control events, and gets what is faster. What the city has seen goes into a
channel of a Tidings service, so that its archive has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, Self

from tidings.apps.traffic_monitoring.city import (
    CITY,
    CONTROL_ROOM,
    FIRST_LIMIT,
    OFFICE,
    ROADS,
    ROADSIDES,
    at,
)
from tidings.apps.traffic_monitoring.offences import (
    Fine,
    LimitSet,
    Offence,
    Step,
    changed,
    euros,
    limits_now,
    named,
    window,
)
from tidings.apps.traffic_monitoring.replay import Line
from tidings.client.client import Client
from tidings.client.publishing import Publisher
from tidings.clock import SystemClock
from tidings.errors import InvalidEvent, InvalidUsage, TidingsError
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.filters.dialects.siena import AttributeTest, Operator
from tidings.gateways.adapters.siena import SUBJECT, EventMapping
from tidings.gateways.asking import FederationClient
from tidings.services.siena.client import SienaClient
from tidings.services.siena.relations import Notification

CHANNEL: Final = "traffic"
"""What the city has seen: speeds, limits, fines."""
DERIVED: Final = "offences"
"""The fines that Spark derives from the archive."""
OFFENDERS: Final = "offenders.txt"
SPEEDS: Final = (AttributeTest(SUBJECT, Operator.EQUAL, "Speed"),)
"""The subscription of the source: all `Speed` events."""
HIGHEST: Final = 254
"""The highest limit: octet 7 of a frame has rates up to 255."""

_ROADS: Final = tuple(road.name for road in ROADS)
# Seconds that gateways have to answer.
_PATIENCE: Final = 60.0
# Events of the channel are counted by this producer.
_PRODUCER: Final = "control room"


class ControlRoom:
    """The control room, connected with SIENA while used as a context.

    Attributes:
        second: The second of the scene.
        limits: All limits that were set, in order.
        offences: All offences that were reported, in order.
        fines: The fines for them.
    """

    _ear: SienaClient
    _federation: FederationClient
    _publisher: Publisher

    def __init__(
        self, office: str, client: Client, folder: Path, tell: Callable[[Line], None]
    ) -> None:
        self.second = 0
        self.limits: list[LimitSet] = []
        self.offences: list[Offence] = []
        self.fines: list[Fine] = []
        self._office = office
        self._client = client
        self._offenders = folder / OFFENDERS
        self._tell = tell
        self._clock = SystemClock()
        self._mapping = EventMapping()
        self._standing: dict[str, int] = {}
        self._fined: set[tuple[str, str, int]] = set()
        self._to_publish: list[StructuredEvent] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def _open(self) -> None:
        for name in (CHANNEL, DERIVED):
            await self._client.create_channel(name, persistent=True)
        self._publisher = await self._client.publisher(CHANNEL, producer=_PRODUCER)
        asking = FederationClient("siena", OFFICE, {"url": self._office}, system=CITY)
        self._federation = await self._stack.enter_async_context(asking)
        self._ear = await SienaClient.connect(self._office, self._take)
        await self._stack.enter_async_context(self._ear)
        self._ear.subscribe(SPEEDS)
        await self.settle()
        await self.set_limit(ROADSIDES, FIRST_LIMIT)

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def settle(self) -> None:
        """Wait until SIENA has handed over all that was published."""
        await self._ear.settle()

    def limits_now(self) -> dict[str, int]:
        """Return the limit of each monitor."""
        return limits_now(self._standing, _ROADS)

    async def set_limit(self, targets: str, limit: int) -> list[str]:
        """Set the limit of the monitors in a distribution list; return them when it is in force.

        Raises:
            InvalidUsage: The list names no monitor, or the limit is out of range.
            TidingsError: A monitor's gateway has refused it, or does not answer.
        """
        roads = named(targets, _ROADS)
        if not roads:
            raise InvalidUsage(f"{targets!r:.80} names no monitor; there are {', '.join(_ROADS)}")
        if not 0 <= limit <= HIGHEST:
            raise InvalidUsage(f"a limit is 0 to {HIGHEST} km/h, not {limit}")
        steps, self._standing = changed(self._standing, _ROADS, targets, limit)
        self._log("asked", targets=targets, limit=limit)
        for step in steps:
            await self._ask(step)
        sign = event("Traffic", "SpeedLimit", "SpeedLimit", {"limit": float(limit)})
        await self._federation.publish(sign, targets)
        for road in roads:
            self.limits.append(LimitSet(self.second, road, limit))
            data = {"area": road, "limit": float(limit), "at": at(self.second)}
            self._to_publish.append(event("Traffic", "SpeedLimit", road, data))
        return roads

    async def _ask(self, step: Step) -> None:
        if not step.subscribes:
            await self._federation.unsubscribe(step.filter, step.targets, wait=_PATIENCE)
            return
        answer = await self._federation.subscribe(step.filter, step.targets, wait=_PATIENCE)
        if lacking := set(named(step.targets, _ROADS)).difference(answer.applied):
            raise TidingsError(
                f"{step.filter!r} does not apply at {', '.join(sorted(lacking))}: "
                f"{answer.refused or 'there is no answer'}"
            )

    async def _take(self, notifications: Sequence[Notification]) -> None:
        """Take speeds that monitors have brought; anybody may publish others."""
        for notification in notifications:
            try:
                arrival = self._mapping.arrival(notification)
            except InvalidEvent:
                continue
            road = "" if arrival.mark is None else arrival.mark.origin
            licence, rate = (arrival.event.data.get(name) for name in ("license_no", "rate"))
            if road in self.limits_now() and isinstance(licence, str) and isinstance(rate, float):
                self._report(road, licence, round(rate))

    def _report(self, road: str, licence: str, rate: int) -> None:
        """Log an offender; fine it, but once at one monitor in ten minutes."""
        offence = Offence(self.second, licence, road, rate, self.limits_now()[road])
        self.offences.append(offence)
        about = offence._asdict()
        self._log("reported", **about)
        with self._offenders.open("a", encoding="utf-8") as file:
            file.write(f"{licence} {rate} km/h at {road}, limit {offence.limit}\n")
        if window(offence) not in self._fined:
            self._fined.add(window(offence))
            fine = Fine(offence, euros(offence))
            self.fines.append(fine)
            self._log("fined", **about, euros=fine.euros)
            data = {"licence": licence, "area": road, "euros": fine.euros}
            self._to_publish.append(event("Traffic", "Fine", licence, data))

    def _log(self, word: str, **about: Any) -> None:  # noqa: ANN401
        self._tell(Line(self._clock.now(), self.second, CONTROL_ROOM, word, about))

    async def keep(self, lines: Iterable[Line]) -> int:
        """Publish what the monitors have heard, and what was decided here; return how many."""
        for line in lines:
            if line.word == "heard" and line.about["subject"] == "Speed":
                heard = line.about
                data = {"licence": heard["license_no"], "area": line.entity,
                        "rate": heard["rate"], "at": at(line.second)}  # fmt: skip
                self._to_publish.append(event("Traffic", "Speed", line.entity, data))
        events, self._to_publish = self._to_publish, []
        for receipt in await self._publisher.publish_many(events):
            if isinstance(receipt, TidingsError):
                raise receipt
        return len(events)
