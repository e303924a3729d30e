"""How a bus is set up: its channels, from settings and DBC files."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from tidings.errors import InvalidEvent, InvalidUsage, MissingExtra
from tidings.events.codecs.json_codec import decode_event, encode_event
from tidings.events.structured import StructuredEvent
from tidings.federation.control import CONTROL_SUBJECT
from tidings.services.cosmic.channels import Channel, ChannelKind, Codec, Network
from tidings.services.cosmic.fields import Field, FieldsCodec
from tidings.services.cosmic.frames import (
    HIGHEST_ID,
    HIGHEST_NODE,
    HIGHEST_TAG,
    MOST_OCTETS,
    Timing,
)

log = logging.getLogger(__name__)

MOST_CHANNELS: Final = 4_096
MOST_DBC: Final = 16 * 2**20
_LONGEST: Final = 3_600_000.0
# Milliseconds that an event of a non real-time channel waits at most, unless settings say more.
_LIFETIME: Final = 10_000.0


class EventSettings(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"kind": "class"}
):
    """An event channel.

    Without fields and without a message, whole events go over it in fragments.

    Attributes:
        subject: The name of its events.
        kind: hard, soft or non-real-time; `class` in settings.
        id: Its plain identifier.
        tag: Its tag, if it has no plain identifier.
        message: The message of the DBC file that says what its octets mean, and its identifier.
        fields: What its octets mean.
        octets: The data of its frames; 0 for as many as the fields take.
        node: Of a hard channel: the node that sends.
        period: Of a hard channel: the least time between two events, in milliseconds.
        deadline: Milliseconds from accepting an event to its end on the bus.
        sample: The least time between two events that leave the bus, in milliseconds.
        domain: The domain of its events.
        type: Their type.
    """

    subject: str
    kind: ChannelKind = ChannelKind.NON_REAL_TIME
    id: int | None = None
    tag: int | None = None
    message: str = ""
    fields: tuple[Field, ...] = ()
    octets: int = 0
    node: int = 0
    period: float = 0
    deadline: float = 0
    sample: float | None = None
    domain: str = ""
    type: str = ""


class CosmicSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bus, as one node uses it.

    Attributes:
        interface: Of python-can: virtual, udp_multicast, socketcan, or that of a vendor.
        channel: Which bus of the interface, such as `can0`.
        options: More for python-can, such as a port.
        node: The number of this node, 1 to 127; no other on the bus has it. 0: an adapter takes one
            from its name, which may be another's too.
        events: The event channels, for all nodes the same and in the same order.
        dbc: A DBC file; its messages are channels too, unless `events` names them.
        control: The tag of control events.
        bit_rate: Bits a second.
        faults: Destroyed frames that a reserved slot has time for.
        guard: How late a node may be for its slot, in microseconds.
        sample: The least time between two events of a subject that leave the bus, in
            milliseconds, the latest one; 0 for all.
    """

    interface: str
    channel: str
    node: int = 0
    options: Mapping[str, Any] = {}
    events: tuple[EventSettings, ...] = ()
    dbc: str = ""
    control: int = HIGHEST_TAG
    bit_rate: int = 500_000
    faults: int = 1
    guard: int = 1_000
    sample: float = 0


class WholeCodec:
    """Whole events, as typed JSON."""

    whole = True

    def __init__(self, subject: str) -> None:
        self._subject = subject

    def encode(self, event: StructuredEvent) -> bytes:
        """Write an event."""
        return encode_event(event)

    def decode(self, octets: bytes) -> StructuredEvent:
        """Read an event, which has the channel's subject."""
        event = decode_event(octets)
        if event.name != self._subject:
            raise InvalidEvent(f"an event {event.name!r:.60} on the channel {self._subject!r}")
        return event


def network_of(settings: CosmicSettings) -> Network:
    """Make the channels of a bus, and their calendar.

    Raises:
        InvalidUsage: A setting is wrong, or the hard channels cannot all be in time.
        MissingExtra: A DBC file is named, and cantools is not installed.
    """
    _check("node", settings.node, 1, HIGHEST_NODE)
    _check("bit_rate", settings.bit_rate, 5_000, 1_000_000)
    _check("faults", settings.faults, 0, 16)
    _check("guard", settings.guard, 0, 1_000_000)
    if len(settings.events) > MOST_CHANNELS:
        raise InvalidUsage(f"at most {MOST_CHANNELS} events, not {len(settings.events)}")
    timing = Timing(settings.bit_rate, settings.faults, settings.guard)
    control = EventSettings(CONTROL_SUBJECT, tag=settings.control)
    messages = _messages(settings.dbc) if settings.dbc else {}
    channels = [_channel(control, settings, messages)]
    channels += [_channel(one, settings, messages) for one in settings.events]
    named = {one.message for one in settings.events}
    channels += _other_messages(
        {name: one for name, one in messages.items() if name not in named}, settings
    )
    return Network(channels, timing)


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise InvalidUsage(f"{name} is {low} to {high}, not {value}")


