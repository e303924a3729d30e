"""What leaves: events to consumers, answers to pulls, notices to clients.

A durable event leaves after its sync, one whose content is on disk after it was read; others leave
at once, but never overtake within one consumer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from typing import Any, Final, NamedTuple, TypeAlias

from tidings.channel import effects as e
from tidings.channel.channel import Channels
from tidings.channel.commands import (
    Ack,
    CancelPull,
    Command,
    Failed,
    Lost,
    Polled,
    Pull,
    Withhold,
)
from tidings.channel.effects import Message
from tidings.channel.entries import SEQ, Entry
from tidings.channel.functions import error_text
from tidings.channel.holders import Proxy
from tidings.channel.vocabulary import Form, Place, Style
from tidings.engine.access import Caller
from tidings.engine.endpoints import Endpoint, EventBatch
from tidings.engine.storage import Storage
from tidings.errors import Disconnected, Stopping, StoreError, TidingsError
from tidings.events.fields import fields_for

_ONLY_MESSAGES: Final = frozenset({Message})

# Pauses between reads that fail for a reason that may pass, in seconds: the first, the longest.
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 5.0

_NOT_NOW: Final = "the next events cannot be read from the journal now; they wait"

Later: TypeAlias = Callable[[Callable[[], None]], None]
"""Runs an action when a write is on disk."""

Key: TypeAlias = tuple[int, int]
"""A consumer: channel and proxy."""

REFUSED: Final = object()
"""Replaces an event that could not be written, and so was never accepted."""

LOST: Final = object()
"""Replaces an event whose content on disk is damaged or gone."""

WITHHELD: Final = object()
"""Replaces an event that the owner of the proxy may not see any more."""


class Outbox:
    """A FIFO for each consumer for whom something waits."""

    def __init__(self) -> None:
        self.lines: dict[Key, deque[EventBatch]] = {}

    def put(self, batch: EventBatch, leave: Callable[[EventBatch], None], waits: int) -> None:
        """Append events for a consumer; they leave when nothing is before them or awaited."""
        batch.leave, batch.waits = leave, waits
        key = batch.address
        if key in self.lines:
            self.lines[key].append(batch)
        else:
            self.lines[key] = deque((batch,))
        if not waits:
            self._let_out(key)

    def ready(self, batch: EventBatch) -> None:
        """Note that one of the conditions of a batch is met."""
        batch.waits -= 1
        if not batch.waits:
            self._let_out(batch.address)

    def holds(self, batch: EventBatch) -> bool:
        """Return whether a batch still waits; it may have been recalled."""
        return batch in self.lines.get(batch.address, ())

    def withdraw(self, channel: int, seqs: Collection[int]) -> None:
        """Replace events that were never accepted by `REFUSED`."""
        for batch in chain.from_iterable(self.lines.values()):
            messages: list[Any] = batch.messages
            for at, message in enumerate(messages if batch.channel == channel else ()):
                if isinstance(message, Message) and message.seq in seqs:
                    messages[at] = REFUSED

    def recall(self, key: Key) -> list[int]:
        """Drop all that waits for a consumer; return the numbers of the events."""
        line = self.lines.pop(key, ())
        return [entry.seq for batch in line for entry in batch.entries]

    def _let_out(self, key: Key) -> None:
        line = self.lines.get(key)
        if line is None:
            return
        while line and line[0].waits <= 0:
            batch = line.popleft()
            assert batch.leave is not None
            batch.leave(batch)
        if not line:
            self.lines.pop(key, None)


@dataclass(slots=True)
class _Failing:
    """A consumer that failed: why, and how many failures the core does not know yet."""

    reason: str
    untold: int = 0


class _WaitingPull(NamedTuple):
    """A pull that waits for events: its answer, who waits, and the proxy."""

    answer: asyncio.Future[EventBatch]
    caller: Caller
    place: Place


class Sender:
    """The way out; `ask` and `tell` run commands, `tell` without an access check.

    `endpoints` says how clients are reached, and in which form they take events; `pulls` are the
    waiting ones, by token.
    """

    def __init__(  # noqa: PLR0913, PLR0917 -- what it takes of the host
        self,
        storage: Storage,
        channels: Channels,
        ask: Callable[[Command, Caller], asyncio.Future[Any]],
        tell: Callable[..., None],
        now: Callable[[], int],
        notice: Callable[[e.Notice], None],
        lost: Callable[[int, int, Sequence[int]], None],
        may_poll: Callable[[int, int], bool],
        check_polled: Callable[[Polled], None],
    ) -> None:
        self.endpoints: dict[Key, tuple[Endpoint, Form]] = {}
        self.pulls: dict[int, _WaitingPull] = {}
        self._unreadable = False  # and those who run the service were told
        self._storage = storage
        self._bodies = storage.bodies
        self._channels = channels
        self._ask = ask
        self._tell = tell
        self._now = now
        self._notice = notice
        self._lost = lost
        self._may_poll = may_poll
        self._check_polled = check_polled
        self._loop = asyncio.get_running_loop()
        self._outbox = Outbox()
        # Consumers with failures that the core does not know yet.
        self._failing: dict[Key, _Failing] = {}
        self._polls: set[asyncio.Task[None]] = set()
        self._tokens = count(1)

    @property
    def idle(self) -> bool:
        """Return whether nothing waits to leave."""
        return not self._outbox.lines

    def reach(self, key: Key, endpoint: Endpoint, form: Form) -> None:
        """Set how a proxy's client is reached, and forget its predecessor's failures."""
        self.endpoints[key] = (endpoint, form)
        self._failing.pop(key, None)

    def deliver(self, effect: e.Deliver, later: Later | None) -> None:
        """Deliver events to a push consumer, once they may leave and their content is in memory."""
        channel, proxy, entries = effect.channel, effect.proxy, effect.entries
        key = (channel, proxy)
        reached = self.endpoints.get(key)
        if reached is None or not entries:  # none of them could be written
            return
        failing = self._failing.get(key)
        if failing is not None:
            seqs = [entry.seq for entry in entries]
            self._tell_failed(Failed(channel, proxy, seqs, failing.reason, behind=True), failing)
            return
        endpoint, form = reached
        messages = self._messages(channel, entries)
        batch = EventBatch(channel, proxy, messages, effect.again, form, entries)
        direct = later is None and key not in self._outbox.lines and _is_whole(messages)
        if direct and not self._is_checked(key, entries):
            endpoint.deliver(batch)
        else:
            self._send(batch, partial(self._hand_over, endpoint), later)

    async def pull(
        self,
        channel: int,
        proxy: int,
        most: int,
        wait: int | None,
        lease: int | None,
        principal: Caller,
    ) -> EventBatch:
        """Pull events from the core and wait for the answer.

        Events that cannot be read are retried while the consumer waits; after a StoreError they
        wait for the next pull.
        """
        now = self._now
        until = None if wait is None else now() + wait
        pause = _FIRST_PAUSE
        while True:
            try:
                found = await self._pull(channel, proxy, most, wait, lease, principal)
                if found.messages or not found.withheld:
                    return found
                wait = None if until is None else max(0, until - now())
                continue
            except StoreError:
                if until is not None:
                    wait = until - now() - round(pause * 1_000_000)
                    if wait <= 0:
                        raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _pull(
        self,
        channel: int,
        proxy: int,
        most: int,
        wait: int | None,
        lease: int | None,
        principal: Caller,
    ) -> EventBatch:
        """Pull once. Without a lease, events count as delivered when handed over."""
        token = next(self._tokens)
        future: asyncio.Future[EventBatch] = self._loop.create_future()
        self.pulls[token] = _WaitingPull(future, principal, Place(channel, proxy=proxy))
        try:
            await self._ask(Pull(channel, proxy, token, most, wait, lease), principal)
            found = await future
            if lease is None and found.messages:
                seqs = [message.seq for message in found.messages]
                self._tell(Ack(channel, proxy, seqs))
            return found
        except BaseException:  # the core must give nothing to who waits no more
            self._tell(CancelPull(channel, proxy, token))
            if not future.done():
                future.cancel()  # what is on its way to it goes back
            elif not future.cancelled() and future.exception() is None:
                seqs = [message.seq for message in future.result().messages]
                self._give_back(channel, proxy, seqs)
            raise
        finally:
            self.pulls.pop(token, None)

    def pulled(self, effect: e.Pulled, later: Later | None) -> None:
        """Answer a pull, once its events may leave and their content is in memory."""
        channel, proxy, entries = effect.channel, effect.proxy, effect.entries
        waiting = self.pulls.pop(effect.token, None)
        if waiting is None:
            self._give_back(channel, proxy, list(map(SEQ, entries)))
            return
        messages = self._messages(channel, entries)
        batch = EventBatch(channel, proxy, messages, effect.again, entries=entries)
        if later is None and batch.address not in self._outbox.lines and _is_whole(messages):
            self._answer_pull(waiting.answer, batch)
        else:
            self._send(batch, partial(self._answer_pull, waiting.answer), later, pause=None)

    def _messages(self, channel: int, entries: Sequence[Entry]) -> list[Any]:
        held = self._bodies.of(channel)
        return list(map(held.get, map(SEQ, entries)))

    def _send(
        self,
        batch: EventBatch,
        leave: Callable[[EventBatch], None],
        later: Later | None,
        pause: float | None = _FIRST_PAUSE,
    ) -> None:
        missing = [] if _is_whole(batch.messages) else self._fill_from_memory(batch)
        self._outbox.put(batch, leave, (later is not None) + bool(missing))
        if later is not None:
            later(partial(self._outbox.ready, batch))
        if missing:
            self._fetch(batch, missing, pause)

    def _fill_from_memory(self, batch: EventBatch) -> list[tuple[int, int]]:
        """Fill in contents from memory; return which others are where on disk."""
        messages: list[Any] = batch.messages
        missing: list[tuple[int, int]] = []
        for at, found in enumerate(messages):
            if isinstance(found, int):
                cached = self._bodies.get(batch.channel, batch.entries[at].seq)
                if cached is None:
                    missing.append((at, found))
                else:
                    messages[at] = cached
        return missing

    def _fetch(
        self, batch: EventBatch, missing: Sequence[tuple[int, int]], pause: float | None
    ) -> None:
        """Read contents from disk, then mark the batch ready.

        What cannot be read now is retried after `pause`; with None the failure is final at once, as
        a pull is retried by its caller.
        """
        messages: list[Any] = batch.messages

        def fetched(result: asyncio.Future[list[Message | None]]) -> None:
            error = result.exception()
            found = [] if error is not None else result.result()
            for (at, _), message in zip(missing, found, strict=False):
                messages[at] = LOST if message is None else message
                if message is not None:
                    self._bodies.cache(batch.channel, message.seq, message)
            if error is not None:
                self._report_unreadable(batch, error)
            elif len(found) == len(missing):
                self._unreadable = False
            if len(found) == len(missing) or pause is None:
                self._outbox.ready(batch)
            else:
                self._loop.call_later(pause, self._fetch_again, batch, pause)

        self._storage.fetch([place for _, place in missing]).add_done_callback(fetched)

    def _fetch_again(self, batch: EventBatch, pause: float) -> None:
        if not self._outbox.holds(batch):
            return  # recalled: it is delivered again, or done with
        # Retention may have carried the events to another place, and some may be done with.
        messages: list[Any] = batch.messages
        held = self._bodies.of(batch.channel)
        for at, message in enumerate(messages):
            if isinstance(message, int):
                messages[at] = held.get(batch.entries[at].seq, REFUSED)
        missing = self._fill_from_memory(batch)
        with contextlib.suppress(Stopping):
            if missing:
                self._fetch(batch, missing, min(2 * pause, _LONGEST_PAUSE))
            else:
                self._outbox.ready(batch)

    def _report_unreadable(self, batch: EventBatch, error: BaseException) -> None:
        if not self._unreadable:
            self._unreadable = True
            text = f"events cannot be read from the journal now: {error}; they wait"
            self._notice(e.Notice(e.NoticeKind.FAILING, batch.channel, batch.proxy, text))

    def _hand_over(self, endpoint: Endpoint, batch: EventBatch) -> None:
        """Report what is lost; deliver the rest, except what the proxy's owner may not see."""
        reached = self.endpoints.get(batch.address)
        if reached is None or reached[0] is not endpoint:
            return  # the connection has ended: what it was to get is delivered again, or done with
        self._withhold(batch)
        self._report_lost(batch)
        batch.messages = _read(batch.messages)
        if batch.messages:
            endpoint.deliver(batch)

    def _answer_pull(self, future: asyncio.Future[EventBatch], batch: EventBatch) -> None:
        self._withhold(batch)
        self._report_lost(batch)
        messages: list[Any] = batch.messages
        whole = len(messages)
        if future.done():
            whole = 0
        else:  # what cannot be read now, and all behind it, waits for the next pull
            whole = next((at for at, one in enumerate(messages) if isinstance(one, int)), whole)
            if messages and not whole:
                future.set_exception(StoreError(_NOT_NOW))
            else:
                batch.messages = _read(messages[:whole])
                future.set_result(batch)
        self._give_back(batch.channel, batch.proxy, list(map(SEQ, batch.entries[whole:])))

    def _is_checked(self, key: Key, entries: Sequence[Entry]) -> bool:
        """Return whether events may have been judged by another fence than the proxy's is now."""
        proxy = self._proxy(key)
        if proxy is None or not proxy.fence:
            return False
        return any(entry.seq <= proxy.fenced_at for entry in entries)

    def _proxy(self, key: Key) -> Proxy | None:
        channel = self._channels.get(key[0])
        return None if channel is None else channel.proxies.get(key[1])

    def _withhold(self, batch: EventBatch) -> None:
        """Replace events outside the proxy's fence by `WITHHELD`, and settle them."""
        proxy = self._proxy(batch.address)
        if proxy is None or not proxy.fence:
            return
        messages: list[Any] = batch.messages
        seqs = []
        for at, message in enumerate(messages):
            if isinstance(message, Message) and message.seq <= proxy.fenced_at:
                fields = fields_for(message.event, message.arrival)
                if not any(one.matches(fields) for one in proxy.fence):
                    messages[at] = WITHHELD
                    seqs.append(message.seq)
        if seqs:
            batch.withheld = True
            self._tell(Withhold(batch.channel, batch.proxy, seqs))

    def _give_back(self, channel: int, proxy: int, seqs: list[int]) -> None:
        if seqs:
            self._tell(Failed(channel, proxy, seqs, "not handed over"))

    def _report_lost(self, batch: EventBatch) -> None:
        messages: list[Any] = batch.messages
        lost = [
            entry.seq
            for entry, message in zip(batch.entries, messages, strict=True)
            if message is LOST or message is None
        ]
        if lost:
            self._lost(batch.channel, batch.proxy, lost)
            self._tell(Lost(batch.channel, batch.proxy, lost))

    def failed(self, command: Failed) -> None:
        """Tell the core of a failed delivery; nothing overtakes it until the core knows."""
        key = (command.channel, command.proxy)
        behind = self.recall(*key)
        failing = self._failing.setdefault(key, _Failing(command.reason))
        self._tell_failed(command._replace(seqs=[*command.seqs, *behind]), failing)

    def _tell_failed(self, command: Failed, failing: _Failing) -> None:
        failing.untold += 1
        heard: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heard.add_done_callback(partial(self._heard, (command.channel, command.proxy), failing))
        self._tell(command, heard)

    def _heard(self, key: Key, failing: _Failing, done: asyncio.Future[None]) -> None:
        done.exception()  # a proxy that is gone needs nothing
        failing.untold -= 1
        if not failing.untold and self._failing.get(key) is failing:
            del self._failing[key]

    def recall(self, channel: int, proxy: int) -> list[int]:
        """Hold back what waits to leave for a push consumer; return the numbers of the events."""
        key = (channel, proxy)
        if key not in self._outbox.lines:
            return []
        found = self._channels[channel].proxies.get(proxy)
        if found is None or found.style is Style.PULL:  # who pulls waits for the answer
            return []
        return self._outbox.recall(key)

    def withdraw(self, channel: int, seqs: Collection[int]) -> None:
        """Hold back events that could not be written, and so were never accepted."""
        self._outbox.withdraw(channel, seqs)

    def pull_ended(self, token: int, error: TidingsError) -> None:
        """Answer a pull with an error."""
        waiting = self.pulls.pop(token, None)
        if waiting is not None and not waiting.answer.done():
            waiting.answer.set_exception(error)

    def end_pulls(
        self, error: TidingsError, concerns: Callable[[Caller, Place], bool] = lambda *_: True
    ) -> None:
        """Answer waiting pulls with an error, all or some: no more events will come."""
        for token, waiting in list(self.pulls.items()):
            if concerns(waiting.caller, waiting.place):
                self.pull_ended(token, error)

    def poll(self, effect: e.Poll) -> None:
        """Poll a pull supplier, and pass its events to the core."""
        reached = self.endpoints.get((effect.channel, effect.proxy))
        if reached is None:
            return
        task = asyncio.get_running_loop().create_task(self._poll(effect, reached[0]))
        self._polls.add(task)
        task.add_done_callback(self._polls.discard)

    async def _poll(self, effect: e.Poll, endpoint: Endpoint) -> None:
        channel, proxy, most = effect
        try:
            items = await endpoint.try_pull(most) if self._may_poll(channel, proxy) else ()
            answer = Polled(channel, proxy, items)
            self._check_polled(answer)
        except Disconnected as error:
            answer = Polled(channel, proxy, (), error_text(error), True)
        except Exception as error:  # noqa: BLE001 -- the supplier's trouble, told as such
            answer = Polled(channel, proxy, (), error_text(error))
        self._tell(answer)

    def tell_offers(self, effect: e.TellOffers) -> None:
        """Tell a consumer what is offered."""
        reached = self.endpoints.get((effect.channel, effect.proxy))
        if reached is not None:
            reached[0].offers(effect.added, effect.removed)

    def tell_subscriptions(self, effect: e.TellSubscriptions) -> None:
        """Tell a supplier what is wanted."""
        reached = self.endpoints.get((effect.channel, effect.proxy))
        if reached is not None:
            reached[0].subscriptions(effect.added, effect.removed)

    def disconnect(self, effect: e.DisconnectPeer) -> None:
        """Tell a client that its proxy is gone, and forget it."""
        reached = self.endpoints.pop((effect.channel, effect.proxy), None)
        if reached is not None:
            endpoint = reached[0]
            if effect.tell:
                endpoint.disconnected()
            else:
                endpoint.close()

    async def stop(self) -> None:
        """Cancel calls that still run at clients."""
        for task in self._polls:
            task.cancel()
        await asyncio.gather(*self._polls, return_exceptions=True)
        for endpoint, _ in list(self.endpoints.values()):
            endpoint.close()
            endpoint.cancel()
        self.endpoints.clear()
        self.end_pulls(Disconnected("the service has stopped"))


def _is_whole(messages: Sequence[object]) -> bool:
    """Return whether all contents are in memory."""
    return _ONLY_MESSAGES.issuperset(map(type, messages))


def _read(messages: list[Any]) -> list[Message]:
    """Return the events that have their content: others are refused or lost."""
    return [message for message in messages if isinstance(message, Message)]
