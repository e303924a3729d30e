from __future__ import annotations

import struct
from itertools import pairwise
from random import Random
from time import process_time
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stores.sample_journal import CHANNEL, only_records, sample_records
from tidings.errors import BadInput, LimitExceeded
from tidings.stores.records import (
    HEAD_OCTETS,
    MAGIC,
    MAX_PAYLOAD,
    Damage,
    Kind,
    Record,
    Scanner,
    encode,
    first_record,
    scan,
)

RECORDS = st.builds(
    Record,
    kind=st.integers(0, 255),
    channel=st.binary(min_size=16, max_size=16),
    seq=st.integers(0, 2**64 - 1),
    payload=st.binary(max_size=200),
)
# One table for both directions; the octets are the format, written down. The CRCs are those of
# a plain bit-by-bit CRC-32 (polynomial EDB88320), not of this encoder.
TABLE = [
    (
        Record(Kind.EVENT, CHANNEL, 1, b"hello"),
        "f1544a0a 90ac5bfd 0101 00000005 3610a686" + f"{1:016x} {CHANNEL.hex()} 68656c6c6f",
    ),
    (
        Record(255, b"\xff" * 16, 2**64 - 1, b""),
        "f1544a0a eed890f6 01ff 00000000 00000000" + "f" * 48,
    ),
]


@pytest.mark.parametrize(("record", "octets"), TABLE)
def test_the_format_is_as_written_down(record: Record, octets: str) -> None:
    assert encode(record).hex() == octets.replace(" ", "")
    assert list(scan(bytes.fromhex(octets))) == [record]


@given(st.lists(RECORDS, max_size=5), st.integers(0, 2**32 - 1), st.integers(1, 99))
def test_what_is_written_is_read(records: list[Record], seed: int, piece: int) -> None:
    octets = b"".join(encode(record, seed) for record in records)
    assert list(scan(octets, seed)) == records
    assert in_pieces(octets, seed, piece) == records


def in_pieces(octets: bytes, seed: int, piece: int) -> list[Record | Damage]:
    scanner = Scanner(seed)
    found = []
    for at in range(0, len(octets), piece):
        found += [item for _, item in scanner.feed(octets[at : at + piece])]
    return found + [item for _, item in scanner.finish()]


@given(st.lists(st.one_of(RECORDS.map(encode), st.binary(), st.just(MAGIC))), st.integers(1, 99))
def test_any_octets_are_taken_and_accounted_for(parts: list[bytes], piece: int) -> None:
    octets = b"".join(parts)
    found = list(scan(octets))
    assert in_pieces(octets, 0, piece) == found
    at = 0
    for item in found:
        if isinstance(item, Damage):
            assert item.offset == at
            assert item.length > 0
            at += item.length
        else:
            assert octets[at:].startswith(encode(item))
            at += item.octets
    assert at == len(octets)
    for one, two in pairwise(found):
        assert isinstance(one, Record) or isinstance(two, Record) or two.torn


def test_every_prefix_gives_the_complete_records_and_a_torn_tail() -> None:
    records = sample_records(12)
    octets = b"".join(encode(record) for record in records)
    ends = [0]
    for record in records:
        ends.append(ends[-1] + record.octets)
    for cut in range(len(octets) + 1):
        whole = sum(end <= cut for end in ends) - 1
        torn = [Damage(ends[whole], cut - ends[whole], torn=True)] if cut > ends[whole] else []
        assert list(scan(octets[:cut])) == [*records[:whole], *torn]


@pytest.mark.parametrize("junk", [b"x", b"junk" * 30, bytes(4096), MAGIC * 20, b"\xf1TX"])
def test_junk_behind_is_damage(junk: bytes) -> None:
    records = sample_records(5)
    octets = b"".join(encode(record) for record in records)
    assert list(scan(octets + junk)) == [*records, Damage(len(octets), len(junk), torn=False)]
    assert only_records(list(scan(octets + junk + octets))) == records * 2


