"""Which frame a node gives to its controller, and when: a machine without a clock or a bus.

The controller has two places, as real ones have several: one for a hard frame, one for any other,
and gives the lower identifier to the bus. A frame that waits there can be withdrawn for a more
urgent one. The caller asks `tick` what to do whenever something has changed or the time it named
has come, but not while the bus is sending one of the node's own frames, and reports `sent`.

- A hard channel has one event at a time, which goes in the next reserved slot and is accepted only
  while none waits: what is accepted is in time under the faults that the timing assumes.
- Soft events go earliest deadline first; the priority of the one at the controller rises with time.
- Others go when no soft one waits, first come, first served.

Every event that is accepted ends as sent, or as missed.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from tidings.errors import ChannelFull
from tidings.services.cosmic.channels import Channel, ChannelKind, Network, Slot
from tidings.services.cosmic.frames import HARD_PRIORITY, LOWEST_PRIORITY, Frame

MOST_WAITING: Final = 1_024
"""Soft events that wait, and others: one queue each."""


class Miss(NamedTuple):
    """An event that was not sent in time, and is not sent any more.

    Attributes:
        ticket: Its ticket.
        channel: Where it should have gone.
        late: By how many microseconds its last frame would have been too late, at least.
    """

    ticket: int
    channel: Channel
    late: int


class Step(NamedTuple):
    """What to do now.

    Attributes:
        withdraw: Frames to take back from the controller.
        send: Frames to give to it.
        missed: Events that are given up.
        wake: When to ask again at the latest; None if only a change matters.
    """

    withdraw: Sequence[Frame] = ()
    send: Sequence[Frame] = ()
    missed: Sequence[Miss] = ()
    wake: int | None = None


class _Job:
    """An event that waits."""

    def __init__(
        self, ticket: int, channel: Channel, payloads: Sequence[bytes], deadline: int
    ) -> None:
        self.ticket = ticket
        self.channel = channel
        self.payloads = payloads
        self.deadline = deadline
        self.at = 0

    def __lt__(self, other: _Job) -> bool:
        return (self.deadline, self.ticket) < (other.deadline, other.ticket)


class _Hard:
    """A hard channel of this node."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.job: _Job | None = None
        self.used = -1

    def begin(self, now: int, window: int) -> int:
        """When the next event may be handed over: now, or at the next slot."""
        latest = self.slot.begin(now)
        if latest > self.used and now - latest <= window:
            return now
        return latest + self.slot.period


