"""The constructor users meet first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from tidings.errors import InvalidEvent
from tidings.events.anyvalue import pack
from tidings.events.standard_header import STANDARD_NAMES, standard_value
from tidings.events.structured import StructuredEvent, pack_data, pack_header
from tidings.events.texts import checked_text, exact_text, shortened


def event(  # noqa: PLR0913 -- keywords for what users set most
    domain: str,
    type: str,
    name: str = "",
    data: Mapping[str, object] | None = None,
    *,
    header: Mapping[str, object] | None = None,
    body: object = None,
    priority: int | None = None,
    timeout: timedelta | str | None = None,
    start: datetime | str | None = None,
    stop: datetime | str | None = None,
) -> StructuredEvent:
    """An event from plain Python values.

    Args:
        domain: The field it is from, such as ``Traffic``.
        type: What kind of thing happened, such as ``Speed``.
        name: Which one of that kind, such as ``car-7``.
        data: The properties for filters.
        header: Header properties under their standard names; the keywords below fill in the common
            ones.
        body: Any other value.
        priority: −32767 to 32767, larger is more urgent.
        timeout: How long the event is worth delivering; a text is a duration such as ``5s``.
        start: Deliver not before; a text is a time in RFC 3339.
        stop: Deliver not after, likewise.

    Raises:
        InvalidEvent: A part is invalid; the message says which and why.
    """
    for where, mapping in (("header", header), ("data", data)):
        if mapping is not None and mapping.__class__ is not dict:
            _check_kind(mapping, Mapping, "a mapping of names to values", where)
    given: dict[str, object] = dict(header or {})
    if priority is not None:
        given["Priority"] = priority
    for key, value, kind in (
        ("Timeout", timeout, timedelta),
        ("StartTime", start, datetime),
        ("StopTime", stop, datetime),
    ):
        if value is not None:
            if not isinstance(value, str):
                _check_kind(value, kind, f"a {kind.__name__} or a text", f"header.{key}")
            given[key] = value
    for key in STANDARD_NAMES.intersection(given):
        given[key] = standard_value(key, given[key])
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
