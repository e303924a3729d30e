"""The interface of every transport."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from tidings.api.live_frames import ObjectsFrame
from tidings.channel.commands import Command
from tidings.channel.effects import Message
from tidings.channel.functions import Source
from tidings.channel.management import Connect
from tidings.cores import Question
from tidings.filters.constraint import EventTypePattern
from tidings.inbox import Inbox
from tidings.live.requests import SeeLiveObjects

_T = TypeVar("_T")

TypesChanged: TypeAlias = Callable[[Sequence[EventTypePattern], Sequence[EventTypePattern]], object]
"""Called with the event types added and removed."""


class PulledEvents(NamedTuple):
    """The answer to a pull; `again` has the numbers of events possibly delivered before."""

    messages: Sequence[Message]
    again: frozenset[int] = frozenset()


class HistoryPage(NamedTuple):
    """Past events of a channel, by sequence number.

    Attributes:
        next: The `after` to ask for the next page with.
        end: Whether the page reached the present; an empty page need not.
        last: The number of the channel's latest event.
        lost: First and last numbers of ranges lost to journal damage, up to `next`.
    """

    messages: Sequence[Message]
    next: int
    end: bool
    last: int
    lost: Sequence[tuple[int, int]] = ()


class Transport(Protocol):
    """A connection to a service."""

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Run a command; return the answer its docstring describes, or raise its error."""
        ...

    def tell(self, command: Command) -> None:
        """Send a command that runs before later ones; its answer is discarded."""
        ...

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Inbox:
        """Connect a push consumer that reads from an inbox."""
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
    ) -> PulledEvents:
        """Pull events; `wait` and `lease` are in microseconds."""
        ...

    async def request(self, question: Question[_T]) -> _T:
        """Answer a question."""
        ...

    async def history(
        self, channel: int, after: int | None, since: int | None, most: int, text: str | None
    ) -> HistoryPage:
        """Return past events that match a constraint's text; see `Client.history`.

        `since` is in microseconds since 1970; `most` is at most 1000.
        """
        ...

    async def look(
        self, asked: SeeLiveObjects, rate: float, show: Callable[[ObjectsFrame], None]
    ) -> None:
        """Show live objects as they move, `rate` times a second at most, until cancelled."""
        ...

    async def close(self) -> None:
        """Disconnect; only named proxies stay at the service."""
        ...
