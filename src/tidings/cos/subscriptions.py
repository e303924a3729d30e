"""What subscribers of change notices set, as scncomm has it: filters and quality of service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tidings.changes.requests import FilterContent, FilterEvents, TraderFilter
from tidings.cos import scncomm_auto as wire
from tidings.cos.TimeBase_auto import TimeT_TYPE
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value
from tidings.events.typecode import TypeCode

_TYPES: Final[Mapping[str, TypeCode]] = {
    wire.OrderPolicy: tc.SHORT,
    wire.DiscardPolicy: tc.SHORT,
    wire.MaxQueueLength: tc.LONG,
    wire.MaximumBatchSize: tc.LONG,
    wire.PacingInterval: TimeT_TYPE,
    wire.PriorityOverride: wire.OverriddenPrioritySeq_TYPE,
}


def content_in(given: wire.FilterContent) -> FilterContent:
    """Convert a filter."""
    services = tuple(TraderFilter(one.type, one.constr) for one in given.traderConstraints)
    return FilterContent(FilterEvents[given.type.name], services, tuple(given.iors))


def content_out(content: FilterContent) -> wire.FilterContent:
    """Convert a filter."""
    services = tuple(wire.TraderFilterContent(one.type, one.constraint) for one in content.services)
    type_ = wire.FilterEventType[content.events.name]
    return wire.FilterContent(type_, services, content.references)


def qos_out(qos: Mapping[str, Value]) -> tuple[wire.Property, ...]:
    """Convert properties, each with its type."""
    return tuple(
        wire.Property(name, AnyValue(_TYPES[name], _outward(value))) for name, value in qos.items()
    )


def _outward(value: Any) -> Any:  # noqa: ANN401 -- as the property has it
    if isinstance(value, tuple):
        return tuple(wire.OverriddenPriority(one["constraint"], one["priority"]) for one in value)
    return value
