"""The payload of EVENT records, written and read for every event; use it through `payloads.py`.

::

    format 1, marks 1 (bit 0: carried, bit 1: has a start, bit 2: has a producer)
    flags 1, arrival 8, plan 8, priority 4, expiry 8, start 8, number 8
    how many: octets of the producer 2, hops 2, durable 4, views 4, octets of the event 4
    producer, UTF-8; hops, 16 octets each; durable, 4 each; views, 16 each; the event
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tidings.stores.refusals import FORMAT, UNFIT, undecodable, unfit, unknown_format, wrong_length

_WHAT = "an event"
_CARRIED = 1
_HAS_START = 2
_HAS_PRODUCER = 4

_EVENT = struct.Struct(">BBBqQiqqqHHIII")
_EVENT_LENGTH = struct.Struct(">I")  # the last field of the head
_LENGTH_AT = _EVENT.size - _EVENT_LENGTH.size
_ARRIVAL = struct.Struct(">q")
_ARRIVAL_AT = 3
_HOP_OCTETS = 16
_VIEW = struct.Struct(">Iqi")

# Most events have a handful of recipients: their layouts are not made again for each.
_FEW = 33
_PROXIES = [struct.Struct(f">{count}I") for count in range(_FEW)]


class StoredEvent(NamedTuple):
    """An event as its journal record has it; channel and seq are in the record's head.

    Attributes:
        arrival: When it was accepted.
        plan: Version of the rules it was judged by.
        priority: As consumers without mapping filters see it.
        expiry: Likewise; NEVER for none.
        start: Not delivered before; None for at once.
        flags: Those of its entry.
        producer: Who sent it, if it came with a mark.
        number: The how-manieth of that producer.
        hops: Origins of the channels it has passed, oldest first.
        durable: The proxies recovery has still to serve.
        views: For proxies that see it differently, their expiry and priority.
        carried: Written again by retention; it stands beside the first record, if that is there.
        octets: The event as typed JSON, undecoded.
    """

    arrival: int
    plan: int
    priority: int
    expiry: int
    start: int | None
    flags: int
    producer: str | None
    number: int
    hops: tuple[str, ...]
    durable: tuple[int, ...]
    views: dict[int, tuple[int, int]]
    carried: bool
    octets: bytes


def event_payload(event: StoredEvent) -> bytes:
    """The payload of an EVENT record.

    Raises:
        BadInput: A number does not fit its field, or a hop is no origin.
    """
    return pack_event(*event)


def pack_event(  # noqa: PLR0913, PLR0917 -- the fields of `StoredEvent`, without making one
    arrival: int,
    plan: int,
    priority: int,
    expiry: int,
    start: int | None,
    flags: int,
    producer: str | None,
    number: int,
    hops: Sequence[str],
    durable: Sequence[int],
    views: Mapping[int, tuple[int, int]],
    carried: bool,
    octets: bytes,
) -> bytes:
    """The payload of an EVENT record, from the fields of a `StoredEvent`.

    Raises:
        BadInput: A number does not fit its field, or a hop is no origin.
    """
    marks = _CARRIED if carried else 0
    if start is None:
        start = 0
    else:
        marks |= _HAS_START
    try:
        name = b""
        if producer is not None:
            marks |= _HAS_PRODUCER
            name = producer.encode()
        count = len(durable)
        head = _EVENT.pack(
            FORMAT, marks, flags, arrival, plan, priority, expiry, start, number,
            len(name), len(hops), count, len(views), len(octets),
        )  # fmt: skip
        proxies = _PROXIES[count] if count < _FEW else struct.Struct(f">{count}I")
        if not (hops or views):
            return b"".join((head, name, proxies.pack(*durable), octets))
        path = b"".join([_hop_octets(hop) for hop in hops])
        seen = b"".join([_VIEW.pack(proxy, *view) for proxy, view in views.items()])
        return b"".join((head, name, path, proxies.pack(*durable), seen, octets))
    except UNFIT as error:
        raise unfit(_WHAT, error) from error


def stored_event(payload: bytes) -> StoredEvent:
    """What an EVENT record says.

    Raises:
        StoreError: It is no such payload.
    """
    try:
        (
            form, marks, flags, arrival, plan, priority, expiry, start, number,
            name_octets, hop_count, proxy_count, view_count, length,
        ) = _EVENT.unpack_from(payload)  # fmt: skip
        if form != FORMAT:
            raise unknown_format(_WHAT, payload)
        at = _EVENT.size
        producer = None
        if marks & _HAS_PRODUCER:
            producer = payload[at : at + name_octets].decode()
        at += name_octets
        hops: tuple[str, ...] = ()
        if hop_count:
            hops = _hops(payload[at : at + hop_count * _HOP_OCTETS])
            at += hop_count * _HOP_OCTETS
        proxies = _PROXIES[proxy_count] if proxy_count < _FEW else struct.Struct(f">{proxy_count}I")
        durable = proxies.unpack_from(payload, at)
        at += proxies.size
        views: dict[int, tuple[int, int]] = {}
        if view_count:
            views = _views(payload[at : at + view_count * _VIEW.size])
            at += view_count * _VIEW.size
        if len(payload) - at != length:
            raise wrong_length(_WHAT, len(payload) - at, length)
    except UNFIT as error:
        raise undecodable(_WHAT, error) from error
    # In half the time that the class itself takes: a start reads millions of events.
    return tuple.__new__(StoredEvent, (
        arrival, plan, priority, expiry, start if marks & _HAS_START else None, flags, producer,
        number, hops, durable, views, bool(marks & _CARRIED), payload[at:],
    ))  # fmt: skip


def arrival_of(payload: bytes) -> int:
    """When the event of an EVENT record was accepted; the rest is not looked at.

    A payload that is none has arrived in 1970: whoever reads on finds out what is wrong.
    """
    try:
        arrival: int = _ARRIVAL.unpack_from(payload, _ARRIVAL_AT)[0]
    except struct.error:
        return 0
    return arrival


def event_octets_of(payload: bytes) -> bytes:
    """The event of an EVENT record as typed JSON; the rest is not looked at.

    Raises:
        StoreError: It is no such payload.
    """
    try:
        [length] = _EVENT_LENGTH.unpack_from(payload, _LENGTH_AT)
    except struct.error as error:
        raise undecodable(_WHAT, error) from error
    if payload[0] != FORMAT:
        raise unknown_format(_WHAT, payload)
    start = len(payload) - length
    if start < _EVENT.size:
        raise wrong_length(_WHAT, len(payload) - _EVENT.size, length)
    return payload[start:]


def _hop_octets(hop: str) -> bytes:
    octets = bytes.fromhex(hop)
    if len(octets) != _HOP_OCTETS or octets.hex() != hop:
        raise ValueError(f"the hop {hop[:80]!r} is not 32 hexadecimal digits")
    return octets


def _hops(octets: bytes) -> tuple[str, ...]:
    digits = octets.hex()
    width = 2 * _HOP_OCTETS
    return tuple(digits[at : at + width] for at in range(0, len(digits), width))


def _views(octets: bytes) -> dict[int, tuple[int, int]]:
    return {proxy: (expiry, priority) for proxy, expiry, priority in _VIEW.iter_unpack(octets)}
