"""The administrative properties of a channel: how much it takes.

Notification Service 9. They are set like the quality of service, at the channel only, and
exclude each other in no way.
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
    """What applies at a channel: every property, whether set or not.

    `AdminProperties()` holds the defaults; what comes from outside goes through `changed`.
    """

    __slots__ = ()

    table = ADMIN_PROPERTIES

    @property
    def max_queue_length(self) -> int:
        """How many undelivered events the channel keeps; 0 for no limit."""
        return self["MaxQueueLength"]

    @property
    def max_consumers(self) -> int:
        """How many proxies for consumers there may be; 0 for no limit."""
        return self["MaxConsumers"]

    @property
    def max_suppliers(self) -> int:
        """How many proxies for suppliers there may be; 0 for no limit."""
        return self["MaxSuppliers"]

    @property
    def reject_new_events(self) -> bool:
        """Whether a full channel refuses what is pushed, and does not discard what waits."""
        return bool(self["RejectNewEvents"])


def changed(
    current: AdminProperties, properties: Request, narrowed: Supported = NOT_NARROWED
) -> AdminProperties:
    """set_admin: the properties with all of a request set.

    Args:
        current: What applies at the channel.
        properties: What to set, as it came; of two values for one name the last counts.
        narrowed: What this installation supports less than is legal.

    Raises:
        UnsupportedAdmin: Something cannot be set; every bad property is listed.
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
