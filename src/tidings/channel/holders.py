"""Admins and proxies: what holds filters, quality of service and a list of event types."""

from __future__ import annotations

from typing import Final

from tidings.channel.account import Account
from tidings.channel.effects import Notice, NoticeKind
from tidings.channel.offers import TypeList
from tidings.channel.qos import QoS
from tidings.channel.vocabulary import Form, Place, Side, Style
from tidings.filters.constraint import EventTypePattern
from tidings.filters.plan import Operator

_ALL: Final = TypeList()
_NOTHING: Final[frozenset[EventTypePattern]] = frozenset()
_UNSET: Final[dict[str, int]] = {}


class Holder:
    """What an admin and a proxy have in common.

    Attributes:
        channel: Where it belongs.
        id: Its id; of a proxy in the channel, of an admin in the channel and side.
        side: Whether it serves suppliers or consumers.
        qos: What applies here.
        own: What was set here itself; the rest came from the parent.
        attached_filters: Pairs of attachment and filter id, in the order attached.
        last_attachment: The highest attachment id given.
        types: Of a consumer's: which event types it asks for.
        offered: Of a supplier's: which event types it says it will send.
        priority_filter: Of a consumer's: id of the mapping filter for priorities.
        lifetime_filter: Of a consumer's: id of the mapping filter for lifetimes.
    """

    __slots__ = (
        "attached_filters",
        "channel",
        "id",
        "last_attachment",
        "lifetime_filter",
        "offered",
        "own",
        "priority_filter",
        "qos",
        "side",
        "types",
    )

    def __init__(self, channel: Account, id: int, side: Side, qos: QoS) -> None:
        self.channel = channel
        self.id = id
        self.side = side
        self.qos = qos
        self.own = _UNSET
        self.attached_filters: tuple[tuple[int, int], ...] = ()
        self.last_attachment = 0
        self.types = _ALL
        self.offered = _NOTHING
        self.priority_filter: int | None = None
        self.lifetime_filter: int | None = None

    @property
    def filter_ids(self) -> list[int]:
        """The filters it holds, mapping filters included."""
        held = [filter_id for _, filter_id in self.attached_filters]
        mappings = (self.priority_filter, self.lifetime_filter)
        return held + [filter_id for filter_id in mappings if filter_id is not None]


class Admin(Holder):
    """An admin: the parent of proxies with something in common.

    Attributes:
        operator: How its filters are joined with those of its proxies.
        proxies: Its proxies by id.
    """

    __slots__ = ("operator", "proxies")

    def __init__(self, channel: Account, id: int, side: Side, operator: Operator, qos: QoS) -> None:
        super().__init__(channel, id, side, qos)
        self.operator = operator
        self.proxies: dict[int, Proxy] = {}

    @property
    def place(self) -> Place:
        """Where commands find it."""
        return Place(self.channel.id, self.side, self.id)


class Proxy(Holder):
    """A proxy: what one client is connected to. See `ConsumerProxy` and `SupplierProxy`.

    Attributes:
        admin: Its parent.
        style: Whether events are pushed through it or pulled.
        form: In which form they go through.
        name: A name for people; empty for none.
        owner: Who may use it.
        bare: Event Service style: in no lists, without quality of service and filters; it does
            not survive a crash.
        connected: Whether a client has connected; events are for connected ones only.
        attached: Whether the client can be reached at the moment.
        reachable: Whether it gave a reference at all.
        notices: Whether the client can be told of offers or subscriptions.
        updates: Whether it wants to be.
        window: How many events may be in flight to it.
        address: How to reach it after a restart.
        suspended: Whether it asked for a pause.
        durable: Whether the connection survives a crash.
    """

    __slots__ = (
        "address",
        "admin",
        "attached",
        "bare",
        "connected",
        "durable",
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

    @property
    def place(self) -> Place:
        """Where commands find it."""
        return Place(self.channel.id, proxy=self.id)

    def cut(self) -> None:
        """What was under way on the client's line will not be answered any more."""

    @property
    def hears(self) -> bool:
        """Whether its client is told of offers or subscriptions."""
        return self.connected and self.reachable and self.notices and self.updates

    def notice(self, kind: NoticeKind, detail: str) -> None:
        """Tells whoever runs the service something about it."""
        channel = self.channel
        channel.core.out.append(Notice(kind, channel.id, self.id, detail, channel.name, self.name))
