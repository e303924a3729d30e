"""The interface of every transport."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from tidings.channel.commands import Command
from tidings.channel.functions import Source
from tidings.channel.management import Connect
from tidings.cores import Question
from tidings.events.envelope import Envelope, ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern

_T = TypeVar("_T")

TypesChanged: TypeAlias = Callable[[Sequence[EventTypePattern], Sequence[EventTypePattern]], object]
"""Called with the event types added and removed."""


class Message(Protocol):
    """An event as a consumer receives it."""

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
        """The event's sequence number in the channel."""
        ...

    @property
    def arrival(self) -> int:
        """When the channel accepted it, in microseconds since 1970."""
        ...

    @property
    def priority(self) -> int:
        """Larger is more urgent."""
        ...

    @property
    def mark(self) -> ProducerMark | None:
        """The producer's name and number, if it sent them."""
        ...

    @property
    def envelope(self) -> Envelope:
        """The event with the service's metadata, for codecs."""
        ...


class Stream(Protocol):
    """A push consumer's events, buffered until read."""

    def __len__(self) -> int: ...

    async def get(self) -> Message:
        """Wait for the next event; raise `Disconnected` when the stream has ended."""
        ...

    def get_nowait(self) -> Message | None:
        """Return the next event if one is buffered."""
        ...

    async def batch(self, most: int) -> Sequence[Message]:
        """Wait for events and return up to `most`."""
        ...

    def ack(self, message: Any) -> None:  # noqa: ANN401 -- a message of this stream
        """Acknowledge an event."""
        ...

    def ack_many(self, messages: Sequence[Any]) -> None:
        """Acknowledge events."""
        ...

    def fail(self, message: Any, reason: str) -> None:  # noqa: ANN401
        """Have the event redelivered before those behind it."""
        ...

    def reject(self, message: Any, reason: str) -> None:  # noqa: ANN401
        """Turn the event into a dead letter."""
        ...

    def redelivered(self, seq: int) -> bool:
        """Tell whether an unacknowledged event may have been delivered before."""
        ...


class PulledMessages(Protocol):
    """The answer to a pull."""

    @property
    def messages(self) -> Sequence[Message]:
        """The events, in order."""
        ...

    @property
    def again(self) -> frozenset[int]:
        """Sequence numbers of events that may have been delivered before."""
        ...


class HistoryPage(Protocol):
    """Past events of a channel, by sequence number."""

    @property
    def messages(self) -> Sequence[Message]:
        """The events."""
        ...

    @property
    def next(self) -> int:
        """The `after` to ask for the next page with."""
        ...

    @property
    def end(self) -> bool:
        """Whether the page reached the present; an empty page need not."""
        ...

    @property
    def lost(self) -> Sequence[tuple[int, int]]:
        """First and last numbers of ranges lost to journal damage, up to `next`."""
        ...

    @property
    def last(self) -> int:
        """The number of the channel's latest event."""
        ...


class Transport(Protocol):
    """A connection to a service."""

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Run a command; return the answer its docstring describes, or raise its error."""
        ...

    def tell(self, command: Command) -> None:
        """Send a command that runs before later ones; its answer is discarded."""
        ...

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Stream:
        """Connect a push consumer that reads from a stream."""
        ...

    async def handle(self, connect: Connect, handler: Callable[..., object]) -> object:
        """Connect a push consumer whose function is called with each event or batch.

        Like the other connecting methods it returns the line, to pass to `release`.
        """
        ...

    async def supply(
        self, connect: Connect, on_wanted: TypesChanged | None, source: Source | None
    ) -> object:
        """Connect a supplier; the service pulls events from its source, if given."""
        ...

    async def listen(self, connect: Connect, on_offers: TypesChanged | None) -> object:
        """Connect a pull consumer."""
        ...

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Close a line; calls waiting on it raise `Disconnected`.

        With `end` the proxy ends, too. Otherwise it stays, and a line that another client has taken
        over is not touched.
        """
        ...

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> PulledMessages:
        """Pull events; `wait` and `lease` are in microseconds."""
        ...

    async def request(self, question: Question[_T]) -> _T:
        """Answer a question."""
        ...

    async def history(
        self,
        channel: int,
        after: int | None,
        since: int | None,
        most: int,
        constraint_text: str | None,
    ) -> HistoryPage:
        """Return past events from the channel's journal; see `Client.history`.

        `since` is in microseconds since 1970; `most` is at most 1000.
        """
        ...

    async def close(self) -> None:
        """Disconnect; only named proxies stay at the service."""
        ...
