"""Channels, admins and proxies on the wire: as they are now, and how new ones are asked for."""

from __future__ import annotations

from typing import Final, Self

from pydantic import Field

from tidings.api.model import (
    Answer,
    Asked,
    EventType,
    FormWord,
    Key,
    OperatorWord,
    SideWord,
    StyleWord,
    examples,
    pattern_in,
    pattern_out,
)
from tidings.api.properties import (
    AdminProperties,
    QoSProperties,
    properties_in,
    properties_out,
)
from tidings.channel import management
from tidings.channel.qos import reliabilities
from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.filters.constraint import EventTypePattern

_CHANNEL_QOS: Final = {
    "EventReliability": "Persistent",
    "ConnectionReliability": "Persistent",
    "Priority": 0,
    "Timeout": 0,
    "OrderPolicy": "AnyOrder",
}


def _patterns(types: list[EventType]) -> tuple[EventTypePattern, ...]:
    return tuple(pattern_in(one) for one in types)


class Channel(Answer):
    """A channel as it is now."""

    model_config = examples(
        {
            "id": 1,
            "name": "auctions",
            "origin": "0123456789abcdef0123456789abcdef",
            "qos": _CHANNEL_QOS,
            "admin": {"MaxQueueLength": 0, "MaxConsumers": 0, "RejectNewEvents": True},
            "supplier_admins": [0],
            "consumer_admins": [0],
            "suppliers": 1,
            "consumers": 2,
            "accepted": 1042,
            "waiting": 3,
            "plan": 5,
            "seq": 1042,
        }
    )

    id: int = Field(description="Unique at the service.")
    name: str = Field(description="For people; empty for none.")
    origin: str = Field(description="The first half of the ids of its events.")
    qos: QoSProperties = Field(description="What applies to it.")
    admin: AdminProperties = Field(description="Its admin properties.")
    supplier_admins: list[int] = Field(description="Ids.")
    consumer_admins: list[int] = Field(description="Ids.")
    suppliers: int = Field(description="How many proxies for suppliers it has.")
    consumers: int = Field(description="How many proxies for consumers it has.")
    accepted: int = Field(
        description="How many events it has accepted since it was made; without BestEffort events "
        "of which a crash left no trace."
    )
    waiting: int = Field(description="How many events wait for somebody.")
    plan: int = Field(description="Version of its rules.")
    seq: int = Field(default=0, description="The number of its latest event.")

    @classmethod
    def of(cls, info: ChannelInfo) -> Self:
        """The answer that shows a channel."""
        return cls(
            id=info.id,
            name=info.name,
            origin=info.origin,
            qos=properties_out(info.qos),
            admin=properties_out(info.admin),
            supplier_admins=list(info.supplier_admins),
            consumer_admins=list(info.consumer_admins),
            suppliers=info.suppliers,
            consumers=info.consumers,
            accepted=info.accepted,
            waiting=info.waiting,
            plan=info.plan,
            seq=info.seq,
        )

    def info(self) -> ChannelInfo:
        """The channel that was shown."""
        return ChannelInfo(
            self.id,
            self.name,
            self.origin,
            properties_in(self.qos),  # type: ignore[arg-type]
            properties_in(self.admin),  # type: ignore[arg-type]
            tuple(self.supplier_admins),
            tuple(self.consumer_admins),
            self.suppliers,
            self.consumers,
            self.accepted,
            self.waiting,
            self.plan,
            self.seq,
        )


class Channels(Answer):
    """All channels."""

    channels: list[Channel]


class NewChannel(Asked):
    """A channel to be made."""

    model_config = examples(
        {"name": "auctions", "qos": {"OrderPolicy": "PriorityOrder"}, "persistent": True}
    )

    name: str = Field(default="", description="For people; unique among channels. Empty for none.")
    qos: QoSProperties = Field(default_factory=dict, description="What differs from the defaults.")
    admin: AdminProperties = Field(
        default_factory=dict, description="What differs from the defaults."
    )
    persistent: bool | None = Field(
        default=True,
        description="Short for both reliabilities, Persistent or BestEffort, unless `qos` says "
        "otherwise: whether what is accepted survives a crash, and connections do. Null for what "
        "the service gives CORBA clients that ask for nothing (rules.default_qos).",
    )

    @classmethod
    def of(cls, command: management.CreateChannel) -> Self:
        """The request for a command. The service draws the origin itself."""
        return cls(
            name=command.name,
            qos=properties_out(command.qos),
            admin=properties_out(command.admin),
            persistent=None,
        )

    def to_command(self, origin: str) -> management.CreateChannel:
        """What is asked of the core."""
        qos = properties_in(self.qos)
        if self.persistent is not None:
            qos = {**reliabilities(persistent=self.persistent), **qos}
        return management.CreateChannel(origin, qos, properties_in(self.admin), self.name)


