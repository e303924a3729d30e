"""Frames are written and read with nothing lost, and refused when they are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings import event
from tidings.api import frames as f
from tidings.api.items import write_delivered
from tidings.channel.effects import Message
from tidings.errors import BadInput, InvalidEvent, InvalidEventType, LimitExceeded
from tidings.events.codecs.json_codec import encode_event, event_from_plain
from tidings.events.envelope import Envelope, ProducerMark
from tidings.filters.constraint import EventTypePattern

ORIGIN = "0123456789abcdef" * 2
_ids = st.integers(0, 2**63 - 1)
_lists = st.lists(_ids, max_size=5)
_reasons = st.text(max_size=50)
_problems = st.dictionaries(st.text(max_size=5), st.integers(0, 9) | st.text(max_size=5))
CLIENT = st.one_of(
    st.builds(
        f.ConnectFrame, _ids, _ids, _ids, _ids, st.integers(1, f.MAX_WINDOW), st.booleans(),
        st.booleans(),
    ),
    st.builds(f.AckFrame, _ids, _lists),
    st.builds(f.FailFrame, _ids, _lists, _reasons),
    st.builds(f.RejectFrame, _ids, _lists, _reasons),
    st.builds(f.PolledFrame, _ids, _ids, st.just([{"any": 1}]), _reasons, st.booleans()),
    st.builds(f.ReleaseFrame, _ids, _ids, st.booleans()),
    st.builds(f.PushFrame, _ids, _ids, _ids, st.just([{"any": 1}]), trail=st.booleans()),
)  # fmt: skip
SERVER = st.one_of(
    st.builds(f.OkFrame, _ids),
    st.builds(f.ErrorFrame, st.none() | _ids, _problems),
    st.builds(f.PushedFrame, _ids, st.lists(_ids | st.builds(lambda p: {"error": p}, _problems))),
    st.builds(f.ConnectedFrame, _ids, _ids, _ids, st.text(max_size=9)),
    st.builds(f.TypesFrame, _ids, st.lists(st.text(max_size=9)), st.lists(st.text(max_size=9))),
    st.builds(f.PollFrame, _ids, _ids, _ids),
    st.builds(f.GoneFrame, _ids, _problems),
)


@given(CLIENT, SERVER)
def test_frames_come_back(client: Any, server: Any) -> None:
    assert f.read_client_frame(f.write_frame(client)) == client
    assert f.read_server_frame(f.write_frame(server)) == server


@given(_ids, st.lists(st.integers(0, 2**63 - 1) | st.just({"error": {"code": "x"}}), max_size=4))
def test_the_answer_to_a_push_comes_back(id: int, results: list[Any]) -> None:
    assert f.read_server_frame(f.write_pushed(id, results)) == f.PushedFrame(id, results)


@given(
    st.lists(_ids, min_size=1, max_size=4, unique=True), st.booleans(), st.booleans(), st.booleans()
)
def test_events_come_back(seqs: list[int], again: bool, batch: bool, replayed: bool) -> None:
    mark = ProducerMark('a "producer"', 7)
    content = event("Auction", "books", data={"price": 1.5})
    texts = [write_delivered(Message(content, ORIGIN, seq, 5, 0, -3, mark)) for seq in seqs]
    told = seqs[:1] if again else []
    text = f.write_events(4, ORIGIN, ",".join(texts), told, batch=batch, replayed=replayed)
    frame = f.read_server_frame(text)
    assert isinstance(frame, f.EventsFrame)
    assert (frame.line, frame.again, frame.batch, frame.replayed) == (4, told, batch, replayed)
    found = frame.messages()
    assert [one.id for one in found] == [(ORIGIN, seq) for seq in seqs]
    assert all((m.event, m.arrival, m.priority, m.mark) == (content, 5, -3, mark) for m in found)


def test_a_push_says_marks_in_the_shortest_way() -> None:
    one = event("a", "b")
    events = [encode_event(one)] * 2
    rising = [ProducerMark('p"', 4), ProducerMark('p"', 5)]
    plain = json.loads(f.write_push(1, 2, 3, f.push_content(events, rising, trail=True)))
    assert (plain["producer"], plain["number"], plain["trail"]) == ('p"', 4, True)
    mixed = [ProducerMark("p", 4), ProducerMark("q", 5)]
    plain = json.loads(f.write_push(1, 2, 3, f.push_content(events, mixed)))
    assert plain["marks"] == [["p", 4], ["q", 5]]
    for marks in (rising, mixed):
        frame = f.read_client_frame(f.write_push(1, 2, 3, f.push_content(events, marks)).decode())
        assert isinstance(frame, f.PushFrame)
        assert (frame.id, frame.channel, frame.proxy, frame.trail) == (1, 2, 3, False)
        assert frame.producer_marks() == marks
        assert [event_from_plain(plain) for plain in frame.events] == [one, one]


PUSH = '{"op":"push","id":1,"channel":1,"proxy":1,"events":'
CONNECT = '{"op":"connect","id":1,"line":1,"channel":1,"proxy":1,"window":'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *(("7", "object"), ("{}", "needs an op")),
        *(('{"op":"ok","id":1}', "there are connect, push"), ('{"op":["push"]}', "is none")),
        *(('{"op":"ack","line":1}', "seqs"), ('{"op":"ack","line":-1,"seqs":[]}', "`line`")),
        ('{"op":"ack","line":true,"seqs":[]}', "bool"),
        ('{"op":"ack","line":1,"seqs":[1.0]}', "seqs[0]"),
        ('{"op":"ack","line":1,"seqs":[9223372036854775808]}', "seqs[0]"),
        ('{"op":"ack","line":1,"seqs":[],"x":1}', "`x`"),
        ('{"op":"fail","line":1,"seqs":[],"reason":"' + "r" * (f.MAX_REASON + 1) + '"}', "reason"),
        *((CONNECT + "0}", "window"), (CONNECT + "100001}", "window"), (PUSH + "{}}", "events")),
        (PUSH + '[],"number":1}', "go together"),
        (PUSH + '[],"marks":[],"number":1,"producer":""}', "either"),
        *((PUSH + '[],"marks":[["p",1]]}', "each"), (PUSH + '[0],"marks":[]}', "each")),
        (PUSH + "[" + ",".join("0" * (f.MAX_FRAME_EVENTS + 1)) + "]}", "events"),
    ],
)
def test_what_is_no_frame_is_refused(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        f.read_client_frame(text)
    assert told in str(caught.value)


def test_a_frame_that_is_too_long_is_neither_read_nor_written() -> None:
    long = "x" * f.MAX_FRAME_OCTETS
    with pytest.raises(LimitExceeded):
        f.read_client_frame(f'{{"op":"{long}"}}')
    with pytest.raises(LimitExceeded):
        f.write_frame(f.PushFrame(1, 2, 3, [long]))


_names = st.text(alphabet="ab:*", max_size=4)


@given(st.lists(st.builds(EventTypePattern, _names, _names), max_size=3))
def test_event_types_come_back_whatever_colons_they_have(patterns: list[EventTypePattern]) -> None:
    frame = f.read_server_frame(f.write_frame(f.TypesFrame.of(3, patterns, patterns)))
    assert isinstance(frame, f.TypesFrame)
    assert frame.patterns() == (patterns, patterns)


def test_what_is_no_event_type_is_refused() -> None:
    for bad in ({"domain": "a"}, "a::%x"):
        with pytest.raises(InvalidEventType):
            f.TypesFrame(1, [bad], []).patterns()


def test_what_is_no_event_is_refused() -> None:
    text = (
        '{"op":"events","line":1,"origin":"x","events":[{"seq":1,"arrival":2,"priority":0,'
        '"event":{"domain":7}}]}'
    )
    frame = f.read_server_frame(text)
    assert isinstance(frame, f.EventsFrame)
    with pytest.raises(InvalidEvent):
        frame.messages()


EVENT = {"domain": "a", "type": "b"}


@pytest.mark.parametrize(
    ("producer", "number"), [("", 1), ("x" * 257, 1), ("a\n", 1), ("p", 2**63 - 2)]
)
def test_marks_outside_the_rules_are_refused(producer: str, number: int) -> None:
    with pytest.raises(InvalidEvent):
        f.PushFrame(1, 1, 1, [EVENT] * 3, producer, number).producer_marks()


def test_a_message_has_an_id_and_an_envelope() -> None:
    mark = ProducerMark("p", 1)
    found = Message(event("a", "b"), "0" * 32, 7, 8, 0, 2, mark)
    assert found.id == ("0" * 32, 7)
    assert found.envelope == Envelope(event("a", "b"), "0" * 32, 7, 8, mark=mark)
