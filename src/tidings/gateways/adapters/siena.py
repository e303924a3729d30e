"""SIENA: our content-based event service, through any server of its network.

An event is a notification: each property of its header and data an attribute of the same name, and
the rest in attributes that begin with `FES_`. SIENA carries strings, ints of 64 bits, finite
doubles and bools; an event with anything else, or with names that SIENA does not have, is refused.

At most once: the service keeps nothing. A publish is confirmed when the first server has it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from tidings.clock import from_timebase, moment_text
from tidings.errors import InvalidEvent, InvalidUsage, TidingsError
from tidings.events.anyvalue import Any, Value
from tidings.events.fields import RESERVED_NAMES, plain
from tidings.events.paths import Path
from tidings.events.standard_header import with_standard_types
from tidings.events.structured import StructuredEvent, pack_data, pack_header
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.federation.marks import Mark, mark_of_text, mark_text
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.siena import (
    AttributeTest,
    Operator,
    SienaFilter,
    SienaTranslation,
    write,
)
from tidings.filters.dialects.writing import Seen, fixed_names
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Heard,
    Outgoing,
    Placed,
    Refused,
    Side,
    unreadable,
)
from tidings.services.siena.client import SienaClient
from tidings.services.siena.relations import Attribute, Notification, widest
from tidings.services.siena.wire import (
    MOST_OCTETS,
    SienaError,
    check_filter,
    check_name,
    check_notification,
)

log = logging.getLogger(__name__)

SUBJECT: Final = "FES_Subject"
DOMAIN: Final = "FES_Domain"
TYPE: Final = "FES_Type"
HEADER: Final = "FES_Header"
"""The names of the attributes that are header properties, with commas between them."""
BODY: Final = "FES_Body"
MARK: Final = "FES_Mark"
_OURS: Final = frozenset({SUBJECT, DOMAIN, TYPE, HEADER, BODY, MARK})
_MOMENTS: Final = ("StartTime", "StopTime")
_CARRIED: Final = (str, int, float, bool)
MOST_SUBJECTS: Final = 1_000
"""Subjects with an advertisement each; of more, one advertisement says that there are events."""


class SienaParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which network.

    Attributes:
        url: One of its servers, `senp://host:port`.
        subject: The attribute that holds the subject.
    """

    url: str
    subject: str = SUBJECT


class EventMapping:
    """Events as notifications, and back; `subject` is the attribute with the subject."""

    def __init__(self, subject: str = SUBJECT) -> None:
        check_name(subject)
        self.subject = subject
        self._ours = _OURS | {subject}
        self._fixed = fixed_names(DOMAIN, TYPE, subject)

    def seen(self, path: Path) -> Seen | None:
        """Return the attribute that a constraint's path means."""
        if path in self._fixed:
            return self._fixed[path]
        root = path.root
        if root is None or path.steps or root in self._ours or root in RESERVED_NAMES:
            return None
        return None if root in _MOMENTS else Seen(root)

    def notification(self, event: StructuredEvent, mark: Mark | None = None) -> Notification:
        """Return the notification for an event; InvalidEvent if SIENA cannot carry it."""
        made: dict[str, Attribute] = {self.subject: event.name}
        made |= {name: text for name, text in ((DOMAIN, event.domain), (TYPE, event.type)) if text}
        for where, values in (("header", event.header), ("data", event.data)):
            for name, value in values.items():
                if name in self._ours or name in made:
                    raise InvalidEvent(
                        "SIENA has one attribute for each name: rename it with a mapping rule",
                        f"{where}.{name}",
                    )
                made[name] = _attribute(name, value, f"{where}.{name}")
        if event.header:
            made[HEADER] = ",".join(event.header)
        if event.body is not None:
            made[BODY] = _attribute(BODY, event.body, "body")
        if mark is not None:
            made[MARK] = mark_text(mark)
        try:
            check_notification(made)
        except SienaError as error:
            raise InvalidEvent(str(error), "data") from error
        return made

    def arrival(self, notification: Notification) -> Arrival:
        """Return the event in a notification; InvalidEvent if it is none."""
        listed = _text(notification, HEADER)
        header = {
            name: notification[name]
            for name in listed.split(",")
            if name in notification and name not in self._ours
        }
        event = StructuredEvent(
            _text(notification, DOMAIN),
            _text(notification, TYPE),
            _text(notification, self.subject),
            pack_header(header),
            pack_data(
                {
                    name: value
                    for name, value in notification.items()
                    if name not in header and name not in self._ours
                }
            ),
            notification.get(BODY),
        )
        return Arrival(with_standard_types(event), _mark(_text(notification, MARK)))


def _text(notification: Notification, name: str) -> str:
    value = notification.get(name, "")
    if not isinstance(value, str):
        raise InvalidEvent(f"the attribute {name} is a text, not {value!r}")
    return value


def _attribute(name: str, value: Value, where: str) -> Attribute:
    if name in _MOMENTS and isinstance(value, Any) and isinstance(value.value, tuple):
        units = value.value[0]
        assert isinstance(units, int)
        return moment_text(from_timebase(units))
    found = plain(value)
    if type(found) in _CARRIED:
        return found  # type: ignore[return-value]
    raise InvalidEvent(
        "SIENA carries strings, ints, doubles and bools: turn it into these with a mapping rule",
        where,
    )


