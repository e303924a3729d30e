"""Pull suppliers: the channel asks them for events, again and again."""

from __future__ import annotations

from collections.abc import Sequence

from tidings.channel.commands import Polled
from tidings.channel.effects import NoticeKind, Poll
from tidings.channel.holders import Proxy
from tidings.channel.vocabulary import Form, Item
from tidings.errors import TidingsError


class Polling:
    """When a pull supplier is asked next.

    Attributes:
        at: Not before.
        asked: Whether an answer is awaited.
        failures: How many times in a row asking has failed.
    """

    __slots__ = ("asked", "at", "failures")

    def __init__(self, at: int) -> None:
        self.at = at
        self.asked = False
        self.failures = 0


def begin_polling(proxy: Proxy, now: int) -> None:
    """A pull supplier has connected, or goes on: it is asked at once."""
    if proxy.polling is None:
        proxy.polling = Polling(now)
    proxy.polling.at = now
    ask(proxy, now)


def ask(proxy: Proxy, now: int) -> None:
    """Asks a pull supplier when it is time, or has the proxy looked at when it is."""
    polling = proxy.polling
    if polling is None or polling.asked or not proxy.attached or proxy.suspended:
        return
    channel = proxy.channel
    if polling.at > now:
        channel.core.wake(polling.at, proxy)
        return
    most = proxy.qos.maximum_batch_size if proxy.form is Form.SEQUENCE else 1
    most = channel.room_for(min(most, channel.core.settings.limits.batch_events))
    if not most:  # 9: a full channel that refuses new events stops asking
        polling.at = now + channel.core.settings.poll_interval
        channel.core.wake(polling.at, proxy)
        return
    polling.asked = True
    channel.core.out.append(Poll(channel.id, proxy.id, most))


def polled(proxy: Proxy, command: Polled, now: int) -> bool:
    """Takes what a pull supplier had; whether the proxy is to be ended."""
    polling = proxy.polling
    if polling is None:
        return False
    polling.asked = False
    if command.gone:
        return True
    channel = proxy.channel
    settings = channel.core.settings
    reason = command.reason or _taken_in(proxy, command.items, now)
    if reason:
        polling.failures += 1
        text = f"asking failed {polling.failures} times; the last: {reason}"
        if not proxy.durable and polling.failures >= settings.retry_limit:
            proxy.notice(NoticeKind.GIVEN_UP, text)
            return True
        if polling.failures == 1:
            proxy.notice(NoticeKind.FAILING, text)
        pause = settings.retry_first << min(polling.failures - 1, 30)
        polling.at = now + min(pause, settings.retry_longest)
    else:
        polling.failures = 0
        # Who had something may have more: it is asked again at once.
        polling.at = now if command.items else now + settings.poll_interval
    ask(proxy, now)
    return False


def _taken_in(proxy: Proxy, items: Sequence[Item], now: int) -> str:
    """Takes events in; why none was accepted, empty if one was or a filter stopped it."""
    answers = proxy.channel.take_in(proxy, items, None, (), now)
    errors = [one for one in answers if isinstance(one, TidingsError)]
    return str(errors[0]) if errors and len(errors) == len(answers) else ""
