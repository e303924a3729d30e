"""The strategies reach what they promise: a law over dull examples proves nothing."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal

from hypothesis import HealthCheck, given, seed, settings

from tests.laws.strategies import envelopes, events
from tidings.events.anyvalue import Any, UnionValue, Value
from tidings.events.envelope import Envelope
from tidings.events.reference import Reference
from tidings.events.structured import StructuredEvent
from tidings.events.typecode import Kind, TypeCode

seen: Counter[str] = Counter()


def note(value: Value, level: int = 0) -> None:
    if isinstance(value, Any):
        note_type(value.type)
        seen["any in any"] += isinstance(value.value, Any)
        note_typed(value.type.unaliased, value.value, level)
        return
    seen[type(value).__name__] += 1
    seen["nested"] += level > 1
    if isinstance(value, float):
        seen["NaN"] += math.isnan(value)
        seen["-0.0"] += repr(value) == "-0.0"
        seen["infinity"] += math.isinf(value)
    elif isinstance(value, int):
        seen["huge integer"] += abs(value) >= 2**63
    elif isinstance(value, str):
        seen["beyond the BMP"] += any(ord(c) > 0xFFFF for c in value)
    elif isinstance(value, dict):
        seen["record with $type"] += "$type" in value
        for inner in value.values():
            note(inner, level + 1)
    elif isinstance(value, tuple):
        seen["empty sequence"] += not value
        seen["any as an element"] += any(isinstance(inner, Any) for inner in value)
        for inner in value:
            note(inner, level + 1)


def note_type(type_: TypeCode) -> None:
    seen[type_.kind.name] += 1
    seen["members of one name"] += len({m.name for m in type_.members}) < len(type_.members)
    for inner in (*(m.type for m in type_.members), type_.content, type_.discriminator):
        if inner is not None:
            note_type(inner)


def note_typed(type_: TypeCode, value: Value, level: int) -> None:
    if type_.kind is Kind.ANY:
        note(value, level)
    elif isinstance(value, UnionValue):
        branch = type_.branch_index(value.discriminator)
        default = branch >= 0 and branch == type_.default_index
        seen["default branch" if default else "no branch" if branch < 0 else "branch"] += 1
    elif isinstance(value, tuple) and type_.kind is Kind.STRUCT and type_.id == "IDL:Tree:1.0":
        seen["recursion"] += any(isinstance(inner, tuple) and inner for inner in value)
    elif isinstance(value, bytes):
        seen["typed octets"] += 1


EXPECTED = {
    *(kind.name for kind in Kind),
    *("NoneType", "bool", "int", "float", "str", "bytes", "tuple", "dict", "Decimal", "Reference"),
    *("TypeCode", "NaN", "-0.0", "infinity", "huge integer", "beyond the BMP", "empty sequence"),
    *("record with $type", "any in any", "any as an element", "members of one name", "nested"),
    *("default branch", "no branch", "branch", "recursion", "typed octets"),
}
assert Decimal.__name__ in EXPECTED
assert Reference.__name__ in EXPECTED


ROUND = settings(
    max_examples=200, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)


@ROUND
@given(events)
def gather(event: StructuredEvent) -> None:
    for value in (*event.header.values(), *event.data.values(), event.body):
        note(value)


def test_all_interesting_cases_occur() -> None:
    seen.clear()
    for number in range(5):
        seed(number)(gather)()
        missing = {case for case in EXPECTED if not seen[case]}
        if not missing:
            break
    assert missing == set()


@ROUND
@given(envelopes)
def gather_envelopes(envelope: Envelope) -> None:
    seen["mark"] += envelope.mark is not None
    seen["no mark"] += envelope.mark is None
    seen["hops"] += bool(envelope.hops)
    seen["trace state"] += envelope.trace is not None and bool(envelope.trace.tracestate)
    seen["no trace state"] += envelope.trace is not None and not envelope.trace.tracestate
    seen["time beyond the calendar"] += abs(envelope.arrival) > 2**60
    seen["no type"] += not envelope.event.type


def test_all_parts_of_envelopes_occur() -> None:
    seen.clear()
    seed(1)(gather_envelopes)()
    assert min(seen.values()) > 0
