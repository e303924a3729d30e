"""Servant makers by kind of object; they return None for objects that no longer exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidings.channel.vocabulary import Side
from tidings.servants.admins import ConsumerAdminObject, SupplierAdminObject
from tidings.servants.channel import ChannelObject
from tidings.servants.factory import FactoryObject
from tidings.servants.filters import FilterFactoryObject, FilterObject
from tidings.servants.mapping_filters import MappingObject
from tidings.servants.parts import SIDES
from tidings.servants.proxies import make_proxy

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.orb.stubs import Servant
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import CorbaService, ServantMaker


def _factory(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant:
    return FactoryObject(service, door, key)


def _filter_factory(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant:
    return FilterFactoryObject(service, door, key)


def _channel(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    (channel,) = key.ids
    exists = channel in service.host.channels
    return ChannelObject(service, door, key) if exists else None


def _admin(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    channel, number, admin = key.ids
    found = service.host.channels.get(channel)
    side = SIDES[number]
    if found is None or admin not in found.admins[side]:
        return None
    if side is Side.CONSUMER:
        return ConsumerAdminObject(service, door, key)
    return SupplierAdminObject(service, door, key)


def _filter(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    exists = _has_filter(service, key)
    return FilterObject(service, door, key) if exists else None


def _mapping(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    exists = _has_filter(service, key)
    return MappingObject(service, door, key) if exists else None


def _has_filter(service: CorbaService, key: ObjectKey) -> bool:
    (id,) = key.ids
    found = service.host.filters.filters.get(id)
    return found is not None and found.kind == key.kind


MAKERS: Final[dict[str, ServantMaker]] = {
    "factory": _factory,
    "channel": _channel,
    "admin": _admin,
    "proxy": make_proxy,
    "filter": _filter,
    "mapping": _mapping,
    "filter factory": _filter_factory,
}
"""By kind of object (`engine.access.KINDS`)."""
