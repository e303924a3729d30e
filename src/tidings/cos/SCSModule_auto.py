"""What SCSModule.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosTrading_auto as _CosTrading

_here: _g.Final = _g.Types(globals(), _CosTrading._here)

InvalidIDL_TYPE: _g.Final = _tc.exception("IDL:SCSModule/InvalidIDL:1.0", "InvalidIDL", [("why", _tc.STRING)])
RepositoryIdSeq_TYPE: _g.Final = _tc.alias("IDL:SCSModule/RepositoryIdSeq:1.0", "RepositoryIdSeq", _tc.sequence(_tc.STRING))
SCS_TYPE: _g.Final = _tc.objref("IDL:SCSModule/SCS:1.0", "SCS")

class InvalidIDL(_g.UserException, types=_here, type=InvalidIDL_TYPE):
    why: str

RepositoryIdSeq: _g.TypeAlias = "_g.Sequence[str]"

SCS_INTERFACE: _g.Final = _here.interface(SCS_TYPE, "SCSModule::SCS", (),
    _here.operation("modifyServiceOffer_NewType",
        takes={"oldOfferId": _CosTrading.OfferId_TYPE, "newOffer": _CosTrading.Register_OfferInfo_TYPE, "withdrawOldOffer": _tc.BOOLEAN},
        gives={"": _CosTrading.OfferId_TYPE},
        raises=(_CosTrading.Register_InvalidObjectRef, _CosTrading.Register_InterfaceTypeMismatch, _CosTrading.IllegalServiceType, _CosTrading.UnknownServiceType, _CosTrading.IllegalPropertyName, _CosTrading.PropertyTypeMismatch, _CosTrading.ReadonlyDynamicProperty, _CosTrading.MissingMandatoryProperty, _CosTrading.DuplicatePropertyName, _CosTrading.IllegalOfferId, _CosTrading.UnknownOfferId, _CosTrading.Register_ProxyOfferId, )),
    _here.operation("load_idl", takes={"idl": _tc.STRING}, gives={"": RepositoryIdSeq_TYPE}, raises=(InvalidIDL, )),
    _here.operation("_get_publisherManager_if", gives={"": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        method="get_publisherManager_if"),
    _here.operation("_get_subscriberManager_if", gives={"": _tc.objref("IDL:omg.org/CORBA/Object:1.0", "Object")},
        method="get_subscriberManager_if"))
class _SCS_methods:
    async def modifyServiceOffer_NewType(self, oldOfferId: _CosTrading.OfferId, newOffer: _CosTrading.Register_OfferInfo, withdrawOldOffer: bool) -> _CosTrading.OfferId: ...
    async def load_idl(self, idl: str) -> RepositoryIdSeq: ...
    async def get_publisherManager_if(self) -> _g.Reference: ...
    async def get_subscriberManager_if(self) -> _g.Reference: ...
class SCS(_SCS_methods, _g.Stub, of=SCS_INTERFACE): ...
class SCSServant(_SCS_methods, _g.Servant, of=SCS_INTERFACE): ...
