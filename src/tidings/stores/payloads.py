"""What the payloads of journal records hold: values in, octets out, and back; no files.

Every payload begins with the number of its format, so that it can grow. Numbers are big-endian,
times are microseconds since 1970. Events, dead letters and outcomes have heads of a fixed
layout; plain data (topology, plans, marks) is MessagePack.

What does not fit is refused with `BadInput` on the way in; what does not decode is refused with
`StoreError`, and nothing else, on the way out.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from tidings.channel.effects import Cause, Outcome
from tidings.errors import BadInput
from tidings.stores.event_payloads import (
    StoredEvent,
    event_octets_of,
    event_payload,
    stored_event,
)
from tidings.stores.refusals import FORMAT, UNFIT, undecodable, unfit, unknown_format, wrong_length

__all__ = [
    "MOST_SEQS",
    "StoredDeadLetter",
    "StoredEvent",
    "StoredOutcome",
    "checkpoint_payload",
    "dead_gone_payload",
    "dead_payload",
    "dropped_payload",
    "event_octets_of",
    "event_payload",
    "marks_payload",
    "numbers_payload",
    "outcome_payload",
    "plan_payload",
    "state_payload",
    "stored_checkpoint",
    "stored_dead",
    "stored_dead_gone",
    "stored_dropped",
    "stored_event",
    "stored_marks",
    "stored_numbers",
    "stored_outcome",
    "stored_plan",
    "stored_state",
    "stored_topology",
    "topology_payload",
]

# A few octets can stand for a long run: what decoding them takes must have a bound.
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


class StoredDeadLetter(NamedTuple):
    """An event that could not be delivered to a consumer; channel and seq are in the head.

    Attributes:
        proxy: Whose consumer.
        at: When it was given up.
        causes: Why, the oldest first.
        expiry: As the consumer saw it; NEVER for none.
        priority: Likewise.
        flags: Those of its entry.
        arrival: When the event was accepted.
        plan: Version of the rules it was judged by.
        octets: The event as typed JSON, undecoded.
        number: The letter's own, by which people know it; 0 if it was never listed.
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
    """What became of one consumer's copies of events; the channel is in the head.

    Attributes:
        proxy: Whose consumer.
        outcome: What became of them.
        seqs: Their numbers.
        at: When; None in records of a version that did not write it.
    """

    proxy: int
    outcome: Outcome
    seqs: Sequence[int]
    at: int | None


def outcome_payload(proxy: int, outcome: Outcome, seqs: Sequence[int], at: int) -> bytes:
    """The payload of an OUTCOME record, whose seq is the first of `seqs`.

    Runs of numbers that follow one another take a few octets, whatever their length.

    Raises:
        BadInput: There are no seqs, or more than `MOST_SEQS`, or a number does not fit.
    """
    if not 0 < len(seqs) <= MOST_SEQS:
        raise BadInput(f"an outcome of {len(seqs)} events; a record takes 1 to {MOST_SEQS}")
    try:
        return _OUTCOME.pack(_TIMED, outcome, proxy, at) + _encode(_runs(seqs))
    except UNFIT as error:
        raise unfit("an outcome", error) from error


def stored_outcome(payload: bytes) -> StoredOutcome:
    """What an OUTCOME record says.

    Raises:
        StoreError: It is no such payload.
    """
    try:
        at: int | None = None
        form, outcome, proxy = _OUTCOME_UNTIMED.unpack_from(payload)
        body = _OUTCOME_UNTIMED.size
        if form == _TIMED:
            *_, at = _OUTCOME.unpack_from(payload)
            body = _OUTCOME.size
        elif form != FORMAT:
            raise unknown_format("an outcome", payload, _TIMED)
        return StoredOutcome(proxy, Outcome(outcome), _seqs(_runs_of(payload[body:])), at)
    except UNFIT as error:
        raise undecodable("an outcome", error) from error


def _runs(seqs: Sequence[int]) -> list[int]:
    """By turns: how far behind the end of the last run one begins, and how long it is."""
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
    """The payload of a DEAD record.

    Raises:
        BadInput: A number or a text does not fit its field.
    """
    proxy, at, causes, expiry, priority, flags, arrival, plan, octets, number = letter
    try:
        why = _encode(causes)
        head = _DEAD.pack(
            FORMAT,
            number,
            proxy,
            at,
            expiry,
            priority,
            flags,
            arrival,
            plan,
            len(why),
            len(octets),
        )
    except UNFIT as error:
        raise unfit("a dead letter", error) from error
    return b"".join((head, why, octets))


def stored_dead(payload: bytes) -> StoredDeadLetter:
    """What a DEAD record says.

    Raises:
        StoreError: It is no such payload.
    """
    try:
        form, number, proxy, at, *entry, why, length = _DEAD.unpack_from(payload)
        if form != FORMAT:
            raise unknown_format("a dead letter", payload)
        body = _DEAD.size + why
        if len(payload) - body != length:
            raise wrong_length("a dead letter", len(payload) - body, length)
        causes = _causes_of(payload[_DEAD.size : body])
    except UNFIT as error:
        raise undecodable("a dead letter", error) from error
    return StoredDeadLetter._make((proxy, at, causes, *entry, payload[body:], number))


def dead_gone_payload(proxy: int, seq: int) -> bytes:
    """The payload of a DEAD_GONE record: a dead letter was delivered after all, or dropped."""
    try:
        return _GONE.pack(FORMAT, proxy, seq)
    except struct.error as error:
        raise unfit("a removed dead letter", error) from error


