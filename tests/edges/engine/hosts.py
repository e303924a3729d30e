"""Hosts to test with: channels, clients, and a disk that can be held up or refuse."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.patience import PATIENCE
from tidings import constraint, event
from tidings.channel import entries
from tidings.channel.commands import Push
from tidings.channel.effects import Message, Outcome
from tidings.channel.entries import NEVER
from tidings.channel.management import AddFilter, Connect, CreateChannel, CreateFilter, ObtainProxy
from tidings.channel.vocabulary import Form, Place, Side, Style
from tidings.engine.endpoints import BufferEndpoint, Endpoint
from tidings.engine.host import Host
from tidings.engine.store import Store, Writable
from tidings.events.codecs.json_codec import encode_event
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.names import new_origin
from tidings.stores.payloads import StoredEvent, event_payload, outcome_payload
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

_T = TypeVar("_T")

PERSISTENT = {"EventReliability": 1, "ConnectionReliability": 1}


async def soon(work: asyncio.Future[_T] | Coroutine[Any, Any, _T]) -> _T:
    """Waits for something that must come."""
    return await asyncio.wait_for(work, PATIENCE / 2)


async def until(condition: Callable[[], object]) -> None:
    """Waits until something is so."""

    async def looked_at() -> None:
        while not condition():  # noqa: ASYNC110 -- whatever a test wants to see
            await asyncio.sleep(0.001)

    await soon(looked_at())


async def turns(count: int = 10) -> None:
    """Lets the loop do all that it can do without waiting."""
    for _ in range(count):
        await asyncio.sleep(0)


async def new_channel(host: Host, qos: Mapping[str, int] | None = None) -> int:
    """A channel, Persistent unless told otherwise."""
    found = await soon(host.ask(CreateChannel(new_origin(), PERSISTENT if qos is None else qos)))
    assert isinstance(found, int)
    return found


async def supplier(host: Host, channel: int) -> int:
    """A push supplier that is connected."""
    proxy = await soon(host.ask(ObtainProxy(channel, Side.SUPPLIER, Style.PUSH)))
    await soon(host.connect(Connect(channel, proxy, reachable=False), None))
    assert isinstance(proxy, int)
    return proxy


async def opened(
    folder: Path | None = None, qos: Mapping[str, int] | None = None, **options: Any
) -> tuple[Host, int, int]:
    """A host with a channel and a supplier in it."""
    host = await Host.open(folder, **options)
    channel = await new_channel(host, qos)
    return host, channel, await supplier(host, channel)


@asynccontextmanager
async def hosted(
    folder: Path | None = None, qos: Mapping[str, int] | None = None, **options: Any
) -> AsyncIterator[tuple[Host, int, int]]:
    """The same, until the end of a block."""
    host, channel, proxy = await opened(folder, qos, **options)
    try:
        yield host, channel, proxy
    finally:
        await host.close(0.05)


async def obtained(
    host: Host,
    channel: int,
    style: Style = Style.PUSH,
    form: Form = Form.STRUCTURED,
    qos: Mapping[str, int] | None = None,
    text: str | None = None,
) -> int:
    """A consumer's proxy that nobody is connected to, with a filter of its own if asked for."""
    proxy = await soon(host.ask(ObtainProxy(channel, Side.CONSUMER, style, form, qos=qos or {})))
    if text is not None:
        filter, _ = await soon(host.ask(CreateFilter([constraint(text)], private=True)))
        await soon(host.ask(AddFilter(Place(channel, proxy=proxy), filter)))
    assert isinstance(proxy, int)
    return proxy


async def consumer(
    host: Host,
    channel: int,
    *,
    window: int = 256,
    qos: Mapping[str, int] | None = None,
    text: str | None = None,
) -> tuple[int, BufferEndpoint]:
    """A push consumer that is connected."""
    proxy = await obtained(host, channel, qos=qos, text=text)
    return proxy, await reconnected(host, channel, proxy, window=window, again=False)


