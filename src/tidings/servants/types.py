"""Event types: as clients write them, and as we tell them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tidings import errors
from tidings.channel.settings import Settings
from tidings.channel.sharing import check_patterns
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyComm_auto import InvalidEventType
from tidings.filters.constraint import EventTypePattern


def types_in(
    types: Iterable[EventType], settings: Settings | None = None
) -> list[EventTypePattern]:
    """Event types from a client.

    Args:
        types: As it wrote them.
        settings: Says whether a `*` may be part of a name; None if the core will be asked.

    Raises:
        InvalidEventType: One is outside the rules; it is told which.
    """
    made = []
    for one in types:
        try:
            pattern = EventTypePattern(one.domain_name, one.type_name)
            if settings is not None:
                check_patterns(settings, [pattern])
        except errors.InvalidEventType as error:
            raise InvalidEventType(one) from error
        made.append(pattern)
    return made


def types_out(patterns: Iterable[EventTypePattern]) -> Sequence[EventType]:
    """Event types to a client; all types are the one type `%ALL` of the domain without a name."""
    return tuple(EventType(pattern.domain, pattern.type) for pattern in patterns)
