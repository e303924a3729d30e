"""What Advertising.idl declares. Generated from it; changes belong there."""

# ruff: noqa

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from decimal import Decimal as _Decimal
from enum import StrEnum as _StrEnum
from typing import Any as _Any
from typing import Final as _Final
from typing import NamedTuple as _NamedTuple
from typing import TypeAlias as _TypeAlias

from tidings.events import typecode as _tc
from tidings.events.boxes import UnionValue as _UnionValue
from tidings.events.boxes import Value as _Value
from tidings.events.reference import Reference as _Reference
from tidings.orb import generated as _g
from tidings.orb.cdr_reader import Reader as _Reader
from tidings.orb.cdr_writer import Writer as _Writer
from tidings.orb.exceptions import UserException as _UserException
from tidings.orb.stubs import Interface as _Interface
from tidings.orb.stubs import Operation as _Operation
from tidings.orb.stubs import Servant as _Servant
from tidings.orb.stubs import Stub as _Stub

from tidings.cos import CosEventChannelAdmin_auto as _CosEventChannelAdmin
from tidings.cos import CosEventComm_auto as _CosEventComm
from tidings.cos import CosNotification_auto as _CosNotification
from tidings.cos import CosNotifyChannelAdmin_auto as _CosNotifyChannelAdmin
from tidings.cos import CosNotifyComm_auto as _CosNotifyComm
from tidings.cos import CosNotifyFilter_auto as _CosNotifyFilter

__all__ = [
    "Advertiser",
    "AdvertiserServant",
    "Advertiser_INTERFACE",
    "Advertiser_TYPE",
    "Listener",
    "ListenerServant",
    "Listener_INTERFACE",
    "Listener_TYPE",
    "Offer",
    "OfferSeq",
    "OfferSeq_TYPE",
    "Offer_TYPE",
    "read_Offer",
    "read_OfferSeq",
    "write_Offer",
    "write_OfferSeq",
]

Offer_TYPE: _Final = _tc.struct("IDL:tidings/Advertising/Offer:1.0", "Offer", [("proxy_id", _CosNotifyChannelAdmin.ProxyID_TYPE), ("admin_id", _CosNotifyChannelAdmin.AdminID_TYPE)])
OfferSeq_TYPE: _Final = _tc.alias("IDL:tidings/Advertising/OfferSeq:1.0", "OfferSeq", _tc.sequence(Offer_TYPE))
Listener_TYPE: _Final = _tc.objref("IDL:tidings/Advertising/Listener:1.0", "Listener")
Advertiser_TYPE: _Final = _tc.objref("IDL:tidings/Advertising/Advertiser:1.0", "Advertiser")

class Offer(_NamedTuple):
    """struct Advertising::Offer"""
    proxy_id: _CosNotifyChannelAdmin.ProxyID
    admin_id: _CosNotifyChannelAdmin.AdminID

def write_Offer(w: _Writer, v: Offer) -> None:
    try:
        (a0, a1, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("Advertising::Offer", 2, v) from None
    w.long(a0)
    w.long(a1)

def read_Offer(r: _Reader) -> Offer:
    made = Offer(
        r.long(),
        r.long(),
    )
    return made

OfferSeq: _TypeAlias = "_Sequence[Offer]"

def write_OfferSeq(w: _Writer, v: OfferSeq) -> None:
    for x0 in _g.counted(w, v, "sequence<Advertising::Offer>"):
        write_Offer(w, x0)

def read_OfferSeq(r: _Reader) -> OfferSeq:
    made = tuple([read_Offer(r) for _ in range(r.length(8))])
    return made

Listener_INTERFACE: _Final = _Interface(
    "IDL:tidings/Advertising/Listener:1.0",
    "Advertising::Listener",
    (_CosNotifyComm.NotifyPublish_INTERFACE, _CosNotifyComm.NotifySubscribe_INTERFACE, ),
    {
        **_CosNotifyComm.NotifyPublish_INTERFACE.operations,
        **_CosNotifyComm.NotifySubscribe_INTERFACE.operations,
    },
)

class Listener(_CosNotifyComm.NotifyPublish, _CosNotifyComm.NotifySubscribe):
    """interface Advertising::Listener"""

    __slots__ = ()
    INTERFACE = Listener_INTERFACE

class ListenerServant(_CosNotifyComm.NotifyPublishServant, _CosNotifyComm.NotifySubscribeServant):
    """interface Advertising::Listener"""

    INTERFACE = Listener_INTERFACE

def _Advertiser_offered_types_write_out(w: _Writer, v: _Any) -> None:
    _CosNotification.write_EventTypeSeq(w, v)

def _Advertiser_offered_types_read_out(r: _Reader) -> _Any:
    return _CosNotification.read_EventTypeSeq(r)

_Advertiser_offered_types: _Final = _Operation(
    "offered_types",
    "offered_types",
    _g.write_nothing,
    _g.read_nothing,
    _Advertiser_offered_types_write_out,
    _Advertiser_offered_types_read_out,
    (),
    False,
)

def _Advertiser_subscribed_types_write_out(w: _Writer, v: _Any) -> None:
    _CosNotification.write_EventTypeSeq(w, v)

def _Advertiser_subscribed_types_read_out(r: _Reader) -> _Any:
    return _CosNotification.read_EventTypeSeq(r)

_Advertiser_subscribed_types: _Final = _Operation(
    "subscribed_types",
    "subscribed_types",
    _g.write_nothing,
    _g.read_nothing,
    _Advertiser_subscribed_types_write_out,
    _Advertiser_subscribed_types_read_out,
    (),
    False,
)

def _Advertiser_offers_of_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of offers_of", 1, v) from None
    _CosNotification.write_EventType(w, a0)

def _Advertiser_offers_of_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        _CosNotification.read_EventType(r),
    )

