"""Notices of changes as scnmesg's structs, as XML, and the six kinds of proxies that deliver them.

The structs have no place for what the service has found out itself: whether a change is
compatible, and the differences in words. XML has.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Final

from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
)
from tidings.changes.notice_event import notice_of
from tidings.changes.requests import Announcement
from tidings.changes.xml import write_notice
from tidings.channel.vocabulary import Form, Side, Style
from tidings.clock import from_timebase, to_timebase
from tidings.cos import scncomm_auto as comm
from tidings.cos import scnmesg_auto as wire
from tidings.cos.kinds import Kind
from tidings.cos.TimeBase_auto import UtcT
from tidings.cos.trading import properties_in, properties_out
from tidings.errors import InvalidEvent, TidingsError
from tidings.events.structured import StructuredEvent
from tidings.events.typetext import describe, read_type
from tidings.orb.exceptions import BAD_PARAM
from tidings.trader.model import PropertyDef, PropertyMode

if TYPE_CHECKING:
    from tidings.orb.cdr_writer import Writer

# Times.


def utc_out(microseconds: int | None) -> UtcT:
    """Convert a time; none is the time 0."""
    return UtcT(0 if microseconds is None else to_timebase(microseconds), 0, 0, 0)


def utc_in(time: UtcT) -> int | None:
    """Convert a time; the time 0 is none."""
    return from_timebase(time.time) if time.time else None


# Descriptions.


def _type_out(type_: ServiceTypeDescription) -> wire.ServiceTypeDescription:
    properties = tuple(
        wire.PropertyDef(one.name, describe(one.value_type), one.mode) for one in type_.properties
    )
    return wire.ServiceTypeDescription(
        type_.name, type_.base_types, properties, type_.interface_id, type_.interface_idl
    )


def _type_in(given: wire.ServiceTypeDescription) -> ServiceTypeDescription:
    try:
        properties = tuple(
            PropertyDef(one.name, read_type(one.type), PropertyMode(one.mode))
            for one in given.properties
        )
    except ValueError as error:
        raise InvalidEvent(f"{error}: 0 to 3", "mode") from error
    return ServiceTypeDescription(
        given.name, tuple(given.base_types), properties, given.interface_id, given.interface_idl
    )


def _service_out(service: ServiceDescription) -> wire.ServiceDescription:
    return wire.ServiceDescription(
        _type_out(service.type), properties_out(service.properties), service.reference
    )


def _service_in(given: wire.ServiceDescription) -> ServiceDescription:
    return ServiceDescription(
        _type_in(given.type), properties_in(given.properties), given.object_reference
    )


def services_in(
    kind: ChangeKind, given: Sequence[wire.ServiceDescription]
) -> tuple[ServiceDescription | None, ServiceDescription | None]:
    """Convert the descriptions before and after a change; a new service has only the latter."""
    if not 1 <= len(given) <= 2:
        raise InvalidEvent(f"{len(given)} services are described, not 1 or 2", "descriptions")
    found = [_service_in(one) for one in given]
    if kind is ChangeKind.INSTANTIATION_SERVICE:
        return None, found[-1]
    return found[0], found[1] if len(found) > 1 else None


# Messages.


def kind_in(given: wire.MessageType) -> ChangeKind:
    """Convert the kind of a change."""
    return ChangeKind[given.name]


def message_out(notice: Notice) -> wire.StructuredEventMessage:
    """Convert a notice."""
    header = wire.MessageHeader(
        notice.id,
        wire.MessageType[notice.kind.name],
        wire.TimeIndicator[notice.time_indicator.name],
        notice.priority,
        utc_out(notice.expiry),
        utc_out(notice.start),
        utc_out(notice.timestamp),
    )
    described = [one for one in (notice.before, notice.after) if one is not None]
    body = wire.MessageBody(
        tuple(map(_service_out, described)),
        properties_out(notice.deleted),
        properties_out(notice.modified),
        notice.reason,
        notice.objective,
        utc_out(notice.effective),
    )
    return wire.StructuredEventMessage(header, body, notice.additional)


def message_in(given: wire.StructuredEventMessage) -> Notice:
    """Convert a message; InvalidEvent if it is no notice."""
    header, body, additional = given
    kind = kind_in(header.message_type)
    before, after = services_in(kind, body.descriptions)
    return Notice(
        header.message_id,
        kind,
        TimeIndicator[header.time_indicator.name],
        header.priority,
        utc_in(header.timestamp) or 0,
        utc_in(header.expiry),
        utc_in(header.start),
        before,
        after,
        properties_in(body.deleted),
        properties_in(body.modified),
        body.reason,
        body.objective,
        utc_in(body.effective),
        additional,
    )


def announcement_in(given: wire.PublishedStructuredEventMessage) -> Announcement:
    """Convert a message that announces a change; InvalidEvent if it describes none."""
    header, body, additional = given
    kind = kind_in(header.message_type)
    before, after = services_in(kind, body.descriptions)
    return Announcement(
        kind,
        before,
        after,
        properties_in(body.deleted),
        properties_in(body.modified),
        body.reason,
        body.objective,
        utc_in(body.effective),
        additional,
        header.priority or None,
        utc_in(header.expiry),
        utc_in(header.start),
    )


_NEVER: Final = utc_out(None)
NO_MESSAGE: Final = wire.StructuredEventMessage(
    wire.MessageHeader(
        "", wire.MessageType.CHANGE_TYPE, wire.TimeIndicator.ADVANCE, 0, _NEVER, _NEVER, _NEVER
    ),
    wire.MessageBody((), (), (), "", "", _NEVER),
    "",
)
"""The placeholder in the answer to a pull when there is no message."""


# Proxies.

_SHORT: Final = 1_000
"""Characters of IDL that are written as XML in about a millisecond."""
_MOST_KEPT: Final = 16_000_000
"""Characters of documents that are kept for further subscribers."""

_PUSH: Final = comm.StructuredPushSubscriber_INTERFACE.operations["push_structured_event"]
_PUSH_XML: Final = comm.XMLPushSubscriber_INTERFACE.operations["push_xml_event"]


def write_message(writer: Writer, event: StructuredEvent) -> None:
    """Write an event of the channel of notices as a message."""
    try:
        message = message_out(notice_of(event))
    except TidingsError as error:
        raise BAD_PARAM(why=str(error)) from error
    _PUSH.write_arguments(writer, (message,))


class Documents:
    """The latest notices as XML, each made once for all subscribers.

    Making one whose interfaces are long takes a while: `are_ready` and `make` let callers do that
    beside the loop.
    """

    def __init__(self) -> None:
        # By the id of the event, which is kept so that its id is not another's meanwhile.
        self._made: OrderedDict[int, tuple[StructuredEvent, str | TidingsError]] = OrderedDict()
        self._length = 0
        self._lock = Lock()

    def are_ready(self, events: Iterable[StructuredEvent]) -> bool:
        """Whether writing these takes no longer than the loop can wait."""
        return all(id(one) in self._made or _is_short(one) for one in events)

    def make(self, event: StructuredEvent) -> str | TidingsError:
        """Return an event's document, or why there is none; from any thread."""
        found = self._made.get(id(event))
        if found is not None:
            return found[1]
        made: str | TidingsError
        try:
            made = write_notice(notice_of(event))
        except TidingsError as error:
            made = error
        with self._lock:
            if id(event) not in self._made:
                self._made[id(event)] = event, made
                self._length += len(str(made))
            while self._length > _MOST_KEPT and len(self._made) > 1:
                self._length -= len(str(self._made.popitem(last=False)[1][1]))
        return made


