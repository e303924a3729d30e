"""The constructor users meet first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from tidings.clock import to_timebase
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Any, Value, pack
from tidings.events.checking import conform
from tidings.events.structured import UTC_T, StructuredEvent, pack_data, pack_header
from tidings.events.texts import checked_text, exact_text, shortened

__all__ = ["event", "utc"]

_UNITS_PER_MICROSECOND = 10


def event(  # noqa: PLR0913 -- keywords for what users set most
    domain: str,
    type: str,
    name: str = "",
    data: Mapping[str, object] | None = None,
    *,
    header: Mapping[str, object] | None = None,
    body: object = None,
    priority: int | None = None,
    timeout: timedelta | None = None,
    start: datetime | None = None,
    stop: datetime | None = None,
) -> StructuredEvent:
    """An event from plain Python values.

    Args:
        domain: The field it is from, such as ``Traffic``.
        type: What kind of thing happened, such as ``Speed``.
        name: Which one of that kind, such as ``car-7``.
        data: What filters look at first.
        header: Header properties under their standard names; the keywords below fill in
            the common ones.
        body: The rest; anything that may be a value.
        priority: −32767 to 32767, larger is more urgent.
        timeout: How long the event is worth delivering.
        start: Not to be delivered before.
        stop: Not to be delivered after.

    Raises:
        InvalidEvent: A part is outside the rules; the message says which and why.
    """
    for where, mapping in (("header", header), ("data", data)):
        if mapping is not None and mapping.__class__ is not dict:
            _check_kind(mapping, Mapping, "a mapping of names to values", where)
    given: dict[str, object] = dict(header or {})
    if priority is not None:
        given["Priority"] = priority
    if timeout is not None:
        given["Timeout"] = _duration(timeout)
    if start is not None:
        given["StartTime"] = utc(start, "header.StartTime")
    if stop is not None:
        given["StopTime"] = utc(stop, "header.StopTime")
    return StructuredEvent(
        _text(domain, "domain"),
        _text(type, "type"),
        _text(name, "name"),
        pack_header(given),
        pack_data(data or {}),
        pack(body, "body"),
    )


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise InvalidEvent(f"must be text, not {shortened(value)}", where)
    return checked_text(exact_text(value), where)


def _check_kind(value: object, kind: type, words: str, where: str) -> None:
    if not isinstance(value, kind):
        raise InvalidEvent(f"must be {words}, not {shortened(value)}", where)


def _duration(timeout: timedelta) -> int:
    _check_kind(timeout, timedelta, "a timedelta", "header.Timeout")
    microseconds = timeout // timedelta(microseconds=1)
    if microseconds < 0:
        raise InvalidEvent(f"{timeout} is negative", "header.Timeout")
    return microseconds * _UNITS_PER_MICROSECOND


def utc(moment: datetime, where: str = "") -> Value:
    """A moment as TimeBase::UtcT.

    Raises:
        InvalidEvent: It is no moment, or has no time zone.
    """
    _check_kind(moment, datetime, "a datetime", where)
    if moment.tzinfo is None:
        raise InvalidEvent(f"{moment} has no time zone; use for example datetime.UTC", where)
    since_1970 = moment - datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    units = to_timebase(since_1970 // timedelta(microseconds=1))
    return Any.trusted(UTC_T, conform(UTC_T, (units, 0, 0, 0), where))
