"""The kinds of clients: their interfaces and the operations called on them."""

from __future__ import annotations

from typing import Final, NamedTuple

from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos import CosEventChannelAdmin_auto as event_admin
from tidings.cos import CosEventComm_auto as event_comm
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.events.reference import Reference
from tidings.orb.stubs import Interface, Operation


class ClientKind(NamedTuple):
    """What a proxy requires of its client.

    `transfer` pushes or pulls events and is None if the client initiates; `notice` reports event
    types and is None for Event Service clients.
    """

    side: Side
    style: Style
    form: Form
    interface: Interface
    transfer: Operation | None
    goodbye: Operation
    notice: Operation | None

    @property
    def must_be_called(self) -> bool:
        """Return whether events flow only if the client can be called."""
        return self.transfer is not None


def _kind(
    who: tuple[Side, Style, Form], interface: Interface, goodbye: str, transfer: str = ""
) -> ClientKind:
    operations = interface.operations
    notice = "offer_change" if who[0] is Side.CONSUMER else "subscription_change"
    return ClientKind(
        *who,
        interface,
        operations[transfer] if transfer else None,
        operations[goodbye],
        operations.get(notice),
    )


_S, _C = Side.SUPPLIER, Side.CONSUMER
_ANY, _STRUCTURED, _SEQUENCE = Form.ANY, Form.STRUCTURED, Form.SEQUENCE
_PUSH, _PULL = Style.PUSH, Style.PULL

_KINDS: Final = (
    _kind((_S, _PUSH, _ANY), comm.PushSupplier_INTERFACE, "disconnect_push_supplier"),
    _kind((_S, _PULL, _ANY), comm.PullSupplier_INTERFACE, "disconnect_pull_supplier", "try_pull"),
    _kind((_C, _PUSH, _ANY), comm.PushConsumer_INTERFACE, "disconnect_push_consumer", "push"),
    _kind((_C, _PULL, _ANY), comm.PullConsumer_INTERFACE, "disconnect_pull_consumer"),
    _kind(
        (_S, _PUSH, _STRUCTURED),
        comm.StructuredPushSupplier_INTERFACE,
        "disconnect_structured_push_supplier",
    ),
    _kind(
        (_S, _PULL, _STRUCTURED),
        comm.StructuredPullSupplier_INTERFACE,
        "disconnect_structured_pull_supplier",
        "try_pull_structured_event",
    ),
    _kind(
        (_C, _PUSH, _STRUCTURED),
        comm.StructuredPushConsumer_INTERFACE,
        "disconnect_structured_push_consumer",
        "push_structured_event",
    ),
    _kind(
        (_C, _PULL, _STRUCTURED),
        comm.StructuredPullConsumer_INTERFACE,
        "disconnect_structured_pull_consumer",
    ),
    _kind(
        (_S, _PUSH, _SEQUENCE),
        comm.SequencePushSupplier_INTERFACE,
        "disconnect_sequence_push_supplier",
    ),
    _kind(
        (_S, _PULL, _SEQUENCE),
        comm.SequencePullSupplier_INTERFACE,
        "disconnect_sequence_pull_supplier",
        "try_pull_structured_events",
    ),
    _kind(
        (_C, _PUSH, _SEQUENCE),
        comm.SequencePushConsumer_INTERFACE,
        "disconnect_sequence_push_consumer",
        "push_structured_events",
    ),
    _kind(
        (_C, _PULL, _SEQUENCE),
        comm.SequencePullConsumer_INTERFACE,
        "disconnect_sequence_pull_consumer",
    ),
)

_BARE: Final = (
    _kind((_S, _PUSH, _ANY), event_comm.PushSupplier_INTERFACE, "disconnect_push_supplier"),
    _kind(
        (_S, _PULL, _ANY),
        event_comm.PullSupplier_INTERFACE,
        "disconnect_pull_supplier",
        "try_pull",
    ),
    _kind((_C, _PUSH, _ANY), event_comm.PushConsumer_INTERFACE, "disconnect_push_consumer", "push"),
    _kind((_C, _PULL, _ANY), event_comm.PullConsumer_INTERFACE, "disconnect_pull_consumer"),
)

_BY_KIND: Final = {(kind.side, kind.style, kind.form): kind for kind in _KINDS}
_BARE_BY_KIND: Final = {(kind.side, kind.style, kind.form): kind for kind in _BARE}


def client_kind(side: Side, style: Style, form: Form, *, bare: bool = False) -> ClientKind:
    """Return the kind of client that a proxy serves; `bare` means an Event Service proxy."""
    return _BARE_BY_KIND[side, style, form] if bare else _BY_KIND[side, style, form]


# All standard interfaces a client can have; proxies of other channels are
# clients, too.
_KNOWN: Final[dict[str, Interface]] = {
    found.id: found
    for module in (event_comm, event_admin, comm, channel_admin)
    for found in vars(module).values()
    if isinstance(found, Interface)
}


def known_interface(reference: Reference) -> Interface | None:
    """Return the interface a reference declares, or None if it is unknown."""
    return _KNOWN.get(reference.type_id)


def required_id(kind: ClientKind) -> str:
    """Return the interface id to check for; anys allow plain Event Service clients."""
    if kind.form is Form.ANY:
        bare = client_kind(kind.side, kind.style, kind.form, bare=True)
        return bare.interface.id
    return kind.interface.id


def can_be_told(kind: ClientKind, reference: Reference) -> bool:
    """Return whether a client may have the operation for changed event types."""
    known = known_interface(reference)
    return kind.notice is not None and (known is None or kind.notice.name in known.operations)
