"""Encoding of journal records; no files.

A record is a head of 42 octets, big-endian, and the payload::

    magic     4   F1 54 4A 0A; not UTF-8, so text never holds it
    head CRC  4   CRC-32 over the rest of the head, begun with the segment's seed
    version   1
    kind      1
    length    4   of the payload
    body CRC  4   CRC-32 of the payload
    seq       8
    channel  16

The head has its own CRC, so that the length is reliable when the payload is damaged: the payload is
then skipped and never searched. Only a damaged head causes a search, at one short CRC per false
magic, so scanning takes linear time on any input. Publishers do not know the seed, so record octets
inside an event's payload cannot pass for a record when the event's own head is damaged.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple
from zlib import crc32

from tidings.errors import BadInput, LimitExceeded

MAGIC = b"\xf1TJ\n"
VERSION = 1

# An event may have 10 MB (server limit); the rest is for its recipients. It also bounds the
# memory for checking one record.
MAX_PAYLOAD = 16 * 1024 * 1024

_HEAD = struct.Struct(">4sIBBIIQ16s")
_CHECKED = struct.Struct(">BBIIQ16s")  # what the head CRC covers
_CRC = struct.Struct(">I")
_CHECKED_AT = _HEAD.size - _CHECKED.size
HEAD_OCTETS = _HEAD.size


class Kind(IntEnum):
    """The kind of a record. Readers skip kinds they do not know.

    `payloads.py` defines the payloads. RESERVED: numbers up to its seq may be in use. DROPPED:
    events up to its seq went with old segments. LINK and LOST belong to the chain of segments
    (`chain.py`). CHECKPOINT records enclose a complete copy of topology, states, plans and producer
    marks. STATE: an object of a core beside the channels.
    """

    HEADER = 0
    EVENT = 1
    OUTCOME = 2
    PLAN = 3
    TOPOLOGY = 4
    MARK = 5
    DEAD = 6
    DEAD_GONE = 7
    RESERVED = 8
    CHECKPOINT = 9
    DROPPED = 10
    LINK = 11
    LOST = 12
    STATE = 13


class Record(NamedTuple):
    """One entry of the journal.

    Attributes:
        kind: One of `Kind`, or another number up to 255.
        channel: The channel's id, 16 octets.
        seq: The number within the channel, unsigned, 64 bits.
        payload: At most `MAX_PAYLOAD` octets.
    """

    kind: int
    channel: bytes
    seq: int
    payload: bytes

    @property
    def octets(self) -> int:
        """Return the record's size in a file."""
        return HEAD_OCTETS + len(self.payload)


class LostRecord(NamedTuple):
    """The readable head of a record whose payload is damaged; as in `Record`."""

    kind: int
    channel: bytes
    seq: int


class Damage(NamedTuple):
    """A part without a valid record; `torn` if the input's end cuts a record off."""

    offset: int
    length: int
    torn: bool


def encode(record: Record, seed: int = 0) -> bytes:
    """Encode a record; `seed` is the initial value of the head CRC."""
    kind, channel, seq, payload = record
    length = len(payload)
    if length > MAX_PAYLOAD:
        raise LimitExceeded(f"a journal record of {length} octets; at most {MAX_PAYLOAD} are taken")
    if len(channel) != 16:
        raise BadInput(f"a channel id of {len(channel)} octets; it has 16")
    try:
        checked = _CHECKED.pack(VERSION, kind, length, crc32(payload), seq, channel)
    except struct.error as error:
        raise BadInput(f"kind {kind} or seq {seq} does not fit a journal record") from error
    return b"".join((MAGIC, _CRC.pack(crc32(checked, seed)), checked, payload))


def record_octets(octets: bytes) -> int:
    """Return the length of the record at these octets, or of a head if they are too short."""
    if len(octets) < HEAD_OCTETS:
        return HEAD_OCTETS
    length: int = _HEAD.unpack_from(octets)[4]
    return HEAD_OCTETS + min(length, MAX_PAYLOAD)


def first_record(octets: bytes, seed: int = 0) -> Record | None:
    """Decode the record at the first octet; None if it is incomplete or damaged."""
    if len(octets) < HEAD_OCTETS:
        return None
    magic, check, version, kind, length, body, seq, channel = _HEAD.unpack_from(octets)
    if magic != MAGIC or crc32(octets[_CHECKED_AT:HEAD_OCTETS], seed) != check:
        return None
    payload = octets[HEAD_OCTETS : HEAD_OCTETS + length]
    if version != VERSION or len(payload) != length or crc32(payload) != body:
        return None
    return Record(kind, channel, seq, payload)


