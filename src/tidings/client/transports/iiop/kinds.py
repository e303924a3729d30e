"""The kinds of proxies, as a client needs them: what each is called with."""

from __future__ import annotations

from typing import Final, NamedTuple

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos.CosNotifyChannelAdmin_auto import ClientType, ProxyType
from tidings.orb.stubs import Interface


class Kind(NamedTuple):
    """A kind of proxy.

    Attributes:
        side: Whether it serves a supplier or a consumer.
        style: Who begins.
        form: In which form events go through it.
    """

    side: Side
    style: Style
    form: Form

    @property
    def interface(self) -> Interface:
        """The interface of the proxy, which stands for the other side."""
        return _INTERFACES[self]

    @property
    def client(self) -> ClientType:
        """What an admin is asked for."""
        return _CLIENTS[self.form]

    @property
    def obtain(self) -> str:
        """The admin's operation that gives such a proxy."""
        return f"obtain_notification_{self.style.value}_{_other(self.side).value}"

    @property
    def connect(self) -> str:
        """The proxy's operation that takes the client."""
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
    """What a proxy is that says this of itself; None for the typed ones, which nobody has."""
    known = _TYPES.get(type_)
    return None if known is None else Kind(side, *known)
