"""Admins and proxies: the holders of filters, quality of service and event type lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tidings.channel.account import Account
from tidings.channel.effects import Notice, NoticeKind
from tidings.channel.offers import TypeList
from tidings.channel.qos import QoS
from tidings.channel.vocabulary import Form, Place, Side, Style
from tidings.filters.constraint import EventTypePattern
from tidings.filters.plan import Fence, Operator

_UNSET: Final[dict[str, int]] = {}


@dataclass(slots=True, eq=False, repr=False)
class Holder:
    """The common part of admins and proxies: `own` was set here, `qos` is what applies.

    A proxy's id is unique in the channel, an admin's in the channel and side. Consumers' holders
    ask for `types`, suppliers' have `offered` ones.
    """

    channel: Account
    id: int
    side: Side
    qos: QoS
    own: dict[str, int] = field(default_factory=lambda: _UNSET)  # one for all: there are many
    attached_filters: tuple[tuple[int, int], ...] = ()
    last_attachment: int = 0
    types: TypeList = TypeList()  # noqa: RUF009 -- frozen
    offered: frozenset[EventTypePattern] = frozenset()
    priority_filter: int | None = None
    lifetime_filter: int | None = None

    @property
    def filter_ids(self) -> list[int]:
        """Return the ids of its filters, mapping filters included."""
        held = [filter_id for _, filter_id in self.attached_filters]
        mappings = (self.priority_filter, self.lifetime_filter)
        return held + [filter_id for filter_id in mappings if filter_id is not None]


@dataclass(slots=True, eq=False, repr=False)
class Admin(Holder):
    """An admin: the parent of proxies; `operator` joins its filters with theirs."""

    operator: Operator = Operator.AND
    proxies: dict[int, Proxy] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Return its address in commands."""
        return Place(self.channel.id, self.side, self.id)


class Proxy(Holder):
    """A proxy: what one client is connected to. See `ConsumerProxy` and `SupplierProxy`.

    A `bare` one is of the Event Service: not listed, without quality of service and filters, not
    durable. Only `connected` ones receive events; the client of an `attached` one can be reached at
    the moment, that of a `reachable` one gave a reference at all. A client that can receive
    `notices` of offers or subscriptions wants them with `updates`. Events up to number `fenced_at`
    may have been judged by another `fence` than today's. See `Connect` for the others.
    """

    __slots__ = (
        "address",
        "admin",
        "attached",
        "bare",
        "connected",
        "durable",
        "fence",
        "fenced_at",
        "form",
        "name",
        "notices",
        "owner",
        "reachable",
        "style",
        "suspended",
        "updates",
        "window",
    )

    def __init__(self, admin: Admin, id: int, style: Style, form: Form, qos: QoS) -> None:
        super().__init__(admin.channel, id, admin.side, qos)
        self.admin = admin
        self.style = style
        self.form = form
        self.name = ""
        self.owner = ""
        self.address = ""
        self.bare = self.connected = self.attached = self.suspended = False
        self.reachable = self.notices = self.updates = False
        self.window = 1
        self.durable = False
        self.fence: Fence = ()
        self.fenced_at = 0

    @property
    def place(self) -> Place:
        """Return its address in commands."""
        return Place(self.channel.id, proxy=self.id)

    def cut(self) -> None:
        """Drop what is under way on a connection that will not be answered any more."""

    @property
    def hears(self) -> bool:
        """Return whether its client receives offer or subscription changes."""
        return self.connected and self.reachable and self.notices and self.updates

    def notice(self, kind: NoticeKind, detail: str) -> None:
        """Send operators a notice about the proxy."""
        channel = self.channel
        channel.core.out.append(Notice(kind, channel.id, self.id, detail, channel.name, self.name))
