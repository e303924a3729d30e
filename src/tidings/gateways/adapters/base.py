"""The contract between a gateway and the adapter of one event service.

An adapter translates between its service and structured events, and keeps no state that must
survive: on every `connect` the gateway says again what it wants. One task of the gateway calls it;
only `heard` goes the other way. Every adapter passes the suite in `tests/real/federation`.

Errors: `AdapterError` says that the service cannot be reached or has failed (the gateway connects
again later); a `Refused` says that one event cannot go there, whenever it is tried.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from tidings.errors import InvalidUsage, TidingsError
from tidings.events.codecs.json_types import meant
from tidings.events.structured import StructuredEvent
from tidings.federation.capabilities import Capabilities
from tidings.federation.marks import Mark
from tidings.federation.reading import read
from tidings.filters.constraint import Constraint
from tidings.plugins import Registry

ADAPTERS: Final = Registry(
    "adapter",
    "tidings.adapters",
    {
        "amqp": "tidings.gateways.adapters.amqp:AmqpAdapter",
        "corba": "tidings.gateways.adapters.corba:CorbaAdapter",
        "cosmic": "tidings.gateways.adapters.cosmic:CosmicAdapter",
        "jms": "tidings.gateways.adapters.jms:JmsAdapter",
        "memory": "tidings.gateways.adapters.memory:MemoryAdapter",
        "mqtt": "tidings.gateways.adapters.mqtt:MqttAdapter",
        "nats": "tidings.gateways.adapters.nats:NatsAdapter",
        "siena": "tidings.gateways.adapters.siena:SienaAdapter",
        "steam": "tidings.gateways.adapters.steam:SteamAdapter",
        "tidings": "tidings.gateways.adapters.tidings:TidingsAdapter",
    },
)
"""The adapter classes by kind."""


MOST_UNREADABLE: Final = 65_536
"""Octets that are kept of what is no event."""


class AdapterError(TidingsError):
    """The event service cannot be reached or does not work; the message says why."""

    code = "adapter_failed"
    http_status = 502


class Arrival(NamedTuple):
    """An event that the service has handed over.

    Attributes:
        event: The event, without its mark.
        mark: Its mark if it came through a federation, of whatever system; else None.
        stream: Who has numbered it at the service, if anybody: see `Mark.stream`.
        number: Its number in the stream; 0 for none.
        handle: The adapter's own, for `taken`.
        time: When the service accepted it, microseconds since 1970; 0 if it does not say. A service
            that holds events says it: by that a gateway knows what is its own after a hand-over.
        problem: Why it is no event: then it is set aside, and the event holds what has come.
    """

    event: StructuredEvent
    mark: Mark | None = None
    stream: str = ""
    number: int = 0
    handle: Any = None
    time: int = 0
    problem: str = ""


def unreadable(came: bytes, name: str, problem: str) -> Arrival:
    """Return what stands for something that is no event, with as much of it as is kept."""
    return Arrival(StructuredEvent(name=name, body=came[:MOST_UNREADABLE]), problem=problem)


class Outgoing(NamedTuple):
    """An event for the service."""

    event: StructuredEvent
    mark: Mark


class Refused(NamedTuple):
    """Why the service cannot carry an event: which part, and what would be right."""

    cause: str


class Placed(NamedTuple):
    """How a wanted filter stands at the service.

    Attributes:
        text: In the service's own words, for people.
        exact: Whether the service hands over nothing else; it never hands over less.
        surplus: Why more comes, in words; empty if exact.
    """

    text: str
    exact: bool
    surplus: str = ""


Heard: TypeAlias = Callable[[Sequence[Arrival]], Awaitable[None]]
"""Takes arrivals, in order; an adapter reads no further until it returns."""


class Side(NamedTuple):
    """Where an adapter works.

    Attributes:
        system: The federation.
        gateway: The gateway.
        adapter: The adapter's own id.
        service: The event service's id in the federation.
        local: What the process gives to adapters that stay in it (`client`: a function that
            makes a client of the service that runs the gateway, for a principal, or the owner).
    """

    system: str
    gateway: str
    adapter: str
    service: str
    local: Mapping[str, Any] = {}


P = TypeVar("P", bound=msgspec.Struct)


class Adapter(ABC, Generic[P]):
    """One event service, as a gateway sees it.

    Attributes:
        capabilities: What the service can do; a subclass may narrow them by its parameters.
        Parameters: The class of the parameters; every field has a default, or must be given.
        batch: The most events that `publish` is given at one time.
        secrets: The parameters that nobody is shown.
        place: Where clients find the service, for whoever looks at the federation; may be empty.
    """

    Parameters: ClassVar[type[msgspec.Struct]]
    batch: ClassVar[int] = 256
    secrets: ClassVar[tuple[str, ...]] = ()
    capabilities: Capabilities
    place: str = ""

    def __init__(self, side: Side, parameters: P) -> None:
        self.side = side
        self.parameters = parameters

    @abstractmethod
    async def connect(self, heard: Heard) -> None:
        """Connect. Called again after `disconnect`, never twice in a row.

        Raises:
            AdapterError: The service cannot be reached, or refuses; what was begun is undone.
        """

    @abstractmethod
    async def disconnect(self) -> None:
        """Undo `connect`, whatever the connection's state; raises nothing.

        What was handed over and not `taken` comes again after the next `connect`, if the service
        holds it.
        """

    @abstractmethod
    async def lost(self) -> str:
        """Wait until the connection is lost, and return the cause."""

    @abstractmethod
    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Have the service hand over the events that match any of these, and no longer others.

        The whole set, every time: the adapter finds the difference. An event comes once, however
        many filters match it. A filter that the service cannot express is widened, never narrowed.

        Raises:
            AdapterError: The service refuses; the set before still applies.
        """

    @abstractmethod
    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events, in order; for each None, or why it cannot go there.

        Returns when the service has them, as `capabilities.confirms` says.

        Raises:
            AdapterError: The connection failed; nobody knows which of them arrived.
        """

    async def offer(self, subjects: Sequence[str]) -> None:
        """Tell the service which subjects are published into it from elsewhere; the whole set."""

    def taken(self, arrivals: Sequence[Arrival]) -> None:
        """Let the service forget events that it has handed over."""


def adapter_class(kind: str) -> type[Adapter[Any]]:
    """Return the class of a kind; raises as `new_adapter` does."""
    found = ADAPTERS.load(kind)
    assert isinstance(found, type)
    assert issubclass(found, Adapter)
    return found


def new_adapter(kind: str, side: Side, parameters: Mapping[str, object]) -> Adapter[Any]:
    """Make an adapter.

    Raises:
        InvalidUsage: There is no such kind, or a parameter is wrong; the message names it.
        MissingExtra: A package that it needs is not installed.
    """
    found = adapter_class(kind)
    fields = msgspec.structs.fields(found.Parameters)
    known = {field.encode_name for field in fields}
    for field in fields:
        if field.required and field.encode_name not in parameters:
            raise InvalidUsage(f"{side.adapter}: {kind} needs the parameter {field.encode_name!r}")
    for name in parameters:
        if name not in known:
            hint = meant(name, sorted(known))
            raise InvalidUsage(
                f"{side.adapter}: {kind} has no parameter {name!r:.60}; {hint}{hint and ' '}"
                f"it has: {', '.join(sorted(known)) or 'none'}"
            )
    try:
        converted = read(found.Parameters, dict(parameters))
    except InvalidUsage as error:
        raise InvalidUsage(f"{side.adapter}: {kind}: {error}") from error
    return found(side, converted)
