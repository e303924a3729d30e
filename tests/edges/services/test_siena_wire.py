"""SIENA's records: whatever octets come, records or our error."""

from __future__ import annotations

import random

import msgspec
import pytest

from tests.edges.orb.mutations import TIMES, mutated
from tidings.filters.dialects.siena import AttributeTest, Operator
from tidings.services.siena.wire import (
    MOST_ATTRIBUTES,
    MOST_OCTETS,
    MOST_SERVERS,
    MOST_TESTS,
    MOST_TEXT,
    Advertise,
    Failed,
    Hello,
    Publish,
    Record,
    Refused,
    Role,
    Servers,
    Settle,
    Settled,
    SienaError,
    Splitter,
    Subscribe,
    Unadvertise,
    Unsubscribe,
    address,
    encode,
)

FILTER = (
    AttributeTest("FES_Subject", Operator.EQUAL, "Speed"),
    AttributeTest("rate", Operator.GREATER, 1.0),
    AttributeTest("x", Operator.ANY),
)
RECORDS: list[Record] = [
    *(Hello(Role.CLIENT), Hello(Role.PEER, "a"), Servers(("a", "ä"))),
    *(kind.of(FILTER) for kind in (Subscribe, Unsubscribe, Advertise, Unadvertise)),
    Publish({"s": "é漢", "i": -(2**63), "d": 1.5, "b": True}, 7),
    *(Refused(7, "no"), Settle(1, near=True), Settled(1, 2), Failed("because")),
]
OCTETS = b"".join(map(encode, RECORDS))


def framed(content: object) -> bytes:
    octets = msgspec.msgpack.encode(content)
    return len(octets).to_bytes(4) + octets


@pytest.mark.parametrize("size", [1, 2, 5, 64, len(OCTETS)])
def test_records_come_whole_however_octets_are_cut(size: int) -> None:
    splitter, found = Splitter(), []
    for at in range(0, len(OCTETS), size):
        found += splitter.feed(OCTETS[at : at + size])
    assert found == RECORDS
    assert [type(one) for one in found[7].attributes.values()] == [str, int, float, bool]  # type: ignore[union-attr]
    assert found[3].filter == FILTER  # type: ignore[union-attr]


def test_a_record_ends_where_its_length_says() -> None:
    whole = encode(RECORDS[7])
    for at in range(len(whole)):
        assert Splitter().feed(whole[:at]) == []
    shorter = (len(whole) - 5).to_bytes(4) + whole[4:-1]
    longer = (len(whole) - 3).to_bytes(4) + whole[4:] + b"\x00"
    for octets in (shorter, longer):
        with pytest.raises(SienaError, match="not a record"):
            Splitter().feed(octets)


def test_whatever_comes_is_a_record_or_our_error() -> None:
    dice = random.Random(7)
    refused = 0
    for _ in range(3_000 * TIMES):
        octets = mutated(encode(dice.choice(RECORDS)), dice)
        # The length as it should be, so that the content is read.
        if dice.random() < 0.8:
            octets = max(0, len(octets) - 4).to_bytes(4) + octets[4:]
        try:
            for one in Splitter().feed(octets):
                encode(one)
        except SienaError:
            refused += 1
    assert refused > 500


TESTS = [["a", "=", 1]]


@pytest.mark.parametrize(
    ("octets", "cause"),
    [
        (b"GET / HTTP/1.1\r\n", "at most 1,048,576 octets"),
        ((MOST_OCTETS + 1).to_bytes(4), "at most 1,048,576 octets"),
        (framed([99]), "not a record"),
        (framed({"a": 1}), "not a record"),
        (framed([6, {"a": None}]), "not a record"),
        (framed([6, {"a": b"octets"}]), "not a record"),
        (framed([6, {"a": [1]}]), "not a record"),
        (framed([6, {"a": 1}, 0, "more"]), "not a record"),
        (framed([6, {"rate-limit": 1}]), "no hyphen"),
        (framed([6, {"": 1}]), "a letter"),
        (framed([6, {"a" * 257: 1}]), "256 characters"),
        (framed([6, {"a": 2**63}]), "64 bits"),
        (framed([6, {"a": float("nan")}]), "finite"),
        (framed([6, {f"a{n}": 1 for n in range(MOST_ATTRIBUTES + 1)}]), "at most 256 attributes"),
        (framed([2, [["a", "~", 1]]]), "not a record"),
        (framed([2, [["a", "any", 1]]]), "without a value"),
        (framed([2, [["a", "=", None]]]), "without a value"),
        (framed([2, [["a", ">*", 1]]]), "takes a string"),
        (framed([2, [["a", "<", True]]]), "no order"),
        (framed([2, [["a", "=", "x" * (MOST_TEXT + 1)]]]), "at most 1,024 characters"),
        (framed([2, [["a", "=", n] for n in range(MOST_TESTS + 1)]]), "at most 64 tests"),
        (framed([0, "peer", ""]), "1 to 128 readable"),
        (framed([0, "client", "", 2]), "version 2"),
        (framed([1, ["a\n"]]), "1 to 128 readable"),
        (framed([1, [f"s{n}" for n in range(MOST_SERVERS + 1)]]), "at most 1,000 servers"),
    ],
)
def test_what_is_wrong_is_named(octets: bytes, cause: str) -> None:
    with pytest.raises(SienaError, match=cause):
        Splitter().feed(octets)


def test_what_is_too_large_is_not_sent() -> None:
    with pytest.raises(SienaError, match="at most 1,048,576 octets"):
        encode(Publish({"a": "x" * MOST_OCTETS}))


def test_addresses() -> None:
    assert address("senp://localhost:6000") == ("localhost", 6000)
    assert address("127.0.0.1:0") == ("127.0.0.1", 0)
    assert address("senp://[::1]:6000/") == ("::1", 6000)
    for wrong in ("", "localhost", "senp://:1", "http://a:b", "a:65536", "a:-1", "a:²"):
        with pytest.raises(SienaError, match="senp://host:port"):
            address(wrong)
