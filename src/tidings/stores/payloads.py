"""Encoding of journal records' payloads; no files.

Every payload begins with its format number. Numbers are big-endian, times are microseconds since
1970. Events, dead letters and outcomes have heads of a fixed layout; plain data (topology, plans,
marks) is MessagePack. Encoding raises `BadInput` for invalid values; decoding raises only
`StoreError`.

The payload of an EVENT record, which is written and read for every event::

    format 1, marks 1 (bit 0: carried, bit 1: has a start, bit 2: has a producer)
    flags 1, arrival 8, plan 8, priority 4, expiry 8, start 8, number 8
    how many: octets of the producer 2, hops 2, durable 4, views 4, octets of the event 4
    producer, UTF-8; hops, 16 octets each; durable, 4 each; views, 16 each; the event
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from tidings.channel.effects import Cause, Outcome
from tidings.errors import BadInput, StoreError

# The first octet of every payload.
_FORMAT: Final = 1

# Errors that coders raise for invalid values or octets.
_UNFIT: Final = (
    struct.error,
    msgspec.MsgspecError,
    ValueError,
    TypeError,
    OverflowError,
    RecursionError,
)

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

# Most events have few recipients: their layouts are cached.
_FEW = 33
_PROXIES = [struct.Struct(f">{count}I") for count in range(_FEW)]

# A few octets can encode a long run: bounds the memory that decoding takes.
MOST_SEQS: Final = 2**24

# Outcomes have a time since format 2.
_TIMED: Final = 2

_OUTCOME = struct.Struct(">BBIq")
_OUTCOME_UNTIMED = struct.Struct(">BBI")
_DEAD = struct.Struct(">BQIqqiBqQII")
_GONE = struct.Struct(">BIQ")
_CHECKPOINT = struct.Struct(">B?Q")
_DROPPED = struct.Struct(">BQ")

_Plain: TypeAlias = dict[int | str, Any]

_encode = msgspec.msgpack.Encoder().encode
_causes_of = msgspec.msgpack.Decoder(tuple[Cause, ...]).decode
_runs_of = msgspec.msgpack.Decoder(tuple[int, ...]).decode
_state_of = msgspec.msgpack.Decoder(tuple[str, str, _Plain | None]).decode
_topology_of = msgspec.msgpack.Decoder(tuple[int, str, str, _Plain | None]).decode
_plan_of = msgspec.msgpack.Decoder(_Plain).decode
_marks_of = msgspec.msgpack.Decoder(list[Any]).decode
_numbers_of = msgspec.msgpack.Decoder(tuple[int, int]).decode
_Decoded = TypeVar("_Decoded")


class StoredEvent(NamedTuple):
    """An event as stored in its journal record; channel and seq are in the record's head.

    Attributes:
        plan: Version of the rules it was matched by.
        priority: As consumers without mapping filters see it.
        expiry: Likewise; NEVER for none.
        start: Not delivered before; None for at once.
        number: The producer's number of the event.
        hops: Origins of the channels it has passed, oldest first.
        durable: The proxies recovery must still serve.
        views: Expiry and priority for proxies that see it differently.
        carried: Whether retention wrote it again; the first record may exist, too.
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
    """Encode an EVENT record's payload."""
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
    """Encode an EVENT record's payload from the fields of a `StoredEvent`."""
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
            _FORMAT, marks, flags, arrival, plan, priority, expiry, start, number,
            len(name), len(hops), count, len(views), len(octets),
        )  # fmt: skip
        proxies = _PROXIES[count] if count < _FEW else struct.Struct(f">{count}I")
        if not (hops or views):
            return b"".join((head, name, proxies.pack(*durable), octets))
        path = b"".join([_hop_octets(hop) for hop in hops])
        seen = b"".join([_VIEW.pack(proxy, *view) for proxy, view in views.items()])
        return b"".join((head, name, path, proxies.pack(*durable), seen, octets))
    except _UNFIT as error:
        raise _unfit("an event", error) from error


