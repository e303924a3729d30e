"""A program that takes events and keeps a ledger; made to be killed.

``python -m tests.real.faults.service.consumer URL LEDGER NAME [--kind batches|each|pull] …``

The kinds ``batches`` and ``each`` subscribe with the client; ``pull`` asks with nothing but HTTP
and acknowledges before the lease is over. It goes on until SIGTERM.
"""

from __future__ import annotations

import asyncio
import time
from argparse import Namespace
from typing import Any
from urllib.parse import quote

import httpx2

from tests.patience import PATIENCE
from tests.real.faults.service.ledgers import Book, Consumed
from tests.real.faults.service.programs import Doom, Ending, Taker, options_of
from tidings import connect
from tidings.channel.effects import Message
from tidings.client.subscription import Subscription

__all__: list[str] = []


def _taken(message: Message, marked: bool) -> tuple[int, str, int, bool]:
    data = message.event.data
    return message.seq, str(data["producer"]), int(str(data["number"])), marked


async def _take_batches(subscription: Subscription, taker: Taker, options: Namespace) -> None:
    async for messages in subscription.batches(options.batch):
        taker.take([_taken(one, subscription.redelivered(one)) for one in messages])
        await asyncio.sleep(options.pause)


async def _take_each(subscription: Subscription, taker: Taker, options: Namespace) -> None:
    async for delivery in subscription:
        taker.take([_taken(delivery.message, delivery.redelivered)])
        delivery.ack()
        if options.pause:
            await asyncio.sleep(options.pause)


async def _subscribe(options: Namespace, taker: Taker, book: Book, ending: Ending) -> None:
    each = options.kind == "each"
    async with await connect(options.url, patience=PATIENCE) as client:
        subscription = await client.subscribe(
            options.channel, options.filter or None, name=options.name, manual_ack=each
        )
        book.write("began")
        taking = asyncio.create_task(
            (_take_each if each else _take_batches)(subscription, taker, options)
        )
        while not (ending.asked or taking.done()):  # noqa: ASYNC110 -- a signal, not an event
            await asyncio.sleep(0.02)
        if taking.done():
            taking.result()
            raise RuntimeError("the subscription has ended by itself")
        taking.cancel()


def _pull(options: Namespace, taker: Taker, book: Book, ending: Ending) -> None:
    path = f"/v1/channels/{options.channel}/proxies/{quote(options.name)}"
    asked = {"most": options.batch, "wait": 0.5, "lease": options.lease}
    book.write("began")
    with httpx2.Client(base_url=options.url, trust_env=False, timeout=PATIENCE) as http:
        while not ending.asked:
            found = _answer(http, f"{path}/pull", asked)
            if found and found["events"]:
                taker.take([_pulled(one) for one in found["events"]])
                # An answer that does not come changes nothing: what comes again is marked.
                _answer(http, f"{path}/ack", {"seqs": [one["seq"] for one in found["events"]]})
                time.sleep(options.pause)


def _pulled(one: dict[str, Any]) -> tuple[int, str, int, bool]:
    data = one["event"]["data"]
    return one["seq"], data["producer"], data["number"], one["redelivered"]


def _answer(http: httpx2.Client, path: str, body: object) -> Any:
    """The answer to a request; None if it has no content, or did not come."""
    try:
        response = http.post(path, json=body)
    except httpx2.TransportError:
        time.sleep(0.02)
        return None
    if response.status_code in (204, 503, 507):
        return None
    if response.status_code != 200:
        raise ValueError(f"{path}: {response.status_code}: {response.text}")
    return response.json()


def main() -> None:
    """Does what the command line says."""
    options = options_of("takes events", ("batches", "each", "pull"))
    ending = Ending()
    taker = Taker(Book(options.ledger), Consumed(options.ledger).seqs, Doom(options))
    book = Book(options.ledger)
    if options.kind == "pull":
        _pull(options, taker, book, ending)
    else:
        asyncio.run(_subscribe(options, taker, book, ending))
    ending.over()


if __name__ == "__main__":
    main()
