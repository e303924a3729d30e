"""Things that leave: events to consumers, answers to pulls, notices to clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from tidings.channel import effects as e
from tidings.channel.commands import CancelPull, Failed, Polled, Pull
from tidings.channel.delivery import Delivery as Queues
from tidings.channel.entries import Entry
from tidings.channel.holders import Proxy
from tidings.channel.vocabulary import Form, Style
from tidings.engine.access import Principal
from tidings.engine.bodies import Message
from tidings.engine.endpoints import Delivery, Endpoint
from tidings.engine.outbox import REFUSED, Key, Outbox
from tidings.engine.reach import in_words
from tidings.errors import Disconnected, TidingsError

if TYPE_CHECKING:
    from tidings.engine.host import Host

__all__ = ["Leaving", "leaves"]

_MESSAGES: Final = {Message}

# A field of a named tuple, read without a Python call.
_SEQ: Final[Callable[[Entry], int]] = itemgetter(1)

Later = Callable[[Callable[[], None]], None]
"""Has something done when a write is on the disk."""


class Leaving:
    """The way out.

    Attributes:
        endpoints: How the clients of proxies are reached, and in which form they take events.
        pulls: Who waits for the answer to a pull, by token.
    """

    def __init__(self, host: Host) -> None:
        self.endpoints: dict[Key, tuple[Endpoint, Form]] = {}
        self.pulls: dict[int, asyncio.Future[Delivery]] = {}
        self._host = host
        self._bodies = host.bodies
        self._outbox = Outbox()
        # Consumers of whose failure the core has not heard yet, and why they failed.
        self._failing: dict[Key, str] = {}
        self._polls: set[asyncio.Task[None]] = set()
        self._tokens = count(1)

    @property
    def idle(self) -> bool:
        """Whether nothing waits to leave."""
        return not self._outbox.lines

    def reach(self, key: Key, endpoint: Endpoint, form: Form) -> None:
        """From now on this is how a proxy's client is reached; failures were of the one before."""
        self.endpoints[key] = (endpoint, form)
        self._failing.pop(key, None)

    def deliver(self, effect: e.Deliver, later: Later | None) -> None:
        """Hands events to a push consumer, when they may leave and their content is here."""
        channel, proxy, entries, again = effect
        key = (channel, proxy)
        reached = self.endpoints.get(key)
        if reached is None:
            return
        if key in self._failing:
            seqs = [entry.seq for entry in entries]
            self._host.tell(Failed(channel, proxy, seqs, self._failing[key]))
            return
        endpoint, form = reached
        messages = self._messages(channel, entries)
        whole = set(map(type, messages)) == _MESSAGES
        batch = Delivery(channel, proxy, messages, again, form)
        if whole and later is None and key not in self._outbox.lines:
            endpoint.deliver(batch)
        else:
            self._send(
                batch, partial(self._hand_over, endpoint, batch, entries), entries, whole, later
            )

    async def pull(
        self,
        channel: int,
        proxy: int,
        most: int,
        wait: int | None,
        lease: int | None,
        principal: Principal,
    ) -> Delivery:
        """Asks the core for a pull consumer, and waits for what it answers."""
        token = next(self._tokens)
        future: asyncio.Future[Delivery] = self._host.loop.create_future()
        self.pulls[token] = future
        try:
            await self._host.ask(Pull(channel, proxy, token, most, wait, lease), principal)
            return await future
        except BaseException:  # the core must give nothing to who waits no more
            self._host.tell(CancelPull(channel, proxy, token))
            raise
        finally:
            self.pulls.pop(token, None)

    def pulled(self, effect: e.Pulled, later: Later | None) -> None:
        """Answers a pull, when its events may leave and their content is here."""
        token, channel, proxy, entries, again = effect
        future = self.pulls.pop(token, None)
        if future is None:
            return
        messages = self._messages(channel, entries)
        whole = not messages or set(map(type, messages)) == _MESSAGES
        batch = Delivery(channel, proxy, messages, again)
        act = partial(self._answer_pull, future, batch, entries)
        if whole and later is None and (channel, proxy) not in self._outbox.lines:
            act()
        else:
            self._send(batch, act, entries, whole, later)

    def _messages(self, channel: int, entries: Sequence[Entry]) -> list[Any]:
        held = self._bodies.of(channel)
        return list(map(held.get, map(_SEQ, entries)))

    def _send(
        self,
        batch: Delivery,
        act: Callable[[], None],
        entries: Sequence[Entry],
        whole: bool,
        later: Later | None,
    ) -> None:
        key = (batch.channel, batch.proxy)
        missing = [] if whole else self._fill_from_memory(batch, entries)
        waits = (later is not None) + bool(missing)
        ticket = self._outbox.put(key, act, waits, batch.messages, entries)
        ready = partial(self._outbox.ready, ticket)
        if later is not None:
            later(ready)
        if missing:
            self._fetch(batch, missing, ready)

    def _fill_from_memory(self, batch: Delivery, entries: Sequence[Entry]) -> list[tuple[int, int]]:
        """Puts contents in that are in the cache; which others are where on the disk."""
        messages: list[Any] = batch.messages
        missing: list[tuple[int, int]] = []
        for at, found in enumerate(messages):
            if isinstance(found, int):
                cached = self._bodies.get(batch.channel, entries[at].seq)
                if cached is None:
                    missing.append((at, found))
                else:
                    messages[at] = cached
        return missing

    def _fetch(
        self, batch: Delivery, missing: Sequence[tuple[int, int]], ready: Callable[[], None]
    ) -> None:
        """Reads contents that are on the disk, then says so."""
        messages: list[Any] = batch.messages

        def fetched(result: asyncio.Future[list[Message | None]]) -> None:
            if result.exception() is None:
                for (at, _), message in zip(missing, result.result(), strict=True):
                    if message is not None:
                        messages[at] = message
                        self._bodies.cache(batch.channel, message.seq, message)
            ready()

        self._host.submit_fetch([place for _, place in missing]).add_done_callback(fetched)

    def _hand_over(self, endpoint: Endpoint, batch: Delivery, entries: Sequence[Entry]) -> None:
        """Delivers what could be read; the rest is reported as lost."""
        reached = self.endpoints.get((batch.channel, batch.proxy))
        if reached is None or reached[0] is not endpoint:
            return  # the connection has ended: what it was to get is delivered again, or done with
        good = _read(batch.messages)
        if good:
            endpoint.deliver(batch._replace(messages=good))
        self._report_lost(batch, entries)

    def _answer_pull(
        self, future: asyncio.Future[Delivery], batch: Delivery, entries: Sequence[Entry]
    ) -> None:
        if not future.done():
            future.set_result(batch._replace(messages=_read(batch.messages)))
        self._report_lost(batch, entries)

    def _report_lost(self, batch: Delivery, entries: Sequence[Entry]) -> None:
        messages: list[Any] = batch.messages
        lost = [
            entry.seq
            for entry, message in zip(entries, messages, strict=True)
            if message is not REFUSED and not isinstance(message, Message)
        ]
        if lost:
            text = f"events {lost[:10]} cannot be read from the journal; they are lost"
            self._host.notice(e.Notice(e.NoticeKind.LOST, batch.channel, batch.proxy, text))
            self._host.ack(batch.channel, batch.proxy, lost)

    def failed(self, command: Failed) -> None:
        """Tells the core what could not be handed over; nothing overtakes it until it knows."""
        key = (command.channel, command.proxy)
        behind = self.recall(*key)
        self._failing[key] = command.reason
        heard: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heard.add_done_callback(partial(self._heard, key))
        self._host.tell(command._replace(seqs=[*command.seqs, *behind]), heard)

    def _heard(self, key: Key, done: asyncio.Future[None]) -> None:
        done.exception()  # a proxy that is gone needs nothing
        self._failing.pop(key, None)

    def recall(self, channel: int, proxy: int) -> list[int]:
        """Keeps from a push consumer what waits to leave; the numbers of the events."""
        key = (channel, proxy)
        if key not in self._outbox.lines:
            return []
        found = self._host.factory.channels[channel].proxies.get(proxy)
        if found is None or found.style is Style.PULL:  # who pulls waits for the answer
            return []
        return self._outbox.recall(key)

    def withdraw(self, channel: int, seqs: Collection[int]) -> None:
        """Lets events not leave that could not be written: they were never accepted."""
        self._outbox.withdraw(channel, seqs)

    def pull_ended(self, token: int, error: TidingsError) -> None:
        """Answers a pull with an error."""
        future = self.pulls.pop(token, None)
        if future is not None and not future.done():
            future.set_exception(error)

    def end_pulls(self, error: TidingsError) -> None:
        """Answers all who wait with an error: nothing comes any more that they could wait for."""
        for token in list(self.pulls):
            self.pull_ended(token, error)

    def poll(self, effect: e.Poll) -> None:
        """Asks a pull supplier; the core hears what it had."""
        reached = self.endpoints.get((effect.channel, effect.proxy))
        if reached is None:
            return
        task = asyncio.get_running_loop().create_task(self._poll(effect, reached[0]))
        self._polls.add(task)
        task.add_done_callback(self._polls.discard)

    async def _poll(self, effect: e.Poll, endpoint: Endpoint) -> None:
        channel, proxy, most = effect
        try:
            items = await endpoint.try_pull(most)
            answer = Polled(channel, proxy, items)
        except Disconnected as error:
            answer = Polled(channel, proxy, (), in_words(error), True)
        except Exception as error:  # noqa: BLE001 -- the supplier's trouble, told as such
            answer = Polled(channel, proxy, (), in_words(error))
        self._host.tell(answer)

    def tell_offers(self, effect: e.TellOffers) -> None:
        """Tells a consumer what is offered."""
        reached = self.endpoints.get((effect.channel, effect.proxy))
        if reached is not None:
            reached[0].offers(effect.added, effect.removed)

    def tell_subscriptions(self, effect: e.TellSubscriptions) -> None:
        """Tells a supplier what is wanted."""
        reached = self.endpoints.get((effect.channel, effect.proxy))
        if reached is not None:
            reached[0].subscriptions(effect.added, effect.removed)

    def disconnect(self, effect: e.DisconnectPeer) -> None:
        """Tells a client that its proxy is gone, and forgets it."""
        reached = self.endpoints.pop((effect.channel, effect.proxy), None)
        if reached is not None:
            endpoint = reached[0]
            if effect.tell:
                endpoint.disconnected()
            else:
                endpoint.close()

    async def stop(self) -> None:
        """Ends what still runs at clients."""
        for task in self._polls:
            task.cancel()
        await asyncio.gather(*self._polls, return_exceptions=True)
        for endpoint, _ in list(self.endpoints.values()):
            endpoint.close()
            endpoint.cancel()
        self.endpoints.clear()
        self.end_pulls(Disconnected("the service has stopped"))


def _read(messages: list[Any]) -> list[Message]:
    """The events whose content is here: one that could not be read is still its place."""
    return [message for message in messages if isinstance(message, Message)]


def leaves(proxy: Proxy, delivery: Queues) -> bool:
    """Whether events of a consumer are on their way, or will be without its doing."""
    if delivery.flight:
        return True
    pushed = proxy.style is Style.PUSH and proxy.attached and not proxy.suspended
    return pushed and (len(delivery.queue) > 0 or delivery.spilled > 0)
