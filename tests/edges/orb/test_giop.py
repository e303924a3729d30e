"""GIOP messages, their fragments, and the protocol of one connection without a network."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.edges.orb import raw
from tests.edges.orb.captures import captures
from tests.edges.orb.raw import message, request
from tidings.events.reference import Reference
from tidings.orb import giop
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import NOT_NEGOTIATED, OURS
from tidings.orb.connection import (
    Call,
    Cancel,
    Connection,
    End,
    Incoming,
    read_listen_points,
    write_listen_points,
)
from tidings.orb.exceptions import BAD_PARAM, FramingError
from tidings.orb.framing import Framer
from tidings.orb.ior import make_reference
from tidings.orb.limits import MessageLimits


def test_an_object_may_be_named_in_three_ways() -> None:
    reference = make_reference("IDL:X:1.0", "h", 1, b"the key")
    (profile,) = reference.profiles
    named = (b"the key", giop.ProfileTarget(*profile), giop.ReferenceTarget(0, reference))
    # What tells no key is the name of no object.
    other, garbage = giop.ProfileTarget(9, b"other"), giop.ProfileTarget(0, b"garbage")
    unnamed = (other, garbage, giop.ReferenceTarget(3, Reference()))
    for target in (*named, *unnamed):
        asked = giop.decode_message(giop.encode_locate_request(giop.Wire(), 5, target))
        assert isinstance(asked, giop.LocateRequest)
        key = b"the key" if target in named else b""
        assert (asked.key, asked.target, asked.request_id) == (key, target, 5)


def test_service_contexts_and_listen_points_are_bounded() -> None:
    done, three = giop.ReplyStatus.NO_EXCEPTION, [(7, b"")] * 3
    with pytest.raises(FramingError, match="3 service contexts; at most 2 are accepted"):
        giop.decode_message(
            giop.encode_reply(giop.Wire(), 1, done, contexts=three), MessageLimits(contexts=2)
        )
    points = (("a", 1), ("::1", 65535))
    assert read_listen_points(write_listen_points(points)) == points
    with pytest.raises(BAD_PARAM, match="65 listen points"):
        read_listen_points(write_listen_points([("a", 1)] * 65))


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        *((octets, "less than the 12 of a header") for octets in (b"", message(raw.CLOSE)[:-1])),
        (message(raw.CLOSE) + b"x", "a message of 0 octets came with 1"),
        (message(raw.FRAGMENT, bytes(4)), "only a part"),
    ],
)
def test_what_is_not_one_whole_message_is_refused(octets: bytes, why: str) -> None:
    with pytest.raises(FramingError, match=why):
        giop.decode_message(octets)


Listed = list[tuple[int, bytes]]
wires = st.builds(giop.Wire, st.integers(0, 2), st.booleans(), st.just(OURS))
contexts = st.lists(st.tuples(st.integers(0, 2**32 - 1), st.binary(max_size=9)), max_size=3)
ids = st.integers(0, 2**32 - 1)
operations = st.text(st.characters(codec="latin-1", exclude_characters="\0"), max_size=9)


def decoded(octets: bytes) -> giop.Message:
    framer = Framer()
    (found,) = messages(framer, octets)
    assert not framer.in_message
    return found


def numbers(writer: Writer) -> None:
    writer.octet(1)
    writer.double(2.5)


@given(wires, ids, st.binary(max_size=9), operations, contexts, st.booleans())
@example(giop.Wire(2, True, OURS), 2, b"key", "get", [], True)  # its body needs padding
def test_requests_survive(
    wire: giop.Wire, id: int, key: bytes, operation: str, listed: Listed, full: bool
) -> None:
    octets = giop.encode_request(
        wire, id, key, operation, contexts=listed, write_body=numbers if full else lambda _: None
    )
    request = decoded(octets)
    assert isinstance(request, giop.Request)
    found = (request.request_id, request.key, request.operation, list(request.contexts))
    assert found == (id, key, operation, listed)
    assert (request.minor, request.little, request.response_flags) == (wire.minor, wire.little, 3)
    reader = request.reader(OURS)
    if full:
        assert (reader.octet(), reader.double()) == (1, 2.5)
    assert reader.left == 0


@given(wires, ids, st.binary(max_size=9), operations, st.binary(max_size=9))
def test_a_request_from_a_template_is_the_request(
    wire: giop.Wire, id: int, key: bytes, operation: str, body: bytes
) -> None:
    def write(writer: Writer) -> None:
        assert writer.at == template.body_at or not body
        writer.raw(body)

    template = giop.RequestTemplate(wire, key, operation)
    whole = giop.encode_request(wire, id, key, operation, write_body=write)
    assert template.request(id, body) == whole


@given(wires, ids, contexts, st.booleans())
def test_replies_survive(wire: giop.Wire, id: int, listed: Listed, full: bool) -> None:
    status = giop.ReplyStatus.USER_EXCEPTION
    write = numbers if full else None
    reply = decoded(giop.encode_reply(wire, id, status, contexts=listed, write_body=write))
    assert isinstance(reply, giop.Reply)
    assert (reply.request_id, reply.status, list(reply.contexts)) == (id, status, listed)
    reader = reply.reader(OURS)
    if full:
        assert (reader.octet(), reader.double()) == (1, 2.5)
    assert reader.left == 0


@given(wires, ids)
def test_small_messages_survive(wire: giop.Wire, id: int) -> None:
    minor, little = wire.minor, wire.little
    asked = decoded(giop.encode_locate_request(wire, id, b"key"))
    assert asked == giop.LocateRequest(minor, little, id, b"key", b"key")
    status = giop.LocateStatus.OBJECT_FORWARD
    answered = decoded(giop.encode_locate_reply(wire, id, status, numbers))
    assert isinstance(answered, giop.LocateReply)
    assert (answered.request_id, answered.status, answered.at) == (id, status, 20)
    way: Any = {"minor": minor, "little": little}
    cancelled = decoded(giop.encode_cancel_request(id, **way))
    assert cancelled == giop.CancelRequest(minor, little, id)
    assert decoded(
        giop.encode_bare(giop.MessageType.CLOSE_CONNECTION, **way)
    ) == giop.CloseConnection(minor, little)
    assert decoded(giop.encode_bare(giop.MessageType.MESSAGE_ERROR, **way)) == giop.MessageError(
        minor, little
    )


def test_padding_stands_only_before_a_body() -> None:
    bare = giop.encode_request(giop.Wire(), 2, b"key", "get")
    empty = giop.encode_request(giop.Wire(), 2, b"key", "get", write_body=lambda _: None)
    assert bare == empty
    assert len(bare) % 8 == 4
    full = giop.encode_request(giop.Wire(), 2, b"key", "get", write_body=lambda w: w.octet(1))
    assert len(full) % 8 == 1
    with pytest.raises(BAD_PARAM):
        giop.encode_request(giop.Wire(), -1, b"key", "ping")


STREAM = b"".join(capture.octets for capture in captures())


def header(type_: int, size: int, *, minor: int = 2, flags: int = 1) -> bytes:
    return message(type_, minor=minor, flags=flags)[:8] + struct.pack("<I", size)


def big_request(minor: int = 2, request_id: int = 8, size: int = 100) -> bytes:
    body = bytes(range(size))
    wire = giop.Wire(minor=minor)
    return giop.encode_request(wire, request_id, b"key", "big", write_body=lambda w: w.octets(body))


def in_pieces(whole: bytes, *sizes: int) -> list[bytes]:
    """A message in fragments, whose payloads have these sizes; the rest is in the last."""
    minor, id = whole[5], whole[12:16] if whole[5] >= 2 else b""
    cuts = [12]
    for size in sizes:
        cuts.append(cuts[-1] + size)
    payloads = [whole[a:b] for a, b in zip(cuts, [*cuts[1:], len(whole)], strict=True)]
    pieces = [header(whole[7], len(payloads[0]), minor=minor, flags=3) + payloads[0]]
    for place, payload in enumerate(payloads[1:], 2):
        flags = 1 if place == len(payloads) else 3
        pieces.append(header(7, len(id + payload), minor=minor, flags=flags) + id + payload)
    return pieces


def fed(*pieces: bytes, limits: MessageLimits | None = None) -> list[giop.Message]:
    framer = Framer(limits or MessageLimits())
    return messages(framer, *pieces)


def messages(framer: Framer, *pieces: bytes) -> list[giop.Message]:
    return [found for piece in pieces for found in framer.feed(piece) if found is not None]


@given(
    st.lists(
        st.tuples(
            *(ids, st.sampled_from([0, 2]), st.booleans(), st.sampled_from([b"key", b"other"])),
            *(st.sampled_from(["push", "pull"]), st.sampled_from([None, b"", b"abc", bytes(9)])),
        ),
        max_size=6,
    )
)
def test_requests_that_repeat_others_are_read_like_all_others(
    sent: list[tuple[int, int, bool, bytes, str, bytes | None]],
) -> None:
    pieces = []
    for id, minor, little, key, operation, body in sent:
        write = None if body is None else lambda writer, body=body: writer.octets(body)
        wire = giop.Wire(minor, little)
        pieces.append(giop.encode_request(wire, id, key, operation, write_body=write))
    expected = [giop.decode_message(piece) for piece in pieces]
    assert fed(*pieces) == fed(b"".join(pieces)) == expected


@given(st.lists(st.integers(0, len(STREAM)), max_size=8).map(sorted))
def test_how_the_octets_are_cut_does_not_matter(cuts: list[int]) -> None:
    ends = zip([0, *cuts], [*cuts, len(STREAM)], strict=True)
    assert fed(*(STREAM[a:b] for a, b in ends)) == fed(STREAM)


def test_a_tiny_last_fragment_as_omniorb_sends_it() -> None:
    whole = big_request(size=96)
    (found,) = fed(*in_pieces(whole, len(whole) - 16))
    assert isinstance(found, giop.Request)
    assert found.reader().octets() == bytes(range(96))


def test_a_cancelled_request_is_forgotten_with_what_follows_of_it() -> None:
    for minor in (1, 2):
        pieces = in_pieces(big_request(minor), 20, 8)
        cancel = giop.encode_cancel_request(8, minor=minor)
        framer = Framer()
        found = messages(framer, pieces[0], cancel)
        assert found == [giop.CancelRequest(minor, True, 8)]
        assert not framer.in_message
        assert messages(framer, *pieces[1:]) == []
        assert len(messages(framer, big_request(minor))) == 1


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        *((b"GET ", "begins with b'GIOP'"), (b"X", "begins with b'GIOP'")),
        (b"GIOP\2\0\1\0" + bytes(4), "GIOP 2.0 is not supported"),
        (b"GIOP\1\3\1\0" + bytes(4), "GIOP 1.3 is not supported"),
        *((header(8, 0), "no message of type 8"), (header(7, 0, minor=0), "no message of type 7")),
        (header(7, 4) + bytes(4), "of a message that has not begun"),
        (header(7, 0, minor=1), "of a message that has not begun"),
        *((header(7, 0), "has no request id"), (header(0, 0, flags=3), "has no request id")),
        (header(5, 0, flags=3), "CLOSE_CONNECTION cannot be fragmented"),
        (header(3, 4, minor=1, flags=3) + bytes(4), "cannot be fragmented in GIOP 1.1"),
        *((header(0, 2**23 + 1), "8388608 are accepted"), (header(0, 0), "a malformed REQUEST")),
        (header(2, 0), "a malformed CANCEL_REQUEST"),
    ],
)
def test_what_is_no_message_is_refused_and_so_is_all_after_it(octets: bytes, why: str) -> None:
    framer = Framer()
    with pytest.raises(FramingError, match=why):
        list(framer.feed(octets))
    with pytest.raises(FramingError, match=why):
        list(framer.feed(STREAM))


def test_fragments_are_bounded_and_like_their_message() -> None:
    pieces = in_pieces(big_request(), 20, 8, 8, 8)
    firsts = [in_pieces(big_request(request_id=id), 20)[0] for id in range(4)]
    first, last = in_pieces(big_request(), 20)
    turned = last[:6] + b"\0" + last[7:8] + last[8:12][::-1] + last[12:16][::-1] + last[16:]
    for octets, limits, why in (
        # A message is too large before it has come.
        ([header(0, 101)], MessageLimits(message_size=100), "100 are accepted"),
        (pieces, MessageLimits(fragments=2), "3 fragments"),
        (pieces, MessageLimits(message_size=40), "40 are accepted"),
        (firsts, MessageLimits(unfinished=3), "more than 3 messages wait"),
        (firsts[:1] * 2, MessageLimits(), "before the one before has ended"),
        ([first, turned], MessageLimits(), "another version or byte order"),
    ):
        with pytest.raises(FramingError, match=why):
            fed(*octets, limits=limits)


def test_all_that_wait_for_fragments_are_together_no_longer_than_one_may_be() -> None:
    whole = [in_pieces(big_request(request_id=id), 20) for id in range(4)]
    firsts = [pieces[0] for pieces in whole]
    size = len(firsts[0]) - 12
    fed(*firsts, limits=MessageLimits(message_size=4 * size))
    with pytest.raises(FramingError, match=r"4 messages of \d+ octets in all wait"):
        fed(*firsts, limits=MessageLimits(message_size=4 * size - 1))
    # What is whole does not count any more.
    done = len(whole[0][0]) + len(whole[0][1])
    assert (
        len(list(fed(*whole[0], *whole[1], *whole[2], limits=MessageLimits(message_size=done))))
        == 3
    )


def sides() -> tuple[Connection, Connection]:
    return Connection(opener=True), Connection(opener=False)


def passed(source: Connection, target: Connection) -> list[Incoming]:
    return target.receive_data(source.data_to_send())


def called(client: Connection, server: Connection) -> Call:
    client.call(b"key", "ask")
    found = passed(client, server)[-1]
    assert isinstance(found, Call)
    return found


def answer(server: Connection, call: Call) -> None:
    octets = giop.encode_reply(call.wire, call.request.request_id, giop.ReplyStatus.NO_EXCEPTION)
    server.reply(call.request.request_id, octets)


def test_an_answer_to_another_kind_of_question_breaks_the_rules() -> None:
    wire = giop.Wire(2, True, NOT_NEGOTIATED)
    for locating in (False, True):
        client, server = sides()
        id = client.locate(b"key") if locating else client.call(b"key", "ask")
        done, here = giop.ReplyStatus.NO_EXCEPTION, giop.LocateStatus.OBJECT_HERE
        located = giop.encode_locate_reply(wire, id, here, None)
        wrong = giop.encode_reply(wire, id, done) if locating else located
        (found,) = client.receive_data(wrong)
        assert isinstance(found, End)
        assert found.fault
        assert "came where a" in found.why
        assert isinstance(passed(client, server)[-1], End)


def test_calls_are_cancelled_once() -> None:
    client, server = sides()
    call = called(client, server)
    client.cancel(call.request.request_id)
    client.cancel(call.request.request_id)
    assert passed(client, server) == [Cancel(call.request.request_id)]
    answer(server, call)
    assert server.data_to_send() == b""


def test_the_end_comes_for_a_client_that_is_called_without_having_offered_that() -> None:
    for octets in (request("ask"), message(raw.LOCATE_REQUEST, struct.pack("<IHxxI", 1, 0, 0))):
        client, _ = sides()
        (found,) = client.receive_data(octets)
        assert isinstance(found, End)


def test_an_end_in_good_order_tells_that_nothing_was_done() -> None:
    client, server = sides()
    call = called(client, server)
    server.close()
    server.close()
    (end,) = passed(server, client)
    assert isinstance(end, End)
    assert (end.unseen, end.fault) == (True, False)
    assert passed(client, server) == []
    answer(server, call)
    assert server.data_to_send() == b""


@given(st.binary(max_size=200))
def test_no_octets_are_too_odd(octets: bytes) -> None:
    for connection in (Connection(opener=True), Connection(opener=False, accept_points=True)):
        found = connection.receive_data(b"GIOP\x01\x02\x01" + octets)
        assert all(isinstance(each, Incoming) for each in found)
