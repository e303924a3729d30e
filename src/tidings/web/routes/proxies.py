"""Proxies: what clients are connected to. A subscription is a proxy for a consumer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Response

from tidings.api.changes import KnownTypes, KnownTypesForm, Ranges
from tidings.api.new_proxy import NewProxy
from tidings.api.objects import Proxies, Proxy
from tidings.api.properties import EventProperties, properties_in
from tidings.channel.management import (
    AddFilter,
    Connect,
    DestroyFilter,
    Disconnect,
    ObtainProxy,
    Resume,
    Suspend,
    ValidateEventQoS,
)
from tidings.channel.qos import Reliability
from tidings.channel.vocabulary import Place
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import QuietEndpoint
from tidings.errors import TidingsError
from tidings.web.bodies import StrictRoute
from tidings.web.looking import listed, proxies
from tidings.web.paths import ChannelId, ProxyId, ProxyPlace, proxy_place
from tidings.web.routes.answers import CREATED, NOTHING, located
from tidings.web.routes.places import add_filter_routes, add_property_routes
from tidings.web.state import Door, State, WebState, made_of

router = APIRouter(tags=["proxies"], route_class=StrictRoute)

_PROXY = "/channels/{channel}/proxies/{proxy}"
_RELIABILITY = "ConnectionReliability"


@router.get("/channels/{channel}/proxies", summary="All proxies", response_model=Proxies)
async def list_proxies(door: Door, channel: ChannelId) -> Response:
    """All proxies of a channel as they are now."""
    return listed("proxies", proxies(door, channel), Proxy.of)


@router.post(
    "/channels/{channel}/proxies", summary="Make a proxy", status_code=201, responses=CREATED
)
async def obtain_proxy(
    state: State, door: Door, channel: ChannelId, asked: NewProxy, response: Response
) -> Proxy:
    """Makes a proxy with its filter and event types, all or nothing.

    Events wait for a new consumer's proxy from now on, until a socket takes them or they are
    pulled; to take the proxy over, a socket connects `again`.

    A proxy without a name does not outlive the service, and ends some time after its last
    connection, pull or push, unless it is given the ConnectionReliability Persistent.
    """
    id = await make_proxy(state, door, channel, asked)
    located(response, "channels", channel, "proxies", id)
    return Proxy.of(door.views.proxy(channel, id))


async def make_proxy(state: WebState, door: LocalDoor, channel: int, asked: NewProxy) -> int:
    """Makes a proxy as the web door does: all or nothing, and one without a name not for ever.

    Returns:
        Its id.

    Raises:
        TidingsError: It cannot be made so; nothing is left of it.
    """
    command, lasts = _with_reliability(asked.to_command(channel))
    wanted = await made_of(state, asked.constraints, asked.to_filter)
    asked.to_types(Place(channel))  # what is wrong with them shows before anything is made
    filter = proxy = None
    try:
        proxy = await door.ask(command)
        place = Place(channel, proxy=proxy)
        if wanted is not None:
            filter, _ = await door.ask(wanted)
            await door.ask(AddFilter(place, filter))
        types = asked.to_types(place)
        if types is not None:
            await door.ask(types)
        if asked.keep and asked.side == "consumer":
            await _connect_nobody(door, channel, proxy)
    except BaseException:
        _undo(door, channel, proxy, filter)
        raise
    if not (asked.name or lasts):
        state.lifetimes.begin(channel, proxy)
    found: int = proxy
    return found


async def _connect_nobody(door: LocalDoor, channel: int, proxy: int) -> None:
    """Events are for proxies that are connected: this one is, and cut off at once."""
    nobody = QuietEndpoint()
    await door.connect(Connect(channel, proxy, notices=False), nobody)
    await door.release(channel, proxy, nobody, end=False)


def _with_reliability(command: ObtainProxy) -> tuple[ObtainProxy, bool]:
    """What is asked for, and whether it was asked to last."""
    qos: dict[str, Any] = dict(command.qos)
    given = qos.get(_RELIABILITY)
    lasts = getattr(given, "value", given) == Reliability.PERSISTENT
    if command.name or command.bare or _RELIABILITY in qos:
        return command, lasts
    qos[_RELIABILITY] = Reliability.BEST_EFFORT.value
    return replace(command, qos=qos), lasts


def _undo(door: LocalDoor, channel: int, proxy: int | None, filter: int | None) -> None:
    with suppress(TidingsError):
        if proxy is not None:
            door.tell(Disconnect(channel, proxy))
        if filter is not None:
            door.tell(DestroyFilter(filter))


@router.get(_PROXY, summary="One proxy")
async def see_proxy(door: Door, channel: ChannelId, proxy: ProxyId) -> Proxy:
    """A proxy as it is now: what waits for it, what is in flight, what became of the rest."""
    return Proxy.of(door.views.proxy(channel, proxy))


@router.delete(_PROXY, summary="End a proxy", **NOTHING)
async def end_proxy(state: State, door: Door, channel: ChannelId, proxy: ProxyId) -> None:
    """Ends a proxy; what waits for it is lost."""
    await door.ask(Disconnect(channel, proxy))
    state.lifetimes.forget(channel, proxy)


@router.post(f"{_PROXY}/suspend", summary="Pause", **NOTHING)
async def suspend(door: Door, channel: ChannelId, proxy: ProxyId) -> None:
    """Stops delivery to a push consumer, or asking of a pull supplier; events wait."""
    await door.ask(Suspend(channel, proxy))


@router.post(f"{_PROXY}/resume", summary="Go on", **NOTHING)
async def resume(door: Door, channel: ChannelId, proxy: ProxyId) -> None:
    """Goes on after a pause."""
    await door.ask(Resume(channel, proxy))


@router.post(f"{_PROXY}/known-types", summary="Which event types are offered or wanted?")
async def known_types(
    door: Door, channel: ChannelId, proxy: ProxyId, asked: KnownTypesForm
) -> KnownTypes:
    """Asked at a consumer's proxy: what is offered; at a supplier's: what is wanted.

    The mode says, too, whether the client is told of later changes.
    """
    return KnownTypes.of(await door.ask(asked.to_command(channel, proxy)))


@router.post(f"{_PROXY}/event-qos/validate", summary="Could an event carry this?")
async def validate_event_qos(
    door: Door, place: ProxyPlace, properties: Annotated[EventProperties, Body()]
) -> Ranges:
    """Changes nothing; the answer has what else an event's header could carry through here."""
    assert place.proxy is not None
    command = ValidateEventQoS(place.channel, place.proxy, properties_in(properties))
    return Ranges.of(await door.ask(command))


add_property_routes(router, _PROXY, proxy_place)
add_filter_routes(router, _PROXY, proxy_place)
