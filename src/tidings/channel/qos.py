"""The quality of service of channels, admins and proxies, as frozen values.

Notification Service 8.1 and 8.2: the properties, their types and ranges, where they may be set and
their defaults. `qos_check.py` decides whether a change is possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from tidings.channel.property_errors import TIME_T, Level, Property, PropertyValues, held
from tidings.events import typecode as tc
from tidings.events.structured import UTC_T
from tidings.events.typecode import INTEGER_RANGES, TypeCode


class Reliability(IntEnum):
    """What survives a crash (10): nothing, or what was accepted."""

    BEST_EFFORT = 0
    PERSISTENT = 1


class OrderPolicy(IntEnum):
    """The delivery order of waiting events (11); `Settings.any_order` resolves ANY."""

    ANY = 0
    FIFO = 1
    PRIORITY = 2
    DEADLINE = 3


class DiscardPolicy(IntEnum):
    """Which event is discarded when too many wait (11); `Settings.any_discard` resolves ANY."""

    ANY = 0
    FIFO = 1
    PRIORITY = 2
    DEADLINE = 3
    LIFO = 4


_OBJECTS: Final = frozenset({Level.CHANNEL, Level.ADMIN, Level.PROXY})
_EVERYWHERE: Final = _OBJECTS | {Level.EVENT}
_HEADER: Final = frozenset({Level.EVENT})


def _number(
    name: str,
    type: TypeCode,
    low: int,
    high: int | None,
    default: int,
    levels: frozenset[Level],
    zero: int = 0,
) -> Property:
    """Return a numeric property; `high` None stands for the maximum of its type."""
    highest = INTEGER_RANGES[type.unaliased.kind][1] if high is None else high
    return Property(name, type, low, highest, default, levels, zero)


# 8.1, in its order.
_TABLE: Final = (
    _number("EventReliability", tc.SHORT, 0, 1, 0, _HEADER | {Level.CHANNEL}),
    _number("ConnectionReliability", tc.SHORT, 0, 1, 0, _OBJECTS),
    _number("Priority", tc.SHORT, -32767, 32767, 0, _EVERYWHERE),
    Property("StartTime", UTC_T, None, None, None, _HEADER),
    Property("StopTime", UTC_T, None, None, None, _HEADER),
    _number("Timeout", TIME_T, 0, None, 0, _EVERYWHERE),
    Property("StartTimeSupported", tc.BOOLEAN, False, True, True, _OBJECTS),
    Property("StopTimeSupported", tc.BOOLEAN, False, True, True, _OBJECTS),
    _number("MaxEventsPerConsumer", tc.LONG, 0, None, 0, _OBJECTS),
    _number("OrderPolicy", tc.SHORT, 0, 3, OrderPolicy.ANY.value, _OBJECTS),
    _number("DiscardPolicy", tc.SHORT, 0, 4, DiscardPolicy.ANY.value, _OBJECTS),
    _number("MaximumBatchSize", tc.LONG, 1, None, 1, _OBJECTS, zero=1),
    _number("PacingInterval", TIME_T, 0, None, 0, _OBJECTS),
)

QOS_PROPERTIES: Final[Mapping[str, Property]] = {line.name: line for line in _TABLE}


def reliabilities(*, persistent: bool = True) -> dict[str, int]:
    """Return both reliabilities alike: the default of our own protocols.

    The standard's default is BestEffort; a publisher that restarts the service expects its events
    to be there.
    """
    return {"EventReliability": int(persistent), "ConnectionReliability": int(persistent)}


class QoS(PropertyValues):
    """The effective quality of service of a channel, admin or proxy, set or default.

    External values go through `qos_check.changed`.
    """

    __slots__ = ()

    table = QOS_PROPERTIES

    def at(self, level: Level) -> dict[str, int]:
        """Return what `get_qos` reports at a level: the properties that may be set there."""
        table = QOS_PROPERTIES
        return {n: value for n, value in self.items() if level in table[n].levels}

    event_reliability = held("EventReliability", Reliability)
    """Whether events survive a crash, unless their header says otherwise."""
    connection_reliability = held("ConnectionReliability", Reliability)
    """Whether connections survive a crash."""
    priority = held("Priority", int)
    """The priority of events whose header has none; larger is more urgent."""
    timeout = held("Timeout", int)
    """The lifetime of events without their own timeout, in 100 ns; 0 for ever."""
    start_time_supported = held("StartTimeSupported", bool)
    """Whether an event's StartTime is honoured."""
    stop_time_supported = held("StopTimeSupported", bool)
    """Whether an event's StopTime is honoured."""
    max_events_per_consumer = held("MaxEventsPerConsumer", int)
    """The maximum backlog of one consumer; 0 for no limit."""
    order_policy = held("OrderPolicy", OrderPolicy)
    """The delivery order of waiting events."""
    discard_policy = held("DiscardPolicy", DiscardPolicy)
    """Which event is discarded when too many wait."""
    maximum_batch_size = held("MaximumBatchSize", int)
    """The maximum number of events in a batch."""
    pacing_interval = held("PacingInterval", int)
    """How long a batch is collected, in 100 ns; 0 for not at all."""


def fixed_above(parent: QoS) -> dict[str, int]:
    """Return what admins and proxies cannot set, and so always share with their parent.

    They copy everything else when they are new (8.2), and later changes do not reach them.
    """
    table = QOS_PROPERTIES
    return {n: v for n, v in parent.items() if Level.ADMIN not in table[n].levels}
