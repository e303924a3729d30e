"""One STEAM node: what it sends, which groups it is in, and who gets what. No I/O, no clock.

::

    announce, publish ────┐                 ┌─> Send     octets to everybody in a group
    subscribe ────────────┼─> SteamMachine ─┼─> Join, Leave   a group
    datagrams, time ──────┘                 └─> Hand     an event to a subscription

A subject is a group: subscribers of it are members, and nobody else gets its events (the subject
filter, on the producer's side). The producer sets the area of every event it sends; the members'
nodes drop what is not for the place where they are (the proximity filter: implicit addressing
within the group, so that the producer need not know who is there). Content is filtered last, by
the subscription. Whoever wants all subjects joins those that are announced within its discovery
range.
"""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

import msgspec

from tidings.errors import InvalidEvent, TooManyObjects
from tidings.federation.proximity import (
    Area,
    Position,
    area_text,
    contains,
    distance,
    position_text,
)
from tidings.services.steam.datagrams import (
    Announcement,
    EventType,
    SteamEvent,
    Value,
    Withdrawal,
    decode,
    encode,
    event_type_of,
)

MOST_SUBJECTS: Final = 256
"""Subjects that one node announces, and subjects that it subscribes to; each is a socket."""
MOST_HEARD: Final = 128
"""Announcements of others that are remembered; each may become a socket, too."""
MOST_PRODUCERS: Final = 4_096
"""Producers, by subject, whose numbers are remembered; the one silent for longest goes first."""
WINDOW: Final = 256
"""Numbers of one producer below the highest that are still taken."""
_SECOND: Final = 1_000_000

Test: TypeAlias = Callable[[SteamEvent], bool]


class SteamConfig(msgspec.Struct, frozen=True):
    """What a node decides by.

    Attributes:
        network: Which of the services on one medium; nodes of others are not heard.
        discovery_range: In metres: announcements from farther away are not heard; 0 for no limit.
        beacon: Microseconds between two announcements of one event type.
    """

    network: str = "steam"
    discovery_range: float = 0.0
    beacon: int = _SECOND


# Effects.


class Send(NamedTuple):
    """Send octets to everybody in a group."""

    group: str
    octets: bytes


class Join(NamedTuple):
    """Become a member of a group."""

    group: str


class Leave(NamedTuple):
    """Be a member of a group no longer."""

    group: str


class Hand(NamedTuple):
    """Hand an event to a subscription."""

    key: object
    event: SteamEvent


Effect: TypeAlias = Send | Join | Leave | Hand


def group_of(network: str, subject: str) -> str:
    """Return the group of a subject, an address for one organisation; empty: announcements."""
    digest = hashlib.sha256(f"{network}\0{subject}".encode()).digest()
    return f"239.{digest[0]}.{digest[1]}.{digest[2]}"


class _Subscription(NamedTuple):
    subjects: frozenset[str] | None
    test: Test


