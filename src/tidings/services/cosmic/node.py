"""A node on the bus: publishes events by the scheduler, and hands over those that come."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from tidings.clock import Clock, SystemClock
from tidings.errors import InvalidEvent, TidingsError, Unreachable
from tidings.events.structured import StructuredEvent
from tidings.services.cosmic.bulk import Reassembly, fragments
from tidings.services.cosmic.channels import Channel, ChannelKind, Network, Sampler
from tidings.services.cosmic.frames import Frame, Id
from tidings.services.cosmic.line import Line
from tidings.services.cosmic.scheduler import Miss, Scheduler
from tidings.services.cosmic.settings import CosmicSettings, network_of

log = logging.getLogger(__name__)

MOST_HEARD: Final = 10_000
"""Events that wait for the program; then the oldest goes."""
# Seconds until a controller that is full is tried again.
_FULL: Final = 0.001
# Microseconds: so long frames are sent before those who wait for them are told.
_TURN: Final = 2_000
# Frames that were sent and may come back.
_MOST_ECHOES: Final = 1_000
_SECOND: Final = 1_000_000


class Malformed(NamedTuple):
    """What came on a channel, and is no event of it.

    Attributes:
        subject: The channel's.
        octets: What came.
        cause: Why it is none.
    """

    subject: str
    octets: bytes
    cause: str


class Node:
    """A node, from `open` to `close`.

    Attributes:
        network: The channels.
        counts: Frames that are no events (malformed), that have this node's number (own), and
            events that the program let overrun.
        missed: Events that were not sent in time, by subject.
        lost: Done with the cause when the bus is lost.
    """

    def __init__(
        self,
        settings: CosmicSettings,
        network: Network | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.network = network_of(settings) if network is None else network
        self.counts: Counter[str] = Counter()
        self.missed: Counter[str] = Counter()
        self.sampler = Sampler()
        self.reassembly = Reassembly()
        self._number = settings.node
        # Multicast returns what is sent, although python-can is asked not to.
        returns = settings.interface == "udp_multicast"
        self._echoes: deque[Frame] | None = deque(maxlen=_MOST_ECHOES) if returns else None
        self._clock = clock or SystemClock()
        # The loop hands events to the scheduler, the sender's thread takes frames from it.
        self._lock = threading.Lock()
        self._scheduler = Scheduler(self.network, settings.node)
        self._given: list[Frame] = []  # what the controller should have, the most urgent first
        self._settled: list[tuple[int | None, Miss | None]] = []  # events, and what became of them
        self._turn_ends = 0
        self.line = Line(settings, self._take, self._fail)
        self._wanted: frozenset[str] = frozenset()
        self._heard: deque[StructuredEvent | Malformed] = deque(maxlen=MOST_HEARD)
        self._come = asyncio.Event()
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._behind: Counter[str] = Counter()  # events that wait for room, by subject
        self._transfers: Counter[str] = Counter()
        self._waiting: dict[int, asyncio.Future[Miss | None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._pump: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the bus; Unreachable says why it cannot be."""
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        await self.line.open()
        self._pump = asyncio.create_task(self._pumping())

    async def close(self) -> None:
        """Leave the bus; what waits is not sent any more."""
        self._fail("the node has left the bus")
        if self._timer is not None:
            self._timer.cancel()
        pump, self._pump = self._pump, None
        if pump is not None:
            pump.cancel()
            await asyncio.wait((pump,))
            await self.line.close()

    async def __aenter__(self) -> Node:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Publishing.

    async def publish(self, event: StructuredEvent) -> Miss | None:
        """Send an event; return when the controller has it, or why it is given up.

        Raises:
            InvalidEvent: The event does not fit, and what would.
            Unreachable: The bus is lost.
        """
        return await self.begin(event)

    def begin(self, event: StructuredEvent) -> asyncio.Future[Miss | None]:
        """Begin to send an event, after those of its subject before it.

        Returns what is done as `publish` returns. Raises as that does.
        """
        channel = self.network.channels.get(event.name)
        if channel is None:
            raise InvalidEvent(
                f"no event channel carries {event.name!r:.60}; there are: "
                f"{', '.join(sorted(self.network.channels))[:200]}",
                "name",
            )
        if channel.kind is ChannelKind.HARD and channel.node != self._number:
            raise InvalidEvent(
                f"the slots of {channel.subject!r} are node {channel.node}'s, not those of node "
                f"{self._number}",
                "name",
            )
        octets = channel.codec.encode(event)
        if self.lost.done():
            raise Unreachable(self.lost.result())
        if not self._behind[channel.subject] and self._has_room(channel):
            return self._submit(channel, octets)
        self._behind[channel.subject] += 1
        return asyncio.ensure_future(self._submit_later(channel, octets))

    async def _submit_later(self, channel: Channel, octets: bytes) -> Miss | None:
        try:
            async with self._turns[channel.subject]:
                while not self._has_room(channel) and not self.lost.done():
                    self._room.clear()
                    await self._room.wait()
                if self.lost.done():
                    raise Unreachable(self.lost.result())
                submitted = self._submit(channel, octets)
        finally:
            self._behind[channel.subject] -= 1
        return await submitted

    def _has_room(self, channel: Channel) -> bool:
        with self._lock:
            return self._scheduler.room(channel)

    def _submit(self, channel: Channel, octets: bytes) -> asyncio.Future[Miss | None]:
        payloads = self._payloads(channel, octets)
        future: asyncio.Future[Miss | None] = asyncio.get_running_loop().create_future()
        with self._lock:
            ticket = self._scheduler.submit(channel, payloads, self._clock.now())
            self._waiting[ticket] = future
        self._wake.set()
        return future

    def _payloads(self, channel: Channel, octets: bytes) -> Sequence[bytes]:
        if not channel.codec.whole:
            return (octets,)
        self._transfers[channel.subject] += 1
        return fragments(octets, self._transfers[channel.subject])

    async def _pumping(self) -> None:
        """Give frames to the controller as the scheduler says."""
        try:
            while True:
                await self._pump_once()
        except Unreachable:
            pass  # the line has reported it
        except Exception as fault:
            log.exception("the node has a fault")
            self._fail(f"the node has a fault: {fault!r}")

    async def _pump_once(self) -> None:
        """Send what the controller should have; wait while that is nothing."""
        self._wake.clear()
        now = self._clock.now()
        with self._lock:
            wake = self._look(now)
        self._settle_all()
        if not self._given:
            with suppress(TimeoutError):
                async with asyncio.timeout(wake and (wake - now) / _SECOND):
                    await self._wake.wait()
            return
        self._turn_ends = now + _TURN
        taken = await self.line.send(self._following)
        self._settle_all()
        if not taken:
            if self._echoes:
                self._echoes.pop()
            await asyncio.sleep(_FULL)

    def _look(self, now: int) -> int | None:
        """Ask the scheduler what to send now; return when to ask again."""
        step = self._scheduler.tick(now)
        given = [one for one in self._given if not any(one is other for other in step.withdraw)]
        self._given = sorted([*given, *step.send])
        self._settled += [(miss.ticket, miss) for miss in step.missed]
        return step.wake

    def _following(self, sent: Frame | None) -> Frame | None:
        """Take note of what was sent; return the next frame of this turn: for the sender."""
        with self._lock:
            if sent is not None:
                now = self._clock.now()
                self._settled.append((self._scheduler.sent(self._given.pop(0)), None))
                self._look(now)
                if now >= self._turn_ends or self.lost.done():
                    return None
            if not self._given:
                return None
            if self._echoes is not None:
                self._echoes.append(self._given[0])
            return self._given[0]

    def _settle_all(self) -> None:
        """Tell those who wait what has become of their events."""
        with self._lock:
            settled, self._settled = self._settled, []
        for ticket, miss in settled:
            if miss is not None:
                self._miss(miss)
            self._settle(ticket, miss)

    def _miss(self, miss: Miss) -> None:
        subject = miss.channel.subject
        self.missed[subject] += 1
        if self.missed[subject].bit_count() == 1:  # 1, 2, 4, 8 …
            log.warning("node %d: %d events %s were not sent in time", self._number,
                        self.missed[subject], subject)  # fmt: skip

    def _settle(self, ticket: int | None, miss: Miss | None) -> None:
        if ticket is not None:
            self._room.set()
            future = self._waiting.pop(ticket, None)
            if future is not None and not future.done():
                future.set_result(miss)

    def _fail(self, cause: str) -> None:
        """Tell everybody that the bus is lost."""
        if not self.lost.done():
            self.lost.set_result(cause)
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(Unreachable(cause))
        self._room.set()
        self._come.set()

    # Hearing.

    def want(self, subjects: Iterable[str] | None) -> None:
        """Take the events of these subjects, of all for None, and no longer of others."""
        channels = self.network.with_subjects(subjects)
        self.line.listen(channels.values())
        self._wanted = frozenset(channels)

    async def batch(self) -> list[StructuredEvent]:
        """Wait for events, and return all there are; Unreachable when the bus is lost."""
        while True:
            heard = await self.heard()
            if events := [one for one in heard if isinstance(one, StructuredEvent)]:
                return events

    async def heard(self) -> list[StructuredEvent | Malformed]:
        """Return what `batch` does, and also what should have been events."""
        while not self._heard:
            if self.lost.done():
                raise Unreachable(self.lost.result())
            self._come.clear()
            await self._come.wait()
        events = list(self._heard)
        self._heard.clear()
        return events

    async def events(self) -> AsyncIterator[StructuredEvent]:
        """The events that come, one by one."""
        while True:
            for event in await self.batch():
                yield event

    def _take(self, frames: Sequence[Frame]) -> None:
        now = self._clock.now()
        for frame in frames:
            if self._is_echo(frame):
                continue
            channel = self.network.of_frame(frame.id, extended=frame.extended)
            if channel is None or channel.subject not in self._wanted:
                continue
            octets: bytes | None = frame.data
            if not channel.plain:
                _, sender, _ = Id.of(frame.id)
                if sender == self._number:
                    self._own()
                    continue
                if channel.codec.whole:
                    octets = self.reassembly.take((sender, channel.id), frame.data, now)
            if octets is not None and self.sampler.passes(channel, octets, now):
                self._hear(channel, octets)
        self._arrange_timer(now)

    def _is_echo(self, frame: Frame) -> bool:
        """Whether a frame is one that this node has sent; they come back in order."""
        with self._lock:
            if not self._echoes or frame not in self._echoes:
                return False
            while self._echoes.popleft() != frame:
                pass
        return True

    def _own(self) -> None:
        """A frame with this node's number: some buses return what a node sends."""
        self.counts["own"] += 1
        if self._echoes is None and self.counts["own"].bit_count() == 1:
            log.warning("bus: another node has the number %d too", self._number)

    def _hear(self, channel: Channel, octets: bytes) -> None:
        event: StructuredEvent | Malformed
        try:
            event = channel.codec.decode(octets)
        except TidingsError as error:
            self.counts["malformed"] += 1
            if self.counts["malformed"].bit_count() == 1:
                log.warning("bus: %s: a frame is no event: %s", channel.subject, error)
            event = Malformed(channel.subject, octets, str(error))
        self.counts["overrun"] += len(self._heard) == MOST_HEARD
        self._heard.append(event)
        self._come.set()

    def _arrange_timer(self, now: int) -> None:
        wake = self.sampler.wake
        if self._timer is None and wake is not None:
            delay = max(0, wake - now) / _SECOND
            self._timer = asyncio.get_running_loop().call_later(delay, self._flush)

    def _flush(self) -> None:
        self._timer = None
        now = self._clock.now()
        for channel, octets in self.sampler.due(now):
            self._hear(channel, octets)
        self._arrange_timer(now)
