"""A supplier's proxy: what its events are taken to be, and when a pull supplier is asked."""

from __future__ import annotations

from collections.abc import Mapping

from tidings.channel.effects import NoticeKind, Poll
from tidings.channel.holders import Admin, Proxy
from tidings.channel.lifetimes import Defaults, Quality, quality_of
from tidings.channel.qos import QoS, Reliability
from tidings.channel.vocabulary import Form, Style

_STANDARD: Defaults = (0, 0, False)


class SupplierProxy(Proxy):
    """A proxy through which events come in.

    Attributes:
        defaults: What applies to events whose header says nothing.
        judged: Whether there are filters to pass.
        polling: Of a pull supplier's: when it is asked next; None until it has connected.
    """

    __slots__ = ("defaults", "judged", "polling")

    def __init__(self, admin: Admin, id: int, style: Style, form: Form, qos: QoS) -> None:
        super().__init__(admin, id, style, form, qos)
        self.defaults = _STANDARD
        self.judged = False
        self.polling: Polling | None = None

    def adjust(self) -> None:
        """Works out again what the flow of events needs to know of it."""
        qos = self.qos
        persistent = qos.event_reliability is Reliability.PERSISTENT
        self.judged = bool(self.attached_filters or self.admin.attached_filters)
        self.defaults = (qos.priority, qos.timeout, persistent)

    def quality_of(self, header: Mapping[str, object], now: int) -> Quality:
        """What applies to an event that comes through it.

        Raises:
            InvalidEvent: A standard header property has a value of another type, or out of its
                range; or the event would end before it begins.
        """
        return quality_of(header, self.defaults, self.qos, self.channel.core, now)

    def cut(self) -> None:
        """What was asked for on the client's line will not be answered any more."""
        if self.polling is not None:
            self.polling.asked = False


class Polling:
    """When a pull supplier is asked next.

    Args:
        proxy: Its proxy.

    Attributes:
        at: Not before.
        asked: Whether an answer is awaited.
        failures: How many times in a row asking has failed.
    """

    __slots__ = ("_proxy", "asked", "at", "failures")

    def __init__(self, proxy: SupplierProxy) -> None:
        self._proxy = proxy
        self.at = 0
        self.asked = False
        self.failures = 0

    def is_due(self, now: int) -> bool:
        """Whether the supplier is to be asked now; if only later, it is looked at again then."""
        proxy = self._proxy
        if self.asked or not proxy.attached or proxy.suspended:
            return False
        if self.at > now:
            self._wake()
            return False
        return True

    def ask(self, room: int, now: int) -> None:
        """Asks for as many events as there is room for."""
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
        """The supplier had so many events: if some, it may have more and is asked at once."""
        self.failures = 0
        interval = self._proxy.channel.core.settings.poll_interval
        self.at = now if events else now + interval

    def fail(self, reason: str, now: int) -> bool:
        """Asking failed: there is a pause; whether the supplier is given up instead."""
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
