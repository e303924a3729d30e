"""The factory of plain event channels that tools of omniEvents look for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tidings.channel.management import AddFilter, CreateChannel, CreateFilter
from tidings.channel.vocabulary import Place, Side
from tidings.cos.CosLifeCycle_auto import (
    NVP,
    CannotMeetCriteria,
    InvalidCriteria,
    Key,
    NoFactory,
)
from tidings.cos.CosNaming_auto import NameComponent
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannel_INTERFACE
from tidings.cos.omniEvents_auto import EventChannelFactoryServant
from tidings.engine.access import ObjectKey
from tidings.errors import NameTaken
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.events.reference import Reference
from tidings.filters.constraint import constraint
from tidings.names import new_origin
from tidings.servants.service import ObjectServant

if TYPE_CHECKING:
    from tidings.orb.stubs import Servant
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import CorbaService

__all__ = ["GENERIC_FACTORY", "generic_factory"]

GENERIC_FACTORY: Final = "generic factory"

_WANTED: Final = (NameComponent("EventChannel", "object interface"),)
# How often suppliers are asked is a setting of the service, not of a channel.
_WITHOUT_EFFECT: Final = ("CyclePeriod_ns", "PullRetryPeriod", "PullRetryPeriod_ms")
_NUMBERS: Final = ("MaxQueueLength", "MaxNumProxies")
_TEXTS: Final = ("InsName", "FilterId")
_LARGEST: Final = 2**31 - 1


def generic_factory(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant:
    """The servant of the factory."""
    return GenericFactoryObject(service, door, key)


class GenericFactoryObject(ObjectServant, EventChannelFactoryServant):
    """omniEvents::EventChannelFactory."""

    async def supports(self, k: Key) -> bool:
        """Whether such objects are made here: event channels are."""
        return tuple(k) == _WANTED

    async def create_object(self, k: Key, the_criteria: Sequence[NVP]) -> Reference:
        """Makes an event channel; `InsName` becomes its name and its plain key."""
        if not await self.supports(k):
            raise NoFactory(k)
        given = _read(the_criteria)
        limit = given.get("MaxNumProxies")
        waiting = given.get("MaxQueueLength")
        command = CreateChannel(
            new_origin(),
            {} if waiting is None else {"MaxEventsPerConsumer": Any(tc.LONG, waiting)},
            {}
            if limit is None
            else {"MaxConsumers": Any(tc.LONG, limit), "MaxSuppliers": Any(tc.LONG, limit)},
            str(given.get("InsName", "")),
        )
        try:
            made: int = await self.door.ask(command)
        except NameTaken as error:
            unmet = [one for one in the_criteria if one.name == "InsName"]
            raise CannotMeetCriteria(unmet) from error
        if "FilterId" in given:
            await self._only(made, str(given["FilterId"]))
        return self.reference("channel", (made,), EventChannel_INTERFACE)

    async def _only(self, channel: int, type_id: str) -> None:
        """Lets only events of one type into a channel."""
        quoted = type_id.replace("\\", "\\\\").replace("'", "\\'")
        only = constraint(f"$._repos_id == '{quoted}'")
        filter, _ = await self.door.ask(CreateFilter([only], private=True))
        await self.door.ask(AddFilter(Place(channel, Side.SUPPLIER, 0), filter))


def _read(criteria: Sequence[NVP]) -> dict[str, int | str]:
    """What the criteria ask for.

    Raises:
        InvalidCriteria: Some are unknown or have no fitting value.
    """
    wrong: list[NVP] = []
    found: dict[str, int | str] = {}
    for one in criteria:
        value = one.value.value if isinstance(one.value, Any) else one.value
        if one.name in _WITHOUT_EFFECT:
            continue
        if one.name in _NUMBERS and isinstance(value, int) and 0 <= value <= _LARGEST:
            found[one.name] = value
            continue
        if one.name in _TEXTS and isinstance(value, str) and value:
            found[one.name] = value
            continue
        wrong.append(one)
    if wrong:
        raise InvalidCriteria(wrong)
    return found
