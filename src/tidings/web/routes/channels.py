"""Channels: made, seen, changed and ended."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Response

from tidings.api.changes import AdvertisementForm, Highest, Ranges
from tidings.api.model import pattern_out
from tidings.api.objects import Channel, Channels, NewChannel
from tidings.api.properties import AdminProperties, QoSProperties, properties_in, properties_out
from tidings.api.trails import DryRunForm, TrailForm
from tidings.channel.management import DestroyChannel, SetAdminProperties, SetQoS, ValidateQoS
from tidings.channel.vocabulary import Place
from tidings.engine.turns import Turns
from tidings.names import new_origin
from tidings.web.bodies import StrictRoute
from tidings.web.looking import channels, listed
from tidings.web.paths import ChannelId, part
from tidings.web.routes.answers import CREATED, NOTHING, located
from tidings.web.state import Door

router = APIRouter(tags=["channels"], route_class=StrictRoute)


@router.get("/channels", summary="All channels", response_model=Channels)
async def list_channels(door: Door) -> Response:
    """All channels as they are now."""
    return listed("channels", channels(door), Channel.of)


@router.post("/channels", summary="Make a channel", status_code=201, responses=CREATED)
async def make_channel(door: Door, asked: NewChannel, response: Response) -> Channel:
    """Makes a channel; its name, if it has one, must be free."""
    id = await door.ask(asked.to_command(new_origin()))
    located(response, "channels", id)
    return Channel.of(door.views.channel(id))


@router.get("/channels/{channel}", summary="One channel")
async def see_channel(door: Door, channel: ChannelId) -> Channel:
    """A channel as it is now."""
    return Channel.of(door.views.channel(channel))


@router.delete("/channels/{channel}", summary="End a channel", **NOTHING)
async def end_channel(door: Door, channel: ChannelId) -> None:
    """Ends a channel and everything in it; events that wait there are lost."""
    await door.ask(DestroyChannel(channel))


@router.patch("/channels/{channel}/qos", summary="Change its quality of service")
async def set_qos(
    door: Door, channel: ChannelId, properties: Annotated[QoSProperties, Body()]
) -> QoSProperties:
    """Sets the properties named, all or none; the answer has all of them as they are now."""
    await door.ask(SetQoS(Place(channel), properties_in(properties)))
    return properties_out(door.views.channel(channel).qos)


@router.post("/channels/{channel}/qos/validate", summary="Would this quality of service do?")
async def validate_qos(
    door: Door, channel: ChannelId, properties: Annotated[QoSProperties, Body()]
) -> Ranges:
    """Changes nothing; the answer has what else could be set beside these properties."""
    return Ranges.of(await door.ask(ValidateQoS(Place(channel), properties_in(properties))))


@router.patch("/channels/{channel}/admin-properties", summary="Change its admin properties")
async def set_admin_properties(
    door: Door, channel: ChannelId, properties: Annotated[AdminProperties, Body()]
) -> AdminProperties:
    """Sets the properties named, all or none; the answer has all of them as they are now."""
    await door.ask(SetAdminProperties(channel, properties_in(properties)))
    return properties_out(door.views.channel(channel).admin)


@router.get(
    "/channels/{channel}/types",
    summary="What is offered and wanted",
    response_model=AdvertisementForm,
)
async def see_types(door: Door, channel: ChannelId) -> Response:
    """Event types that suppliers say they will send and consumers ask for, and who does."""
    found, turns = door.views.advertisement(channel), Turns()
    offers: dict[str, list[Any]] = {}
    for who, types in found.offers.items():
        offers[who] = [pattern_out(one) for one in types]
        await turns.give()
    wants: dict[int, list[Any]] = {}
    for proxy, types in found.wants.items():
        wants[proxy] = [pattern_out(one) for one in types]
        await turns.give()
    shown = AdvertisementForm(
        offered=[pattern_out(one) for one in found.offered],
        wanted=[pattern_out(one) for one in found.wanted],
        offers=offers,
        wants=wants,
    )
    return Response(shown.model_dump_json(), media_type="application/json")


@router.post("/channels/{channel}/dry-run", summary="What would become of an event?")
async def dry_run(door: Door, channel: ChannelId, asked: DryRunForm) -> TrailForm:
    """Each stage, verdict and reason; nothing is changed and nobody gets the event."""
    return TrailForm.of(await door.ask(asked.to_command(channel)))


@router.get("/channels/{channel}/producers/{producer}", summary="How far a producer has come")
async def see_producer(
    door: Door,
    channel: ChannelId,
    producer: Annotated[
        str,
        Path(
            min_length=1,
            description="What the producer calls itself (percent-encoded).",
            examples=["till-3"],
        ),
    ],
) -> Highest:
    """The highest number its accepted events had: where it goes on after a restart."""
    return Highest(highest=door.views.highest_number(channel, part(producer)))