def stored_dead_gone(payload: bytes) -> tuple[int, int]:
    """Proxy and seq of a DEAD_GONE record.

    Raises:
        StoreError: It is no such payload.
    """
    try:
        form, proxy, seq = _GONE.unpack(payload)
    except struct.error as error:
        raise undecodable("a removed dead letter", error) from error
    if form != FORMAT:
        raise unknown_format("a removed dead letter", payload)
    return proxy, seq


def checkpoint_payload(number: int, *, begins: bool) -> bytes:
    """The payload of a CHECKPOINT record: a complete copy begins or ends here."""
    try:
        return _CHECKPOINT.pack(FORMAT, begins, number)
    except struct.error as error:
        raise unfit("a checkpoint", error) from error


def stored_checkpoint(payload: bytes) -> tuple[int, bool]:
    """The number of a CHECKPOINT record, and whether the copy begins there.

    Raises:
        StoreError: It is no such payload.
    """
    try:
        form, begins, number = _CHECKPOINT.unpack(payload)
    except struct.error as error:
        raise undecodable("a checkpoint", error) from error
    if form != FORMAT:
        raise unknown_format("a checkpoint", payload)
    return number, begins


def dropped_payload(segment: int) -> bytes:
    """The payload of a DROPPED record: it counts once no segment before this one is there."""
    try:
        return _DROPPED.pack(FORMAT, segment)
    except struct.error as error:
        raise unfit("dropped events", error) from error


def stored_dropped(payload: bytes) -> int:
    """The segment of a DROPPED record.

    Raises:
        StoreError: It is no such payload.
    """
    try:
        form, segment = _DROPPED.unpack(payload)
    except struct.error as error:
        raise undecodable("dropped events", error) from error
    if form != FORMAT:
        raise unknown_format("dropped events", payload)
    found: int = segment
    return found


def topology_payload(channel: int, kind: str, key: str, state: Mapping[Any, Any] | None) -> bytes:
    """The payload of a TOPOLOGY record, as `TopologyChanged` has it.

    Args:
        channel: Its channel; 0 for what belongs to the host.
        kind: Of which kind the object is.
        key: Which one of that kind.
        state: Texts, numbers, truth values, None, and lists and dictionaries of them, whose keys
            are texts or whole numbers; tuples come back as lists. None: the object is gone.

    Raises:
        BadInput: The state is something else, or a whole number has more than 64 bits.
    """
    plain = None if state is None else dict(state)
    return _plain_payload(f"the {kind} {key!r}", (channel, kind, key, plain))


def stored_topology(payload: bytes) -> tuple[int, str, str, dict[Any, Any] | None]:
    """Channel, kind, key and state of a TOPOLOGY record.

    Raises:
        StoreError: It is no such payload.
    """
    return _plain("a topology", payload, _topology_of)


def state_payload(core: str, key: str, state: Mapping[Any, Any] | None) -> bytes:
    """The payload of a STATE record: core, key and state of an object, as `Keep` has it.

    Raises:
        BadInput: As for `topology_payload`.
    """
    plain = None if state is None else dict(state)
    return _plain_payload(f"the object {key!r} of {core}", (core, key, plain))


def stored_state(payload: bytes) -> tuple[str, str, dict[Any, Any] | None]:
    """Core, key and state of a STATE record.

    Raises:
        StoreError: It is no such payload.
    """
    return _plain("an object's state", payload, _state_of)


def plan_payload(plain: Mapping[Any, Any]) -> bytes:
    """The payload of a PLAN record: the plain data of a plan or of a change.

    Raises:
        BadInput: As for `topology_payload`.
    """
    return _plain_payload("a plan", dict(plain))


def stored_plan(payload: bytes) -> dict[Any, Any]:
    """The plain data of a PLAN record.

    Raises:
        StoreError: It is no such payload.
    """
    return _plain("a plan", payload, _plan_of)


def marks_payload(plain: list[Any]) -> bytes:
    """The payload of a MARK record: the plain data of producers' marks.

    Raises:
        BadInput: As for `topology_payload`.
    """
    return _plain_payload("producer marks", plain)


def stored_marks(payload: bytes) -> list[Any]:
    """The plain data of a MARK record.

    Raises:
        StoreError: It is no such payload.
    """
    return _plain("producer marks", payload, _marks_of)


def numbers_payload(used: int, skipped: int) -> bytes:
    """The payload of a RESERVED record.

    Args:
        used: The highest number of an event so far.
        skipped: How many numbers up to that one no event has.
    """
    return _plain_payload("numbers", (used, skipped))


def stored_numbers(payload: bytes) -> tuple[int, int] | None:
    """What a RESERVED record says beside its seq; None if it is of an older version.

    Raises:
        StoreError: It is no such payload.
    """
    return _plain("numbers", payload, _numbers_of) if payload else None


def _plain_payload(what: str, plain: object) -> bytes:
    try:
        return bytes([FORMAT]) + _encode(plain)
    except OverflowError as error:
        raise BadInput(f"{what} has a whole number of more than 64 bits") from error
    except UNFIT as error:
        raise unfit(what, error) from error


def _plain(what: str, payload: bytes, decode: Callable[[bytes], _Decoded]) -> _Decoded:
    if payload and payload[0] != FORMAT:
        raise unknown_format(what, payload)
    try:
        return decode(payload[1:])
    except UNFIT as error:
        raise undecodable(what, error) from error
