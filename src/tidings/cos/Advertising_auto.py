"""What Advertising.idl declares. Generated from it; changes belong there."""

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

_here: _g.Final = _g.Types(globals(), _CosEventChannelAdmin._here, _CosEventComm._here, _CosNotification._here, _CosNotifyChannelAdmin._here, _CosNotifyComm._here, _CosNotifyFilter._here)

Offer_TYPE: _g.Final = _tc.struct("IDL:tidings/Advertising/Offer:1.0", "Offer", [
    ("proxy_id", _CosNotifyChannelAdmin.ProxyID_TYPE), ("admin_id", _CosNotifyChannelAdmin.AdminID_TYPE)])
OfferSeq_TYPE: _g.Final = _tc.alias("IDL:tidings/Advertising/OfferSeq:1.0", "OfferSeq", _tc.sequence(Offer_TYPE))
Listener_TYPE: _g.Final = _tc.objref("IDL:tidings/Advertising/Listener:1.0", "Listener")
Advertiser_TYPE: _g.Final = _tc.objref("IDL:tidings/Advertising/Advertiser:1.0", "Advertiser")

class Offer(_g.NamedTuple):
    proxy_id: _CosNotifyChannelAdmin.ProxyID
    admin_id: _CosNotifyChannelAdmin.AdminID

OfferSeq: _g.TypeAlias = "_g.Sequence[Offer]"

Listener_INTERFACE: _g.Final = _here.interface(Listener_TYPE, "Advertising::Listener",
        (_CosNotifyComm.NotifyPublish_INTERFACE, _CosNotifyComm.NotifySubscribe_INTERFACE, ))
class _Listener_methods: ...
class Listener(_Listener_methods, _CosNotifyComm.NotifyPublish, _CosNotifyComm.NotifySubscribe, of=Listener_INTERFACE): ...
class ListenerServant(_Listener_methods, _CosNotifyComm.NotifyPublishServant, _CosNotifyComm.NotifySubscribeServant, of=Listener_INTERFACE): ...

Advertiser_INTERFACE: _g.Final = _here.interface(Advertiser_TYPE, "Advertising::Advertiser", (),
    _here.operation("offered_types", gives={"": _CosNotification.EventTypeSeq_TYPE}),
    _here.operation("subscribed_types", gives={"": _CosNotification.EventTypeSeq_TYPE}),
    _here.operation("offers_of", takes={"pattern": _CosNotification.EventType_TYPE}, gives={"": OfferSeq_TYPE},
        raises=(_CosNotifyComm.InvalidEventType, )),
    _here.operation("attach", takes={"callback": Listener_TYPE}, gives={"": _CosNotifyFilter.CallbackID_TYPE}),
    _here.operation("detach", takes={"id": _CosNotifyFilter.CallbackID_TYPE}, raises=(_CosNotifyFilter.CallbackNotFound, )))
class _Advertiser_methods:
    async def offered_types(self) -> _CosNotification.EventTypeSeq: ...
    async def subscribed_types(self) -> _CosNotification.EventTypeSeq: ...
    async def offers_of(self, pattern: _CosNotification.EventType) -> OfferSeq: ...
    async def attach(self, callback: _g.Reference) -> _CosNotifyFilter.CallbackID: ...
    async def detach(self, id: _CosNotifyFilter.CallbackID) -> None: ...
class Advertiser(_Advertiser_methods, _g.Stub, of=Advertiser_INTERFACE): ...
class AdvertiserServant(_Advertiser_methods, _g.Servant, of=Advertiser_INTERFACE): ...
