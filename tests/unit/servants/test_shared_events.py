"""Events are written once for all consumers that take the same octets."""

from __future__ import annotations

import pytest

from tidings.channel.vocabulary import Form
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos.events import ReadEvent, any_out, event_out
from tidings.engine.bodies import Message
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import NOT_NEGOTIATED, OURS
from tidings.orb.giop import Wire
from tidings.orb.stubs import Operation
from tidings.servants.shared_events import SharedEvents, UnwritableError

ANY = comm.PushConsumer_INTERFACE.operations["push"]
ONE = comm.StructuredPushConsumer_INTERFACE.operations["push_structured_event"]
MANY = comm.SequencePushConsumer_INTERFACE.operations["push_structured_events"]
EVENTS = [event("D", "T", "n" * number, {"a": number}, body=1.5) for number in range(5)]


def message(content: StructuredEvent, seq: int = 1) -> Message:
    return Message(content, "0" * 32, seq, 0)


def written(operation: Operation, arguments: tuple[object, ...], writer: Writer) -> bytes:
    operation.write_arguments(writer, arguments)
    return writer.getvalue()


@pytest.mark.parametrize("little", [True, False])
@pytest.mark.parametrize("offset", range(9))
def test_the_octets_are_those_of_the_operation_however_often_they_are_written(
    little: bool, offset: int
) -> None:
    shared = SharedEvents()
    messages = [message(one, seq) for seq, one in enumerate(EVENTS)]
    for _ in range(3):
        pairs = [
            (ANY, Form.ANY, messages[:1], any_out(EVENTS[0])),
            (ONE, Form.STRUCTURED, messages[1:2], event_out(EVENTS[1])),
            (MANY, Form.SEQUENCE, messages, tuple(map(event_out, EVENTS))),
        ]
        for operation, form, handed, meant in pairs:
            ours, theirs = (Writer(little=little, origin=-offset) for _ in range(2))
            push = shared.operation(operation, form)
            right = written(operation, (meant,), theirs)
            assert written(push, (handed,), ours) == right
            octets = shared.octets(push, form)
            assert octets(handed, Wire(2, little, ours.codesets), offset) == right


def test_an_event_is_written_once_for_all_consumers(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    string = Writer.string

    def counting(writer: Writer, value: str) -> None:
        texts.append(value)
        string(writer, value)

    monkeypatch.setattr(Writer, "string", counting)
    shared = SharedEvents()
    one = message(event("Domain", "T"))
    for _ in range(4):
        written(shared.operation(ONE, Form.STRUCTURED), ([one],), Writer())
    assert texts.count("Domain") == 1
    written(shared.operation(ONE, Form.STRUCTURED), ([one],), Writer(little=False))
    assert texts.count("Domain") == 2


def test_another_event_with_the_same_number_is_another_event() -> None:
    shared = SharedEvents()
    push = shared.operation(ONE, Form.STRUCTURED)
    for name in ("one", "two"):
        found = written(push, ([message(event("D", "T", name))],), Writer())
        assert name.encode() in found


def test_long_events_are_not_kept() -> None:
    shared = SharedEvents()
    long = message(event("D", "T", body="x" * 70_000))
    written(shared.operation(ONE, Form.STRUCTURED), ([long],), Writer())
    assert not shared._kept._of_key
    shared.came(ReadEvent(long.event, bytes(70_000), 0, 2, True), Form.STRUCTURED)
    assert not shared._kept._of_key


def test_octets_that_came_are_sent_where_they_fit() -> None:
    shared = SharedEvents()
    push = shared.operation(ONE, Form.STRUCTURED)
    octets = shared.octets(push, Form.STRUCTURED)
    one = message(EVENTS[3])
    shared.came(ReadEvent(one.event, b"as it came", 4, 2, True), Form.STRUCTURED)
    for codesets in (OURS, NOT_NEGOTIATED):
        assert octets([one], Wire(2, True, codesets), 12) == b"as it came"
        again = Writer(origin=-1, codesets=codesets)
        assert written(push, ([one],), again) == b"\0\0\0as it came"
    for wire, at in (
        (Wire(2, True, OURS), 8),
        (Wire(2, False, OURS), 12),
        (Wire(1, True, OURS), 12),
    ):
        assert b"nnn" in octets([one], wire, at)
    as_any = shared.octets(shared.operation(ANY, Form.ANY), Form.ANY)
    assert b"nnn" in as_any([one], Wire(2, True, OURS), 12)
    equal = message(event("D", "T", "nnn", {"a": 3}, body=1.5))
    assert b"nnn" in octets([equal], Wire(2, True, OURS), 12)


def test_little_is_kept() -> None:
    shared = SharedEvents()
    for number in range(10_000):
        came = ReadEvent(event("D", "T", str(number)), bytes(number % 500), 0, 2, True)
        shared.came(came, Form.STRUCTURED)
        shared.came(came, Form.STRUCTURED)
    kept = shared._kept._of_key.values()
    assert 800 < len(kept) < 2_100
    octets = sum(512 + len(octets) for _, octets in kept)
    assert octets == shared._kept._octets <= 1024 * 1024


def test_what_cannot_be_written_is_told_from_errors_of_consumers() -> None:
    push = SharedEvents().operation(ONE, Form.STRUCTURED)
    with pytest.raises(UnwritableError, match="NUL"):
        written(push, ([message(event("no\x00string", "T"))],), Writer())


def test_an_event_that_is_too_long_for_any_message_is_not_sent() -> None:
    push = SharedEvents(most=1_000).operation(MANY, Form.SEQUENCE)
    small, large = (message(event("D", "T", body="x" * count)) for count in (100, 1_000))
    written(push, ([small, small],), Writer())
    with pytest.raises(UnwritableError, match="too many octets") as told:
        written(push, ([large, small],), Writer())
    assert told.value.fits == 0
