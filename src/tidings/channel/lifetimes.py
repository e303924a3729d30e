"""Priority and lifetime of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from tidings.channel.core import Core
from tidings.channel.entries import ABSOLUTE, NEVER, PERSISTENT
from tidings.channel.qos import QoS
from tidings.channel.qos_check import header_values
from tidings.clock import from_timebase
from tidings.errors import InvalidEvent

# A short holds one value less than a priority may have.
_LOWEST_SHORT: Final = -32768
_UNITS_PER_MICROSECOND: Final = 10


Defaults: TypeAlias = tuple[int, int, bool]
"""Priority, timeout in units of 100 ns, and persistence of events without header properties."""


class Quality(NamedTuple):
    """The quality of service of one event, times in host microseconds.

    `stop` is the expiry from its StopTime, whether supported or not; `timeout` is in units of 100
    ns, 0 for ever; `warnings` are header properties without effect.
    """

    priority: int
    expiry: int
    persistent: bool
    flags: int
    start: int | None
    stop: int | None
    own_priority: bool
    own_timeout: bool
    timeout: int
    warnings: tuple[str, ...] = ()


def quality_of(
    header: Mapping[str, object], defaults: Defaults, qos: QoS, core: Core, now: int
) -> Quality:
    """Return the quality of an event that comes through a supplier's proxy.

    Raises:
        InvalidEvent: A standard header property has a wrong type or is out of range, or the event
            would end before it begins.
    """
    priority, timeout, persistent = defaults
    own = header.get("Priority")
    if not header or (len(header) == 1 and type(own) is int and own != _LOWEST_SHORT):
        # Most events have no properties, or only a priority.
        if own is not None:
            priority = own  # type: ignore[assignment]
        expiry = now + timeout // _UNITS_PER_MICROSECOND if timeout else NEVER
        flags = PERSISTENT if persistent else 0
        return Quality(
            priority, expiry, persistent, flags, None, None, own is not None, False, timeout
        )
    return _from_header(header, defaults, qos, core, now)


def _from_header(
    header: Mapping[str, object], defaults: Defaults, qos: QoS, core: Core, now: int
) -> Quality:
    priority, timeout, persistent = defaults
    said, warnings = header_values(header, qos, core.settings.narrowed)
    timeout = said.get("Timeout", timeout)
    persistent = bool(said.get("EventReliability", persistent))
    start = _host_time(said.get("StartTime"), core.offset)
    stop = _host_time(said.get("StopTime"), core.offset)
    expiry, absolute = expiry_of(timeout, stop, now)
    if start is not None and expiry <= start:
        ends = "StopTime" if absolute else "Timeout"
        raise InvalidEvent(
            f"its {ends} is over {_seconds(expiry - now)} after it came, before its StartTime, "
            f"{_seconds(start - now)} after it came: nobody would get it",
            "header",
        )
    flags = (PERSISTENT if persistent else 0) | absolute
    return Quality(
        said.get("Priority", priority),
        expiry,
        persistent,
        flags,
        start,
        stop,
        "Priority" in said,
        "Timeout" in said,
        timeout,
        warnings,
    )


def _seconds(microseconds: int) -> str:
    return f"{microseconds / 1_000_000:g} s"


def _host_time(units: int | None, offset: int) -> int | None:
    return None if units is None else min(from_timebase(units) - offset, NEVER - 1)


def expiry_of(timeout: int, stop: int | None, now: int) -> tuple[int, int]:
    """Return the earlier expiry of timeout and StopTime, and the flag that says which decided."""
    by_timeout = min(now + timeout // _UNITS_PER_MICROSECOND, NEVER) if timeout else NEVER
    if stop is not None and stop < by_timeout:
        return stop, ABSOLUTE
    return by_timeout, 0
