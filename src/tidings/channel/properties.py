"""The administrative properties of a channel: its capacity.

Notification Service 9. They are set like the quality of service, at the channel only, and never
conflict with each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidings.channel.property_errors import (
    NOT_NARROWED,
    Level,
    Property,
    PropertyValues,
    Request,
    Supported,
    held,
    judged,
)
from tidings.errors import PropertyError, PropertyErrorCode, UnsupportedAdmin
from tidings.events import typecode as tc
from tidings.events.typecode import INTEGER_RANGES, Kind

_CHANNEL: Final = frozenset({Level.CHANNEL})
_HIGHEST: Final = INTEGER_RANGES[Kind.LONG][1]

_TABLE: Final = (
    Property("MaxQueueLength", tc.LONG, 0, _HIGHEST, 0, _CHANNEL),
    Property("MaxConsumers", tc.LONG, 0, _HIGHEST, 0, _CHANNEL),
    Property("MaxSuppliers", tc.LONG, 0, _HIGHEST, 0, _CHANNEL),
    Property("RejectNewEvents", tc.BOOLEAN, False, True, True, _CHANNEL),
)

ADMIN_PROPERTIES: Final[Mapping[str, Property]] = {line.name: line for line in _TABLE}


class AdminProperties(PropertyValues):
    """The effective properties of a channel; external values go through `changed`."""

    __slots__ = ()

    table = ADMIN_PROPERTIES

    max_queue_length = held("MaxQueueLength", int)
    """The maximum number of undelivered events; 0 for no limit."""
    reject_new_events = held("RejectNewEvents", bool)
    """Whether a full channel refuses new events instead of discarding waiting ones."""


def changed(
    current: AdminProperties, properties: Request, narrowed: Supported = NOT_NARROWED
) -> AdminProperties:
    """Carry out set_admin; raise UnsupportedAdmin, with every bad property, if it cannot be done.

    Of two values for one name the last counts. `narrowed` says where this installation supports
    less than is legal.
    """
    answers = {name: _judged(name, value, narrowed) for name, value in dict(properties).items()}
    bad = [a for a in answers.values() if isinstance(a, PropertyError)]
    if bad:
        raise UnsupportedAdmin(bad)
    good = {name: a for name, a in answers.items() if not isinstance(a, PropertyError)}
    return AdminProperties({**current, **good})


def _judged(name: str, value: object, narrowed: Supported) -> int | PropertyError:
    known = ADMIN_PROPERTIES.get(name)
    if known is None:
        return PropertyError(PropertyErrorCode.BAD_PROPERTY, name)
    return judged(known, value, narrowed)
