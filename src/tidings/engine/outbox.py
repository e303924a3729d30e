"""What must wait before it may leave, in order for each consumer.

An event that survives a crash leaves after its sync, one whose content is on the disk after it
was read; others leave at once, but never overtake within one consumer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Key", "Outbox", "Ticket"]

Key: TypeAlias = tuple[int, int]
"""A consumer: channel and proxy."""


class Ticket:
    """Something for one consumer that waits.

    Attributes:
        key: The consumer.
        action: Lets it leave.
        waits: For how many things.
    """

    __slots__ = ("action", "key", "waits")

    def __init__(self, key: Key, action: Callable[[], None], waits: int) -> None:
        self.key = key
        self.action = action
        self.waits = waits


class Outbox:
    """A line for each consumer for whom something waits."""

    def __init__(self) -> None:
        self.lines: dict[Key, deque[Ticket]] = {}

    def put(self, key: Key, action: Callable[[], None], waits: int) -> Ticket:
        """Puts something at the end of a consumer's line; with nothing to wait for it leaves."""
        ticket = Ticket(key, action, waits)
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

    def _let_out(self, key: Key) -> None:
        line = self.lines.get(key)
        if line is None:
            return
        while line and line[0].waits <= 0:
            line.popleft().action()
        if not line:
            self.lines.pop(key, None)
