"""Header properties of the standard as people write them.

Notification Service 8.1: `Priority` and `EventReliability` are shorts, `Timeout` is a
TimeBase::TimeT, `StartTime` and `StopTime` are TimeBase::UtcT. A text there is a duration (`5s`), a
time (RFC 3339) or a name (`Persistent`), and gets the type of the standard.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from tidings.clock import duration_us, to_timebase
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Any, Value, conform
from tidings.events.structured import UTC_T, StructuredEvent
from tidings.events.texts import shortened

_UNITS_PER_MICROSECOND: Final = 10
_RELIABILITIES: Final = {"BestEffort": 0, "Persistent": 1}
_TIME: Final = "a time such as 2027-01-01T08:00:00Z (RFC 3339), or a TimeBase::UtcT"
_RIGHT: Final = {
    "Priority": "a short from -32767 to 32767",
    "EventReliability": "BestEffort or Persistent, or a short: 0 or 1",
    "Timeout": "a duration such as 250ms, 5s or 2h, or a TimeBase::TimeT in units of 100 ns",
    "StartTime": _TIME,
    "StopTime": _TIME,
}
STANDARD_NAMES: Final = frozenset(_RIGHT)
"""The names of the standard's header properties."""


def misfit(name: str, value: object) -> InvalidEvent:
    """The error for a value that a standard header property cannot have."""
    return InvalidEvent(f"must be {_RIGHT[name]}, not {shortened(value)}", f"header.{name}")


def standard_value(name: str, given: object) -> object:
    """A standard header property with the standard's type, from what a user wrote.

    Texts, `datetime` and `timedelta` are converted; anything else is returned as it is.
    """
    if isinstance(given, timedelta) and name == "Timeout":
        return _duration(given)
    if isinstance(given, datetime) and name.endswith("Time"):
        return utc(given, f"header.{name}")
    if not isinstance(given, str):
        return given
    found: Value = None
    if name == "Timeout":
        microseconds = duration_us(given)
        found = None if microseconds is None else microseconds * _UNITS_PER_MICROSECOND
    elif name == "EventReliability":
        found = _RELIABILITIES.get(given)
    elif name.endswith("Time"):
        found = _moment(given)
    if found is None:
        raise misfit(name, given)
    return found


def with_standard_types(event: StructuredEvent) -> StructuredEvent:
    """The event with texts in its standard header properties converted."""
    header = event.header
    texts = [n for n, value in header.items() if type(value) is str and n in STANDARD_NAMES]
    if not texts:
        return event
    typed: dict[str, Value] = {**header}
    for name in texts:
        typed[name] = standard_value(name, header[name])  # type: ignore[assignment]
    return StructuredEvent(event.domain, event.type, event.name, typed, event.data, event.body)


def _duration(timeout: timedelta) -> int:
    microseconds = timeout // timedelta(microseconds=1)
    if microseconds < 0:
        raise InvalidEvent(f"{timeout} is negative", "header.Timeout")
    return microseconds * _UNITS_PER_MICROSECOND


def _moment(text: str) -> Value:
    """A time in RFC 3339 as TimeBase::UtcT; None for any other text."""
    try:
        return utc(datetime.fromisoformat(text))
    except (ValueError, InvalidEvent):
        return None


def utc(moment: datetime, where: str = "") -> Value:
    """A moment as TimeBase::UtcT; it needs a time zone."""
    if moment.tzinfo is None:
        raise InvalidEvent(f"{moment} has no time zone; use for example datetime.UTC", where)
    since_1970 = moment - datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    units = to_timebase(since_1970 // timedelta(microseconds=1))
    return Any.trusted(UTC_T, conform(UTC_T, (units, 0, 0, 0), where))
