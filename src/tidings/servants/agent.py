"""The agent: gives access to both factories and to the service's settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tidings.cos.CosNotifyChannelAdmin_auto import EventChannelFactory_INTERFACE
from tidings.cos.CosNotifyFilter_auto import FilterFactory_INTERFACE
from tidings.cos.NotificationServiceAgent_auto import AgentServant
from tidings.engine.access import ObjectKey
from tidings.events.reference import Reference

if TYPE_CHECKING:
    from tidings.engine.door import LocalDoor
    from tidings.orb.stubs import Servant
    from tidings.servants.service import CorbaService

AGENT: Final = "agent"


@dataclass(frozen=True, slots=True)
class Agents:
    """Factory of the agent's servant; `properties` returns the current settings by client name."""

    properties: Callable[[], Mapping[str, str]]

    def __call__(self, service: CorbaService, door: LocalDoor, key: ObjectKey) -> Servant:
        """Return the servant of the agent."""
        return AgentObject(service, key, self.properties)


class AgentObject(AgentServant):
    """NotificationServiceAgent::Agent."""

    def __init__(
        self,
        service: CorbaService,
        key: ObjectKey,
        properties: Callable[[], Mapping[str, str]],
    ) -> None:
        self._service = service
        self._key = key
        self._properties = properties

    async def getECF(self) -> Reference:
        """Return the factory of channels."""
        key = ObjectKey("factory", (), self._key.grant)
        return self._service.reference(key, EventChannelFactory_INTERFACE)

    async def getFF(self) -> Reference:
        """Return the factory of filters."""
        key = ObjectKey("filter factory", (), self._key.grant)
        return self._service.reference(key, FilterFactory_INTERFACE)

    async def getProperty(self, name: str) -> str:
        """Return a setting, or an empty string if unknown; the name may carry a prefix."""
        properties = self._properties()
        found = properties.get(name)
        return properties.get(name.rpartition(".")[2], "") if found is None else found
