"""The protocol of one connection, side against side and without a network."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.orb import raw
from tests.unit.orb.raw import message, request
from tidings.events.reference import Reference
from tidings.orb import giop
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import ISO_8859_1, NOT_NEGOTIATED, UTF_8, UTF_16, CodeSets
from tidings.orb.connection import (
    Answer,
    Call,
    Cancel,
    Connection,
    End,
    Incoming,
    ListenPoints,
    Locate,
    Refusal,
)
from tidings.orb.destination import Destination
from tidings.orb.exceptions import BAD_PARAM, CODESET_INCOMPATIBLE

AGREED = CodeSets(UTF_8, UTF_16)


def sides(**options: bool) -> tuple[Connection, Connection]:
    return Connection(opener=True), Connection(opener=False, **options)  # type: ignore[arg-type]


def passed(source: Connection, target: Connection) -> list[Incoming]:
    return target.receive_data(source.data_to_send())


def called(client: Connection, server: Connection, **options: object) -> Call:
    client.call(b"key", "ask", **options)  # type: ignore[arg-type]
    found = passed(client, server)[-1]
    assert isinstance(found, Call)
    return found


def answer(server: Connection, call: Call) -> None:
    octets = giop.encode_reply(call.wire, call.request_id, giop.ReplyStatus.NO_EXCEPTION)
    server.reply(call.request_id, octets)


def destination(codesets: CodeSets | None = None) -> Destination:
    return Destination((("host", 1),), b"key", 2, codesets, Reference("", ()), 0)


@pytest.mark.parametrize("locating", [False, True])
def test_an_answer_to_another_kind_of_question_breaks_the_rules(locating: bool) -> None:
    client, server = sides()
    id = client.locate(b"key") if locating else client.call(b"key", "ask")
    wire = giop.Wire(2, True, NOT_NEGOTIATED)
    if locating:
        octets = giop.encode_reply(wire, id, giop.ReplyStatus.NO_EXCEPTION)
    else:
        octets = giop.encode_locate_reply(wire, id, giop.LocateStatus.OBJECT_HERE, None)
    (found,) = client.receive_data(octets)
    assert isinstance(found, End)
    assert found.fault
    assert "came where a" in found.why
    *_, last = passed(client, server)
    assert isinstance(last, End)


class TestCalls:
    @pytest.mark.parametrize("minor", [0, 1, 2])
    def test_go_there_and_answers_come_back(self, minor: int) -> None:
        client, server = sides()
        call = called(client, server, minor=minor)
        assert (call.request.key, call.request.operation) == (b"key", "ask")
        answer(server, call)
        (found,) = passed(server, client)
        assert isinstance(found, Answer)
        assert found.reply.request_id == call.request_id
        assert found.reply.minor == minor

    def test_of_the_opener_have_even_ids_and_of_the_acceptor_odd_ones(self) -> None:
        client, server = sides()
        assert [client.call(b"k", "x") % 2 for _ in range(3)] == [0, 0, 0]
        assert [server.call(b"k", "x") % 2 for _ in range(3)] == [1, 1, 1]

    def test_are_cancelled_once(self) -> None:
        client, server = sides()
        call = called(client, server)
        client.cancel(call.request_id)
        client.cancel(call.request_id)
        assert passed(client, server) == [Cancel(call.request_id)]
        answer(server, call)
        assert server.data_to_send() == b""

    def test_that_were_cancelled_may_still_be_answered(self) -> None:
        client, server = sides()
        call = called(client, server)
        answer(server, call)
        client.cancel(call.request_id)
        assert passed(server, client) == []
        assert passed(client, server) == []

    def test_without_an_answer_need_no_reply(self) -> None:
        client, server = sides()
        call = called(client, server, response_flags=0)
        server.reply(call.request_id, None)
        assert server.data_to_send() == b""

    def test_whose_arguments_cannot_be_written_change_nothing(self) -> None:
        def bad(writer: Writer) -> None:
            writer.long("x")  # type: ignore[arg-type]

        client, server = sides()
        with pytest.raises(BAD_PARAM):
            client.call(b"key", "ask", bad, codesets=AGREED)
        assert client.data_to_send() == b""
        assert called(client, server, codesets=AGREED).wire.codesets == AGREED

    def test_can_ask_where_an_object_is(self) -> None:
        client, server = sides()
        asked = client.locate(b"key")
        (found,) = passed(client, server)
        assert isinstance(found, Locate)
        here = giop.LocateStatus.OBJECT_HERE
        server.send(giop.encode_locate_reply(found.wire, asked, here))
        (told,) = passed(server, client)
        assert isinstance(told, Answer)
        assert told.reply.status == here


class TestMoulds:
    def test_make_the_same_requests_with_ids_of_their_own(self) -> None:
        client, server = sides()
        mould = client.mould(destination(), "ask")
        assert mould is not None
        for _ in range(2):
            client.call(b"key", "ask", write_body=lambda writer: writer.ulong(7))
            client.call_again(mould, b"\7\0\0\0")
            one, other = (call.request for call in passed(client, server) if isinstance(call, Call))
            assert other.request_id == one.request_id + 2
            assert (other.key, other.operation, other.at) == (one.key, one.operation, one.at)
            assert other.octets[other.at :] == one.octets[one.at :]

    def test_there_is_none_as_long_as_something_is_to_be_agreed_on(self) -> None:
        client, server = sides(accept_points=True)
        assert client.mould(destination(AGREED), "ask") is None
        called(client, server, codesets=AGREED)
        assert client.mould(destination(AGREED), "ask") is not None
        client.offer((("host", 1),))
        assert client.mould(destination(AGREED), "ask") is None
        called(client, server)
        assert client.mould(destination(AGREED), "ask") is not None

    def test_they_fit_until_something_is_agreed_on(self) -> None:
        client, server = sides()
        mould = client.mould(destination(), "ask")
        assert mould is not None
        assert client.fits_mould(mould)
        called(client, server, codesets=AGREED)
        assert not client.fits_mould(mould)


class TestCodeSets:
    def test_are_named_in_the_first_request_that_can_and_hold_from_then_on(self) -> None:
        client, server = sides()
        assert called(client, server, minor=0, codesets=AGREED).wire.codesets == NOT_NEGOTIATED
        first = called(client, server, minor=1, codesets=AGREED)
        second = called(client, server, minor=2, codesets=AGREED)
        assert [c.id for c in first.request.contexts] == [1]
        assert second.request.contexts == ()
        assert first.wire.codesets == second.wire.codesets == AGREED
        assert called(client, server, minor=0).wire.codesets == NOT_NEGOTIATED

    def test_of_a_connection_fit_those_who_ask_for_the_same_or_for_none(self) -> None:
        client, server = sides()
        other = CodeSets(ISO_8859_1, UTF_16)
        assert client.fits(other)
        called(client, server, codesets=AGREED)
        assert client.fits(AGREED)
        assert client.fits(None)
        assert not client.fits(other)

    def test_that_nobody_speaks_refuse_the_request(self) -> None:
        _, server = sides()
        wanted = struct.pack("<B3xII", 1, 0x99, UTF_16)
        (found,) = server.receive_data(request("ask", contexts=((1, wanted),)))
        assert isinstance(found, Refusal)
        assert isinstance(found.error, CODESET_INCOMPATIBLE)


class TestOffers:
    POINTS = (("10.0.0.1", 7), ("me", 8))

    def test_are_made_once_and_allow_calls_back(self) -> None:
        client, server = sides(accept_points=True)
        client.offer(self.POINTS)
        client.call(b"key", "ask", minor=1)
        client.call(b"key", "ask")
        client.call(b"key", "ask")
        offers = [i for i in passed(client, server) if isinstance(i, ListenPoints)]
        assert offers == [ListenPoints(self.POINTS)]
        server.allow_calls()
        back = called(server, client)
        answer(client, back)
        (found,) = passed(client, server)
        assert isinstance(found, Answer)

    def test_are_ignored_by_who_does_not_want_them(self) -> None:
        client, server = sides()
        client.offer(self.POINTS)
        client.call(b"key", "ask")
        assert [type(i) for i in passed(client, server)] == [Call]


BROKEN = {
    "garbage": b"HELLO",
    "a reply to nobody": message(raw.REPLY, struct.pack("<III", 3, 0, 0)),
    "an unknown kind": message(9),
}


class TestTheEnd:
    @pytest.mark.parametrize("what", BROKEN)
    def test_comes_with_what_breaks_the_rules(self, what: str) -> None:
        _, server = sides()
        before = request("ask")
        found = server.receive_data(before + BROKEN[what] + before)
        assert [type(i) for i in found] == [Call, End]
        assert isinstance(found[1], End)
        assert (found[1].fault, found[1].unseen) == (True, False)
        assert server.data_to_send() == message(raw.ERROR)
        assert server.receive_data(before) == []

    def test_comes_for_a_client_that_is_called_without_having_offered_that(self) -> None:
        for octets in (request("ask"), message(raw.LOCATE_REQUEST, struct.pack("<IHxxI", 1, 0, 0))):
            client, _ = sides()
            (found,) = client.receive_data(octets)
            assert isinstance(found, End)

    def test_in_good_order_tells_that_nothing_was_done(self) -> None:
        client, server = sides()
        called(client, server)
        server.close()
        server.close()
        (end,) = passed(server, client)
        assert isinstance(end, End)
        assert (end.unseen, end.fault) == (True, False)
        assert passed(client, server) == []

    @pytest.mark.parametrize(("minor", "said"), [(1, b""), (2, message(raw.CLOSE))])
    def test_is_told_by_callers_since_giop_1_2_only(self, minor: int, said: bytes) -> None:
        client, server = sides()
        called(client, server, minor=minor)
        client.close()
        assert client.data_to_send() == said

    def test_after_it_no_reply_is_sent(self) -> None:
        client, server = sides()
        call = called(client, server)
        server.close()
        server.data_to_send()
        answer(server, call)
        assert server.data_to_send() == b""


@given(st.data())
def test_how_octets_are_cut_does_not_matter(data: st.DataObject) -> None:
    client, whole = sides()
    for operation in ("one", "two", "three"):
        client.call(b"key", operation, lambda writer: writer.string("x" * 20), codesets=AGREED)
    octets = client.data_to_send()
    expected = whole.receive_data(octets)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(octets)), max_size=8)))
    pieces = [octets[a:b] for a, b in zip([0, *cuts], [*cuts, len(octets)], strict=True)]
    server = Connection(opener=False)
    assert [found for piece in pieces for found in server.receive_data(piece)] == expected
    assert not server.in_message


@given(st.binary(max_size=200))
def test_no_octets_are_too_odd(octets: bytes) -> None:
    for connection in (Connection(opener=True), Connection(opener=False, accept_points=True)):
        found = connection.receive_data(b"GIOP\x01\x02\x01" + octets)
        assert all(isinstance(each, Incoming) for each in found)
