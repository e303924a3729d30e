"""One side of a gateway: its adapter's life, what is on its way to the service, and what waits.

::

    connecting ──> up ──> down ──> connecting …     with a pause that doubles
                    └ degraded                       up, and the service refuses what is wanted

    deliveries ──> queue ──> publish                 while the service keeps up
                     └─────> outbox ──> publish      while it does not, or waits from before

While anything waits in the outbox, everything goes through it, so that the order stays. What
gateways tell each other goes first: one that is silent counts as gone.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from tidings.api.properties import properties_in
from tidings.channel.property_errors import Level
from tidings.channel.qos import QoS
from tidings.channel.qos_check import changed
from tidings.client.transports.backoff import pauses
from tidings.clock import Clock
from tidings.errors import (
    BadInput,
    ChannelFull,
    InvalidEvent,
    InvalidUsage,
    TidingsError,
    UnsupportedQoS,
)
from tidings.events.codecs.json_codec import encode_event
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.control import CONTROL_SUBJECT, ControlKind
from tidings.federation.gateway import Delivery
from tidings.federation.proximity import position_of_text, reaches
from tidings.federation.requests import Flow, SideConfig, SideInfo, SideState
from tidings.federation.wishes import filter_of
from tidings.filters.constraint import Constraint
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Outgoing,
    Placed,
    Refused,
    Side,
    adapter_class,
    new_adapter,
)
from tidings.gateways.mapping import Mapped
from tidings.gateways.outbox import FromAside, Outbox

log = logging.getLogger(__name__)

MOST_QUEUED: Final = 2_000
"""Deliveries in memory for one side; the rest goes to the outbox."""
MOST_SECRET: Final = 65_536
_BATCH: Final = 256
# What was published into a service without marks is known again for so long, and so many.
_ECHO_TIME: Final = 30.0
_MOST_ECHOES: Final = 10_000
_LOOK: Final = 0.5
# Seconds until a service that has refused what is wanted is asked again.
_AGAIN: Final = 10.0
_BRIEFLY: Final = 0.1
# Seconds until a channel that takes nothing is tried again.
_RETRY: Final = 1.0
# So often an adapter may fail with an event that is alone; then the event is refused.
_MOST_FAULTS: Final = 3
LEAVING: Final = 10.0
"""Seconds that a service has to take what has come for it, and to delete what a side has there."""
_SECOND: Final = 1_000_000

Heard = Callable[[str, Sequence[Arrival]], Awaitable[None]]
# An event, and what is called when it is safe.
_Sending = tuple[Outgoing, Callable[[], None]]


class _Lost(Exception):
    """The connection is lost."""


class SideRunner:
    """Runs one side.

    Attributes:
        config: How it is set up.
        state: How it is.
        capabilities: What the service can do.
        place: Where clients find it.
    """

    def __init__(
        self,
        config: SideConfig,
        side: Side,
        outbox: Outbox,
        clock: Clock,
        *,
        heard: Heard,
        changed: Callable[[str, bool], None],
        placed: Callable[[str, Sequence[Constraint], Sequence[Placed] | str], None],
    ) -> None:
        self.config = config
        self.state = SideState.CONNECTING
        self._side = side
        self._outbox = outbox
        self._clock = clock
        self._heard_by = heard
        self._changed = changed
        self._placed = placed
        self._mapped = Mapped(config.mapping, config.adapter)
        self._aside = outbox.aside(self._mapped.inward, partial(heard, config.adapter))
        self._putting_aside: set[asyncio.Task[None]] = set()
        self._flow = _Allowed(config.flow)
        self._position = position_of_text(config.position) if config.position else None
        # Without any, what goes to the service is not looked at here.
        self._has_rules = bool(
            self._mapped.changes_out or self._flow.judges or self._position is not None
        )
        example = checked_side(config, side)
        self.capabilities, self.place = example.capabilities, example.place
        self._hears_echoes = self.capabilities.echoes and not self.capabilities.marks
        self._lie = ""
        self._secrets = adapter_class(config.kind).secrets
        self._adapter: Adapter[Any] | None = None
        self._queue: deque[_Sending] = deque()
        self._talk: deque[Outgoing] = deque(maxlen=MOST_QUEUED)
        self._faults = 0  # in a row
        self._careful = 0  # so many events are published one by one
        self._sending = 0
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._overflow = asyncio.Event()
        self._left = asyncio.Event()
        self._deleting = False
        self._filters: tuple[Constraint, ...] | None = None
        self._subjects: tuple[str, ...] | None = None
        self._wants: tuple[str, ...] = ()
        self._echoes: OrderedDict[object, float] = OrderedDict()
        self._info = SideInfo(config.adapter, config.service, config.kind)
        self._cause, self._since = "", clock.now()
        self._counts = dict.fromkeys(
            ("received", "sent", "set_aside", "withheld", "outside", "reconnects", "repeated"), 0
        )
        self._last_cause = ""
        self._tasks: list[asyncio.Task[None]] = []

    # What it is told.

    def start(self) -> None:
        """Begin to connect."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._live()), loop.create_task(self._spill())]

    async def stop(self) -> None:
        """Disconnect; what waits in memory goes to the outbox."""
        tasks = [*self._tasks, *self._putting_aside]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._tasks = []
        with suppress(TidingsError):
            await self._to_outbox()
        await self._outbox.close()
        await self._aside.close()
        self._set(SideState.STOPPED, "")

    def pass_on(self, other: SideRunner | None) -> None:
        """Hand over what came while it was stopped to the one in its place, if there is one."""
        while self._queue:
            (event, mark), done = self._queue.popleft()
            if other is None:
                done()
            else:
                other.send(Delivery(self.config.adapter, event, mark), done)
        self._room.set()

    async def delete(self) -> None:
        """Stop, and leave nothing: neither what waits nor, where it is up, subscriptions."""
        for last in (self._empty, self._leave):
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVING / 2):
                    await last()
        await self.stop()
        await self._outbox.delete()
        await self._aside.delete()

    async def _empty(self) -> None:
        """Wait until what has come for the service is there."""
        while self._adapter is not None and (self._queue or self._sending):
            self._room.clear()
            await self._room.wait()

    async def _leave(self) -> None:
        """Have the service forget what was wanted."""
        while self._adapter is None:  # noqa: ASYNC110 -- until it is connected again
            await asyncio.sleep(_BRIEFLY)
        self.want(())
        self._deleting = True
        await self._left.wait()

    def want(self, filters: tuple[Constraint, ...]) -> None:
        """Have the service hand over what matches any of these."""
        if not self._deleting:
            self._filters = filters
            self._wake.set()

    def offer(self, subjects: tuple[str, ...]) -> None:
        """Tell the service what will be published into it."""
        self._subjects = subjects
        self._wake.set()

    def send(self, delivery: Delivery, done: Callable[[], None]) -> None:
        """Take an event for the service; `done` is called when it is safe."""
        outgoing = Outgoing(delivery.event, delivery.mark)
        if _is_talk(delivery.event):
            if self._adapter is not None:
                self._talk.append(outgoing)
            done()
        else:
            self._queue.append((outgoing, done))
        self._wake.set()
        if self._must_spill:
            self._overflow.set()

    async def room(self) -> None:
        """Wait until there is room for more."""
        while len(self._queue) >= MOST_QUEUED:
            self._room.clear()
            self._overflow.set()
            await self._room.wait()

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Let the service forget what it has handed over."""
        handle = arrivals[0].handle
        if isinstance(handle, FromAside):
            handle.subscription.ack(handle.message)
        elif self._adapter is not None:
            self._adapter.taken(arrivals)

    def set_aside(self, arrivals: Sequence[Arrival], cause: str) -> None:
        """Set aside an event that the gateway cannot handle, and let the service forget it."""
        handle = arrivals[0].handle
        if isinstance(handle, FromAside):
            handle.subscription.reject(handle.message, cause)
            return
        # It was mapped already, and cannot be tried again if that has changed it.
        forever = cause if self.config.mapping.get("in") else ""
        task = asyncio.get_running_loop().create_task(self._put_aside(arrivals, cause, forever))
        self._putting_aside.add(task)
        task.add_done_callback(self._putting_aside.discard)

    def loses_marks(self) -> None:
        """Know again what was published: the service does not do what the adapter says."""
        self._hears_echoes = True
        self._lie = (
            f"the service loses the marks of events, which {self.config.kind} should carry: what "
            "the federation has brought may go on from there as if it were new"
        )
        log.warning("gateway %s, side %s: %s", self._side.gateway, self.config.adapter, self._lie)

    @property
    def waiting(self) -> int:
        """Events that wait for the service."""
        return len(self._queue) + self._sending + self._outbox.pending

    def info(self) -> SideInfo:
        """Return how it is now."""
        state = SideState.DEGRADED if self._lie and self.state is SideState.UP else self.state
        return SideInfo(
            self.config.adapter, self.config.service, self.config.kind, state,
            self._cause or self._lie,
            self._since, self._wants, waiting=self.waiting,
            last_cause=self._last_cause or self._outbox.cause,
            **{
                **self._counts,
                "set_aside": self._counts["set_aside"] + self._outbox.lost,
            },
        )  # fmt: skip

    def _set(self, state: SideState, cause: str) -> None:
        if (state, cause) != (self.state, self._cause):
            self.state, self._cause, self._since = state, cause, self._clock.now()
            told = f": {cause}" if cause else ""
            level = logging.WARNING if cause else logging.INFO
            log.log(level, "gateway %s, side %s is %s%s", self._side.gateway,
                    self.config.adapter, state.value, told)  # fmt: skip

    # The adapter's life.

    async def _live(self) -> None:
        await self._open_outbox()
        wait = pauses()
        while True:
            try:
                await self._session()
            except _Lost as lost:
                self._set(SideState.DOWN, str(lost))
                wait = pauses()
            except (AdapterError, InvalidUsage) as error:
                self._set(SideState.DOWN, str(error))
            except Exception as fault:
                log.exception("the adapter %s has a fault", self.config.adapter)
                self._set(SideState.DOWN, f"the adapter has a fault: {fault!r}")
            self._counts["reconnects"] += 1
            await asyncio.sleep(next(wait))

    async def _open_outbox(self) -> None:
        while True:
            try:
                await self._outbox.open()
                return await self._aside.open()
            except TidingsError as error:
                self._set(SideState.DOWN, f"its outbox cannot be opened: {error}")
                await asyncio.sleep(_RETRY)

    async def _session(self) -> None:
        """Connect, and work until the connection is lost."""
        adapter = new_adapter(self.config.kind, self._side, self._parameters())
        await adapter.connect(self._heard)
        self._adapter = adapter
        tasks: list[asyncio.Task[Any]] = []
        try:
            self._set(SideState.UP, "")
            self._changed(self.config.adapter, True)
            loop = asyncio.get_running_loop()
            lost, serve = loop.create_task(adapter.lost()), loop.create_task(self._serve(adapter))
            tasks = [lost, serve]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if serve in done:
                serve.result()  # raises
            raise _Lost(lost.result())
        finally:
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)
            self._changed(self.config.adapter, False)
            self._wants = ()
            self._talk.clear()
            await adapter.disconnect()
            self._adapter = None
            self._overflow.set()

    def _parameters(self) -> dict[str, object]:
        return {
            name: _secret(name, value) if name in self._secrets and value else value
            for name, value in self.config.parameters.items()
        }

    async def _serve(self, adapter: Adapter[Any]) -> None:
        later = False  # all that waits in the outbox waits for its time
        while True:
            await self._place(adapter)
            await self._publish_talk(adapter)
            pause = self._flow.pause()
            if pause and (self._queue or self._outbox.pending):
                await self._nap(pause)
            elif self._outbox.pending and not (later and self._queue):
                later = not await self._drain(adapter)
            elif self._queue:
                await self._publish_queue(adapter)
                later = False
            else:
                await self._nap(None)

    async def _nap(self, seconds: float | None) -> None:
        self._wake.clear()
        if self._filters is None and self._subjects is None and not self._talk:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._wake.wait()

    async def _place(self, adapter: Adapter[Any]) -> None:
        """Say what has changed of what is wanted and offered."""
        filters, self._filters = self._filters, None
        subjects, self._subjects = self._subjects, None
        if subjects is not None:
            await adapter.offer(subjects)
        if filters is None:
            return
        try:
            placed = await adapter.want(filters)
        except AdapterError as error:
            self._set(SideState.DEGRADED, str(error))
            self._placed(self.config.adapter, filters, str(error))
            if self._deleting:
                self._filters = filters
                await asyncio.sleep(_BRIEFLY)
            else:
                asyncio.get_running_loop().call_later(_AGAIN, self._want_again, adapter, filters)
            return
        self._set(SideState.UP, "")
        self._wants = tuple(
            f"{one.text}{'' if one.exact else f' ({one.surplus})'}" for one in placed
        )
        self._placed(self.config.adapter, filters, placed)
        if self._deleting and not filters:
            await self._publish_talk(adapter)  # that the gateway leaves
            self._left.set()

    def _want_again(self, adapter: Adapter[Any], filters: tuple[Constraint, ...]) -> None:
        if self._adapter is adapter and self.state is SideState.DEGRADED and self._filters is None:
            self.want(filters)

    async def _publish_talk(self, adapter: Adapter[Any]) -> None:
        """Publish what gateways tell each other; what is lost of it they say again."""
        while self._talk:
            batch = [self._talk.popleft() for _ in range(min(adapter.batch, len(self._talk)))]
            if self._hears_echoes:
                self._remember(batch)
            for answer in await adapter.publish(batch):
                if answer is not None:
                    self._last_cause = answer.cause

    def _most(self, adapter: Adapter[Any]) -> int:
        """Return how many events are published together."""
        return 1 if self._careful else min(adapter.batch, self._flow.most)

    async def _publish_queue(self, adapter: Adapter[Any]) -> None:
        """Publish what is in the queue; what is refused goes to the outbox, and so aside."""
        count = min(self._most(adapter), len(self._queue))
        batch = [self._queue.popleft() for _ in range(count)]
        self._sending = len(batch)
        try:
            answers = await self._publish(adapter, [outgoing for outgoing, _ in batch])
        except BaseException:
            self._queue.extendleft(reversed(batch))
            self._repeat(len(batch))
            raise
        finally:
            self._sending = 0
            self._room.set()
        refused = []
        for (outgoing, done), answer in zip(batch, answers, strict=True):
            if answer is None:
                done()
            else:
                refused.append((outgoing, done))
        if refused:
            try:
                await self._keep(refused)
            except TidingsError as error:
                raise _Lost(f"the outbox takes nothing: {error}") from error

    def _repeat(self, events: int) -> None:
        """Count what is published again, though the service may have it."""
        self._counts["repeated"] += 0 if self.capabilities.once else events

    async def _publish(
        self, adapter: Adapter[Any], events: Sequence[Outgoing]
    ) -> Sequence[Refused | None]:
        """Publish what passes the rules; what cannot be mapped is refused like by the service."""
        self._flow.count(len(events))
        if self._has_rules:
            answers = await self._publish_by_rules(adapter, events)
        else:
            answers = await self._hand_over(adapter, events)
        for refused in filter(None, answers):
            self._last_cause = refused.cause
        return answers

    async def _publish_by_rules(
        self, adapter: Adapter[Any], events: Sequence[Outgoing]
    ) -> Sequence[Refused | None]:
        answers: list[Refused | None] = []
        passed: list[Outgoing] = []
        places: list[int] = []
        for place, outgoing in enumerate(events):
            found = self._outward(outgoing.event)
            answers.append(found if isinstance(found, Refused) else None)
            if isinstance(found, StructuredEvent):
                same = found is outgoing.event
                passed.append(outgoing if same else Outgoing(found, outgoing.mark))
                places.append(place)
        for place, answer in zip(places, await self._hand_over(adapter, passed), strict=True):
            answers[place] = answer
        return answers

    async def _hand_over(
        self, adapter: Adapter[Any], events: Sequence[Outgoing]
    ) -> Sequence[Refused | None]:
        """Publish; an event that the adapter fails with again and again is refused in the end."""
        if self._hears_echoes:
            self._remember(events)
        try:
            answers = await adapter.publish(events)
            if len(answers) != len(events):
                raise RuntimeError(f"{len(answers)} answers to {len(events)} events")
        except (AdapterError, InvalidUsage):
            raise
        except Exception as fault:
            self._careful = _BATCH
            self._faults += 1
            if len(events) > 1 or self._faults < _MOST_FAULTS:
                raise
            answers = [Refused(f"the adapter has a fault: {fault!r}")]
        self._faults, self._careful = 0, max(0, self._careful - len(events))
        self._counts["sent"] += answers.count(None)
        return answers

    def _outward(self, event: StructuredEvent) -> StructuredEvent | Refused | None:
        """Return what an event becomes for the service; None if it does not go there."""
        if event.name == CONTROL_SUBJECT:
            return event
        try:
            mapped = self._mapped.outward(event)
            if mapped is None:
                return None
            if self._position is not None and not reaches(mapped, self._position):
                self._counts["outside"] += 1
                return None
        except InvalidEvent as error:
            return Refused(str(error))
        if self._flow.lets_pass(mapped):
            return mapped
        self._counts["withheld"] += 1
        return None

    async def _drain(self, adapter: Adapter[Any]) -> bool:
        """Publish some of what waits in the outbox.

        Returns False if what waits there cannot be published yet.
        """
        messages = await self._outbox.batch(_LOOK, min(_BATCH, self._most(adapter)))
        if not messages:
            await self._outbox.count()  # some have expired
            return not self._outbox.pending
        try:
            answers = await self._publish(adapter, [*map(self._outbox.outgoing, messages)])
        except BaseException:
            self._repeat(len(messages))
            await self._outbox.take_back()
            raise
        self._outbox.settle(messages, answers)
        self._counts["set_aside"] += sum(answer is not None for answer in answers)
        return True

    async def _spill(self) -> None:
        """Bring to the outbox what the service does not take."""
        while True:
            await self._overflow.wait()
            self._overflow.clear()
            while self._queue and self._must_spill:
                try:
                    await self._to_outbox()
                except TidingsError as error:
                    self._last_cause = f"the outbox takes nothing: {error}"
                    await asyncio.sleep(_RETRY)

    @property
    def _must_spill(self) -> bool:
        return self._adapter is None or len(self._queue) >= MOST_QUEUED

    async def _to_outbox(self) -> None:
        while self._queue:
            await self._keep([self._queue.popleft() for _ in range(min(_BATCH, len(self._queue)))])
            self._room.set()

    async def _keep(self, batch: Sequence[_Sending]) -> None:
        """Bring events to the outbox; what it has no room for stays in the queue, and raises."""
        try:
            kept = await self._outbox.keep([outgoing for outgoing, _ in batch])
        except BaseException:
            self._queue.extendleft(reversed(batch))
            raise
        left = [one for one, is_kept in zip(batch, kept, strict=True) if not is_kept]
        self._queue.extendleft(reversed(left))
        for (_, done), is_kept in zip(batch, kept, strict=True):
            if is_kept:
                done()
        if left:
            raise ChannelFull(self._outbox.cause)

    # What the service hands over.

    async def _heard(self, arrivals: Sequence[Arrival]) -> None:
        self._counts["received"] += len(arrivals) - sum([_is_talk(one.event) for one in arrivals])
        changes = self._hears_echoes or self._mapped.changes_in
        if not (changes or any(one.problem for one in arrivals)):
            await self._heard_by(self.config.adapter, arrivals)
            return
        passed = []
        for arrival in arrivals:
            if self._hears_echoes and self._is_echo(arrival.event):
                self.taken([arrival])
                continue
            try:
                mapped = self._inward(arrival)
            except InvalidEvent as error:
                await self._put_aside([arrival], str(error), arrival.problem)
                continue
            if mapped is None:
                self.taken([arrival])
            else:
                passed.append(mapped)
        await self._heard_by(self.config.adapter, passed)

    async def _put_aside(self, arrivals: Sequence[Arrival], cause: str, forever: str) -> None:
        """Keep what cannot be handled, and only then let the service forget it."""
        self._counts["set_aside"] += 1
        self._last_cause = cause
        while True:
            try:
                await self._aside.keep(arrivals[0], forever)
                break
            except TidingsError as error:
                self._last_cause = f"what cannot be mapped cannot be kept either: {error}"
                await asyncio.sleep(_RETRY)
        self.taken(arrivals)

    def _inward(self, arrival: Arrival) -> Arrival | None:
        """Return what has come as the federation gets it; None if it does not."""
        if arrival.problem:
            raise InvalidEvent(arrival.problem)
        if arrival.event.name == CONTROL_SUBJECT:
            return arrival
        event = self._mapped.inward(arrival.event)
        if event is arrival.event:
            return arrival  # no rule has changed it
        return None if event is None else arrival._replace(event=event)

    def _remember(self, events: Sequence[Outgoing]) -> None:
        """Remember what is published into a service whose events carry no marks."""
        until = asyncio.get_running_loop().time() + _ECHO_TIME
        for event, _ in events:
            self._echoes[_fingerprint(event)] = until
        while len(self._echoes) > _MOST_ECHOES:
            self._echoes.popitem(last=False)

    def _is_echo(self, event: StructuredEvent) -> bool:
        until = self._echoes.pop(_fingerprint(event), None)
        return until is not None and asyncio.get_running_loop().time() < until


def _is_talk(event: StructuredEvent) -> bool:
    """Whether it is what gateways tell each other: of no use later, and in no count."""
    return event.name == CONTROL_SUBJECT and event.data.get("Type") != ControlKind.PUBLICATION


def _fingerprint(event: StructuredEvent) -> object:
    return event.name, encode_event(event)


def checked_side(config: SideConfig, side: Side | None = None) -> Adapter[Any]:
    """Make the adapter of a side, to find what is wrong with it; secrets are not read.

    Raises:
        InvalidUsage: There is no such kind, or a parameter or a rule is wrong.
        MissingExtra: A package that it needs is not installed.
    """
    Mapped(config.mapping, config.adapter)
    if config.position:
        try:
            position_of_text(config.position)
        except InvalidUsage as error:
            raise InvalidUsage(f"{config.adapter}: {error}") from error
    outbox_qos(config)
    for name in adapter_class(config.kind).secrets:
        value = config.parameters.get(name)
        if value and not str(value).startswith(("file:", "env:")):
            raise InvalidUsage(
                f"{config.adapter}: {name} is file:PATH or env:NAME, so that no secret is kept "
                "with the gateway"
            )
    where = side or Side("", "", config.adapter, config.service)
    return new_adapter(config.kind, where, config.parameters)


def outbox_qos(config: SideConfig) -> Mapping[str, object]:
    """Return the quality of service of a side's outbox; InvalidUsage says what is wrong."""
    given: Mapping[str, object] = {}
    try:
        given = properties_in(config.outbox)
        changed(QoS(), Level.CHANNEL, None, given)
    except (UnsupportedQoS, BadInput) as error:
        told = "".join(f"; {name}: {hint}" for name, hint in _hints(given))
        raise InvalidUsage(f"{config.adapter}: outbox: {error}{told}") from error
    return given


