"""Every codec gives back what it was given, and every type comes back from its value."""

from __future__ import annotations

import json
import math

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from tests.laws.strategies import (
    all_typecodes,
    envelopes,
    events,
    foreign_cloudevents,
    similar_events,
    stored_values,
    typecodes,
    values_of,
)
from tidings.events.anyvalue import Any, Value, conform, infer, nesting, pack, same
from tidings.events.build import event as make_event
from tidings.events.codecs import arrow_codec, cloudevents_codec, json_codec
from tidings.events.codecs.json_types import type_from_plain, type_to_plain
from tidings.events.envelope import Envelope
from tidings.events.fields import plain
from tidings.events.schema import Catalogue
from tidings.events.structured import StructuredEvent, event_in_any
from tidings.events.typecode import TypeCode
from tidings.events.typetext import describe, read_type, type_text

# ---------------------------------------------------------------- values and types


@given(stored_values)
def test_packing_twice_changes_nothing(value: Value) -> None:
    assert same(pack(value), value)


@given(stored_values)
def test_inference_gives_the_type_back(value: Value) -> None:
    inner = value.value if isinstance(value, Any) else value
    assert same(pack(Any(infer(value), inner)), value)


@given(typecodes.flatmap(lambda t: st.tuples(st.just(t), values_of(t))))
def test_what_conforms_conforms_again(pair: tuple[TypeCode, object]) -> None:
    type_, value = pair
    stored = conform(type_, value)
    assert same(conform(type_, stored), stored)
    assert nesting(stored) <= 64


@given(stored_values)
def test_a_value_is_the_same_as_itself_only(value: Value) -> None:
    assert same(value, value)
    assert not same(value, (value,))
    assert not same({"a": value}, {"b": value})


@given(all_typecodes)
def test_types_as_plain_data(type_: TypeCode) -> None:
    written = json.dumps(type_to_plain(type_))
    assert type_from_plain(json.loads(written)) == type_


@given(all_typecodes)
def test_types_as_text(type_: TypeCode) -> None:
    text = type_text(type_)
    if text is None:
        assert describe(type_)
    else:
        assert read_type(text) == type_


@given(all_typecodes, all_typecodes)
def test_equal_types_are_equivalent(one: TypeCode, two: TypeCode) -> None:
    assert one.equivalent(one)
    assert one.equivalent(two) == two.equivalent(one)
    if one == two:
        assert hash(one) == hash(two)
        assert one.equivalent(two)


@given(events)
def test_events_as_values(event: StructuredEvent) -> None:
    assert event_in_any(event.as_any()) == event
    assert event_in_any(Any(event.as_any().type, event.as_any().value)) == event


# ---------------------------------------------------------------- typed JSON


@given(events)
@example(make_event("A", "B", data={"x": {"$type": 7}}))
def test_typed_json(event: StructuredEvent) -> None:
    octets = json_codec.encode_event(event)
    again = json_codec.decode_event(octets)
    assert again == event
    assert json_codec.encode_event(again) == octets


@given(events, st.sampled_from([None, 2]), st.booleans())
def test_typed_json_through_other_hands(
    event: StructuredEvent,
    indent: int | None,
    ascii_only: bool,
) -> None:
    parsed = json.loads(json_codec.encode_event(event))
    assert json_codec.event_from_plain(parsed) == event
    assert json_codec.event_to_plain(event) == parsed
    rewritten = json.dumps(parsed, indent=indent, ensure_ascii=ascii_only)
    assert json_codec.decode_event(rewritten) == event


@given(envelopes)
def test_typed_json_of_envelopes(envelope: Envelope) -> None:
    octets = json_codec.encode_envelope(envelope)
    assert json_codec.decode_envelope(octets) == envelope


@given(events)
def test_reading_leaves_the_plain_data_alone(event: StructuredEvent) -> None:
    parsed = json_codec.event_to_plain(event)
    before = msgspec.json.encode(parsed)
    json_codec.event_from_plain(parsed)
    assert msgspec.json.encode(parsed) == before


# ---------------------------------------------------------------- CloudEvents


