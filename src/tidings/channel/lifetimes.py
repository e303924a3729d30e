"""How urgent an event is and how long it lives, for everybody and for one consumer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tidings.channel.entries import ABSOLUTE, NEVER, PERSISTENT, Entry
from tidings.channel.holders import Proxy
from tidings.channel.qos_check import header_values
from tidings.clock import from_timebase
from tidings.errors import InvalidEvent
from tidings.events.fields import Fields
from tidings.filters.plan import PlanOptions

# A short holds one value less than a priority may have.
_LOWEST_SHORT: Final = -32768
_UNITS_PER_MICROSECOND: Final = 10


class Quality(NamedTuple):
    """What applies to one event, times in host microseconds.

    Attributes:
        priority: Larger is more urgent.
        expiry: When it is worth nothing any more; NEVER for none.
        persistent: Whether it survives a crash.
        flags: For its entry.
        start: Not delivered before; None for at once.
        stop: The expiry its StopTime gives, whether supported or not; None for none.
        own_priority: Whether its header names a priority.
        own_timeout: Whether its header names a timeout.
        timeout: How long it lives, in units of 100 ns; 0 for ever.
        warnings: What its header says in vain.
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


def quality_of(header: Mapping[str, object], supplier: Proxy, now: int) -> Quality:
    """What applies to an event that comes through a supplier's proxy.

    Raises:
        InvalidEvent: A standard header property has a value of another type, or out of its range;
            or the event would end before it begins.
    """
    priority, timeout, persistent = supplier.defaults
    own = header.get("Priority")
    if not header or (len(header) == 1 and type(own) is int and own != _LOWEST_SHORT):
        # Most events say nothing, or their priority alone.
        if own is not None:
            priority = own  # type: ignore[assignment]
        expiry = now + timeout // _UNITS_PER_MICROSECOND if timeout else NEVER
        flags = PERSISTENT if persistent else 0
        return Quality(
            priority, expiry, persistent, flags, None, None, own is not None, False, timeout
        )
    return _from_header(header, supplier, now)


def _from_header(header: Mapping[str, object], supplier: Proxy, now: int) -> Quality:
    priority, timeout, persistent = supplier.defaults
    core = supplier.channel.core
    said, warnings = header_values(header, supplier.qos, core.settings.narrowed)
    timeout = said.get("Timeout", timeout)
    persistent = bool(said.get("EventReliability", persistent))
    start = _host_time(said.get("StartTime"), core.offset)
    stop = _host_time(said.get("StopTime"), core.offset)
    expiry, absolute = _expiry(timeout, stop, now)
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


def _expiry(timeout: int, stop: int | None, now: int) -> tuple[int, int]:
    """When an event expires, the earlier of both, and whether its StopTime decides."""
    by_timeout = min(now + timeout // _UNITS_PER_MICROSECOND, NEVER) if timeout else NEVER
    if stop is not None and stop < by_timeout:
        return stop, ABSOLUTE
    return by_timeout, 0


def view_of(
    proxy: Proxy, entry: Entry, fields: Fields, quality: Quality, now: int
) -> tuple[Entry, int | None]:
    """An event as one consumer sees it, and when that one may have it.

    The event's own properties go first, then what the supplier's proxy says, then the
    consumer's; a mapping filter that matches goes before all of them.
    """
    qos = proxy.qos
    priority, timeout = quality.priority, quality.timeout
    if not quality.own_priority and not priority:
        priority = qos.priority
    if not quality.own_timeout and not timeout:
        timeout = qos.timeout
    if proxy.mapping is not None:
        by_priority, by_lifetime = proxy.mapping
        options: PlanOptions = proxy.channel.plan.options
        if by_priority is not None:
            own = quality.priority if quality.own_priority else None
            priority = by_priority.value(fields, own, options)
        if by_lifetime is not None:
            own = quality.timeout if quality.own_timeout else None
            timeout = by_lifetime.value(fields, own, options)
    stop = quality.stop if qos.stop_time_supported else None
    expiry, absolute = _expiry(timeout, stop, now)
    flags = entry.flags & ~ABSOLUTE | absolute
    start = quality.start if qos.start_time_supported else None
    if (priority, expiry, flags) == (entry.priority, entry.expiry, entry.flags):
        return entry, start
    return Entry(expiry, entry.seq, priority, entry.octets, flags), start
