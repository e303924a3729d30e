"""The factory of plain event channels that omniEvents tools look for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

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
from tidings.cos.omniEvents_auto import EventChannelFactory_INTERFACE, EventChannelFactoryServant
from tidings.errors import BadInput, InvalidUsage, NameTaken
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.reference import Reference
from tidings.filters.constraint import Constraint, constraint
from tidings.names import new_origin
from tidings.orb.stubs import Interface
from tidings.servants.service import ObjectServant

GENERIC_FACTORY: Final = "generic factory"

_WANTED: Final = (NameComponent("EventChannel", "object interface"),)
# The polling interval of suppliers is a setting of the service, not of a channel.
_WITHOUT_EFFECT: Final = ("CyclePeriod_ns", "PullRetryPeriod", "PullRetryPeriod_ms")
_NUMBERS: Final = ("MaxQueueLength", "MaxEventsPerConsumer", "MaxNumProxies")
_TEXTS: Final = ("InsName", "FilterId")
_LARGEST: Final = 2**31 - 1


# The factory's name before omniEvents 2.6: clients of that time narrow to it.
_OLD: Final = Interface(
    "IDL:EventChannelAdmin/EventChannelFactory:1.0",
    "EventChannelAdmin::EventChannelFactory",
    EventChannelFactory_INTERFACE.bases,
    EventChannelFactory_INTERFACE.operations,
)


class GenericFactoryObject(ObjectServant, EventChannelFactoryServant):
    """omniEvents::EventChannelFactory."""

    INTERFACE = replace(EventChannelFactory_INTERFACE, bases=(_OLD,))

    async def supports(self, k: Key) -> bool:
        """Return whether the factory makes such objects: event channels only."""
        self.service.host.access.require_known(self.door.principal, None)
        return tuple(k) == _WANTED

    async def create_object(self, k: Key, the_criteria: Sequence[NVP]) -> Reference:
        """Create an event channel; `InsName` becomes its name and its plain key."""
        if not await self.supports(k):
            raise NoFactory(k)
        given = _read(the_criteria)
        only = _only(the_criteria, given)
        limit = given.get("MaxNumProxies")
        waiting = given.get("MaxEventsPerConsumer") or given.get("MaxQueueLength")
        qos = _limits(waiting, "MaxEventsPerConsumer")
        admin = _limits(limit, "MaxConsumers", "MaxSuppliers")
        command = CreateChannel(new_origin(), qos, admin, str(given.get("InsName", "")))
        try:
            made: int = await self.door.ask(command)
        except NameTaken as error:
            raise CannotMeetCriteria(_named(the_criteria, "InsName")) from error
        except InvalidUsage as error:  # only the name can still be wrong here
            raise InvalidCriteria(_named(the_criteria, "InsName")) from error
        if only is not None:
            filter, _ = await self.door.ask(CreateFilter([only], private=True))
            await self.door.ask(AddFilter(Place(made, Side.SUPPLIER, 0), filter))
        return self.reference("channel", (made,), EventChannel_INTERFACE)


def _limits(value: int | str | None, *names: str) -> dict[str, Any]:
    return {} if value is None else {name: Any(tc.LONG, value) for name in names}


def _named(criteria: Sequence[NVP], name: str) -> list[NVP]:
    return [one for one in criteria if one.name == name]


def _only(criteria: Sequence[NVP], given: dict[str, int | str]) -> Constraint | None:
    """Return a constraint for the requested event type, or None for all types."""
    if "FilterId" not in given:
        return None
    quoted = str(given["FilterId"]).replace("\\", "\\\\").replace("'", "\\'")
    try:
        return constraint(f"$._repos_id == '{quoted}'")
    except BadInput as error:
        raise InvalidCriteria(_named(criteria, "FilterId")) from error


def _read(criteria: Sequence[NVP]) -> dict[str, int | str]:
    """Read the criteria; raise InvalidCriteria if one is unknown or has an invalid value."""
    wrong: list[NVP] = []
    found: dict[str, int | str] = {}
    for one in criteria:
        value = one.value.value if isinstance(one.value, Any) else one.value
        if one.name in _WITHOUT_EFFECT:
            continue
        if one.name in _NUMBERS and type(value) is int and 0 <= value <= _LARGEST:
            found[one.name] = value
            continue
        if one.name in _TEXTS and isinstance(value, str) and value:
            found[one.name] = value
            continue
        wrong.append(one)
    if wrong:
        raise InvalidCriteria(wrong)
    return found
