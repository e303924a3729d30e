"""Buyers: a page with a WebSocket is the consumer of a named subscription while it is open.

The page keeps an alert, then acknowledges it; only then does this program acknowledge it at the
service. Whatever dies in between, the alert comes again, and the page knows its id. While no page
is open, alerts wait at the service.

Frames are JSON objects. The page begins with ``{"buyer", "wish"}`` and sends ``{"taken": seq}`` for
each alert; ``{"stop": true}`` deletes the subscription. It gets ``{"ready"}`` once, ``{"alert"}``
for each offer, and ``{"problem"}`` before the end.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from tidings.api.problems import misfit_of, problem_of
from tidings.apps.auction_alert.market import shown
from tidings.apps.auction_alert.scene import BIDDERS, CHANNEL
from tidings.apps.auction_alert.wish import Wish
from tidings.client.client import Client
from tidings.client.subscription import Delivery, Subscription
from tidings.errors import Disconnected, InvalidUsage, LimitExceeded, TidingsError

_MOST_PAGES: Final = 50
# Alerts that a page may have on their way, not yet kept.
_WINDOW: Final = 32
# Seconds for a page to say who it is.
_PATIENCE: Final = 10.0


class Hello(BaseModel):
    """The first frame of a page."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    buyer: Annotated[str, Field(min_length=1, max_length=100)]
    wish: Wish


class Taken(BaseModel):
    """Any later frame of a page: it has kept an alert, or wants no more."""

    model_config = ConfigDict(extra="forbid")

    taken: int = 0
    stop: bool = False


class Buyers:
    """The open pages of all buyers; of two pages of one buyer, the later one gets the alerts."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._open = 0

    async def serve(self, socket: WebSocket) -> None:
        """Serve a page until it or its subscription ends."""
        await socket.accept()
        self._open += 1
        try:
            await self._serve(socket)
        except ValidationError as error:
            await _end(socket, misfit_of([dict(one) for one in error.errors()]))
        except TidingsError as error:
            await _end(socket, problem_of(error))
        except (WebSocketDisconnect, TimeoutError):
            pass  # the page is gone, or never said who it is
        finally:
            self._open -= 1

    async def _serve(self, socket: WebSocket) -> None:
        if self._open > _MOST_PAGES:
            raise LimitExceeded(f"{_MOST_PAGES} pages of buyers are open: close one")
        async with asyncio.timeout(_PATIENCE):
            hello = Hello.model_validate_json(await socket.receive_text())
        if hello.buyer in {one.name for one in BIDDERS}:
            raise InvalidUsage(f"{hello.buyer} is a bidder of the evening: choose another name")
        subscription = await self._client.subscribe(
            CHANNEL,
            hello.wish.constraint(),
            name=hello.buyer,
            manual_ack=True,
            window=_WINDOW,
        )
        try:
            seen = await subscription.info()
            await socket.send_json({"ready": {"waiting": seen.waiting + seen.in_flight}})
            await _Page(socket, subscription).run()
        finally:
            with suppress(TidingsError):
                await subscription.close()


class _Page:
    """Alerts between the service and a page that has not kept them yet."""

    def __init__(self, socket: WebSocket, subscription: Subscription) -> None:
        self._socket = socket
        self._subscription = subscription
        self._sent: dict[int, Delivery] = {}

    async def run(self) -> None:
        """Send and receive until one of them ends."""
        tasks = [asyncio.create_task(self._send()), asyncio.create_task(self._receive())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.result()

    async def _send(self) -> None:
        async for delivery in self._subscription:
            self._sent[delivery.seq] = delivery
            alert = shown(delivery) | {"again": delivery.redelivered}
            await self._socket.send_json({"alert": alert})
        raise Disconnected("this buyer is open in another page, or the subscription was deleted")

    async def _receive(self) -> None:
        while True:
            frame = Taken.model_validate_json(await self._socket.receive_text())
            if frame.stop:
                await self._subscription.delete()
                return
            delivery = self._sent.pop(frame.taken, None)
            if delivery is not None:
                delivery.ack()


async def _end(socket: WebSocket, problem: dict[str, Any]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # the page may be gone
        await socket.send_json({"problem": problem})
        await socket.close()
