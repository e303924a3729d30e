"""Quality of service of subscribers: its properties, and what they are at the channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tidings.changes.model import LOWEST_PRIORITY
from tidings.changes.requests import ChangeSettings
from tidings.clock import duration_us
from tidings.errors import InvalidUsage, PropertyError, PropertyErrorCode, UnsupportedQoS
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value
from tidings.filters.constraint import constraint
from tidings.filters.mapping import MappedConstraint

MOST_OVERRIDES: Final = 100

_ORDERS: Final = {"FifoOrder": 1, "PriorityOrder": 2, "DeadlineOrder": 3}
# The standard's channel cannot deliver the newest first.
_DISCARDS: Final = {**_ORDERS, "LifoOrder": 4}
_HIGHEST_LONG: Final = 2**31 - 1
_HIGHEST_TIME: Final = 2**63 - 1
_AT_CHANNEL: Final = ("OrderPolicy", "DiscardPolicy", "MaximumBatchSize", "PacingInterval")


def checked_qos(given: Mapping[str, Value], settings: ChangeSettings) -> dict[str, Value]:
    """Return properties in the form in which they are kept; UnsupportedQoS lists the bad ones."""
    found: dict[str, Value] = {}
    wrong: list[PropertyError] = []
    for name, value in given.items():
        check = _CHECKS.get(name)
        if check is None:
            wrong.append(PropertyError(PropertyErrorCode.BAD_PROPERTY, name))
            continue
        checked = check(name, _plain(value), settings)
        if isinstance(checked, PropertyError):
            wrong.append(checked)
        else:
            found[name] = checked
    if wrong:
        raise UnsupportedQoS(wrong)
    return found


def at_channel(qos: Mapping[str, Value], settings: ChangeSettings) -> dict[str, int]:
    """Return the properties of a subscription."""
    held: dict[str, Any] = {
        "OrderPolicy": settings.order_policy,
        "DiscardPolicy": settings.discard_policy,
        **qos,
    }
    found = {name: held[name] for name in _AT_CHANNEL if name in held}
    limits = [one for one in (held.get("MaxQueueLength"), settings.max_events_per_proxy) if one]
    return found | {"MaxEventsPerConsumer": min(limits, default=0)}


def overrides(qos: Mapping[str, Value]) -> tuple[MappedConstraint, ...]:
    """Return the priorities that notices get at a subscription."""
    given: Any = qos.get("PriorityOverride", ())
    return tuple(
        MappedConstraint(constraint(one["constraint"]), AnyValue.trusted(tc.SHORT, one["priority"]))
        for one in given
    )


def _plain(value: Value) -> Any:  # noqa: ANN401 -- a value
    """Return a value without its type: CORBA's clients send shorts and structs."""
    while isinstance(value, AnyValue):
        value = value.value
    return value


def _number(low: int, high: int, names: Mapping[str, int] | None = None) -> Callable[..., Any]:
    def check(name: str, value: object, _: ChangeSettings) -> int | PropertyError:
        known = (names or {}).get(value, value) if isinstance(value, str) else value
        if type(known) is not int:
            return PropertyError(PropertyErrorCode.BAD_TYPE, name, low, high)
        if not low <= known <= high:
            return PropertyError(PropertyErrorCode.BAD_VALUE, name, low, high)
        return known

    return check


def _interval(name: str, value: object, settings: ChangeSettings) -> int | PropertyError:
    microseconds = duration_us(value) if isinstance(value, str) else None
    given = value if microseconds is None else microseconds * 10
    found: int | PropertyError = _number(0, _HIGHEST_TIME)(name, given, settings)
    return found


def _override(name: str, value: Any, settings: ChangeSettings) -> Value | PropertyError:  # noqa: ANN401
    bad = PropertyError(PropertyErrorCode.BAD_TYPE, name)
    if not isinstance(value, tuple) or len(value) > MOST_OVERRIDES:
        return bad
    made: list[Value] = []
    for one in map(_plain, value):
        pair = (one.get("constraint"), one.get("priority")) if isinstance(one, dict) else one
        if not isinstance(pair, tuple) or len(pair) != 2:
            return bad
        text, priority = map(_plain, pair)
        if not isinstance(text, str) or type(priority) is not int:
            return bad
        if not LOWEST_PRIORITY <= priority <= settings.highest_priority:
            raise InvalidUsage(
                f"{name}: a priority is {LOWEST_PRIORITY} to {settings.highest_priority}, "
                f"not {priority}"
            )
        constraint(text)
        made.append({"constraint": text, "priority": priority})
    return tuple(made)


_CHECKS: Final[Mapping[str, Callable[..., Any]]] = {
    "OrderPolicy": _number(1, 3, _ORDERS),
    "DiscardPolicy": _number(1, 4, _DISCARDS),
    "MaxQueueLength": _number(0, _HIGHEST_LONG),
    "MaximumBatchSize": _number(1, _HIGHEST_LONG),
    "PacingInterval": _interval,
    "PriorityOverride": _override,
}