def stored_event(payload: bytes) -> StoredEvent:
    """Decode an EVENT record."""
    try:
        (
            form, marks, flags, arrival, plan, priority, expiry, start, number,
            name_octets, hop_count, proxy_count, view_count, length,
        ) = _EVENT.unpack_from(payload)  # fmt: skip
        if form != _FORMAT:
            raise _unknown_format("an event", payload)
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
            seen = _VIEW.iter_unpack(payload[at : at + view_count * _VIEW.size])
            views = {proxy: (expires, rank) for proxy, expires, rank in seen}
            at += view_count * _VIEW.size
        if len(payload) - at != length:
            raise _wrong_length("an event", len(payload) - at, length)
    except _UNFIT as error:
        raise _undecodable("an event", error) from error
    # Twice as fast as calling the class: a start reads millions of events.
    return tuple.__new__(StoredEvent, (
        arrival, plan, priority, expiry, start if marks & _HAS_START else None, flags, producer,
        number, hops, durable, views, bool(marks & _CARRIED), payload[at:],
    ))  # fmt: skip


def arrival_of(payload: bytes) -> int:
    """Decode only the arrival of an EVENT record; 1970 if it is not an event's payload."""
    try:
        arrival: int = _ARRIVAL.unpack_from(payload, _ARRIVAL_AT)[0]
    except struct.error:
        return 0
    return arrival


def event_octets_of(payload: bytes) -> bytes:
    """Decode only the typed JSON of an EVENT record."""
    try:
        [length] = _EVENT_LENGTH.unpack_from(payload, _LENGTH_AT)
    except struct.error as error:
        raise _undecodable("an event", error) from error
    if payload[0] != _FORMAT:
        raise _unknown_format("an event", payload)
    start = len(payload) - length
    if start < _EVENT.size:
        raise _wrong_length("an event", len(payload) - _EVENT.size, length)
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


class StoredDeadLetter(NamedTuple):
    """An event that could not be delivered to a consumer; channel and seq are in the head.

    Attributes:
        at: When the service gave up.
        causes: The causes, oldest first.
        expiry: As the consumer saw it, like `priority`; NEVER for none.
        plan: Version of the rules it was matched by.
        octets: The event as typed JSON, undecoded.
        number: The letter's id for users; 0 if it was never listed.
    """

    proxy: int
    at: int
    causes: tuple[Cause, ...]
    expiry: int
    priority: int
    flags: int
    arrival: int
    plan: int
    octets: bytes
    number: int = 0


class StoredOutcome(NamedTuple):
    """The outcome of a consumer's copies of events; `at` is None in the oldest records."""

    proxy: int
    outcome: Outcome
    seqs: Sequence[int]
    at: int | None


def outcome_payload(proxy: int, outcome: Outcome, seqs: Sequence[int], at: int) -> bytes:
    """Encode an OUTCOME payload; a run of consecutive seqs takes a few octets."""
    if not 0 < len(seqs) <= MOST_SEQS:
        raise BadInput(f"an outcome of {len(seqs)} events; a record takes 1 to {MOST_SEQS}")
    try:
        return _OUTCOME.pack(_TIMED, outcome, proxy, at) + _encode(_runs(seqs))
    except _UNFIT as error:
        raise _unfit("an outcome", error) from error


def stored_outcome(payload: bytes) -> StoredOutcome:
    """Decode an OUTCOME record."""
    try:
        outcome, proxy, at, runs = _outcome_parts(payload)
        return StoredOutcome(proxy, Outcome(outcome), _seqs(runs), at)
    except _UNFIT as error:
        raise _undecodable("an outcome", error) from error


def _outcome_parts(payload: bytes) -> tuple[int, int, int | None, Sequence[int]]:
    """Return outcome, proxy, time and the runs of events."""
    form, outcome, proxy = _OUTCOME_UNTIMED.unpack_from(payload)
    if form == _TIMED:
        *_, at = _OUTCOME.unpack_from(payload)
        return outcome, proxy, at, _runs_of(payload[_OUTCOME.size :])
    if form != _FORMAT:
        raise _unknown_format("an outcome", payload, _TIMED)
    return outcome, proxy, None, _runs_of(payload[_OUTCOME_UNTIMED.size :])


class OneOutcome(NamedTuple):
    """The outcome of one copy of one event; `at` is None in the oldest records."""

    proxy: int
    outcome: Outcome
    at: int | None