def lost_records(octets: bytes, seed: int = 0) -> tuple[list[LostRecord], bool]:
    """Return the readable heads in a damaged part, and whether they are all it held."""
    found: list[LostRecord] = []
    at, all_known = 0, True
    while at < len(octets):
        head = octets[at : at + HEAD_OCTETS]
        if len(head) == HEAD_OCTETS:
            magic, check, _, kind, length, _, seq, channel = _HEAD.unpack(head)
            if magic == MAGIC and crc32(head[_CHECKED_AT:], seed) == check:
                found.append(LostRecord(kind, channel, seq))
                at += HEAD_OCTETS + length
                continue
        all_known = False
        following = octets.find(MAGIC, at + 1)
        at = following if following >= 0 else len(octets)
    return found, all_known


def scan(octets: bytes, seed: int = 0, offset: int = 0) -> Iterator[Record | Damage]:
    """Yield all records and the damage between them, from position `offset`; never raises."""
    scanner = Scanner(seed, offset)
    for _, found in scanner.feed(octets):
        yield found
    for _, found in scanner.finish():
        yield found


class Scanner:
    """A finder of records in pieces of octets; it buffers at most one record and one piece.

    Adjacent damage is reported as one. Payloads are copied once, so that a small one that is kept
    does not keep its whole piece in memory.
    """

    def __init__(self, seed: int = 0, offset: int = 0) -> None:
        self._seed = seed
        self._offset = offset  # of the first octet in the pieces
        self._pieces: list[bytes] = []
        self._have = 0
        self._need = HEAD_OCTETS  # less cannot be decoded
        self._damaged_from: int | None = None

    def feed(self, octets: bytes) -> Iterator[tuple[int, Record | Damage]]:
        """Add the next piece; yield findings with their positions. Exhaust the iterator."""
        self._pieces.append(octets)
        self._have += len(octets)
        if self._have < self._need:
            return
        buffer = b"".join(self._pieces)
        view = memoryview(buffer)
        at = 0
        self._need = HEAD_OCTETS
        while len(buffer) - at >= HEAD_OCTETS:
            magic, check, version, kind, length, body, seq, channel = _HEAD.unpack_from(buffer, at)
            start = at + HEAD_OCTETS
            if (
                magic != MAGIC
                or crc32(view[at + _CHECKED_AT : start], self._seed) != check
                or length > MAX_PAYLOAD
            ):
                self._begin_damage(at)
                at = _next_magic(buffer, at + 1)
                continue
            end = start + length
            if end > len(buffer):
                self._need = end - at
                break
            if version == VERSION and crc32(view[start:end]) == body:
                if self._damaged_from is not None:
                    yield from self._end_damage(at)
                yield self._offset + at, Record(kind, channel, seq, buffer[start:end])
            else:
                self._begin_damage(at)
            at = end
        self._keep(buffer, at)

    def finish(self) -> Iterator[tuple[int, Damage]]:
        """Report what is left at the end of input."""
        rest = b"".join(self._pieces)
        if len(rest) < HEAD_OCTETS and (
            self._damaged_from is not None or not rest.startswith(MAGIC[: len(rest)])
        ):
            if rest:
                self._begin_damage(0)
            yield from self._end_damage(len(rest))
        else:
            yield from self._end_damage(0)
            if rest:
                yield self._offset, Damage(self._offset, len(rest), torn=True)
        self._keep(rest, len(rest))

    def _begin_damage(self, at: int) -> None:
        if self._damaged_from is None:
            self._damaged_from = self._offset + at

    def _end_damage(self, at: int) -> Iterator[tuple[int, Damage]]:
        if self._damaged_from is not None:
            start, self._damaged_from = self._damaged_from, None
            yield start, Damage(start, self._offset + at - start, torn=False)

    def _keep(self, buffer: bytes, at: int) -> None:
        self._pieces = [buffer[at:]]
        self._have = len(buffer) - at
        self._offset += at


def _next_magic(buffer: bytes, at: int) -> int:
    """Return where a record may begin, from `at` on, including a magic cut off at the end."""
    found = buffer.find(MAGIC, at)
    return found if found >= 0 else max(at, len(buffer) - len(MAGIC) + 1)
