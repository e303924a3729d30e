"""Events in: bodies become events, reach the host in order, and are answered line by line."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect

from tests.edges.engine.hosts import new_channel, supplier, turns
from tidings import event
from tidings.api.frames import ClientFrame, PushFrame, read_client_frame
from tidings.api.items import item_from_plain
from tidings.channel.management import Disconnect, ObtainProxy
from tidings.channel.trail import Traced, Trail
from tidings.channel.vocabulary import Item, Side, Style
from tidings.engine.access import OWNER
from tidings.engine.host import Host
from tidings.errors import (
    BadInput,
    ChannelFull,
    ChannelNotFound,
    InvalidEvent,
    LimitExceeded,
    ProxyNotFound,
    UnsupportedMedia,
    WrongClient,
)
from tidings.events.codecs.cloudevents_codec import encode_structured
from tidings.events.codecs.json_text import parse_json
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.web import event_bodies
from tidings.web.event_bodies import (
    Bounds,
    Incoming,
    LineSplitter,
    Numbering,
    apart,
    read_events,
    read_frame,
    read_items,
    read_line,
)
from tidings.web.options import WebOptions
from tidings.web.publisher import (
    LineAnswers,
    Publisher,
    Suppliers,
    connect_quietly,
    plain_results,
    result_form,
    without_bad,
)
from tidings.web.state import Counts, WebState

ONE = event("a", "b")


async def test_a_proxy_that_ended_meanwhile_is_found_again() -> None:
    host = await Host.open(None)
    state = WebState(host, WebOptions())
    door = state.door(OWNER)
    channel = await new_channel(host)
    suppliers = state.part(Suppliers)
    both = await asyncio.gather(*(suppliers.proxy(door, channel) for _ in range(2)))
    assert both[0] == both[1]
    publisher = Publisher(state, door, channel, None, trail=False)
    await publisher.begin()
    await host.ask(Disconnect(channel, both[0]))
    asked = [publisher.ask([Incoming(ONE)]) for _ in range(2)]
    assert [await publisher.answers(one) for one in asked] == [[1], [2]]
    assert await suppliers.proxy(door, channel) != both[0]
    assert len(host.factory.channel(channel).proxies) == 1
    with pytest.raises(ChannelNotFound):
        await suppliers.proxy(door, 99)
    await host.close()


async def test_a_proxy_of_ones_own_is_connected_if_nobody_has() -> None:
    host = await Host.open(None)
    state = WebState(host, WebOptions())
    door = state.door(OWNER)
    channel = await new_channel(host)
    own = await host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PUSH))
    publisher = Publisher(state, door, channel, own, trail=False)
    await publisher.begin()
    assert await publisher.answers(publisher.ask([Incoming(ONE)])) == [1]
    await connect_quietly(door, channel, own)  # once more does no harm
    other = Publisher(state, door, channel, await supplier(host, channel), trail=False)
    await other.begin()
    assert await other.answers(other.ask([Incoming(ONE)])) == [2]
    await host.ask(Disconnect(channel, own))
    with pytest.raises(ProxyNotFound):
        await publisher.answers(publisher.ask([Incoming(ONE)]))
    pulls = await host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PULL))
    with pytest.raises(WrongClient, match="pull proxy of a supplier"):
        await Publisher(state, door, channel, pulls, trail=False).begin()
    await host.close()


EVENT = {"domain": "a", "type": "b"}


BOUNDS = Bounds(events=3, values=100)


def _json(plain: object) -> bytes:
    return json.dumps(plain).encode()


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_lines_are_the_same_however_the_body_is_cut(body: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(body)]
    splitter = LineSplitter(most=10)
    found = []
    for start, stop in pairwise(places):
        found += list(splitter.feed(body[start:stop]))
    found += list(splitter.end())
    expected = [
        (number, None if len(line) > 10 else line.strip())
        for number, line in enumerate(body.split(b"\n"), 1)
    ]
    assert found == expected


def test_a_line_is_an_event_or_what_is_wrong_with_it() -> None:
    assert read_line(_json(EVENT), 100) == Incoming(event("a", "b"))
    marked = read_line(_json({"event": EVENT, "producer": "p", "number": 1}), 100)
    assert marked.mark == ProducerMark("p", 1)
    assert isinstance(read_line(b"{", 100).item, InvalidEvent)
    assert isinstance(read_line(None, 100).item, LimitExceeded)
    for bad in ({"event": EVENT, "producer": "p"}, {"event": 7}, {"event": EVENT, "x": 1},
                {"event": EVENT, "producer": 7, "number": 1}):  # fmt: skip
        assert isinstance(read_line(_json(bad), 100).item, InvalidEvent)


async def test_our_own_cloudevents_keep_their_marks() -> None:
    mark = ProducerMark("p", 4)
    envelope = Envelope(event("a", "b"), "0" * 32, 1, 1_000_000, mark=mark)
    text = encode_structured(envelope)
    found = await read_events("application/cloudevents+json", Headers(), text, BOUNDS)
    assert found == Incoming(event("a", "b"), mark)


async def test_what_holds_no_events_is_refused() -> None:
    with pytest.raises(UnsupportedMedia, match="application/json"):
        await read_events("text/csv", Headers(), b"", BOUNDS)
    for kind, body in (("application/json", b""), ("application/cloudevents-batch+json", b"{}")):
        with pytest.raises(InvalidEvent):
            await read_events(kind, Headers(), body, BOUNDS)


def test_a_producer_s_name_is_utf_8_and_numbers_have_an_end() -> None:
    raw = [(b"tidings-producer", b"\xff"), (b"tidings-number", b"0")]
    with pytest.raises(BadInput, match="no UTF-8"):
        Numbering(Headers(raw=raw))
    last = 2**63 - 1
    numbering = Numbering(Headers({"Tidings-Producer": "p", "Tidings-Number": str(last)}))
    assert numbering.mark(Incoming(ONE)).mark == ProducerMark("p", last)
    for _ in range(2):
        assert isinstance(numbering.mark(Incoming(ONE)).item, InvalidEvent)


def _told(kind: str, body: bytes) -> object:
    """The events in a body, or what is said against it."""
    try:
        found = asyncio.run(read_events(kind, Headers(), body, BOUNDS))
    except (InvalidEvent, LimitExceeded) as error:
        return type(error)
    assert isinstance(found, list)
    return [one if not isinstance(one.item, Exception) else type(one.item) for one in found]


CLOUDEVENT = {"specversion": "1.0", "id": "7", "source": "/s", "type": "t"}


ELEMENTS = st.sampled_from(
    [EVENT, CLOUDEVENT, {"event": EVENT}, {"domain": 7}, None, '\\",[}', [1]]
)


@pytest.mark.parametrize("kind", ["application/json", "application/cloudevents-batch+json"])
@given(elements=st.lists(ELEMENTS, max_size=4), end=st.sampled_from(["", " ", ",", "]", "x", "{"]))
def test_a_long_batch_is_read_as_a_short_one(kind: str, elements: list[object], end: str) -> None:
    body = (json.dumps(elements) + end).encode()
    short = _told(kind, body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_bodies, "_AT_ONCE", 0)
        assert _told(kind, body) == short


async def test_an_event_with_too_many_values_is_an_error_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event_bodies, "_AT_ONCE", 0)
    body = _json([EVENT, {**EVENT, "body": [1] * 200}, EVENT])
    found = await read_events("application/json", Headers(), body, BOUNDS)
    assert isinstance(found, list)
    assert [type(one.item) for one in found] == [StructuredEvent, LimitExceeded, StructuredEvent]
    with pytest.raises(LimitExceeded, match="more than the 100 values"):
        await read_events("application/json", Headers(), _json({"body": [1] * 200}), BOUNDS)


FRAME = {"op": "push", "id": 1, "channel": 2, "proxy": 3, "events": [EVENT, {"any": "],"}, 7]}


@pytest.mark.parametrize(
    "text",
    [
        *(json.dumps(FRAME), json.dumps({**FRAME, "producer": "p", "number": 4})),
        json.dumps({**FRAME, "marks": [["p", 1], ["q", 2], ["r", 3]]}),
        json.dumps({"op": "ack", "line": 1, "seqs": [1, 2]}),
        *(json.dumps({**FRAME, "events": []}), json.dumps({**FRAME, "events": 7})),
        *(json.dumps({**FRAME, "more": 7}), json.dumps(FRAME)[:-1] + ',"events":[]}'),
        *(json.dumps(FRAME)[:-1] + "]", json.dumps(FRAME)[:-1], json.dumps(FRAME) + "x"),
        *("[1]", "7", ""),
    ],
)
async def test_a_long_frame_is_read_as_a_short_one(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_bodies, "_AT_ONCE", -1)
    try:
        frame = read_client_frame(text)
    except BadInput:
        with pytest.raises(BadInput):
            await read_frame(text, BOUNDS)
    else:
        assert await _with_items(await read_frame(text, BOUNDS)) == await _with_items(frame)


async def _with_items(frame: ClientFrame) -> list[object]:
    """A frame in which events are read; what is none stands there as a text."""
    if not isinstance(frame, PushFrame):
        return [frame]
    items = [str(i) if isinstance(i, Exception) else i for i in await read_items(frame.events)]
    return [{**msgspec.structs.asdict(frame), "events": items}]


async def test_a_frame_s_events_are_counted_before_they_are_parsed() -> None:
    text = json.dumps({**FRAME, "events": [1] * 100_000})
    with pytest.raises(LimitExceeded, match="more than the 3 events"):
        await read_frame(text, BOUNDS)


WIDE = Bounds(events=10, values=100_000)


async def _read_as_frame(plain: list[object]) -> object:
    text = json.dumps({"op": "push", "id": 1, "channel": 1, "proxy": 1, "events": plain})
    frame = await read_frame(text, WIDE)
    assert isinstance(frame, PushFrame)
    return await read_items(frame.events, text)


def _read_as_line(plain: list[object]) -> Coroutine[Any, Any, object]:
    line = _json(plain[0])
    return apart(line, lambda: read_line(line, WIDE.values))


def _read_as_body(plain: object) -> Coroutine[Any, Any, object]:
    return read_events("application/json", Headers(), _json(plain), WIDE)


async def _read_where(work: Coroutine[Any, Any, object]) -> tuple[list[int], bool]:
    """How large the events that are read were reckoned to be, and whether beside the loop."""
    where: set[threading.Thread] = set()

    def reading_where(plain: object) -> Item:
        where.add(threading.current_thread())
        return item_from_plain(plain)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_bodies, "item_from_plain", reading_where)
        found = await work
    items = found if isinstance(found, list) else [found]
    events = [one.item if isinstance(one, Incoming) else one for one in items]
    octets = [one.octets for one in events if isinstance(one, StructuredEvent)]
    (thread,) = where
    return octets, thread is not threading.current_thread()


@pytest.mark.parametrize(
    "read",
    [lambda plain: _read_as_body(plain[0]), _read_as_body, _read_as_frame, _read_as_line],
    ids=["one", "batch", "frame", "line"],
)
@pytest.mark.parametrize("times", [1, 4], ids=["short", "long"])
async def test_a_heavy_event_is_read_beside_the_loop(
    read: Callable[[list[object]], Coroutine[Any, Any, object]], times: int
) -> None:
    heavy = {**EVENT, "body": [{"a": 1}] * 2_000 * times}
    octets, apart = await _read_where(read([heavy, heavy]))
    assert min(octets) > 65_536  # reckoned there, too
    assert apart
    assert not (await _read_where(read([EVENT, EVENT])))[1]


async def test_a_long_text_is_read_beside_the_loop() -> None:
    assert (await _read_where(_read_as_body({**EVENT, "body": "a" * 200_000})))[1]


def test_of_many_long_batches_one_is_begun_in_each_round() -> None:
    rounds, begun = 0, list[int]()

    def parsing(*arguments: Any) -> object:
        begun.append(rounds)
        return parse_json(*arguments)

    async def work() -> None:
        loop = asyncio.get_running_loop()

        def count() -> None:
            nonlocal rounds
            rounds += 1
            loop.call_soon(count)

        count()
        batch = _json([{**EVENT, "body": "x" * 4_000}] * 3)
        reads = [read_events("application/json", Headers(), batch, WIDE) for _ in range(5)]
        await asyncio.gather(*reads)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_bodies, "parse_json", parsing)
        asyncio.run(work())
    assert len(begun) == len(set(begun)) == 5


def test_numbers_trails_and_errors() -> None:
    counts = Counts()
    traced = Traced.of(7, Trail(1, 2, True, (3,), ()))
    found: list[Any] = plain_results([5, traced, ChannelFull("full")], counts)
    number, trail, error = found
    assert (number, trail["seq"], trail["trail"]["recipients"]) == (5, 7, [3])
    assert error["error"]["code"] == "channel_full"
    assert counts.rejected == 1
    assert result_form(5, counts) == {"seq": 5}


def test_a_fault_of_ours_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        found = result_form(ValueError("secret"), Counts())
    assert "secret" not in str(found)
    assert "secret" in caplog.text


def test_bad_events_are_taken_out_with_their_marks() -> None:
    good, bad = event("a", "b"), InvalidEvent("none")
    marks = [ProducerMark("p", number) for number in range(3)]
    assert without_bad([good, bad, good], marks) == ([good, good], [marks[0], marks[2]], {1: bad})
    assert without_bad([good], None) == ([good], None, {})


LINE = b'{"domain":"a","type":"b"}\n'


class Call:
    """One request, seen from the server: parts of the body in, messages out."""

    def __init__(self) -> None:
        self.parts: asyncio.Queue[Any] = asyncio.Queue()
        self.sent: list[Any] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.received = 0

    def give(self, body: bytes, more: bool = True) -> None:
        self.parts.put_nowait({"type": "http.request", "body": body, "more_body": more})

    async def receive(self) -> Any:
        self.received += 1
        return await self.parts.get()

    async def send(self, message: Any) -> None:
        await self.reads.wait()
        self.sent.append(message)

    def answers(self) -> list[Any]:
        body = b"".join(one.get("body", b"") for one in self.sent)
        return [json.loads(line) for line in body.splitlines()]


@asynccontextmanager
async def _response(**options: Any) -> AsyncIterator[tuple[Host, LineAnswers, Call]]:
    """An upload into channel 1 of a host."""
    host = await Host.open(None)
    state = WebState(host, WebOptions(**options))
    publisher = Publisher(state, state.door(OWNER), await new_channel(host), None, trail=False)
    await publisher.begin()
    yield host, LineAnswers(publisher, Numbering(Headers()), state, state.stream()), Call()
    await host.close()


async def test_blank_lines_take_turns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidings.engine.turns._TURN", -1)  # every line is a turn of its own
    async with _response() as (_, response, call):
        call.give(b"\n" * 500, more=False)
        running, rounds = asyncio.ensure_future(response({}, call.receive, call.send)), 0
        while not running.done():
            await asyncio.sleep(0)
            rounds += 1
        assert rounds > 500
        await running


async def test_whoever_does_not_read_the_answers_is_not_read_further() -> None:
    async with _response() as (host, response, call):
        call.reads.clear()
        running = asyncio.ensure_future(response({}, call.receive, call.send))
        for _ in range(100):
            call.give(LINE)
        await turns(300)
        assert host.factory.channel(1).seq < 30
        call.reads.set()
        call.give(b"", more=False)
        await running
        assert [one["seq"] for one in call.answers()] == list(range(1, 101))


@pytest.mark.parametrize(("options", "begun", "why"), [
    ({"upload_pause": 0.02}, b"", "nothing has come for 0.02 s"),
    ({"read_patience": 0.02}, LINE[:5], "the end of the line"),
    ({"body_patience": 0.02}, LINE[:5], "the end of the line"),
])  # fmt: skip
async def test_a_slow_upload_is_ended_and_what_came_is_answered(
    options: dict[str, float], begun: bytes, why: str
) -> None:
    async with _response(**options) as (host, response, call):
        call.give(LINE + begun)
        await response({}, call.receive, call.send)
        first, last = call.answers()
        assert (first["line"], first["seq"], last["line"]) == (1, 1, 2)
        assert why in last["error"]["detail"]
        assert (host.factory.channel(1).seq, response._counts.streams) == (1, 0)


async def test_a_client_that_is_gone_ends_it() -> None:
    async with _response() as (host, response, call):
        call.give(LINE)
        call.parts.put_nowait({"type": "http.disconnect"})
        with pytest.raises(ClientDisconnect):
            await response({}, call.receive, call.send)
        assert host.factory.channel(1).seq == 1


async def test_a_host_that_stops_is_an_error_in_each_line() -> None:
    async with _response() as (host, response, call):
        await host.close()
        call.give(LINE * 2, more=False)
        await response({}, call.receive, call.send)
        codes = [one["error"]["code"] for one in call.answers()]
        assert codes == ["stopping", "stopping"]
