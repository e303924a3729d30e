"""Frames are written and read with nothing lost, and refused when they are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings import event
from tidings.api.delivered import write_delivered
from tidings.api.frames import (
    MAX_FRAME_EVENTS,
    MAX_FRAME_OCTETS,
    MAX_REASON,
    MAX_WINDOW,
    AckFrame,
    ConnectedFrame,
    ConnectFrame,
    ErrorFrame,
    EventsFrame,
    FailFrame,
    GoneFrame,
    OkFrame,
    PolledFrame,
    PollFrame,
    PushedFrame,
    PushFrame,
    RejectFrame,
    ReleaseFrame,
    TypesFrame,
    frame_id,
    push_content,
    read_client_frame,
    read_server_frame,
    write_events,
    write_frame,
    write_push,
    write_pushed,
)
from tidings.errors import BadInput, InvalidEvent, LimitExceeded
from tidings.events.codecs.json_codec import encode_event, event_from_plain
from tidings.events.envelope import ProducerMark

ORIGIN = "0123456789abcdef" * 2
_ids = st.integers(0, 2**63 - 1)
_lists = st.lists(_ids, max_size=5)
_reasons = st.text(max_size=50)
_problems = st.dictionaries(st.text(max_size=5), st.integers(0, 9) | st.text(max_size=5))

CLIENT = st.one_of(
    st.builds(
        ConnectFrame, _ids, _ids, _ids, _ids, st.integers(1, MAX_WINDOW), st.booleans(),
        st.booleans(),
    ),
    st.builds(AckFrame, _ids, _lists),
    st.builds(FailFrame, _ids, _lists, _reasons),
    st.builds(RejectFrame, _ids, _lists, _reasons),
    st.builds(PolledFrame, _ids, _ids, st.just([{"any": 1}]), _reasons, st.booleans()),
    st.builds(ReleaseFrame, _ids, _ids, st.booleans()),
    st.builds(PushFrame, _ids, _ids, _ids, st.just([{"any": 1}]), trail=st.booleans()),
)  # fmt: skip
SERVER = st.one_of(
    st.builds(OkFrame, _ids),
    st.builds(ErrorFrame, st.none() | _ids, _problems),
    st.builds(PushedFrame, _ids, st.lists(_ids | st.builds(lambda p: {"error": p}, _problems))),
    st.builds(ConnectedFrame, _ids, _ids, _ids, st.text(max_size=9)),
    st.builds(TypesFrame, _ids, st.lists(st.text(max_size=9)), st.lists(st.text(max_size=9))),
    st.builds(PollFrame, _ids, _ids, _ids),
    st.builds(GoneFrame, _ids, _problems),
)


@given(CLIENT)
def test_a_client_s_frame_comes_back(frame: Any) -> None:
    assert read_client_frame(write_frame(frame)) == frame


@given(SERVER)
def test_a_server_s_frame_comes_back(frame: Any) -> None:
    assert read_server_frame(write_frame(frame)) == frame


@given(_ids, st.lists(st.integers(0, 2**63 - 1) | st.just({"error": {"code": "x"}}), max_size=4))
def test_the_answer_to_a_push_comes_back(id: int, results: list[Any]) -> None:
    assert read_server_frame(write_pushed(id, results)) == PushedFrame(id, results)


@given(
    st.lists(_ids, min_size=1, max_size=4, unique=True),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_events_come_back(seqs: list[int], again: bool, batch: bool, replayed: bool) -> None:
    mark = ProducerMark('a "producer"', 7)
    content = event("Auction", "books", data={"price": 1.5})
    texts = [write_delivered(seq, 5, -3, mark, content) for seq in seqs]
    told = seqs[:1] if again else []
    text = write_events(4, ORIGIN, ",".join(texts), told, batch=batch, replayed=replayed)
    frame = read_server_frame(text)
    assert isinstance(frame, EventsFrame)
    assert (frame.line, frame.again, frame.batch, frame.replayed) == (4, told, batch, replayed)
    found = frame.messages()
    assert [one.id for one in found] == [(ORIGIN, seq) for seq in seqs]
    assert all((m.event, m.arrival, m.priority, m.mark) == (content, 5, -3, mark) for m in found)


def test_a_push_says_marks_in_the_shortest_way() -> None:
    one = event("a", "b")
    events = [encode_event(one)] * 2
    rising = [ProducerMark('p"', 4), ProducerMark('p"', 5)]
    plain = json.loads(write_push(1, 2, 3, push_content(events, rising, trail=True)))
    assert (plain["producer"], plain["number"], plain["trail"]) == ('p"', 4, True)
    mixed = [ProducerMark("p", 4), ProducerMark("q", 5)]
    plain = json.loads(write_push(1, 2, 3, push_content(events, mixed)))
    assert plain["marks"] == [["p", 4], ["q", 5]]
    for marks in (rising, mixed):
        frame = read_client_frame(write_push(1, 2, 3, push_content(events, marks)).decode())
        assert isinstance(frame, PushFrame)
        assert (frame.id, frame.channel, frame.proxy, frame.trail) == (1, 2, 3, False)
        assert frame.producer_marks() == marks
        assert [event_from_plain(plain) for plain in frame.events] == [one, one]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("7", "object"),
        ("{}", "needs an op"),
        ('{"op":"ok","id":1}', "there are connect, push"),
        ('{"op":["push"]}', "is none"),
        ('{"op":"ack","line":1}', "seqs"),
        ('{"op":"ack","line":-1,"seqs":[]}', "`line`"),
        ('{"op":"ack","line":true,"seqs":[]}', "bool"),
        ('{"op":"ack","line":1,"seqs":[1.0]}', "seqs[0]"),
        ('{"op":"ack","line":1,"seqs":[9223372036854775808]}', "seqs[0]"),
        ('{"op":"ack","line":1,"seqs":[],"x":1}', "`x`"),
        ('{"op":"fail","line":1,"seqs":[],"reason":"' + "r" * (MAX_REASON + 1) + '"}', "reason"),
        ('{"op":"connect","id":1,"line":1,"channel":1,"proxy":1,"window":0}', "window"),
        ('{"op":"connect","id":1,"line":1,"channel":1,"proxy":1,"window":100001}', "window"),
        ('{"op":"push","id":1,"channel":1,"proxy":1,"events":{}}', "events"),
        ('{"op":"push","id":1,"channel":1,"proxy":1,"events":[],"number":1}', "go together"),
        (
            '{"op":"push","id":1,"channel":1,"proxy":1,"events":[],"marks":[],"number":1,"producer":""}',
            "either",
        ),
        ('{"op":"push","id":1,"channel":1,"proxy":1,"events":[],"marks":[["p",1]]}', "each"),
        (
            '{"op":"push","id":1,"channel":1,"proxy":1,"events":['
            + ",".join("0" * (MAX_FRAME_EVENTS + 1))
            + "]}",
            "events",
        ),
    ],
)
def test_what_is_no_frame_is_refused(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_client_frame(text)
    assert told in str(caught.value)


def test_names_that_stand_twice_and_what_is_no_json_are_refused() -> None:
    for text in ('{"op":"ack","line":1,"seqs":[],"line":2}', '{"op":', "", '{"op":"\ud800"}'):
        with pytest.raises(InvalidEvent):
            read_client_frame(text)


def test_a_frame_that_is_too_long_is_neither_read_nor_written() -> None:
    long = "x" * MAX_FRAME_OCTETS
    with pytest.raises(LimitExceeded):
        read_client_frame(f'{{"op":"{long}"}}')
    with pytest.raises(LimitExceeded):
        write_frame(PushFrame(1, 2, 3, [long]))


@pytest.mark.parametrize("text", ["", "[]", '{"op":"push"}', '{"op":"ok"}', '{"op":"ok","id":"1"}'])
def test_what_no_server_says_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_server_frame(text)


@pytest.mark.parametrize(
    ("text", "id"),
    [('{"op":"x","id":7}', 7), ('{"id":"7"}', None), ("{", None), ("[]", None), ("{}", None)],
)
def test_the_id_of_a_refused_frame_is_found_if_it_has_one(text: str, id: int | None) -> None:
    assert frame_id(text) == id
