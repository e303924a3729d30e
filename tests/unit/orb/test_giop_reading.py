from __future__ import annotations

import pytest

from tidings.events.reference import Reference
from tidings.orb import giop
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import FramingError
from tidings.orb.giop_reading import decode_message
from tidings.orb.ior import make_reference
from tidings.orb.limits import Limits


def message(type_: int, body: bytes, minor: int = 2) -> bytes:
    return b"GIOP" + bytes((1, minor, 1, type_)) + len(body).to_bytes(4, "little") + body


def test_an_empty_body_needs_no_padding_and_may_have_it() -> None:
    bare = giop.encode_request(giop.Wire(), 2, b"key", "get")
    padded = message(0, bare[12:] + bytes(-len(bare) % 8))
    assert len(bare) % 8
    for octets in (bare, padded):
        request = decode_message(octets)
        assert isinstance(request, giop.Request)
        assert request.reader().left == 0


@pytest.mark.parametrize(("flag", "flags"), [(0, 0), (1, 3), (7, 3)])
@pytest.mark.parametrize("minor", [0, 1])
def test_old_versions_only_tell_whether_a_reply_is_wanted(
    minor: int, flag: int, flags: int
) -> None:
    octets = bytearray(giop.encode_request(giop.Wire(minor), 2, b"k", "x"))
    octets[20] = flag
    request = decode_message(bytes(octets))
    assert isinstance(request, giop.Request)
    assert request.response_flags == flags


def test_an_object_may_be_named_in_three_ways() -> None:
    reference = make_reference("IDL:X:1.0", "h", 1, b"the key")
    (profile,) = reference.profiles
    for target in (b"the key", giop.ProfileTarget(*profile), giop.ReferenceTarget(0, reference)):
        asked = decode_message(giop.encode_locate_request(giop.Wire(), 5, target))
        assert isinstance(asked, giop.LocateRequest)
        assert (asked.key, asked.target, asked.request_id) == (b"the key", target, 5)


@pytest.mark.parametrize(
    "target",
    [
        giop.ProfileTarget(9, b"other"),
        giop.ProfileTarget(0, b"garbage"),
        giop.ReferenceTarget(3, Reference()),
    ],
)
def test_a_name_that_tells_no_key_is_of_no_object(target: giop.Target) -> None:
    asked = decode_message(giop.encode_locate_request(giop.Wire(), 5, target))
    assert isinstance(asked, giop.LocateRequest)
    assert asked.key == b""


def test_statuses_belong_to_versions() -> None:
    for minor, status in ((0, 4), (1, 5), (2, 6)):
        body = Writer()
        body.ulong(0 if minor < 2 else 7)
        body.ulong(7 if minor < 2 else status)
        body.ulong(status if minor < 2 else 0)
        with pytest.raises(FramingError, match=f"{status} is no status in GIOP 1.{minor}"):
            decode_message(message(1, body.getvalue(), minor))
    for minor, status in ((1, 3), (2, 6)):
        body = Writer()
        body.ulong(7)
        body.ulong(status)
        with pytest.raises(FramingError, match="is no status"):
            decode_message(message(4, body.getvalue(), minor))


def test_another_way_to_name_an_object_is_refused() -> None:
    body = Writer()
    body.ulong(7)
    body.short(3)
    with pytest.raises(FramingError, match="3 is no way to name an object"):
        decode_message(message(3, body.getvalue()))


def test_service_contexts_are_bounded() -> None:
    octets = giop.encode_reply(
        giop.Wire(), 1, giop.ReplyStatus.NO_EXCEPTION, contexts=[(7, b"")] * 3
    )
    with pytest.raises(FramingError, match="3 service contexts; 2 are taken"):
        decode_message(octets, Limits(contexts=2))


@pytest.mark.parametrize("octets", [b"", b"GIOP", message(5, b"")[:-1]])
def test_less_than_a_header_is_no_message(octets: bytes) -> None:
    with pytest.raises(FramingError, match="less than the 12 of a header"):
        decode_message(octets)


def test_a_message_is_as_long_as_it_says() -> None:
    with pytest.raises(FramingError, match="a message of 0 octets came with 1"):
        decode_message(message(5, b"") + b"x")


def test_a_fragment_alone_is_no_message() -> None:
    with pytest.raises(FramingError, match="only a part"):
        decode_message(message(7, bytes(4)))
