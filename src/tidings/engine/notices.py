"""Publishes notices of changes to services: each once, whatever happens in between.

Their numbers are those of one producer, so that the channel drops what it has already.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from tidings.changes.requests import NoticesDelayed, NoticesPublished, PublishNotices
from tidings.channel.channel import Channel
from tidings.channel.commands import Push
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.qos import Reliability
from tidings.channel.vocabulary import Side
from tidings.errors import ChannelFull, ChannelNotFound, ProxyNotFound, StoreError, TidingsError
from tidings.events.envelope import ProducerMark

log = logging.getLogger(__name__)

PRODUCER: Final = "service-changes"
"""The producer of all notices; their numbers are its numbers."""


class NoticePublisher:
    """Publishes what the core of changes hands out, and tells it."""

    def __init__(
        self,
        ask: Callable[[Any], asyncio.Future[Any]],
        tell: Callable[[Any], None],
        on_effect: Callable[[type[PublishNotices], Callable[[PublishNotices], None]], None],
        channels: Mapping[int, Channel],
    ) -> None:
        self._ask = ask
        self._tell = tell
        self._channels = channels
        self._place: tuple[int, int] | None = None
        self._task: asyncio.Task[None] | None = None
        on_effect(PublishNotices, self._begin)

    def _begin(self, told: PublishNotices) -> None:
        """Publish notices; the core hands out more when it knows what became of them."""
        self._task = asyncio.get_running_loop().create_task(self._publish(told))

    async def stop(self) -> None:
        """Wait until nothing is under way; a host that stops refuses what is."""
        if self._task is not None:
            await self._task

    async def _publish(self, told: PublishNotices) -> None:
        try:
            answers = await self._pushed(told)
        except (ChannelNotFound, ProxyNotFound) as error:
            self._place = None
            missing = isinstance(error, ChannelNotFound)
            self._tell(NoticesDelayed(str(error), channel_missing=missing))
            return
        except TidingsError as error:
            self._tell(NoticesDelayed(str(error)))
            return
        refused = 0
        for (number, event), answer in zip(told.events, answers, strict=True):
            if isinstance(answer, ChannelFull | StoreError):  # later there may be room
                if number > told.events[0][0]:
                    self._tell(NoticesPublished(number - 1, refused))
                self._tell(NoticesDelayed(str(answer)))
                return
            if isinstance(answer, TidingsError):
                refused += 1
                log.error("the channel refuses %s: %s", event.data["message_id"], answer)
        self._tell(NoticesPublished(told.events[-1][0], refused))

    async def _pushed(self, told: PublishNotices) -> list[object]:
        if self._place is None:
            self._place = await self._connected(told.channel)
        marks = [ProducerMark(PRODUCER, number) for number, _ in told.events]
        answers: list[object] = await self._ask(
            Push(*self._place, [event for _, event in told.events], marks)
        )
        return answers

    async def _connected(self, name: str) -> tuple[int, int]:
        """Return the channel, and a proxy to push through."""
        found = next((one for one in self._channels.values() if one.name == name), None)
        if found is None:
            raise ChannelNotFound(f"there is no channel named {name}")
        qos = {"ConnectionReliability": Reliability.BEST_EFFORT.value}
        proxy: int = await self._ask(ObtainProxy(found.id, Side.SUPPLIER, qos=qos))
        await self._ask(Connect(found.id, proxy, reachable=False))
        return found.id, proxy