class Admin(Answer):
    """An admin as it is now."""

    model_config = examples(
        {
            "channel": 1,
            "side": "consumer",
            "id": 2,
            "operator": "and",
            "qos": {"Priority": 0, "OrderPolicy": "AnyOrder"},
            "filters": {"1": 4},
            "types": ["Auction::*"],
            "proxies": [7, 9],
            "priority_filter": None,
            "lifetime_filter": None,
        }
    )

    channel: int = Field(description="Its channel.")
    side: SideWord = Field(description="Whom it serves.")
    id: int = Field(description="Unique in the channel and side.")
    operator: OperatorWord = Field(
        description="How its filters are joined with those of its proxies."
    )
    qos: QoSProperties = Field(description="What applies to it.")
    filters: dict[Key, int] = Field(description="Attachment id to filter id.")
    types: list[EventType] = Field(
        description="Event types it asks for or offers; for a consumer's, empty means all."
    )
    proxies: list[int] = Field(description="Ids of its proxies, without Event Service ones.")
    priority_filter: int | None = Field(description="Its mapping filter for priorities.")
    lifetime_filter: int | None = Field(description="Its mapping filter for lifetimes.")

    @classmethod
    def of(cls, info: AdminInfo) -> Self:
        """The answer that shows an admin."""
        return cls(
            channel=info.channel,
            side=info.side.value,
            id=info.id,
            operator=_OPERATOR_WORDS[info.operator],
            qos=properties_out(info.qos),
            filters=dict(info.filters),
            types=[pattern_out(one) for one in info.types],
            proxies=list(info.proxies),
            priority_filter=info.priority_filter,
            lifetime_filter=info.lifetime_filter,
        )

    def info(self) -> AdminInfo:
        """The admin that was shown."""
        return AdminInfo(
            self.channel,
            Side(self.side),
            self.id,
            Operator[self.operator.upper()],
            properties_in(self.qos),  # type: ignore[arg-type]
            dict(self.filters),
            _patterns(self.types),
            tuple(self.proxies),
            self.priority_filter,
            self.lifetime_filter,
        )


_OPERATOR_WORDS: Final[dict[Operator, OperatorWord]] = {Operator.AND: "and", Operator.OR: "or"}


class Admins(Answer):
    """All admins of a channel, or of one side of it."""

    admins: list[Admin]


class NewAdmin(Asked):
    """An admin to be made."""

    model_config = examples({"side": "consumer", "operator": "or"})

    side: SideWord = Field(description="Whom it serves.")
    operator: OperatorWord = Field(
        default="and", description="How its filters are joined with those of its proxies."
    )

    @classmethod
    def of(cls, command: management.NewAdmin) -> Self:
        """The request for a command."""
        return cls(side=command.side.value, operator=_OPERATOR_WORDS[command.operator])

    def to_command(self, channel: int) -> management.NewAdmin:
        """What is asked of the core."""
        return management.NewAdmin(channel, Side(self.side), Operator[self.operator.upper()])


class Proxy(Answer):
    """A proxy as it is now."""

    model_config = examples(
        {
            "channel": 1,
            "id": 7,
            "side": "consumer",
            "style": "push",
            "form": "structured",
            "admin": 0,
            "name": "billing",
            "owner": "",
            "qos": {"Priority": 0, "OrderPolicy": "AnyOrder"},
            "filters": {"1": 4},
            "types": ["Auction::books"],
            "connected": True,
            "attached": True,
            "suspended": False,
            "waiting": 3,
            "spilled": 0,
            "in_flight": 1,
            "failures": 0,
            "counts": {"delivered": 1038, "expired": 1},
            "priority_filter": None,
            "lifetime_filter": None,
        }
    )

    channel: int = Field(description="Its channel.")
    id: int = Field(description="Unique in the channel.")
    side: SideWord = Field(description="Whom it serves.")
    style: StyleWord = Field(description="Who begins.")
    form: FormWord = Field(description="In which form events go through it.")
    admin: int = Field(description="Its admin's id.")
    name: str = Field(description="For people; empty for none.")
    owner: str = Field(description="Who may use it.")
    qos: QoSProperties = Field(description="What applies to it.")
    filters: dict[Key, int] = Field(description="Attachment id to filter id.")
    types: list[EventType] = Field(
        description="Event types it asks for or offers; for a consumer's, empty means all."
    )
    connected: bool = Field(description="Whether it has a client.")
    attached: bool = Field(description="Whether that can be reached at the moment.")
    suspended: bool = Field(description="Whether it asked for a pause.")
    waiting: int = Field(description="How many events wait for it.")
    spilled: int = Field(description="How many of them on the disk.")
    in_flight: int = Field(description="How many are handed over and not answered.")
    failures: int = Field(description="How many deliveries failed in a row.")
    counts: dict[str, int] = Field(description="What became of its copies of events, by outcome.")
    priority_filter: int | None = Field(description="Its mapping filter for priorities.")
    lifetime_filter: int | None = Field(description="Its mapping filter for lifetimes.")

    @classmethod
    def of(cls, info: ProxyInfo) -> Self:
        """The answer that shows a proxy."""
        return cls(
            channel=info.channel,
            id=info.id,
            side=info.side.value,
            style=info.style.value,
            form=FORM_WORDS[info.form],
            admin=info.admin,
            name=info.name,
            owner=info.owner,
            qos=properties_out(info.qos),
            filters=dict(info.filters),
            types=[pattern_out(one) for one in info.types],
            connected=info.connected,
            attached=info.attached,
            suspended=info.suspended,
            waiting=info.waiting,
            spilled=info.spilled,
            in_flight=info.in_flight,
            failures=info.failures,
            counts=dict(info.counts),
            priority_filter=info.priority_filter,
            lifetime_filter=info.lifetime_filter,
        )

    def info(self) -> ProxyInfo:
        """The proxy that was shown."""
        return ProxyInfo(
            self.channel,
            self.id,
            Side(self.side),
            Style(self.style),
            Form[self.form.upper()],
            self.admin,
            self.name,
            self.owner,
            properties_in(self.qos),  # type: ignore[arg-type]
            dict(self.filters),
            _patterns(self.types),
            self.connected,
            self.attached,
            self.suspended,
            self.waiting,
            self.spilled,
            self.in_flight,
            self.failures,
            dict(self.counts),
            self.priority_filter,
            self.lifetime_filter,
        )


FORM_WORDS: Final[dict[Form, FormWord]] = {
    Form.ANY: "any",
    Form.STRUCTURED: "structured",
    Form.SEQUENCE: "sequence",
}


class Proxies(Answer):
    """All proxies of a channel."""

    proxies: list[Proxy]
