"""What a subscription without a name has missed while its proxy was gone, read from the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tidings.api.frames import EventsFrame
from tidings.client.past import PAGE, Wish, judge
from tidings.client.transport import Message, Transport
from tidings.errors import CursorNotFound

# Of a longer gap the rest is named and not read: it would have to wait in memory.
MOST: Final = 10_000
MOST_LOOKED_AT: Final = 10 * MOST


class Missed(NamedTuple):
    """What a gap held.

    Attributes:
        messages: What the journal has of it.
        words: What it does not have, for people; empty if nothing.
    """

    messages: Sequence[Message]
    words: str


class Gap:
    """How far a line has come, and what came after.

    Attributes:
        start: The channel's latest number when the line was first connected; None if unknown.
    """

    def __init__(self) -> None:
        self.start: int | None = None
        # The highest number that came, by priority: more urgent events overtake others.
        self._highest: dict[int, int] = {}

    def arrived(self, frame: EventsFrame) -> None:
        """Events came over the line."""
        highest = self._highest
        for one in frame.events:
            if one.seq > highest.get(one.priority, 0):
                highest[one.priority] = one.seq

    async def missed(self, transport: Transport, channel: int, wish: Wish) -> Missed:
        """Reads what came since then; the line is connected again, and later events come over it.

        Raises:
            TidingsError: The journal cannot be read.
        """
        latest = max(self._highest.values(), default=self.start)
        if latest is None:
            return Missed((), "how many events were missed is not known")
        # What waited behind more urgent events does not lie far back.
        after: int | None = max(min(self._highest.values(), default=latest), latest - MOST)
        wants = judge(wish)
        messages: list[Message] = []
        seen = kept = 0
        while len(messages) < MOST and seen < MOST_LOOKED_AT:
            try:
                page = await transport.history(channel, after, None, PAGE, None)
            except CursorNotFound:  # retention has dropped some: begin with the oldest there is
                after = None
                continue
            after = page.next
            seen += len(page.messages)
            kept += sum(message.seq > latest for message in page.messages)
            messages += [one for one in page.messages if self._is_behind(one) and wants(one)]
            if page.end:
                return Missed(messages, _lost(page.last - latest - kept))
        return Missed(messages, f"events after number {after} were missed: there are too many")

    def _is_behind(self, message: Message) -> bool:
        """Whether an event had not come, by its number and priority."""
        highest = [seq for at, seq in self._highest.items() if at <= message.priority]
        return message.seq > max(highest, default=self.start or 0)


def _lost(most: int) -> str:
    if most <= 0:
        return ""
    if most > MOST:  # after a crash, numbers are skipped that look like those of events
        return "how many BestEffort events were missed is not known"
    events = "event" if most == 1 else "events"
    return f"up to {most} {events} missed: BestEffort, or no longer kept"
