"""Events that an unnamed subscription missed while its proxy was gone, read from the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tidings.api.frames import EventsFrame
from tidings.client.past import PAGE, Wish, judge
from tidings.client.transport import Message, Transport
from tidings.errors import CursorNotFound

# Limits of catching up, because missed events wait in memory; the rest is reported as missed.
MOST: Final = 10_000
MOST_LOOKED_AT: Final = 10 * MOST


class Missed(NamedTuple):
    """Missed events from the journal, and a description of those it lacks."""

    messages: Sequence[Message]
    words: str


class Gap:
    """How far a line has received events; `start` is the channel's latest number at connecting."""

    def __init__(self) -> None:
        self.start: int | None = None
        # Highest number received by priority: more urgent events overtake others.
        self._highest: dict[int, int] = {}

    def arrived(self, frame: EventsFrame) -> None:
        """Record received events."""
        highest = self._highest
        for one in frame.events:
            if one.seq > highest.get(one.priority, 0):
                highest[one.priority] = one.seq

    async def missed(self, transport: Transport, channel: int, wish: Wish) -> Missed:
        """Read the missed events; call after reconnecting, so that later ones come on the line."""
        latest = max(self._highest.values(), default=self.start)
        if latest is None:
            return Missed((), "how many events were missed is not known")
        # Events held back by more urgent ones are not far behind.
        after: int | None = max(min(self._highest.values(), default=latest), latest - MOST)
        wants = judge(wish)
        messages: list[Message] = []
        seen = kept = 0
        while len(messages) < MOST and seen < MOST_LOOKED_AT:
            try:
                page = await transport.history(channel, after, None, PAGE, None)
            except CursorNotFound:  # retention dropped some: start at the oldest kept
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
        """Tell by number and priority whether an event has not been received."""
        highest = [seq for at, seq in self._highest.items() if at <= message.priority]
        return message.seq > max(highest, default=self.start or 0)


def _lost(most: int) -> str:
    if most <= 0:
        return ""
    if most > MOST:  # a crash skips numbers, which look like lost events
        return "how many BestEffort events were missed is not known"
    events = "event" if most == 1 else "events"
    return f"up to {most} {events} missed: BestEffort, or no longer kept"
