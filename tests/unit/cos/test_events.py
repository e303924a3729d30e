"""Events to the wire and from it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.strategies import events as structured_events
from tests.property.strategies import stored_values
from tidings.channel.translation import entered, left_as
from tidings.channel.vocabulary import Form
from tidings.cos.CosNotification_auto import (
    EventHeader,
    EventType,
    FixedEventHeader,
    Property,
    StructuredEvent_TYPE,
    read_StructuredEvent,
    write_EventBatch,
    write_StructuredEvent,
)
from tidings.cos.CosNotification_auto import StructuredEvent as WireEvent
from tidings.cos.events import (
    NO_EVENT,
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
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION

# Events of all kinds are slow to make; the laws of values are tried more often elsewhere.
some = settings(max_examples=60)


def wire_event(*, header: tuple[Property, ...] = (), data: tuple[Property, ...] = ()) -> WireEvent:
    return WireEvent(EventHeader(FixedEventHeader(EventType("D", "T"), "n"), header), data, None)


def through_the_wire(given_event: WireEvent) -> WireEvent | None:
    """What another program reads; None for texts that no string of CORBA can carry."""
    writer = Writer()
    try:
        write_StructuredEvent(writer, given_event)
    except (BAD_PARAM, DATA_CONVERSION):
        return None
    return read_StructuredEvent(Reader(writer.getvalue(), little=True))


@some
@given(structured_events)
def test_an_event_comes_back_as_it_was(sent: StructuredEvent) -> None:
    assert event_in(event_out(sent)) == sent


@some
@given(structured_events)
def test_an_event_comes_back_from_the_wire_as_it_was(sent: StructuredEvent) -> None:
    read = through_the_wire(event_out(sent))
    if read is not None:
        assert event_in(read) == sent


@some
@given(structured_events)
def test_an_event_read_directly_is_the_event_read_out_of_an_any(sent: StructuredEvent) -> None:
    in_any = Any.trusted(STRUCTURED_EVENT, _plain(event_out(sent)))
    assert event_in_any(in_any) == event_in(event_out(sent))


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


def test_a_batch_is_read_event_by_event() -> None:
    batch = [event("D", "T", str(number), {"n": number}) for number in range(3)]
    writer = Writer()
    write_EventBatch(writer, tuple(map(event_out, batch)))
    found = list(read_batch(Reader(writer.getvalue(), little=True)))
    assert [one.event for one in found] == batch
    assert b"".join([one.octets or b"" for one in found]) in writer.getvalue()


@pytest.mark.parametrize("where", ["header", "data"])
def test_two_properties_with_one_name_are_refused(where: str) -> None:
    twice = (Property("a", 1), Property("b", 2), Property("a", 3))
    bad = wire_event(header=twice) if where == "header" else wire_event(data=twice)
    with pytest.raises(BAD_PARAM, match="two properties of the event have the same name"):
        read_event(_read(bad))
    with pytest.raises(InvalidEvent, match=f"{where}.*: two properties have the same name"):
        event_in(bad)


@pytest.mark.parametrize("where", ["header", "data"])
def test_what_is_read_directly_needs_names_as_well(where: str) -> None:
    nameless = (Property("", 1),)
    bad = wire_event(header=nameless) if where == "header" else wire_event(data=nameless)
    with pytest.raises(BAD_PARAM, match="has no name"):
        read_event(_read(bad))


def _read(given_event: WireEvent) -> Reader:
    writer = Writer()
    write_StructuredEvent(writer, given_event)
    return Reader(writer.getvalue(), little=True)


@some
@given(stored_values)
def test_a_bare_value_enters_as_the_any_it_is(value: Value) -> None:
    box = value if isinstance(value, Any) else Any(infer(value), value)
    for unwrap in (True, False):
        assert entered(any_in(value), unwrap) == entered(box, unwrap)


@some
@given(stored_values)
def test_a_bare_value_leaves_as_it_came(value: Value) -> None:
    assert same(any_out(any_in(value)), value)


@some
@given(structured_events)
def test_consumers_of_anys_get_what_the_core_says_they_get(sent: StructuredEvent) -> None:
    assert same(pack(any_out(sent)), pack(left_as(sent, Form.ANY)))


def test_a_standard_header_property_is_a_plain_number_and_leaves_with_its_type() -> None:
    priority = Property("Priority", Any(tc.SHORT, 4))
    timeout = Property("Timeout", Any(tc.ULONGLONG, 7))
    made = event_in(wire_event(header=(priority, timeout)))
    assert made.header == {"Priority": 4, "Timeout": 7}
    assert event_out(made).header.variable_header == (priority, timeout)


def test_a_header_number_of_another_type_keeps_it() -> None:
    long_priority = Property("Priority", 4)
    made = event_in(wire_event(header=(long_priority,)))
    assert same(made.header["Priority"], Any(tc.LONG, 4))
    assert event_out(made).header.variable_header == (Property("Priority", Any(tc.LONG, 4)),)


def test_a_property_needs_a_name() -> None:
    nameless = (Property("", 1),)
    with pytest.raises(InvalidEvent, match="filterable_data: names must be non-empty"):
        event_in(wire_event(data=nameless))
    with pytest.raises(InvalidEvent, match=r"\[1\]\.variable_header: names must be non-empty"):
        events_in([wire_event(), wire_event(header=nameless)])


def test_batches_are_translated_event_by_event() -> None:
    batch = [event("D", "T", str(number), {"n": number}) for number in range(3)]
    assert events_in(map(event_out, batch)) == batch


def test_no_event_is_empty_and_can_be_written() -> None:
    assert event_in(NO_EVENT) == StructuredEvent()
    assert through_the_wire(NO_EVENT) == NO_EVENT


def test_the_type_of_the_generated_event_is_that_of_events_in_anys() -> None:
    assert StructuredEvent_TYPE == STRUCTURED_EVENT


def _plain(value: object) -> Value:
    """The tuples of generated structs as plain ones."""
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value  # type: ignore[return-value]  # what else is in it is a value


def test_a_batch_is_counted_before_an_event_is_read() -> None:
    octets = (100_000).to_bytes(4, "little") + bytes(24 * 100_000)
    reader = Reader(octets, little=True)
    assert read_batch(reader).count == 100_000
    assert reader.at == 4
