"""The kinds of proxies: interfaces and the standard's names."""

from __future__ import annotations

from typing import Final

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos import CosNotifyChannelAdmin_auto as notification
from tidings.cos.CosNotifyChannelAdmin_auto import ClientType, ProxyType
from tidings.orb.stubs import Interface

_INTERFACES: Final[dict[tuple[Side, Style, Form], Interface]] = {
    (Side.SUPPLIER, Style.PUSH, Form.ANY): notification.ProxyPushConsumer_INTERFACE,
    (Side.SUPPLIER, Style.PUSH, Form.STRUCTURED): (
        notification.StructuredProxyPushConsumer_INTERFACE
    ),
    (Side.SUPPLIER, Style.PUSH, Form.SEQUENCE): notification.SequenceProxyPushConsumer_INTERFACE,
    (Side.SUPPLIER, Style.PULL, Form.ANY): notification.ProxyPullConsumer_INTERFACE,
    (Side.SUPPLIER, Style.PULL, Form.STRUCTURED): (
        notification.StructuredProxyPullConsumer_INTERFACE
    ),
    (Side.SUPPLIER, Style.PULL, Form.SEQUENCE): notification.SequenceProxyPullConsumer_INTERFACE,
    (Side.CONSUMER, Style.PUSH, Form.ANY): notification.ProxyPushSupplier_INTERFACE,
    (Side.CONSUMER, Style.PUSH, Form.STRUCTURED): (
        notification.StructuredProxyPushSupplier_INTERFACE
    ),
    (Side.CONSUMER, Style.PUSH, Form.SEQUENCE): notification.SequenceProxyPushSupplier_INTERFACE,
    (Side.CONSUMER, Style.PULL, Form.ANY): notification.ProxyPullSupplier_INTERFACE,
    (Side.CONSUMER, Style.PULL, Form.STRUCTURED): (
        notification.StructuredProxyPullSupplier_INTERFACE
    ),
    (Side.CONSUMER, Style.PULL, Form.SEQUENCE): notification.SequenceProxyPullSupplier_INTERFACE,
}

_BARE: Final[dict[tuple[Side, Style], Interface]] = {
    (Side.SUPPLIER, Style.PUSH): event_service.ProxyPushConsumer_INTERFACE,
    (Side.SUPPLIER, Style.PULL): event_service.ProxyPullConsumer_INTERFACE,
    (Side.CONSUMER, Style.PUSH): event_service.ProxyPushSupplier_INTERFACE,
    (Side.CONSUMER, Style.PULL): event_service.ProxyPullSupplier_INTERFACE,
}

_FORMS: Final = dict(zip(ClientType, Form, strict=True))


def proxy_interface(side: Side, style: Style, form: Form, *, bare: bool = False) -> Interface:
    """Return the most derived interface of a proxy; `bare` means Event Service."""
    return _BARE[side, style] if bare else _INTERFACES[side, style, form]


def proxy_type(style: Style, form: Form) -> ProxyType:
    """Return a proxy's MyType."""
    return ProxyType[f"{style.name}_{form.name}"]


def form_of(client: ClientType) -> Form:
    """Return the form of events for a client type."""
    return _FORMS[client]
