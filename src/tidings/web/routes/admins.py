"""Admins: the parents of proxies with something in common."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter, Response

from tidings.api.objects import Admin, Admins, NewAdmin
from tidings.channel.management import DestroyAdmin
from tidings.channel.views import AdminInfo
from tidings.channel.vocabulary import Side
from tidings.engine.door import LocalDoor
from tidings.engine.turns import Turns
from tidings.web.bodies import StrictRoute
from tidings.web.looking import listed
from tidings.web.paths import AdminPlace, ChannelId, admin_place
from tidings.web.routes.answers import CREATED, NOTHING, located
from tidings.web.routes.places import add_filter_routes, add_property_routes, view_of
from tidings.web.state import Door

router = APIRouter(tags=["admins"], route_class=StrictRoute)

_ADMIN = "/channels/{channel}/admins/{side}/{admin}"


async def admins_of(door: LocalDoor, channel: int) -> AsyncIterator[AdminInfo]:
    """All admins of a channel, one by one."""
    turns, found = Turns(), door.views.channel(channel)
    for side, ids in (
        (Side.SUPPLIER, found.supplier_admins),
        (Side.CONSUMER, found.consumer_admins),
    ):
        for id in ids:
            yield door.views.admin(channel, side, id)
            await turns.give()


@router.get("/channels/{channel}/admins", summary="All admins", response_model=Admins)
async def list_admins(door: Door, channel: ChannelId) -> Response:
    """All admins of a channel as they are now, those for suppliers first."""
    return listed("admins", admins_of(door, channel), Admin.of)


@router.post(
    "/channels/{channel}/admins", summary="Make an admin", status_code=201, responses=CREATED
)
async def make_admin(door: Door, channel: ChannelId, asked: NewAdmin, response: Response) -> Admin:
    """Makes an admin; its proxies share its quality of service, event types and filters."""
    id = await door.ask(asked.to_command(channel))
    located(response, "channels", channel, "admins", asked.side, id)
    return Admin.of(door.views.admin(channel, Side(asked.side), id))


@router.get(_ADMIN, summary="One admin")
async def see_admin(door: Door, place: AdminPlace) -> Admin:
    """An admin as it is now."""
    found = view_of(door, place)
    assert isinstance(found, AdminInfo)
    return Admin.of(found)


@router.delete(_ADMIN, summary="End an admin", **NOTHING)
async def end_admin(door: Door, place: AdminPlace) -> None:
    """Ends an admin and its proxies; a default admin (id 0) begins anew."""
    assert place.side is not None
    assert place.admin is not None
    await door.ask(DestroyAdmin(place.channel, place.side, place.admin))


add_property_routes(router, _ADMIN, admin_place)
add_filter_routes(router, _ADMIN, admin_place)
