"""What must wait before it may leave, in order for each consumer.

A durable event leaves after its sync, one whose content is on disk after it was read; others leave
at once, but never overtake within one consumer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

from tidings.channel.effects import Message
from tidings.channel.entries import Entry

Key: TypeAlias = tuple[int, int]
"""A consumer: channel and proxy."""

REFUSED: Final = object()
"""Replaces an event that could not be written, and so was never accepted."""


LOST: Final = object()
"""Replaces an event whose content on disk is damaged or gone."""


class Ticket:
    """Something that waits to leave for one consumer, until `waits` conditions are met.

    `messages` are the events in it, or their places on disk.
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
    """A FIFO for each consumer for whom something waits."""

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
        """Append a ticket for a consumer; it leaves at once if nothing is before it or awaited."""
        ticket = Ticket(key, action, waits, messages, entries)
        line = self.lines.get(key)
        if line is None:
            line = self.lines[key] = deque()
        line.append(ticket)
        if not waits:
            self._let_out(key)
        return ticket

    def ready(self, ticket: Ticket) -> None:
        """Note that one of a ticket's conditions is met."""
        ticket.waits -= 1
        if not ticket.waits:
            self._let_out(ticket.key)

    def waits(self, ticket: Ticket) -> bool:
        """Return whether a ticket still waits; it may have been recalled."""
        return ticket in self.lines.get(ticket.key, ())

    def withdraw(self, channel: int, seqs: Collection[int]) -> None:
        """Replace events that were never accepted by `REFUSED`."""
        for key, line in self.lines.items():
            if key[0] == channel:
                for ticket in line:
                    for at, message in enumerate(ticket.messages):
                        if isinstance(message, Message) and message.seq in seqs:
                            ticket.messages[at] = REFUSED

    def recall(self, key: Key) -> list[int]:
        """Drop all that waits for a consumer; return the numbers of the events."""
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
