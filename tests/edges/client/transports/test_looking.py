"""A view whose socket the service ends, or refuses for now, is opened again within its patience."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import pytest

from tidings.api.live_frames import ObjectsFrame
from tidings.client.transports.backoff import Patience
from tidings.client.transports.http.looking import look
from tidings.errors import Stopping, Unauthenticated, Unreachable
from tidings.live.requests import SeeLiveObjects

FRAME = b'{"op":"objects","anew":true}'


class Service:
    """Ends each socket; `said` is what it does with each, in order: an error, or frames."""

    def __init__(self, *said: Exception | list[bytes]) -> None:
        self.said = list(said)
        self.opened = 0

    async def open(
        self, on_frame: Callable[[bytes], None], on_cut: Callable[[int, str], None]
    ) -> Service:
        self.opened += 1
        assert self.opened < 100, "it is opened again and again"
        said = self.said.pop(0) if self.said else []
        if isinstance(said, Exception):
            raise said
        loop = asyncio.get_running_loop()
        for frame in said:
            loop.call_soon(on_frame, frame)
        loop.call_soon(on_cut, 1012, "")
        return self

    def send(self, frame: bytes) -> None: ...

    def abort(self) -> None: ...


async def seen(service: Service, patience: float) -> list[ObjectsFrame]:
    """Look until that fails."""
    shown: list[ObjectsFrame] = []
    with suppress(Unreachable):
        await look(service.open, SeeLiveObjects(), 10, shown.append, Patience(patience))  # type: ignore[arg-type]
    return shown


async def test_a_service_that_ends_each_socket_is_given_time_and_then_up() -> None:
    service = Service()
    assert await seen(service, 0.1) == []
    assert service.opened > 1


async def test_a_service_that_is_about_to_stop_is_asked_again() -> None:
    service = Service([FRAME], Stopping("soon"), OSError(), [FRAME])
    assert await seen(service, 0.1) == [ObjectsFrame(anew=True)] * 2


async def test_who_may_not_come_in_is_told_at_once() -> None:
    service = Service(Unauthenticated("who?"))
    with pytest.raises(Unauthenticated, match=r"who\?"):
        await seen(service, 60)
    assert service.opened == 1
