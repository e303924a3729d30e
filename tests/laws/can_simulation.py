"""A simulated CAN bus: arbitration by the lowest identifier, and nodes run by their schedulers.

It is deterministic: times, loads and faults come from a seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from tidings.services.cosmic.channels import Channel, ChannelKind, Network
from tidings.services.cosmic.frames import Frame
from tidings.services.cosmic.scheduler import Scheduler


class Submission(NamedTuple):
    """An event that a program publishes."""

    time: int
    node: int
    channel: Channel
    payloads: Sequence[bytes]


class Accepted:
    """An event that a scheduler has taken."""

    def __init__(self, submission: Submission) -> None:
        self.submission = submission
        self.channel = submission.channel
        self.deadline = submission.time + submission.channel.deadline
        self.sent = 0
        self.missed = 0
        self.frames: list[bytes] = []


class Win(NamedTuple):
    """An arbitration: the winner, and the events that waited at any node."""

    time: int
    winner: Accepted
    waiting: list[Accepted]


def urgency(frame: Frame) -> tuple[int, int, int]:
    """The order of frames on the wire: the shorter identifier wins if its bits are the same."""
    if frame.extended:
        return frame.id >> 18, 1, frame.id & 0x3FFFF
    return frame.id, 0, 0


class _Station:
    """A node: its scheduler, its clock, and what its controller has."""

    def __init__(self, network: Network, number: int, skew: int) -> None:
        self.scheduler = Scheduler(network, number)
        self.skew = skew
        self.mailboxes: list[Frame] = []
        self.tickets: dict[int, Accepted] = {}
        self.owner: dict[int, Accepted] = {}
        self.wake: int | None = None
        self.late_until = 0


class SimulatedBus:
    """The bus and its nodes.

    Its nodes are as late as the timing allows: `clocks` says whether it is their clocks that differ
    or their systems that are slow after a frame of their own.

    Attributes:
        accepted: Every event that a scheduler has taken.
        wins: Every arbitration.
    """

    def __init__(
        self, network: Network, nodes: Sequence[int], random: Random, *, clocks: bool
    ) -> None:
        self.timing = network.calendar.timing
        self.accepted: list[Accepted] = []
        self.wins: list[Win] = []
        self._random = random
        half = self.timing.guard // 2 if clocks else 0
        self._slow = 0 if clocks else self.timing.guard
        self._stations = {
            number: _Station(network, number, random.randint(-half, half)) for number in nodes
        }
        self._faults: list[int] = []
        # No two faults more than assumed within the time of a slot.
        self._apart = self.timing.slot_time(8)

    def run(self, submissions: Sequence[Submission]) -> None:
        """Play all submissions, until nothing waits."""
        coming = sorted(submissions, key=lambda one: one.time, reverse=True)
        now = 0
        while True:
            self._submit(coming, now)
            stations = self._stations.values()
            for station in stations:
                if now >= station.late_until:
                    self._tick(station, now)
            found = [
                (urgency(frame), station, frame)
                for station in stations
                for frame in station.mailboxes
            ]
            if found:
                _, station, frame = min(found, key=lambda one: one[0])
                now = self._transmit(station, frame, coming, now)
                continue
            wakes = [one.wake - one.skew for one in stations if one.wake is not None]
            wakes += [one.late_until for one in stations if one.late_until > now]
            wakes += [coming[-1].time] if coming else []
            if not wakes:
                return
            now = max(now + 1, min(wakes))

    def _submit(self, coming: list[Submission], now: int) -> None:
        while coming and coming[-1].time <= now:
            one = coming.pop()
            station = self._stations[one.node]
            if station.scheduler.room(one.channel):
                ticket = station.scheduler.submit(
                    one.channel, one.payloads, one.time + station.skew
                )
                accepted = station.tickets[ticket] = Accepted(one)
                self.accepted.append(accepted)

    def _tick(self, station: _Station, now: int) -> None:
        step = station.scheduler.tick(now + station.skew)
        for frame in step.withdraw:
            station.mailboxes = [one for one in station.mailboxes if one is not frame]
        station.mailboxes += step.send
        for miss in step.missed:
            station.tickets[miss.ticket].missed += 1
        station.wake = step.wake

    def _transmit(self, station: _Station, frame: Frame, coming: list[Submission], now: int) -> int:
        winner = self._owner(station, frame)
        waiting = [one for one in self.accepted if not one.sent + one.missed]
        self.wins.append(Win(now, winner, waiting))
        longest = self.timing.frame_time(len(frame.data), extended=frame.extended)
        if self._destroyed(winner, now):
            # The last bit is the worst place for a fault.
            end = now + self._random.choice((1, longest)) + self.timing.error_time
            self._meanwhile(station, coming, now, end)
            return end
        end = now + self._random.randint(longest * 2 // 3, longest)
        self._meanwhile(station, coming, now, end)
        station.mailboxes = [one for one in station.mailboxes if one is not frame]
        winner.frames.append(frame.data)
        ticket = station.scheduler.sent(frame)
        if ticket is not None:
            assert station.tickets[ticket] is winner
            winner.sent += 1
            # A slow node withdraws nothing while a hard frame of its own goes, and a while longer.
            slow = self._slow and self._slow + self.timing.frame_time()
            slow = 0 if winner.channel.kind is ChannelKind.HARD else slow
            assert end <= winner.deadline + slow, "an event that counts as sent was late"
        station.late_until = end + self._random.choice((0, self._slow))
        return end

    def _meanwhile(self, sender: _Station, coming: list[Submission], now: int, end: int) -> None:
        """What happens at the nodes while the bus is taken."""
        for station in sorted(self._stations.values(), key=lambda one: one.late_until):
            if station is not sender and now < station.late_until < end:
                self._submit(coming, station.late_until)
                self._tick(station, station.late_until)
        self._submit(coming, end)

    def _owner(self, station: _Station, frame: Frame) -> Accepted:
        """Whose frame it is: every payload of a run begins with the number of its event."""
        number = int.from_bytes(frame.data[:3], "big")
        return next(
            one
            for one in station.tickets.values()
            if int.from_bytes(one.submission.payloads[0][:3], "big") == number
        )

    def _destroyed(self, winner: Accepted, now: int) -> bool:
        self._faults = [one for one in self._faults if now - one < 2 * self._apart]
        share = 0.5 if winner.channel.kind is ChannelKind.HARD else 0.05
        if len(self._faults) < self.timing.faults and self._random.random() < share:
            self._faults.append(now)
            return True
        return False


def is_soft(one: Accepted) -> bool:
    """Whether an event is of a soft channel."""
    return one.channel.kind is ChannelKind.SOFT
