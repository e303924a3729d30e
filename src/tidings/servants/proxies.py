"""Which servant a proxy has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidings.orb.stubs import Servant
from tidings.servants import proxies_for_consumers as consumers
from tidings.servants import proxies_for_suppliers as suppliers
from tidings.servants.clients import kind_of
from tidings.servants.proxy_parts import ProxyPart

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.servants.door import GatheringDoor
    from tidings.servants.service import CorbaService

_SERVANTS: Final[tuple[type[ProxyPart], ...]] = (
    suppliers.AnyPushConsumer,
    suppliers.AnyPullConsumer,
    suppliers.StructuredPushConsumer,
    suppliers.StructuredPullConsumer,
    suppliers.SequencePushConsumer,
    suppliers.SequencePullConsumer,
    suppliers.EventPushConsumer,
    suppliers.EventPullConsumer,
    consumers.AnyPushSupplier,
    consumers.AnyPullSupplier,
    consumers.StructuredPushSupplier,
    consumers.StructuredPullSupplier,
    consumers.SequencePushSupplier,
    consumers.SequencePullSupplier,
    consumers.EventPushSupplier,
    consumers.EventPullSupplier,
)
# By what the client must be: that tells all kinds of proxies apart.
_BY_CLIENT: Final = {servant.CLIENT.interface.id: servant for servant in _SERVANTS}


def make_proxy(service: CorbaService, door: GatheringDoor, key: ObjectKey) -> Servant | None:
    """The servant of a proxy; None if there is no such proxy."""
    channel, id = key.ids
    found = service.host.channels.get(channel)
    proxy = None if found is None else found.proxies.get(id)
    if proxy is None:
        return None
    made = _BY_CLIENT[kind_of(proxy).interface.id](service, door, key)
    assert isinstance(made, Servant)
    return made