def test_every_flipped_bit_costs_the_record_it_is_in_and_no_other() -> None:
    records = sample_records(4, largest=20)
    parts = [encode(record) for record in records]
    octets = b"".join(parts)
    starts = [sum(map(len, parts[:n])) for n in range(len(parts))]
    for bit in range(len(octets) * 8):
        spoilt = bytearray(octets)
        spoilt[bit // 8] ^= 1 << bit % 8
        hit = max(n for n, start in enumerate(starts) if start <= bit // 8)
        damage = Damage(starts[hit], len(parts[hit]), torn=False)
        expected = [*records[:hit], damage, *records[hit + 1 :]]
        assert list(scan(bytes(spoilt))) == expected, bit


def test_a_record_inside_a_damaged_payload_is_not_invented() -> None:
    inner = Record(1, CHANNEL, 7, b"inner")
    outer = bytearray(encode(Record(1, CHANNEL, 8, encode(inner))))
    outer[-1] ^= 1
    assert list(scan(bytes(outer))) == [Damage(0, len(outer), torn=False)]


def test_without_the_seed_a_record_cannot_be_forged() -> None:
    forged = encode(Record(1, CHANNEL, 7, b"inner"))
    outer = bytearray(encode(Record(1, CHANNEL, 8, forged), seed=12345))
    outer[10] ^= 1
    assert list(scan(bytes(outer), seed=12345)) == [Damage(0, len(outer), torn=False)]


def test_damage_is_reported_at_its_place() -> None:
    record = Record(1, CHANNEL, 1, b"a")
    found = list(scan(b"????" + encode(record) + MAGIC[:2], offset=100))
    assert found == [
        Damage(100, 4, torn=False),
        record,
        Damage(104 + record.octets, 2, torn=True),
    ]


def hostile_inputs(size: int) -> dict[str, bytes]:
    head = bytearray(encode(Record(1, CHANNEL, 1, b"")))
    struct.pack_into(">I", head, 10, MAX_PAYLOAD)  # a false length; the CRC is wrong
    fields = bytes(head[8:])
    long = MAGIC + struct.pack(">I", crc32(fields)) + fields
    return {
        "magics": MAGIC * (size // 4),
        "false heads": bytes(head) * (size // HEAD_OCTETS),
        "valid heads of long records": long * (size // HEAD_OCTETS),
        "bad bodies": bytes(encode(Record(1, CHANNEL, 1, b"x"))[:-1] + b"y") * (size // 43),
    }


@pytest.mark.parametrize("name", hostile_inputs(0))
def test_hostile_input_takes_linear_time(name: str) -> None:
    small, large = (hostile_inputs(size)[name] for size in (200_000, 1_600_000))
    times = []
    for octets in (small, large):
        rounds = []
        for _ in range(3):
            start = process_time()
            assert only_records(list(scan(octets))) == []
            rounds.append(process_time() - start)
        times.append(min(rounds))
    assert times[1] < 3 * 8 * times[0] + 0.02  # eight times the octets; squared would be 64


def test_random_octets_hold_nothing() -> None:
    octets = Random(3).randbytes(1_000_000)
    assert list(scan(octets)) == [Damage(0, len(octets), torn=False)]


def test_the_longest_payload_is_taken_and_no_longer() -> None:
    record = Record(1, CHANNEL, 1, bytes(MAX_PAYLOAD))
    assert list(scan(encode(record))) == [record]
    with pytest.raises(LimitExceeded, match="16777217"):
        encode(record._replace(payload=bytes(MAX_PAYLOAD + 1)))


@pytest.mark.parametrize(
    "record",
    [
        Record(256, CHANNEL, 1, b""),
        Record(-1, CHANNEL, 1, b""),
        Record(1, CHANNEL, 2**64, b""),
        Record(1, b"short", 1, b""),
    ],
)
def test_what_does_not_fit_is_refused(record: Record) -> None:
    with pytest.raises(BadInput):
        encode(record)


@given(RECORDS, st.binary(max_size=20))
def test_the_first_record_is_the_one_scanning_finds(record: Record, behind: bytes) -> None:
    assert first_record(encode(record, 7) + behind, 7) == record
    assert first_record(encode(record, 7), 8) is None


@given(RECORDS, st.data())
def test_a_damaged_or_torn_first_record_is_none(record: Record, data: st.DataObject) -> None:
    octets = encode(record)
    assert first_record(octets[: data.draw(st.integers(0, len(octets) - 1))]) is None
    flipped = bytearray(octets)
    bit = data.draw(st.integers(0, len(octets) * 8 - 1))
    flipped[bit // 8] ^= 1 << bit % 8
    assert first_record(bytes(flipped)) is None
