"""How a client is reached: what the engine tells an endpoint, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from tidings.channel.vocabulary import Form, Item
from tidings.engine.bodies import Message
from tidings.errors import WrongClient
from tidings.filters.constraint import EventTypePattern

Types: TypeAlias = Sequence[EventTypePattern]
"""Event types that were added, or removed."""

TypesChanged: TypeAlias = Callable[[Types, Types], object]
"""A plain function that is told which event types were added and which removed."""


def in_words(error: BaseException) -> str:
    """A client's error in words: some cannot even say what they are."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 -- of the client's making, too
        return type(error).__name__


class Delivery(NamedTuple):
    """Events for one consumer, in order.

    Attributes:
        channel: Which channel.
        proxy: Through which proxy.
        messages: The events.
        again: Numbers of those that may have been handed over before.
        form: The form of the proxy.
    """

    channel: int
    proxy: int
    messages: list[Message]
    again: frozenset[int] = frozenset()
    form: Form = Form.STRUCTURED


class Answers(Protocol):
    """What an endpoint says of the events it was given; on the loop's thread, at any time."""

    def ack(self, channel: int, proxy: int, seqs: Sequence[int]) -> None:
        """The consumer has taken these."""
        ...

    def failed(
        self, channel: int, proxy: int, seqs: Sequence[int], reason: str, gone: bool = False
    ) -> None:
        """These could not be handed over; with `gone`, there is no such consumer any more."""
        ...

    def reject(self, channel: int, proxy: int, seqs: Sequence[int], reason: str) -> None:
        """The consumer will never take these."""
        ...


class Endpoint(Protocol):
    """A client of one proxy. Called on the loop's thread; no call blocks.

    `attach` comes first. After `disconnected` or `close` nothing else comes but `cancel`.
    """

    def attach(self, answers: Answers) -> None:
        """Whom to answer from now on."""
        ...

    def deliver(self, batch: Delivery) -> None:
        """Hands events to a push consumer; each is answered later. Raises nothing."""
        ...

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Asks a pull supplier for events, at most `most`; none if it has none now.

        Raises:
            Disconnected: The supplier is no more.
            WrongClient: This client is no pull supplier.
            Exception: Whatever else the supplier raises: it is asked again later.
        """
        ...

    def offers(self, added: Types, removed: Types) -> None:
        """Tells a consumer which event types are offered now, and which no more."""
        ...

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Tells a supplier which event types are wanted now, and which no more."""
        ...

    def flush(self) -> None:
        """Answers at once what was dealt with: another client takes over."""
        ...

    def disconnected(self) -> None:
        """Tells the client that its proxy is gone, and closes."""
        ...

    def close(self, error: Exception | None = None) -> None:
        """Drops what was not handed over, unanswered; a call that is running may end."""
        ...

    def cancel(self) -> None:
        """Ends calls to the client that are still running: the engine stops."""
        ...


class QuietEndpoint:
    """An endpoint that hears everything and does nothing; the others override their part."""

    __slots__ = ("__weakref__", "_answers")

    _answers: Answers

    def attach(self, answers: Answers) -> None:
        """Whom to answer from now on."""
        self._answers = answers

    def deliver(self, batch: Delivery) -> None:
        """Fails: this client takes no events."""
        self._answers.failed(
            batch.channel,
            batch.proxy,
            [message.seq for message in batch.messages],
            f"{type(self).__name__} takes no events: connect a push consumer",
        )

    async def try_pull(self, most: int) -> Sequence[Item]:
        """Refuses: this client cannot be asked for events.

        Raises:
            WrongClient: Always.
        """
        raise WrongClient(
            f"{type(self).__name__} cannot be asked for {most} events: connect a pull supplier"
        )

    def offers(self, added: Types, removed: Types) -> None:
        """Ignored."""

    def subscriptions(self, added: Types, removed: Types) -> None:
        """Ignored."""

    def flush(self) -> None:
        """Owes no answers."""

    def disconnected(self) -> None:
        """Closes; the client is not told."""
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """Nothing waits here."""

    def cancel(self) -> None:
        """Nothing runs here."""
