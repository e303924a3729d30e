"""What must wait before it may leave, in order for each consumer.

An event that survives a crash leaves after its sync, one whose content is on the disk after it
was read; others leave at once, but never overtake within one consumer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

from tidings.channel.entries import Entry
from tidings.engine.bodies import Message

Key: TypeAlias = tuple[int, int]
"""A consumer: channel and proxy."""

REFUSED: Final = object()
"""Stands where an event was that could not be written, and so was never accepted."""


LOST: Final = object()
"""Stands where an event was whose content on the disk is damaged or gone."""


class Ticket:
    """Something for one consumer that waits.

    Attributes:
        key: The consumer.
        action: Lets it leave.
        waits: For how many things.
        messages: The events in it, or where they are on the disk.
        entries: The same events as the core knows them.
    """

    __slots__ = ("action", "entries", "key", "messages", "waits")

    def __init__(
        self,
        key: Key,
        action: Callable[[], None],
        waits: int,
        messages: list[Any],
        entries: Sequence[Entry],
    ) -> None:
        self.key = key
        self.action = action
        self.waits = waits
        self.messages = messages
        self.entries = entries


class Outbox:
    """A line for each consumer for whom something waits."""

    def __init__(self) -> None:
        self.lines: dict[Key, deque[Ticket]] = {}

    def put(
        self,
        key: Key,
        action: Callable[[], None],
        waits: int,
        messages: list[Any],
        entries: Sequence[Entry] = (),
    ) -> Ticket:
        """Puts something at the end of a consumer's line; with nothing to wait for it leaves."""
        ticket = Ticket(key, action, waits, messages, entries)
        line = self.lines.get(key)
        if line is None:
            line = self.lines[key] = deque()
        line.append(ticket)
        if not waits:
            self._let_out(key)
        return ticket

    def ready(self, ticket: Ticket) -> None:
        """One of the things a ticket waits for is there."""
        ticket.waits -= 1
        if not ticket.waits:
            self._let_out(ticket.key)

    def waits(self, ticket: Ticket) -> bool:
        """Whether something still waits; it may have been recalled."""
        return ticket in self.lines.get(ticket.key, ())

    def withdraw(self, channel: int, seqs: Collection[int]) -> None:
        """Takes events out that were never accepted; `REFUSED` stands in their place."""
        for key, line in self.lines.items():
            if key[0] == channel:
                for ticket in line:
                    for at, message in enumerate(ticket.messages):
                        if isinstance(message, Message) and message.seq in seqs:
                            ticket.messages[at] = REFUSED

    def recall(self, key: Key) -> list[int]:
        """Drops all that waits for a consumer; the numbers of the events."""
        line = self.lines.pop(key, ())
        return [entry.seq for ticket in line for entry in ticket.entries]

    def _let_out(self, key: Key) -> None:
        line = self.lines.get(key)
        if line is None:
            return
        while line and line[0].waits <= 0:
            line.popleft().action()
        if not line:
            self.lines.pop(key, None)
