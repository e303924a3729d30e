"""The twelve kinds of proxies, and of clients that the service calls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyChannelAdmin_auto import ProxyType
from tidings.cos.events import NO_EVENT
from tidings.orb.stubs import Interface, Servant

if TYPE_CHECKING:
    from tidings.client.transports.iiop.lines import Line


def other_side(side: Side) -> Side:
    """The side that a proxy stands for to a client of this side."""
    return Side.SUPPLIER if side is Side.CONSUMER else Side.CONSUMER


class Kind(NamedTuple):
    """A kind of proxy, by the client it is for."""

    side: Side
    style: Style
    form: Form

    @property
    def interface(self) -> Interface:
        """The proxy's interface; it represents the other side."""
        style = f"Proxy{self.style.value.title()}"
        return self._interface(channel_admin, style, other_side(self.side))

    @property
    def client_interface(self) -> Interface:
        """The interface of the client that the service calls."""
        return self._interface(comm, self.style.value.title(), self.side)

    def _interface(self, module: object, middle: str, side: Side) -> Interface:
        form = "" if self.form is Form.ANY else self.form.name.title()
        name = f"{form}{middle}{side.value.title()}_INTERFACE"
        found: Interface = getattr(module, name)
        return found

    @property
    def connect(self) -> str:
        """The proxy's operation that connects a client."""
        return f"connect_{self.form.name.lower()}_{self.style.value}_{self.side.value}"


_TYPES: Final = {
    ProxyType[f"{style.name}_{form.name}"]: (style, form) for style in Style for form in Form
}


def kind_of_type(side: Side, type_: ProxyType) -> Kind | None:
    """Return the kind of a proxy type; None for typed proxies, which are not supported."""
    known = _TYPES.get(type_)
    return None if known is None else Kind(side, *known)


class _Client(Servant):
    """The operations of all kinds of clients; each interface has some of them."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def offer_change(self, added: Sequence[EventType], removed: Sequence[EventType]) -> None:
        self._line.changed(added, removed)

    subscription_change = offer_change

    async def push(self, data: object) -> None:
        await self._line.take(data)

    push_structured_event = push_structured_events = push

    async def try_pull(self) -> tuple[Any, bool]:
        found = await self._line.give(1)
        return (found[0], True) if found else (None, False)

    async def try_pull_structured_event(self) -> tuple[Any, bool]:
        found = await self._line.give(1)
        return (found[0], True) if found else (NO_EVENT, False)

    async def try_pull_structured_events(self, max_number: int) -> tuple[Any, bool]:
        found = await self._line.give(max_number)
        return tuple(found), bool(found)

    def disconnect(self) -> None:
        # No coroutine: a task has not begun if the service gives up waiting at the same moment, and
        # then never does.
        self._line.ended()


@cache
def _servant_class(interface: Interface) -> type[_Client]:
    ends = [name for name in interface.operations if name.startswith("disconnect_")]
    members = {"INTERFACE": interface, **dict.fromkeys(ends, _Client.disconnect)}
    return type(interface.name.replace("::", ""), (_Client,), members)


def servant_for(interface: Interface, line: Line) -> Servant:
    """Create the servant that a proxy calls; `interface` is that of a client."""
    return _servant_class(interface)(line)
