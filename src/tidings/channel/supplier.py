"""A supplier's proxy: priority and lifetime of its events, and polling of pull suppliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tidings.channel.effects import NoticeKind, Poll
from tidings.channel.entries import ABSOLUTE, NEVER, PERSISTENT
from tidings.channel.holders import Admin, Proxy
from tidings.channel.qos import QoS, Reliability
from tidings.channel.qos_check import header_values, is_plain
from tidings.channel.vocabulary import Form, Style
from tidings.clock import from_timebase
from tidings.errors import InvalidEvent

_UNITS_PER_MICROSECOND: Final = 10

# Qualities kept for priorities seen before: most suppliers use a handful.
_MOST_KEPT: Final = 64


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


class SupplierProxy(Proxy):
    """A proxy through which events come in; `judged` says whether there are filters to pass."""

    __slots__ = ("_plain", "defaults", "judged", "polling")

    def __init__(self, admin: Admin, id: int, style: Style, form: Form, qos: QoS) -> None:
        super().__init__(admin, id, style, form, qos)
        self.defaults = (0, 0, False)
        self.judged = False
        # By priority: the quality of events with no other properties.
        self._plain: dict[int | None, Quality] = {}
        self.polling: Polling | None = None

    def adjust(self) -> None:
        """Recompute the values that the event flow caches."""
        qos = self.qos
        persistent = qos.event_reliability is Reliability.PERSISTENT
        self.judged = bool(self.attached_filters or self.admin.attached_filters)
        self.defaults = (qos.priority, qos.timeout, persistent)
        self._plain = {}

    def known_quality(self, header: Mapping[str, Any], now: int) -> Quality | None:
        """Return the quality of an event that has at most a priority, if one like it came before.

        Most events are like that; properties without effect do not matter.
        """
        if header and not is_plain(header):
            return None
        found = self._plain.get(header.get("Priority"))
        if found is not None and found.timeout:
            found = found._replace(expiry=expiry_of(found.timeout, None, now)[0])
        return found

    def quality_of(self, header: Mapping[str, Any], now: int) -> Quality:
        """Return the quality of an event that comes through it.

        Raises:
            InvalidEvent: A standard header property has a wrong type or is out of range, or the
                event would end before it begins.
        """
        found = self.known_quality(header, now)
        if found is None:
            found = self._judge(header, now)
            if len(self._plain) < _MOST_KEPT and is_plain(header):
                self._plain[header.get("Priority")] = found
        return found

    def _judge(self, header: Mapping[str, object], now: int) -> Quality:
        priority, timeout, persistent = self.defaults
        core = self.channel.core
        said, warnings = header_values(header, self.qos, core.settings.narrowed)
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
        return Quality(
            said.get("Priority", priority),
            expiry,
            persistent,
            (PERSISTENT if persistent else 0) | absolute,
            start,
            stop,
            "Priority" in said,
            "Timeout" in said,
            timeout,
            warnings,
        )

    def cut(self) -> None:
        """Drop the outstanding poll: it will not be answered any more."""
        if self.polling is not None:
            self.polling.asked = False


@dataclass(slots=True)
class Polling:
    """When a pull supplier is polled next: not before `at`, nor while an answer is awaited."""

    _proxy: SupplierProxy
    at: int = 0
    asked: bool = False
    failures: int = 0

    def is_due(self, now: int) -> bool:
        """Return whether to poll now; if only later, set the alarm."""
        proxy = self._proxy
        if self.asked or not proxy.attached or proxy.suspended:
            return False
        if self.at > now:
            self._wake()
            return False
        return True

    def ask(self, room: int, now: int) -> None:
        """Poll for as many events as there is room for."""
        proxy, core = self._proxy, self._proxy.channel.core
        if not room:  # 9: a full channel that refuses new events stops asking
            self.at = now + core.settings.poll_interval
            self._wake()
            return
        self.asked = True
        core.out.append(Poll(proxy.channel.id, proxy.id, room))

    def _wake(self) -> None:
        channel = self._proxy.channel
        channel.core.wake(self.at, channel.id, self._proxy.id)

    def had(self, events: int, now: int) -> None:
        """Schedule the next poll: at once if the supplier had events, as it may have more."""
        self.failures = 0
        interval = self._proxy.channel.core.settings.poll_interval
        self.at = now if events else now + interval

    def fail(self, reason: str, now: int) -> bool:
        """Back off after a failed poll; return whether to give the supplier up instead."""
        proxy, settings = self._proxy, self._proxy.channel.core.settings
        self.failures += 1
        text = f"asking failed {self.failures} times; the last: {reason}"
        if not proxy.durable and self.failures >= settings.retry_limit:
            proxy.notice(NoticeKind.GIVEN_UP, text)
            return True
        if self.failures == 1:
            proxy.notice(NoticeKind.FAILING, text)
        pause = settings.retry_first << min(self.failures - 1, 30)
        self.at = now + min(pause, settings.retry_longest)
        return False
