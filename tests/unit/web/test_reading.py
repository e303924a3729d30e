"""Bodies become events, and lines are found however the body is cut into parts."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from tests.unit.engine.hosts import run
from tidings import event
from tidings.api.frames import PushFrame, read_client_frame
from tidings.errors import BadInput, InvalidEvent, LimitExceeded, UnsupportedMedia
from tidings.events.codecs.cloudevents_codec import encode_structured
from tidings.events.envelope import Envelope, ProducerMark
from tidings.web import reading
from tidings.web.reading import (
    Bounds,
    Incoming,
    LineSplitter,
    Numbering,
    read_events,
    read_frame,
    read_items,
    read_line,
)

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


def test_our_own_cloudevents_keep_their_marks() -> None:
    mark = ProducerMark("p", 4)
    envelope = Envelope(event("a", "b"), "0" * 32, 1, 1_000_000, mark=mark)
    text = encode_structured(envelope)
    found = run(read_events("application/cloudevents+json", Headers(), text, BOUNDS))
    assert found == Incoming(event("a", "b"), mark)


def test_what_holds_no_events_is_refused() -> None:
    with pytest.raises(UnsupportedMedia, match="application/json"):
        run(read_events("text/csv", Headers(), b"", BOUNDS))
    with pytest.raises(InvalidEvent):
        run(read_events("application/json", Headers(), b"", BOUNDS))
    with pytest.raises(InvalidEvent):
        run(read_events("application/cloudevents-batch+json", Headers(), b"{}", BOUNDS))


def test_numbers_count_places_also_those_without_an_event() -> None:
    numbering = Numbering(Headers({"Tidings-Producer": "p", "Tidings-Number": "7"}))
    good, bad = Incoming(event("a", "b")), Incoming(InvalidEvent("none"))
    marks = [numbering.mark(one).mark for one in (good, bad, good)]
    assert marks == [ProducerMark("p", number) for number in (7, 8, 9)]
    twice = numbering.mark(Incoming(event("a", "b"), ProducerMark("q", 1)))
    assert isinstance(twice.item, InvalidEvent)
    assert Numbering(Headers()).mark(good) is good


def test_a_producer_s_name_may_have_any_letters() -> None:
    name = "käfer"
    raw = [(b"tidings-producer", name.encode()), (b"tidings-number", b"0")]
    marked = Numbering(Headers(raw=raw)).mark(Incoming(event("a", "b")))
    assert marked.mark == ProducerMark(name, 0)


@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "9" * 30, "²"])
def test_a_number_that_is_none_is_refused(number: str) -> None:
    raw = [(b"tidings-producer", b"p"), (b"tidings-number", number.encode("latin-1"))]
    with pytest.raises((BadInput, InvalidEvent)):
        Numbering(Headers(raw=raw))


def test_a_producer_s_name_is_utf_8() -> None:
    raw = [(b"tidings-producer", b"\xff"), (b"tidings-number", b"0")]
    with pytest.raises(BadInput, match="no UTF-8"):
        Numbering(Headers(raw=raw))


def test_numbers_have_an_end() -> None:
    last = 2**63 - 1
    numbering = Numbering(Headers({"Tidings-Producer": "p", "Tidings-Number": str(last)}))
    good = Incoming(event("a", "b"))
    assert numbering.mark(good).mark == ProducerMark("p", last)
    for _ in range(2):
        assert isinstance(numbering.mark(good).item, InvalidEvent)


def _told(kind: str, body: bytes) -> object:
    """The events in a body, or what is said against it."""
    try:
        found = run(read_events(kind, Headers(), body, BOUNDS))
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
        patch.setattr(reading, "_AT_ONCE", 0)
        assert _told(kind, body) == short


@pytest.mark.parametrize("long", [False, True])
def test_events_are_counted_before_the_first_is_read(
    long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[object] = []
    monkeypatch.setattr(reading, "_read_plain", parsed.append)
    if long:
        monkeypatch.setattr(reading, "parse_json", parsed.append)
    size = 1_000_000 if long else 1_000
    with pytest.raises(LimitExceeded, match="more than the 3 events"):
        run(read_events("application/json", Headers(), b"[" + b"1," * size + b"1]", BOUNDS))
    assert not parsed


def test_an_event_with_too_many_values_is_an_error_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "_AT_ONCE", 0)
    body = _json([EVENT, {**EVENT, "body": [1] * 200}, EVENT])
    found = run(read_events("application/json", Headers(), body, BOUNDS))
    assert isinstance(found, list)
    assert [type(one.item) for one in found] == [type(event("a", "b")), LimitExceeded] * 1 + [
        type(event("a", "b"))
    ]
    with pytest.raises(LimitExceeded, match="more than the 100 values"):
        run(read_events("application/json", Headers(), _json({"body": [1] * 200}), BOUNDS))


FRAME = {"op": "push", "id": 1, "channel": 2, "proxy": 3, "events": [EVENT, {"any": "],"}, 7]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(FRAME),
        json.dumps({**FRAME, "producer": "p", "number": 4}),
        json.dumps({**FRAME, "marks": [["p", 1], ["q", 2], ["r", 3]]}),
        json.dumps({"op": "ack", "line": 1, "seqs": [1, 2]}),
        json.dumps({**FRAME, "events": []}),
        json.dumps({**FRAME, "events": 7}),
        json.dumps({**FRAME, "more": 7}),
        json.dumps(FRAME)[:-1] + ',"events":[]}',
        json.dumps(FRAME)[:-1] + "]",
        json.dumps(FRAME)[:-1],
        json.dumps(FRAME) + "x",
        "[1]",
        "7",
        "",
    ],
)
def test_a_long_frame_is_read_as_a_short_one(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_AT_ONCE", -1)
    try:
        frame = read_client_frame(text)
    except BadInput:
        with pytest.raises(BadInput):
            run(read_frame(text, BOUNDS))
    else:
        assert run(read_frame(text, BOUNDS)) == frame


def test_a_frame_s_events_are_counted_before_they_are_parsed() -> None:
    text = json.dumps({**FRAME, "events": [1] * 100_000})
    with pytest.raises(LimitExceeded, match="more than the 3 events"):
        run(read_frame(text, BOUNDS))


def test_errors_stand_where_events_of_a_frame_should() -> None:
    frame = run(read_frame(json.dumps(FRAME), BOUNDS))
    assert isinstance(frame, PushFrame)
    first, second, third = run(read_items(frame.events))
    assert first == event("a", "b")
    assert not isinstance(second, Exception)
    assert isinstance(third, InvalidEvent)