def outcome_of(payload: bytes, seq: int) -> OneOutcome | None:
    """Decode an OUTCOME record for one event; None if it is about others.

    However many events the record is about, none of the others is looked at.
    """
    try:
        outcome, proxy, at, found = _outcome_parts(payload)
        runs, end = iter(found), 0
        for gap, length in zip(runs, runs, strict=True):
            start = end + gap
            end = start + length
            if start <= seq < end:
                return OneOutcome(proxy, Outcome(outcome), at)
    except _UNFIT as error:
        raise _undecodable("an outcome", error) from error
    return None


def _runs(seqs: Sequence[int]) -> list[int]:
    """Return alternately the distance of a run from the previous one's end, and its length."""
    first = seqs[0]
    if min(seqs) < 0:
        raise ValueError(f"there is no event {min(seqs)}")
    if seqs[-1] - first == len(seqs) - 1 and list(seqs) == list(range(first, first + len(seqs))):
        return [first, len(seqs)]
    runs: list[int] = []
    end = start = 0
    for seq in seqs:
        if seq != end or not runs:
            if runs:
                runs.append(end - start)
            runs.append(seq - end)
            start = seq
        end = seq + 1
    runs.append(end - start)
    return runs


def _seqs(runs: Sequence[int]) -> Sequence[int]:
    lengths = runs[1::2]
    if not runs or len(runs) % 2 or min(lengths) < 1 or sum(lengths) > MOST_SEQS:
        raise ValueError("its runs of numbers make no sense")
    found = []
    end = 0
    for gap, length in zip(runs[::2], lengths, strict=True):
        start = end + gap
        end = start + length
        if start < 0:
            raise ValueError(f"it names the event {start}")
        found.append(range(start, end))
    return tuple(chain.from_iterable(found))


def dead_payload(letter: StoredDeadLetter) -> bytes:
    """Encode a DEAD record's payload."""
    proxy, at, causes, expiry, priority, flags, arrival, plan, octets, number = letter
    try:
        why = _encode(causes)
        entry = (expiry, priority, flags, arrival, plan)
        head = _DEAD.pack(_FORMAT, number, proxy, at, *entry, len(why), len(octets))
    except _UNFIT as error:
        raise _unfit("a dead letter", error) from error
    return b"".join((head, why, octets))


def stored_dead(payload: bytes) -> StoredDeadLetter:
    """Decode a DEAD record."""
    try:
        form, number, proxy, at, *entry, why, length = _DEAD.unpack_from(payload)
        if form != _FORMAT:
            raise _unknown_format("a dead letter", payload)
        body = _DEAD.size + why
        if len(payload) - body != length:
            raise _wrong_length("a dead letter", len(payload) - body, length)
        causes = _causes_of(payload[_DEAD.size : body])
    except _UNFIT as error:
        raise _undecodable("a dead letter", error) from error
    return StoredDeadLetter._make((proxy, at, causes, *entry, payload[body:], number))


def dead_gone_payload(proxy: int, seq: int) -> bytes:
    """Encode a DEAD_GONE record's payload: a dead letter was redelivered or deleted."""
    return _packed("a removed dead letter", _GONE, proxy, seq)


def stored_dead_gone(payload: bytes) -> tuple[int, int]:
    """Decode the proxy and seq of a DEAD_GONE record."""
    proxy, seq = _unpacked("a removed dead letter", _GONE, payload)
    return proxy, seq


def checkpoint_payload(number: int, *, begins: bool) -> bytes:
    """Encode a CHECKPOINT record's payload: a complete copy begins or ends here."""
    return _packed("a checkpoint", _CHECKPOINT, begins, number)


def stored_checkpoint(payload: bytes) -> tuple[int, bool]:
    """Decode the number of a CHECKPOINT record, and whether the copy begins there."""
    begins, number = _unpacked("a checkpoint", _CHECKPOINT, payload)
    return number, begins


def dropped_payload(segment: int) -> bytes:
    """Encode a DROPPED record's payload, valid once no segment before this one exists."""
    return _packed("dropped events", _DROPPED, segment)


def stored_dropped(payload: bytes) -> int:
    """Decode the segment of a DROPPED record."""
    [segment] = _unpacked("dropped events", _DROPPED, payload)
    return int(segment)


def _packed(what: str, layout: struct.Struct, *values: int) -> bytes:
    try:
        return layout.pack(_FORMAT, *values)
    except struct.error as error:
        raise _unfit(what, error) from error


