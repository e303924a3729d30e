"""The routes of WebSockets: one for many lines, one that subscribes by its query alone."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, WebSocket

from tidings.api.frames import MAX_WINDOW, SUBPROTOCOL, ConnectedFrame, write_frame
from tidings.channel.management import Connect, Disconnect, ObtainProxy
from tidings.channel.views import FilterInfo, ProxyInfo
from tidings.channel.vocabulary import Side, Style
from tidings.engine.door import LocalDoor
from tidings.errors import ProxyNotFound, TidingsError, WrongClient, WrongState
from tidings.filters.constraint import Constraint
from tidings.names import MAX_NAME
from tidings.web.bodies import check_query, query_names
from tidings.web.paths import ChannelId, Number
from tidings.web.replay import Replay, Since, Wanted
from tidings.web.routes.operations import make_proxy
from tidings.web.sockets import Line, Socket
from tidings.web.state import Door, State, WebState


async def _strict(websocket: WebSocket) -> None:
    """Refuses a query that says what nobody reads."""
    check_query(websocket.query_params, query_names(websocket.scope["route"].dependant))


router = APIRouter(dependencies=[Depends(_strict)])

# The line of a socket that subscribes.
_LINE: Final = 0
# Codes with which a client closes a socket that it does not mean to come back to.
_GOOD_BYE: Final = (1000, 1001)


async def _accept(websocket: WebSocket) -> None:
    """Accepts a WebSocket, as our subprotocol if the client offers that."""
    offered = websocket.scope.get("subprotocols", ())
    await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)


@router.websocket("/ws")
async def many_lines(websocket: WebSocket, state: State, door: Door) -> None:
    """Many lines on one socket."""
    await _accept(websocket)
    await Socket(state, door, websocket).serve()


@router.websocket("/channels/{channel}/subscribe")
async def subscribe(  # noqa: PLR0913, PLR0917 -- what its path and query have
    websocket: WebSocket,
    state: State,
    door: Door,
    channel: ChannelId,
    wanted: Wanted,
    since: Since,
    name: Annotated[str, Query(max_length=MAX_NAME)] = "",
    window: Annotated[int, Query(ge=1, le=MAX_WINDOW)] = 256,
    after: Annotated[Number | None, Query()] = None,
) -> None:
    """A subscription made for this socket, or resumed by its name; its line is 0.

    With `since` or `after`, a subscription that is new gets what was before first. One without a
    name ends when its client says good-bye, or some time after a cut.
    """
    before = door.views.channel(channel).seq
    known = _known(door, channel, name, wanted)
    command = ObtainProxy(channel, name=name, constraints=(wanted,) if wanted else ())
    proxy = known or await make_proxy(state, door, command)
    socket = Socket(state, door, websocket)
    replay = None
    try:
        connect = Connect(channel, proxy, window=window, again=known is not None)
        line = await socket.connect(_LINE, connect)
        if known is None and not (since is None and after is None):
            replay = Replay(door, channel, wanted, after, since)
            await replay.begin()
        await _accept(websocket)
    except BaseException:
        socket.detach()
        if known is None:
            _end(state, channel, proxy)
        raise
    socket.writer.put(write_frame(ConnectedFrame(_LINE, channel, proxy, name)))
    if replay is None:
        line.ready()
        code = await socket.serve()
    else:
        code = await _serve_from_the_past(socket, line, replay, before)
    if not name and code in _GOOD_BYE:
        _end(state, channel, proxy)


def _known(door: LocalDoor, channel: int, name: str, wanted: Constraint | None) -> int | None:
    """The subscription with this name, or None; refuse one that asks for other events."""
    if not name:
        return None
    try:
        found = door.views.proxy(channel, name)
    except ProxyNotFound:
        return None
    if found.side is not Side.CONSUMER or found.style is not Style.PUSH:
        raise WrongClient(f"{name!r} is no subscription that events are pushed to")
    if wanted is not None and not _asks_for(door, found, wanted):
        raise WrongState(
            f"the subscription {name!r} asks for other events: leave filter and types out, or "
            "take another name"
        )
    return found.id


def _asks_for(door: LocalDoor, proxy: ProxyInfo, given: Constraint) -> bool:
    asked = [
        (one.text, one.event_types)
        for filter in map(door.views.filter, proxy.filters.values())
        if isinstance(filter, FilterInfo)
        for one in filter.constraints.values()
    ]
    return asked == [(given.text, given.event_types)]


def _end(state: WebState, channel: int, proxy: int) -> None:
    state.host.tell(Disconnect(channel, proxy))
    state.lifetimes.forget(channel, proxy)


async def _serve_from_the_past(socket: Socket, line: Line, replay: Replay, before: int) -> int:
    """Serves a socket that gets past events first; the code it was closed with."""
    replaying = asyncio.ensure_future(_replay(socket, line, replay, before))
    try:
        return await socket.serve()
    finally:
        replaying.cancel()
        with suppress(asyncio.CancelledError):
            await replaying


async def _replay(socket: Socket, line: Line, replay: Replay, before: int) -> None:
    # Events that came since it was made may be in the journal, and for the consumer, too.
    both: set[int] = set()
    try:
        async for messages in replay.pages():
            await socket.writer.room()
            line.replay(messages, replay.lost)
            replay.lost = []
            both.update(message.seq for message in messages if message.seq > before)
    except TidingsError as error:
        socket.fail(error)
    else:
        line.ready(both)
