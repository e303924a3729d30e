"""Publishing events, each accepted once however often it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from tidings.channel.commands import Push, Warned
from tidings.channel.management import Connect, OfferChange
from tidings.channel.trail import Traced, Trail
from tidings.channel.vocabulary import Item, Place
from tidings.client.connection import Connection
from tidings.client.transport import Transport
from tidings.errors import InvalidUsage, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import EventTypePattern, event_type

# Larger batches are split into several pushes.
_AT_ONCE: Final = 1_000


class _EventId(NamedTuple):
    origin: str
    seq: int


class Receipt(_EventId):
    """The outcome of a published event.

    Attributes:
        origin: Id of the channel.
        seq: The event's sequence number; 0 if a supplier-side filter discarded it; -1 if unknown
            (a duplicate from too long ago, or CORBA, which does not report numbers).
        warnings: Header entries without effect, such as a misspelled standard property. Always
            empty over CORBA.
    """

    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, origin: str, answer: int) -> Receipt:
        """Build a receipt from the channel's answer."""
        made = cls(origin, int(answer))
        if isinstance(answer, Warned):
            made.warnings = answer.warnings
        return made

    @property
    def accepted(self) -> bool:
        """Whether the channel accepted the event."""
        return self.seq != 0


class Publisher(Connection):
    """Publishes events to one channel as one producer; made by `Client.publisher`.

    The channel accepts each number of a producer once, also across restarts. Never run two
    publishers with the same producer name: their numbers collide, and events are dropped as
    duplicates.

    Attributes:
        producer: The producer's name.
        number: The number of the latest event.
    """

    def __init__(
        self,
        transport: Transport,
        connect: Connect,
        line: object,
        *,
        origin: str,
        producer: str,
        last: int,
    ) -> None:
        super().__init__(transport, connect, line)
        self._origin = origin
        self.producer = producer
        self.number = last

    async def publish(self, event: Item, *, number: int | None = None) -> Receipt:
        """Publish one event.

        Args:
            event: A structured event (`tidings.event`), or an `Any`.
            number: The producer's number for the event, for programs that count themselves:
                publishing again with the same number is idempotent. Default: the next number.

        Raises:
            ChannelFull: The channel's queue is full; retry later.
            TidingsError: The event was refused; the message says why.
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
        """Publish one event and return each stage, verdict and reason of its processing.

        Raises:
            TidingsError: The event was refused; the message says why.
        """
        [answer] = await self._push([event], trail=True)
        if isinstance(answer, TidingsError):
            raise answer
        assert isinstance(answer, Traced)  # the number is new, so it is no duplicate
        return Receipt(self._origin, int(answer)), answer.trail

    async def publish_many(self, events: Iterable[Item]) -> list[Receipt | TidingsError]:
        """Publish events in order; each gets its own receipt or error.

        Raises:
            TidingsError: No event could be sent; the message says why.
        """
        answers: list[Any] = []
        waiting = list(events)
        for start in range(0, len(waiting), _AT_ONCE):
            try:
                answers += await self._push(waiting[start : start + _AT_ONCE])
            except TidingsError as error:
                if not answers:
                    raise
                # Keep the receipts of the events already sent.
                answers += [error] * (len(waiting) - start)
                break
        return self._outcomes(answers)

    def _outcomes(self, answers: Sequence[Any]) -> list[Receipt | TidingsError]:
        origin = self._origin
        return [
            Receipt(origin, a) if type(a) is int else _outcome(origin, a)  # most have no warnings
            for a in answers
        ]

    async def _push(self, events: Sequence[Item], *, trail: bool = False) -> Sequence[Any]:
        producer, first = self.producer, self.number + 1
        self.number += len(events)
        marks = [ProducerMark.trusted(producer, first + at) for at in range(len(events))]
        push = Push(self.channel, self.proxy, events, marks, trail=trail)
        answers: Sequence[Any] = await self._transport.ask(push)
        return answers

    async def relay(
        self, events: Sequence[Item], marks: Sequence[ProducerMark]
    ) -> list[Receipt | TidingsError]:
        """Publish events of other producers, each once under its own producer's number.

        Raises:
            TidingsError: Nobody knows which events were accepted; the message says why.
        """
        return self._outcomes(
            await self._transport.ask(Push(self.channel, self.proxy, events, marks))
        )

    async def offer(
        self,
        added: Iterable[EventTypePattern | str] = (),
        removed: Iterable[EventTypePattern | str] = (),
    ) -> None:
        """Announce event types this publisher starts or stops sending."""
        place = Place(self.channel, proxy=self.proxy)
        await self._transport.ask(OfferChange(place, patterns(added), patterns(removed)))


def _outcome(origin: str, answer: Any) -> Receipt | TidingsError:  # noqa: ANN401
    return answer if isinstance(answer, TidingsError) else Receipt.of(origin, answer)


def patterns(given: Iterable[EventTypePattern | str]) -> tuple[EventTypePattern, ...]:
    """Parse event types given as patterns or texts (`Auction::books`)."""
    if isinstance(given, str):
        raise InvalidUsage(f"event types come as a list, not as the one text {given!r}")
    return tuple(event_type(one) if isinstance(one, str) else one for one in given)
