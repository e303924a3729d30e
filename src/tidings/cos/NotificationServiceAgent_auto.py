"""What NotificationServiceAgent.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosEventChannelAdmin_auto as _CosEventChannelAdmin
from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification
from tidings.cos import CosNotifyChannelAdmin_auto as _CosNotifyChannelAdmin
from tidings.cos import CosNotifyComm_auto as _CosNotifyComm
from tidings.cos import CosNotifyFilter_auto as _CosNotifyFilter
from tidings.cos import CosTrading_auto as _CosTrading
from tidings.cos import SCSModule_auto as _SCSModule

_here: _g.Final = _g.Types(globals(), _CosEventChannelAdmin._here, _CosEventComm._here, _CosNotification._here, _CosNotifyChannelAdmin._here, _CosNotifyComm._here, _CosNotifyFilter._here, _CosTrading._here, _SCSModule._here)

Agent_TYPE: _g.Final = _tc.objref("IDL:NotificationServiceAgent/NotificationServiceAgent:1.0", "Agent")

Agent_INTERFACE: _g.Final = _here.interface(Agent_TYPE, "NotificationServiceAgent::Agent", (),
    _here.operation("getECF", gives={"": _CosNotifyChannelAdmin.EventChannelFactory_TYPE}),
    _here.operation("getFF", gives={"": _CosNotifyFilter.FilterFactory_TYPE}),
    _here.operation("getProperty", takes={"name": _tc.STRING}, gives={"": _tc.STRING}),
    _here.operation("getTrader", gives={"": _CosTrading.Lookup_TYPE}),
    _here.operation("getServiceChanges", gives={"": _SCSModule.SCS_TYPE}),
    _here.operation("issueReference",
        takes={"for_object": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object"), "principal": _tc.STRING, "label": _tc.STRING, "seconds": _tc.ULONG},
        gives={"": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object"), "credential": _tc.ULONG}))
class _Agent_methods:
    async def getECF(self) -> _g.Reference: ...
    async def getFF(self) -> _g.Reference: ...
    async def getProperty(self, name: str) -> str: ...
    async def getTrader(self) -> _g.Reference: ...
    async def getServiceChanges(self) -> _g.Reference: ...
    async def issueReference(self, for_object: _g.Reference, principal: str, label: str, seconds: int) -> tuple[_g.Reference, int]: ...
class Agent(_Agent_methods, _g.Stub, of=Agent_INTERFACE): ...
class AgentServant(_Agent_methods, _g.Servant, of=Agent_INTERFACE): ...
