"""What can be changed at admins and proxies alike: properties, event types, filters.

Each function adds routes below the path of one kind of object; `place` finds the object.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Path, Response

from tidings.api.changes import Attached, AttachFilter, Ranges, SetMappingForm, TypesChange
from tidings.api.properties import QoSProperties, properties_in, properties_out
from tidings.channel.management import RemoveAllFilters, RemoveFilter, SetQoS, ValidateQoS
from tidings.channel.qos import Reliability
from tidings.channel.views import AdminInfo, ProxyInfo
from tidings.channel.vocabulary import Place, Side
from tidings.engine.door import LocalDoor
from tidings.web.paths import Number
from tidings.web.routes.answers import CREATED, NOTHING, located
from tidings.web.state import Door, State

_Finder = Callable[..., Awaitable[Place]]


def view_of(door: LocalDoor, place: Place) -> AdminInfo | ProxyInfo:
    """The admin or proxy at a place."""
    if place.proxy is not None:
        return door.views.proxy(place.channel, place.proxy)
    assert place.side is not None
    assert place.admin is not None
    return door.views.admin(place.channel, place.side, place.admin)


def add_property_routes(router: APIRouter, path: str, finder: _Finder) -> None:
    """Adds what is about quality of service and event types."""
    found = Depends(finder)

    @router.patch(f"{path}/qos", summary="Change its quality of service")
    async def set_qos(
        state: State,
        door: Door,
        properties: Annotated[QoSProperties, Body()],
        place: Place = found,
    ) -> QoSProperties:
        """Sets the properties named, all or none; the answer has all of them as they are now."""
        given = properties_in(properties)
        await door.ask(SetQoS(place, given))
        now = view_of(door, place).qos
        if place.proxy is not None and "ConnectionReliability" in given:
            _keep_or_not(state, place.channel, place.proxy, now["ConnectionReliability"])
        return properties_out(now)

    @router.post(f"{path}/qos/validate", summary="Would this quality of service do?")
    async def validate_qos(
        door: Door, properties: Annotated[QoSProperties, Body()], place: Place = found
    ) -> Ranges:
        """Changes nothing; the answer has what else could be set beside these properties."""
        return Ranges.of(await door.ask(ValidateQoS(place, properties_in(properties))))

    @router.patch(f"{path}/types", summary="Change its event types", **NOTHING)
    async def change_types(door: Door, asked: TypesChange, place: Place = found) -> None:
        """Says which event types a supplier's object offers, or a consumer's asks for."""
        side: Side = view_of(door, place).side
        await door.ask(asked.to_command(place, side))


def _keep_or_not(state: State, channel: int, proxy: int, reliability: int) -> None:
    """A proxy that was made to last does not end by itself."""
    if reliability == Reliability.PERSISTENT:
        state.lifetimes.forget(channel, proxy)


def add_filter_routes(router: APIRouter, path: str, finder: _Finder) -> None:
    """Adds what is about filters and mapping filters."""
    found = Depends(finder)

    @router.post(f"{path}/filters", summary="Attach a filter", status_code=201, responses=CREATED)
    async def attach(
        door: Door, asked: AttachFilter, response: Response, place: Place = found
    ) -> Attached:
        """Attaches a filter; of all that are attached, one must let an event pass."""
        id = await door.ask(asked.to_command(place))
        located(response, *_parts(place), "filters", id)
        return Attached(attachment=id)

    @router.delete(f"{path}/filters", summary="Take all filters off", **NOTHING)
    async def detach_all(door: Door, place: Place = found) -> None:
        """Takes all attached filters off; then every event passes."""
        await door.ask(RemoveAllFilters(place))

    @router.delete(f"{path}/filters/{{attachment}}", summary="Take a filter off", **NOTHING)
    async def detach(
        door: Door,
        attachment: Annotated[Number, Path(description="The attachment's id.", examples=[1])],
        place: Place = found,
    ) -> None:
        """Takes one attached filter off."""
        await door.ask(RemoveFilter(place, attachment))

    @router.put(f"{path}/mappings/{{purpose}}", summary="Give it a mapping filter", **NOTHING)
    async def set_mapping(
        door: Door,
        purpose: Annotated[
            Literal["priority", "lifetime"],
            Path(description="What the filter maps events to.", examples=["priority"]),
        ],
        asked: SetMappingForm,
        place: Place = found,
    ) -> None:
        """Gives a consumer's object a mapping filter for priorities or lifetimes, or none."""
        await door.ask(asked.to_command(place, purpose))


def _parts(place: Place) -> tuple[Any, ...]:
    if place.proxy is not None:
        return "channels", place.channel, "proxies", place.proxy
    assert place.side is not None
    return "channels", place.channel, "admins", place.side.value, place.admin