DOCUMENTS: Final = Documents()


def _is_short(event: StructuredEvent) -> bool:
    try:
        notice = notice_of(event)
    except TidingsError:
        return True  # which is soon found out again
    described = (one.type.interface_idl for one in (notice.before, notice.after) if one is not None)
    return sum(map(len, described)) <= _SHORT


def write_xml(writer: Writer, event: StructuredEvent) -> None:
    """Write an event of the channel of notices as an XML document."""
    document = DOCUMENTS.make(event)
    if not isinstance(document, str):
        raise BAD_PARAM(why=str(document)) from document
    _PUSH_XML.write_arguments(writer, (document,))


def _made(type_: comm.ProxyType) -> Kind:
    """Return the kind of a proxy type, which is named after what it does."""
    style, _, words = type_.name.partition("_")
    form = Form.SEQUENCE if words.endswith("SEQUENCE") else Form.STRUCTURED
    written = {"STRUCTURED": "Structured", "STRUCTURED_SEQUENCE": "SequenceStructured"}
    named, verb = written.get(words, "XML"), style.title()
    proxy = vars(comm)[f"{named}Proxy{verb}Subscriber_INTERFACE"]
    client = vars(comm)[f"{named}{verb}Subscriber_INTERFACE"]
    pushes = [one for name, one in client.operations.items() if name.startswith("push_")]
    return Kind(
        Side.CONSUMER,
        Style[style],
        form,
        False,
        proxy,
        client,
        pushes[0] if pushes else None,
        client.operations["disconnect"],
        None,
        write_xml if words == "XML" else write_message,
        type_.name,
    )


SUBSCRIBER_KINDS: Final[Mapping[str, Kind]] = {one.name: _made(one) for one in comm.ProxyType}
"""The six kinds of proxies of subscribers, by the names of their types."""
