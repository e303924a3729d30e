from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tidings import event
from tidings.client.transports.http import HttpTransport
from tidings.client.transports.http_views import HttpViews
from tidings.errors import ChannelNotFound, ProxyNotFound
from tidings.events.codecs.json_codec import event_to_plain


def played(scene: Callable[[Any], Awaitable[None]]) -> None:
    async def run() -> None:
        transport = HttpTransport("http://127.0.0.1:1", patience=0.1)
        assert isinstance(transport, HttpViews)
        try:
            await scene(transport)
        finally:
            await transport.close()

    asyncio.run(run())


@pytest.mark.parametrize("name", ["\ud800", "a\nb"])
def test_what_is_no_name_names_nothing(name: str) -> None:
    async def scene(views: Any) -> None:
        with pytest.raises(ChannelNotFound):
            await views.channel(name)
        with pytest.raises(ProxyNotFound):
            await views.proxy(1, name)

    played(scene)


def test_a_page_of_the_past_is_asked_for_and_read() -> None:
    asked: list[str] = []

    async def scene(views: Any) -> None:
        async def call(call: Any) -> object:
            asked.append(call.path)
            plain = event_to_plain(event("A", "b"))
            one = {"seq": 7, "arrival": 1, "priority": 0, "event": plain}
            page = {"origin": "0" * 32, "events": [one], "next": 7, "end": True, "last": 9}
            return call.read(page)

        views._caller.call = call
        page = await views.history(3, 5, None, 10, "$price > 1 and 'é' == $x")
        assert ([m.seq for m in page.messages], page.next, page.end, page.last) == ([7], 7, True, 9)

    played(scene)
    assert asked == [
        "/v1/channels/3/events?after=5&most=10&filter=%24price+%3E+1+and+%27%C3%A9%27+%3D%3D+%24x"
    ]
