"""Events to the wire and from it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.laws.strategies import events as structured_events
from tests.laws.strategies import stored_values
from tidings.channel.translation import entered, left_as
from tidings.channel.vocabulary import Form
from tidings.cos import CosNotification_auto as notification
from tidings.cos.CosNotification_auto import (
    EventHeader,
    EventType,
    FixedEventHeader,
    Property,
)
from tidings.cos.CosNotification_auto import StructuredEvent as WireEvent
from tidings.cos.events import (
    any_in,
    any_out,
    event_in,
    event_out,
    events_in,
    read_batch,
    read_event,
    write_event,
)
from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value, infer, pack, same
from tidings.events.build import event
from tidings.events.structured import STRUCTURED_EVENT, StructuredEvent, event_in_any
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import ISO_8859_1, OURS, UTF_8, UTF_16, CodeSets
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, MARSHAL
from tidings.orb.limits import MessageLimits

# A generated module makes these when asked, which a type checker does not see.
read_StructuredEvent = notification.read_StructuredEvent  # type: ignore[attr-defined]
write_StructuredEvent = notification.write_StructuredEvent  # type: ignore[attr-defined]
write_EventBatch = notification.write_EventBatch  # type: ignore[attr-defined]

# Events of all kinds are slow to make; the laws of values are tried more often elsewhere.
some = settings(max_examples=60)


def wire_event(*, header: tuple[Property, ...] = (), data: tuple[Property, ...] = ()) -> WireEvent:
    return WireEvent(EventHeader(FixedEventHeader(EventType("D", "T"), "n"), header), data, None)


def on_the_wire(given_event: WireEvent) -> Reader:
    writer = Writer()
    write_StructuredEvent(writer, given_event)
    return Reader(writer.getvalue(), little=True)


def _plain(value: object) -> Value:
    """The tuples of generated structs as plain ones."""
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value  # type: ignore[return-value]  # what else is in it is a value


@some
@given(structured_events)
def test_an_event_comes_back_as_it_was(sent: StructuredEvent) -> None:
    out = event_out(sent)
    assert event_in(out) == sent
    assert event_in_any(Any.trusted(STRUCTURED_EVENT, _plain(out))) == sent
    assert same(pack(any_out(sent)), pack(left_as(sent, Form.ANY)))
    try:
        reader = on_the_wire(out)
    except (BAD_PARAM, DATA_CONVERSION):
        return  # texts that no string of CORBA can carry
    assert event_in(read_StructuredEvent(reader)) == sent


@some
@given(structured_events, st.booleans(), st.integers(0, 7))
def test_an_event_is_written_and_read_directly_as_by_way_of_the_struct(
    sent: StructuredEvent, little: bool, offset: int
) -> None:
    direct, generated = (Writer(little=little, origin=-offset) for _ in range(2))
    try:
        write_StructuredEvent(generated, event_out(sent))
    except (BAD_PARAM, DATA_CONVERSION) as error:
        with pytest.raises(type(error)):
            write_event(direct, sent)
        return
    write_event(direct, sent)
    assert direct.getvalue() == generated.getvalue()
    octets = b"\0" * offset + direct.getvalue()
    reader = Reader(octets, little=little, at=offset)
    found = read_event(reader)
    assert found.event == sent
    assert reader.left == 0
    if found.octets is not None:
        assert octets.endswith(found.octets)
        assert (len(octets) - len(found.octets)) % 8 == found.offset


@given(structured_events, st.booleans(), st.integers(0, 1), st.sampled_from([UTF_8, ISO_8859_1]))
@example(event("D", "T", "n", {"a": 2.5}), True, 1, UTF_8)
def test_octets_that_came_are_those_that_would_be_written_in_every_code_set(
    sent: StructuredEvent, little: bool, words: int, char: int
) -> None:
    came = Writer(little=little, codesets=OURS, origin=-4 * words)
    try:
        write_event(came, sent)
    except (BAD_PARAM, DATA_CONVERSION):
        return
    octets = bytes(4 * words) + came.getvalue()
    found = read_event(Reader(octets, little=little, at=4 * words, codesets=OURS))
    if found.octets is not None:
        again = Writer(little=little, codesets=CodeSets(char, None), origin=-found.offset)
        write_event(again, found.event)
        assert again.getvalue() == found.octets


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (event("D", "T", "n", {"a": 1, "b": "text"}, body=2.5), True),
        (event("D", "T", "n", {"a": "Zürich"}), False),
        (event("Zürich", "T"), False),
        (event("D", "T", body=Any(tc.CHAR, "ü")), False),
        (event("D", "T", body=Any(tc.WSTRING, "wide")), False),
    ],
)
def test_octets_that_other_code_sets_would_change_do_not_pass(
    sent: StructuredEvent, kept: bool
) -> None:
    latin = CodeSets(ISO_8859_1, UTF_16)
    writer = Writer(codesets=latin)
    write_event(writer, sent)
    found = read_event(Reader(writer.getvalue(), little=True, codesets=latin))
    assert found.event == sent
    assert (found.octets is not None) == kept


@pytest.mark.parametrize("where", ["header", "data"])
def test_properties_need_names_and_each_its_own(where: str) -> None:
    for names, directly, in_structs in (
        ("aba", "two properties of the event have the same name", "two properties have the same"),
        ([""], "has no name", "names must be non-empty"),
    ):
        properties = tuple(Property(name, 1) for name in names)
        bad = wire_event(header=properties) if where == "header" else wire_event(data=properties)
        with pytest.raises(BAD_PARAM, match=directly):
            read_event(on_the_wire(bad))
        with pytest.raises(InvalidEvent, match=f"{where}: {in_structs}"):
            event_in(bad)
        with pytest.raises(InvalidEvent, match=rf"\[1\]\.[a-z]+_{where}: {in_structs}"):
            events_in([wire_event(), bad])


@some
@given(stored_values)
def test_a_bare_value_enters_as_the_any_it_is_and_leaves_as_it_came(value: Value) -> None:
    box = value if isinstance(value, Any) else Any(infer(value), value)
    for unwrap in (True, False):
        assert entered(any_in(value), unwrap) == entered(box, unwrap)
    assert same(any_out(any_in(value)), value)


def test_a_batch_is_counted_before_an_event_is_read() -> None:
    octets = (100_000).to_bytes(4, "little") + bytes(24 * 100_000)
    reader = Reader(octets, little=True)
    assert read_batch(reader).count == 100_000
    assert reader.at == 4
    with pytest.raises(MARSHAL):
        read_batch(Reader(octets[:-1], little=True))


def test_what_one_event_may_hold_each_of_a_batch_may() -> None:
    writer = Writer()
    write_EventBatch(writer, [wire_event(data=(Property("a", 1), Property("b", 2)))] * 3)
    reader = Reader(writer.getvalue(), little=True, limits=MessageLimits(elements=2))
    assert len(list(read_batch(reader))) == 3
