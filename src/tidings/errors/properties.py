"""Properties that cannot be set so."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from tidings.errors.base import NOTIFICATION, BadInput


class PropertyErrorCode(IntEnum):
    """Why a property cannot be set so (Notification Service 8.3), numbered as on the wire."""

    UNSUPPORTED_PROPERTY = 0
    UNAVAILABLE_PROPERTY = 1
    UNSUPPORTED_VALUE = 2
    UNAVAILABLE_VALUE = 3
    BAD_PROPERTY = 4
    BAD_TYPE = 5
    BAD_VALUE = 6


_REASONS = {
    PropertyErrorCode.UNSUPPORTED_PROPERTY: "cannot be set at this level",
    PropertyErrorCode.UNAVAILABLE_PROPERTY: "cannot be set given the other settings",
    PropertyErrorCode.UNSUPPORTED_VALUE: "this value is not supported here",
    PropertyErrorCode.UNAVAILABLE_VALUE: "this value is not possible given the other settings",
    PropertyErrorCode.BAD_PROPERTY: "no property has this name",
    PropertyErrorCode.BAD_TYPE: "the value is of the wrong type",
    PropertyErrorCode.BAD_VALUE: "this value is outside the legal range",
}


class PropertyError(NamedTuple):
    """One property that cannot be set so.

    Attributes:
        code: Why.
        name: Which one.
        low: The least value that would do; None where the reason is not the value.
        high: The greatest one.
    """

    code: PropertyErrorCode
    name: str
    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        instead = "" if self.low is None else f"; use {self.low} to {self.high}"
        return f"{self.name}: {_REASONS[self.code]}{instead}"


class UnsupportedProperties(BadInput):
    """Properties that cannot be set so; none of the request was set.

    Args:
        errors: Every bad property, in the order of the request.
    """

    code = "unsupported_properties"
    http_status = 422

    def __init__(self, errors: Iterable[PropertyError]) -> None:
        self.errors = tuple(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


class UnsupportedQoS(UnsupportedProperties):
    """Properties of the quality of service that cannot be set so."""

    code = "unsupported_qos"
    corba_id = NOTIFICATION.format("UnsupportedQoS")


class UnsupportedAdmin(UnsupportedProperties):
    """Properties of the administration of a channel that cannot be set so."""

    code = "unsupported_admin"
    corba_id = NOTIFICATION.format("UnsupportedAdmin")
