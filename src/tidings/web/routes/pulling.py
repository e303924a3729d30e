"""Events out, for consumers that ask: pull, acknowledge, give back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request, Response
from starlette.requests import ClientDisconnect

from tidings.api.pulling import PullForm
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import EventBatch
from tidings.engine.turns import Turns
from tidings.errors import Disconnected
from tidings.web.bodies import StrictRoute
from tidings.web.encoded import encoded_of, with_redelivered
from tidings.web.paths import ChannelId, ProxyId
from tidings.web.publisher import connect_quietly
from tidings.web.state import Door, State

router = APIRouter(tags=["events"], route_class=StrictRoute)

_T = TypeVar("_T")

_PROXY: Final = "/channels/{channel}/proxies/{proxy}"
_PULLED: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The events; none if there were none in time.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["origin", "events"],
                    "properties": {
                        "origin": {"type": "string"},
                        "events": {"type": "array", "items": {"type": "object"}},
                        "leased_until": {
                            "type": "integer",
                            "description": "When they come again unless they are acknowledged, "
                            "microseconds since 1970.",
                        },
                    },
                },
                "example": {
                    "origin": "0" * 31 + "1",
                    "events": [
                        {
                            "redelivered": False,
                            "seq": 1041,
                            "arrival": 1760000000000000,
                            "priority": 0,
                            "event": {"domain": "Auction", "type": "books"},
                        }
                    ],
                    "leased_until": 1760000030000000,
                },
            }
        },
    }
}


@router.post(f"{_PROXY}/pull", summary="Ask for events", response_class=Response, responses=_PULLED)
async def pull(
    request: Request,
    state: State,
    door: Door,
    channel: ChannelId,
    proxy: ProxyId,
    asked: PullForm,
) -> Response:
    """Asks for events as a pull consumer; waits for the first if told to.

    Under a lease, events that are not acknowledged in time come again. A client that goes away
    while it waits gets nothing, and nothing is lost.
    """
    wait = asked.wait_at_most(state.options.max_wait)
    lease = asked.lease_microseconds
    held = state.lifetimes.hold(channel, proxy)
    try:
        work = _pull(door, channel, proxy, asked.most, wait, lease)
        found = await (_unless_gone(request, work) if wait else work)
    finally:
        if held:
            state.lifetimes.release(channel, proxy)
    encoded = state.part(encoded_of)
    events, turns = [], Turns()
    for message in found.messages:
        events.append(with_redelivered(encoded[message], message.seq in found.again))
        await turns.give()
    leased = ""
    if lease is not None and found.messages:
        now = state.host.time()
        leased = f',"leased_until":{now + lease}'
    origin = door.views.channel(channel).origin
    text = f'{{"origin":"{origin}","events":[{",".join(events)}]{leased}}}'
    return Response(text, media_type="application/json")


async def _pull(
    door: LocalDoor, channel: int, proxy: int, most: int, wait: int, lease: int | None
) -> EventBatch:
    try:
        return await door.pull(channel, proxy, most, wait, lease)
    except Disconnected:
        if door.views.proxy(channel, proxy).connected:
            raise
    await connect_quietly(door, channel, proxy)
    return await door.pull(channel, proxy, most, wait, lease)


async def _unless_gone(request: Request, work: Coroutine[Any, Any, _T]) -> _T:
    """Wait for work while the client waits; cancel it when the client goes away."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        gone.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