def _channel(one: EventSettings, settings: CosmicSettings, messages: Mapping[str, Any]) -> Channel:
    where = f"the event {one.subject!r}"
    if not one.subject:
        raise InvalidUsage("an event needs a subject")
    for name in ("period", "deadline", "sample"):
        _check(f"{where}: {name}", getattr(one, name) or 0, 0, _LONGEST)
    event = StructuredEvent(one.domain, one.type, one.subject)
    id, extended = one.id, True
    codec: Codec = WholeCodec(one.subject)
    octets = MOST_OCTETS
    if one.message:
        message = messages.get(one.message)
        if message is None:
            raise InvalidUsage(
                f"{where}: {settings.dbc or 'no DBC file'} has no message {one.message!r}; it has: "
                f"{', '.join(sorted(messages)[:20]) or 'none'}"
            )
        octets, codec = message.length, _of_message(message, event, where)
        if id is None and one.tag is None:
            id, extended = message.frame_id, message.is_extended_frame
    elif one.fields:
        octets = one.octets or max((field.span.stop + 7) // 8 for field in one.fields)
        codec = FieldsCodec(one.fields, octets, event, where)
    channel = Channel(
        one.subject,
        one.kind,
        _id(one, id, where),
        codec,
        octets,
        plain=id is not None,
        extended=extended,
        node=one.node,
        period=round(one.period * 1_000),
        deadline=round((one.deadline or _lifetime(one, where)) * 1_000),
        sample=round((settings.sample if one.sample is None else one.sample) * 1_000),
    )
    return _checked(channel, where)


def _id(one: EventSettings, id: int | None, where: str) -> int:
    if (id is None) == (one.tag is None):
        raise InvalidUsage(f"{where}: give it an id (0 to {HIGHEST_ID}) or a tag, and not both")
    if id is not None:
        _check(f"{where}: id", id, 0, HIGHEST_ID)
        return id
    assert one.tag is not None
    _check(f"{where}: tag", one.tag, 0, HIGHEST_TAG)
    return one.tag


def _lifetime(one: EventSettings, where: str) -> float:
    if one.kind is not ChannelKind.NON_REAL_TIME:
        raise InvalidUsage(f"{where}: a {one.kind.value} channel needs a deadline in milliseconds")
    return _LIFETIME


def _checked(channel: Channel, where: str) -> Channel:
    """Check what only the whole channel shows."""
    hard = channel.kind is ChannelKind.HARD
    if channel.codec.whole and channel.kind is not ChannelKind.NON_REAL_TIME:
        raise InvalidUsage(
            f"{where}: events of a {channel.kind.value} channel are one frame: give it fields or "
            "a message, or make it non-real-time"
        )
    if channel.codec.whole and channel.plain:
        raise InvalidUsage(f"{where}: fragments show who sends them: give it a tag, not an id")
    if hard and channel.plain:
        raise InvalidUsage(f"{where}: a hard channel has the highest priority: give it a tag")
    if channel.period and not hard:
        raise InvalidUsage(f"{where}: only a hard channel has a period")
    _check(f"{where}: node", channel.node, int(hard), HIGHEST_NODE if hard else 0)
    return channel


# DBC files.


def _messages(path: str) -> dict[str, Any]:
    try:
        from cantools.database import load_file
        from cantools.database.can import Database
        from cantools.database.errors import Error
    except ImportError as error:
        raise MissingExtra("cantools, which DBC files need,", "cosmic") from error
    try:
        if Path(path).stat().st_size > MOST_DBC:
            raise InvalidUsage(f"{path} has more than {MOST_DBC} octets")
        database = load_file(path, database_format="dbc")
    except InvalidUsage:
        raise
    except (OSError, ValueError, LookupError, Error) as error:
        raise InvalidUsage(f"{path} is not a DBC file that can be read: {error}") from error
    assert isinstance(database, Database)
    return {message.name: message for message in database.messages}


def _other_messages(messages: Mapping[str, Any], settings: CosmicSettings) -> Iterator[Channel]:
    """The messages that settings do not name, under their own names."""
    for name in messages:
        try:
            yield _channel(EventSettings(name, message=name), settings, messages)
        except InvalidUsage as error:
            log.warning("%s: %s; it is left out", settings.dbc, error)


def _of_message(message: Any, event: StructuredEvent, where: str) -> FieldsCodec:  # noqa: ANN401
    if message.is_multiplexed() or message.is_container or message.length > MOST_OCTETS:
        raise InvalidUsage(
            f"{where}: the message {message.name} is multiplexed or longer than {MOST_OCTETS} "
            "octets; give fields instead"
        )
    return FieldsCodec(_fields_of(message.signals), message.length, event, where)


def _bits(signal: Any) -> str:  # noqa: ANN401
    # A DBC file numbers the bits of each octet from its lowest, whatever the order.
    start = signal.start if signal.byte_order == "little_endian" else signal.start ^ 7
    return f"{start}..{start + signal.length - 1}"


def _choices(signal: Any) -> dict[str, int]:  # noqa: ANN401
    """The words of a signal; files often have some for numbers that its bits cannot hold."""
    lowest = -(1 << signal.length - 1) if signal.is_signed else 0
    numbers = range(lowest, lowest + (1 << signal.length))
    choices = {} if signal.is_float else signal.choices or {}
    return {str(word): raw for raw, word in choices.items() if raw in numbers}


def _is_whole(conversion: Any) -> bool:  # noqa: ANN401
    return float(conversion.scale).is_integer() and float(conversion.offset).is_integer()


def _fields_of(signals: Sequence[Any]) -> list[Field]:
    """The signals of a message as fields."""
    return [
        Field(
            name=signal.name,
            type="double" if signal.is_float or not _is_whole(signal.conversion) else "long",
            bits=_bits(signal),
            order="little" if signal.byte_order == "little_endian" else "big",
            signed=signal.is_signed,
            floating=signal.is_float,
            scale=signal.conversion.scale,
            offset=signal.conversion.offset,
            low=signal.minimum,
            high=signal.maximum,
            choices=_choices(signal),
        )
        for signal in signals
    ]
