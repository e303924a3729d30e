"""The floor of `tidings bench web`: the same server loop and frames, without the machine.

A server of the same kind, with the same settings, in a process of its own. It is told once which
frames to answer a push with, and then does nothing but that: the publisher's socket gets its
receipt, every consumer's socket the event. What else comes in is read and dropped.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from socket import socket as Socket
from typing import Any, Final

import msgspec

from tidings.admission import Admission
from tidings.server.build import bound_socket, http_server
from tidings.server.descriptors import budget, raised_limit
from tidings.server.settings import ServerSettings

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_PUSH: Final = '{"op":"push"'


class Answers(msgspec.Struct, frozen=True):
    """The frames that answer a push: one for the publisher, one for each consumer."""

    receipt: str
    event: str


class _Floor:
    """An application with two kinds of addresses: ``/publish/GROUP`` and ``/consume/GROUP``."""

    def __init__(self) -> None:
        self._consumers: dict[str, list[Send]] = {}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serves a socket until its client leaves."""
        if scope["type"] != "websocket":
            return
        await receive()
        await send({"type": "websocket.accept", "subprotocol": "tidings.v1"})
        _, kind, group = scope["path"].split("/")
        consumers = self._consumers.setdefault(group, [])
        if kind == "publish":
            await self._publish(consumers, receive, send)
            return
        consumers.append(send)
        while (await receive())["type"] != "websocket.disconnect":
            pass
        consumers.remove(send)

    async def _publish(self, consumers: list[Send], receive: Receive, send: Send) -> None:
        """Answers pushes, after a first frame that says with what."""
        told = msgspec.json.decode((await receive())["text"], type=Answers)
        receipt = {"type": "websocket.send", "text": told.receipt}
        event = {"type": "websocket.send", "text": told.event}
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["text"].startswith(_PUSH):
                for one in consumers:
                    await one(event)
                await send(receipt)


async def _serve(socket: Socket) -> None:
    settings = ServerSettings()
    admission = Admission(budget(settings, raised_limit()).http)
    await http_server(_Floor(), settings, admission).serve([socket])


def main() -> None:
    """Serves until it is killed; the first argument is where to write the address."""
    socket = bound_socket("127.0.0.1", 0)
    url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    Path(sys.argv[1]).write_bytes(msgspec.json.encode({"url": url}))
    asyncio.run(_serve(socket))


if __name__ == "__main__":
    main()