def _Advertiser_offers_of_write_out(w: _Writer, v: _Any) -> None:
    write_OfferSeq(w, v)

def _Advertiser_offers_of_read_out(r: _Reader) -> _Any:
    return read_OfferSeq(r)

_Advertiser_offers_of: _Final = _Operation(
    "offers_of",
    "offers_of",
    _Advertiser_offers_of_write_in,
    _Advertiser_offers_of_read_in,
    _Advertiser_offers_of_write_out,
    _Advertiser_offers_of_read_out,
    (_CosNotifyComm.InvalidEventType, ),
    False,
)

def _Advertiser_attach_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of attach", 1, v) from None
    w.reference(a0)

def _Advertiser_attach_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.reference(),
    )

def _Advertiser_attach_write_out(w: _Writer, v: _Any) -> None:
    w.long(v)

def _Advertiser_attach_read_out(r: _Reader) -> _Any:
    return r.long()

_Advertiser_attach: _Final = _Operation(
    "attach",
    "attach",
    _Advertiser_attach_write_in,
    _Advertiser_attach_read_in,
    _Advertiser_attach_write_out,
    _Advertiser_attach_read_out,
    (),
    False,
)

def _Advertiser_detach_write_in(w: _Writer, v: tuple[_Any, ...]) -> None:
    try:
        (a0, ) = v
    except _g.UNPACKING_FAULTS:
        raise _g.no_member("the arguments of detach", 1, v) from None
    w.long(a0)

def _Advertiser_detach_read_in(r: _Reader) -> tuple[_Any, ...]:
    return (
        r.long(),
    )

_Advertiser_detach: _Final = _Operation(
    "detach",
    "detach",
    _Advertiser_detach_write_in,
    _Advertiser_detach_read_in,
    _g.write_void,
    _g.read_void,
    (_CosNotifyFilter.CallbackNotFound, ),
    False,
)

Advertiser_INTERFACE: _Final = _Interface(
    "IDL:tidings/Advertising/Advertiser:1.0",
    "Advertising::Advertiser",
    (),
    {
        "offered_types": _Advertiser_offered_types,
        "subscribed_types": _Advertiser_subscribed_types,
        "offers_of": _Advertiser_offers_of,
        "attach": _Advertiser_attach,
        "detach": _Advertiser_detach,
    },
)

class Advertiser(_Stub):
    """interface Advertising::Advertiser"""

    __slots__ = ()
    INTERFACE = Advertiser_INTERFACE

    async def offered_types(self) -> _CosNotification.EventTypeSeq:
        made: _CosNotification.EventTypeSeq = await self._call(_Advertiser_offered_types, ())
        return made

    async def subscribed_types(self) -> _CosNotification.EventTypeSeq:
        made: _CosNotification.EventTypeSeq = await self._call(_Advertiser_subscribed_types, ())
        return made

    async def offers_of(self, pattern: _CosNotification.EventType) -> OfferSeq:
        made: OfferSeq = await self._call(_Advertiser_offers_of, (pattern, ))
        return made

    async def attach(self, callback: _Reference) -> _CosNotifyFilter.CallbackID:
        made: _CosNotifyFilter.CallbackID = await self._call(_Advertiser_attach, (callback, ))
        return made

    async def detach(self, id: _CosNotifyFilter.CallbackID) -> None:
        await self._call(_Advertiser_detach, (id, ))

class AdvertiserServant(_Servant):
    """interface Advertising::Advertiser"""

    INTERFACE = Advertiser_INTERFACE

    async def offered_types(self) -> _CosNotification.EventTypeSeq:
        _g.not_done(self, "offered_types")

    async def subscribed_types(self) -> _CosNotification.EventTypeSeq:
        _g.not_done(self, "subscribed_types")

    async def offers_of(self, pattern: _CosNotification.EventType) -> OfferSeq:
        _g.not_done(self, "offers_of")

    async def attach(self, callback: _Reference) -> _CosNotifyFilter.CallbackID:
        _g.not_done(self, "attach")

    async def detach(self, id: _CosNotifyFilter.CallbackID) -> None:
        _g.not_done(self, "detach")