async def reconnected(
    host: Host, channel: int, proxy: int, *, window: int = 256, again: bool = True
) -> BufferEndpoint:
    """Connects to a proxy, or takes a connection over."""
    endpoint = BufferEndpoint()
    await connected(host, channel, proxy, endpoint, window=window, again=again)
    return endpoint


async def connected(
    host: Host,
    channel: int,
    proxy: int,
    endpoint: Endpoint,
    *,
    window: int = 256,
    again: bool = False,
) -> None:
    """Connects an endpoint to a proxy."""
    await soon(host.connect(Connect(channel, proxy, window=window, again=again), endpoint))


def happened(name: str, persistent: bool | None = None, **data: object) -> StructuredEvent:
    """An event; its own reliability goes before the channel's."""
    header = {} if persistent is None else {"EventReliability": int(persistent)}
    return event("Test", "Thing", name, data or None, header=header)


def named(*names: str | int) -> list[StructuredEvent]:
    """Events with these names."""
    return [happened(str(name)) for name in names]


async def publish(
    host: Host,
    channel: int,
    proxy: int,
    *names: str | int,
    marks: Sequence[ProducerMark] | None = None,
) -> list[Any]:
    """Pushes events with these names; the answers."""
    found = await soon(host.ask(Push(channel, proxy, named(*names), marks)))
    assert isinstance(found, list)
    return found


async def collect(endpoint: BufferEndpoint, count: int, *, ack: bool = True) -> list[Message]:
    """The next events of a consumer."""
    found: list[Message] = []
    while len(found) < count:
        found += await soon(endpoint.batch(count - len(found)))
    if ack:
        for message in found:
            endpoint.ack(message)
    return found


def seqs(messages: Sequence[Message]) -> list[int]:
    """Their numbers."""
    return [message.seq for message in messages]


ORIGIN = bytes(range(16))


def event_record(
    seq: int,
    *proxies: int,
    views: dict[int, tuple[int, int]] | None = None,
    carried: bool = False,
    octets: bytes | None = None,
) -> Record:
    """The record of an event that waits for these consumers, in a journal without a host."""
    octets = encode_event(happened(str(seq))) if octets is None else octets
    stored = StoredEvent(
        *(7, 1, 2, NEVER, None, entries.PERSISTENT, None, 0, ()),
        proxies,
        views or {},
        carried,
        octets,
    )
    return Record(Kind.EVENT, ORIGIN, seq, event_payload(stored))


def outcome_record(proxy: int, *seqs: int, what: Outcome = Outcome.DELIVERED) -> Record:
    """The record that a consumer is done with events."""
    return Record(Kind.OUTCOME, ORIGIN, seqs[0], outcome_payload(proxy, what, seqs, 5))


def store_of(host: Host) -> Store:
    """The disk of a host that has one."""
    assert host.store is not None
    return host.store


def crashed(folder: Path, copy: Path) -> Path:
    """What a crash would leave of a folder: a copy of it as it is now."""
    return shutil.copytree(folder, copy)


class HeldDisk:
    """Stands before the disk of a host: holds writes up, refuses them, counts them.

    Attributes:
        error: What writes raise; None lets them pass.
        writes: The kinds of the records of each write, in order.
    """

    def __init__(self, host: Host, error: Exception | None = None, *, held: bool = False) -> None:
        store = store_of(host)
        self.error = error
        self.writes: list[list[int]] = []
        self._write = store.write
        self._open = threading.Event()
        if not held:
            self._open.set()
        store.write = self._write_when_open  # type: ignore[method-assign]

    def hold(self) -> None:
        """Lets no write pass."""
        self._open.clear()

    def release(self) -> None:
        """Lets writes pass again."""
        self._open.set()

    def _write_when_open(self, records: Sequence[Writable], *, sync: bool) -> list[Cursor]:
        self.writes.append([r.kind if isinstance(r, Record) else -1 for r in records])
        assert self._open.wait(PATIENCE / 2)
        if self.error is not None:
            raise self.error
        return self._write(records, sync=sync)

    def count(self, kind: Kind) -> int:
        """How many records of a kind were to be written."""
        return sum(kinds.count(kind) for kinds in self.writes)
