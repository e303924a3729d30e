from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.orb.captures import captures
from tidings.orb import giop
from tidings.orb.exceptions import FramingError
from tidings.orb.framing import Framer
from tidings.orb.limits import Limits

STREAM = b"".join(capture.octets for capture in captures())


def header(type_: int, size: int, *, minor: int = 2, flags: int = 1) -> bytes:
    return b"GIOP" + bytes((1, minor, flags, type_)) + struct.pack("<I", size)


def big_request(minor: int = 2, request_id: int = 8, size: int = 100) -> bytes:
    return giop.encode_request(
        giop.Wire(minor=minor),
        request_id,
        b"key",
        "big",
        write_body=lambda writer: writer.octets(bytes(range(size))),
    )


def in_pieces(message: bytes, *sizes: int) -> list[bytes]:
    """A message in fragments, whose payloads have these sizes; the rest is in the last."""
    minor, id = message[5], message[12:16] if message[5] >= 2 else b""
    cuts = [12]
    for size in sizes:
        cuts.append(cuts[-1] + size)
    payloads = [message[a:b] for a, b in zip(cuts, [*cuts[1:], len(message)], strict=True)]
    pieces = [header(message[7], len(payloads[0]), minor=minor, flags=3) + payloads[0]]
    for place, payload in enumerate(payloads[1:], 2):
        flags = 1 if place == len(payloads) else 3
        pieces.append(header(7, len(id + payload), minor=minor, flags=flags) + id + payload)
    return pieces


def fed(*pieces: bytes, limits: Limits | None = None) -> list[giop.Message]:
    framer = Framer(limits or Limits())
    return [message for piece in pieces for message in framer.feed(piece)]


@given(st.lists(st.integers(0, len(STREAM)), max_size=8).map(sorted))
def test_how_the_octets_are_cut_does_not_matter(cuts: list[int]) -> None:
    ends = zip([0, *cuts], [*cuts, len(STREAM)], strict=True)
    assert fed(*(STREAM[a:b] for a, b in ends)) == fed(STREAM)


def test_a_message_may_come_octet_by_octet() -> None:
    octets = captures("pse")[0].octets
    framer = Framer()
    for place, octet in enumerate(octets[:-1]):
        assert list(framer.feed(bytes([octet]))) == []
        assert framer.in_message, place
    (message,) = framer.feed(octets[-1:])
    assert isinstance(message, giop.Request)
    assert not framer.in_message


@pytest.mark.parametrize("minor", [1, 2])
@pytest.mark.parametrize("sizes", [(20,), (20, 8, 16), (4,), (28, 0, 8)])
def test_fragments_are_put_together(minor: int, sizes: tuple[int, ...]) -> None:
    whole = big_request(minor)
    (message,) = fed(*in_pieces(whole, *sizes))
    (unfragmented,) = fed(whole)
    assert message == unfragmented


def test_a_tiny_last_fragment_as_omniorb_sends_it() -> None:
    whole = big_request(size=96)
    (message,) = fed(*in_pieces(whole, len(whole) - 16))
    assert isinstance(message, giop.Request)
    assert message.reader().octets() == bytes(range(96))


def test_fragments_of_several_requests_may_be_mixed() -> None:
    one, two = (
        in_pieces(big_request(request_id=2), 20, 8),
        in_pieces(big_request(request_id=4), 20, 8),
    )
    mixed = [one[0], two[0], two[1], one[1], big_request(request_id=6), two[2], one[2]]
    assert [getattr(m, "request_id", None) for m in fed(*mixed)] == [6, 4, 2]


def test_a_cancelled_request_is_forgotten_with_what_follows_of_it() -> None:
    for minor in (1, 2):
        pieces = in_pieces(big_request(minor), 20, 8)
        cancel = giop.encode_cancel_request(8, minor=minor)
        framer = Framer()
        found = [m for piece in (pieces[0], cancel) for m in framer.feed(piece)]
        assert found == [giop.CancelRequest(minor, True, 8)]
        assert not framer.in_message
        assert [m for piece in pieces[1:] for m in framer.feed(piece)] == []
        assert len(list(framer.feed(big_request(minor)))) == 1


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        (b"GET ", "begins with b'GIOP'"),
        (b"X", "begins with b'GIOP'"),
        (b"GIOP\2\0\1\0" + bytes(4), "GIOP 2.0 is not spoken here"),
        (b"GIOP\1\3\1\0" + bytes(4), "GIOP 1.3 is not spoken here"),
        (header(8, 0), "no message of type 8"),
        (header(7, 0, minor=0), "no message of type 7"),
        (header(7, 4) + bytes(4), "of a message that has not begun"),
        (header(7, 0, minor=1), "of a message that has not begun"),
        (header(7, 0), "has no request id"),
        (header(0, 0, flags=3), "has no request id"),
        (header(5, 0, flags=3), "CLOSE_CONNECTION cannot be fragmented"),
        (header(3, 4, minor=1, flags=3) + bytes(4), "cannot be fragmented in GIOP 1.1"),
        (header(0, 2**23 + 1), "8388608 are taken"),
        (header(0, 0), "a malformed REQUEST"),
        (header(2, 0), "a malformed CANCEL_REQUEST"),
    ],
)
def test_what_is_no_message_is_refused_and_so_is_all_after_it(octets: bytes, why: str) -> None:
    framer = Framer()
    with pytest.raises(FramingError, match=why):
        list(framer.feed(octets))
    with pytest.raises(FramingError, match=why):
        list(framer.feed(STREAM))


def test_messages_before_the_fault_are_told() -> None:
    framer = Framer()
    messages = framer.feed(big_request() + b"garbage")
    assert isinstance(next(messages), giop.Request)
    with pytest.raises(FramingError):
        next(messages)


def test_a_message_is_too_large_before_it_has_come() -> None:
    with pytest.raises(FramingError, match="100 are taken"):
        fed(header(0, 101), limits=Limits(message_size=100))


def test_fragments_are_bounded() -> None:
    pieces = in_pieces(big_request(), 20, 8, 8, 8)
    with pytest.raises(FramingError, match="3 fragments"):
        fed(*pieces, limits=Limits(fragments=2))
    with pytest.raises(FramingError, match="40 are taken"):
        fed(*pieces, limits=Limits(message_size=40))
    firsts = [in_pieces(big_request(request_id=id), 20)[0] for id in range(4)]
    with pytest.raises(FramingError, match="more than 3 messages wait"):
        fed(*firsts, limits=Limits(unfinished=3))
    with pytest.raises(FramingError, match="before the one before has ended"):
        fed(firsts[0], firsts[0])


def test_fragments_are_like_their_message() -> None:
    first, last = in_pieces(big_request(), 20)
    turned = bytearray(last)
    turned[6] = 0
    turned[8:16] = last[8:12][::-1] + last[12:16][::-1]
    with pytest.raises(FramingError, match="another version or byte order"):
        fed(first, bytes(turned))


def test_all_that_wait_for_fragments_are_together_no_longer_than_one_may_be() -> None:
    whole = [in_pieces(big_request(request_id=id), 20) for id in range(4)]
    firsts = [pieces[0] for pieces in whole]
    size = len(firsts[0]) - 12
    fed(*firsts, limits=Limits(message_size=4 * size))
    with pytest.raises(FramingError, match=r"4 messages of \d+ octets in all wait"):
        fed(*firsts, limits=Limits(message_size=4 * size - 1))
    # What is whole does not count any more.
    done = len(whole[0][0]) + len(whole[0][1])
    assert len(list(fed(*whole[0], *whole[1], *whole[2], limits=Limits(message_size=done)))) == 3
