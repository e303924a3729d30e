"""Parts of the transport through CORBA, without a service: lines, errors, values and pauses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any as Whatever

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings import Any, errors, event
from tidings.channel.qos import QOS_PROPERTIES, OrderPolicy
from tidings.channel.vocabulary import Form, Side, Style
from tidings.client.transports.backoff import Patience
from tidings.client.transports.iiop.errors import told
from tidings.client.transports.iiop.kinds import Kind, servant_for
from tidings.client.transports.iiop.lines import HandlerLine, Line, SourceLine, Valve
from tidings.client.transports.iiop.objects import check_end
from tidings.client.transports.iiop.values import Events
from tidings.cos import CosEventChannelAdmin_auto as event_admin
from tidings.cos import CosEventComm_auto as event_comm
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos.CosEventComm_auto import Disconnected as GoneClient
from tidings.cos.CosNotification_auto import EventType, Property
from tidings.cos.mapping import request_out
from tidings.events import typecode as tc
from tidings.orb import exceptions as corba
from tidings.orb.exceptions import CorbaError

MOST = 8 * 1024 * 1024


BID = event("Auction", "bid", "", {"price": 1})


async def test_an_error_of_a_function_brings_the_event_again_and_disconnected_ends_it() -> None:
    raised: list[Exception] = [ValueError("a bad day"), errors.Disconnected("enough")]

    def handler(message: object) -> None:
        if raised:
            raise raised.pop(0)

    events = Events()
    line = HandlerLine(handler, Form.STRUCTURED, events)
    wire = events.written(BID, Form.STRUCTURED)
    with pytest.raises(corba.UNKNOWN, match="ValueError"):
        await line.take(wire)
    with pytest.raises(GoneClient):
        await line.take(wire)
    await line.take(wire)
    line.ended()
    with pytest.raises(GoneClient):
        await line.take(wire)


def test_the_end_of_a_proxy_is_heard_though_the_call_is_cancelled_at_once() -> None:
    line = Line()
    kind = Kind(Side.CONSUMER, Style.PUSH, Form.STRUCTURED)
    servant: Whatever = servant_for(kind.client_interface, line)
    assert servant.disconnect_structured_push_consumer() is None  # no task that may never begin
    assert isinstance(line.error, errors.Disconnected)


async def test_what_a_source_gives_beyond_what_is_wanted_is_given_the_next_time() -> None:
    given: list[object] = [[BID, BID, BID], None, ValueError("no"), {"price": 1}]

    def source(most: int) -> object:
        found = given.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    line = SourceLine(source, Form.SEQUENCE, Events(), MOST)
    assert [len(await line.give(2)) for _ in range(3)] == [2, 1, 0]
    for _ in range(2):  # what it raises, and what is no event
        with pytest.raises(corba.UNKNOWN):
            await line.give(2)
    line.close()
    with pytest.raises(GoneClient):
        await line.give(2)


async def test_what_is_no_event_takes_no_other_with_it() -> None:
    line = SourceLine(lambda most: [BID, object(), BID], Form.SEQUENCE, Events(), MOST)
    assert len(await line.give(9)) == 2


async def test_an_answer_with_many_events_is_no_longer_than_a_message_may_be() -> None:
    long, too_long = (event("Auction", "bid", "", {"x": "x" * size}) for size in (900_000, MOST))
    given = [[too_long, *[long] * 5, too_long], [too_long]]
    line = SourceLine(lambda most: given.pop(0), Form.SEQUENCE, Events(), MOST)
    assert [len(await line.give(9)) for _ in range(3)] == [2, 2, 1]
    with pytest.raises(corba.UNKNOWN, match="InvalidEvent"):
        await line.give(9)


async def test_nobody_sends_to_a_supplier_or_asks_it() -> None:
    for asking in (Line().take(BID), Line().give(1)):
        with pytest.raises(GoneClient):
            await asking


EXPRESSION = filters.ConstraintExp((), "$price >")


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (event_admin.AlreadyConnected(), errors.AlreadyConnected),
        (event_admin.TypeError(), errors.WrongClient),
        (event_comm.Disconnected(), errors.Disconnected),
        (channel_admin.AdminNotFound(), errors.AdminNotFound),
        (channel_admin.ConnectionAlreadyActive(), errors.ConnectionAlreadyActive),
        (filters.InvalidConstraint(EXPRESSION), errors.InvalidConstraint),
        (filters.ConstraintNotFound(7), errors.ConstraintNotFound),
        (filters.InvalidValue(EXPRESSION, "high"), errors.InvalidMappingValue),
        (comm.InvalidEventType(EventType("a", "b")), errors.InvalidEventType),
        (filters.UnsupportedFilterableData(), errors.TidingsError),
        (corba.OBJECT_NOT_EXIST(), errors.FilterNotFound),
        (corba.NO_PERMISSION(), errors.Forbidden),
        (corba.IMP_LIMIT(), errors.LimitExceeded),
        (corba.BAD_PARAM(), errors.InvalidUsage),
        (corba.TRANSIENT(), errors.Unreachable),
        (corba.COMM_FAILURE(), errors.Unreachable),
        (corba.TIMEOUT(), errors.Unreachable),
        (corba.BAD_INV_ORDER(), errors.WrongState),
        (corba.PERSIST_STORE(), errors.StoreError),
        (corba.UNKNOWN(), errors.TidingsError),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, CorbaError) else "",
)
def test_each_has_its_error(raised: CorbaError, expected: type[Exception]) -> None:
    found = told(raised, "filter 3", "destroy", errors.FilterNotFound, repeatable=True)
    assert type(found) is expected
    assert not isinstance(found, CorbaError)


def because_of(cause: Exception) -> errors.TidingsError:
    error = errors.Unreachable("told")
    error.__cause__ = cause
    return error


async def test_once_the_client_is_closed_errors_say_so() -> None:
    patience = Patience(5.0)
    closed = [
        because_of(cause)
        for cause in (corba.TRANSIENT(), corba.COMM_FAILURE(), corba.BAD_INV_ORDER())
    ]
    for error in closed:
        check_end(patience, error)
    patience.end()
    for error in closed:
        with pytest.raises(errors.Stopping, match="the client is closed"):
            check_end(patience, error)
    check_end(patience, because_of(corba.BAD_PARAM()))  # it comes of something else


@pytest.mark.parametrize("form", [Form.ANY, Form.STRUCTURED])
@given(
    price=st.integers(-(2**31), 2**31 - 1),
    type_=st.sampled_from(["bid", "%ANY"]),
    name=st.text("abc", max_size=5),
)
def test_an_event_comes_back_as_it_went(form: Form, price: int, type_: str, name: str) -> None:
    events = Events()
    sent = event("Auction", type_, name, {"price": price}, priority=4)
    [found] = events.read(form, events.written(events.outgoing(sent, form), form))
    assert found.event == sent
    assert found.priority == 4


def test_an_event_without_a_priority_has_none() -> None:
    assert Events().incoming(event("Auction", "bid")).priority == 0


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Priority", 3, Any(tc.SHORT, 3)),
        ("OrderPolicy", OrderPolicy.FIFO, Any(tc.SHORT, 1)),
        ("MaximumBatchSize", 7, Any(tc.LONG, 7)),
        ("Timeout", 7, Any(tc.ULONGLONG, 7)),
        ("StartTimeSupported", True, Any(tc.BOOLEAN, True)),
        # What is no value of the property goes as what it is: the service says what is wrong.
        ("StartTimeSupported", 1, 1),
        ("Priority", True, True),
        ("Priority", 10**9, 10**9),
        ("Priority", "high", "high"),
        ("Timeout", -1, -1),
        ("Urgency", 1, 1),
        ("Priority", Any(tc.LONG, 3), Any(tc.LONG, 3)),
    ],
)
def test_a_plain_number_has_the_type_of_its_property(
    name: str, value: object, expected: object
) -> None:
    for asked in ({name: value}, [(name, value)]):
        assert request_out(asked, QOS_PROPERTIES) == (Property(name, expected),)  # type: ignore[arg-type]


def noted(into: list[str], word: str) -> Callable[[], Awaitable[None]]:
    async def note() -> None:
        into.append(word)

    return note


async def test_a_pause_is_asked_for_once_whoever_wants_it() -> None:
    said: list[str] = []
    valve = Valve(noted(said, "pause"), noted(said, "go on"))
    await valve.fill(lambda: True)
    await valve.fill(lambda: True)
    await valve.suspend()
    assert said == ["pause"]
    with pytest.raises(errors.ConnectionAlreadyInactive):
        await valve.suspend()
    await valve.drain(lambda: True)
    assert said == ["pause"]
    await valve.resume()
    assert said == ["pause", "go on"]
    with pytest.raises(errors.ConnectionAlreadyActive):
        await valve.resume()
    await valve.drain(lambda: True)
    await valve.fill(lambda: False)
    assert said == ["pause", "go on"]


async def test_a_service_that_does_not_pause_is_no_trouble_of_the_stream() -> None:
    async def away() -> None:
        raise errors.Unreachable("away")

    valve = Valve(away, away)
    await valve.fill(lambda: True)
    await valve.drain(lambda: True)
    with pytest.raises(errors.Unreachable):
        await valve.suspend()
    with pytest.raises(errors.ConnectionAlreadyActive):
        await valve.resume()
