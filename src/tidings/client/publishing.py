"""Publishing: events in, receipts out, each event accepted once however often it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from tidings.channel.commands import Push, Warned
from tidings.channel.management import OfferChange
from tidings.channel.trail import Traced, Trail
from tidings.channel.vocabulary import Item, Place
from tidings.client.connection import Connection
from tidings.client.transport import Transport
from tidings.errors import InvalidUsage, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import EventTypePattern, event_type

# More events than this go in several pushes.
_AT_ONCE: Final = 1_000


class _EventId(NamedTuple):
    origin: str
    seq: int


class Receipt(_EventId):
    """What became of a published event.

    Attributes:
        origin: Id of the channel.
        seq: The event's number there; 0 if a filter on the supplier's side stopped it. -1 if it is
            not known: the event came before, too long ago, or CORBA does not tell.
        warnings: What stands in the event's header and has no effect, such as a standard
            property with a slip in its name. CORBA cannot tell them.
    """

    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, origin: str, answer: int) -> Receipt:
        """The receipt that a channel's answer amounts to."""
        made = cls(origin, int(answer))
        if isinstance(answer, Warned):
            made.warnings = answer.warnings
        return made

    @property
    def accepted(self) -> bool:
        """Whether the channel took it."""
        return self.seq != 0


class Publisher(Connection):
    """Sends events into one channel, with a producer's marks.

    The same number of the same producer is accepted once, also across restarts. So one producer
    is one publisher at a time: of two that use its name at once, each would take the other's
    numbers for its own. Made by `Client.publisher`.

    Attributes:
        producer: The producer's name.
        number: The number of the latest event.
    """

    def __init__(
        self,
        transport: Transport,
        channel: int,
        proxy: int,
        line: object,
        *,
        origin: str,
        producer: str,
        last: int,
    ) -> None:
        super().__init__(transport, channel, proxy, line)
        self._origin = origin
        self.producer = producer
        self.number = last

    async def publish(self, event: Item, *, number: int | None = None) -> Receipt:
        """Publishes one event.

        Args:
            event: A structured event (`tidings.event`), or an `Any`.
            number: The producer's number for it, if the program keeps its own account: sending
                it again with the same number is safe. The next one otherwise.

        Raises:
            ChannelFull: The channel takes no more at the moment.
            TidingsError: It was not accepted; the message says why.
        """
        if number is None:
            self.number += 1
            mark = ProducerMark.trusted(self.producer, self.number)
        else:
            mark = ProducerMark(self.producer, number)
            self.number = max(self.number, number)
        [answer] = await self._transport.ask(Push(self.channel, self.proxy, (event,), (mark,)))
        if isinstance(answer, TidingsError):
            raise answer
        return Receipt.of(self._origin, answer)

    async def publish_traced(self, event: Item) -> tuple[Receipt, Trail]:
        """Publishes one event, and tells what was decided about it: each stage, verdict, reason.

        Raises:
            TidingsError: It was not accepted; the message says why.
        """
        self.number += 1
        mark = ProducerMark.trusted(self.producer, self.number)
        push = Push(self.channel, self.proxy, (event,), (mark,), trail=True)
        [answer] = await self._transport.ask(push)
        if isinstance(answer, TidingsError):
            raise answer
        assert isinstance(answer, Traced)  # a number of ours that was not sent before
        return Receipt(self._origin, int(answer)), answer.trail

    async def publish_many(self, events: Iterable[Item]) -> list[Receipt | TidingsError]:
        """Publishes events in order; each has its own receipt or error.

        One that is refused does not keep the others out.

        Raises:
            TidingsError: None of them could be sent; the message says why.
        """
        answers: list[Any] = []
        waiting = list(events)
        for start in range(0, len(waiting), _AT_ONCE):
            try:
                answers += await self._push(waiting[start : start + _AT_ONCE])
            except TidingsError as error:
                if not answers:
                    raise
                # The receipts of those before are worth keeping.
                answers += [error] * (len(waiting) - start)
                break
        origin = self._origin
        return [a if isinstance(a, TidingsError) else Receipt.of(origin, a) for a in answers]

    async def _push(self, events: Sequence[Item]) -> Sequence[Any]:
        producer, first = self.producer, self.number + 1
        self.number += len(events)
        marks = [ProducerMark.trusted(producer, first + at) for at in range(len(events))]
        answers: Sequence[Any] = await self._transport.ask(
            Push(self.channel, self.proxy, events, marks)
        )
        return answers

    async def offer(
        self,
        added: Iterable[EventTypePattern | str] = (),
        removed: Iterable[EventTypePattern | str] = (),
    ) -> None:
        """Says which event types this publisher will send, and which no more."""
        place = Place(self.channel, proxy=self.proxy)
        await self._transport.ask(OfferChange(place, patterns(added), patterns(removed)))


def patterns(given: Iterable[EventTypePattern | str]) -> tuple[EventTypePattern, ...]:
    """Event types from patterns or their texts (`Auction::books`)."""
    if isinstance(given, str):
        raise InvalidUsage(f"event types come as a list, not as the one text {given!r}")
    return tuple(event_type(one) if isinstance(one, str) else one for one in given)