def _hints(given: Mapping[str, object]) -> list[tuple[str, str]]:
    from tidings.client.configuration.text import property_hint  # of use for errors only

    hints = [(name, property_hint(name, value)) for name, value in given.items()]
    return [(name, hint) for name, hint in hints if hint]


def _secret(name: str, reference: object) -> str:
    """Read a secret from where it is: at every connection, so that it can be changed."""
    return read_secret(str(reference), name)


def read_secret(reference: str, what: str) -> str:
    """Read `file:PATH` or `env:NAME`; InvalidUsage says what is missing."""
    kind, _, place = reference.partition(":")
    if kind == "env":
        found = os.environ.get(place)
        if not found:
            raise InvalidUsage(f"{what}: the variable {place} is not set")
        return found
    try:
        text = Path(place).read_text(encoding="utf-8")[:MOST_SECRET]
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidUsage(f"{what}: {place} cannot be read: {error}") from error
    return text.strip()


class _Allowed:
    """The flow rules of a side."""

    def __init__(self, flow: Flow) -> None:
        self._allow = filter_of(flow.allow) if flow.allow else None
        self._deny = filter_of(flow.deny) if flow.deny else None
        self._flow = flow
        self._next = 0.0

    def lets_pass(self, event: StructuredEvent) -> bool:
        """Whether an event may go to the service."""
        if self._allow is not None or self._deny is not None:
            fields = StructuredFields(event)
            if self._allow is not None and not self._allow.matches(fields):
                return False
            if self._deny is not None and self._deny.matches(fields):
                return False
        return not self._flow.most_octets or len(encode_event(event)) <= self._flow.most_octets

    @property
    def judges(self) -> bool:
        """Whether it looks at events."""
        flow = self._flow
        return bool(flow.allow or flow.deny or flow.most_octets)

    @property
    def most(self) -> int:
        """How many may go together: those of a second."""
        return max(1, int(self._flow.rate)) if self._flow.rate else MOST_QUEUED

    def pause(self) -> float:
        """Return the seconds until the next may go."""
        if not self._flow.rate:
            return 0.0
        return max(0.0, self._next - asyncio.get_running_loop().time())

    def count(self, events: int) -> None:
        """So many go now."""
        if self._flow.rate:
            now = asyncio.get_running_loop().time()
            self._next = max(self._next, now) + events / self._flow.rate
