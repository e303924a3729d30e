"""What a person can pick: service types, and the services that are offered."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from tidings.changes.interfaces import SeeInterface
from tidings.changes.model import ServiceDescription, ServiceTypeDescription
from tidings.client.client import Client
from tidings.errors import NotFound, UnknownOfferId
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_values import value_to_plain
from tidings.events.typetext import describe
from tidings.trader.model import ServiceType
from tidings.trader.requests import (
    OfferInfo,
    SeeFullServiceType,
    SeeOffer,
    SeeOffers,
    SeeServiceTypes,
)

MOST_OFFERS: Final = 500


async def see_services(client: Client) -> dict[str, Any]:
    """Return all service types and the first offers."""
    types = await client.transport.request(SeeServiceTypes())
    offers = await client.transport.request(SeeOffers(0, MOST_OFFERS))
    return {"types": [_type_shown(one) for one in types], "offers": [_shown(one) for one in offers]}


def _type_shown(one: ServiceType) -> dict[str, Any]:
    return {
        "name": one.name,
        "interface": one.interface,
        "super_types": list(one.super_types),
        "properties": [
            {
                "name": each.name,
                "value_type": describe(each.value_type),
                "mode": each.mode.name.lower(),
            }
            for each in one.properties
        ],
    }


def _shown(one: OfferInfo) -> dict[str, Any]:
    properties = {name: value_to_plain(value) for name, value in one.properties.items()}
    return {"id": one.id, "type": one.type, "reference": one.reference, "properties": properties}


async def see_service(client: Client, offer: str) -> ServiceDescription:
    """Return the service behind an offer, or raise UnknownOfferId."""
    if not offer:
        raise UnknownOfferId("choose the offer of the service that changes")
    found = await client.transport.request(SeeOffer(offer))
    return await describe_service(client, found.type, found.properties, found.reference)


async def describe_service(
    client: Client, type: str, properties: Mapping[str, Value], reference: str
) -> ServiceDescription:
    """Return a service with the full description of its type."""
    full = await client.transport.request(SeeFullServiceType(type))
    idl = ""
    with suppress(NotFound):
        idl = (await client.transport.request(SeeInterface(full.interface))).text
    described = ServiceTypeDescription(
        full.name, full.super_types, full.properties, full.interface, idl
    )
    return ServiceDescription(described, properties, reference)
