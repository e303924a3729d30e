"""A supplier's proxy: defaults for its events, and polling of pull suppliers."""

from __future__ import annotations

from collections.abc import Mapping

from tidings.channel.effects import NoticeKind, Poll
from tidings.channel.holders import Admin, Proxy
from tidings.channel.lifetimes import Defaults, Quality, quality_of
from tidings.channel.qos import QoS, Reliability
from tidings.channel.vocabulary import Form, Style

_STANDARD: Defaults = (0, 0, False)


class SupplierProxy(Proxy):
    """A proxy through which events come in; `judged` says whether there are filters to pass."""

    __slots__ = ("defaults", "judged", "polling")

    def __init__(self, admin: Admin, id: int, style: Style, form: Form, qos: QoS) -> None:
        super().__init__(admin, id, style, form, qos)
        self.defaults = _STANDARD
        self.judged = False
        self.polling: Polling | None = None

    def adjust(self) -> None:
        """Recompute the values that the event flow caches."""
        qos = self.qos
        persistent = qos.event_reliability is Reliability.PERSISTENT
        self.judged = bool(self.attached_filters or self.admin.attached_filters)
        self.defaults = (qos.priority, qos.timeout, persistent)

    def quality_of(self, header: Mapping[str, object], now: int) -> Quality:
        """Return the quality of an event that comes through it; see `lifetimes.quality_of`."""
        return quality_of(header, self.defaults, self.qos, self.channel.core, now)

    def cut(self) -> None:
        """Drop the outstanding poll: it will not be answered any more."""
        if self.polling is not None:
            self.polling.asked = False


class Polling:
    """When a pull supplier is polled next: not before `at`, nor while an answer is awaited."""

    __slots__ = ("_proxy", "asked", "at", "failures")

    def __init__(self, proxy: SupplierProxy) -> None:
        self._proxy = proxy
        self.at = 0
        self.asked = False
        self.failures = 0

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
