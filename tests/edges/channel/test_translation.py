"""The forms in which events enter and leave the core, and what they weigh."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from sys import getsizeof
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.channel.translation import approximate_octets, entered, left_as
from tidings.channel.vocabulary import Form
from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue, Value, same
from tidings.events.build import event
from tidings.events.fields import StructuredFields, fields_for
from tidings.events.reference import Reference
from tidings.events.structured import STRUCTURED_EVENT, StructuredEvent

SPEED = event("Traffic", "Speed", "car-7", {"kmh": 81.5}, priority=4, body=(1, 2))
SHORT = Any(tc.SHORT, 4)
POINT = Any(tc.struct("IDL:Point:1.0", "Point", [("x", tc.LONG), ("y", tc.LONG)]), {"x": 1, "y": 2})

VALUES: st.SearchStrategy[Value] = st.recursive(
    st.one_of(
        *(st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats()),
        *(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), st.binary(max_size=5)),
        st.sampled_from([SHORT, POINT, Decimal("1.50")]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    ),
    max_leaves=6,
)
EVENTS = st.builds(
    event,
    st.sampled_from(["", "Traffic"]),
    st.sampled_from(["Speed", "%ANY"]),
    st.sampled_from(["", "car-7"]),
    st.dictionaries(st.sampled_from("abc"), VALUES, max_size=2),
    body=VALUES,
)


def bare(body: Value) -> StructuredEvent:
    return StructuredEvent("", "%ANY", body=body)


def wrapped(item: StructuredEvent | Any, times: int) -> StructuredEvent | Any:
    """An event in an any in an event … so often."""
    for _ in range(times):
        item = item.as_any() if isinstance(item, StructuredEvent) else bare(item)
    return item


def test_an_any_with_a_structured_event_is_opened_if_asked() -> None:
    box = SPEED.as_any()
    assert entered(box, unwrap=True) == SPEED
    assert entered(Any(tc.ANY, box), unwrap=True) == SPEED
    kept = entered(box, unwrap=False)
    assert (kept.domain, kept.type, kept.body) == ("", "%ANY", box)
    with pytest.raises(InvalidEvent):
        entered(Any.trusted(STRUCTURED_EVENT, (1, 2)), unwrap=True)


@pytest.mark.parametrize(
    "dressed",
    [
        *(event("D", "%ANY", body=5), event("", "%ANY", "n", body=5)),
        event("", "%ANY", data={"a": 1}, body=5),
        event("", "%ANY", header={"a": 1}, body=SPEED.as_any()),
    ],
)
def test_an_event_of_type_any_with_more_than_a_body_stays_as_it_is(
    dressed: StructuredEvent,
) -> None:
    for unwrap in (True, False):
        assert entered(dressed, unwrap) is dressed
    assert isinstance(fields_for(dressed, 7), StructuredFields)
    assert left_as(dressed, Form.STRUCTURED) is dressed
    assert left_as(dressed, Form.ANY) == (SPEED.as_any() if dressed.header else Any(tc.LONG, 5))


@given(VALUES)
def test_an_any_leaves_as_it_came(value: Value) -> None:
    entering = left_as(bare(value), Form.ANY)
    assert isinstance(entering, Any)
    leaving = left_as(entered(entering, unwrap=True), Form.ANY)
    assert isinstance(leaving, Any)
    assert same(leaving, entering)


PARTS: dict[type, str] = {
    StructuredEvent: "domain type name header data body",
    Any: "value",
    UnionValue: "discriminator value",
    Reference: "type_id profiles",
    tc.TypeCode: "id name members labels content",
    tc.Member: "name type",
}


def true_octets(value: object, counted: set[int]) -> int:
    """What a value takes, each object once; types of boxes aside."""
    if id(value) in counted:
        return 0
    counted.add(id(value))
    total = getsizeof(value)
    inner: list[object] = []
    if isinstance(value, Mapping):
        inner = [*value, *value.values()]
    elif isinstance(value, tuple | list):
        inner = list(value)
    for kind, parts in PARTS.items():
        if isinstance(value, kind):
            inner = [getattr(value, part) for part in parts.split()]
    return total + sum(true_octets(one, counted) for one in inner)


def distinct(count: int, letter: str = "x") -> list[str]:
    """Texts that share no memory."""
    return [f"{letter}{number}" * 5 for number in range(count)]


BIG: dict[str, object] = {
    "text": "x" * 100_000,
    "wide text": "😀" * 100_000,
    "octets": bytes(100_000),
    "numbers": list(range(1000, 20_000)),
    "reals": [number / 3 for number in range(10_000)],
    "texts": distinct(5_000),
    "members": dict.fromkeys(distinct(5_000), 1),
    "wide members": dict.fromkeys(distinct(5_000, "😀"), 1),
    "records": [{"id": number, "name": f"n{number}"} for number in range(1_000, 4_000)],
    "pairs": [[number, str(number)] for number in range(1_000, 4_000)],
    "boxes": [Any(tc.SHORT, number) for number in range(1_000, 4_000)],
    "decimals": [Decimal(number) for number in range(3_000)],
    "references": [Reference(name, [(0, bytes(80))]) for name in distinct(500)],
    "type": tc.enum("IDL:E:1.0", "E", distinct(2_000)),
    "struct type": tc.struct("IDL:S:1.0", "S", [(f"m{n}", tc.string(n)) for n in range(1, 500)]),
    "unions": [
        Any.trusted(tc.union("IDL:U:1.0", "U", tc.LONG, []), UnionValue(n, f"text {n}"))
        for n in range(1_000, 3_000)
    ],
}


@pytest.mark.parametrize("kind", BIG)
def test_big_payloads_are_estimated_within_a_factor(kind: str) -> None:
    # A factor of 3 both ways, wherever the payload stands.
    big = BIG[kind]
    for place in ({"body": big}, {"data": {"d": big}}, {"header": {"h": big}}):
        one = event("D", "T", **place)
        true = true_octets(one, set())
        assert true / 3 <= approximate_octets(one) <= true * 3


@given(EVENTS, st.integers(0, 4))
def test_wrapping_is_undone_however_often_and_the_octets_are_about_right(
    inner: StructuredEvent, times: int
) -> None:
    once = entered(inner, unwrap=True)
    assert entered(once, unwrap=True) is once
    assert entered(wrapped(inner, times), unwrap=True) == once
    if once.type == "%ANY":
        once = entered(bare(once.body), unwrap=True)
    assert entered(left_as(once, Form.ANY), unwrap=True) == once
    true = true_octets(inner, set())
    assert true / 3 <= approximate_octets(inner) <= true * 3 + 100


def test_no_value_at_all_makes_the_estimate_fail_or_slow() -> None:
    twice: Value = (1,)
    for times in range(60):
        twice = (twice, twice)
        if times in (14, 59):  # the first, for whoever looks at all of it and would never end
            assert approximate_octets(bare(twice)) < 20_000
    endless: list[object] = []
    endless.append(endless)
    deep: object = ()
    for _ in range(5_000):
        deep = (deep,)
    for odd in (endless, deep, object(), {1: {2: object()}}, {1, 2.5}, int, bytearray(5)):
        made = StructuredEvent(data={"d": odd}, header={"h": odd}, body=odd)  # type: ignore[dict-item, arg-type]
        assert approximate_octets(made) > 0
    assert approximate_octets(StructuredEvent(data=MappingProxyType({"a": 1}))) > 0


def test_of_a_large_event_it_is_reckoned_once() -> None:
    small, large = event("a", "b"), event("a", "b", body="x" * 100_000)
    assert approximate_octets(small) > small.octets == 0
    assert approximate_octets(large) == large.octets > 100_000
    assert large == event("a", "b", body="x" * 100_000)
