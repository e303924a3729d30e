"""Whatever octets come: an answer or an exception of ours, in bounded time and memory."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from collections.abc import Callable
from time import thread_time

import pytest

from tests.edges.orb.captures import captures
from tests.edges.orb.mutations import TIMES, mutated
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue
from tidings.orb import giop
from tidings.orb.cdr_reader import Reader, read_value
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OURS
from tidings.orb.connection import read_code_sets, read_listen_points
from tidings.orb.exceptions import FramingError, SystemException
from tidings.orb.framing import Framer
from tidings.orb.ior import describe, from_ior, make_reference, to_ior

_KIDS = tc.sequence(tc.recursive("IDL:Node:1.0"))
NODE = tc.struct("IDL:Node:1.0", "Node", [("v", tc.LONG), ("kids", _KIDS)])
WORD = tc.struct("", "", [("s", tc.SHORT), ("w", tc.wstring(9))])
KIND = tc.enum("IDL:Kind:1.0", "Kind", ["a", "b"])
CHOICE = tc.union("IDL:U:1.0", "U", KIND, [("a", "x", NODE), (None, "y", tc.ANY)])
VALUES: list[object] = [
    *(Any(NODE, (1, [(2, []), (3, [(4, [])])])), Any(CHOICE, UnionValue("b", (1, "x", 2.5)))),
    Any(tc.array(WORD, 2), [(1, "ä"), (2, "b")]),
    (1, "x", Any(tc.TYPECODE, CHOICE), {"a": 1, "b": ((1,), "y")}),
    Any(tc.alias("IDL:M:1.0", "M", tc.fixed(5, 2)), 3),
    make_reference("IDL:T/I:1.0", "host", 2809, b"key", alternates=[("b", 3)]),
    *(Any(tc.sequence(tc.struct("IDL:E:1.0", "E", [])), [(), ()]), Any(tc.LONGDOUBLE, 2.5)),
]


def any_octets(value: object, *, little: bool = True, minor: int = 2) -> bytes:
    writer = Writer(little=little, minor=minor, codesets=OURS)
    writer.any(value)
    return writer.getvalue()


def reader_of(octets: bytes, *, little: bool = True, minor: int = 2) -> Reader:
    return Reader(octets, little=little, minor=minor, codesets=OURS)


def refused(read: Callable[..., object], *arguments: object) -> bool:
    """Whether reading ends with an exception of ours; any other would go through."""
    try:
        read(*arguments)
    except (SystemException, FramingError):
        return True
    return False


def read_message(octets: bytes) -> None:
    """Everything that can be read of a message is."""
    for message in Framer().feed(octets):
        if not isinstance(message, giop.Request | giop.Reply | giop.LocateReply):
            continue
        for read in (Reader.any, Reader.reference, Reader.typecode, Reader.string, Reader.wstring):
            refused(read, message.reader(OURS))
        for _, data in getattr(message, "contexts", ()):
            refused(read_code_sets, data)
            refused(read_listen_points, data)


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("little", [True, False])
def test_an_any_cut_at_any_octet_is_refused(value: object, little: bool) -> None:
    octets = any_octets(value, little=little)
    for end in range(len(octets)):
        assert refused(reader_of(octets[:end], little=little).any)


@pytest.mark.parametrize("capture", captures(), ids=lambda capture: capture.label)
def test_a_message_cut_at_any_octet_waits_or_is_refused(capture: tuple[str, bytes]) -> None:
    octets = capture[1]
    for end in range(len(octets)):
        framer = Framer()
        assert list(framer.feed(octets[:end])) == []
        short = bytearray(octets[:end])
        if end >= 12:  # the same, with a header that tells of no more
            short[8:12] = (end - 12).to_bytes(4, "little")
            refused(read_message, bytes(short))


def ulongs(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)


def struct_with(member: bytes) -> bytes:
    """The TypeCode of a struct with one member, whose TypeCode is given; at octet 48."""
    head = b"\1\0\0\0" + ulongs(11) + b"IDL:S1:1.0\0\0" + ulongs(2) + b"S\0\0\0"
    inner = head + ulongs(1, 2) + b"m\0\0\0" + member
    return ulongs(15, len(inner)) + inner


MEMBER = 48  # where the member's TypeCode stands


def back(offset: int) -> bytes:
    """An indirection."""
    return ulongs(0xFFFFFFFF) + offset.to_bytes(4, "little", signed=True)


@pytest.mark.parametrize(
    "offset",
    [
        *(0, 4, 8, 2**31 - 1, -(2**31), -1, -2, -3, -4),  # forwards, far away, to itself
        *(-8, -12, -16, -MEMBER + 4, -MEMBER, -MEMBER - 8),  # into the middle, and before
    ],
)
def test_an_indirection_to_anything_but_an_earlier_type_is_refused(offset: int) -> None:
    octets = struct_with(back(offset))
    assert refused(reader_of(octets).typecode)
    assert refused(reader_of(ulongs(7, 7, 7, 7) + octets).typecode) is False  # it is a double


def test_an_indirection_to_the_outer_struct_is_recursion_without_end() -> None:
    octets = struct_with(ulongs(3))  # the handmade struct is one
    assert len(octets) == MEMBER + 4
    assert reader_of(octets).typecode().members[0].type == tc.LONG
    octets = struct_with(back(-MEMBER - 4))
    type_ = reader_of(octets).typecode()
    assert type_.members[0].type == tc.recursive("IDL:S1:1.0")
    assert refused(read_value, reader_of(bytes(100_000)), type_)
    assert refused(reader_of(octets + bytes(100_000)).any)


def test_an_indirection_at_the_top_is_refused() -> None:
    assert refused(reader_of(back(0)).typecode)
    second = reader_of(ulongs(3) + back(-8))
    assert second.typecode() == tc.LONG
    assert refused(second.typecode)


def nested_sequences(depth: int) -> bytes:
    octets = ulongs(3)
    for _ in range(depth):
        inner = b"\1\0\0\0" + octets + ulongs(0)
        octets = ulongs(19, len(inner)) + inner
    return octets


def test_types_nest_as_deep_as_the_limit_and_no_deeper() -> None:
    assert reader_of(nested_sequences(63)).typecode().depth == 64
    for depth in (64, 10_000):
        assert refused(reader_of(nested_sequences(depth)).typecode)


def test_anys_inside_anys_end_at_the_limit() -> None:
    assert refused(reader_of(ulongs(11) * 40 + ulongs(3, 7)).any) is False
    for depth in (70, 1_000, 500_000):
        assert refused(reader_of(ulongs(11) * depth + ulongs(3, 7)).any)


def doubling(levels: int) -> bytes:
    """A struct of two structs of two structs …: each second one is an indirection."""
    octets = ulongs(15, 24) + b"\1\0\0\0" + ulongs(1, 0, 1, 0, 0)
    for _ in range(levels):
        head = b"\1\0\0\0" + ulongs(1, 0, 1, 0, 2, 1, 0)
        inner = head + octets + ulongs(1, 0) + back(-(len(octets) + 4 + 4 + 4))
        octets = ulongs(15, len(inner)) + inner
    return octets


def test_a_repeated_type_is_the_same_type_again() -> None:
    first, second = reader_of(doubling(2)).typecode().members
    assert first.type == second.type
    assert first.type.members[1].type == tc.struct("", "", [])
    assert reader_of(doubling(2)).any() == Any(reader_of(doubling(2)).typecode(), ((((), ()),) * 2))


@pytest.mark.parametrize("levels", [14, 20, 60])
def test_repeated_types_do_not_grow_without_bound(levels: int) -> None:
    started = thread_time()
    assert refused(reader_of(doubling(levels)).any)
    assert thread_time() - started < 5


@pytest.mark.parametrize(
    "type_",
    [
        *(tc.sequence(tc.NULL), tc.array(tc.NULL, 2**32 - 1)),
        tc.array(tc.array(tc.struct("", "E", []), 2**32 - 1), 2**32 - 1),
        tc.sequence(tc.struct("", "P", [("o", tc.OCTET), ("n", tc.array(tc.NULL, 9_999))])),
        *(tc.array(tc.LONG, 2**32 - 1), tc.sequence(tc.array(tc.DOUBLE, 2**20))),
        *(tc.sequence(tc.LONG), tc.sequence(tc.ANY), tc.string(), tc.wstring(), tc.OCTETS),
    ],
    ids=repr,
)
def test_counts_far_too_large_cost_nothing(type_: tc.TypeCode) -> None:
    octets = b"\xff\xff\xff\x7f" * 64
    tracemalloc.start()
    started = thread_time()
    assert refused(read_value, reader_of(octets), type_)
    elapsed = thread_time() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert elapsed < 5
    assert peak < 2_000_000


def test_many_small_anys_of_empty_types_end_at_the_limit() -> None:
    one = any_octets(Any(tc.array(tc.NULL, 1000), [None] * 1000))
    octets = ulongs(200) + one * 200
    assert refused(read_value, reader_of(octets), tc.sequence(tc.ANY))


@pytest.mark.parametrize("size", [0, 1, 3, 2**31, 2**32 - 1])
def test_an_encapsulation_that_ends_early_or_late_is_refused(size: int) -> None:
    for kind in (14, 15, 16, 17, 19, 20, 21, 22):
        octets = ulongs(kind, size) + b"\1\0\0\0" + ulongs(1, 0, 1, 0, 3, 1, 1, 1)
        assert refused(reader_of(octets).typecode)


@pytest.mark.parametrize("kind", [13, *range(29, 40), 2**31, 2**32 - 2])
def test_kinds_that_are_not_supported_are_refused(kind: int) -> None:
    assert refused(reader_of(ulongs(kind, 40) + bytes(40)).typecode)


def outcomes(read: Callable[[bytes], object], seeds: list[bytes], times: int) -> list[bool]:
    """Whether each of many octets with faults in them is refused."""
    dice = random.Random(7)
    return [refused(read, mutated(dice.choice(seeds), dice)) for _ in range(times * TIMES)]


def test_mutated_anys_are_read_or_refused() -> None:
    seeds = [any_octets(value, minor=minor) for minor in (2, 1) for value in VALUES]
    seeds += [struct_with(back(-52)) + bytes(64), doubling(3) + bytes(64)]
    turns = itertools.count()

    def read(octets: bytes) -> None:
        turn = next(turns)
        reader_of(octets, little=turn % 8 != 0, minor=turn % 3).any()

    found = outcomes(read, seeds, 24_000)
    assert 500 < sum(found) < len(found) - 500


def test_mutated_messages_are_read_or_refused() -> None:
    turns = itertools.count()

    def read(octets: bytes) -> None:
        if next(turns) % 4:  # a right header, so that the rest is read
            octets = octets[:8] + max(0, len(octets) - 12).to_bytes(4, "little") + octets[12:]
        read_message(octets)

    found = outcomes(read, [capture.octets for capture in captures()], 12_000)
    assert 500 < sum(found) < len(found) - 500


def test_mutated_references_are_read_or_refused() -> None:
    reference = make_reference("IDL:T/I:1.0", "h", 1, b"k", alternates=[("::1", 2)])
    seed = bytes.fromhex(to_ior(reference)[4:])
    found = outcomes(lambda octets: describe(from_ior("IOR:" + octets.hex())), [seed], 4_000)
    assert 200 < sum(found) < len(found) - 200
