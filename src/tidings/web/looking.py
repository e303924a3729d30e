"""Looking at very many objects without holding up the loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec
from starlette.responses import StreamingResponse

from tidings.channel.channel import Channel
from tidings.channel.consumer import Consumer as ConsumerState
from tidings.channel.effects import Outcome
from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.turns import Turns
from tidings.errors import NotFound

if TYPE_CHECKING:
    from tidings.web.state import WebState

_A = TypeVar("_A")
_T = TypeVar("_T")

# The oldest event of a longer queue is not searched for.
_SEARCHED: Final = 5_000
_OUTCOMES: Final = {outcome: outcome.name.lower() for outcome in Outcome}
# How many characters of an answer are sent at once.
_CHUNK: Final = 32 * 1024


async def _each(ids: Iterable[_A], look: Callable[[_A], _T]) -> AsyncIterator[_T]:
    """What there is to see of each; what has ended meanwhile is passed over."""
    turns = Turns()
    for id in ids:
        try:
            found = look(id)
        except NotFound:
            continue
        yield found
        await turns.give()


def in_turns(found: Iterable[_T]) -> AsyncIterator[_T]:
    """What was found, one by one."""
    return _each(found, lambda one: one)


def channels(door: LocalDoor) -> AsyncIterator[ChannelInfo]:
    """All channels that the caller may see, one by one."""
    return _each(door.views.channel_ids(), door.views.channel)


def proxies(door: LocalDoor, channel: int) -> AsyncIterator[ProxyInfo]:
    """All proxies of a channel, one by one."""
    return _each(door.views.proxy_ids(channel), partial(door.views.proxy, channel))


def admins(door: LocalDoor, channel: int) -> AsyncIterator[AdminInfo]:
    """All admins of a channel, one by one; Forbidden at once if the caller may not see them."""
    ids = door.views.admin_ids(channel)
    return _each(ids, lambda one: door.views.admin(channel, *one))


def listed(name: str, found: AsyncIterator[_T], form: Callable[[_T], object]) -> StreamingResponse:
    """The answer ``{name: [...]}``: each object is written in its own turn."""

    async def pieces() -> AsyncIterator[str]:
        yield f'{{"{name}":['
        comma = ""
        async for one in found:
            yield comma + msgspec.json.encode(form(one)).decode()
            comma = ","
        yield "]}"

    return streamed(pieces())


def streamed(pieces: AsyncIterator[str]) -> StreamingResponse:
    """An answer of JSON that is sent as its pieces come."""

    async def chunks() -> AsyncIterator[str]:
        chunk, size = [], 0
        async for piece in pieces:
            chunk.append(piece)
            size += len(piece)
            if size > _CHUNK:
                yield "".join(chunk)
                chunk, size = [], 0
        yield "".join(chunk)

    return StreamingResponse(chunks(), media_type="application/json")


class Consumer(NamedTuple):
    """What is looked at in a consumer's proxy.

    Attributes:
        behind: How many events the channel has taken in since the oldest one the consumer has
            not taken yet, that one included; 0 if there is none.
        oldest: The number of that event; None if there is none, or it was not searched for.
        counts: What became of its copies, by outcome.
        is_slow: Whether a notice has told that it is slow, and it has not caught up since.
    """

    channel: int
    proxy: int
    admin: int
    name: str
    attached: bool
    waiting: int
    in_flight: int
    failures: int
    behind: int
    oldest: int | None
    counts: dict[str, int]
    is_slow: bool = False

    @property
    def taken(self) -> int:
        """How many events its client has answered."""
        return self.counts.get("delivered", 0) + self.counts.get("rejected", 0)


async def consumers(host: Host, door: LocalDoor, *, oldest: bool = True) -> AsyncIterator[Consumer]:
    """All consumers that have or had events and that the caller may see, one by one.

    Without `oldest`, nobody searches for the oldest event of each, which takes long in long queues.
    """
    turns, may_see = Turns(), door.views.may_see
    for channel in list(host.channels.values()):
        for found in channel.consumers():
            if may_see(found.proxy):
                yield _look(channel, found, _oldest(found) if oldest else None)
                await turns.give()


def with_oldest(host: Host, one: Consumer) -> Consumer:
    """The same consumer with its oldest event; as it was if it has ended meanwhile."""
    channel = host.channels.get(one.channel)
    proxy = None if channel is None else channel.proxies.get(one.proxy)
    found: ConsumerState | None = getattr(proxy, "consumer", None)
    if channel is None or found is None:
        return one
    return _look(channel, found, _oldest(found))


def _look(channel: Channel, found: ConsumerState, first: int | None) -> Consumer:
    proxy, waiting = found.proxy, found.waiting
    return Consumer(
        channel.id,
        proxy.id,
        proxy.admin.id,
        proxy.name,
        proxy.attached,
        waiting,
        len(found.flight),
        found.failures,
        waiting if first is None else max(waiting, channel.seq - first + 1),
        first,
        {_OUTCOMES[outcome]: count for outcome, count in found.counts.items()},
        found.slow,
    )


def _oldest(consumer: ConsumerState) -> int | None:
    """The number of the oldest event that a consumer has not taken; None if it is not known."""
    if consumer.flight:
        return min(consumer.flight) if len(consumer.flight) <= _SEARCHED else None
    if consumer.waiting and consumer.queue.length <= _SEARCHED:
        return min((entry.seq for entry in consumer.queue.entries()), default=None)
    return None


class Movement:
    """Knows since when consumers have taken nothing, from those who look at them now and then."""

    def __init__(self, state: WebState) -> None:
        self._host = state.host
        self._seen: dict[tuple[int, int], tuple[int, float]] = {}

    def idle(self, consumer: Consumer) -> float:
        """For how many seconds a consumer has taken nothing; 0 if it is seen the first time."""
        now = self._host.loop.time()
        key = (consumer.channel, consumer.proxy)
        taken, since = self._seen.get(key, (consumer.taken, now))
        if taken != consumer.taken or key not in self._seen:
            self._seen[key] = (consumer.taken, now)
            return 0.0
        return now - since

    def forget_others(self, known: Collection[tuple[int, int]]) -> None:
        """Forgets consumers that are not among these, by channel and proxy."""
        for key in [key for key in self._seen if key not in known]:
            del self._seen[key]