def _mark(text: str) -> Mark | None:
    try:
        return mark_of_text(text) if text else None
    except InvalidEvent:
        return None


class SienaAdapter(Adapter[SienaParameters]):
    """The adapter of a SIENA network."""

    Parameters = SienaParameters
    capabilities = Capabilities(
        kind="siena",
        promise="at most once: servers keep events in memory, and pass them on unacknowledged",
        filtering=Filtering.CONTENT,
        holds=False,
        confirms=True,
        marks=True,
        control=True,
        announces=True,
        nested=False,
        most_octets=MOST_OCTETS,
        priority=Survival.KEPT,
        order=Survival.KEPT,
        lifetime=Survival.KEPT,
        reliability=Survival.LOST,
        proximity=Survival.KEPT,
    )

    def __init__(self, side: Side, parameters: SienaParameters) -> None:
        super().__init__(side, parameters)
        try:
            self._mapping = EventMapping(parameters.subject)
        except SienaError as error:
            raise InvalidUsage(f"{side.adapter}: subject: {error}") from error
        self._client: SienaClient | None = None

    async def connect(self, heard: Heard) -> None:
        """Connect to the server."""

        async def consume(notifications: Sequence[Notification]) -> None:
            await heard(self._arrivals(notifications))

        self._filters: set[SienaFilter] = set()
        self._advertised: set[SienaFilter] = set()
        self._offered: frozenset[str] = frozenset()
        self._published: set[str] = set()
        try:
            self._client = await SienaClient.connect(self.parameters.url, consume)
        except TidingsError as error:
            raise AdapterError(str(error)) from error

    def _arrivals(self, notifications: Sequence[Notification]) -> list[Arrival]:
        found = []
        for notification in notifications:
            try:
                found.append(self._mapping.arrival(notification))
            except InvalidEvent as error:
                came = msgspec.json.encode(notification)
                found.append(unreadable(came, "notification", f"a notification: {error}"))
        return found

    async def disconnect(self) -> None:
        """Close the connection; the server forgets filters and advertisements."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def lost(self) -> str:
        """Wait until the connection is lost."""
        client = self._connected()
        await client.ended()
        return client.cause

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Subscribe to the widest of the filters' translations; return when the network knows."""
        written = [_placeable(write(one, self._mapping.seen)) for one in filters]
        wanted = set(widest(one for each in written for one in each.filters))
        client = self._connected()
        try:
            for one in wanted - self._filters:
                client.subscribe(one)
            for one in self._filters - wanted:
                client.unsubscribe(one)
            self._filters = wanted
            await self._settle(client)
        except TidingsError as error:
            raise AdapterError(str(error)) from error
        return [Placed(one.translation.text, one.exact, one.surplus) for one in written]

    async def offer(self, subjects: Sequence[str]) -> None:
        """Advertise the events with these subjects, beside those that were published."""
        self._offered = frozenset(subjects)
        await self._advertise()

    async def _advertise(self) -> None:
        subjects = self._offered | self._published
        tests = [AttributeTest(self._mapping.subject, Operator.EQUAL, one) for one in subjects]
        if len(tests) > MOST_SUBJECTS:
            tests = [AttributeTest(self._mapping.subject, Operator.ANY)]
        advertised: set[SienaFilter] = {(test,) for test in tests if _is_taken(test)}
        if advertised == self._advertised:
            return
        client = self._connected()
        try:
            for one in advertised - self._advertised:
                client.advertise(one)
            for one in self._advertised - advertised:
                client.unadvertise(one)
            self._advertised = advertised
            await self._settle(client)
        except TidingsError as error:
            raise AdapterError(str(error)) from error

    async def _settle(self, client: SienaClient) -> None:
        """Wait for the network, or at least for the server if another one hangs."""
        await client.settle(near=True)
        try:
            await client.settle()
        except TidingsError as error:
            if client.cause:
                raise
            log.warning("%s: %s", self.side.adapter, error)

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events with their marks; return when the server has them."""
        client = self._connected()
        made: list[Notification] = []
        answers: list[Refused | None] = []
        for event, mark in events:
            try:
                made.append(self._mapping.notification(event, mark))
                self._published.add(event.name)
                answers.append(None)
            except InvalidEvent as error:
                answers.append(Refused(str(error)))
        await self._advertise()
        try:
            causes = iter(await client.publish_all(made))
        except TidingsError as error:
            raise AdapterError(str(error)) from error
        for at, answer in enumerate(answers):
            if answer is None and (cause := next(causes)):
                answers[at] = Refused(cause)
        return answers

    def _connected(self) -> SienaClient:
        if self._client is None:
            raise AdapterError(f"the SIENA server {self.parameters.url} is not connected")
        return self._client


def _placeable(written: SienaTranslation) -> SienaTranslation:
    """Leave out tests that servers do not take, such as of very long texts."""
    filters = [tuple(test for test in one if _is_taken(test)) for one in written.filters]
    if tuple(filters) == written.filters:
        return written
    return SienaTranslation(tuple(filters), exact=False, surplus="tests beyond the limits of SIENA")


def _is_taken(test: AttributeTest) -> bool:
    try:
        check_filter((test,))
    except SienaError:
        return False
    return True
