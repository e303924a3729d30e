"""Events from requests to the host: through a supplier's proxy, in order, judged one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, NamedTuple

from tidings.channel.commands import Push
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.qos import Reliability
from tidings.channel.vocabulary import Side, Style
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import Endpoint
from tidings.errors import AlreadyConnected, Disconnected, NotFound, TidingsError, WrongClient
from tidings.web.event_bodies import Incoming
from tidings.web.state import WebState


async def connect_quietly(door: LocalDoor, channel: int, proxy: int) -> None:
    """Connect a client that comes with each request, and gets nothing in between."""
    with suppress(AlreadyConnected):  # by another request, at the same time
        await door.connect(Connect(channel, proxy, notices=False), Endpoint())


class Suppliers:
    """The proxy of each channel that requests without a proxy of their own share."""

    def __init__(self, state: WebState) -> None:
        self._proxies: dict[tuple[LocalDoor, int], asyncio.Future[int]] = {}

    async def proxy(self, door: LocalDoor, channel: int) -> int:
        """The id of the shared proxy, which is made on first use."""
        key = (door, channel)
        found = self._proxies.get(key)
        if found is None:
            found = self._proxies[key] = asyncio.ensure_future(self._made(door, channel))
        try:
            return await asyncio.shield(found)  # others may wait for it, too
        except Exception:
            self._proxies.pop(key, None)
            raise

    def forget(self, door: LocalDoor, channel: int, proxy: int) -> None:
        """The proxy has ended: the next who asks gets a new one."""
        found = self._proxies.get((door, channel))
        if found is not None and found.done() and found.result() == proxy:
            del self._proxies[door, channel]

    async def _made(self, door: LocalDoor, channel: int) -> int:
        qos = {"ConnectionReliability": Reliability.BEST_EFFORT.value}
        proxy: int = await door.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PUSH, qos=qos))
        await connect_quietly(door, channel, proxy)
        return proxy


class Asked(NamedTuple):
    """Pushes that are under way: each with the places of its events."""

    size: int
    errors: list[tuple[int, TidingsError]]
    pushes: list[tuple[list[int], Push, asyncio.Future[Any]]]


class Publisher:
    """Pushes what requests bring, through a proxy or the shared one.

    With `trail`, the answers say how each event was judged.
    """

    def __init__(
        self, state: WebState, door: LocalDoor, channel: int, proxy: int | None, *, trail: bool
    ) -> None:
        self._state = state
        self._door = door
        self._channel = channel
        self._own = proxy
        # Those who share a proxy do not share their turns.
        self._source = self if proxy is None else None
        self._trail = trail
        self._proxy = 0
        self.origin = door.views.channel(channel).origin

    async def begin(self) -> None:
        """Find the proxy; refuse one that nobody can push through."""
        if self._own is None:
            suppliers = self._state.part(Suppliers)
            self._proxy = await suppliers.proxy(self._door, self._channel)
        else:
            found = self._door.views.proxy(self._channel, self._own)
            if found.side is not Side.SUPPLIER or found.style is not Style.PUSH:
                raise WrongClient(
                    f"proxy {found.id} is a {found.style.value} proxy of a {found.side.value}: "
                    "events are pushed through a push proxy of a supplier"
                )
            self._proxy = found.id
            self._state.lifetimes.touch(self._channel, self._proxy)

    def ask(self, incoming: Sequence[Incoming]) -> Asked:
        """Hands events to the host, after `begin`; `answers` waits for what becomes of them."""
        asked = Asked(len(incoming), [], [])
        for kind, run in groupby(enumerate(incoming), _kind):
            places, found = zip(*run, strict=True)
            if kind == _BAD:
                asked.errors.extend(zip(places, (one.item for one in found), strict=True))
                continue
            marks = None if kind == _UNMARKED else [one.mark for one in found]
            items = [one.item for one in found]
            push = Push(self._channel, self._proxy, items, marks, trail=self._trail)
            asked.pushes.append((list(places), push, self._door.ask(push, self._source)))
        return asked

    async def answers(self, asked: Asked) -> list[object]:
        """What became of each event: its number, perhaps with its trail, or an error."""
        found: list[object] = [None] * asked.size
        for place, error in asked.errors:
            found[place] = error
        for places, push, future in asked.pushes:
            for place, answer in zip(places, await self._answer(push, future), strict=True):
                found[place] = answer
        return found

    async def _answer(self, push: Push, future: asyncio.Future[Any]) -> Sequence[object]:
        try:
            answers: Sequence[object] = await future
        except (Disconnected, NotFound):
            await self._find_again(push.proxy)
            answers = await self._door.ask(push._replace(proxy=self._proxy), self._source)
        return answers

    async def _find_again(self, proxy: int) -> None:
        """The proxy has ended since it was last used, or nobody ever connected to it."""
        if self._own is not None:
            await connect_quietly(self._door, self._channel, proxy)
        elif self._proxy == proxy:
            self._state.part(Suppliers).forget(self._door, self._channel, proxy)
            await self.begin()


_MARKED, _UNMARKED, _BAD = range(3)


def _kind(placed: tuple[int, Incoming]) -> int:
    """Events with and without marks go in pushes of their own."""
    _, incoming = placed
    if isinstance(incoming.item, TidingsError):
        return _BAD
    return _UNMARKED if incoming.mark is None else _MARKED
