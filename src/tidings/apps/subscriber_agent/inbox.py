"""A page with a WebSocket is where a subscriber reads its notices.

A notice is acknowledged at the service when a person has acknowledged it. Until then it comes again
with every page that is opened; while none is, notices wait at the service.

Frames are JSON objects. The page begins with ``{"subscriber"}`` and sends ``{"acknowledge": seq}``.
It gets ``{"ready"}`` once, ``{"notice"}`` for each notice, and ``{"problem"}`` before the end.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from tidings.api.problems import misfit_of, problem_of
from tidings.apps.subscriber_agent.subscriptions import Subscriber, see_proxy
from tidings.changes.notice_event import notice_of
from tidings.changes.requests import ConnectProxySubscriber, DisconnectProxySubscriber
from tidings.changes.xml import notice_html, write_notice
from tidings.client.client import Client
from tidings.client.subscription import Delivery, Subscription
from tidings.errors import BadInput, Disconnected, LimitExceeded, TidingsError

CHANNEL: Final = "service-changes"
_MOST_PAGES: Final = 50
# Notices that wait to be acknowledged in a page.
_WINDOW: Final = 200
# Seconds for a page to say who it is.
_PATIENCE: Final = 10.0


class Hello(BaseModel):
    """The first frame of a page."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    subscriber: Subscriber


class Acknowledged(BaseModel):
    """Any later frame: a person has acknowledged a notice."""

    model_config = ConfigDict(extra="forbid")

    acknowledge: int


def notice_shown(delivery: Delivery) -> dict[str, Any]:
    """Return a notice as a page shows it: facts for a list, the document, the XML."""
    notice = notice_of(delivery.event)
    xml = write_notice(notice)
    return {
        "seq": delivery.seq,
        "again": delivery.redelivered,
        "id": notice.id,
        "kind": notice.kind.name,
        "by": notice.evolver,
        "advance": notice.time_indicator.name == "ADVANCE",
        "service": notice.described.type.name,
        "name": str(notice.described.properties.get("Name", "")),
        "priority": notice.priority,
        "timestamp": notice.timestamp,
        "effective": notice.effective,
        "compatible": notice.compatible,
        "html": notice_html(xml, whole=False),
        "xml": xml,
    }


class Inbox:
    """The open pages of all subscribers; of two pages of one, the later one gets the notices."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._open: Counter[str] = Counter()

    async def serve(self, socket: WebSocket) -> None:
        """Serve a page until it ends, or its subscriber does."""
        await socket.accept()
        try:
            async with asyncio.timeout(_PATIENCE):
                hello = Hello.model_validate_json(await socket.receive_text())
            await self._serve(socket, hello.subscriber)
        except ValidationError as error:
            await _end(socket, misfit_of([dict(one) for one in error.errors()]))
        except TidingsError as error:
            await _end(socket, problem_of(error))
        except (WebSocketDisconnect, TimeoutError):
            pass  # the page is gone, or never said who it is

    async def _serve(self, socket: WebSocket, subscriber: str) -> None:
        if self._open.total() >= _MOST_PAGES:
            raise LimitExceeded(f"{_MOST_PAGES} pages are open: close one")
        proxy = await see_proxy(self._client, subscriber)
        self._open[subscriber] += 1
        try:
            if not proxy.connected:
                await self._client.transport.ask(ConnectProxySubscriber(subscriber, proxy.id))
            await self._deliver(socket, proxy.subscription)
        finally:
            self._open[subscriber] -= 1
            if not self._open[subscriber]:  # otherwise a later page has the notices
                del self._open[subscriber]
                with suppress(TidingsError):
                    asked = DisconnectProxySubscriber(subscriber, proxy.id)
                    await self._client.transport.ask(asked)

    async def _deliver(self, socket: WebSocket, name: str) -> None:
        subscription = await self._client.subscribe(
            CHANNEL, name=name, manual_ack=True, window=_WINDOW
        )
        try:
            await socket.send_json({"ready": {"waiting": (await subscription.info()).waiting}})
            await _Page(socket, subscription).run()
        finally:
            with suppress(TidingsError):
                await subscription.close()


class _Page:
    """Notices between the service and a page whose person has not acknowledged them."""

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
            try:
                shown = await asyncio.to_thread(notice_shown, delivery)
            except BadInput as error:  # anybody who may publish can have published it
                delivery.reject(f"it is no notice: {error}")
                continue
            self._sent[delivery.seq] = delivery
            await self._socket.send_json({"notice": shown})
        raise Disconnected("this subscriber is open in another page, or has ended")

    async def _receive(self) -> None:
        while True:
            frame = Acknowledged.model_validate_json(await self._socket.receive_text())
            delivery = self._sent.pop(frame.acknowledge, None)
            if delivery is not None:
                delivery.ack()


async def _end(socket: WebSocket, problem: dict[str, Any]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # the page may be gone
        await socket.send_json({"problem": problem})
        await socket.close()
