"""The kinds of proxies and of their clients: interfaces, and the operations that name the kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_admin
from tidings.cos import CosEventComm_auto as event_comm
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos.CosNotifyChannelAdmin_auto import ProxyType
from tidings.cos.events import WRITE
from tidings.events.structured import StructuredEvent
from tidings.orb.stubs import Interface, Operation

if TYPE_CHECKING:
    from tidings.orb.cdr_writer import Writer

WriteEvent: TypeAlias = "Callable[[Writer, StructuredEvent], None]"
"""How an event is written for a consumer."""

SUFFIXES: Final = {
    Form.ANY: "",
    Form.STRUCTURED: "_structured_event",
    Form.SEQUENCE: "_structured_events",
}
"""How the names of operations end that transfer events: `push`, `try_pull_structured_event`."""


class Kind(NamedTuple):
    """A kind of proxy, and what it requires of its client.

    `bare` means of the Event Service. `transfer` pushes or pulls events and is None if the client
    initiates; `notice` reports event types and is None for Event Service clients. `write` writes an
    event for the client. A kind beside the standard's has the name of its `dialect`.
    """

    side: Side
    style: Style
    form: Form
    bare: bool
    proxy: Interface
    client: Interface
    transfer: Operation | None
    goodbye: Operation
    notice: Operation | None
    write: WriteEvent
    dialect: str = ""

    @property
    def connect(self) -> str:
        """The proxy's operation that connects a client."""
        return f"connect_{self.form.name.lower()}_{self.style.value}_{self.side.value}"

    @property
    def type(self) -> ProxyType:
        """The proxy's MyType."""
        return ProxyType[f"{self.style.name}_{self.form.name}"]


def _made(side: Side, style: Style, form: Form, bare: bool) -> Kind:
    other = Side.SUPPLIER if side is Side.CONSUMER else Side.CONSUMER
    prefix = "" if form is Form.ANY else form.name.title()
    verb, who = style.value, side.value
    proxies, clients = (event_admin, event_comm) if bare else (channel_admin, comm)
    proxy = vars(proxies)[f"{prefix}Proxy{verb.title()}{other.value.title()}_INTERFACE"]
    client = vars(clients)[f"{prefix}{verb.title()}{who.title()}_INTERFACE"]
    calls = client.operations
    transfer = f"{'push' if style is Style.PUSH else 'try_pull'}{SUFFIXES[form]}"
    notice = "offer_change" if side is Side.CONSUMER else "subscription_change"
    goodbye = f"disconnect_{prefix.lower()}_{verb}_{who}".replace("__", "_")
    return Kind(
        *(side, style, form, bare, proxy, client),
        *(calls.get(transfer), calls[goodbye], calls.get(notice), WRITE[form]),
    )


_KINDS: Final = {
    (side, style, form, bare): _made(side, style, form, bare)
    for side in Side
    for style in Style
    for form in Form
    for bare in (False, True)
    if form is Form.ANY or not bare
}
KINDS: Final = tuple(_KINDS.values())
"""Twelve kinds of the Notification Service, and four of the Event Service."""


def kind_of(side: Side, style: Style, form: Form, bare: bool = False) -> Kind:
    """Return the kind of a proxy."""
    return _KINDS[side, style, form, bare]


def kind_of_type(side: Side, type_: ProxyType) -> Kind | None:
    """Return the kind of a proxy type; None for typed proxies, which are not supported."""
    return next((one for one in KINDS if one.side is side and one.type is type_), None)
