"""Event types: as clients write them, and as we tell them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tidings import errors
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyComm_auto import InvalidEventType
from tidings.filters.constraint import EventTypePattern


def types_in(types: Iterable[EventType]) -> list[EventTypePattern]:
    """Event types from a client.

    Raises:
        InvalidEventType: One is invalid; the error names it.
    """
    made = []
    for one in types:
        try:
            made.append(EventTypePattern(one.domain_name, one.type_name))
        except errors.InvalidEventType as error:
            raise InvalidEventType(one) from error
    return made


def types_out(patterns: Iterable[EventTypePattern]) -> Sequence[EventType]:
    """Event types to a client; all types are the one type `%ALL` of the domain without a name."""
    return tuple(EventType(pattern.domain, pattern.type) for pattern in patterns)
