"""What Advertising.idl declares. Generated from it; changes belong there."""

# ruff: noqa
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from tidings.events import typecode as _tc
from tidings.orb import generated as _g
from tidings.cos import CosEventChannelAdmin_auto as _CosEventChannelAdmin
from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification
from tidings.cos import CosNotifyChannelAdmin_auto as _CosNotifyChannelAdmin
from tidings.cos import CosNotifyComm_auto as _CosNotifyComm
from tidings.cos import CosNotifyFilter_auto as _CosNotifyFilter

_here: _g.Final = _g.Types(globals(), _CosEventChannelAdmin._here, _CosEventComm._here, _CosNotification._here, _CosNotifyChannelAdmin._here, _CosNotifyComm._here, _CosNotifyFilter._here)

Offer_TYPE: _g.Final = _tc.struct("IDL:tidings/Advertising/Offer:1.0", "Offer", [
    ("proxy_id", _CosNotifyChannelAdmin.ProxyID_TYPE), ("admin_id", _CosNotifyChannelAdmin.AdminID_TYPE)])
OfferSeq_TYPE: _g.Final = _tc.alias("IDL:tidings/Advertising/OfferSeq:1.0", "OfferSeq", _tc.sequence(Offer_TYPE))
Listener_TYPE: _g.Final = _tc.objref("IDL:tidings/Advertising/Listener:1.0", "Listener")
Advertiser_TYPE: _g.Final = _tc.objref("IDL:tidings/Advertising/Advertiser:1.0", "Advertiser")

class Offer(_g.NamedTuple):
    """struct Advertising::Offer"""
    proxy_id: _CosNotifyChannelAdmin.ProxyID
    admin_id: _CosNotifyChannelAdmin.AdminID
read_Offer: _g.Reads[Offer] = _here.reads(Offer_TYPE)
write_Offer: _g.Writes[Offer] = _here.writes(Offer_TYPE)

OfferSeq: _g.TypeAlias = "_g.Sequence[Offer]"
read_OfferSeq: _g.Reads[OfferSeq] = _here.reads(OfferSeq_TYPE)
write_OfferSeq: _g.Writes[OfferSeq] = _here.writes(OfferSeq_TYPE)

Listener_INTERFACE: _g.Final = _here.interface(
    Listener_TYPE, "Advertising::Listener",
        (_CosNotifyComm.NotifyPublish_INTERFACE, _CosNotifyComm.NotifySubscribe_INTERFACE, ),
)

class Listener(_CosNotifyComm.NotifyPublish, _CosNotifyComm.NotifySubscribe):
    """interface Advertising::Listener"""
    __slots__ = ()
    INTERFACE = Listener_INTERFACE

class ListenerServant(_CosNotifyComm.NotifyPublishServant, _CosNotifyComm.NotifySubscribeServant):
    """interface Advertising::Listener"""
    INTERFACE = Listener_INTERFACE

Advertiser_INTERFACE: _g.Final = _here.interface(
    Advertiser_TYPE, "Advertising::Advertiser", (),
    _here.operation("offered_types", gives={"": _CosNotification.EventTypeSeq_TYPE}),
    _here.operation("subscribed_types", gives={"": _CosNotification.EventTypeSeq_TYPE}),
    _here.operation("offers_of", takes={"pattern": _CosNotification.EventType_TYPE}, gives={"": OfferSeq_TYPE},
        raises=(_CosNotifyComm.InvalidEventType, )),
    _here.operation("attach", takes={"callback": Listener_TYPE}, gives={"": _CosNotifyFilter.CallbackID_TYPE}),
    _here.operation("detach", takes={"id": _CosNotifyFilter.CallbackID_TYPE}, raises=(_CosNotifyFilter.CallbackNotFound, )),
)

class Advertiser(_g.Stub):
    """interface Advertising::Advertiser"""
    __slots__ = ()
    INTERFACE = Advertiser_INTERFACE
    async def offered_types(self) -> _CosNotification.EventTypeSeq: return await self._call("offered_types")
    async def subscribed_types(self) -> _CosNotification.EventTypeSeq: return await self._call("subscribed_types")
    async def offers_of(self, pattern: _CosNotification.EventType) -> OfferSeq:
        return await self._call("offers_of", pattern)
    async def attach(self, callback: _g.Reference) -> _CosNotifyFilter.CallbackID:
        return await self._call("attach", callback)
    async def detach(self, id: _CosNotifyFilter.CallbackID) -> None: await self._call("detach", id)

class AdvertiserServant(_g.Servant):
    """interface Advertising::Advertiser"""
    INTERFACE = Advertiser_INTERFACE
    async def offered_types(self) -> _CosNotification.EventTypeSeq: _g.not_done(self, "offered_types")
    async def subscribed_types(self) -> _CosNotification.EventTypeSeq: _g.not_done(self, "subscribed_types")
    async def offers_of(self, pattern: _CosNotification.EventType) -> OfferSeq: _g.not_done(self, "offers_of")
    async def attach(self, callback: _g.Reference) -> _CosNotifyFilter.CallbackID: _g.not_done(self, "attach")
    async def detach(self, id: _CosNotifyFilter.CallbackID) -> None: _g.not_done(self, "detach")
