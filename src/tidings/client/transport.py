"""What every transport offers; the client is the same over all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from tidings.channel.commands import Command
from tidings.channel.management import Connect
from tidings.channel.questions import Question
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern

_T = TypeVar("_T")

TypesChanged: TypeAlias = Callable[[Sequence[EventTypePattern], Sequence[EventTypePattern]], object]
"""Told which event types were added and which removed."""

Source: TypeAlias = Callable[[int], Any]
"""Asked for at most so many events: returns one, several or None, or a coroutine of these."""


class Message(Protocol):
    """An event as a consumer gets it."""

    @property
    def event(self) -> StructuredEvent:
        """The content."""
        ...

    @property
    def origin(self) -> str:
        """Id of the channel."""
        ...

    @property
    def seq(self) -> int:
        """Its number there."""
        ...

    @property
    def arrival(self) -> int:
        """When it was accepted, microseconds since 1970."""
        ...

    @property
    def priority(self) -> int:
        """Larger is more urgent."""
        ...

    @property
    def mark(self) -> ProducerMark | None:
        """The producer's mark, if it sent one."""
        ...

    @property
    def envelope(self) -> Envelope:
        """The event with what the service knows of it, for codecs."""
        ...


class Stream(Protocol):
    """Events that come to a push consumer, buffered until they are taken."""

    def __len__(self) -> int: ...

    async def get(self) -> Message:
        """The next event; waits for it. Raises `Disconnected` when the stream has ended."""
        ...

    def get_nowait(self) -> Message | None:
        """The next event; None if none is here."""
        ...

    async def batch(self, most: int) -> Sequence[Message]:
        """The next events, at most so many; waits for the first."""
        ...

    def ack(self, message: Any) -> None:  # noqa: ANN401 -- a message of this stream
        """The event was dealt with."""
        ...

    def ack_many(self, messages: Sequence[Any]) -> None:
        """The events were dealt with."""
        ...

    def fail(self, message: Any, reason: str) -> None:  # noqa: ANN401
        """The event is to come again, and before those behind it."""
        ...

    def reject(self, message: Any, reason: str) -> None:  # noqa: ANN401
        """The event shall never come again: it becomes a dead letter."""
        ...

    def redelivered(self, seq: int) -> bool:
        """Whether an event that is not acknowledged yet may have come before."""
        ...


class PulledMessages(Protocol):
    """What a pull was answered with."""

    @property
    def messages(self) -> Sequence[Message]:
        """The events, in order."""
        ...

    @property
    def again(self) -> frozenset[int]:
        """Numbers of those that may have been handed over before."""
        ...


class HistoryPage(Protocol):
    """Past events of a channel, in the order of their numbers."""

    @property
    def messages(self) -> Sequence[Message]:
        """The events."""
        ...

    @property
    def next(self) -> int:
        """To go on, ask for what comes after this number."""
        ...

    @property
    def end(self) -> bool:
        """Whether nothing more was there; otherwise there may be, also after an empty page."""
        ...

    @property
    def lost(self) -> Sequence[tuple[int, int]]:
        """First and last numbers of runs of events that are lost by damage, up to `next`."""
        ...

    @property
    def last(self) -> int:
        """The number of the channel's latest event."""
        ...


class Transport(Protocol):
    """The way to a service."""

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Has a command carried out; its answer as its docstring says, or its error raised."""
        ...

    def tell(self, command: Command) -> None:
        """Has a command carried out before what is asked later; nobody hears its answer."""
        ...

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Stream:
        """Connects a push consumer that takes events from a stream."""
        ...

    async def handle(self, connect: Connect, handler: Callable[..., object]) -> object:
        """Connects a push consumer whose function is called with each event, or batch.

        Like the other ways to connect it gives the line: what `release` knows it by.
        """
        ...

    async def supply(
        self, connect: Connect, on_wanted: TypesChanged | None, source: Source | None
    ) -> object:
        """Connects a supplier; one with a source is asked for events."""
        ...

    async def listen(self, connect: Connect, on_offers: TypesChanged | None) -> object:
        """Connects a pull consumer."""
        ...

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Cuts a line: nothing more comes over it, and who waits there gets `Disconnected`.

        With `end` the proxy ends, too; otherwise it stays, and a line that another client has
        taken over is left alone.
        """
        ...

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> PulledMessages:
        """Asks for events as a pull consumer."""
        ...

    async def request(self, question: Question[_T]) -> _T:
        """Answers a question."""
        ...

    async def history(
        self,
        channel: int,
        after: int | None,
        since: int | None,
        most: int,
        constraint_text: str | None,
    ) -> HistoryPage:
        """Past events of a channel, as far as its journal has them; see `Client.history`.

        Args:
            channel: Its id.
            after: Only events with larger numbers; None begins at the oldest that is kept.
            since: Only events that came then or later, microseconds since 1970; None for all.
            most: At most so many, up to 1000.
            constraint_text: Only events that match; None for all.
        """
        ...

    async def close(self) -> None:
        """Lets go of the service: of all that was connected, what has a name stays."""
        ...