def _unpacked(what: str, layout: struct.Struct, payload: bytes) -> tuple[Any, ...]:
    try:
        form, *values = layout.unpack(payload)
    except struct.error as error:
        raise _undecodable(what, error) from error
    if form != _FORMAT:
        raise _unknown_format(what, payload)
    return tuple(values)


def topology_payload(channel: int, kind: str, key: str, state: Mapping[Any, Any] | None) -> bytes:
    """Encode a TOPOLOGY record's payload; a state of None means that the object is gone.

    A state has strings, numbers, booleans, None, and lists and dictionaries of them, whose keys are
    strings or integers; tuples are decoded as lists.
    """
    plain = None if state is None else dict(state)
    return _plain_payload(f"the {kind} {key!r}", (channel, kind, key, plain))


def stored_topology(payload: bytes) -> tuple[int, str, str, dict[Any, Any] | None]:
    """Decode channel, kind, key and state of a TOPOLOGY record."""
    return _plain("a topology", payload, _topology_of)


def state_payload(core: str, key: str, state: Mapping[Any, Any] | None) -> bytes:
    """Encode a STATE record's payload: core, key and state of an object, as in `Keep`."""
    plain = None if state is None else dict(state)
    return _plain_payload(f"the object {key!r} of {core}", (core, key, plain))


def stored_state(payload: bytes) -> tuple[str, str, dict[Any, Any] | None]:
    """Decode core, key and state of a STATE record."""
    return _plain("an object's state", payload, _state_of)


def plan_payload(plain: Mapping[Any, Any]) -> bytes:
    """Encode a PLAN record's payload: the plain data of a plan or of a change."""
    return _plain_payload("a plan", dict(plain))


def stored_plan(payload: bytes) -> dict[Any, Any]:
    """Decode the plain data of a PLAN record."""
    return _plain("a plan", payload, _plan_of)


def marks_payload(plain: list[Any]) -> bytes:
    """Encode a MARK record's payload: the plain data of producers' marks."""
    return _plain_payload("producer marks", plain)


def stored_marks(payload: bytes) -> list[Any]:
    """Decode the plain data of a MARK record."""
    return _plain("producer marks", payload, _marks_of)


def numbers_payload(used: int, skipped: int) -> bytes:
    """Encode a RESERVED record's payload: the highest number used, and how many were skipped."""
    return _plain_payload("numbers", (used, skipped))


def stored_numbers(payload: bytes) -> tuple[int, int] | None:
    """Decode a RESERVED record; None if an older version wrote it."""
    return _plain("numbers", payload, _numbers_of) if payload else None


def _plain_payload(what: str, plain: object) -> bytes:
    try:
        return bytes([_FORMAT]) + _encode(plain)
    except OverflowError as error:
        raise BadInput(f"{what} has a whole number of more than 64 bits") from error
    except _UNFIT as error:
        raise _unfit(what, error) from error


def _plain(what: str, payload: bytes, decode: Callable[[bytes], _Decoded]) -> _Decoded:
    if payload and payload[0] != _FORMAT:
        raise _unknown_format(what, payload)
    try:
        return decode(payload[1:])
    except _UNFIT as error:
        raise _undecodable(what, error) from error


def _unfit(what: str, error: Exception) -> BadInput:
    """Return the error for a value that cannot be encoded."""
    return BadInput(f"{what} does not fit a journal record: {error}")


def _undecodable(what: str, error: Exception) -> StoreError:
    """Return the error for a payload that cannot be decoded."""
    return StoreError(f"the payload of {what} in the journal cannot be read: {error}")


def _unknown_format(what: str, payload: bytes, newest: int = _FORMAT) -> StoreError:
    """Return the error for a payload of an unknown format."""
    known = str(newest) if newest == _FORMAT else f"{_FORMAT} to {newest}"
    return StoreError(
        f"the payload of {what} in the journal has format {payload[0]}; "
        f"this version of Tidings knows {known}"
    )


def _wrong_length(what: str, found: int, told: int) -> StoreError:
    """Return the error for a payload whose length differs from its head's."""
    return StoreError(
        f"the payload of {what} in the journal has {found} octets of content; "
        f"its head tells of {told}"
    )