@given(envelopes)
def test_cloudevents_of_ours(envelope: Envelope) -> None:
    structured = cloudevents_codec.encode_structured(envelope)
    assert cloudevents_codec.decode_structured(structured) == envelope
    assert cloudevents_codec.decode_binary(*cloudevents_codec.encode_binary(envelope)) == envelope
    batch = cloudevents_codec.encode_batch([envelope, envelope])
    assert cloudevents_codec.decode_batch(batch) == [envelope, envelope]


@given(foreign_cloudevents())
def test_cloudevents_of_others(given: dict[str, object]) -> None:
    event = cloudevents_codec.decode_structured(json.dumps(given))
    assert isinstance(event, StructuredEvent)
    again = json.loads(cloudevents_codec.encode_structured(event))
    assert again.keys() == given.keys()
    assert {name: repr(value) for name, value in again.items()} == {
        name: repr(value) for name, value in given.items()
    }
    assert json_codec.decode_event(json_codec.encode_event(event)) == event


@given(foreign_cloudevents())
def test_cloudevents_of_others_in_headers(given: dict[str, object]) -> None:
    event = cloudevents_codec.decode_structured(json.dumps(given))
    headers, body = cloudevents_codec.encode_binary(event)
    again = cloudevents_codec.decode_binary(headers, body)
    assert cloudevents_codec.encode_binary(again) == (headers, body)
    assert isinstance(event, StructuredEvent)
    assert isinstance(again, StructuredEvent)
    assert again.data == event.data
    assert (again.body, again.type, again.name) == (event.body, event.type, event.name)


# ---------------------------------------------------------------- Arrow


@given(st.lists(envelopes, max_size=2))
def test_record_batches(given: list[Envelope]) -> None:
    assert arrow_codec.from_record_batch(arrow_codec.to_record_batch(given)) == given


@given(envelopes)
def test_maps_of_properties(envelope: Envelope) -> None:
    (row,) = arrow_codec.to_record_batch([envelope]).to_pylist()
    for part, properties in (("header", envelope.event.header), ("data", envelope.event.data)):
        seen = {name: plain(value) for name, value in properties.items()}
        kinds = {"int": int, "double": float, "string": str, "bool": bool}
        for end, kind in kinds.items():
            expected = [
                (name, value)
                for name, value in seen.items()
                if type(value) is kind and not (kind is int and value >= 2**63)  # type: ignore[operator]
            ]
            assert repr(row[f"{part}_{end}"]) == repr(expected)
        lists = [f"data_{end}s" for end in kinds] if part == "data" else []
        mapped = [name for end in kinds for name, _ in row[f"{part}_{end}"]]
        mapped += [name for column in lists for name, _ in row[column]]
        assert sorted([*mapped, *row[f"{part}_other"]]) == sorted(seen)
        for column in lists:
            for name, values in row[column]:
                assert repr(tuple(values)) == repr(seen[name])


# ---------------------------------------------------------------- the catalogue


observed = st.tuples(similar_events, st.sampled_from(["", "a", "b"]))


@given(st.lists(observed, max_size=6), st.integers(0, 6))
def test_catalogues_merge(seen: list[tuple[StructuredEvent, str]], cut: int) -> None:
    whole, one, two = Catalogue(), Catalogue(), Catalogue()
    for index, (event, producer) in enumerate(seen):
        whole.observe(event, producer, at=index)
        (one if index < cut else two).observe(event, producer, at=index)
    other_way = Catalogue.from_plain(two.to_plain())
    other_way.merge(one)
    one.merge(two)
    assert one == other_way == whole
    assert sum(noted.count for noted in whole) == len(seen)
    for noted in whole:
        for field in (*noted.header.values(), *noted.data.values()):
            assert all(sum(t.producers.values()) == t.count for t in field.types.values())
    assert Catalogue.from_plain(json.loads(json.dumps(whole.to_plain()))) == whole


def test_json_has_nothing_for_nan() -> None:
    # The law above would not notice a writer that spells NaN as null and reads it as NaN.
    event = StructuredEvent("A", "B", data={"x": math.nan})
    assert b"null" not in json_codec.encode_event(event)
