"""Events out, for consumers that ask: pull, acknowledge, give back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import Field
from starlette.requests import ClientDisconnect

from tidings.api.forms import Answer, examples
from tidings.api.operations import PullForm
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import EventBatch
from tidings.engine.turns import Turns
from tidings.errors import Disconnected
from tidings.web.bodies import StrictRoute, client_gone
from tidings.web.paths import ChannelId, ProxyId
from tidings.web.publisher import connect_quietly
from tidings.web.replay import EVENT_EXAMPLE, events_answer
from tidings.web.state import Door, State

router = APIRouter(tags=["events"], route_class=StrictRoute)

_T = TypeVar("_T")

_PROXY: Final = "/channels/{channel}/proxies/{proxy}"


class PulledEvents(Answer):
    """The events; none if there were none in time."""

    model_config = examples(
        {
            "origin": "0" * 31 + "1",
            "events": [{"redelivered": False, **EVENT_EXAMPLE}],
            "leased_until": 1760000030000000,
        }
    )

    origin: str
    events: list[dict[str, Any]]
    leased_until: int | None = Field(
        default=None,
        description="When they come again unless they are acknowledged, microseconds since 1970.",
    )


@router.post(f"{_PROXY}/pull", summary="Ask for events", response_model=PulledEvents)
async def pull(
    request: Request, state: State, door: Door, channel: ChannelId, proxy: ProxyId, asked: PullForm
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
    encoded = state.encoded
    events, turns = [], Turns()
    for message in found.messages:
        again = "true" if message.seq in found.again else "false"
        events.append(f'{{"redelivered":{again},{encoded[message][1:]}')
        await turns.give()
    leased = {}
    if lease is not None and found.messages:
        leased["leased_until"] = state.host.time() + lease
    return events_answer(door.views.channel(channel).origin, events, leased)


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
    gone = asyncio.ensure_future(client_gone(request.receive))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        gone.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)
