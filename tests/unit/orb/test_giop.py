"""Every message captured from omniORB is read to its last octet, and written again."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.unit.orb.captures import Capture, captures
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Reference, UnionValue
from tidings.orb import giop
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import ISO_8859_1, OURS, UTF_8, UTF_16, CodeSets
from tidings.orb.contexts import CODE_SETS, read_code_sets
from tidings.orb.ior import profile_of

LATIN_AND_WIDE = CodeSets(ISO_8859_1, UTF_16)

COLOR = tc.enum("IDL:T/Color:1.0", "Color", ["red", "green", "blue"])
U = tc.union(
    "IDL:T/U:1.0",
    "U",
    COLOR,
    [("red", "l", tc.LONG), ("green", "s", tc.STRING), (None, "d", tc.DOUBLE)],
)
S = tc.struct("IDL:T/S:1.0", "S", [("a", tc.SHORT), ("b", tc.DOUBLE), ("uu", U)])


def only(label: str, place: int) -> tuple[giop.Message, Capture]:
    capture = captures(label)[place]
    (message,) = capture.messages()
    return message, capture


def body(label: str, place: int) -> Reader:
    message, _ = only(label, place)
    assert isinstance(message, giop.Request | giop.Reply)
    return message.reader(LATIN_AND_WIDE)


def test_an_object_is_looked_for_before_its_first_call() -> None:
    asked, _ = only("att", 0)
    answered, _ = only("att", 1)
    key = bytes.fromhex("fe0950f96a000074300000000000")
    assert asked == giop.LocateRequest(2, True, 2, key, key)
    assert isinstance(answered, giop.LocateReply)
    assert (answered.request_id, answered.status) == (2, giop.LocateStatus.OBJECT_HERE)


def test_the_first_request_names_the_code_sets() -> None:
    request, _ = only("att", 2)
    assert isinstance(request, giop.Request)
    ((id, data),) = request.contexts
    assert id == CODE_SETS
    assert read_code_sets(data) == LATIN_AND_WIDE
    assert (request.operation, request.response_flags) == ("_get_att", 3)
    assert request.reader().left == 0


def test_attributes_are_got_and_set() -> None:
    got, given = body("att", 3), body("att", 4)
    assert (got.long(), got.left) == (7, 0)
    assert (given.long(), given.left) == (5, 0)
    assert body("att", 5).left == 0


def test_arguments_of_primitive_types() -> None:
    reader = body("prim", 0)
    found = (reader.octet(), reader.boolean(), reader.short(), reader.long(), reader.longlong())
    assert found == (1, True, -2, 3, -4)
    assert (reader.float(), reader.double()) == (1.5, 2.5)
    # The image of an 80-bit number of the processor, and garbage around it.
    assert reader.longdouble() == bytes.fromhex("000055fa3a984000d000000000000000")
    assert (reader.fixed(5, 2), reader.left) == (Decimal("123.45"), 0)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("any struct union", Any(S, (1, 2.0, UnionValue("green", "hi")))),
        ("any enum", Any(COLOR, "green")),
        ("any string", "abc"),
        ("any short", Any(tc.SHORT, 5)),
        ("any nil-tc", None),
    ],
)
def test_anys_are_what_was_put_into_them(label: str, value: object) -> None:
    reader = body(label, 0)
    assert reader.any() == value
    assert reader.left == 0


def test_wide_characters() -> None:
    reader = body("ws", 0)
    assert (reader.wstring(), reader.wchar(), reader.char()) == ("hé中", "x", "c")
    assert reader.left == 0
    assert body("ws", 1).wstring() == "hé中"


def test_a_oneway_wants_no_reply() -> None:
    request, _ = only("ow", 0)
    assert isinstance(request, giop.Request)
    assert request.response_flags == 0
    assert request.reader().long() == 9


def test_a_user_exception() -> None:
    reply, _ = only("fail", 1)
    assert isinstance(reply, giop.Reply)
    assert reply.status is giop.ReplyStatus.USER_EXCEPTION
    reader = reply.reader()
    assert (reader.latin(), reader.string(), reader.long()) == ("IDL:T/Oops:1.0", "bad", 42)
    assert reader.left == 0


def test_object_references() -> None:
    for place in (0, 1):
        reader = body("obj", place)
        reference = reader.reference()
        assert reader.left == 0
        assert reference.type_id == "IDL:T/I:1.0"
        profile = profile_of(reference)
        assert profile is not None
        assert profile.addresses == (("127.0.0.1", 0x320B),)
        assert profile.minor == 2
        sets = profile.code_sets
        assert sets is not None
        assert (sets.char, sets.char_conversions) == (ISO_8859_1, (UTF_8,))
        assert (sets.wchar, sets.wchar_conversions) == (UTF_16, (UTF_16,))
    for place in (2, 3):
        reader = body("obj", place)
        assert (reader.reference(), reader.left) == (Reference(), 0)


def test_a_pseudo_operation() -> None:
    request, _ = only("nonexist", 0)
    assert isinstance(request, giop.Request)
    assert request.operation == "_non_existent"
    assert body("nonexist", 1).boolean() is False


def read_event(reader: Reader) -> tuple[object, ...]:
    """A StructuredEvent: three names, two lists of properties, and the rest."""
    names = (reader.string(), reader.string(), reader.string())
    header = [(reader.string(), reader.any()) for _ in range(reader.length(8))]
    fields = [(reader.string(), reader.any()) for _ in range(reader.length(8))]
    return (*names, header, fields, reader.any())


def test_a_structured_event() -> None:
    reader = body("pse", 0)
    assert read_event(reader) == (
        "Telecom",
        "Alarm",
        "lost",
        [("Priority", Any(tc.SHORT, 4)), ("Timeout", Any(tc.ULONGLONG, 10**8))],
        [("count", 7)],
        "x",
    )
    assert reader.left == 0


@pytest.mark.parametrize("label", ["pse", "cc"])
def test_a_system_exception(label: str) -> None:
    reply, _ = only(label, 1)
    assert isinstance(reply, giop.Reply)
    assert reply.status is giop.ReplyStatus.SYSTEM_EXCEPTION
    reader = reply.reader()
    assert reader.latin() == "IDL:omg.org/CORBA/BAD_OPERATION:1.0"
    assert (reader.ulong(), reader.ulong(), reader.left) == (0x41540026, 1, 0)


def test_two_empty_sequences() -> None:
    reader = body("cc", 0)
    assert (reader.length(8), reader.length(8), reader.left) == (0, 0, 0)


def test_giop_1_0_as_a_plain_corbaloc_leads_to_it() -> None:
    request, _ = only("is_a", 0)
    assert isinstance(request, giop.Request)
    assert (request.minor, request.key, request.operation) == (0, b"NameService", "_is_a")
    assert request.reader().string() == "IDL:omg.org/CosNaming/NamingContext:1.0"
    assert body("is_a", 1).boolean() is True


# ---------------------------------------------------------------- written again


def rewritten(message: giop.Message) -> bytes:
    """A message written by us, with the body as it came."""
    minor, little = message.minor, message.little
    wire = giop.Wire(minor, little, LATIN_AND_WIDE)
    if isinstance(message, giop.LocateRequest):
        return giop.encode_locate_request(wire, message.request_id, message.target)
    assert isinstance(message, giop.Request | giop.Reply | giop.LocateReply)
    octets = message.octets[message.at :]

    def write(writer: Writer) -> None:
        writer.raw(octets)

    if isinstance(message, giop.LocateReply):
        return giop.encode_locate_reply(wire, message.request_id, message.status, write)
    contexts = message.contexts
    if isinstance(message, giop.Reply):
        return giop.encode_reply(
            wire, message.request_id, message.status, contexts=contexts, write_body=write
        )
    return giop.encode_request(
        wire,
        message.request_id,
        message.target,
        message.operation,
        response_flags=message.response_flags,
        contexts=contexts,
        write_body=write,
    )


def same_but_for_padding(ours: bytes, theirs: bytes) -> bool:
    """Octets of padding hold garbage with others, and zeros with us."""
    return len(ours) == len(theirs) and all(
        one in (two, 0) for one, two in zip(ours, theirs, strict=True)
    )


@pytest.mark.parametrize("capture", captures(), ids=lambda capture: capture.label)
def test_messages_are_written_as_they_came(capture: Capture) -> None:
    written = b"".join(map(rewritten, capture.messages()))
    assert same_but_for_padding(written, capture.octets)


@pytest.mark.parametrize(
    "label", ["any struct union", "any enum", "any string", "any short", "any nil-tc"]
)
def test_anys_are_written_as_they_came(label: str) -> None:
    message, capture = only(label, 0)
    assert isinstance(message, giop.Request)
    value = message.reader(LATIN_AND_WIDE).any()
    writer = Writer(codesets=LATIN_AND_WIDE)
    writer.any(value)
    assert same_but_for_padding(writer.getvalue(), capture.octets[message.at :])


def test_primitive_arguments_are_written_as_they_came() -> None:
    message, capture = only("prim", 0)
    assert isinstance(message, giop.Request)
    writer = Writer()
    writer.octet(1)
    writer.boolean(True)
    writer.short(-2)
    writer.long(3)
    writer.longlong(-4)
    writer.float(1.5)
    writer.double(2.5)
    writer.longdouble(bytes.fromhex("000055fa3a984000d000000000000000"))
    writer.fixed(Decimal("123.45"), 5, 2)
    assert same_but_for_padding(writer.getvalue(), capture.octets[message.at :])


def test_two_messages_back_to_back_are_two() -> None:
    first, second = captures("att")[2:4]
    both = Capture("both", first.octets + second.octets)
    assert both.messages() == first.messages() + second.messages()


def test_a_wide_text_is_written_big_endian_and_without_a_mark() -> None:
    writer = Writer(codesets=OURS)
    writer.wstring("hé中")
    assert writer.getvalue().hex() == "06000000" + "006800e94e2d"
