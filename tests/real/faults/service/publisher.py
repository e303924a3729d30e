"""A program that publishes numbered events and keeps a ledger; made to be killed.

``python -m tests.real.faults.service.publisher URL LEDGER NAME [--kind client|plain] …``

It goes on until SIGTERM, and ends when all it has sent is answered. Started again with the same
ledger it first sends again what has no answer, and the last of what has.
"""

from __future__ import annotations

import asyncio
import time
from argparse import Namespace
from itertools import count
from typing import Any, Final

import httpx2

from tests.patience import PATIENCE
from tests.real.faults.service.ledgers import Book, Published
from tests.real.faults.service.programs import LANES, Ending, options_of
from tidings import connect, event
from tidings.errors import DiskFull
from tidings.events.structured import StructuredEvent

__all__: list[str] = []

# Batches that may be without an answer.
_UNDER_WAY: Final = 4
# Batches with an answer that a new process sends again.
_SENT_AGAIN: Final = 2


def _event_of(name: str, number: int) -> StructuredEvent:
    return event("Load", "tick", name, _data_of(name, number))


def _data_of(name: str, number: int) -> dict[str, str | int]:
    return {"producer": name, "number": number, "lane": number % LANES}


async def _publish(options: Namespace, ledger: Published, book: Book, ending: Ending) -> None:
    """Publishes with the client, several batches at a time."""
    name, room = options.name, asyncio.Semaphore(_UNDER_WAY)
    async with await connect(options.url, patience=PATIENCE) as client:
        publisher = await client.publisher(options.channel, name)

        async def accepted(number: int) -> int:
            while True:
                try:
                    return (await publisher.publish(_event_of(name, number), number=number)).seq
                except DiskFull:
                    book.write(f"refused {number}")
                    await asyncio.sleep(0.05)

        async def send(first: int, many: int) -> None:
            numbers = range(first, first + many)
            seqs = await asyncio.gather(*[accepted(number) for number in numbers])
            book.write(f"pushed {first} {' '.join(map(str, seqs))}")
            room.release()

        async with asyncio.TaskGroup() as group:
            for first, many in ledger.again(_SENT_AGAIN):
                await room.acquire()
                group.create_task(send(first, many))
            for first in count(ledger.next, options.batch):
                await asyncio.sleep(options.pause)
                await room.acquire()
                if ending.asked or 0 < options.events < first:
                    break
                book.write(f"pushing {first} {options.batch}")
                group.create_task(send(first, options.batch))


def _publish_plainly(options: Namespace, ledger: Published, book: Book, ending: Ending) -> None:
    """Publishes with nothing but HTTP, a batch at a time, each until it is answered."""
    name = options.name

    def send(http: httpx2.Client, first: int, many: int) -> None:
        events = [
            {"domain": "Load", "type": "tick", "name": name, "data": _data_of(name, number)}
            for number in range(first, first + many)
        ]  # fmt: skip
        marks = {"Tidings-Producer": name, "Tidings-Number": str(first)}
        path = f"/v1/channels/{options.channel}/events"
        answer = _answered(http, path, events, marks)
        while not all("seq" in one for one in answer["results"]):
            book.write(f"refused {first}")
            time.sleep(0.05)
            answer = _answered(http, path, events, marks)
        book.write(f"pushed {first} {' '.join(str(one['seq']) for one in answer['results'])}")

    with httpx2.Client(base_url=options.url, trust_env=False, timeout=PATIENCE) as http:
        for first, many in ledger.again(_SENT_AGAIN):
            send(http, first, many)
        for first in count(ledger.next, options.batch):
            time.sleep(options.pause)
            if ending.asked or 0 < options.events < first:
                break
            book.write(f"pushing {first} {options.batch}")
            send(http, first, options.batch)


def _answered(http: httpx2.Client, path: str, body: object, headers: dict[str, str]) -> Any:
    """The answer to a request that may be made again; it is, until there is one.

    Raises:
        ValueError: The service refuses it.
    """
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            response = http.post(path, json=body, headers=headers)
        except httpx2.TransportError:
            pass
        else:
            if response.status_code == 200:
                return response.json()
            if response.status_code not in (503, 507):
                raise ValueError(f"{response.status_code}: {response.text}")
        time.sleep(0.02)
    raise TimeoutError(f"no answer for {PATIENCE:g} s")


def main() -> None:
    """Does what the command line says."""
    options = options_of("publishes", ("client", "plain"))
    ending = Ending()
    ledger, book = Published(options.ledger), Book(options.ledger)
    book.write("began")
    if options.kind == "plain":
        _publish_plainly(options, ledger, book, ending)
    else:
        asyncio.run(_publish(options, ledger, book, ending))
    ending.over()


if __name__ == "__main__":
    main()
