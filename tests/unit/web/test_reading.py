"""Bodies become events, and lines are found however the body is cut into parts."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from tidings import event
from tidings.errors import BadInput, InvalidEvent, LimitExceeded, UnsupportedMedia
from tidings.events.codecs.cloudevents_codec import encode_structured
from tidings.events.envelope import Envelope, ProducerMark
from tidings.web.reading import Incoming, LineSplitter, Numbering, read_events, read_line

EVENT = {"domain": "a", "type": "b"}


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
        if len(line) > 10 or line.strip()
    ]
    assert found == expected


def test_a_line_is_an_event_or_what_is_wrong_with_it() -> None:
    assert read_line(_json(EVENT)) == Incoming(event("a", "b"))
    marked = read_line(_json({"event": EVENT, "producer": "p", "number": 1}))
    assert marked.mark == ProducerMark("p", 1)
    assert isinstance(read_line(b"{").item, InvalidEvent)
    assert isinstance(read_line(None).item, LimitExceeded)
    for bad in ({"event": EVENT, "producer": "p"}, {"event": 7}, {"event": EVENT, "x": 1},
                {"event": EVENT, "producer": 7, "number": 1}):  # fmt: skip
        assert isinstance(read_line(_json(bad)).item, InvalidEvent)


def test_our_own_cloudevents_keep_their_marks() -> None:
    mark = ProducerMark("p", 4)
    envelope = Envelope(event("a", "b"), "0" * 32, 1, 1_000_000, mark=mark)
    text = encode_structured(envelope)
    found = read_events("application/cloudevents+json", Headers(), text)
    assert found == Incoming(event("a", "b"), mark)


def test_what_holds_no_events_is_refused() -> None:
    with pytest.raises(UnsupportedMedia, match="application/json"):
        read_events("text/csv", Headers(), b"")
    with pytest.raises(InvalidEvent):
        read_events("application/json", Headers(), b"")
    with pytest.raises(InvalidEvent):
        read_events("application/cloudevents-batch+json", Headers(), b"{}")


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