class Scheduler:
    """The scheduler of one node."""

    def __init__(self, network: Network, node: int) -> None:
        self._timing = network.calendar.timing
        self._node = node
        self._hard = {
            subject: _Hard(slot)
            for subject, slot in network.calendar.slots.items()
            if network.channels[subject].node == node
        }
        self._soft: list[_Job] = []
        self._other: deque[_Job] = deque()
        # What the controller has: of a hard channel, and any other.
        self._urgent: tuple[_Hard, Frame] | None = None
        self._usual: tuple[_Job, Frame] | None = None
        self._tickets = 0

    def room(self, channel: Channel) -> bool:
        """Whether `submit` takes an event now."""
        if channel.kind is ChannelKind.HARD:
            hard = self._hard.get(channel.subject)
            return hard is not None and hard.job is None
        queue = self._soft if channel.kind is ChannelKind.SOFT else self._other
        return len(queue) < MOST_WAITING

    def submit(self, channel: Channel, payloads: Sequence[bytes], now: int) -> int:
        """Accept an event, as the data of its frames; return a ticket for it.

        Raises:
            ChannelFull: As many wait as may: one of a hard channel.
        """
        if not self.room(channel):
            raise ChannelFull(f"{channel.subject}: as many events wait for the bus as may")
        self._tickets += 1
        job = _Job(self._tickets, channel, payloads, now + channel.deadline)
        if channel.kind is ChannelKind.HARD:
            self._hard[channel.subject].job = job
        elif channel.kind is ChannelKind.SOFT:
            heapq.heappush(self._soft, job)
        else:
            self._other.append(job)
        return job.ticket

    def sent(self, frame: Frame) -> int | None:
        """Take note that the bus has sent a frame; return the ticket of an event that is done."""
        if self._urgent is not None and self._urgent[1] is frame:
            hard, _ = self._urgent
            self._urgent = None
            job, hard.job = hard.job, None
            assert job is not None
            return job.ticket
        if self._usual is None or self._usual[1] is not frame:
            return None
        job, _ = self._usual
        self._usual = None
        job.at += 1
        if job.at < len(job.payloads):
            return None
        self._remove(job)
        return job.ticket

    def tick(self, now: int) -> Step:
        """Say what to do at this time."""
        withdraw: list[Frame] = []
        send: list[Frame] = []
        missed = self._expire(now, withdraw)
        wake = self._tick_hard(now, send)
        job = self._soft[0] if self._soft else self._other[0] if self._other else None
        if job is not None:
            frame = self._frame(job, self._priority(job, now))
            if self._usual is None or self._usual[1] != frame or self._usual[0] is not job:
                if self._usual is not None:
                    withdraw.append(self._usual[1])
                self._usual = job, frame
                send.append(frame)
            wake.append(self._latest(job) + 1)
            if job.channel.kind is ChannelKind.SOFT and not job.channel.plain:
                wake.append(now + (job.deadline - now) % self._timing.step + 1)
        return Step(withdraw, send, missed, min(wake, default=None))

    def _tick_hard(self, now: int, send: list[Frame]) -> list[int]:
        """Hand over the hard event whose slot it is; return when the others' slots are."""
        wake = []
        for hard in self._hard.values():
            if hard.job is None or (self._urgent is not None and self._urgent[0] is hard):
                continue
            begin = hard.begin(now, self._timing.window)
            if begin > now:
                wake.append(begin)
            elif self._urgent is None:
                hard.used = hard.slot.begin(now)
                frame = self._frame(hard.job, HARD_PRIORITY)
                self._urgent = hard, frame
                send.append(frame)
        return wake

    def _expire(self, now: int, withdraw: list[Frame]) -> list[Miss]:
        missed: list[Miss] = []
        for hard in self._hard.values():
            job = hard.job
            if job is not None and now > self._latest(job):
                missed.append(self._miss(job, now))
                hard.job = None
                if self._urgent is not None and self._urgent[0] is hard:
                    withdraw.append(self._urgent[1])
                    self._urgent = None
        for queue in (self._soft, self._other):
            while queue and now > self._latest(queue[0]):
                job = queue[0]
                missed.append(self._miss(job, now))
                self._remove(job)
                if self._usual is not None and self._usual[0] is job:
                    withdraw.append(self._usual[1])
                    self._usual = None
        return missed

    def _latest(self, job: _Job) -> int:
        """When the first of the frames that are left must begin."""
        left = len(job.payloads) - job.at
        return job.deadline - left * self._timing.frame_time(job.channel.octets)

    def _miss(self, job: _Job, now: int) -> Miss:
        return Miss(job.ticket, job.channel, now - self._latest(job))

    def _remove(self, job: _Job) -> None:
        """Take out the first of a queue; a soft event may have been overtaken while it was sent."""
        if job.channel.kind is not ChannelKind.SOFT:
            self._other.popleft()
        elif self._soft[0] is job:
            heapq.heappop(self._soft)
        else:
            self._soft.remove(job)
            heapq.heapify(self._soft)

    def _priority(self, job: _Job, now: int) -> int:
        if job.channel.kind is ChannelKind.SOFT:
            return self._timing.soft_priority(job.deadline - now)
        return LOWEST_PRIORITY

    def _frame(self, job: _Job, priority: int) -> Frame:
        channel = job.channel
        return Frame(channel.sent_as(priority, self._node), job.payloads[job.at], channel.extended)
