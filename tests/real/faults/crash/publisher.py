"""A program that publishes numbered events and keeps a ledger; made to be killed, or cut off.

``python -m tests.real.faults.crash.publisher <folder> [--pushers N] [--events N] [--sessions N]
[--take N] [--keep OCTETS] [--patience SECONDS] [--manage] [--no-sync] [--seed N]``

The ledger is the file named by the variable `ANSWERS`. Started again on the same folder with the
same ledger, each pusher goes on where it was: it sends its last numbers again first. It says
``ready`` when events begin to flow.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from tests.real.faults.crash.ledger import Book, Ledger
from tests.real.faults.crash.scene import (
    CHANNEL,
    FIFO,
    LATE,
    SEGMENT_OCTETS,
    SOURCE,
    URGENT,
    channel_of,
    numbered,
    objects,
    push,
)
from tests.real.faults.power.run import ANSWERS
from tidings import constraint
from tidings.channel import management as m
from tidings.channel.channel import Channel
from tidings.channel.qos import OrderPolicy
from tidings.channel.vocabulary import Place, Side, Style
from tidings.engine.endpoints import BufferEndpoint
from tidings.engine.host import Host
from tidings.errors import Disconnected
from tidings.filters.plan import Operator
from tidings.names import new_origin
from tidings.stores.retention import Retention

__all__ = ["Publisher", "options_of", "set_up"]

RELIABLE = {"EventReliability": 1, "ConnectionReliability": 1}
SENT_AGAIN = 3
ENDLESS = 1_000_000_000


class Publisher:
    """One process's life with a folder.

    Args:
        host: Open.
        book: Where answers are written down.
        ledger: What was written there before.
        options: As on the command line.

    Attributes:
        phase: How many changes were made since events flow.
        consumers: The tasks that take events.
        took: How many were taken and acknowledged so far.
    """

    def __init__(self, host: Host, book: Book, ledger: Ledger, options: Namespace) -> None:
        self.host = host
        self.book = book
        self.phase = options.phase
        self.consumers: list[asyncio.Task[None]] = []
        self._options = options
        self._ledger = ledger
        self._random = Random(options.seed + ledger.sessions)
        self._changes = count(ledger.making + 1)
        self.took = len(ledger.took)

    async def change(self, command: m.Management, endpoint: BufferEndpoint | None = None) -> Any:
        """Has something changed, and writes down what there is then."""
        number = next(self._changes)
        self.book.note("making", number)
        self.phase += 1
        answer = None
        if isinstance(command, m.Connect):
            await self.host.connect(command, endpoint)
        else:
            answer = await self.host.ask(command)
        self.book.note("made", number, _plain(self.host))
        self.book.sync()
        return answer

    def begin_to_consume(self, consumer: str) -> None:
        """Takes events from now on, beside all else."""
        consume = self._consume(consumer, self._options.take, self._options.patience)
        self.consumers.append(asyncio.create_task(consume))

    async def _consume(self, consumer: str, most: int, patience: float) -> None:
        """Takes events until the host is closed, each written down before it is acknowledged."""
        channel = channel_of(self.host)
        assert channel is not None
        endpoint = BufferEndpoint()
        connect = m.Connect(channel.id, channel.names[consumer], window=8, again=True)
        await self.host.connect(connect, endpoint)
        with suppress(Disconnected):
            while most > 0:
                for message in await endpoint.batch(min(most, self._random.randrange(1, 6))):
                    most -= 1
                    self.book.note("took", consumer, message.seq, *numbered(message))
                    endpoint.ack(message)
                    self.took += 1
                await asyncio.sleep(self._random.random() * patience)

    async def publish(self, pusher: int, events: int) -> None:
        """Pushes numbers one by one; those of before whose answer may be lost come first."""
        start = max(1, self._ledger.last(pusher) - SENT_AGAIN + 1)
        for number in range(start, start + events):
            self.book.note("pushing", pusher, number, self.phase)
            [answer] = await push(self.host, [(pusher, number)], self.phase)
            if not isinstance(answer, int):
                raise answer
            self.book.note("pushed", pusher, number, answer)
            self.book.sync()

    async def manage(self) -> None:
        """Changes things while events flow; `scene.wants` knows what follows from it."""
        channel = channel_of(self.host)
        assert channel is not None
        fifo = Place(channel.id, proxy=channel.names[FIFO])
        pause = 0.02
        await self.change(m.SetQoS(fifo, {"MaxEventsPerConsumer": 50_000}))
        await asyncio.sleep(pause)
        wider, _ = await self.change(m.CreateFilter([constraint("$part == 2")]))
        attachment = await self.change(m.AddFilter(fifo, wider))
        await asyncio.sleep(pause)
        late = await self.change(_consumer(channel.id, LATE, OrderPolicy.FIFO))
        await self.change(m.Connect(channel.id, late, window=8), BufferEndpoint())
        self.begin_to_consume(LATE)
        await asyncio.sleep(pause)
        await self.change(m.RemoveFilter(fifo, attachment))
        await self.change(m.ModifyConstraints(wider, replace={1: constraint("$part == 7")}))
        await self.change(m.SetAdminProperties(channel.id, {"MaxQueueLength": 100_000}))
        await self.change(m.NewAdmin(channel.id, Side.CONSUMER, Operator.OR))
        await asyncio.sleep(pause)
        await self.change(m.SetQoS(Place(channel.id), {"Priority": 1}))
        await self.change(m.DestroyFilter(wider))


def _consumer(channel: int, name: str, order: OrderPolicy) -> m.ObtainProxy:
    qos = {"OrderPolicy": int(order)}
    return m.ObtainProxy(channel, Side.CONSUMER, Style.PUSH, qos=qos, name=name)


def _plain(host: Host) -> str:
    return json.dumps(objects(host), separators=(",", ":"))


async def set_up(publisher: Publisher) -> Channel:
    """Makes the channel, its supplier and its consumers."""
    change = publisher.change
    id = await change(m.CreateChannel(new_origin(), qos=RELIABLE, name=CHANNEL))
    source = await change(m.ObtainProxy(id, Side.SUPPLIER, Style.PUSH, name=SOURCE))
    await change(m.Connect(id, source, reachable=False))
    for name, order in ((FIFO, OrderPolicy.FIFO), (URGENT, OrderPolicy.PRIORITY)):
        proxy = await change(_consumer(id, name, order))
        if name == FIFO:
            some, _ = await change(m.CreateFilter([constraint("$part < 2")], private=True))
            await change(m.AddFilter(Place(id, proxy=proxy), some))
        await change(m.Connect(id, proxy, window=8), BufferEndpoint())
    publisher.phase = 0
    return publisher.host.factory.channel(id)


async def keep_house(host: Host) -> None:
    """Has old segments go without waiting for the time when they would."""
    while True:
        await asyncio.sleep(0.02)
        await host.housekeeping.run_once()


async def session(options: Namespace) -> None:
    """Opens the folder, publishes, and closes it again."""
    path = Path(os.environ[ANSWERS])
    ledger = Ledger.read(path)
    book = Book(path)
    book.note("began")
    retention = Retention(keep_octets=options.keep)
    host = await Host.open(options.folder, segment_octets=SEGMENT_OCTETS, retention=retention)
    publisher = Publisher(host, book, ledger, options)
    channel = channel_of(host) or await set_up(publisher)
    for consumer in channel.names.keys() - {SOURCE}:
        publisher.begin_to_consume(consumer)
    keeping = asyncio.create_task(keep_house(host))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    work = [publisher.publish(pusher, options.events) for pusher in range(options.pushers)]
    if options.manage and not ledger.sessions:
        work.append(publisher.manage())
    await asyncio.gather(*work)
    keeping.cancel()
    await asyncio.wait([keeping])
    took = publisher.took
    await asyncio.sleep(0)  # acknowledgements leave in the next turn of the loop
    await host.close()
    book.note("closed", took)
    book.sync()
    await asyncio.gather(*publisher.consumers)
    options.phase = publisher.phase


async def sessions(options: Namespace) -> None:
    """Several lives in one process, each closed in good order."""
    for _ in range(options.sessions):
        await session(options)


def options_of(arguments: Sequence[str] | None = None) -> Namespace:
    """What a command line says; None for that of this process."""
    parser = ArgumentParser()
    parser.add_argument("folder", type=Path)
    for name, number in (("pushers", 4), ("sessions", 1), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--events", type=int, default=ENDLESS)
    parser.add_argument("--take", type=int, default=ENDLESS)
    parser.add_argument("--keep", type=int, default=ENDLESS)
    parser.add_argument("--patience", type=float, default=0.004)
    parser.add_argument("--manage", action="store_true")
    parser.add_argument("--no-sync", action="store_true")
    parser.set_defaults(phase=0)
    return parser.parse_args(arguments)


def main() -> None:
    """Does what the command line says."""
    options = options_of()
    if options.no_sync:
        mock.patch("os.fsync").start()
        mock.patch("os.fdatasync").start()
    asyncio.run(sessions(options))


if __name__ == "__main__":
    main()
