"""What omniEvents.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosLifeCycle_auto as _CosLifeCycle
from tidings.cos import CosNaming_auto as _CosNaming

_here: _g.Final = _g.Types(globals(), _CosLifeCycle._here, _CosNaming._here)

EventChannelFactory_TYPE: _g.Final = _tc.objref("IDL:omni/omniEvents/EventChannelFactory:1.0", "EventChannelFactory")

EventChannelFactory_INTERFACE: _g.Final = _here.interface(EventChannelFactory_TYPE, "omniEvents::EventChannelFactory",
        (_CosLifeCycle.GenericFactory_INTERFACE, ))
class _EventChannelFactory_methods: ...
class EventChannelFactory(_EventChannelFactory_methods, _CosLifeCycle.GenericFactory, of=EventChannelFactory_INTERFACE): ...
class EventChannelFactoryServant(_EventChannelFactory_methods, _CosLifeCycle.GenericFactoryServant, of=EventChannelFactory_INTERFACE): ...
