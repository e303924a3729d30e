from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.orb import giop
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OURS
from tidings.orb.exceptions import BAD_PARAM, OMG, Completion, system_exception

wires = st.builds(giop.Wire, st.integers(0, 2), st.booleans(), st.just(OURS))
contexts = st.lists(st.tuples(st.integers(0, 2**32 - 1), st.binary(max_size=9)), max_size=3)
ids = st.integers(0, 2**32 - 1)
operations = st.text(st.characters(codec="latin-1", exclude_characters="\0"), max_size=9)


def decoded(octets: bytes) -> giop.Message:
    framer = giop.Framer()
    (message,) = framer.feed(octets)
    assert not framer.in_message
    return message


def numbers(writer: Writer) -> None:
    writer.octet(1)
    writer.double(2.5)


@given(wires, ids, st.binary(max_size=9), operations, contexts, st.booleans())
def test_requests_survive(
    wire: giop.Wire,
    id: int,
    key: bytes,
    operation: str,
    listed: list[tuple[int, bytes]],
    full: bool,
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
def test_a_request_from_a_mould_is_the_request(
    wire: giop.Wire, id: int, key: bytes, operation: str, body: bytes
) -> None:
    def write(writer: Writer) -> None:
        assert writer.at == mould.body_at or not body
        writer.raw(body)

    mould = giop.RequestMould(wire, key, operation)
    assert mould.request(id, body) == giop.encode_request(
        wire, id, key, operation, write_body=write
    )


@given(wires, ids, contexts, st.booleans())
def test_replies_survive(
    wire: giop.Wire, id: int, listed: list[tuple[int, bytes]], full: bool
) -> None:
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
    cancelled = decoded(giop.encode_cancel_request(id, minor=minor, little=little))
    assert cancelled == giop.CancelRequest(minor, little, id)
    closed = decoded(giop.encode_close_connection(minor=minor, little=little))
    assert closed == giop.CloseConnection(minor, little)
    wrong = decoded(giop.encode_message_error(minor=minor, little=little))
    assert wrong == giop.MessageError(minor, little)


def test_padding_stands_only_before_a_body() -> None:
    bare = giop.encode_request(giop.Wire(), 2, b"key", "get")
    empty = giop.encode_request(giop.Wire(), 2, b"key", "get", write_body=lambda _: None)
    assert bare == empty
    assert len(bare) % 8 == 4
    full = giop.encode_request(giop.Wire(), 2, b"key", "get", write_body=lambda w: w.octet(1))
    assert len(full) % 8 == 1


def test_a_oneway_wants_no_reply() -> None:
    for minor in range(3):
        octets = giop.encode_request(giop.Wire(minor), 2, b"key", "ping", response_flags=0)
        request = decoded(octets)
        assert isinstance(request, giop.Request)
        assert request.response_flags == 0


def test_a_system_exception_survives() -> None:
    error = BAD_PARAM(OMG | 23, Completion.MAYBE)
    octets = giop.encode_reply(
        giop.Wire(),
        2,
        giop.ReplyStatus.SYSTEM_EXCEPTION,
        write_body=lambda writer: giop.write_system_exception(writer, error),
    )
    reply = decoded(octets)
    assert isinstance(reply, giop.Reply)
    reader = reply.reader()
    found = system_exception(reader.latin(), reader.ulong(), Completion(reader.ulong()))
    assert (type(found), found.minor, found.completed) == (
        BAD_PARAM,
        error.minor,
        error.completed,
    )


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(BAD_PARAM):
        giop.encode_request(giop.Wire(), -1, b"key", "ping")
