"""A view of live objects over a WebSocket of its own, which is opened again after a cut."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from tidings.api.live_frames import ObjectsFrame, read_frame, read_objects, write_look
from tidings.api.problems import error_of
from tidings.client.transports.backoff import Patience
from tidings.client.transports.http.socket import HOPELESS
from tidings.client.transports.http.wire import Wire
from tidings.errors import TidingsError, Unreachable
from tidings.live.requests import SeeLiveObjects

Opened: TypeAlias = Callable[[Callable[[bytes], None], Callable[[int, str], None]], Awaitable[Wire]]
"""Opens the socket: called with what takes each frame, and the end."""


async def look(
    opened: Opened,
    asked: SeeLiveObjects,
    rate: float,
    show: Callable[[ObjectsFrame], None],
    patience: Patience,
) -> None:
    """Show what is looked at, until cancelled; raise what the service refuses, or `Unreachable`."""
    wanted = write_look(asked, rate)
    tries = patience.tries()
    shown = False

    def note(frame: ObjectsFrame) -> None:
        nonlocal shown
        shown = True
        show(frame)

    while True:
        cut: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        try:
            wire = await opened(_taking(cut, note), _cutting(cut))
        except HOPELESS:
            raise
        except (OSError, TimeoutError, TidingsError) as error:
            if not await tries.again():
                told = f"live objects cannot be looked at: {error}"
                raise Unreachable(told) from error
            continue
        try:
            wire.send(wanted)
            await cut
        finally:
            wire.abort()
        if shown:
            tries, shown = patience.tries(), False
        elif not await tries.again():
            raise Unreachable("live objects cannot be looked at: the service ends each socket")


def _taking(
    cut: asyncio.Future[None], show: Callable[[ObjectsFrame], None]
) -> Callable[[bytes], None]:
    def take(octets: bytes) -> None:
        if cut.done():
            return
        try:
            frame = read_frame(octets)
            if frame.get("op") == "error":
                problem = frame.get("problem")
                cut.set_exception(error_of(problem, 400))
            elif frame.get("op") == "objects":
                show(read_objects(frame))
        except TidingsError as error:
            cut.set_exception(error)

    return take


def _cutting(cut: asyncio.Future[None]) -> Callable[[int, str], None]:
    def end(_: int, __: str) -> None:
        if not cut.done():
            cut.set_result(None)

    return end