class SteamMachine:
    """One node.

    Attributes:
        node: Its number; no two nodes have the same.
        counts: Datagrams that were dropped, by why: `broken`, `foreign`, `repeated`, `outside`,
            `unplaced` (this node does not know where it is), `distant`.
    """

    def __init__(self, node: int, config: SteamConfig) -> None:
        self.node = node
        self.counts: Counter[str] = Counter()
        self._config = config
        self._announced: dict[str, tuple[EventType, Area]] = {}
        self._numbers: Counter[str] = Counter()
        self._subscriptions: dict[object, _Subscription] = {}
        self._heard: dict[tuple[int, str], tuple[Announcement, int]] = {}
        self._seen: OrderedDict[tuple[int, str], tuple[int, int]] = OrderedDict()
        self._joined: frozenset[str] = frozenset()

    # Producers.

    def announce(self, what: EventType, area: Area, position: Position | None) -> list[Effect]:
        """Begin to produce events of a type, valid in an area; replaces what was announced."""
        if what.subject not in self._announced and len(self._announced) >= MOST_SUBJECTS:
            raise TooManyObjects(f"a STEAM node announces at most {MOST_SUBJECTS} subjects")
        self._beacon(what, area, position or Position(0, 0))  # says what is wrong with the type
        self._announced[what.subject] = what, area
        return self._beacon(what, area, position)

    def withdraw(self, subject: str) -> list[Effect]:
        """Produce events of a subject no longer."""
        if self._announced.pop(subject, None) is None:
            return []
        return [self._send("", Withdrawal(self._config.network, self.node, subject))]

    def announced(self, subject: str) -> EventType | None:
        """Return the type of this node's events of a subject; None if it is not announced."""
        found = self._announced.get(subject)
        return None if found is None else found[0]

    def subjects(self) -> frozenset[str]:
        """Return the subjects that this node announces."""
        return frozenset(self._announced)

    def publish(
        self,
        subject: str,
        values: Mapping[str, Value],
        position: Position | None,
        *,
        area: Area | None = None,
        attributes: Mapping[str, Value] | None = None,
    ) -> list[Effect]:
        """Send an event to whoever is in its area, by default that of its announcement.

        Raises:
            InvalidEvent: Its subject is not announced, or its parameters are not those of its type.
        """
        if subject not in self._announced:
            raise InvalidEvent(f"events {subject!r:.60} are not announced by this node", "name")
        what, usual = self._announced[subject]
        if event_type_of(subject, values) != what:
            needed = ", ".join(f"{name} {kind.value}" for name, kind in what.parameters.items())
            raise InvalidEvent(
                f"events {subject!r:.60} have the parameters {needed or 'none'}, no others", "data"
            )
        event = SteamEvent(
            area_text(area or usual),
            position_text(position) if position else "",
            self._config.network,
            self.node,
            self._numbers[subject] + 1,
            subject,
            {name: values[name] for name in what.parameters},
            dict(attributes or {}),
        )
        effect = self._send(subject, event)
        self._numbers[subject] += 1
        return [effect]

    def tick(self, now: int, position: Position | None) -> list[Effect]:
        """Repeat the announcements, and forget those of others that have not been repeated."""
        effects: list[Effect] = []
        for what, area in self._announced.values():
            effects += self._beacon(what, area, position)
        self._heard = {key: entry for key, entry in self._heard.items() if entry[1] > now}
        return effects + self._regroup()

    def _beacon(self, what: EventType, area: Area, position: Position | None) -> list[Effect]:
        if area.relative and position is None:
            return []  # relative to what, nobody could say
        place = position_text(position) if position else ""
        announcement = Announcement(
            area_text(area), place, self._config.network, self.node, what.subject,
            dict(what.parameters),
        )  # fmt: skip
        return [self._send("", announcement)]

    def _send(self, subject: str, datagram: Announcement | Withdrawal | SteamEvent) -> Send:
        return Send(group_of(self._config.network, subject), encode(datagram))

    # Consumers.

    def start(self) -> list[Effect]:
        """Join the group of announcements."""
        return self._regroup()

    def subscribe(self, key: object, subjects: frozenset[str] | None, test: Test) -> list[Effect]:
        """Hand over events of these subjects (None: of all) that pass a test, from now on.

        Replaces a subscription of the same key.
        """
        others = (one.subjects or frozenset() for k, one in self._subscriptions.items() if k != key)
        if len((subjects or frozenset()).union(*others)) > MOST_SUBJECTS:
            raise TooManyObjects(f"a STEAM node subscribes to at most {MOST_SUBJECTS} subjects")
        self._subscriptions[key] = _Subscription(subjects, test)
        return self._regroup()

    def unsubscribe(self, key: object) -> list[Effect]:
        """Hand over no more events to a subscription."""
        self._subscriptions.pop(key, None)
        return self._regroup()

    def heard(self) -> list[Announcement]:
        """Return what other nodes within the discovery range announce."""
        return [announcement for announcement, _ in self._heard.values()]

    def receive(self, octets: bytes, position: Position | None, now: int) -> list[Effect]:
        """Take a datagram that came while this node was at a position; never raises."""
        try:
            datagram = decode(octets)
        except InvalidEvent:
            self.counts["broken"] += 1
            return []
        if datagram.network != self._config.network:
            self.counts["foreign"] += 1
            return []
        if datagram.node == self.node:
            return []
        if isinstance(datagram, SteamEvent):
            return self._hand(datagram, position)
        key = datagram.node, datagram.subject
        if isinstance(datagram, Withdrawal):
            self._heard.pop(key, None)
        elif not self._is_near(datagram, position):
            self.counts["distant"] += 1
        elif key in self._heard or len(self._heard) < MOST_HEARD:
            self._heard[key] = datagram, now + 3 * self._config.beacon
        return self._regroup()

    def _is_near(self, announcement: Announcement, position: Position | None) -> bool:
        reach, producer = self._config.discovery_range, announcement.producer
        if not reach:
            return True
        if position is None or producer is None:
            return False
        return distance(position, producer) <= reach

    def _hand(self, event: SteamEvent, position: Position | None) -> list[Effect]:
        if not self._is_new(event):
            self.counts["repeated"] += 1
            return []
        if position is None:
            self.counts["unplaced"] += 1
            return []
        if not contains(event.proximity, position, event.producer):
            self.counts["outside"] += 1
            return []
        return [
            Hand(key, event)
            for key, one in tuple(self._subscriptions.items())
            if (one.subjects is None or event.subject in one.subjects) and one.test(event)
        ]

    def _is_new(self, event: SteamEvent) -> bool:
        """Whether an event has not come before; its bit says so for each of the last numbers."""
        key = event.node, event.subject
        highest, bits = self._seen.pop(key, (0, 0))
        behind = highest - event.number
        new = behind < 0 or (behind < WINDOW and not bits >> behind & 1)
        if behind < 0:
            bits = (bits << -behind if -behind < WINDOW else 0) | 1
            highest = event.number
        elif new:
            bits |= 1 << behind
        self._seen[key] = highest, bits & ((1 << WINDOW) - 1)
        if len(self._seen) > MOST_PRODUCERS:
            self._seen.popitem(last=False)
        return new

    def _regroup(self) -> list[Effect]:
        """Join and leave groups, so that they are those of what is wanted."""
        subjects = {""}
        for one in self._subscriptions.values():
            subjects |= {key[1] for key in self._heard} if one.subjects is None else one.subjects
        groups = frozenset(group_of(self._config.network, subject) for subject in subjects)
        effects: list[Effect] = [Join(group) for group in sorted(groups - self._joined)]
        effects += [Leave(group) for group in sorted(self._joined - groups)]
        self._joined = groups
        return effects
