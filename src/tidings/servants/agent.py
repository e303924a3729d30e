"""The agent: the way to both factories, and to how the service is set."""

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
    """Makes the agent.

    Attributes:
        properties: Tells how the service is set now, by the names clients ask with.
    """

    properties: Callable[[], Mapping[str, str]]

    def __call__(self, service: CorbaService, door: LocalDoor, key: ObjectKey) -> Servant:
        """The servant of the agent."""
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
        """The factory of channels."""
        key = ObjectKey("factory", (), self._key.grant)
        return self._service.reference(key, EventChannelFactory_INTERFACE)

    async def getFF(self) -> Reference:
        """The factory of filters."""
        key = ObjectKey("filter factory", (), self._key.grant)
        return self._service.reference(key, FilterFactory_INTERFACE)

    async def getProperty(self, name: str) -> str:
        """How something is set; empty if there is no such property.

        A name may stand with a prefix, as in the properties file.
        """
        properties = self._properties()
        found = properties.get(name)
        return properties.get(name.rpartition(".")[2], "") if found is None else found
