"""Kinds of proxies, and the names of their operations."""

from __future__ import annotations

from typing import Final, NamedTuple

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos.CosNotifyChannelAdmin_auto import ClientType, ProxyType
from tidings.orb.stubs import Interface


class Kind(NamedTuple):
    """A kind of proxy."""

    side: Side
    style: Style
    form: Form

    @property
    def interface(self) -> Interface:
        """The proxy's interface; it represents the other side."""
        return _INTERFACES[self]

    @property
    def client(self) -> ClientType:
        """The client type to request from an admin."""
        return _CLIENTS[self.form]

    @property
    def obtain(self) -> str:
        """The admin's operation that creates such a proxy."""
        return f"obtain_notification_{self.style.value}_{_other(self.side).value}"

    @property
    def connect(self) -> str:
        """The proxy's operation that connects a client."""
        return f"connect_{self.form.name.lower()}_{self.style.value}_{self.side.value}"

    @property
    def disconnect(self) -> str:
        """The proxy's operation that ends it."""
        form = "" if self.form is Form.ANY else f"{self.form.name.lower()}_"
        return f"disconnect_{form}{self.style.value}_{_other(self.side).value}"


def _other(side: Side) -> Side:
    return Side.SUPPLIER if side is Side.CONSUMER else Side.CONSUMER


def _interface(made: Kind) -> Interface:
    form = "" if made.form is Form.ANY else made.form.name.title()
    name = f"{form}Proxy{made.style.value.title()}{_other(made.side).value.title()}"
    found: Interface = getattr(channel_admin, f"{name}_INTERFACE")
    return found


_CLIENTS: Final = dict(zip(Form, ClientType, strict=True))
_INTERFACES: Final = {
    Kind(side, style, form): _interface(Kind(side, style, form))
    for side in Side
    for style in Style
    for form in Form
}
_TYPES: Final = {
    ProxyType[f"{style.name}_{form.name}"]: (style, form) for style in Style for form in Form
}


def kind_of_type(side: Side, type_: ProxyType) -> Kind | None:
    """Return the kind of a proxy type; None for typed proxies, which are not supported."""
    known = _TYPES.get(type_)
    return None if known is None else Kind(side, *known)
